"""HDF5 files opened for reading: nothing outside of the file is read, and no more than there is memory for.

HDF5 lets a file keep values in other files: by external links, by external storage of a dataset and by virtual
datasets. Whoever wrote the file would choose which local files are read, so every link and dataset is looked at before
any value is, and such files are refused.

Conventions: soft links stay within the file and are followed where a name is looked up; in a listing of all datasets
each stands once, under its hard link.

A dataset states its shape, and values that were never written take no room in the file: what a shape promises is
compared with the memory that `limits` allows before any of it is taken. The library unpacks a chunk whole, however
large it becomes, so large gzipped chunks are unpacked here first, no further than their stated size.

Holds `opened`, `find`, `datasets`, `dangling`, `address`, `require_own_values`, `require_room_for`,
`values_of` and `all_values`.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.io.limits import max_memory, require_memory, too_large_error
from bertillon.io.source import Source

INSTEAD = "which is not followed, since it could be any file; write the values into one file (h5repack, or h5py's copy)"
_OBJECT = 64  # bytes that a text or list takes beside its content
_DENSEST = 1032  # bytes that one byte of gzip can hold
_ROWS = 4096  # of texts, read at a time
_FLETCHER = 3  # the filter that adds a checksum


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """The file of the library; whatever it makes of a damaged one is told as an input error."""
    import h5py

    try:
        with h5py.File(source.stream() if source.in_memory else source.path, "r") as file:
            _require_inside(source, file)
            yield file
    except InputError:
        raise
    except Exception as error:
        raise source.error(f"the HDF5 file is damaged ({str(error)[:200]}); copy or write it again") from error


def find(source: Source, file: Any, names: Sequence[str]) -> Any:
    """The first dataset there is under one of these names, or None; a soft link that leads nowhere is an error."""
    import h5py

    for name in names:
        if isinstance(item := _reached(file, name), h5py.Dataset):
            return item
        if name in list(file) and isinstance(link := _item(file, name), h5py.SoftLink):
            raise source.error(f"{name!r} is a link to {link.path!r}, which is not a dataset of the file")
    return None


def datasets(file: Any) -> list[str]:
    """The paths of all datasets."""
    import h5py

    return [name for name, item in _items(file) if isinstance(item, h5py.Dataset)]


def dangling(file: Any) -> list[str]:
    """The soft links that lead nowhere, each with where it leads."""
    import h5py

    links = [(name, item) for name, item in _items(file) if isinstance(item, h5py.SoftLink)]
    return [f"{name} -> {link.path}" for name, link in links if _reached(file, name) is None]


def _reached(file: Any, name: str) -> Any:
    """What stands at a path, through soft links; None where they lead nowhere or to each other."""
    try:
        return file[name]
    except Exception:
        return None


def _require_inside(source: Source, file: Any) -> None:
    """Refuse everything that leads out of the file."""
    import h5py

    for name, item in _items(file):
        if isinstance(item, h5py.ExternalLink):
            raise source.error(f"{name!r} is a link to {item.path!r} in the file {item.filename!r}, {INSTEAD}")
        if not isinstance(item, h5py.Dataset | h5py.Group | h5py.SoftLink | h5py.Datatype):
            raise source.error(f"{name!r} is a link of an unknown kind, {INSTEAD}")
        if isinstance(item, h5py.Dataset):
            require_own_values(source, item, name)


def require_own_values(source: Source, dataset: Any, name: str) -> None:
    """Refuse a dataset whose values stand elsewhere; one that a reference leads to may be in no listing."""
    if others := _others(dataset):
        raise source.error(f"dataset {name!r} keeps its values in {others}, {INSTEAD}")


def _others(dataset: Any) -> str:
    """Where a dataset keeps its values, if not in its own place in the file."""
    if dataset.external:
        return f"the file {dataset.external[0][0]!r} (external storage)"
    if dataset.is_virtual:
        sources = [
            f"{virtual.dset_name!r} of the file {virtual.file_name!r}" for virtual in dataset.virtual_sources()[:1]
        ]
        return f"other datasets (virtual dataset: {sources[0] if sources else 'of none'})"
    return ""


def _items(file: Any) -> Iterator[tuple[str, Any]]:
    """Every path with its group or dataset, each once; with the link itself where that is not a hard one."""
    import h5py

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
    import h5py

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
    import h5py

    about = h5py.h5o.get_info(item.id)
    return about.fileno, about.addr


def require_room_for(source: Source, wanted: Sequence[Any], beside: int = 0) -> None:
    """Refuse datasets that together, or in one of their chunks, need more memory than is allowed."""
    sizes = [_size(dataset) for dataset in wanted]
    names = ", ".join(
        f"{(dataset.name or 'dataset').lstrip('/')} {list(dataset.shape or ())}" for dataset in wanted[:3]
    )
    what = f"{len(wanted)} datasets ({names}{', ...' if len(wanted) > 3 else ''})" if len(wanted) > 1 else names
    require_memory(source.name, sum(sizes) + beside, what)
    for dataset in wanted:
        if dataset.chunks:
            require_memory(
                source.name, math.prod(dataset.chunks) * dataset.dtype.itemsize, f"a chunk of {dataset.name}"
            )
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
            raise too_large_error(
                source.name, f"the texts of {dataset.name.lstrip('/')!r} take more than {most:,} bytes"
            )
    return np.concatenate(blocks) if blocks else np.asarray(dataset[()])


def _length(value: Any) -> int:
    """The bytes of a text or a list; a reference has none of its own."""
    return int(getattr(value, "nbytes", 0) or (len(value) if isinstance(value, bytes | str) else 0))


def all_values(source: Source, file: Any) -> dict[str, NDArray[Any]]:
    """Every dataset under its path; records that hold texts of any length are no arrays and are left out."""
    wanted = [file[name] for name in datasets(file)]
    wanted = [
        dataset
        for dataset in wanted
        if not (dataset.dtype.kind == "V" and dataset.dtype.hasobject) and dataset.shape is not None
    ]
    require_room_for(source, wanted)
    return {dataset.name.lstrip("/"): values_of(source, dataset) for dataset in wanted}


def _size(dataset: Any) -> int:
    width = _OBJECT if dataset.dtype.kind == "O" else dataset.dtype.itemsize
    return int(math.prod(dataset.shape) * width) if dataset.shape is not None else 0


def _require_true_chunks(source: Source, dataset: Any) -> None:
    """Refuse gzipped chunks that unpack to more than the chunk they are said to be."""
    import h5py

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
