"""numpy arrays: one in an .npy file, or several under their names in an archive (.npz).

Conventions of one array: one dimension is a plain list of scores. Two columns of which exactly one holds nothing but 0
and 1, or 1 and -1, are labels and scores. A square array is a matrix, rows probes and columns references, whose
subjects are numbered from 0. Other arrays of two dimensions are refused. Of an archive are understood, in this order,

    a matrix    `scores` of two dimensions with `probe_subject` and `reference_subject`, perhaps `mated`, `ignored`
    two lists   mated and non-mated scores: genuine/impostor, mated/nonmated, target/nontarget, pos/neg ...
    columns     arrays of one length under the names CSV columns have: `score`, `label`, `probe` ...

Pickled objects are refused: they can run code. So is what unpacks to more than `limits` allows.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, Message, say
from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.core.tables import ComparisonTable, ScoreMatrix, require_distinct_floats
from bertillon.io.columns import Roles, assemble, find_roles, kinds_of, known_role, note_roles
from bertillon.io.convert import converted, require_subjects, texts, unreadable
from bertillon.io.labels import meaning
from bertillon.io.limits import STREAM_HINT, max_memory, require_memory
from bertillon.io.registry import Format, Request, Table, register
from bertillon.io.source import ZIP_MAGIC, Content, Head, Source, damage, open_member, read_limited

MAGIC = b"\x93NUMPY"
ARCHIVES = (ZIP_MAGIC, b"PK\x05\x06")  # the second is empty
ARCHIVE = "the .npz archive"
_HEADER_BYTES = 1 << 17
PLAIN_LIST = say("reading.plain_list")
Arrays = Mapping[str, NDArray[Any]]


def label_note(place: int) -> Message:
    """What was understood of two columns, the labels at this place."""
    return say("reading.label_and_score", label=place + 1, score=2 - place)


def load_array(source: Source, data: Content, member: str = "", *, mapped: bool = False) -> NDArray[Any]:
    """The array in the bytes of an .npy file, checked against their number before it is believed.

    `mapped` leaves the numbers where they are, on disk until they are looked at; they cannot be changed then.
    """
    what = f"array {member!r}" if member else "the .npy file"
    start = io.BytesIO(data[:_HEADER_BYTES])
    with damage(source.name, f"the header of {what}"):
        shape, fortran, dtype = array_header(start)
        if any(length < 0 for length in shape):
            raise ValueError(f"shape {shape}")
    require_plain(source.name, dtype, what)
    cells, rest = math.prod(shape), len(data) - start.tell()
    if cells * dtype.itemsize > rest:
        raise source.error(f"{what} states an array of shape {shape}, but only {rest:,} bytes follow; is it cut off?")
    if cells == 0 or dtype.itemsize == 0:
        raise source.error(f"{what} is empty (shape {shape})")
    if not mapped:
        require_memory(source.name, cells * dtype.itemsize, what, STREAM_HINT)
    flat = np.frombuffer(data, dtype, count=cells, offset=start.tell())
    return flat.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="), copy=not mapped)


def array_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type of the array that begins here; numpy has many exceptions for a damaged one."""
    first_version = np.lib.format.read_magic(file) == (1, 0)
    reader = np.lib.format.read_array_header_1_0 if first_version else np.lib.format.read_array_header_2_0
    return reader(file)


def require_plain(name: str, dtype: np.dtype[Any], what: str) -> None:
    if dtype.hasobject:
        raise InputError(f"{name}: {what} holds pickled objects, which can run code and are refused; save numbers")


def read(source: Source, _: Head, request: Request) -> Table:
    array = load_array(source, source.content)
    require_numbers(source.name, array.dtype, "the array")
    if array.ndim == 1:
        return scored_table(source.name, request, PLAIN_LIST, array)
    if array.ndim != 2:
        raise source.error(f"the array has shape {array.shape}; one or two dimensions are expected")
    label = label_column(array, request.values)
    if label is None:
        if array.shape[0] != array.shape[1]:
            raise source.error(
                f"the array has shape {array.shape}, and nothing names its rows and columns: a matrix of scores must "
                "be square (row and column of one number are one subject), or be an .npz file with the arrays scores, "
                "probe_subject and reference_subject; templates, one per row, need --labels FILE"
            )
        return numbered_matrix(source, request, array, say("reading.numbered_matrix"))
    note = label_note(label)
    if request.values:
        columns = {"score": array[:, 1 - label].astype(np.float64), "mated": texts(array[:, label]).tolist()}
        return assemble(
            source.name, pl.DataFrame(columns), Roles({"score": "score", "mated": "mated"}), request, [note]
        )
    return scored_table(source.name, request, note, array[:, 1 - label], {"mated": array[:, label] == 1})


def require_numbers(name: str, dtype: np.dtype[Any], what: str) -> None:
    if dtype.kind not in "iuf":
        raise InputError(f"{name}: {what} holds {dtype}, not numbers")


def label_column(array: NDArray[Any], values: Mapping[str, str] = MappingProxyType({})) -> int | None:
    """The one column of two that holds labels; None if the array is no pair of label and score."""
    if array.ndim != 2 or array.shape[1] != 2:
        return None
    labels = [column for column in (0, 1) if is_label_array(array[:, column], values)]
    return labels[0] if len(labels) == 1 else None


def is_label_array(array: NDArray[Any], values: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Nothing but 0 and 1, or 1 and -1, or but the values that the caller speaks of?"""
    distinct = np.unique(array)
    if values:
        return set(texts(distinct).tolist()) <= set(values)
    return set(distinct.tolist()) <= {0, 1} or set(distinct.tolist()) <= {-1, 1}


def numbered_matrix(source: Source, request: Request, array: NDArray[Any], note: Message) -> ScoreMatrix:
    """A matrix whose subjects are its row and column numbers."""
    probes, references = (np.arange(length).astype(np.str_) for length in array.shape)
    require_distinct_floats(source.name, array)
    scores = array if array.dtype.kind == "f" else array.astype(np.float64)
    return ScoreMatrix(scores, probes, references, source=source.name, format=request.format, notes=(note,))


def scored_table(
    name: str,
    request: Request,
    note: Message,
    scores: NDArray[Any],
    labels: Mapping[str, Any] = MappingProxyType({}),
    rule: AcceptRule | None = None,
) -> ComparisonTable:
    """Scores with the columns that say which are mated."""
    require_distinct_floats(name, scores)
    columns = {"score": np.ascontiguousarray(scores, dtype=np.float64), **labels}
    return ComparisonTable(pl.DataFrame(columns), name, request.format, rule, (note,))


def mated_and_nonmated(mated: str, nonmated: str) -> Message:
    """What was understood of two lists of scores."""
    return say("reading.named_lists", mated=repr(mated), nonmated=repr(nonmated))


def read_archive(source: Source, _: Head, request: Request) -> Table:
    return table_of(source, request, load_arrays(source), "numpy")


def table_of(source: Source, request: Request, arrays: Arrays, kind: str) -> Table:
    """The matrix, the two lists or the columns that named arrays hold; `kind` is whose arrays they are."""
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and known_role(name) == "score"]
    if matrices and not request.columns:
        return _matrix(source, request, arrays, matrices[0])
    lists = two_lists(name for name, array in arrays.items() if array.ndim == 1)
    if lists and not request.columns:
        return _from_lists(source, request, arrays, *lists)
    return _columns(source, request, arrays, kind)


def load_arrays(source: Source) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    with damage(source.name, ARCHIVE), source.stream() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if name.endswith(".npy"):
                room = max_memory() - sum(array.nbytes for array in arrays.values())
                with open_member(source.name, archive, name) as file:
                    data = read_limited(source.name, file, f"the arrays of the archive up to {name!r} unpack to", room)
                arrays[name.removesuffix(".npy")] = load_array(source, data, name)
    if not arrays:
        raise source.error("is a zip archive without numpy arrays; an .npz file is expected")
    return arrays


def _matrix(source: Source, request: Request, arrays: Arrays, name: str) -> ScoreMatrix:
    scores = arrays[name]
    require_numbers(source.name, scores.dtype, f"array {name!r}")
    roles = find_roles(source.name, [key for key, array in arrays.items() if array.ndim == 1], {})
    missing = [role for role in ("probe_subject", "reference_subject") if role not in roles.column]
    if missing:
        raise source.error(f"matrix {name!r} needs the arrays {listed(missing)}; arrays present: {described(arrays)}")
    probes, references = (texts(arrays[roles.column[role]]) for role in ("probe_subject", "reference_subject"))
    if (probes.size, references.size) != scores.shape:
        counts = f"{probes.size} probe and {references.size} reference subjects"
        raise source.error(f"matrix {name!r} has shape {scores.shape}, but there are {counts}")
    require_subjects(source, probes.tolist(), references.tolist())
    mated, ignored = (_mask(source, arrays, key, scores.shape) for key in ("mated", "ignored"))
    rule = find_roles(source.name, [name], {}).rule
    note = say("reading.matrix", rows=scores.shape[0], columns=scores.shape[1])
    require_distinct_floats(source.name, scores)
    values = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
    return ScoreMatrix(values, probes, references, mated, ignored, source.name, request.format, rule, (note,))


def _mask(source: Source, arrays: Arrays, key: str, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    if key not in arrays:
        return None
    if arrays[key].shape != shape or arrays[key].dtype.kind not in "biu":
        raise source.error(f"array {key!r} must be a mask of shape {shape}; found {described({key: arrays[key]})}")
    return arrays[key].astype(np.bool_)


def two_lists(names: Iterable[str]) -> tuple[str, str] | None:
    """The names of the mated and the non-mated scores among those of lists."""
    words = {name: name.lower().removesuffix("_scores").removesuffix("scores").removesuffix("s") for name in names}
    mated, nonmated = ([name for name in words if meaning(words[name]) == kind] for kind in ("mated", "nonmated"))
    return (mated[0], nonmated[0]) if len(mated) == len(nonmated) == 1 else None


def _from_lists(source: Source, request: Request, arrays: Arrays, mated: str, nonmated: str) -> ComparisonTable:
    for name in (mated, nonmated):
        require_numbers(source.name, arrays[name].dtype, f"array {name!r}")
    scores = np.concatenate([arrays[mated], arrays[nonmated]])
    require_distinct_floats(source.name, arrays[mated], arrays[nonmated])
    labels = {"mated": np.arange(scores.size) < arrays[mated].size}
    return scored_table(source.name, request, mated_and_nonmated(mated, nonmated), scores.astype(np.float64), labels)


def _columns(source: Source, request: Request, arrays: Arrays, kind: str) -> ComparisonTable:
    flat = {name: array for name, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "biufU"}
    roles = find_roles(source.name, list(flat), request.columns)
    if "score" not in roles.column and "mated" not in roles.column:
        problem = "holds no scores: neither a score array, nor genuine and impostor lists, nor a matrix with subjects"
        raise source.error(f"{problem}. Arrays present: {described(arrays)}")
    kinds = kinds_of(source.name, list(flat), roles, request)
    lengths = {flat[name].size for name in roles.column.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise source.error(f"arrays of one length above 0 are expected; arrays present: {described(arrays)}")
    kept = {name: kind for name, kind in kinds.items() if flat[name].size in lengths}
    with unreadable(source):
        frame = converted(pl.DataFrame({name: _plain(flat[name]) for name in kept}), kept)
    return assemble(source.name, frame, roles, request, [say("reading.columns_of", kind=kind), *note_roles(roles)])


def _plain(array: NDArray[Any]) -> NDArray[Any] | list[str]:
    if array.dtype.kind == "U":
        return [str(text) for text in array]
    return array.astype(array.dtype.newbyteorder("=")) if array.dtype != np.float16 else array.astype(np.float64)


def described(arrays: Arrays) -> str:
    return ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in list(arrays.items())[:20])


register(
    Format("npy", "numpy array (.npy)", 0, None, read, magic=(MAGIC,)),
    Format("npz", "numpy archive (.npz)", 0, None, read_archive, takes_columns=True, magic=ARCHIVES),
)
