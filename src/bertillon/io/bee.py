"""BEE matrices (.mtx) and masks (.mask), as NIST and OpenBR use them.

    line 1   S2 (similarity) or D2 (distance)
    line 2   name of the target (gallery) set
    line 3   name of the query (probe) set
    line 4   MF rows columns MAGIC, where MF is float32 and MB uint8, and MAGIC the four bytes of 0x12345678
    then     the cells, row by row

Conventions: rows are queries, columns targets. The byte order is that of the magic number. In a mask 0xff is a mated
cell, 0x7f a non-mated one, 0x00 none at all. The file has no ids: without a mask nothing tells mated from non-mated,
so rows and columns get names (`query 1`, `target 1`) that never agree. Float32 keeps about seven digits of a score.

Holds the formats `bee` and `bee-mask`.
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
from bertillon.io.head import Head
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source, open_source

MATCH, NON_MATCH, IGNORE = 0xFF, 0x7F, 0x00
_HEADER = re.compile(rb"([SD])2\s*\n[^\n]{0,4096}\n[^\n]{0,4096}\nM([FB]) (\d{1,12}) (\d{1,12}) (.{4})\n", re.DOTALL)
_REFUSAL = "is a BEE mask, not a matrix of scores; give it as the mask of one"
_ORDERS = {b"\x78\x56\x34\x12": "<", b"\x12\x34\x56\x78": ">"}


def read(source: Source, head: Head, request: Request) -> ScoreMatrix:
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
    """The direction and the cells of a file."""
    header = _HEADER.match(raw[:16384])
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


def _fits(head: Head, kind: bytes) -> bool:
    return re.match(rb"[SD]2\s*\n[^\n]{0,4096}\n[^\n]{0,4096}\nM" + kind + b" ", head.raw) is not None


def fits(head: Head) -> bool:
    return _fits(head, b"F")


def fits_mask(head: Head) -> bool:
    return _fits(head, b"B")


def write(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
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
    Format("bee", "BEE matrix (.mtx)", rank=0, fits=fits, reader=read, writer=write, suffixes=(".mtx",)),
    Format("bee-mask", "BEE mask", rank=0, fits=fits_mask, writer=write_mask, suffixes=(".mask",), refusal=_REFUSAL),
)
