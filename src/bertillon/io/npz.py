"""numpy archives (.npz): several named arrays in one file.

Conventions: understood, in this order, are

    a matrix    `scores` of two dimensions with `probe_subject` and `reference_subject`, perhaps `mated`, `ignored`
    two lists   mated and non-mated scores: genuine/impostor, mated/nonmated, target/nontarget, pos/neg ...
    columns     arrays of one length under the names CSV columns have: `score`, `label`, `probe` ...

Pickled objects are refused, and so is what unpacks to more than `limits` allows.

Holds the format `npz`, and for other readers `table_of`, `load_arrays` and `described`.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.spelling import listed
from bertillon.core.tables import ComparisonTable, ScoreMatrix, require_distinct_floats
from bertillon.io.assemble import assemble, kinds_of, note_roles
from bertillon.io.convert import UnreadableError, converted, require_subjects, texts
from bertillon.io.head import Head
from bertillon.io.labels import LabelError, meaning
from bertillon.io.limits import STREAM_HINT, max_memory, too_large_error
from bertillon.io.names import find_roles, known_role
from bertillon.io.npy import load_array, require_numbers
from bertillon.io.registry import Format, Request, Table, register
from bertillon.io.source import Source, open_member

MAGIC = b"PK\x03\x04"
_PIECE = 1 << 20
Arrays = Mapping[str, NDArray[Any]]


def mated_and_nonmated(mated: str, nonmated: str) -> Message:
    """What was understood of two lists of scores."""
    return say("reading.named_lists", mated=repr(mated), nonmated=repr(nonmated))


def read(source: Source, head: Head, request: Request) -> Table:
    del head
    return table_of(source, request, load_arrays(source), "numpy")


def table_of(source: Source, request: Request, arrays: Arrays, kind: str) -> Table:
    """The matrix, the two lists or the columns that named arrays hold; `kind` is whose arrays they are."""
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and known_role(name) == "score"]
    if matrices and not request.columns:
        return _matrix(source, request, arrays, matrices[0])
    lists = two_lists(arrays)
    if lists and not request.columns:
        return _from_lists(source, request, arrays, *lists)
    return _columns(source, request, arrays, kind)


def load_arrays(source: Source) -> dict[str, NDArray[Any]]:
    """Every array of an archive under its name."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with source.stream() as stream, zipfile.ZipFile(stream) as archive:
            for name in archive.namelist():
                if name.endswith(".npy"):
                    room = max_memory() - sum(array.nbytes for array in arrays.values())
                    arrays[name.removesuffix(".npy")] = load_array(source, _member(source, archive, name, room), name)
    except InputError:
        raise
    except Exception as error:
        raise source.error(f"the .npz archive is damaged ({str(error)[:200]}); copy or save it again") from error
    if not arrays:
        raise source.error("is a zip archive without numpy arrays; an .npz file is expected")
    return arrays


def _member(source: Source, archive: zipfile.ZipFile, name: str, room: int) -> bytes:
    """The bytes of a member, as many as there is room for: what the archive says of their number may be untrue."""
    held = io.BytesIO()
    with open_member(source.name, archive, name) as file:
        while piece := file.read(_PIECE):
            if held.tell() + len(piece) > room:
                problem = f"the arrays of the archive up to {name!r} unpack to more than that"
                raise too_large_error(source.name, problem, instead=STREAM_HINT)
            held.write(piece)
    return held.getvalue()


def _matrix(source: Source, request: Request, arrays: Arrays, name: str) -> ScoreMatrix:
    scores = arrays[name]
    require_numbers(source, scores, f"array {name!r}")
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


def two_lists(arrays: Arrays) -> tuple[str, str] | None:
    """The names of the mated and the non-mated scores."""
    mated = [name for name in arrays if _is_list(name, arrays, mated=True)]
    nonmated = [name for name in arrays if _is_list(name, arrays, mated=False)]
    return (mated[0], nonmated[0]) if len(mated) == 1 and len(nonmated) == 1 else None


def _is_list(name: str, arrays: Arrays, *, mated: bool) -> bool:
    word = name.lower().removesuffix("_scores").removesuffix("scores").removesuffix("s")
    return arrays[name].ndim == 1 and meaning(word) == ("mated" if mated else "nonmated")


def _from_lists(source: Source, request: Request, arrays: Arrays, mated: str, nonmated: str) -> ComparisonTable:
    for name in (mated, nonmated):
        require_numbers(source, arrays[name], f"array {name!r}")
    require_distinct_floats(source.name, arrays[mated], arrays[nonmated])
    scores = np.concatenate([arrays[mated], arrays[nonmated]]).astype(np.float64)
    labels = np.arange(scores.size) < arrays[mated].size
    note = mated_and_nonmated(mated, nonmated)
    return ComparisonTable(pl.DataFrame({"score": scores, "mated": labels}), source.name, request.format, notes=(note,))


def _columns(source: Source, request: Request, arrays: Arrays, kind: str) -> ComparisonTable:
    flat = {name: array for name, array in arrays.items() if array.ndim == 1 and array.dtype.kind in "biufU"}
    roles = find_roles(source.name, list(flat), request.columns)
    if "score" not in roles.column and "mated" not in roles.column:
        raise source.error(
            "holds no scores: neither a score array, nor genuine and impostor lists, nor a matrix with subjects. "
            f"Arrays present: {described(arrays)}"
        )
    kinds = kinds_of(source.name, list(flat), roles, request)
    lengths = {flat[name].size for name in roles.column.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise source.error(f"arrays of one length above 0 are expected; arrays present: {described(arrays)}")
    kept = {name: kind for name, kind in kinds.items() if flat[name].size in lengths}
    try:
        frame = converted(pl.DataFrame({name: _plain(flat[name]) for name in kept}), kept)
    except (UnreadableError, LabelError) as problem:
        raise source.error(str(problem)) from problem
    return assemble(source.name, frame, roles, request, [say("reading.columns_of", kind=kind), *note_roles(roles)])


def _plain(array: NDArray[Any]) -> NDArray[Any] | list[str]:
    if array.dtype.kind == "U":
        return [str(text) for text in array]
    return array.astype(array.dtype.newbyteorder("=")) if array.dtype != np.float16 else array.astype(np.float64)


def described(arrays: Arrays) -> str:
    """What an archive holds, for a message."""
    return ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in list(arrays.items())[:20])


def fits(head: Head) -> bool:
    return head.raw.startswith((MAGIC, b"PK\x05\x06"))


NPZ = Format("npz", "numpy archive (.npz)", rank=0, fits=fits, reader=read, takes_columns=True)

register(NPZ)
