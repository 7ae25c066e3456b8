"""What a gallery is handed on the command line: templates, or photos that its model makes templates of.

Conventions: photos are recognised by the endings of their names. They are made templates by the model that made the
gallery's, dlib's where nobody is enrolled yet. Whose a photo is matters where people are enrolled
(folders `person/photo`); elsewhere a photo is called as its file. Photos that give no template are named, and the
others go on; photos of several faces are said too.

Holds `Handed` with `handed_by`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertillon.cli import options
from bertillon.cli.outputs import Bar
from bertillon.cli.rooms import extraction
from bertillon.cli.sources import TemplateSource
from bertillon.core import InputError, Message, say
from bertillon.core.messages import Value, chained

PHOTOS = frozenset({".jpg", ".jpeg", ".png", ".ppm", ".pgm", ".pbm", ".bmp", ".gif", ".tif", ".tiff", ".webp"})
SHOWN = 5  # photos without a template
MODEL = "dlib"  # where the gallery has none yet


@dataclass(frozen=True, slots=True)
class Handed:
    """Templates, and what is to be said of the photos they are from."""

    table: Any
    notes: tuple[Message, ...] = ()


def handed_by(
    path: Path, model: str, content: options.TemplateInput, reading: options.ReadingOptions, *, owned: bool
) -> Handed:
    """Templates of a file, or of photos by a model; `owned` where whose they are must be known."""
    files = _photos(path)
    if not files:
        table = TemplateSource(content, reading=reading).read(path)
        if table.kind != "vector":
            raise InputError(f"{path}: holds templates of kind {table.kind}; a gallery holds vectors")
        return Handed(table)
    if owned and path.is_file():
        raise InputError(
            f"{path}: does not say whose photo it is; put it into a folder named after the person, or claim with "
            "--person"
        )
    photos: Any = path
    if not owned:
        photos = _without_owners(path, files)
    how: dict[str, Any] = {"labels": content.labels, "subject_pattern": content.subject_pattern} if owned else {}
    with Bar() as bar:
        found = extraction.extract(photos, model or MODEL, progress=bar, **how)
    several = [say("extraction.several", n=len(found.several), first=found.several[0])] if found.several else []
    return Handed(found.templates, (*_lost(found.failed), *several))


def _photos(path: Path) -> Sequence[Path]:
    """The photos of a folder, or a photo; none where there are templates."""
    if path.is_dir():
        inside = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
        return sorted(file for file in inside if file.suffix.lower() in PHOTOS)
    return [path] if path.suffix.lower() in PHOTOS else []


def _without_owners(path: Path, files: Sequence[Path]) -> Any:
    """Photos that are called as their files."""
    import numpy as np

    names = np.array([file.relative_to(path).as_posix() if path.is_dir() else file.name for file in files])
    return extraction.PhotoList(str(path), tuple(files), names, names)


def _lost(failed: Sequence[Any]) -> list[Message]:
    if not failed:
        return []
    named: list[Value] = [
        say("gallery.photos.one", photo=photo.sample, reason=Message(f"extraction.reason.{photo.reason}"))
        for photo in failed[:SHOWN]
    ]
    return [say("gallery.photos.failed", n=len(failed), photos=chained(named + ["..."] * (len(failed) > SHOWN)))]
