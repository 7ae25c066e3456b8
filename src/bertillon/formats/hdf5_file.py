"""HDF5 files opened for reading: nothing outside of the file is read.

HDF5 lets a file keep values in other files: by external links, by external storage of a dataset and by virtual
datasets. Whoever wrote the file would choose which local files are read, so every link and dataset is looked at before
any value is, and such files are refused.

Conventions: soft links stay within the file and are followed where a name is looked up; in a listing of all datasets
each stands once, under its hard link.

Holds `opened`, `find`, `datasets` and `dangling`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bertillon.errors import InputError
from bertillon.formats.source import Source

INSTEAD = "which is not followed, since it could be any file; write the values into one file (h5repack, or h5py's copy)"


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
        if isinstance(found := _reached(file, name), h5py.Dataset):
            return found
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
        if isinstance(item, h5py.Dataset) and (others := _others(item)):
            raise source.error(f"dataset {name!r} keeps its values in {others}, {INSTEAD}")


def _others(dataset: Any) -> str:
    """Where a dataset keeps its values, if not in its own place in the file."""
    if dataset.external:
        return f"the file {dataset.external[0][0]!r} (external storage)"
    if dataset.is_virtual:
        sources = [f"{one.dset_name!r} of the file {one.file_name!r}" for one in dataset.virtual_sources()[:1]]
        return f"other datasets (virtual dataset: {sources[0] if sources else 'of none'})"
    return ""


def _items(file: Any) -> Iterator[tuple[str, Any]]:
    """Every path with its group or dataset, each once; with the link itself where that is not a hard one."""
    import h5py

    waiting, seen = [("", file)], {_address(file)}
    while waiting:
        prefix, group = waiting.pop(0)
        for name in group:
            path = prefix + name
            item = _item(group, name)
            if isinstance(item, h5py.Dataset | h5py.Group):
                if _address(item) in seen:
                    continue
                seen.add(_address(item))
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


def _address(item: Any) -> tuple[int, int]:
    import h5py

    about = h5py.h5o.get_info(item.id)
    return about.fileno, about.addr
