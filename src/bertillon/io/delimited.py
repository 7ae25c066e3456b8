"""CSV, TSV and their kin: delimited text with named columns, or a label and a score without names.

Conventions: the separator (comma, semicolon, tab, bar, blanks) is found from the lines. The first line is a header
if it holds no number and either two known column names, or one that is no value of its column, or stands over a column
of numbers. Without a header two columns are understood if exactly one of them holds nothing but labels.
A first line of 0, 1, 2 ... over fractions may number the columns: it is refused until they are named.
Integer pairs cut by commas are refused: `0,53` may be a label and a score, or a decimal comma.

Holds the formats `csv` and `tsv`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io import delimited_writer
from bertillon.io.assemble import assemble, kinds_of, note_roles
from bertillon.io.head import BLANKS, Head, all_numbers, is_integer, is_number, numbers_columns
from bertillon.io.labels import is_digit_label, is_label_column, same_kind
from bertillon.io.names import find_roles, known_role
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_SEPARATOR_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", BLANKS: "blank"}


def has_header(head: Head, wanted: Sequence[str] = ()) -> bool:
    """Does the first line name the columns?"""
    if not head.rows:
        return False
    first = head.rows[0]
    if wanted and set(wanted) <= {name.strip() for name in first}:
        return True
    if any(name.strip() and is_number(name) for name in first):
        return False
    known = [place for place, name in enumerate(first) if known_role(name)]
    body = [list(column) for column in head.columns(skip=1)]
    if len(known) == 1 and known[0] < len(body):
        name, values = first[known[0]], body[known[0]]
        return name not in values and not same_kind(name, values)
    return len(known) > 1 or any(map(all_numbers, body))


def layout_of(source: Source, head: Head, columns: Mapping[str, str]) -> Layout:
    """The layout of a delimited file: names from the header, or numbers where the caller goes by number."""
    wanted = list(columns.values())
    if has_header(head, wanted):
        return Layout(_unique(head.rows[0]), head.separator, header=len(head.rows[0]))
    if wanted and not all(name.isdecimal() for name in wanted):
        names = ", ".join(repr(name) for name in head.rows[0][:10])
        raise source.error(
            f"the first line ({names}) has no column {', '.join(map(repr, wanted))}; "
            "name columns of the header, or number them from 1 where there is none",
            line=1,
        )
    return Layout(tuple(str(place + 1) for place in range(head.width)), head.separator)


def _unique(row: Sequence[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}  # in their order; a list takes minutes to look through for many columns
    for place, name in enumerate(row):
        name = name.strip() or f"column {place + 1}"
        while name in names:
            name = f"{name} (column {place + 1})"
        names[name] = None
    return tuple(names)


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    """Read named columns, or a label and a score without names."""
    layout = layout_of(source, head, request.columns)
    columns = request.columns
    if not layout.header and not columns:
        columns = label_and_score(source, head)
    roles = find_roles(source.name, layout.names, columns)
    frame = parse(source, head, layout, kinds_of(source.name, layout.names, roles, request))
    if not layout.header:
        frame = frame.rename({name: f"column {name}" for name in frame.columns if name not in roles.column.values()})
    notes = [say(f"reading.separated.{_SEPARATOR_WORDS[layout.separator]}"), *note_roles(roles)]
    return assemble(source.name, frame, roles, request, notes)


def label_and_score(source: Source, head: Head) -> dict[str, str]:
    """Which of two unnamed columns is the label and which the score."""
    columns = head.columns()
    if numbers_columns(head):
        raise source.error(
            "the first line looks like numbers of columns; name the columns by them, e.g. --column label=1 --column "
            "score=0 (columns= in Python), or put a line of names above it if it is data",
            line=1,
        )
    if len(columns) == 1 and all_numbers(columns[0]):
        return {"score": "1"}
    if len(columns) != 2:
        raise source.error(
            f"has {head.width} columns and no header; say which is which, e.g. --column score=3 (columns= in Python)"
        )
    labels = [place for place in (0, 1) if is_label_column(columns[place])]
    scores = [place for place in (0, 1) if all_numbers(columns[place])]
    if len(labels) != 1 or (1 - labels[0]) not in scores or maybe_decimal_comma(head):
        raise InputError(
            f"{source.name}: two columns without names, and it is not plain which is the label "
            "(1/0, 1/-1 or words) and which the score; say so with --column label=1 --column score=2 "
            "(columns= in Python)"
        )
    return {"label": str(labels[0] + 1), "score": str(2 - labels[0])}


def maybe_decimal_comma(head: Head) -> bool:
    """Two columns of whole numbers cut by commas: maybe one number with a decimal comma."""
    whole = all(is_integer(text) for row in head.rows for text in row)
    return head.separator == "," and head.width == 2 and whole


def is_label_then_score(head: Head) -> bool:
    """Two columns without names, plainly a label of digits and a score: what bob writes."""
    if head.width != 2 or maybe_decimal_comma(head):
        return False
    label, score = head.columns()
    return is_digit_label(label) and all_numbers(score) and not is_digit_label(score)


def _fits(head: Head) -> bool:
    if has_header(head):
        return head.width > 1 or known_role(head.rows[0][0]) is not None
    if head.width != 2 or is_label_then_score(head):
        return False
    first, second = head.columns()
    return (is_label_column(first) and all_numbers(second)) or (all_numbers(first) and is_label_column(second))


def fits_csv(head: Head) -> bool:
    return head.separator != "\t" and _fits(head)


def fits_tsv(head: Head) -> bool:
    return head.separator == "\t" and _fits(head)


CSV = Format(
    "csv",
    "delimited text with named columns, or a label and a score",
    rank=3,
    fits=fits_csv,
    reader=read,
    writer=delimited_writer.write_csv,
    suffixes=(".csv",),
    takes_columns=True,
)
TSV = replace(
    CSV,
    name="tsv",
    summary="tab-separated text with named columns",
    fits=fits_tsv,
    writer=delimited_writer.write_tsv,
    suffixes=(".tsv",),
)

register(CSV, TSV)
