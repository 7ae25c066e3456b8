"""The formats by name, of scores and of templates: how each is recognised, read and written.

Conventions: a format is recognised by content. `fits` looks at the head of a file; among the formats that fit, the
lowest `rank` wins, and two formats of scores that fit at the same rank are an ambiguity for the user to settle. Some
are recognised in order to say why they are not read. Ranks:

    0  magic bytes                      3  named columns, or a label and a score without names
    1  a header line of its own         4  columns known by position
    2  a shape of its own               5  nothing known but the score in the last column; templates: any text
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bertillon.core import ComparisonTable, InputError, Message, ScoreMatrix, say
from bertillon.core.plugins import Registry
from bertillon.core.spelling import unknown
from bertillon.io.head import Head
from bertillon.io.source import Source

if TYPE_CHECKING:
    from bertillon.io.templates.assemble import Parts
    from bertillon.io.templates.owners import Labels

Table = ComparisonTable | ScoreMatrix
KNOWN_BY = ("bytes", "header", "shape", "columns_or_label", "order", "numbers")  # a format of each rank


@dataclass(frozen=True, slots=True)
class Request:
    """How a file of scores is to be read: what the caller said beside the path."""

    format: str = ""  # empty: known by its content
    columns: Mapping[str, str] = field(default_factory=dict)
    mask: Path | None = None
    ids: bool = True
    values: Mapping[str, str] = field(default_factory=dict)  # what values of the label column mean; see `labels`
    failed: tuple[float, ...] = ()  # scores that mark a failed comparison
    written: bool = False  # keep labels as they are written too, in a column `written`

    @classmethod
    def of(
        cls,
        format: str | None,
        columns: Mapping[str, str] | None,
        values: Mapping[str, str] | None,
        failed: Sequence[float],
        *,
        mask: str | os.PathLike[str] | None = None,
        ids: bool = True,
    ) -> Request:
        """The same from what functions for the user take."""
        stated_mask = None if mask is None else Path(mask)
        return cls(format or "", dict(columns or {}), stated_mask, ids, dict(values or {}), tuple(failed))


@dataclass(frozen=True, slots=True)
class TemplateRequest:
    """How a file of templates is to be read."""

    labels: Labels | None  # whose each template is, from another file
    columns: Mapping[str, str]  # which array or column plays which part
    kind: str | None
    subject: re.Pattern[str] | None = None  # finds the subject in names, where the format goes by names
    angle: str | None = None  # the unit of minutiae in text
    card: str | None = None  # files are minutiae cards of this size
    time: str | None = None  # the column of times of a series: its name or number, or none


Reader = Callable[[Source, Head, Request], Table]
Writer = Callable[[Table, BinaryIO], None]


@dataclass(frozen=True, slots=True)
class _Recognised:
    """What formats of scores and of templates have in common."""

    name: str
    summary: str
    rank: int
    fits: Callable[[Head], bool]


@dataclass(frozen=True, slots=True)
class Format(_Recognised):
    """A file format of scores."""

    reader: Reader | None = None
    writer: Writer | None = None
    suffixes: tuple[str, ...] = ()  # for writing only; reading goes by content
    takes_columns: bool = False
    near: Callable[[Head], str] | None = None  # what speaks against a file that is almost of this format
    refusal: str = ""  # what to say of a file that is recognised but not read

    @property
    def reads(self) -> bool:
        return self.reader is not None

    @property
    def writes(self) -> bool:
        return self.writer is not None

    @property
    def known_by(self) -> Message:
        """What a file of this format is recognised by."""
        return say(f"inspection.by_{KNOWN_BY[self.rank]}")


@dataclass(frozen=True, slots=True)
class TemplateFormat(_Recognised):
    """A file format of templates."""

    reader: Callable[[Source, TemplateRequest], Parts] | None = None
    by_name: bool = False  # templates may stand under names that say whose they are
    refusal: str = ""  # what to say of a file that is recognised but not read


FORMATS: Registry[Format] = Registry("format", "bertillon.formats")
TEMPLATE_FORMATS: Registry[TemplateFormat] = Registry("template format", "bertillon.formats")


def register(*formats: Format | TemplateFormat) -> None:
    """Make formats known under their names."""
    for format in formats:
        home = (format.reader or format.fits).__module__
        if isinstance(format, Format):
            FORMATS.add(format.name, format, home)
        else:
            TEMPLATE_FORMATS.add(format.name, format, home)


def begins(*magic: bytes) -> Callable[[Head], bool]:
    """The test of a format whose files begin with one of these bytes."""
    return lambda head: head.raw.startswith(magic)


def not_read(source: Source, format: Format | TemplateFormat) -> InputError:
    """The error for a file of a format that is recognised but not read."""
    return source.error(format.refusal or f"{format.name} ({format.summary}) is not read")


def find(name: str) -> Format:
    """The format of scores of that name, or an error with the nearest spelling."""
    if name in FORMATS:
        return FORMATS[name]
    raise InputError(unknown("format", name, sorted(FORMATS)))
