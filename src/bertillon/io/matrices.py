"""Score matrices: as text with and without names, and in BEE files as NIST and OpenBR use them.

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

BEE matrices (.mtx) and masks (.mask):

    line 1   S2 (similarity) or D2 (distance)
    line 2   name of the target (gallery) set
    line 3   name of the query (probe) set
    line 4   MF rows columns MAGIC, where MF is float32 and MB uint8, and MAGIC the four bytes of 0x12345678
    then     the cells, row by row

Rows are queries, columns targets. The byte order is that of the magic number. In a mask 0xff is a mated
cell, 0x7f a non-mated one, 0x00 none at all. The file has no ids: without a mask nothing tells mated from non-mated,
so rows and columns get names (`query 1`, `target 1`) that never agree. Float32 keeps about seven digits of a score.
"""

from __future__ import annotations

import re
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io.columns import known_role
from bertillon.io.convert import as_array, require_subjects
from bertillon.io.head import Head, all_numbers, is_counted, is_id_like, is_integer, is_number, numbers_columns
from bertillon.io.npy import numbered_matrix
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source, open_source
from bertillon.io.text import Layout, parse

_SUBJECT = "probe subject"
LEAST = 3  # lines of a bare matrix
_MOST_RECORD = 5  # columns of a line of ids and a score


def read_named(source: Source, head: Head, request: Request) -> ScoreMatrix:
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


def fits_named(head: Head) -> bool:
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


MATCH, NON_MATCH, IGNORE = 0xFF, 0x7F, 0x00
_BEE_START = rb"([SD])2\s*\n[^\n]{0,4096}\n[^\n]{0,4096}\nM"
_BEE_HEADER = re.compile(_BEE_START + rb"([FB]) (\d{1,12}) (\d{1,12}) (.{4})\n", re.DOTALL)
_REFUSAL = "is a BEE mask, not a matrix of scores; give it as the mask of one"
_ORDERS = {b"\x78\x56\x34\x12": "<", b"\x12\x34\x56\x78": ">"}


def read_bee(source: Source, head: Head, request: Request) -> ScoreMatrix:
    rule, values = _cells(source, head.raw)
    if values.dtype == np.uint8:
        raise source.error(_REFUSAL)
    rows, columns = values.shape
    mated, ignored = _mask(request, values.shape) if request.mask else (None, None)
    notes = [say(f"reading.bee.{rule.value}", rows=rows, columns=columns)]
    notes.append(say("reading.mask", mask=str(request.mask)) if request.mask else say("reading.no_mask"))
    names = _names("query", rows), _names("target", columns)
    return ScoreMatrix(values, *names, mated, ignored, source.name, request.format, rule, tuple(notes))


def _names(word: str, count: int) -> NDArray[np.str_]:
    return np.array([f"{word} {number + 1}" for number in range(count)], dtype=np.str_)


def _cells(source: Source, raw: bytes) -> tuple[AcceptRule, NDArray[Any]]:
    header = _BEE_HEADER.match(raw[:16384])
    if header is None:
        raise source.error("has no BEE header: S2 or D2, target, query, then `MF rows columns` and a magic number")
    letter, kind, rows, columns, magic = header.groups()
    if magic not in _ORDERS:
        raise source.error(f"the magic number is {magic.hex()}, not 12345678 or 78563412; is it a BEE matrix?")
    dtype = np.dtype(f"{_ORDERS[magic]}f4") if kind == b"F" else np.dtype(np.uint8)
    shape = (int(rows), int(columns))
    expected = shape[0] * shape[1] * dtype.itemsize
    present = source.size - header.end()
    if expected != present or expected == 0:
        size = f"{shape[0]:,} x {shape[1]:,} cells of {dtype.itemsize} bytes"
        raise source.error(f"the header states {size}, but {present:,} bytes follow it; is it cut off?")
    values = np.frombuffer(source.content, dtype, count=shape[0] * shape[1], offset=header.end()).reshape(shape)
    rule = AcceptRule.DISTANCE if letter == b"D" else AcceptRule.SIMILARITY
    return rule, values.astype(dtype.newbyteorder("="))


def _mask(request: Request, shape: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    source = open_source(str(request.mask))
    _, values = _cells(source, source.head(16384))
    if values.dtype != np.uint8:
        raise source.error("is a BEE matrix of scores (MF), not a mask (MB)")
    if values.shape != shape:
        sizes = [f"{rows:,} x {columns:,}" for rows, columns in (values.shape, shape)]
        raise source.error(f"the mask is {sizes[0]}, but the matrix is {sizes[1]}")
    strange = np.setdiff1d(np.unique(values), [MATCH, NON_MATCH, IGNORE])
    if strange.size:
        shown = ", ".join(f"0x{value:02x}" for value in strange[:5])
        raise source.error(f"the mask holds {shown}; expected 0xff (mated), 0x7f (non-mated) and 0x00 (ignored)")
    return values == MATCH, values == IGNORE


def _is_bee(head: Head, kind: bytes) -> bool:
    return re.match(_BEE_START + kind + b" ", head.raw) is not None


def fits_bee(head: Head) -> bool:
    return _is_bee(head, b"F")


def fits_mask(head: Head) -> bool:
    return _is_bee(head, b"B")


def write_bee(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write the scores as float32, in the byte order of most machines."""
    matrix = _require_matrix(table)
    _write(file, matrix.rule, b"F", matrix.scores.astype("<f4"))


def write_mask(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write which cells are mated, non-mated and ignored."""
    matrix = _require_matrix(table)
    equal = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    values = np.where(matrix.mated if matrix.mated is not None else equal, MATCH, NON_MATCH).astype(np.uint8)
    if matrix.ignored is not None:
        values[matrix.ignored] = IGNORE
    _write(file, matrix.rule, b"B", values)


def _require_matrix(table: ComparisonTable | ScoreMatrix) -> ScoreMatrix:
    if isinstance(table, ScoreMatrix):
        return table
    raise InputError("bee holds a matrix of every probe against every reference, not a list; use csv, parquet or bob-4")


def _write(file: BinaryIO, rule: AcceptRule | None, kind: bytes, values: NDArray[Any]) -> None:
    letter = b"D" if rule is AcceptRule.DISTANCE else b"S"
    rows, columns = values.shape
    file.write(letter + b"2\ntargets\nqueries\nM%s %d %d \x78\x56\x34\x12\n" % (kind, rows, columns))
    file.write(values.tobytes())


register(
    Format("matrix", "text matrix, subjects in first line and column", 2, fits_named, read_named),
    Format("bare-matrix", "square text matrix of scores alone", 2, fits_bare, read_bare),
    Format("bee", "BEE matrix (.mtx)", 0, fits_bee, read_bee, write_bee, (".mtx",)),
    Format("bee-mask", "BEE mask", 0, fits_mask, None, write_mask, (".mask",), refusal=_REFUSAL),
)
