"""From a path to a table of templates: look, recognise, read.

Conventions: see the package.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bertillon.core import InputError, ScoreMatrix, TemplateTable, say
from bertillon.core.spelling import unknown
from bertillon.io.head import is_number, look
from bertillon.io.matrices import SCORES, fits_named, labelled_sides, labelled_square
from bertillon.io.registry import (
    TEMPLATE_FORMATS,
    Request,
    TemplateFormat,
    TemplateRequest,
    is_counted_table,
    not_read,
    read_as,
)
from bertillon.io.source import Source, open_source
from bertillon.io.templates.assemble import KINDS, Parts, assemble
from bertillon.io.templates.folder import read_folder
from bertillon.io.templates.owners import Labels, LabelSource, compiled, in_order, read_labels
from bertillon.io.templates.points import CARDS

ANGLES = ("degrees", "radians")
OF_FILE = {"template", "mask"}  # roles that the file of templates has, even where labels stand beside it


def read_templates(
    path: str | os.PathLike[str],
    *,
    labels: LabelSource | None = None,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    angle: str | None = None,
    card: str | None = None,
    subject_pattern: str | None = None,
) -> TemplateTable:
    """Read templates with their owners from a file or a folder; anything wrong with it raises `InputError`.

    `labels` says whose each template is where the file does not: a CSV or Parquet file with a column subject, or an
    array of subjects. `kind` states what a template is (vector, histogram, bits, series, minutiae) where that is not
    plain. `columns` says which array or column plays which part: template, subject, sample, mask, or any metadata;
    beside `labels` all but template and mask are columns of the labels.
    `angle` is the unit of minutiae in text (degrees, radians); `card` (normal, compact) says that files are minutiae
    cards. `subject_pattern` is a regular expression whose group is the subject in the name of a file. For a folder of
    series `columns` may say which column holds times and is no axis: time, by name or number, or none.
    """
    how: dict[str, Any] = {"labels": labels, "kind": kind, "columns": columns, "angle": angle, "card": card}
    return require_templates(read_labelled(path, subject_pattern=subject_pattern, **how))


def require_templates(table: TemplateTable | ScoreMatrix) -> TemplateTable:
    if isinstance(table, ScoreMatrix):
        expected = "templates are expected: if it holds vectors, say --kind vector"
        raise InputError(f"{table.source}: {table.notes[0]}; {expected}")
    return table


def read_labelled(
    path: str | os.PathLike[str],
    *,
    labels: LabelSource | None = None,
    kind: str | None = None,
    columns: Mapping[str, str] | None = None,
    angle: str | None = None,
    card: str | None = None,
    subject_pattern: str | None = None,
) -> TemplateTable | ScoreMatrix:
    """The same, or a square array of scores with labels (see `io.matrices`), for which `kind` may be scores."""
    for what, value, known in (("kind", kind, (*KINDS, SCORES)), ("angle", angle, ANGLES), ("card", card, CARDS)):
        if value is not None and value not in known:
            raise InputError(unknown(what, value, known))
    asked, pattern = dict(columns or {}), compiled(subject_pattern)
    file = Path(path)
    time = asked.pop("time", None) if os.path.isdir(file) else None
    beside = None
    if labels is not None:
        of_labels = asked if os.path.isdir(file) else {role: asked.pop(role) for role in asked.keys() - OF_FILE}
        beside = read_labels(labels, of_labels)
    request = TemplateRequest(beside, asked, kind, pattern, angle, card, time)
    if os.path.isdir(file):
        parts, kind_found = read_folder(file, request)
        if kind is None:
            parts.notes.append(say("reading.kind_by_content", kind=kind_found))
        return assemble(parts, str(file), "folder", kind or kind_found)
    source = open_source(file)
    try:
        maybe = kind in (None, SCORES)
        matrix = _text_matrix(source, beside) if beside is not None and maybe else None
        if matrix is not None:
            return matrix
        parts, format = _read(source, request)
        matrix = _matrix(source, parts, format, kind) if maybe else None
        if matrix is None and kind == SCORES:
            raise source.error("--kind scores is for a square array of scores with --labels, one per row; this is none")
        return assemble(parts, source.name, format, kind) if matrix is None else matrix
    except MemoryError as error:
        raise source.error("does not fit into memory; read it in parts") from error


def _text_matrix(source: Source, labels: Labels) -> ScoreMatrix | None:
    """A text matrix with names in its first line and column, its subjects from the labels."""
    head = look(source)
    bare = bool(head.rows) and bool(head.rows[0][0].strip()) and all(map(is_number, head.rows[0]))
    if bare or not fits_named(head) or is_counted_table(source, head):
        return None
    matrix = read_as(source.path, Request("matrix"))
    assert isinstance(matrix, ScoreMatrix)
    sides = [in_order(labels, names, source.name) for names in (matrix.probe_subject, matrix.reference_subject)]
    return labelled_sides(matrix, *(side.subject for side in sides))


def _matrix(source: Source, parts: Parts, format: str, kind: str | None) -> ScoreMatrix | None:
    if isinstance(parts.templates, list) or not parts.square:
        return None
    names = (parts.name, source.path.name.removesuffix(".gz").partition(".")[0])
    stated = kind == SCORES
    return labelled_square(parts.templates, parts.subject, source.name, format, names=names, stated=stated)


def sniff_templates(path: str | os.PathLike[str]) -> str:
    """The name of the format templates would be read in, going by content; any text is csv."""
    return _recognised(open_source(path)).name


def _recognised(source: Source) -> TemplateFormat:
    head = look(source)
    ranked = sorted(TEMPLATE_FORMATS.values(), key=lambda format: format.rank)
    return next(format for format in ranked if TEMPLATE_FORMATS.passes(format.name, partial(format.fits, head)))


def _read(source: Source, request: TemplateRequest) -> tuple[Parts, str]:
    format = _recognised(source)
    if format.reader is None:
        raise not_read(source, format)
    if request.subject is not None and not format.by_name:
        raise source.error("--subject-pattern is for templates under names, such as a folder of files: leave it out")
    return format.reader(source, request), format.name
