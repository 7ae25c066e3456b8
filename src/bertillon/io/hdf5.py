"""HDF5 files: score files under the names of BOSARIS and its descendants, and safe reading of any.

    what            BOSARIS                      SIDEKIT       PyBOSARIS
    scores          scores                       scores        score_mat
    models          ID/row_ids                   modelset      model_names
    segments        ID/column_ids                segset        test_names
    scored cells    score_mask                   score_mask
    key             trial_mask (1, 0, -1)        trial_mask    tar_mask, non_mask
    older key       target_mask, nontarget_mask

Conventions: rows are models (references), columns segments (probes). A key in the same file says which cells are
mated; cells that are neither scored nor in the key are no comparisons. Each other cell becomes a row of the table.

HDF5 lets a file keep values in other files: by external links, external storage and virtual datasets. Whoever wrote the
file would choose which local files are read, so every link and dataset is looked at before any value is, and such files
are refused. Soft links stay within the file and are followed where a name is looked up. What a shape promises is
compared with the memory that `limits` allows before any of it is taken; large gzipped chunks, which the library would
unpack whole, are unpacked here first, no further than their stated size.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import listed
from bertillon.core.lazy import h5py, pl
from bertillon.core.messages import Text, say
from bertillon.core.tables import ComparisonTable
from bertillon.io.convert import as_array
from bertillon.io.limits import max_memory, require_memory, too_large_error
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Head, Source, damage

MAGIC = b"\x89HDF\r\n\x1a\n"
_NAMES = {
    "models": ("ID/row_ids", "modelset", "model_names", "model_set"),
    "segments": ("ID/column_ids", "segset", "segest", "test_names", "seg_set"),
    "scores": ("scores", "score_mat", "scoremat"),
    "scored": ("score_mask", "scoremask"),
    "key": ("trial_mask", "trialmask"),
    "tar": ("target_mask", "tar_mask", "tar"),
    "non": ("nontarget_mask", "non_mask", "non"),
}
INSTEAD = "which is not followed, since it could be any file; write the values into one file (h5repack, or h5py's copy)"
_OBJECT = 64  # bytes that a text or list takes beside its content
_DENSEST = 1032  # bytes that one byte of gzip can hold
_ROWS = 4096  # of texts, read at a time
_FLETCHER = 3  # the filter that adds a checksum


@dataclass(frozen=True, slots=True)
class Content:
    """The arrays of a file, models in rows; those it does not have are None."""

    models: NDArray[np.str_]
    segments: NDArray[np.str_]
    scores: NDArray[Any] | None
    scored: NDArray[np.bool_] | None
    mated: NDArray[np.bool_] | None
    nonmated: NDArray[np.bool_] | None


def read(source: Source, _: Head, request: Request) -> ComparisonTable:
    with opened(source) as file:
        content = _content(source, file)
    return table_of(source, request, content, "BOSARIS HDF5")


def table_of(source: Source, request: Request, content: Content, title: Text) -> ComparisonTable:
    if content.scores is None and content.mated is None:
        raise source.error("is a list of trials without scores and without a key; one of the two is needed")
    cells = np.ones((content.models.size, content.segments.size), dtype=np.bool_)
    if content.scored is not None:
        cells &= content.scored
    if content.mated is not None and content.nonmated is not None:
        if (content.mated & content.nonmated).any():
            raise source.error("calls some cells both target and non-target")
        cells &= content.mated | content.nonmated
    rows, columns = np.nonzero(cells)
    if rows.size == 0:
        raise source.error("marks no cell as a comparison")
    data: dict[str, Any] = {}
    if content.scores is not None:
        data["score"] = content.scores[rows, columns].astype(np.float64)
    if content.mated is not None:
        data["mated"] = content.mated[rows, columns]
    if request.ids:
        data["probe"] = pl.Series(content.segments.tolist(), dtype=pl.String).gather(columns)
        data["reference"] = pl.Series(content.models.tolist(), dtype=pl.String).gather(rows)
    models, segments = content.models.size, content.segments.size
    size = say("reading.models", format=title, models=models, segments=segments, n=rows.size)
    notes = (size, say("reading.key" if content.mated is not None else "reading.no_key"))
    return ComparisonTable(pl.DataFrame(data), source.name, request.format, notes=notes)


def _content(source: Source, file: Any) -> Content:
    found = {part: find(source, file, names) for part, names in _NAMES.items()}
    ids = [found.pop("models"), found.pop("segments")]
    matrices = {part: dataset for part, dataset in found.items() if dataset is not None}
    if any(dataset is None for dataset in ids) or not {"scores", "key", "tar"} & set(matrices):
        present = listed(datasets(file) or ["nothing"])
        raise source.error(
            "has no datasets under known names; expected scores with ID/row_ids and ID/column_ids (BOSARIS), modelset "
            f"and segset (SIDEKIT) or model_names and test_names (PyBOSARIS). Present: {present}"
        )
    cells = max(dataset.size or 0 for dataset in matrices.values())
    require_room_for(source, [*ids, *matrices.values()], beside=8 * cells)
    models, segments = (_ids(source, dataset) for dataset in ids)
    shape = models.size, segments.size
    arrays = {part: _cells(source, dataset, shape) for part, dataset in matrices.items()}
    marks = arrays.get("key")
    mated = arrays.get("tar") if marks is None else marks > 0
    nonmated = arrays.get("non") if marks is None else marks < 0
    if nonmated is None or (marks is not None and not nonmated.any()):  # a list of trials (Ndx) has no -1
        mated = nonmated = None
    truth = (None if array is None else array != 0 for array in (arrays.get("scored"), mated, nonmated))
    return Content(models, segments, arrays.get("scores"), *truth)


def _ids(source: Source, dataset: Any) -> NDArray[np.str_]:
    values = values_of(source, dataset).reshape(-1)
    texts = [value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values.tolist()]
    return as_array(texts, source.name)


def _cells(source: Source, dataset: Any, shape: tuple[int, int]) -> NDArray[Any]:
    name = str(dataset.name).lstrip("/")
    if dataset.shape != shape:
        counts = f"{shape[0]} models and {shape[1]} segments"
        raise source.error(f"dataset {name!r} has shape {dataset.shape}, but there are {counts}")
    if dataset.dtype.kind not in "biuf":
        raise source.error(f"dataset {name!r} holds {dataset.dtype}, not numbers")
    return np.asarray(dataset[()])


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """The file of the library; whatever it makes of a damaged one is told as an input error."""
    with (
        damage(source.name, "the HDF5 file", "copy or write it again"),
        h5py.File(source.stream() if source.in_memory else source.path, "r") as file,
    ):
        _require_inside(source, file)
        yield file


def find(source: Source, file: Any, names: Sequence[str]) -> Any:
    """The first dataset there is under one of these names, or None; a soft link that leads nowhere is an error."""
    for name in names:
        if isinstance(item := _reached(file, name), h5py.Dataset):
            return item
        if name in list(file) and isinstance(link := _item(file, name), h5py.SoftLink):
            raise source.error(f"{name!r} is a link to {link.path!r}, which is not a dataset of the file")
    return None


def datasets(file: Any) -> list[str]:
    return [name for name, item in _items(file) if isinstance(item, h5py.Dataset)]


def dangling(file: Any) -> list[str]:
    """The soft links that lead nowhere, each with where it leads."""
    links = [(name, item) for name, item in _items(file) if isinstance(item, h5py.SoftLink)]
    return [f"{name} -> {link.path}" for name, link in links if _reached(file, name) is None]


def _reached(file: Any, name: str) -> Any:
    """What stands at a path, through soft links; None where they lead nowhere or to each other."""
    try:
        return file[name]
    except Exception:
        return None


def _require_inside(source: Source, file: Any) -> None:
    for name, item in _items(file):
        if isinstance(item, h5py.ExternalLink):
            raise source.error(f"{name!r} is a link to {item.path!r} in the file {item.filename!r}, {INSTEAD}")
        if not isinstance(item, h5py.Dataset | h5py.Group | h5py.SoftLink | h5py.Datatype):
            raise source.error(f"{name!r} is a link of an unknown kind, {INSTEAD}")
        if isinstance(item, h5py.Dataset):
            require_own_values(source, item, name)


def require_own_values(source: Source, dataset: Any, name: str) -> None:
    """Refuse a dataset whose values stand elsewhere; one that a reference leads to may be in no listing."""
    others = ""
    if dataset.external:
        others = f"the file {dataset.external[0][0]!r} (external storage)"
    elif dataset.is_virtual:
        names = [f"{one.dset_name!r} of the file {one.file_name!r}" for one in dataset.virtual_sources()[:1]]
        others = f"other datasets (virtual dataset: {names[0] if names else 'of none'})"
    if others:
        raise source.error(f"dataset {name!r} keeps its values in {others}, {INSTEAD}")


def _items(file: Any) -> Iterator[tuple[str, Any]]:
    """Every path with its group or dataset, each once; with the link itself where that is not a hard one."""
    waiting, seen = [("", file)], {address(file)}
    while waiting:
        prefix, group = waiting.pop(0)
        for name in group:
            path = prefix + name
            item = _item(group, name)
            if isinstance(item, h5py.Dataset | h5py.Group):
                if address(item) in seen:
                    continue
                seen.add(address(item))
            yield path, item
            if isinstance(item, h5py.Group):
                waiting.append((path + "/", item))


def _item(group: Any, name: str) -> Any:
    """What stands under a name, or the link itself; None for a link of a kind that some other program defines.

    `Group.get` looks at what a link leads to before it answers, which opens the other file: the link is asked itself.
    """
    links, key = group.id.links, group._e(name)
    kind = links.get_info(key).type
    if kind == h5py.h5l.TYPE_HARD:
        return group[name]
    if kind == h5py.h5l.TYPE_SOFT:
        return h5py.SoftLink(group._d(links.get_val(key)))
    if kind == h5py.h5l.TYPE_EXTERNAL:
        file, path = links.get_val(key)
        return h5py.ExternalLink(os.fsdecode(file), group._d(path))
    return None


def address(item: Any) -> tuple[int, int]:
    """Where an object stands: the same under each of its names."""
    about = h5py.h5o.get_info(item.id)
    return about.fileno, about.addr


def require_room_for(source: Source, wanted: Sequence[Any], beside: int = 0) -> None:
    """Refuse datasets that together, or in one of their chunks, need more memory than is allowed."""
    widths = [_OBJECT if dataset.dtype.kind == "O" else dataset.dtype.itemsize for dataset in wanted]
    sizes = [width * math.prod(d.shape) for width, d in zip(widths, wanted, strict=True) if d.shape is not None]
    names = ", ".join(f"{(item.name or 'dataset').lstrip('/')} {list(item.shape or ())}" for item in wanted[:3])
    what = f"{len(wanted)} datasets ({names}{', ...' if len(wanted) > 3 else ''})" if len(wanted) > 1 else names
    require_memory(source.name, sum(sizes) + beside, what)
    for dataset in wanted:
        if dataset.chunks:
            size = math.prod(dataset.chunks) * dataset.dtype.itemsize
            require_memory(source.name, size, f"a chunk of {dataset.name}")
            _require_true_chunks(source, dataset)


def values_of(source: Source, dataset: Any) -> NDArray[Any]:
    """The values of a dataset for which there is room; texts, whose length no shape states, some at a time."""
    if dataset.dtype.kind != "O" or not dataset.shape:
        return np.asarray(dataset[()])
    most, blocks, taken = max_memory(), [], 0
    step = max(1, min(_ROWS, most // (source.size * math.prod(dataset.shape[1:]) or 1)))  # none exceeds the file
    for start in range(0, dataset.shape[0], step):
        blocks.append(np.asarray(dataset[start : start + step]))
        taken += sum(_OBJECT + _length(value) for value in blocks[-1].reshape(-1))
        if taken > most:
            problem = f"the texts of {dataset.name.lstrip('/')!r} take more than {most:,} bytes"
            raise too_large_error(source.name, problem)
    return np.concatenate(blocks) if blocks else np.asarray(dataset[()])


def _length(value: Any) -> int:
    """The bytes of a text or a list; a reference has none of its own."""
    return int(getattr(value, "nbytes", 0) or (len(value) if isinstance(value, bytes | str) else 0))


def all_values(source: Source, file: Any) -> dict[str, NDArray[Any]]:
    """Every dataset under its path; records that hold texts of any length are no arrays and are left out."""
    there = [dataset for name in datasets(file) if (dataset := file[name]).shape is not None]
    wanted = [dataset for dataset in there if not (dataset.dtype.kind == "V" and dataset.dtype.hasobject)]
    require_room_for(source, wanted)
    return {dataset.name.lstrip("/"): values_of(source, dataset) for dataset in wanted}


def _require_true_chunks(source: Source, dataset: Any) -> None:
    """Refuse gzipped chunks that unpack to more than the chunk they are said to be."""
    filters = dataset.id.get_create_plist()
    kinds = [filters.get_filter(number)[0] for number in range(filters.get_nfilters())]
    packed = kinds.count(h5py.h5z.FILTER_DEFLATE)
    if not packed or dataset.id.get_storage_size() * _DENSEST <= max_memory():
        return
    if packed > 1 or [kind for kind in kinds if kind != _FLETCHER][-1] != h5py.h5z.FILTER_DEFLATE:
        raise source.error(f"dataset {dataset.name!r} is packed more than once; write it with one gzip filter, or none")
    most = math.prod(dataset.chunks) * dataset.dtype.itemsize
    offsets: list[Any] = []
    dataset.id.chunk_iter(lambda chunk: offsets.append(chunk.chunk_offset) if chunk.size * _DENSEST > most else None)
    for offset in offsets:
        mask, content = dataset.id.read_direct_chunk(offset)
        if not mask and len(zlib.decompressobj().decompress(content, most + 1)) > most:
            raise source.error(f"a chunk of dataset {dataset.name!r} unpacks to more than the {most:,} bytes it states")


register(Format("hdf5", "HDF5 under BOSARIS names", 0, None, read, magic=(MAGIC,)))
