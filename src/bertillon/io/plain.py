"""Plain lists of scores: nothing says which are mated.

    scores   one number a line, or one line of numbers
    pyeer    several columns, the score in the last, as PyEER takes its genuine and impostor files

Conventions: one line of numbers is a list if it has more than five of them or none is a whole number; otherwise it
may be one comparison with its ids. Sniffing of pyeer: the last column is a number, the others could be
ids and are no labels. What may be a histogram as well (see `histograms`) is neither.

Holds the formats `scores` and `pyeer`.
"""

from __future__ import annotations

from dataclasses import replace

from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.assemble import assemble
from bertillon.io.delimited import has_header
from bertillon.io.head import BLANKS, Head, all_numbers, is_id_like, is_integer, split_line
from bertillon.io.histograms import doubt_of_list, doubt_of_pair
from bertillon.io.labels import has_both_labels, is_digit_label
from bertillon.io.livdet import marks_bona_fide
from bertillon.io.names import Roles
from bertillon.io.positional import Columns, read_columns
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, numbered, parse

_LIST = Columns(say("format.plain_list"), ("score",), {"score": "score"}, say("reading.plain_list"))
_LONGEST_RECORD = 5


def read_list(source: Source, head: Head, request: Request) -> ComparisonTable:
    """One number a line, or all of them in one line."""
    if len(head.rows) == 1 and head.width > 1:
        return _read_one_line(source, head, request)
    return read_columns(source, replace(head, separator=BLANKS), request, _LIST)


def _read_one_line(source: Source, head: Head, request: Request) -> ComparisonTable:
    lines = [line for _, line in numbered(source.content, header=False)]
    if len(lines) > 1:
        raise source.error(f"has {len(lines):,} lines of several numbers; a list has one number a line, or one line")
    fields = [text.strip() or "nan" for text in split_line(lines[0], head.separator)]
    column = Source(source.path, "\n".join(fields).encode(), in_memory=True)
    return read_columns(column, Head(head.raw), request, _LIST)


def read_last(source: Source, head: Head, request: Request) -> ComparisonTable:
    """The last of several columns."""
    width = max(head.width, 1)
    names = (*(f"column {number + 1}" for number in range(width - 1)), "score")
    roles = Roles({"score": "score"})
    kinds = dict.fromkeys(names[:-1], "text") if request.ids else {}  # a list of trials may be joined by them
    frame = parse(source, head, Layout(names, head.separator), {**kinds, "score": "score"})
    return assemble(source.name, frame, roles, request, [say("reading.pyeer", column=width)])


def fits_list(head: Head) -> bool:
    if len(head.rows) == 1 and head.width > 1:
        many = head.width > _LONGEST_RECORD or not any(is_integer(text) for text in head.rows[0])
        return all_numbers(head.rows[0]) and many
    return head.width == 1 and all_numbers(head.columns()[0]) and not doubt_of_list(head)


def fits_last(head: Head) -> bool:
    if head.width < 2 or has_header(head):
        return False
    *ids, score = head.columns()
    if is_digit_label(score) and has_both_labels(score):
        return False  # nothing but 1 and 0: labels rather than scores
    return (
        all_numbers(score)
        and all(map(is_id_like, ids))
        and not any(has_both_labels(column) or marks_bona_fide(column) for column in ids)
        and not doubt_of_pair(head)
    )


def near_list(head: Head) -> str:
    return "if each line is the score of one comparison" if doubt_of_list(head) else ""


def near_last(head: Head) -> str:
    if doubt_of_pair(head):
        return "if column 1 is an id and column 2 the score"
    labels = head.width > 1 and not has_header(head) and has_both_labels(head.columns()[-1])
    return f"if column {head.width}, nothing but labels, is the score" if labels else ""


SCORES = Format("scores", "plain list of scores, one a line", rank=4, fits=fits_list, reader=read_list, near=near_list)
PYEER = Format(
    "pyeer", "PyEER: score in the last of several columns", rank=5, fits=fits_last, reader=read_last, near=near_last
)

register(SCORES, PYEER)
