"""From a path to a table of templates: a file is recognised and read, a folder has one file per template.

Conventions: those of the package. In a folder the subject is the sub-folder a file stands in, or part of its name (see
`owners`), unless labels say it: they name files by their path in the folder, by their name, or by either without the
suffix. The sample id is the path in the folder without the suffix. Hidden files are passed over; links that lead out of
the folder are refused. All files must hold templates of one kind; a text that may be minutiae or a series is what the
others plainly are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, Message, ScoreMatrix, TemplateTable, say
from bertillon.core.arguments import Keywords, as_path
from bertillon.core.errors import unknown
from bertillon.io import npy, registry
from bertillon.io.convert import as_array
from bertillon.io.matrices import SCORES, fits_named, labelled_sides, labelled_square
from bertillon.io.registry import TEMPLATE_FORMATS, TemplateFormat, TemplateRequest
from bertillon.io.source import Source, check_text, is_number, look, open_source
from bertillon.io.templates import owners
from bertillon.io.templates import points as pt
from bertillon.io.templates.assemble import KINDS, Parts, assemble
from bertillon.io.templates.owners import Labels, LabelSource, Owners

ANGLES = ("degrees", "radians")
_RECORD_SUFFIXES = (".fmr", ".fmd", ".ist", ".iso-fmr", ".isofmr")
OF_FILE = {"template", "mask"}  # roles that the file of templates has, even where labels stand beside it


class TemplateFields(TypedDict, total=False):
    """What may be stated of files of templates."""

    labels: LabelSource | None
    kind: str | None
    columns: Mapping[str, str] | None
    angle: str | None
    card: str | None
    subject_pattern: str | None


TEMPLATE_FIELDS = Keywords(
    TemplateFields, labels=None, kind=None, columns=None, angle=None, card=None, subject_pattern=None
)


@TEMPLATE_FIELDS
def read_templates(path: str | os.PathLike[str], **given: Unpack[TemplateFields]) -> TemplateTable:
    """Read templates with their owners from a file or a folder; anything wrong with it raises `InputError`.

    `labels` says whose each template is where the file does not: a CSV or Parquet file with a column subject, or an
    array of subjects. `kind` states what a template is (vector, histogram, bits, series, minutiae) where that is not
    plain. `columns` says which array or column plays which part: template, subject, sample, mask, or any metadata;
    beside `labels` all but template and mask are columns of the labels.
    `angle` is the unit of minutiae in text (degrees, radians); `card` (normal, compact) says that files are minutiae
    cards. `subject_pattern` is a regular expression whose group is the subject in the name of a file. For a folder of
    series `columns` may say which column holds times and is no axis: time, by name or number, or none.

    Parameters
    ----------
    path
        A file or a folder.
    labels, kind, columns, angle, card, subject_pattern
        As said above.

    Returns
    -------
    TemplateTable
        Templates with their owners.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "templates.npy"
    >>> np.save(file, np.ones((2, 8)))
    >>> len(read_templates(file, labels=["anna", "bob"]))
    2
    """
    return require_templates(read_labelled(path, **given))


def require_templates(table: TemplateTable | ScoreMatrix) -> TemplateTable:
    if isinstance(table, ScoreMatrix):
        expected = "templates are expected: if it holds vectors, say --kind vector"
        raise InputError(f"{table.source}: {table.notes[0]}; {expected}")
    return table


@TEMPLATE_FIELDS
def read_labelled(path: str | os.PathLike[str], **given: Unpack[TemplateFields]) -> TemplateTable | ScoreMatrix:
    """The same, or a square array of scores with labels (see `io.matrices`), for which `kind` may be scores."""
    labels, kind, angle, card = given["labels"], given["kind"], given["angle"], given["card"]
    for what, value, known in (("kind", kind, (*KINDS, SCORES)), ("angle", angle, ANGLES), ("card", card, pt.CARDS)):
        if value is not None and value not in known:
            raise InputError(unknown(what, value, known))
    asked, pattern = dict(given["columns"] or {}), owners.compiled(given["subject_pattern"])
    file = as_path(path)
    time = asked.pop("time", None) if os.path.isdir(file) else None
    beside = None
    if labels is not None:
        of_labels = asked if os.path.isdir(file) else {role: asked.pop(role) for role in asked.keys() - OF_FILE}
        beside = owners.read_labels(labels, of_labels)
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
    if bare or not fits_named(head) or registry.is_counted_table(source, head):
        return None
    matrix = registry.read_as(source.path, registry.Request("matrix"))
    assert isinstance(matrix, ScoreMatrix)
    sides = [owners.in_order(labels, names, source.name) for names in (matrix.probe_subject, matrix.reference_subject)]
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
    return next(format for format in ranked if TEMPLATE_FORMATS.passes(format.name, partial(format.suits, head)))


def _read(source: Source, request: TemplateRequest) -> tuple[Parts, str]:
    format = _recognised(source)
    if format.reader is None:
        raise registry.not_read(source, format)
    if request.subject is not None and not format.by_name:
        raise source.error("--subject-pattern is for templates under names, such as a folder of files: leave it out")
    return format.reader(source, request), format.name


@dataclass(slots=True)
class _FileContent:
    """The template or templates of one file: finished, or the points of a text. No kind: minutiae or a series."""

    kind: str | None
    templates: list[NDArray[Any]] = field(default_factory=list)
    finger: list[int] = field(default_factory=list)
    quality: list[int] = field(default_factory=list)
    points: pt.Points | None = None

    def __len__(self) -> int:
        return len(self.templates) if self.points is None else 1


def read_folder(folder: Path, wanted: TemplateRequest) -> tuple[Parts, str]:
    files = folder_files(folder, wanted.labels)
    people, extra = file_owners(folder, files, wanted)
    found = [_read_one(path, wanted) for path in files]
    kind = _one_kind(folder, files, found)
    notes = _finish(files, found, kind, wanted)
    subjects = as_array(_spread(people.subject, found), str(folder))
    parts = Parts([one for each in found for one in each.templates], subjects)
    parts.sample = as_array(_samples(folder, files, found), str(folder))
    parts.metadata = {name: _spread(values, found) for name, values in extra.items()}
    if any(each.quality for each in found):
        parts.metadata.setdefault("finger", [number for each in found for number in each.finger])
        parts.metadata.setdefault("quality", [number for each in found for number in each.quality])
    parts.notes = [say("reading.files", n=len(files)), people.note, *notes]
    return parts, kind


def folder_files(folder: Path, labels: Labels | None) -> list[Path]:
    """The files of the folder, or of its sub-folders; a file of labels among them is none."""
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        inside = [path for path in entries if os.path.isdir(path)]
        beside = labels.source if labels is not None and Path(labels.source).is_file() else None
        files = [path for path in entries if path not in inside and not (beside and path.samefile(beside))]
        _require_inside(folder, [*inside, *files])
        deeper = [path for sub in inside for path in sorted(sub.iterdir()) if not path.name.startswith(".")]
        _require_inside(folder, deeper)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from error
    if files and deeper:
        problem = f"{folder}: holds files ({files[0].name}, ...) and sub-folders ({inside[0].name}, ...)"
        raise InputError(f"{problem}; put all files into the folder, or all into one sub-folder per subject")
    if not files and not deeper:
        raise InputError(f"{folder}: is an empty folder; one file per template is expected")
    return files or deeper


def _require_inside(folder: Path, paths: Sequence[Path]) -> None:
    """Refuse links out of the folder: whoever made it would choose which files of the reader's are read."""
    real = os.path.realpath(folder)
    for path in paths:
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(real):
            problem = f"{path}: is a link to {os.path.realpath(path)}, out of the folder {folder}, and is not followed"
            raise InputError(f"{problem}; put the file itself there")


def _stem(path: Path) -> Path:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).with_suffix("")


def _suffix(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _read_one(path: Path, wanted: TemplateRequest) -> _FileContent:
    if os.path.isdir(path):
        raise InputError(f"{path}: is a folder within a sub-folder; one file per template is expected there")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: is a pipe, a socket or a device, not a file; remove it from the folder")
    if os.path.isfile(path) and path.stat().st_size == 0:  # perhaps a finger without minutiae, and nothing else
        if wanted.kind == "minutiae" or wanted.card or _suffix(path) in pt.SUFFIXES:
            return _FileContent("minutiae", [np.empty((0, 3))])
        problem = f"{path}: is empty (0 bytes), a series of length 0"
        raise InputError(f"{problem}; say --kind minutiae if it is one without any")
    source = open_source(path)
    if wanted.card:
        return _FileContent("minutiae", [pt.read_card(source, wanted.card)])
    head = look(source)
    if head.raw.startswith(pt.RECORD_MAGIC) or _suffix(path) in _RECORD_SUFFIXES:
        points_of, fingers, qualities = zip(*pt.read_record(source), strict=True)
        return _FileContent("minutiae", list(points_of), list(fingers), list(qualities))
    if head.raw.startswith(npy.MAGIC):
        array = npy.load_array(source, source.content)
        return _FileContent(wanted.kind or ("vector" if array.ndim == 1 else "series"), [array])
    check_text(source)
    points = pt.read_points(source, head)
    return _FileContent(wanted.kind or pt.plain_kind(_suffix(path), points), points=points)


def _one_kind(folder: Path, files: Sequence[Path], contents: Sequence[_FileContent]) -> str:
    """The kind that the files which say it have."""
    plain = [(path, content.kind) for path, content in zip(files, contents, strict=True) if content.kind]
    if not plain:
        line, width = next((p.line, p.table.shape[1]) for content in contents if (p := content.points))
        raise InputError(
            f"{folder}: {width} numbers per line, such as {line.strip()!r} in {files[0].name}, may be minutiae (x, y, "
            f"angle{', quality' if width == 4 else ''}) or a series of {width} axes; say which with --kind minutiae or "
            "--kind series"
        )
    path, kind = plain[0]
    for other, its in plain:
        if its != kind:
            raise InputError(
                f"{folder}: {path.name} was understood as {kind} and {other.name} as {its}; a folder holds templates "
                "of one kind: state it with --kind, or remove what is not a template"
            )
    assert kind is not None
    return kind


def _finish(files: Sequence[Path], found: Sequence[_FileContent], kind: str, wanted: TemplateRequest) -> list[Message]:
    """Make templates of the kind from the points of texts, and say how."""
    texts = [(path, content, content.points) for path, content in zip(files, found, strict=True) if content.points]
    if kind == "minutiae":
        for path, content, points in texts:
            content.templates = [pt.minutiae_of(str(path), points)]
        return _turned([content for _, content, _ in texts], files[0].parent, wanted.angle)
    notes: list[Message] = []
    if kind == "series" and wanted.time is None:
        _require_axes(texts)
    for path, content, points in texts:
        time = pt.time_column(str(path), points, wanted.time) if kind == "series" else None
        series = pt.series_of(str(path), points, time)
        content.templates = [series if kind == "series" else series.reshape(-1)]
        if time is not None and not notes:
            name = repr(points.names[time]) if points.names else str(time + 1)
            notes = [say("reading.time_column", name=name)]
    return notes


def _turned(contents: Sequence[_FileContent], folder: Path, angle: str | None) -> list[Message]:
    point_sets = [minutiae for content in contents for minutiae in content.templates]
    if angle is None and pt.like_radians(point_sets):
        raise InputError(
            f"{folder}: the angles have fractions and none is above 6.3; they may be radians, or degrees of which all "
            "are small: say which with --angle radians or --angle degrees"
        )
    if angle == "radians" or not point_sets:
        return [say("reading.radians")] if point_sets else []
    for content in contents:
        content.templates = [np.column_stack([one[:, :2], np.deg2rad(one[:, 2])]) for one in content.templates]
    return [say("reading.degrees")]


def _require_axes(texts: Sequence[tuple[Path, _FileContent, pt.Points]]) -> None:
    """A column without a name that grows in every file is hardly an axis."""
    marks = [pt.may_be_time(points) for _, _, points in texts]
    if True in marks and False not in marks:
        path, _, points = texts[marks.index(True)]
        raise InputError(
            f"{path}: the first of {points.table.shape[1]} columns without names only ever grows, here and in every "
            f"other file ({points.line.strip()!r}): times and line numbers are not an axis. Leave it out with --column "
            "time=1, or keep it with --column time=none"
        )


def file_owners(folder: Path, files: Sequence[Path], wanted: TemplateRequest) -> tuple[Owners, dict[str, list[Any]]]:
    """The subject of each file, and metadata where labels have some."""
    labels = wanted.labels
    names = [path.relative_to(folder).as_posix() for path in files]
    if labels is None:
        if wanted.subject is not None or files[0].parent == folder:
            return owners.owners_by_name(names, [_stem(path).name for path in files], str(folder), wanted.subject), {}
        subject, sample = repr(files[0].parent.name), repr(_stem(files[0]).name)
        note = say("reading.subjects_by_folder", subject=subject, sample=sample, name=names[0])
        return Owners([path.parent.name for path in files], note), {}
    if wanted.subject is not None:
        raise InputError(f"{folder}: --labels and --subject-pattern both state the subject of each file; give one")
    if labels.sample is None:
        raise InputError(f"{labels.source}: has no column that names the files of {folder}; add one called file")
    row_of = {name: row for row, name in enumerate(labels.sample.tolist())}
    if len(row_of) < len(labels):
        raise InputError(f"{labels.source}: names a file twice; each file has one line")
    rows = [_row(folder, path, row_of, labels) for path in files]
    note = say("reading.subject_by_label", subject=repr(str(labels.subject[rows[0]])), name=names[0])
    extra = {name: [values[row] for row in rows] for name, values in labels.metadata.items()}
    return Owners(labels.subject[rows].tolist(), note), extra


def _row(folder: Path, path: Path, row_of: dict[str, int], labels: Labels) -> int:
    inside = path.relative_to(folder)
    for name in (inside.as_posix(), path.name, _stem(inside).as_posix(), _stem(path).name):
        if name in row_of:
            return row_of[name]
    raise InputError(f"{labels.source}: has no line for {inside}; there must be one for each file")


def _samples(folder: Path, files: Sequence[Path], contents: Sequence[_FileContent]) -> list[str]:
    names: list[str] = []
    for path, content in zip(files, contents, strict=True):
        stem = _stem(path.relative_to(folder)).as_posix()
        several = len(content.templates) > 1
        names += [f"{stem}#{view + 1}" if several else stem for view in range(len(content.templates))]
    return names


def _spread(values: Sequence[Any], contents: Sequence[_FileContent]) -> list[Any]:
    """One value a file made one value a template."""
    return [value for value, content in zip(values, contents, strict=True) for _ in range(len(content))]
