"""CSV, TSV and their kin: delimited text with named columns, or a label and a score without names; and bob's CSV.

Conventions: the first line is a header if it holds no number and either two known column names, or one that is no value
of its column, or stands over a column of numbers. Without a header two columns are understood if exactly one of them
holds nothing but labels. A first line of 0, 1, 2 ... over fractions may number the columns: it is refused until they
are named. Integer pairs are refused where `1,53` may be a label and a score, or a decimal comma (see `commas`).

bob writes `probe_*` and `bio_ref_*` columns around a `score`: mated where `probe_subject_id` and `bio_ref_subject_id`
are equal. The template ids are `probe_reference_id` and `bio_ref_reference_id` (also `..._template_id` and `..._key`).

Written, score and label come first, so that no line can begin with the comment sign. A table of distances calls its
score column `distance`. A matrix has the reference subjects in the first line and the probe subjects in the first
column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import BinaryIO, Literal

import numpy as np

from bertillon.core import AcceptRule, ComparisonTable, InputError, ScoreMatrix, say
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.io.columns import Roles, assemble, find_roles, kinds_of, known_role, note_roles, stated_frame
from bertillon.io.labels import is_digit_label, is_label_column, same_kind
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import BLANKS, Head, Source, all_numbers, is_integer, is_number, numbers_columns
from bertillon.io.text import Layout, parse

_SEPARATOR_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", BLANKS: "blank"}
_OR_ONE = ", or a single number with a decimal comma (then write decimal points)"
_BOB_NAMES = {
    "score": ("score",),
    "probe": ("probe_reference_id", "probe_template_id", "probe_key"),
    "reference": ("bio_ref_reference_id", "bio_ref_template_id", "bio_ref_key"),
    "probe_subject": ("probe_subject_id",),
    "reference_subject": ("bio_ref_subject_id",),
    "attack": ("probe_attack_type", "attack_type"),
}
_BOB_NEEDED = ("score", "probe_subject", "reference_subject")


def has_header(head: Head, wanted: Sequence[str] = ()) -> bool:
    if not head.rows:
        return False
    first = head.rows[0]
    if wanted and set(wanted) <= {name.strip() for name in first}:
        return True
    if any(name.strip() and is_number(name) for name in first):
        return False
    known = [column for column, name in enumerate(first) if known_role(name)]
    body = head.columns(skip=1)
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
        first, missing = (", ".join(map(repr, names)) for names in (head.rows[0][:10], wanted))
        advice = "name columns of the header, or number them from 1 where there is none"
        raise source.error(f"the first line ({first}) has no column {missing}; {advice}", line=1)
    return Layout(tuple(str(column + 1) for column in range(head.width)), head.separator)


def _unique(row: Sequence[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}  # in their order; a list takes minutes to look through for many columns
    for column, name in enumerate(row):
        name = name.strip() or f"column {column + 1}"
        while name in names:
            name = f"{name} (column {column + 1})"
        names[name] = None
    return tuple(names)


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    """The scores of a CSV, or of any text with a separator; columns by their header, or as they were named."""
    layout, roles, kinds = understood(source, head, request.columns, request)
    frame = parse(source, head, layout, kinds)
    if not layout.header:
        frame = frame.rename({name: f"column {name}" for name in frame.columns if name not in roles.column.values()})
    notes = [say(f"reading.separated.{_SEPARATOR_WORDS[layout.separator]}"), *note_roles(roles)]
    return assemble(source.name, frame, roles, request, notes)


def understood(
    source: Source, head: Head, columns: Mapping[str, str], request: Request
) -> tuple[Layout, Roles, dict[str, str]]:
    """The layout, the role of each column, and what each is read as."""
    layout = layout_of(source, head, columns)
    if not layout.header and not columns:
        columns = _label_and_score(source, head)
    roles = find_roles(source.name, layout.names, columns)
    return layout, roles, kinds_of(source.name, layout.names, roles, request)


def _label_and_score(source: Source, head: Head) -> dict[str, str]:
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
        advice = "say which is which, e.g. --column score=3 (columns= in Python)"
        raise source.error(f"has {head.width} columns and no header; {advice}")
    labels = [column for column in (0, 1) if is_label_column(columns[column])]
    scores = [column for column in (0, 1) if all_numbers(columns[column])]
    if len(labels) != 1 or (1 - labels[0]) not in scores or maybe_decimal_comma(head):
        raise source.error(
            "two columns without names, and it is not clear which is the label (1/0, 1/-1 or words) and which the "
            f"score{_OR_ONE if maybe_decimal_comma(head) else ''}; say so with --column label=1 --column score=2 "
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


def _write(table: ComparisonTable | ScoreMatrix, file: BinaryIO, separator: str) -> None:
    if isinstance(table, ScoreMatrix):
        _require_plain(table)
        _write_matrix(table, file, separator)
    else:
        stated_frame(table).write_csv(file, separator=separator)


def _write_matrix(matrix: ScoreMatrix, file: BinaryIO, separator: str) -> None:
    header = pl.DataFrame([["", *map(str, matrix.reference_subject)]], orient="row")
    header.write_csv(file, separator=separator, include_header=False)
    rows = pl.Series("subject", [str(subject) for subject in matrix.probe_subject], dtype=pl.String)
    cells = [pl.Series(str(column), matrix.scores[:, column]) for column in range(matrix.scores.shape[1])]
    style: Literal["necessary", "non_numeric"] = "non_numeric" if rows.str.starts_with("#").any() else "necessary"
    pl.DataFrame([rows, *cells]).write_csv(file, separator=separator, include_header=False, quote_style=style)


def _require_plain(matrix: ScoreMatrix) -> None:
    """Text holds subjects and scores, but neither a mask nor a direction."""
    if matrix.rule is AcceptRule.DISTANCE:
        raise InputError("a matrix of distances cannot be written as text, which holds no direction; use bee (.mtx)")
    equal = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    marked = matrix.ignored is not None and bool(matrix.ignored.any())
    if marked or (matrix.mated is not None and not np.array_equal(matrix.mated, equal)):
        raise InputError("a matrix with a mask of its own cannot be written as text; use bee and bee-mask")


def read_bob(source: Source, head: Head, request: Request) -> ComparisonTable:
    layout = layout_of(source, head, {})
    column = {role: name for role, names in _BOB_NAMES.items() for name in names[::-1] if name in layout.names}
    missing = [_BOB_NAMES[role][0] for role in _BOB_NEEDED if role not in column]
    if missing:
        raise source.error(f"bob-csv needs the columns {listed(missing)}; columns present: {listed(layout.names)}", 1)
    roles = Roles(column)
    frame = parse(source, head, layout, kinds_of(source.name, layout.names, roles, request))
    note = say("reading.format_columns", format="bob CSV", columns=("probe_*", "bio_ref_*", "score"))
    return assemble(source.name, frame, roles, request, [note])


def fits_bob(head: Head) -> bool:
    return {"probe_subject_id", "bio_ref_subject_id"} <= set(head.names)


def write_bob(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    frame = require_rows(table, "bob-csv", _BOB_NEEDED)
    order = [role for role in ("probe_subject", "probe", "reference_subject", "reference") if role in frame.columns]
    further = [name for name in frame.columns if name not in (*_BOB_NAMES, "mated")]
    renamed = {role: _BOB_NAMES[role][0] for role in (*order, "score")}
    commented = frame["probe_subject"].str.starts_with("#").any()  # unquoted, such a line would be a comment
    named = frame.select(*order, *further, "score").rename(renamed)
    named.write_csv(file, quote_style="non_numeric" if commented else "necessary")


def require_rows(table: ComparisonTable | ScoreMatrix, format: str, needed: Sequence[str]) -> pl.DataFrame:
    """The rows of a table to be written in a format that needs these columns and calls equal subjects mated."""
    if isinstance(table, ScoreMatrix):
        raise InputError(f"{format} holds one comparison per line, not a matrix; use csv or bee")
    frame = table.frame
    missing = [role for role in needed if role not in frame.columns]
    if missing:
        raise InputError(f"{format} needs the columns {', '.join(needed)}; missing: {', '.join(missing)}")
    if "mated" in frame.columns and (frame["mated"] != (frame["probe_subject"] == frame["reference_subject"])).any():
        raise InputError(f"{format} calls equal subjects mated, but the table's mated column says otherwise")
    return frame


_CSV = "delimited text with named columns, or a label and a score"
_WRITERS = {separator: partial(_write, separator=separator) for separator in (",", "\t")}
register(
    Format("csv", _CSV, 3, fits_csv, read, _WRITERS[","], (".csv",), takes_columns=True),
    Format(
        "tsv", "tab-separated text with named columns", 3, fits_tsv, read, _WRITERS["\t"], (".tsv",), takes_columns=True
    ),
    Format("bob-csv", "bob CSV: probe_*, bio_ref_*, score", 1, fits_bob, read_bob, write_bob, columns=2),
)
