"""How files would be read, before anything is computed from them.

Conventions: files are understood as the evaluating commands understand them: scores where they read as scores, then
templates, then predictions; two plain lists, or scores and their trials, together. What the commands would refuse is
not raised but kept as the `problem`, beside everything that was understood until then. The commands an inspection ends
with state what was found, so that a later reading of the same files cannot differ.

Holds `inspect`, `Inspection`, `FileReading` and `LabelCount`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from bertillon.core.arguments import as_path
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, record, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import shown_by
from bertillon.core.tables import ROLES, ComparisonTable, ScoreMatrix, TemplateTable
from bertillon.io.no_scores import Rates, is_curve, rates_in
from bertillon.io.registry import FORMATS, Request, read_as
from bertillon.io.templates import ONLY_TEMPLATES, sniff_templates
from bertillon.io.templates.reading import read_labelled
from bertillon.trials.from_tables import describe_cell, describe_row, systems_from
from bertillon.trials.joining import join, key_and_scores
from bertillon.trials.prediction_reading import read_predictions
from bertillon.trials.predictions import Predictions
from bertillon.trials.reading import READING, Reading
from bertillon.trials.score_set import ScoreSet

AnyPath = str | os.PathLike[str]
STATED = say("inspection.stated")
_PAIRS = 200_000  # scores of each kind that tell which are higher
_Held = ComparisonTable | ScoreMatrix | TemplateTable | Predictions | Rates  # what a file may hold


@dataclass(frozen=True, slots=True)
class LabelCount:
    """A value of a label column.

    Parameters
    ----------
    value
        As it is written.
    meaning
        What it is taken for.
    rows
        How many rows have it.
    """

    value: str
    meaning: str
    rows: int


@dataclass(frozen=True, slots=True)
class FileReading:
    """How one file is read: its format and what it is known by, its columns by role, its labels, some rows in words."""

    path: str
    holds: Message
    format: str
    known_by: Text
    columns: Mapping[str, str] = field(default_factory=dict)  # role -> what the file calls it
    further: tuple[str, ...] = ()  # columns without a role
    labels: tuple[LabelCount, ...] = ()
    rows: int = 0
    people: int | None = None
    examples: tuple[Message, ...] = ()
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspection:
    """What files hold, how sure that is, what is odd, and the commands that use this reading."""

    files: tuple[FileReading, ...]
    direction: str | None = None  # similarity or distance
    direction_why: Text = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    odd: tuple[Text, ...] = ()
    commands: tuple[str, ...] = ()  # the first is the one that is meant most likely
    problem: str | None = None  # what the evaluating commands would stop at

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        plain: dict[str, Any] = record(self)
        return plain

    def __repr__(self) -> str:
        """All of it, as `bertillon inspect` shows it."""
        text: str = shown_by("inspection")(self)
        return text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"

    @property
    def line(self) -> str:
        """What was understood, in one line with an example."""
        first = self.files[0]
        kinds = ", ".join(f"{number:,} {name}" for name, number in self.counts.items())
        examples = [str(example) for example in first.examples[:1]]
        parts = [" + ".join(file.format for file in self.files), kinds, self.direction or "", *examples]
        return "; ".join(part for part in parts if part)


@READING
def inspect(
    *paths: AnyPath,
    labels: AnyPath | None = None,
    kind: str | None = None,
    angle: str | None = None,
    subject_pattern: str | None = None,
    **how: Unpack[Reading],
) -> Inspection:
    """How files would be read; what is said of them is as in `read_scores` and `read_templates`.

    Parameters
    ----------
    *paths
        The files.
    labels, kind, angle, subject_pattern
        As in `read_templates`.
    format, columns, values, failed, rule, trust, mask, ids, all_against_all
        As in `read_scores`.

    Returns
    -------
    Inspection
        What was understood, without anything being evaluated.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("label,distance\\nsame,0.1\\ndifferent,0.9\\n")
    >>> found = inspect(file)
    >>> found.direction, found.counts, str(found.files[0].examples[0])
    ('distance', {'mated': 1, 'non-mated': 1, 'failed': 0}, 'row 1: score 0.1, mated')
    """
    if not paths:
        raise InputError("no file was given; expected files of scores, templates or predictions")
    stated = None if how["rule"] is None else AcceptRule.of(how["rule"])
    request = replace(Request.stated(how, mask=how["mask"], ids=how["ids"]), written=True)
    beside = {"labels": labels, "kind": kind, "angle": angle, "subject_pattern": subject_pattern}
    templates = {name: value for name, value in beside.items() if value is not None}
    asked = _Options(stated, request, how["all_against_all"], how["trust"], templates)
    read = [asked.read(as_path(path)) for path in paths]
    files = tuple(asked.described(str(Path(path)), held) for path, held in zip(paths, read, strict=True))
    kinds = {type(held) for held in read}
    if kinds == {TemplateTable}:
        return _of_templates(files, asked)
    if kinds == {Predictions}:
        options = [part for role, name in asked.how.columns.items() for part in ("--column", f"{role}={name}")]
        counts = {"predictions": sum(file.rows for file in files)}
        return Inspection(files, counts=counts, commands=(_command("classify", files, options),))
    if kinds == {Rates}:
        return Inspection(files, commands=tuple(_command("verify", [file], ["--format", "curve"]) for file in files))
    tables = [held for held in read if isinstance(held, ComparisonTable | ScoreMatrix)]
    if len(tables) < len(read):
        shown = ", ".join(f"{file.path}: {file.holds}" for file in files)
        return Inspection(files, problem=f"the files hold different things ({shown}); evaluate them one by one")
    return _of_scores(files, tables, asked)


@dataclass(frozen=True, slots=True)
class _Options:
    """What the caller said of the files."""

    rule: AcceptRule | None
    how: Request
    all_against_all: bool | None
    trust: str | None
    templates: Mapping[str, Any]  # what only makes sense for templates

    def read(self, path: Path) -> _Held:
        if self.templates or os.path.isdir(path):
            return read_labelled(path, columns=self.how.columns, **self.templates)
        if self.how.format == "curve" or (not self.how.format and is_curve(path)):
            return rates_in(path)
        try:
            table = read_as(path, self.how)
        except InputError as no_scores:
            return self._otherwise(path, no_scores)
        if isinstance(table, ComparisonTable) and table.is_trial_list:
            with suppress(InputError):  # labels without scores are predictions where something was predicted
                return read_predictions(path)
        return table

    def _otherwise(self, path: Path, no_scores: InputError) -> _Held:
        """What is no scores may be templates or predictions; where it is neither, what is wrong with the scores."""
        with suppress(InputError):
            return read_predictions(path, columns=self.how.columns)
        try:
            return read_labelled(path)
        except InputError as no_templates:
            raise no_templates if sniff_templates(path) in ONLY_TEMPLATES else no_scores from None

    def described(self, name: str, held: _Held) -> FileReading:
        """How the file was read that holds this."""
        if isinstance(held, Predictions):
            about = say("inspection.predictions"), "predictions", say("inspection.by_columns")
            return FileReading(name, *about, rows=held.size, notes=held.notes)
        if isinstance(held, Rates):
            return _curve_file(name, held)
        if isinstance(held, TemplateTable):
            return _template_file(name, held)
        known_by = STATED if self.how.format else FORMATS[held.format].known_by
        if isinstance(held, ScoreMatrix):
            return _matrix_file(name, held, known_by)
        return _table_file(name, held, known_by)

    @property
    def options(self) -> list[str]:
        """What was said, as options of a command."""
        options = [
            part for name, value in self.templates.items() for part in (f"--{name.replace('_', '-')}", os.fspath(value))
        ]
        how = self.how
        options += ["--mask", str(how.mask)] if how.mask is not None else []
        if how.values:
            options += ["--values", ",".join(f"{kind}={value}" for value, kind in how.values.items())]
        options += [part for value in how.failed for part in ("--failed", f"{value:g}")]
        options += ["--trust", self.trust] if self.trust else []
        if self.all_against_all is not None:
            options.append("--all-against-all" if self.all_against_all else "--no-all-against-all")
        return options


def _curve_file(name: str, rates: Rates) -> FileReading:
    point = say("inspection.point", fmr=rates.fmr[0], fnmr=rates.fnmr[0])
    if rates.threshold is not None:
        point = say("inspection.point_at", fmr=rates.fmr[0], fnmr=rates.fnmr[0], t=rates.threshold[0])
    about = say("inspection.curve"), "curve", say("inspection.by_header")
    return FileReading(name, *about, rows=rates.fmr.size, examples=(point,), notes=rates.notes)


def _template_file(name: str, table: TemplateTable) -> FileReading:
    people = int(np.unique(table.subject).size)
    examples = (say("inspection.template", sample=str(table.sample[0]), subject=str(table.subject[0])),)
    about = say("inspection.templates", kind=table.kind), table.format, say("inspection.by_content")
    return FileReading(name, *about, rows=len(table), people=people, examples=examples, notes=table.notes)


def _matrix_file(name: str, matrix: ScoreMatrix, known_by: Text) -> FileReading:
    rows, columns = matrix.scores.shape
    cells = dict.fromkeys([(0, 0), (0, min(1, columns - 1)), (rows - 1, columns - 1)])
    people = np.unique(np.concatenate([matrix.probe_subject, matrix.reference_subject])).size
    return FileReading(
        name,
        say("inspection.matrix", rows=rows, columns=columns),
        matrix.format,
        known_by,
        rows=rows,
        people=int(people),
        examples=tuple(describe_cell(matrix, *cell) for cell in cells),
        notes=matrix.notes,
    )


def _table_file(name: str, table: ComparisonTable, known_by: Text) -> FileReading:
    frame = table.frame
    holds = "trials" if table.is_trial_list else "scores" if table.is_plain_list else "comparisons"
    subjects = [frame[role] for role in ("probe_subject", "reference_subject") if role in frame.columns]
    return FileReading(
        name,
        say(f"inspection.{holds}"),
        table.format,
        known_by,
        columns=dict(table.columns),
        further=tuple(column for column in frame.columns if column not in (*ROLES, "written", "failed", "rank")),
        labels=_labels(frame),
        rows=frame.height,
        people=len(set().union(*(set(one.unique().to_list()) for one in subjects))) if subjects else None,
        examples=tuple(describe_row(table, row) for row in _rows(frame)),
        notes=table.notes,
    )


def _labels(frame: pl.DataFrame) -> tuple[LabelCount, ...]:
    """Every value of the label column with its meaning; without the column as written, the kinds of rows."""
    if "mated" not in frame.columns:
        return ()
    names = [name for name in ("written", "mated", "attack") if name in frame.columns]
    counts = frame.select(names).group_by(names, maintain_order=True).len().to_dicts()
    tallied: dict[tuple[str, str], int] = {}
    for row in counts:
        meaning = "attack" if row.get("attack") is not None else "mated" if row["mated"] else "non-mated"
        key = str(row.get("written", row.get("attack") or meaning)), meaning
        tallied[key] = tallied.get(key, 0) + row["len"]
    return tuple(LabelCount(*key, rows) for key, rows in tallied.items())


def _rows(frame: pl.DataFrame) -> list[int]:
    """Three rows that show as much as three can: the first of each kind, then the first, the middle and the last."""
    attacks = frame["attack"].is_not_null() if "attack" in frame.columns else None
    marks = [] if attacks is None else [attacks]
    if "mated" in frame.columns:
        licit = frame["mated"].is_not_null() if attacks is None else ~attacks
        marks = [frame["mated"] & licit, ~frame["mated"] & licit, *marks]
    rows = [int(mark.arg_max() or 0) for mark in marks if mark.any()]
    return sorted(list(dict.fromkeys([*rows, 0, frame.height // 2, frame.height - 1]))[:3])


def _of_templates(files: tuple[FileReading, ...], asked: _Options) -> Inspection:
    counts = {"templates": sum(file.rows for file in files), "people": sum(file.people or 0 for file in files)}
    commands = tuple(_command(name, files, asked.options) for name in ("verify", "identify", "modes"))
    odd = tuple(
        say("inspection.one_template_each", path=file.path, n=file.rows) for file in files if file.people == file.rows
    )
    return Inspection(files, counts=counts, odd=odd, commands=commands)


def _of_scores(
    files: tuple[FileReading, ...], tables: Sequence[ComparisonTable | ScoreMatrix], asked: _Options
) -> Inspection:
    options = [*([] if asked.templates else _stated(files)), *asked.options]
    if all(isinstance(table, ComparisonTable) and table.format == "candidates" for table in tables):
        return Inspection(files, commands=(_command("identify", files, options),))
    attacks = _attacks(files, tables, asked)
    if attacks is not None:
        return attacks
    try:
        systems = systems_from(tables, rule=asked.rule, all_against_all=asked.all_against_all, trust=asked.trust)
    except InputError as problem:
        return Inspection(files, problem=str(problem))
    options.append(f"--{systems[0].rule.value}")
    others = [_command("identify", files, options)] if isinstance(tables[0], ScoreMatrix) else []
    if any(label.meaning == "attack" for file in files for label in file.labels):
        others.append(_command("attacks", files, options))
    agrees, why = _direction(systems[0], tables[0], asked.rule)
    counts = {
        "mated": sum(system.mated.size for system in systems),
        "non-mated": sum(system.nonmated.size for system in systems),
        "failed": sum(system.failures.comparisons for system in systems),
    }
    empty = {"mated": say("inspection.no_mated"), "non-mated": say("inspection.no_nonmated")}
    one_sided = [said for name, said in empty.items() if not counts[name]]
    odd = [*agrees, *(warning for system in systems for warning in system.warnings), *one_sided]
    commands = (_command("verify", files, options), *others)
    return Inspection(files, systems[0].rule.value, why, counts, tuple(odd), commands)


def _attacks(
    files: tuple[FileReading, ...], tables: Sequence[ComparisonTable | ScoreMatrix], asked: _Options
) -> Inspection | None:
    """Files of attacks alone or of an attack detector; None for what has impostors too."""
    table = _one_table(tables)
    if table is None or table.is_trial_list or "attack" not in table.frame.columns:
        return None
    attacks = int(table.frame["attack"].is_not_null().sum())
    others = table.frame.filter(table.frame["attack"].is_null())
    if not attacks or ("mated" in others.columns and not bool(others["mated"].all())):
        return None
    options = [*_stated(files), *asked.options]
    counts = {"bona fide": others.height, "attacks": attacks}
    name = "attacks --pad" if others.height else "attacks SCORES --attacks"
    return Inspection(files, counts=counts, commands=(_command(name, files, options),))


def _one_table(tables: Sequence[ComparisonTable | ScoreMatrix]) -> ComparisonTable | None:
    """The only table, or scores joined with their key; None for anything else."""
    if len(tables) == 1:
        return tables[0] if isinstance(tables[0], ComparisonTable) else None
    both = key_and_scores(tables)
    try:
        return join(*both) if both else None
    except InputError:
        return None  # said where the files are evaluated


def _direction(
    system: ScoreSet, table: ComparisonTable | ScoreMatrix, stated: AcceptRule | None
) -> tuple[list[Message], Message]:
    """What is odd about the direction, and where it comes from."""
    if stated is not None:
        why = STATED
    elif table.rule is not None:
        why = say("inspection.file_says")
    else:
        why = say("inspection.nothing_says")
    share = _share_of_pairs(system)
    if np.isnan(share):
        return [], why
    if share >= 0.5:
        return [], say("inspection.direction_seen", why=why, share=share)
    return [say("inspection.direction_doubtful", share=share)], why


def _share_of_pairs(system: ScoreSet) -> float:
    """How often a mated score is better than a non-mated one; ties count half. Of some scores where there are many."""
    mated, nonmated = (
        system.rule.orient(scores[:: max(1, scores.size // _PAIRS)]) for scores in (system.mated, system.nonmated)
    )
    if not mated.size or not nonmated.size:
        return float("nan")
    others = np.sort(nonmated)
    below = np.searchsorted(others, mated, "left") + np.searchsorted(others, mated, "right")
    return float(below.sum() / (2 * mated.size * others.size))


def _stated(files: Sequence[FileReading]) -> list[str]:
    """The format and the columns that were found, as options; none where the files differ in them."""
    formats = {file.format for file in files}
    if len(formats) > 1:
        return []
    (name,) = formats
    options = ["--format", name]
    columns = {tuple(sorted(file.columns.items())) for file in files}
    if len(columns) > 1 or name not in ("csv", "tsv", "parquet"):
        return options if len(columns) == 1 else []
    names = {"mated": "label"}
    for role, column in files[0].columns.items():
        options += ["--column", f"{names.get(role, role)}={column}"]
    return options


def _command(name: str, files: Sequence[FileReading], options: Sequence[str]) -> str:
    paths = [f"./{file.path}" if file.path.startswith("-") else file.path for file in files]  # a name is no option
    return shlex.join(["bertillon", *name.split(), *paths, *options])
