"""The formats templates are read from, by name, and those that are recognised in order to say why they are not read.

Conventions: as for scores a format is recognised by content, the lowest `rank` first (see `io.registry` for the
ranks); CSV comes last and takes any text.

Holds `TemplateFormat`, `TemplateRequest`, `TEMPLATE_FORMATS` and `register`; the template formats `pickle` and `fmr`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bertillon.core.plugins import Registry
from bertillon.io.head import Head
from bertillon.io.no_scores import is_pickle
from bertillon.io.source import Source
from bertillon.io.templates.assemble import Parts
from bertillon.io.templates.labels import Labels
from bertillon.io.templates.points import RECORD_MAGIC


@dataclass(frozen=True, slots=True)
class TemplateRequest:
    """What the caller said beside the path."""

    labels: Labels | None  # whose each template is, from another file
    columns: Mapping[str, str]  # which array or column plays which part
    kind: str | None
    subject: re.Pattern[str] | None = None  # finds the subject in names, where the format goes by names
    angle: str | None = None  # the unit of minutiae in text
    card: str | None = None  # files are minutiae cards of this size
    time: str | None = None  # the column of times of a series: its name or number, or none


@dataclass(frozen=True, slots=True)
class TemplateFormat:
    """One file format that templates are read from."""

    name: str
    summary: str
    rank: int
    fits: Callable[[Head], bool]
    reader: Callable[[Source, TemplateRequest], Parts] | None = None
    by_name: bool = False  # templates may stand under names that say whose they are
    refusal: str = ""  # what to say of a file that is recognised but not read


TEMPLATE_FORMATS: Registry[TemplateFormat] = Registry("template format", "bertillon.formats")


def register(*formats: TemplateFormat) -> None:
    """Make formats known under their names."""
    for format in formats:
        TEMPLATE_FORMATS.add(format.name, format, format.fits.__module__)


def is_record(head: Head) -> bool:
    return head.raw.startswith(RECORD_MAGIC)


register(
    TemplateFormat(
        "pickle",
        "pickled objects, refused",
        0,
        is_pickle,
        refusal="is a pickle, which can run code and is refused; save the templates as .npy, .npz or Parquet",
    ),
    TemplateFormat(
        "fmr",
        "one ISO/IEC 19794-2 record, read from a folder of them",
        0,
        is_record,
        refusal="is one minutiae record; give the folder that holds it and the others",
    ),
)
