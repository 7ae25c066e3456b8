"""Which part each template plays, as a value that others can repeat.

Conventions: every template plays exactly one part: `train`, `test`, `gallery`, `probe` or `unused`. A probe is
*enrolled* (P_G) when the gallery holds a template of its person, otherwise it belongs to P_N. In a frame one row is
one template; `enrolled` is empty where the template is no probe, and `run` tells repeated partitions apart.

Holds `Partition` and `subset`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.tables import TemplateTable
from bertillon.matching.protocol.checks import check_templates
from bertillon.matching.protocol.partition_frame import roles_from, stated_enrolled

PARTS = ("train", "test", "gallery", "probe", "unused")

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
    def train_rows(self) -> Rows:
        return self.rows("train")

    @property
    def test_rows(self) -> Rows:
        return self.rows("test")

    @property
    def gallery_rows(self) -> Rows:
        return self.rows("gallery")

    @property
    def probe_rows(self) -> Rows:
        return self.rows("probe")

    @property
    def words(self) -> tuple[Message, ...]:
        """How the parts were given out and how many templates and people have each."""
        return (*self.how, *_sides(self), *_gallery_and_probes(self), *_unused(self))

    def check_owns(self, templates: TemplateTable) -> None:
        """The partition is one of these templates."""
        if not np.array_equal(self.sample, templates.sample):
            raise InputError(
                f"{templates.source}: its {len(templates):,} samples are not the {len(self):,} of the partition, in "
                "the same order; give the table that was split"
            )

    def subset(self, templates: TemplateTable, rows: ArrayLike) -> TemplateTable:
        """Those rows of the table that was split, as a table."""
        self.check_owns(templates)
        return subset(templates, rows)

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
    def from_frame(
        cls, frame: pl.DataFrame, templates: TemplateTable, *, run: int | None = None, source: str = "partition"
    ) -> Partition:
        """The partition of these templates that a frame describes; a template it does not name is unused.

        Needs the columns `sample` and `role`; `subject`, `enrolled` and `run` are checked where they are there.
        """
        check_templates(templates)
        role, number, how = roles_from(frame, templates, run, source)
        _require_known(role, source)
        partition = cls(templates.sample, templates.subject, role, how, run=number)
        _check_enrolled(partition, frame, source)
        return partition


def subset(templates: TemplateTable, rows: ArrayLike) -> TemplateTable:
    """Those rows of a table of templates, in that order, as a table."""
    chosen = np.asarray(rows, dtype=np.intp)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= len(templates)):
        raise InputError(
            f"{templates.source}: rows {chosen.min():,} to {chosen.max():,} are asked for; "
            f"expected rows from 0 to {len(templates) - 1:,}"
        )
    return templates.take(chosen)


def _require_known(role: NDArray[np.str_], source: str) -> None:
    strange = np.setdiff1d(role, PARTS)
    if strange.size:
        raise InputError(f"{source}: role {str(strange[0])!r} is not known; expected one of {', '.join(PARTS)}")


def _check_enrolled(partition: Partition, frame: pl.DataFrame, source: str) -> None:
    """What the frame says of being enrolled is what the gallery says."""
    stated = stated_enrolled(frame, partition.run, source)
    for row in partition.probe_rows:
        name = str(partition.sample[row])
        if name in stated and stated[name] != bool(partition.enrolled[row]):
            raise InputError(
                f"{source}: enrolled of probe {name!r} is {stated[name]}, but the gallery holds "
                f"{'a' if partition.enrolled[row] else 'no'} template of its person; leave the column out or correct it"
            )


def _sides(partition: Partition) -> list[Message]:
    train, test = partition.train_rows, partition.test_rows
    if not train.size and not test.size:
        return []
    shared = np.intersect1d(partition.subject[train], partition.subject[test]).size
    return [
        say("protocol.train", extent=_extent(partition, train)),
        say("protocol.test", extent=_extent(partition, test)),
        say("protocol.both_sides", people=say("count.person", n=shared)) if shared else say("protocol.disjoint"),
    ]


def _gallery_and_probes(partition: Partition) -> list[Message]:
    gallery, probes = partition.gallery_rows, partition.probe_rows
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


def _unused(partition: Partition) -> list[Message]:
    rows = partition.rows("unused")
    return [say("protocol.unused", extent=_extent(partition, rows))] if rows.size else []


def _extent(partition: Partition, rows: Rows) -> Message:
    if not rows.size:
        return say("protocol.none")
    people = say("count.person", n=np.unique(partition.subject[rows]).size)
    return say("protocol.extent", templates=say("count.template", n=rows.size), people=people)
