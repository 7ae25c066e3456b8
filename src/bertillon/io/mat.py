"""MATLAB files (.mat), version 5 to 7.3: scores under the names .npz has, and the structs of BOSARIS.

    a matrix      `scores` with `probe_subject` and `reference_subject`
    two lists     `genuine` and `impostor` scores, or whatever pair of words CSV labels may be
    columns       vectors of one length under the names CSV columns have; ids as cell arrays of text
    BOSARIS       `modelset` and `segset` with `scoremat` (and `scoremask`), or with `tar` and `non`, in a struct or not

Conventions: a row or a column vector is a list. Structs are opened one level deep: their fields are read like
variables, those of an array of structs as columns. Objects, tables and the newer strings of MATLAB cannot be read: save
cell arrays of text. Nothing is executed. Version 7.3 is HDF5 with dimensions turned round and cells kept as references.
A file of version 5 to 7.2 is a header of 128 bytes and one element a variable, perhaps compressed. An element is a tag
(type, number of bytes) and its data, padded to 8 bytes; data of up to 4 bytes stand in the tag. A variable is one of
elements: flags with its class, dimensions, name, and its numbers, letters, cells or fields.

Either way numbers become arrays in MATLAB's shape; text a list of its rows; a cell array a list; a struct a map of its
fields, and an array of structs a list of maps, three levels deep; what is not read becomes `Unread`. A file of a few
kilobytes can hold millions of numbers or cells: what they take as objects here is counted.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import listed
from bertillon.core.lazy import h5py
from bertillon.core.messages import say
from bertillon.io import hdf5, npy
from bertillon.io.convert import as_array
from bertillon.io.limits import MemoryBudget, too_large_error
from bertillon.io.registry import Format, Request, Table, register
from bertillon.io.source import Head, Source

START = b"MATLAB"
_MARKS = (b"\x00\x01IM", b"\x01\x00MI", b"\x00\x02IM", b"\x02\x00MI")
_BOSARIS = ("modelset", "segset")
_CELLS = ("scoremat", "scoremask", "tar", "non", "trialmask")
_MOST_CELLS = 10_000_000
_NOTHING = np.zeros((0, 0))
_HEADER_BYTES = 128
_VALUE_BYTES = 8  # bytes that a number or a letter takes at most, once it is a score or part of an id
_CELL_BYTES = 200  # bytes that a cell, a field or a row of letters takes beside its values
_CHUNK = 1 << 20
_DEPTH = 3
_MATRIX, _COMPRESSED = 14, 15
_CELL_ARRAY, _STRUCT, _CHAR = 1, 2, 4
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_LETTERS = (1, 2, 3, 4)  # whole numbers that letters are stored as
_TEXTS = {16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_UNREAD = {3: "an object", 5: "a sparse matrix", 16: "a function", 17: "an object"}
_COMPLEX, _LOGICAL = 0x08, 0x02
Arrays = dict[str, NDArray[Any]]


class DamagedError(Exception):
    """The bytes are no such file; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something MATLAB knows that is not read here."""

    what: str


Value = NDArray[Any] | list[Any] | dict[str, Any] | Unread


def read(source: Source, _: Head, request: Request) -> Table:
    content = _variables(source)
    bosaris = _bosaris(source, content)
    if bosaris is not None and not request.columns:
        return hdf5.table_of(source, request, bosaris, say("format.bosaris_matlab"))
    return npy.table_of(source, request, _arrays(source, content), "MATLAB")


def load_arrays(source: Source) -> Arrays:
    return _arrays(source, _variables(source))


def _variables(source: Source) -> dict[str, Value]:
    if source.content[124:128] in _MARKS[2:]:
        with hdf5.opened(source) as file:
            reader = _Hdf5(source, file)
            content = {name: reader.item(name, file[name]) for name in file if not name.startswith("#")}
    else:
        try:
            content = mat5_variables(source.data(), source.name)
        except DamagedError as error:
            raise source.error(f"the MATLAB file is damaged ({error}); copy or save it again") from error
    if not content:
        raise source.error("is a MATLAB file without variables")
    return content


def _arrays(source: Source, content: Mapping[str, Value]) -> Arrays:
    """Arrays by name: vectors as lists, text as ids; fields of structs under their own name where it is free."""
    arrays: Arrays = {}
    left_out: dict[str, str] = {}
    for name, value in _opened(content):
        array = _array(value, source.name)
        if isinstance(array, Unread):
            left_out[name] = array.what
        else:
            short = name.rpartition(".")[2]
            arrays[short if short not in arrays else name] = array
    if not arrays:
        shown = ", ".join(f"{name} ({what})" for name, what in list(left_out.items())[:10])
        raise source.error(f"holds nothing that is read: {shown}; save arrays of numbers and cell arrays of text")
    return arrays


def _opened(content: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    for name, value in content.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{field}", item) for field, item in value.items())
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield from ((f"{name}.{field}", [item[field] for item in value]) for field in value[0])
        else:
            yield name, value


def _array(value: Value, source: str) -> NDArray[Any] | Unread:
    """Numbers as they are, vectors flat; text and cells of text or single numbers as a list of ids."""
    if isinstance(value, Unread | dict):
        return value if isinstance(value, Unread) else Unread("a struct within a struct")
    if isinstance(value, np.ndarray):
        return value.reshape(-1) if max(value.shape, default=0) == value.size else value
    cells = [cell.rstrip() if isinstance(cell, str) else _cell(cell) for cell in value]
    texts = [text for text in cells if text is not None]
    whole = len(texts) == len(cells)
    return as_array(texts, source) if whole else Unread("a cell array of more than text and numbers")


def _cell(cell: Any) -> str | None:
    if isinstance(cell, list) and len(cell) <= 1 and all(isinstance(text, str) for text in cell):
        return cell[0] if cell else ""
    if not isinstance(cell, np.ndarray) or cell.size > 1 or (cell.size and cell.dtype.kind not in "iufb"):
        return None
    number = cell.item() if cell.size else None
    return "" if number is None else str(int(number) if float(number).is_integer() else number)


def _bosaris(source: Source, content: Mapping[str, Value]) -> hdf5.Content | None:
    """The scores and the key that structs of BOSARIS hold, or variables under their names."""
    scopes = [dict(content), *(value for value in content.values() if isinstance(value, dict))]
    named = [_named(source.name, scope) for scope in scopes]
    parts = [part for part in named if set(_BOSARIS) <= set(part) and len(part) > len(_BOSARIS)]
    if not parts:
        return None
    first = parts[0]
    whole: Arrays = dict(first)
    for part in parts[1:]:
        if any(not np.array_equal(part[name], first[name]) for name in _BOSARIS):
            raise source.error("its structs differ in modelset or segset; save scores and key in files of their own")
        again = [name for name in part if name not in _BOSARIS and name in whole]
        if again:
            raise source.error(f"several structs hold {listed(again)}; save each system in a file of its own")
        whole |= part
    return _content(source, whole)


def _named(source: str, scope: Mapping[str, Value]) -> Arrays:
    arrays: Arrays = {}
    for name in (*_BOSARIS, *_CELLS):
        value = scope.get(name)
        if isinstance(value, np.ndarray) and name in _CELLS and value.ndim == 2:
            arrays[name] = value
        elif isinstance(value, list) and name in _BOSARIS:
            ids = _array(value, source)
            arrays |= {} if isinstance(ids, Unread) else {name: ids}
    return arrays


def _content(source: Source, whole: Arrays) -> hdf5.Content:
    models, segments = whole["modelset"], whole["segset"]
    for name in _CELLS:
        if name in whole and whole[name].shape != (models.size, segments.size):
            counts = f"{models.size} models and {segments.size} segments"
            raise source.error(f"{name!r} has shape {whole[name].shape}, but there are {counts}")
    marks = {name: whole[name] != 0 for name in ("tar", "non", "scoremask", "trialmask") if name in whole}
    key = (marks["tar"], marks["non"]) if "tar" in marks and "non" in marks else (None, None)
    scored = marks.get("scoremask", marks.get("trialmask"))
    return hdf5.Content(models, segments, whole.get("scoremat"), scored, *key)


class _Hdf5:
    """What a file of version 7.3 holds; a dataset that several cells refer to is read once."""

    def __init__(self, source: Source, file: Any) -> None:
        self._source, self._file, self._room = source, file, MemoryBudget(source.name)
        self._known: dict[tuple[Any, int], Value] = {}

    def item(self, name: str, item: Any, depth: int = 0) -> Value:
        kind = item.attrs.get("MATLAB_class", b"")
        kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)
        if isinstance(item, h5py.Group):
            if "MATLAB_sparse" in item.attrs:
                return Unread("a sparse matrix")
            if kind not in ("struct", "") or depth:
                return Unread("a struct within a struct" if depth else f"an object ({kind})")
            return {field: self.item(f"{name}.{field}", item[field], depth + 1) for field in item}
        if not isinstance(item, h5py.Dataset):
            return Unread("a type")
        return self._dataset(name, item, kind, depth)

    def _dataset(self, name: str, item: Any, kind: str, depth: int) -> Value:
        hdf5.require_own_values(self._source, item, name)
        if item.shape is None:
            return _NOTHING
        self._room.keep(_CELL_BYTES + max(_VALUE_BYTES, item.dtype.itemsize) * item.size, f"{name} {list(item.shape)}")
        if item.chunks:
            hdf5.require_room_for(self._source, [item])
        empty = bool(item.attrs.get("MATLAB_empty", 0))
        if h5py.check_ref_dtype(item.dtype) is h5py.Reference:
            if depth > 2 or item.size > _MOST_CELLS:
                return Unread("cells too deep or too many")
            self._room.keep(_CELL_BYTES * item.size, f"{name}, a cell array of {item.size:,},")
            return [self._cell(name, reference, depth + 1) for reference in np.asarray(item[()]).reshape(-1)]
        if kind == "char":
            self._room.keep(_CELL_BYTES * item.shape[-1] if item.ndim else 0, f"{name}, a matrix of letters,")
            return [] if empty else _rows(np.asarray(item[()]))
        if item.dtype.kind not in "biuf":
            return Unread(f"{kind or item.dtype}")
        values = _NOTHING if empty else np.asarray(item[()]).T
        return values.astype(np.bool_) if kind == "logical" else values

    def _cell(self, name: str, reference: Any, depth: int) -> Value:
        if not reference:
            return _NOTHING
        item = self._file[reference]
        key = hdf5.address(item), depth
        if key not in self._known:
            self._known[key] = self.item(name, item, depth)
        return self._known[key]


def _rows(letters: NDArray[Any]) -> list[str]:
    """The rows of a matrix of letters, which is stored turned round."""
    turned: Iterable[NDArray[Any]] = letters.T if letters.ndim == 2 else [letters.reshape(-1)]
    return [row.astype("<u2").tobytes().decode("utf-16-le", "replace") for row in turned]


def mat5_variables(data: bytes, source: str) -> dict[str, Value]:
    """Every variable of a file by its name; `source` is what errors call the file."""
    order = ">" if data[126:128] == b"MI" else "<"
    by_name: dict[str, Value] = {}
    file = _File(order, MemoryBudget(source))
    for kind, content in _elements(memoryview(data)[_HEADER_BYTES:], order):
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


class _File(NamedTuple):
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
    if len(content) == 0:
        return "", _NOTHING
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
    if kind in (_CELL_ARRAY, _STRUCT):
        if depth == _DEPTH:
            return Unread("cells or structs more than three levels deep")
        if kind == _CELL_ARRAY:
            return [_part(elements, file, depth) for _ in range(math.prod(shape))]
        return _structs(math.prod(shape), elements, file, depth)
    if kind in _UNREAD:
        return Unread(_UNREAD[kind])
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
    file.room.keep(_VALUE_BYTES * values.size, f"a variable of dimensions {shape}")
    if values.size != math.prod(shape):
        raise DamagedError(f"{values.size:,} numbers for dimensions {shape}")
    type_ = np.bool_ if flags & _LOGICAL else np.dtype(_CLASSES[kind])
    return values.astype(type_).reshape(shape, order="F")


def _part(elements: Iterator[tuple[int, memoryview]], file: _File, depth: int) -> Value:
    part = next(elements, None)
    if part is None or part[0] != _MATRIX:
        raise DamagedError("fewer cells or fields than its dimensions say")
    file.room.keep(_CELL_BYTES, "one more cell or field")
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
    file.room.keep(_VALUE_BYTES * len(content), f"text of dimensions {shape}")
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
    file.room.keep(_CELL_BYTES * rows if letters else 0, f"text of {rows:,} rows")
    return [letters[row::rows] for row in range(rows)] if letters else []


def fits(head: Head) -> bool:
    return len(head.raw) >= _HEADER_BYTES and head.raw[124:128] in _MARKS


_SUMMARY = "MATLAB (.mat): matrix, lists, columns, BOSARIS structs"
register(Format("mat", _SUMMARY, 0, fits, read, takes_columns=True, magic=(START,)))
