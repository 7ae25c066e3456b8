"""A folder with one file a template.

Conventions: the subject is the sub-folder a file stands in, or what comes before the last underscore of its name
(`anna_2.csv` is anna's sample 2), unless labels say it. Labels name files by their path in the folder, by their name,
or by either without the suffix. The sample id is the path in the folder without the suffix. Hidden files are passed
over. All files must hold templates of one kind.

Holds `read_folder`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.errors import InputError
from bertillon.formats import npy
from bertillon.formats.head import Head, look
from bertillon.formats.source import Source, check_text, open_source
from bertillon.formats.templates import fmr, points
from bertillon.formats.templates.assemble import Parts
from bertillon.formats.templates.labels import Labels

_RECORD_SUFFIXES = (".fmr", ".fmd", ".ist", ".iso-fmr", ".isofmr")


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the caller says the files are to be read."""

    kind: str | None = None
    angle: str = "degrees"
    card: str | None = None


@dataclass(slots=True)
class _Found:
    """The template or templates of one file."""

    templates: list[NDArray[Any]]
    kind: str
    finger: list[int] = field(default_factory=list)
    quality: list[int] = field(default_factory=list)


def read_folder(folder: Path, labels: Labels | None, wanted: Wanted) -> tuple[Parts, str]:
    """The templates of all files, and their kind."""
    files = _files(folder, labels)
    owners, extra = _owners(folder, files, labels)
    found = [_read(path, wanted) for path in files]
    kind = _one_kind(folder, files, found)
    parts = Parts([one for each in found for one in each.templates], np.array(_spread(owners, found), dtype=np.str_))
    parts.sample = np.array(_samples(folder, files, found), dtype=np.str_)
    parts.metadata = {name: _spread(values, found) for name, values in extra.items()}
    if any(each.quality for each in found):
        parts.metadata.setdefault("finger", [number for each in found for number in each.finger])
        parts.metadata.setdefault("quality", [number for each in found for number in each.quality])
    parts.notes = [f"read {len(files):,} files", _told_owners(folder, files, labels)]
    return parts, kind


def _files(folder: Path, labels: Labels | None) -> list[Path]:
    """The files of the folder, or of its sub-folders; a file of labels among them is none."""
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        inside = [path for path in entries if os.path.isdir(path)]
        files = [path for path in entries if path not in inside and not _is_labels(path, labels)]
        deeper = [path for sub in inside for path in sorted(sub.iterdir()) if not path.name.startswith(".")]
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from error
    if files and deeper:
        raise InputError(
            f"{folder}: holds files ({files[0].name}, ...) and sub-folders ({inside[0].name}, ...); "
            "put all files into the folder, or all into one sub-folder a subject"
        )
    if not files and not deeper:
        raise InputError(f"{folder}: is an empty folder; one file a template is expected")
    return files or deeper


def _is_labels(path: Path, labels: Labels | None) -> bool:
    return labels is not None and Path(labels.source).is_file() and path.samefile(labels.source)


def _stem(path: Path) -> Path:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.with_suffix("")


def _suffix(path: Path) -> str:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.suffix.lower()


def _read(path: Path, wanted: Wanted) -> _Found:
    if os.path.isdir(path):
        raise InputError(f"{path}: is a folder within a sub-folder; one file a template is expected there")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: is a pipe, a socket or a device, not a file; remove it from the folder")
    if os.path.isfile(path) and path.stat().st_size == 0:
        return _empty(path, wanted)
    source = open_source(path)
    if wanted.card:
        return _Found([fmr.read_card(source, wanted.card)], "minutiae")
    head = look(source)
    if head.raw.startswith(fmr.MAGIC) or _suffix(path) in _RECORD_SUFFIXES:
        views = fmr.read_record(source)
        return _Found([v.minutiae for v in views], "minutiae", [v.finger for v in views], [v.quality for v in views])
    if npy.fits(head):
        return _from_array(source, wanted)
    check_text(source)
    return _from_text(source, head, _suffix(path), wanted)


def _empty(path: Path, wanted: Wanted) -> _Found:
    """A file of 0 bytes may be a finger without minutiae, and nothing else."""
    if wanted.kind == "minutiae" or wanted.card or _suffix(path) in points.SUFFIXES:
        return _Found([np.empty((0, 3))], "minutiae")
    raise InputError(
        f"{path}: is empty (0 bytes), a series of length 0; state kind='minutiae' if it is one without any"
    )


def _from_array(source: Source, wanted: Wanted) -> _Found:
    array = npy.load_array(source, source.content)
    kind = wanted.kind or ("vector" if array.ndim == 1 else "series")
    return _Found([array], kind)


def _from_text(source: Source, head: Head, suffix: str, wanted: Wanted) -> _Found:
    kind = wanted.kind or ("minutiae" if points.looks_like_minutiae(suffix, head) else "series")
    if kind == "minutiae":
        return _Found([points.read_minutiae(source, head, degrees=wanted.angle == "degrees")], kind)
    series = points.read_series(source, head)
    return _Found([series if kind == "series" else series.reshape(-1)], kind)


def _one_kind(folder: Path, files: Sequence[Path], found: Sequence[_Found]) -> str:
    for path, each in zip(files, found, strict=True):
        if each.kind != found[0].kind:
            raise InputError(
                f"{folder}: {files[0].name} was understood as {found[0].kind} and {path.name} as {each.kind}; "
                "a folder holds templates of one kind: state it with kind, or remove what is no template"
            )
    return found[0].kind


def _owners(folder: Path, files: Sequence[Path], labels: Labels | None) -> tuple[list[str], dict[str, list[Any]]]:
    """The subject of each file, and metadata where labels have some."""
    if labels is None:
        return [_owner(folder, path) for path in files], {}
    if labels.sample is None:
        raise InputError(f"{labels.source}: has no column that names the files of {folder}; add one called file")
    place = {name: row for row, name in enumerate(labels.sample.tolist())}
    if len(place) < len(labels):
        raise InputError(f"{labels.source}: names a file twice; each file has one line")
    rows = [_row(folder, path, place, labels) for path in files]
    return labels.subject[rows].tolist(), {
        name: [values[row] for row in rows] for name, values in labels.metadata.items()
    }


def _row(folder: Path, path: Path, place: dict[str, int], labels: Labels) -> int:
    inside = path.relative_to(folder)
    for name in (inside.as_posix(), path.name, _stem(inside).as_posix(), _stem(path).name):
        if name in place:
            return place[name]
    raise InputError(f"{labels.source}: has no line for {inside}; there must be one for each file")


def _owner(folder: Path, path: Path) -> str:
    if path.parent != folder:
        return path.parent.name
    subject = _stem(path).name.rpartition("_")[0]
    if not subject:
        raise InputError(
            f"{path}: its name does not say whose it is; call files subject_sample.ext, put them into one sub-folder a "
            "subject, or give labels: a CSV file with the columns file and subject"
        )
    return subject


def _told_owners(folder: Path, files: Sequence[Path], labels: Labels | None) -> str:
    if labels is not None:
        return "subjects from the labels"
    return "subjects from the " + ("names of the files" if files[0].parent == folder else "sub-folders")


def _samples(folder: Path, files: Sequence[Path], found: Sequence[_Found]) -> list[str]:
    names: list[str] = []
    for path, each in zip(files, found, strict=True):
        stem = _stem(path.relative_to(folder)).as_posix()
        several = len(each.templates) > 1
        names += [f"{stem}#{view + 1}" if several else stem for view in range(len(each.templates))]
    return names


def _spread(values: Sequence[Any], found: Sequence[_Found]) -> list[Any]:
    """One value a file made one value a template."""
    return [value for value, each in zip(values, found, strict=True) for _ in each.templates]
