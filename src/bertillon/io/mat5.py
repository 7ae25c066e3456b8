"""Variables of MATLAB files of version 5 to 7.2 (`-v7`, the default of `save`, and what Octave and scipy write).

A file is a header of 128 bytes and one element a variable, perhaps compressed. An element is a tag (type, number of
bytes) and its data, padded to 8 bytes; data of up to 4 bytes stand in the tag. A variable is an element of elements:
flags with its class, dimensions, name, and its numbers, letters, cells or fields.

Conventions: numbers become arrays of the type MATLAB has them in, in MATLAB's shape; text a list of its rows; a cell
array a list; a struct a map of its fields, and an array of structs a list of maps. Objects, functions and sparse
matrices are not read: they become `Unread`. Nothing is executed. Cells and fields are followed three levels deep.

A file of a few kilobytes can hold millions of numbers or cells: what they take as objects here is counted.

Holds `variables`, `Value`, `Unread`, `DamagedError`, and the sizes `VALUE` and `CELL`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.io.limits import MemoryBudget, too_large_error

HEADER = 128
VALUE = 8  # bytes that a number or a letter takes at most, once it is a score or part of an id
CELL = 200  # bytes that a cell, a field or a row of letters takes beside its values
_CHUNK = 1 << 20
_DEPTH = 3
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _CHAR = 1, 2, 4
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_LETTERS = (1, 2, 3, 4)  # whole numbers that letters are stored as
_TEXTS = {16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_NAMES = {3: "an object", 5: "a sparse matrix", 16: "a function", 17: "an object"}
_COMPLEX, _LOGICAL = 0x08, 0x02


class DamagedError(Exception):
    """The bytes are no such file; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something MATLAB knows that is not read here."""

    what: str


Value = NDArray[Any] | list[Any] | dict[str, Any] | Unread


def variables(data: bytes, source: str = "the MATLAB file") -> dict[str, Value]:
    """Every variable of a file by its name; `source` is what errors call the file."""
    order = ">" if data[126:128] == b"MI" else "<"
    by_name: dict[str, Value] = {}
    file = _File(order, MemoryBudget(source))
    for kind, content in _elements(memoryview(data)[HEADER:], order):
        held = 0
        if kind == _COMPRESSED:
            unpacked = _unpacked(content, file.room)
            held = len(unpacked)
            file.room.keep(held, "a compressed variable")
            inner = list(_elements(memoryview(unpacked), order))
            if not inner:
                raise DamagedError("an empty compressed variable")
            kind, content = inner[0]
        if kind == _MATRIX:
            name, value = _matrix(content, file, 0)
            if name:  # what has none belongs to MATLAB itself
                by_name[name] = value
        file.room.taken -= held  # values are copies
    return by_name


@dataclass(frozen=True, slots=True)
class _File:
    """The order of its bytes, and the room that its values have."""

    order: str
    room: MemoryBudget


def _unpacked(packed: memoryview, room: MemoryBudget) -> bytes:
    """A compressed variable; a small file may promise any number of bytes, so they are counted as they come."""
    decompress = zlib.decompressobj()
    parts, size, rest = [], 0, bytes(packed)
    while rest and not decompress.eof:
        try:
            parts.append(decompress.decompress(rest, _CHUNK))
        except zlib.error as error:
            raise DamagedError(f"a compressed variable: {error}") from error
        size += len(parts[-1])
        if size > room.most - room.taken:
            raise too_large_error(room.name, "its variables are larger when unpacked")
        rest = decompress.unconsumed_tail
    if not decompress.eof:
        raise DamagedError("a compressed variable is cut off")
    return b"".join(parts)


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """The elements in some bytes, one after the other: type and data."""
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise DamagedError("cut off within a tag")
        first, second = (int(number) for number in np.frombuffer(data[at : at + 8], f"{order}u4"))
        if first >> 16:
            kind, size, start, end = first & 0xFFFF, first >> 16, at + 4, at + 8
        else:
            kind, size, start = first, second, at + 8
            end = start + size + (0 if kind == _COMPRESSED else -size % 8)
        if start + size > len(data) or (first >> 16 and size > 4):
            raise DamagedError(f"an element of {size:,} bytes, where {len(data) - start:,} are left")
        yield kind, data[start : start + size]
        at = end


def _matrix(content: memoryview, file: _File, depth: int) -> tuple[str, Value]:
    """The name and the value of one variable, cell or field."""
    if len(content) == 0:
        return "", np.zeros((0, 0))
    order = file.order
    elements = _elements(content, order)
    try:
        flags = int(_numbers(*next(elements), order)[0])
        shape = tuple(int(length) for length in _numbers(*next(elements), order))
        name = bytes(next(elements)[1]).decode("latin-1")
    except (StopIteration, IndexError) as error:
        raise DamagedError("a variable without flags, dimensions or name") from error
    if any(length < 0 for length in shape) or len(shape) < 2:
        raise DamagedError(f"a variable of dimensions {shape}")
    return name, _value(flags & 0xFF, flags >> 8, shape, elements, file, depth)


def _value(
    kind: int, flags: int, shape: tuple[int, ...], elements: Iterator[tuple[int, memoryview]], file: _File, depth: int
) -> Value:
    if kind in (_CELL, _STRUCT):
        if depth == _DEPTH:
            return Unread("cells or structs more than three levels deep")
        if kind == _CELL:
            return [_part(elements, file, depth) for _ in range(math.prod(shape))]
        return _structs(math.prod(shape), elements, file, depth)
    if kind in _NAMES:
        return Unread(_NAMES[kind])
    if flags & _COMPLEX:
        return Unread("complex numbers")
    if kind != _CHAR and kind not in _CLASSES:
        raise DamagedError(f"a variable of the unknown class {kind}")
    real = next(elements, None)
    if real is None:
        raise DamagedError("a variable without data")
    if kind == _CHAR:
        return _text(*real, shape, file)
    values = _numbers(*real, file.order)
    file.room.keep(VALUE * values.size, f"a variable of dimensions {shape}")
    if values.size != math.prod(shape):
        raise DamagedError(f"{values.size:,} numbers for dimensions {shape}")
    type_ = np.bool_ if flags & _LOGICAL else np.dtype(_CLASSES[kind])
    return values.astype(type_).reshape(shape, order="F")


def _part(elements: Iterator[tuple[int, memoryview]], file: _File, depth: int) -> Value:
    part = next(elements, None)
    if part is None or part[0] != _MATRIX:
        raise DamagedError("fewer cells or fields than its dimensions say")
    file.room.keep(CELL, "one more cell or field")
    return _matrix(part[1], file, depth + 1)[1]


def _structs(count: int, elements: Iterator[tuple[int, memoryview]], file: _File, depth: int) -> Value:
    try:
        length = int(_numbers(*next(elements), file.order)[0])
        joined = bytes(next(elements)[1])
    except (StopIteration, IndexError) as error:
        raise DamagedError("a struct without the names of its fields") from error
    if length < 1:
        raise DamagedError("a struct whose field names have no length")
    names = [joined[at : at + length].split(b"\0")[0].decode("latin-1") for at in range(0, len(joined), length)]
    if not names:
        return {}
    structs = [{name: _part(elements, file, depth) for name in names} for _ in range(count)]
    return structs[0] if len(structs) == 1 else structs


def _numbers(kind: int, content: memoryview, order: str) -> NDArray[Any]:
    if kind not in _TYPES:
        raise DamagedError(f"numbers of the unknown type {kind}")
    type_ = np.dtype(f"{order}{_TYPES[kind]}")
    if len(content) % type_.itemsize:
        raise DamagedError(f"{len(content):,} bytes of numbers of {type_.itemsize} bytes each")
    return np.frombuffer(content, type_)


def _text(kind: int, content: memoryview, shape: tuple[int, ...], file: _File) -> list[str]:
    """The rows of a matrix of letters, which stand column by column."""
    file.room.keep(VALUE * len(content), f"text of dimensions {shape}")
    if kind in _TEXTS:
        ending = "" if kind == 16 else "-le" if file.order == "<" else "-be"
        letters = bytes(content).decode(f"{_TEXTS[kind]}{ending}", "replace")
    elif kind not in _LETTERS:
        raise DamagedError(f"text of the type {kind}")
    else:
        letters = _numbers(kind, content, file.order).astype("<u2").tobytes().decode("utf-16-le", "replace")
    rows = shape[0]
    if len(shape) != 2 or len(letters) != math.prod(shape):
        if rows == 1:  # letters of several bytes are fewer than the dimensions say
            return [letters]
        raise DamagedError(f"{len(letters):,} letters for dimensions {shape}")
    file.room.keep(CELL * rows if letters else 0, f"text of {rows:,} rows")
    return [letters[row::rows] for row in range(rows)] if letters else []
