"""The formats templates are read from, by name.

Conventions: as for scores a format is recognised by content, the lowest `rank` first (see `io.registry` for the
ranks); CSV comes last and takes any text.

Holds `TemplateFormat`, `TemplateRequest`, `TEMPLATE_FORMATS` and `register`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bertillon.core.plugins import Registry
from bertillon.io.head import Head
from bertillon.io.source import Source
from bertillon.io.templates.assemble import Parts
from bertillon.io.templates.labels import Labels


@dataclass(frozen=True, slots=True)
class TemplateRequest:
    """What the caller said beside the path."""

    labels: Labels | None  # whose each template is, from another file
    columns: Mapping[str, str]  # which array or column plays which part
    kind: str | None
    subject: re.Pattern[str] | None = None  # finds the subject in names, where the format goes by names


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
