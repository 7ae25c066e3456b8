"""Which part each template plays, as a value that others can repeat, in a frame and in a CSV file.

Conventions: every template plays exactly one part: `train`, `test`, `gallery`, `probe` or `unused`. A probe is
*enrolled* (P_G) when the gallery holds a template of its person, otherwise it belongs to P_N. In a frame or a file one
row is one template of one run, with the columns sample, subject, role, enrolled and run; `enrolled` is empty where the
template is no probe, and `run` tells repeated partitions apart. A frame that someone else wrote may leave samples out
(they are unused), but none may be unknown or stand twice. Everything is read as text, so that a sample called 007
stays 007.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, Message, TemplateTable, abridged, say, write_whole
from bertillon.core.lazy import pl
from bertillon.io.source import Source, check_text, open_source, split_line
from bertillon.io.text import Layout, faulty_lines
from bertillon.matching.protocol.checks import check_templates, texts_of

EACH = "one in every row"
PARTS = ("train", "test", "gallery", "probe", "unused")
_TRUTH = {"true": True, "false": False, "1": True, "0": False}
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The part of each template, in the order of the templates."""

    sample: NDArray[np.str_]
    subject: NDArray[np.str_]
    role: NDArray[np.str_]
    how: tuple[Message, ...] = ()  # how the parts were given out, a sentence each
    warnings: tuple[Message, ...] = ()  # what its user should know before trusting the numbers
    run: int = 0
    enrolled: NDArray[np.bool_] = field(init=False)  # probes of people who are in the gallery

    def __post_init__(self) -> None:
        if not len(self.sample) == len(self.subject) == len(self.role):
            raise InputError(
                f"partition: {len(self.role):,} roles for {len(self.sample):,} samples of {len(self.subject):,} "
                "subjects; expected one of each for every template"
            )
        _require_known(self.role, "partition")
        known = np.isin(self.subject, self.subject[self.role == "gallery"])
        object.__setattr__(self, "enrolled", known & (self.role == "probe"))

    def __len__(self) -> int:
        return len(self.role)

    def rows(self, role: str) -> Rows:
        """Where the templates of that role stand in the table."""
        return np.flatnonzero(self.role == role)

    @property
    def words(self) -> tuple[Message, ...]:
        """How the parts were given out and how many templates and people have each."""
        rows = self.rows("unused")
        unused = [say("protocol.unused", extent=_extent(self, rows))] if rows.size else []
        return (*self.how, *_sides(self), *_gallery_and_probes(self), *unused)

    def check_owns(self, templates: TemplateTable) -> None:
        if not np.array_equal(self.sample, templates.sample):
            problem = f"{templates.source}: its {len(templates):,} samples are not the {len(self):,} of the partition"
            raise InputError(f"{problem}, in the same order; give the table that was split")

    def to_frame(self) -> pl.DataFrame:
        """One row a template: sample, subject, role, enrolled, run."""
        is_probe = pl.Series(self.role == "probe")
        return pl.DataFrame(
            {
                "sample": pl.Series(self.sample.tolist(), dtype=pl.String),
                "subject": pl.Series(self.subject.tolist(), dtype=pl.String),
                "role": pl.Series(self.role.tolist(), dtype=pl.String),
                "enrolled": pl.Series(self.enrolled).set(~is_probe, None),
                "run": pl.Series([self.run] * len(self), dtype=pl.Int64),
            }
        )

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, templates: TemplateTable, *, source: str = "partition") -> Partition:
        """The partition of these templates that a frame of one run describes; a template it does not name is unused.

        Needs the columns `sample` and `role`; `subject`, `enrolled` and `run` are checked where they are there.
        """
        check_templates(templates)
        missing = [name for name in ("sample", "role") if name not in frame.columns]
        if missing:
            raise InputError(
                f"{source}: has no column {' and no column '.join(map(repr, missing))} (its columns: "
                f"{', '.join(frame.columns) or 'none'}); expected sample and role, one row per template"
            )
        runs = runs_in(frame, source)
        if len(runs) > 1:
            raise InputError(f"{source}: holds {len(runs):,} runs ({abridged(runs, 5)}); expected one")
        samples, roles = (texts_of(frame, name, source, EACH) for name in ("sample", "role"))
        _check_once(samples, roles, source)
        rows = _rows_of(frame, samples, templates, source)
        role = np.full(len(templates), "unused", dtype="<U32")
        role[rows] = roles
        _require_known(role, source)
        unnamed = len(templates) - len(samples)
        how = [say("protocol.from_frame", source=source, run=runs[0])]
        how += [say("protocol.not_named", n=unnamed)] if unnamed else []
        partition = cls(templates.sample, templates.subject, role, tuple(how), run=runs[0])
        _check_enrolled(partition, frame, source)
        return partition


def _require_known(role: NDArray[np.str_], source: str) -> None:
    strange = np.setdiff1d(role, PARTS)
    if strange.size:
        raise InputError(f"{source}: role {str(strange[0])!r} is not known; expected one of {', '.join(PARTS)}")


def _check_enrolled(partition: Partition, frame: pl.DataFrame, source: str) -> None:
    """What the frame says of being enrolled, where it does, is what the gallery says."""
    if "enrolled" not in frame.columns:
        return
    texts = dict(frame.select(pl.col("sample", "enrolled").cast(pl.String)).drop_nulls().iter_rows())
    strange = [text for text in texts.values() if text.lower() not in _TRUTH]
    if strange:
        raise InputError(f"{source}: enrolled is {min(strange)!r}; expected true, false or nothing")
    for row in partition.rows("probe"):
        name, known = str(partition.sample[row]), bool(partition.enrolled[row])
        if name in texts and _TRUTH[texts[name].lower()] != known:
            raise InputError(
                f"{source}: enrolled of probe {name!r} is {not known}, but the gallery holds {'a' if known else 'no'} "
                "template of its person; leave the column out or correct it"
            )


def _sides(partition: Partition) -> list[Message]:
    train, test = partition.rows("train"), partition.rows("test")
    if not train.size and not test.size:
        return []
    shared = np.intersect1d(partition.subject[train], partition.subject[test]).size
    return [
        say("protocol.train", extent=_extent(partition, train)),
        say("protocol.test", extent=_extent(partition, test)),
        say("protocol.both_sides", people=say("count.person", n=shared)) if shared else say("protocol.disjoint"),
    ]


def _gallery_and_probes(partition: Partition) -> list[Message]:
    gallery, probes = partition.rows("gallery"), partition.rows("probe")
    if not gallery.size and not probes.size:
        return []
    known, unknown = probes[partition.enrolled[probes]], probes[~partition.enrolled[probes]]
    silent = np.setdiff1d(partition.subject[gallery], partition.subject[probes]).size
    sentences = [
        say("protocol.gallery", extent=_extent(partition, gallery)),
        say("protocol.enrolled_probes", extent=_extent(partition, known)),
        say("protocol.other_probes", extent=_extent(partition, unknown)),
    ]
    if silent:
        sentences.append(say("protocol.no_probes_left", people=say("count.person", n=silent)))
    return sentences


def _extent(partition: Partition, rows: Rows) -> Message:
    if not rows.size:
        return say("protocol.none")
    people = say("count.person", n=np.unique(partition.subject[rows]).size)
    return say("protocol.extent", templates=say("count.template", n=rows.size), people=people)


def runs_in(frame: pl.DataFrame, source: str) -> list[int]:
    """The runs a frame holds, in ascending order; a frame without the column is run 0."""
    if "run" not in frame.columns:
        return [0]
    numbers = frame["run"].cast(pl.String).cast(pl.Int64, strict=False)
    if numbers.null_count():
        row = int(numbers.is_null().arg_max() or 0)
        raise InputError(f"{source}: run of row {row + 1:,} is {frame['run'][row]!r}; expected a whole number")
    return [int(number) for number in numbers.unique().sort()]


def _check_once(samples: list[str], roles: list[str], source: str) -> None:
    role_of: dict[str, str] = {}
    for sample, role in zip(samples, roles, strict=True):
        if sample in role_of:
            before = role_of[sample]
            problem = f"is in two roles, {before} and {role}" if before != role else f"is listed twice as {role}"
            found = f"{source}: sample {sample!r} {problem}; expected each sample once, since parts must not share one"
            raise InputError(f"{found}; remove one of the rows")
        role_of[sample] = role


def _rows_of(frame: pl.DataFrame, samples: list[str], templates: TemplateTable, source: str) -> list[int]:
    """The rows of samples in the table of templates; whose they are must be the same where both say so."""
    row_of = {str(name): row for row, name in enumerate(templates.sample)}
    unknown = [name for name in samples if name not in row_of]
    if unknown:
        strangers = say("count.sample", n=len(unknown))
        raise InputError(
            f"{source}: names {strangers} that {templates.source} does not hold, the first "
            f"{unknown[0]!r}; expected samples such as {str(templates.sample[0])!r}; give the templates it was made for"
        )
    rows = [row_of[name] for name in samples]
    subjects = texts_of(frame, "subject", source, EACH) if "subject" in frame.columns else []
    for sample, subject, row in zip(samples, subjects, rows, strict=False):
        if subject != (owner := str(templates.subject[row])):
            problem = f"{source}: sample {sample!r} is of subject {subject!r}, but of {owner!r} in {templates.source}"
            raise InputError(f"{problem}; expected the same; give the templates it was made for")
    return rows


def write_partitions(path: str | os.PathLike[str], partitions: Partition | Sequence[Partition]) -> None:
    parts = [partitions] if isinstance(partitions, Partition) else list(partitions)
    runs = [part.run for part in parts]
    if not parts:
        raise InputError(f"{path}: no partition to write; expected at least one")
    if len(set(runs)) < len(runs):
        raise InputError(f"{path}: runs {runs} are not all different; expected a number of its own for each partition")
    frame = pl.concat([part.to_frame() for part in parts])
    write_whole(path, lambda file: frame.write_csv(file))


def read_partitions(path: str | os.PathLike[str], templates: TemplateTable) -> list[Partition]:
    """The partitions of these templates that a file holds, one a run."""
    source = open_source(path)
    frame = _read_frame(source)
    if frame.height == 0:
        raise source.error("holds a header and no rows; expected CSV with sample and role, one row per template")
    runs = runs_in(frame, source.name)
    parts = [frame.filter(pl.col("run").cast(pl.Int64) == run) for run in runs] if "run" in frame.columns else [frame]
    return [Partition.from_frame(part, templates, source=source.name) for part in parts]


def _read_frame(source: Source) -> pl.DataFrame:
    """The table as text, without blank lines. No line is a comment: a sample may be called #1."""
    check_text(source)
    try:
        frame = pl.read_csv(source.data(), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        names = split_line(source.data().decode("utf-8-sig").partition("\n")[0], ",")
        layout = Layout(tuple(names), ",", header=len(names))
        raise faulty_lines(source, layout, {}, InputError(str(error).partition("\n")[0])) from error
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))
