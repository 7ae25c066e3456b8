"""MATLAB files (.mat), version 5 to 7.3: scores under the names .npz has, and the structs of BOSARIS.

    a matrix      `scores` with `probe_subject` and `reference_subject`
    two lists     `genuine` and `impostor` scores, or whatever pair of words CSV labels may be
    columns       vectors of one length under the names CSV columns have; ids as cell arrays of text
    BOSARIS       `modelset` and `segset` with `scoremat` (and `scoremask`), or with `tar` and `non`, in a struct or not

Conventions: a row or a column vector is a list. Structs are opened one level deep: their fields are read like
variables, those of an array of structs as columns. Version 7.3 is HDF5 with dimensions turned round and cells kept as
references; links and data that leave the file are refused. Objects, tables and the newer strings of MATLAB cannot be
read: save cell arrays of text.

Holds the format `mat`, and for other readers `load_arrays` and `fits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import h5py
from bertillon.core.messages import say
from bertillon.core.spelling import listed
from bertillon.io import hdf5, npy
from bertillon.io.convert import as_array
from bertillon.io.head import Head
from bertillon.io.limits import MemoryBudget
from bertillon.io.mat5 import CELL, HEADER, VALUE, DamagedError, Unread, Value, variables
from bertillon.io.registry import Format, Request, Table, register
from bertillon.io.source import Source

_TEXT = b"MATLAB"
_MARKS = (b"\x00\x01IM", b"\x01\x00MI", b"\x00\x02IM", b"\x02\x00MI")
_BOSARIS = ("modelset", "segset")
_MOST_CELLS = 10_000_000
_NOTHING = np.zeros((0, 0))
Arrays = dict[str, NDArray[Any]]


def read(source: Source, head: Head, request: Request) -> Table:
    del head
    content = _variables(source)
    bosaris = _bosaris(source, content)
    if bosaris is not None and not request.columns:
        return hdf5.table_of(source, request, bosaris, say("format.bosaris_matlab"))
    return npy.table_of(source, request, _arrays(source, content), "MATLAB")


def load_arrays(source: Source) -> Arrays:
    """Every array of a file by its name, those in structs too."""
    return _arrays(source, _variables(source))


def _variables(source: Source) -> dict[str, Value]:
    if source.content[124:128] in _MARKS[2:]:
        with hdf5.opened(source) as file:
            reader = _Hdf5(source, file)
            content = {name: reader.item(name, file[name]) for name in file if not name.startswith("#")}
    else:
        try:
            content = variables(source.data(), source.name)
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
    if isinstance(value, Unread):
        return value
    if isinstance(value, dict):
        return Unread("a struct within a struct")
    if isinstance(value, np.ndarray):
        return value.reshape(-1) if max(value.shape, default=0) == value.size else value
    if all(isinstance(cell, str) for cell in value):
        return as_array([cell.rstrip() for cell in value], source)
    texts = [text for cell in value if (text := _cell(cell)) is not None]
    if len(texts) < len(value):
        return Unread("a cell array of more than text and numbers")
    return as_array(texts, source)


def _cell(cell: Any) -> str | None:
    if isinstance(cell, list) and len(cell) <= 1 and all(isinstance(text, str) for text in cell):
        return cell[0] if cell else ""
    if isinstance(cell, np.ndarray) and cell.size == 1 and cell.dtype.kind in "iufb":
        number = cell.item()
        return str(int(number)) if float(number).is_integer() else str(number)
    return "" if isinstance(cell, np.ndarray) and cell.size == 0 else None


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
            raise source.error(
                "its structs have different modelset or segset; save scores and key in files of their own"
            )
        again = [name for name in part if name not in _BOSARIS and name in whole]
        if again:
            raise source.error(f"several structs hold {listed(again)}; save each system in a file of its own")
        whole |= part
    return _content(source, whole)


_CELLS = ("scoremat", "scoremask", "tar", "non", "trialmask")


def _named(source: str, scope: Mapping[str, Value]) -> Arrays:
    """What of a scope stands under a name of BOSARIS."""
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
        """The value of a variable, a field or a cell; `name` is the variable's."""
        kind = _class(item)
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
            return np.zeros((0, 0))
        self._room.keep(CELL + max(VALUE, item.dtype.itemsize) * item.size, f"{name} {list(item.shape)}")
        if item.chunks:
            hdf5.require_room_for(self._source, [item])
        empty = bool(item.attrs.get("MATLAB_empty", 0))
        if h5py.check_ref_dtype(item.dtype) is h5py.Reference:
            if depth > 2 or item.size > _MOST_CELLS:
                return Unread("cells too deep or too many")
            self._room.keep(CELL * item.size, f"{name}, a cell array of {item.size:,},")
            return [self._cell(name, reference, depth + 1) for reference in np.asarray(item[()]).reshape(-1)]
        if kind == "char":
            self._room.keep(CELL * item.shape[-1] if item.ndim else 0, f"{name}, a matrix of letters,")
            return [] if empty else _rows(np.asarray(item[()]))
        if item.dtype.kind not in "biuf":
            return Unread(f"{kind or item.dtype}")
        values = np.zeros((0, 0)) if empty else np.asarray(item[()]).T
        return values.astype(np.bool_) if kind == "logical" else values

    def _cell(self, name: str, reference: Any, depth: int) -> Value:
        if not reference:
            return _NOTHING
        item = self._file[reference]
        key = hdf5.address(item), depth
        if key not in self._known:
            self._known[key] = self.item(name, item, depth)
        return self._known[key]


def _class(item: Any) -> str:
    kind = item.attrs.get("MATLAB_class", b"")
    return kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)


def _rows(letters: NDArray[Any]) -> list[str]:
    """The rows of a matrix of letters, which is stored turned round."""
    turned: Iterable[NDArray[Any]] = letters.T if letters.ndim == 2 else [letters.reshape(-1)]
    return [row.astype("<u2").tobytes().decode("utf-16-le", "replace") for row in turned]


def fits(head: Head) -> bool:
    return head.raw.startswith(_TEXT) and len(head.raw) >= HEADER and head.raw[124:128] in _MARKS


MAT = Format(
    "mat", "MATLAB (.mat): matrix, lists, columns, BOSARIS structs", rank=0, fits=fits, reader=read, takes_columns=True
)

register(MAT)
