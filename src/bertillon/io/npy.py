"""numpy arrays in .npy files.

Conventions: one dimension is a plain list of scores. Two columns of which exactly one holds nothing but 0 and 1, or
1 and -1, are labels and scores. A square array is a matrix, rows probes and columns references, whose subjects are
numbered from 0: equal numbers are mated. Other arrays of two dimensions are refused: nothing says who is compared with
whom. Pickled objects are refused: they can run code.

Holds the format `npy`, and `load_array` for .npz.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.tables import ComparisonTable, ScoreMatrix, require_distinct_floats
from bertillon.io.assemble import assemble
from bertillon.io.convert import texts
from bertillon.io.head import Head
from bertillon.io.limits import STREAM_HINT, require_memory
from bertillon.io.names import Roles
from bertillon.io.registry import Format, Request, Table, register
from bertillon.io.source import Content, Source

MAGIC = b"\x93NUMPY"
_HEADER_BYTES = 1 << 17
PLAIN_LIST = say("reading.plain_list")


def label_and_score(place: int) -> Message:
    """What was understood of two columns, the labels at this place."""
    return say("reading.label_and_score", label=place + 1, score=2 - place)


def load_array(source: Source, data: Content, member: str = "", *, mapped: bool = False) -> NDArray[Any]:
    """The array in the bytes of an .npy file, checked against their number before it is believed.

    `mapped` leaves the numbers where they are, on disk until they are looked at; they cannot be changed then.
    """
    what = f"array {member!r}" if member else "the .npy file"
    start = io.BytesIO(data[:_HEADER_BYTES])
    shape, fortran, dtype = _header(source, start, what)
    if dtype.hasobject:
        raise source.error(f"{what} holds pickled objects, which can run code and are refused; save plain numbers")
    cells, rest = math.prod(shape), len(data) - start.tell()
    if cells * dtype.itemsize > rest:
        raise source.error(f"{what} states an array of shape {shape}, but only {rest:,} bytes follow; is it cut off?")
    if cells == 0 or dtype.itemsize == 0:
        raise source.error(f"{what} is empty (shape {shape})")
    if not mapped:
        require_memory(source.name, cells * dtype.itemsize, what, STREAM_HINT)
    flat = np.frombuffer(data, dtype, count=cells, offset=start.tell())
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="), copy=not mapped)


def _header(source: Source, start: BinaryIO, what: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(start)
        first_version = version == (1, 0)
        reader = np.lib.format.read_array_header_1_0 if first_version else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = reader(start)
    except Exception as error:
        reason = str(error).partition("\n")[0][:200]
        raise source.error(f"{what} has a damaged header ({reason})") from error
    if any(length < 0 for length in shape):
        raise source.error(f"{what} has a damaged header (shape {shape})")
    return shape, fortran, dtype


def read(source: Source, head: Head, request: Request) -> Table:
    del head
    array = load_array(source, source.content)
    require_numbers(source, array, "the array")
    if array.ndim == 1:
        return _table(source, request, {"score": array}, PLAIN_LIST)
    if array.ndim != 2:
        raise source.error(f"the array has shape {array.shape}; one or two dimensions are expected")
    label = _label_column(array, request.values)
    if label is None:
        if array.shape[0] != array.shape[1]:
            raise source.error(
                f"the array has shape {array.shape}, and nothing names its rows and columns: a matrix of scores must "
                "be square (row and column of one number are one subject), or be an .npz file with the arrays scores, "
                "probe_subject and reference_subject; templates, one per row, need --labels FILE"
            )
        note = say("reading.numbered_matrix")
        return numbered_matrix(source, request, array, note)
    note = label_and_score(label)
    if request.values:
        return _stated(source, request, array[:, 1 - label], array[:, label], note)
    return _table(source, request, {"score": array[:, 1 - label], "mated": array[:, label] == 1}, note)


def require_numbers(source: Source, array: NDArray[Any], what: str) -> None:
    if array.dtype.kind not in "iuf":
        raise source.error(f"{what} holds {array.dtype}, not numbers")


def _label_column(array: NDArray[Any], values: Mapping[str, str]) -> int | None:
    """The one column of two that holds labels; None if the array is no pair of label and score."""
    if array.shape[1] != 2:
        return None
    labels = [column for column in (0, 1) if is_label_array(array[:, column], values)]
    return labels[0] if len(labels) == 1 else None


def is_label_array(array: NDArray[Any], values: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Nothing but 0 and 1, or 1 and -1, or but the values that the caller speaks of?"""
    distinct = np.unique(array)
    if values:
        return set(texts(distinct).tolist()) <= set(values)
    return set(distinct.tolist()) <= {0, 1} or set(distinct.tolist()) <= {-1, 1}


def _stated(
    source: Source, request: Request, scores: NDArray[Any], labels: NDArray[Any], note: Message
) -> ComparisonTable:
    """Labels by what was said of their values."""
    columns = {"score": np.ascontiguousarray(scores, dtype=np.float64), "mated": texts(labels).tolist()}
    roles = Roles({"score": "score", "mated": "mated"})
    return assemble(source.name, pl.DataFrame(columns), roles, request, [note])


def numbered_matrix(source: Source, request: Request, array: NDArray[Any], note: Message) -> ScoreMatrix:
    """A matrix whose subjects are its row and column numbers."""
    probes, references = (np.arange(length).astype(np.str_) for length in array.shape)
    require_distinct_floats(source.name, array)
    scores = array if array.dtype.kind == "f" else array.astype(np.float64)
    return ScoreMatrix(scores, probes, references, source=source.name, format=request.format, notes=(note,))


def _table(source: Source, request: Request, columns: dict[str, NDArray[Any]], note: Message) -> ComparisonTable:
    require_distinct_floats(source.name, columns["score"])
    columns["score"] = np.ascontiguousarray(columns["score"], dtype=np.float64)
    return ComparisonTable(pl.DataFrame(columns), source.name, request.format, notes=(note,))


def fits(head: Head) -> bool:
    return head.raw.startswith(MAGIC)


NPY = Format("npy", "numpy array (.npy)", rank=0, fits=fits, reader=read)

register(NPY)
