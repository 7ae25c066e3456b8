"""From a path to a table of templates: look, recognise, read.

Conventions: see the package.

Holds `read_templates` and `sniff_templates`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bertillon.errors import InputError
from bertillon.formats.head import look
from bertillon.formats.source import Source, open_source
from bertillon.formats.spelling import unknown
from bertillon.formats.templates import fmr
from bertillon.formats.templates.assemble import Parts, assemble
from bertillon.formats.templates.checks import KINDS
from bertillon.formats.templates.folder import Wanted, read_folder
from bertillon.formats.templates.labels import LabelSource, read_labels
from bertillon.formats.templates.registry import TEMPLATE_FORMATS, TemplateFormat, TemplateRequest
from bertillon.tables import TemplateTable

ANGLES = ("degrees", "radians")


def read_templates(
    path: str | os.PathLike[str],
    *,
    labels: LabelSource | None = None,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    angle: str = "degrees",
    card: str | None = None,
) -> TemplateTable:
    """Read templates with their owners from a file or a folder; anything wrong with it raises `InputError`.

    `labels` says whose each template is where the file does not: a CSV or Parquet file with a column subject, or an
    array of subjects. `kind` states what a template is (vector, histogram, bits, series, minutiae) where that is not
    plain. `columns` says which array or column plays which part: template, subject, sample, mask, or any metadata.
    `angle` is the unit of minutiae in text; `card` (normal, compact) says that files are minutiae cards.
    """
    for what, value, known in (("kind", kind, KINDS), ("angle", angle, ANGLES), ("card", card, fmr.CARDS)):
        if value is not None and value not in known:
            raise InputError(unknown(what, value, known))
    asked = dict(columns or {})
    place = Path(path)
    beside = read_labels(labels, asked if _names_labels(place) else {}) if labels is not None else None
    if os.path.isdir(place):
        parts, found = read_folder(place, beside, Wanted(kind, angle, card))
        return assemble(parts, str(place), "folder", kind if kind else _stated(parts, found))
    source = open_source(place)
    try:
        parts, format = _read(source, TemplateRequest(beside, asked, kind))
        return assemble(parts, source.name, format, kind)
    except MemoryError as error:
        raise source.error("does not fit into memory; read it in parts") from error


def _names_labels(place: Path) -> bool:
    """Do `columns` speak of the labels: has the thing itself no columns of its own?"""
    return os.path.isdir(place) or place.name.lower().removesuffix(".gz").endswith(".npy")


def _stated(parts: Parts, kind: str) -> str:
    """The kind found in the files of a folder, said aloud."""
    parts.notes.append(f"understood as {kind} by the content of the files; state kind if not")
    return kind


def sniff_templates(path: str | os.PathLike[str]) -> str:
    """The name of the format templates would be read in, going by content; any text is csv."""
    return _recognised(open_source(path)).name


def _recognised(source: Source) -> TemplateFormat:
    head = look(source)
    ranked = sorted(TEMPLATE_FORMATS.values(), key=lambda one: one.rank)
    return next(one for one in ranked if TEMPLATE_FORMATS.suits(one.name, partial(one.fits, head)))


def _read(source: Source, request: TemplateRequest) -> tuple[Parts, str]:
    format = _recognised(source)
    if format.reader is None:
        raise source.error(format.refusal or f"{format.name} ({format.summary}) is not read")
    return format.reader(source, request), format.name
