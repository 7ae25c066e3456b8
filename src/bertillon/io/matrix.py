"""Score matrices as text, with and without names.

    matrix        reference subjects in the first line, probe subjects in the first column
    bare-matrix   scores alone, as many lines as columns; subjects are numbered from 0, equal numbers are mated

Conventions: rows are probes, columns references; the top left cell may be empty, hold anything, or be missing.
Every cell is kept as it is: a -1 that a matcher writes for a failed sample is for the caller to judge. Sniffing of
names: all cells below and right of the names are numbers, no name in the first line is that of a known column, and
either some subject stands on both sides, or the top left cell is empty and the rows are not merely counted. Where
columns are counted from 0 and no row number repeats, both sides must have the same: pandas numbers those of any table.
A first line of nothing but numbers may as well be a line of data (bob and Kaldi files with numbered ids, a matrix
without names): there both sides must have the same subjects, and names have no fraction. Sniffing of a bare matrix:
nothing but numbers, as many lines as columns, at least three, and a fraction in every column or six of them. What fits
both is ambiguous.

Holds the formats `matrix` and `bare-matrix`.
"""

from __future__ import annotations

from bertillon.core.messages import say
from bertillon.core.tables import ScoreMatrix
from bertillon.io.convert import as_array, require_subjects
from bertillon.io.head import Head, all_numbers, is_counted, is_id_like, is_integer, is_number, numbers_columns
from bertillon.io.names import known_role
from bertillon.io.npy import numbered_matrix
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_SUBJECT = "probe subject"
LEAST = 3  # lines of a bare matrix
_MOST_RECORD = 5  # columns of a line of ids and a score


def read(source: Source, head: Head, request: Request) -> ScoreMatrix:
    if head.width < 2:
        raise source.error("is not a matrix; a line of reference subjects and lines of a probe subject and its scores")
    subjects = _references(head)
    columns = [f"score {number + 1}" for number in range(len(subjects))]
    layout = Layout((_SUBJECT, *columns), head.separator, header=len(head.rows[0]))
    frame = parse(source, head, layout, {_SUBJECT: "text", **dict.fromkeys(columns, "score")})
    probes = frame[_SUBJECT].fill_null("").to_list()
    require_subjects(source, probes, subjects)
    return ScoreMatrix(
        frame.select(columns).to_numpy(order="c"),
        as_array(probes, source.name),
        as_array(subjects, source.name),
        source=source.name,
        format=request.format,
        notes=(say("reading.matrix", rows=frame.height, columns=len(subjects)),),
    )


def _references(head: Head) -> list[str]:
    """The names over the columns; a header one short of the lines has no top left cell."""
    return list(head.names if len(head.names) == head.width - 1 else head.names[1:])


def fits(head: Head) -> bool:
    body = head.columns(skip=1)
    if len(head.rows) < 2 or len(body) < 2 or not all(is_number(text) for column in body[1:] for text in column):
        return False
    if not any(map(all_numbers, body[1:])):  # a reference may have failed with everybody, but not all of them
        return False
    references = _references(head)
    if len(references) != len(body) - 1 or any(known_role(name) in ("score", "mated") for name in references):
        return False
    probes = [name.strip() for name in body[0]]
    corner_empty = len(head.rows[0]) == head.width and not head.rows[0][0].strip()
    if len(head.rows[0]) == head.width and not corner_empty and all(map(is_number, head.rows[0])):
        plain = is_id_like(references) and is_id_like(probes) and len(set(references)) == len(references)
        return plain and set(references) == set(probes)
    if is_counted(references) and _is_index(head, probes, references):
        return False
    counted = is_counted(probes) or is_counted(probes, start=1)
    return bool(set(references) & set(probes)) or (corner_empty and not counted)


def _is_index(head: Head, probes: list[str], references: list[str]) -> bool:
    """Over columns that are counted: do the rows have numbers of their own, as pandas gives them in any table?"""
    if len(set(probes)) < len(probes) or not all(map(is_integer, probes)):
        return False
    return not set(probes) <= set(references) or (head.complete and len(head.rows) - 1 != len(references))


def read_bare(source: Source, head: Head, request: Request) -> ScoreMatrix:
    """Scores without names."""
    columns = tuple(f"score {number + 1}" for number in range(head.width))
    frame = parse(source, head, Layout(columns, head.separator), dict.fromkeys(columns, "score"))
    if frame.height != len(columns):
        raise source.error(
            f"has {frame.height:,} lines of {len(columns):,} scores and no names; a matrix without names is square, "
            "since row and column of one number are taken for one subject: add a line and a column of subjects"
        )
    note = say("reading.unnamed_matrix", n=frame.height)
    return numbered_matrix(source, request, frame.to_numpy(order="c"), note)


def fits_bare(head: Head) -> bool:
    width = head.width
    if (
        min(width, len(head.rows)) < LEAST
        or any(len(row) != width for row in head.rows)
        or (numbers_columns(head) and not head.rows[0][0].strip())
        or not all(set(shape) == {"n"} for shape in head.shapes)
    ):
        return False
    if len(head.rows) != width if head.complete else len(head.rows) > width:
        return False
    return width > _MOST_RECORD or not any(map(is_id_like, head.columns()))


register(
    Format("matrix", "text matrix, subjects in first line and column", rank=2, fits=fits, reader=read),
    Format("bare-matrix", "square text matrix of scores alone", rank=2, fits=fits_bare, reader=read_bare),
)
