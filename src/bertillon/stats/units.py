"""Whom a resample takes or leaves: the units behind the comparisons of a score set.

Conventions: a mated comparison belongs to one subject, a non-mated one to two, and counts as often as both were taken,
the product of their weights; nobody is compared with a copy of himself. Subjects are numbered in ascending order of
their ids. What is not known is said in `name`: comparisons without ids are taken one by one, as if independent.

    both kinds of comparisons name their subjects     subjects
    one side of the non-mated ones does               subjects, of non-mated comparisons the one that is known
    the mated ones do                                 subjects for mated, rows for non-mated comparisons
    only samples are named                            samples, as if each were of another person
    nothing is named                                  rows

Holds `Units`, `units_of` and `people_in`, how many people are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.keys import codes_of
from bertillon.counting.tally import CountedScores
from bertillon.stats.resampling import Draw, Purpose, Weights, weights_of
from bertillon.trials.score_set import ScoreSet, TrialIds

IntArray = NDArray[Any]
_Sides = tuple[IntArray | None, IntArray | None]  # a column of probes and one of references, where they are known

SUBJECTS = say("unit.subjects")
ROWS = say("unit.comparisons")
COUNTED = say("unit.comparisons_counted")
GAPS = say("unit.comparisons_gaps")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The two units of each comparison."""

    first: IntArray
    second: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The subject of every sample, for resamples of subjects and then of their samples."""

    subject: IntArray  # ascending

    def weights(self, of_subjects: Weights, draw: Draw) -> Weights:
        """Of samples with their subject counted in, then of samples alone: one row a resample."""
        n = np.bincount(self.subject, minlength=of_subjects.shape[1])
        begin = np.cumsum(n) - n
        alone = np.zeros((len(draw.resamples), self.subject.size), dtype=np.int16)
        for row, rng in zip(alone, draw.streams(Purpose.SAMPLES), strict=True):
            drawn = (rng.random(self.subject.size) * n[self.subject]).astype(np.int64)
            row[:] = np.bincount(begin[self.subject] + drawn, minlength=self.subject.size)
        return np.concatenate([alone * of_subjects[:, self.subject], alone], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units by number, and the comparisons of each kind that belong to them; None where those are taken one by one."""

    n: int
    mated: Pairs | None
    nonmated: Pairs | None
    name: Message
    naive: bool = False
    samples: Samples | None = None

    @property
    def are_samples(self) -> bool:
        """Are they samples, taken as people because nobody knows whose they are?"""
        return self.naive and self.mated is not None and self.nonmated is not None

    @property
    def two_way(self) -> bool:
        """Are comparisons shared by two units?"""
        return any(
            pairs is not None and bool((pairs.second != self._always).any()) for pairs in (self.mated, self.nonmated)
        )

    @property
    def _always(self) -> int:
        """The number of the unit that is in every resample once."""
        return self.n if self.samples is None else 2 * self.samples.subject.size

    def table(self, draw: Draw) -> Weights:
        """Weights by unit (rows) and resample (columns), the unit that is always there at the end."""
        if self.samples is None:
            drawn = weights_of(self.n, draw)
        else:
            drawn = self.samples.weights(weights_of(self.n, replace(draw, scheme="multinomial")), draw)
        always = np.ones((drawn.shape[0], 1), dtype=np.int16)
        return np.ascontiguousarray(np.concatenate([drawn, always], axis=1).T)


def units_of(scores: ScoreSet | CountedScores, scheme: str = "multinomial") -> Units:
    """The units that are known of a score set, or of comparisons that were counted.

    >>> own, others = TrialIds(["a", "b"]), TrialIds(["a"], ["b"])
    >>> units_of(ScoreSet([0.9, 0.8], [0.1], mated_ids=own, nonmated_ids=others)).name.key
    'unit.subjects'
    """
    if scores.form != "whole":
        return _of_counted(scores, scheme)
    mated, nonmated = _columns(scores, "probe_subject", "reference_subject")
    own = mated[0] if mated[0] is not None else mated[1]
    if scheme == "two-stage":
        return _two_stage(scores)
    if own is None and all(column is None for column in nonmated):
        return _of_samples(scores)
    numbered = _numbered([(own, None), nonmated])
    if numbered is None:
        return Units(max(scores.mated.size, scores.nonmated.size), None, None, GAPS, naive=True)
    n, ((subject, _), sides) = numbered
    pairs = None if subject is None else Pairs(subject, np.full(subject.size, n, dtype=np.int32))
    return Units(n, pairs, _pairs(sides, n), *_named(own is not None, [side is not None for side in sides]))


def people_in(scores: ScoreSet | CountedScores) -> int | None:
    """How many people the comparisons are of; None where not all are known.

    >>> people_in(ScoreSet([0.9, 0.8], [0.1])) is None
    True
    """
    units = units_of(scores)
    return units.n if units.name == SUBJECTS else None


def _of_counted(counted: CountedScores, scheme: str) -> Units:
    errors, people = counted.tally.errors, counted.people
    if scheme == "two-stage" and people is not None:
        raise InputError(
            "two-stage resampling needs to know the sample of every comparison, and these were counted and not kept; "
            "choose another method"
        )
    if people is None:
        return Units(max(errors.n_mated, errors.n_nonmated), None, None, COUNTED, naive=True)
    n = people.planned.people
    own = Pairs(people.mated, np.full(people.mated.size, n, dtype=np.int32))
    return Units(n, own, Pairs(people.kept.first, people.kept.second), SUBJECTS)


def _numbered(columns: Sequence[_Sides]) -> tuple[int, list[_Sides]] | None:
    """How many units columns of ids name, and the columns as numbers; None where an id is missing."""
    numbered = codes_of([column for pair in columns for column in pair if column is not None])
    if numbered is None:
        return None
    codes = iter(numbered.codes)
    first, second = (
        (None if one is None else next(codes), None if two is None else next(codes)) for one, two in columns
    )
    return numbered.n, [first, second]


def _pairs(sides: _Sides, always: int) -> Pairs | None:
    """Pairs of different units; where one side is not known, or both are the same, that unit alone."""
    known = [side for side in sides if side is not None]
    if not known:
        return None
    first = known[0]
    second = known[1] if len(known) > 1 else first
    return Pairs(first, np.where(first == second, np.int32(always), second).astype(np.int32, copy=False))


def _named(mated: bool, sides: list[bool]) -> tuple[Message, bool]:
    """The units, and whether some comparisons are taken as independent without anybody knowing."""
    if not mated:
        return say("unit.subjects_of_nonmated"), True
    if all(sides):
        return SUBJECTS, False
    if any(sides):
        return say("unit.subjects_probe" if sides[0] else "unit.subjects_reference"), False
    return say("unit.subjects_of_mated"), True


def _of_samples(scores: ScoreSet) -> Units:
    """Nobody knows whose samples were compared: perhaps which samples."""
    columns = _columns(scores, "probe", "reference")
    numbered = _numbered(columns) if all(any(c is not None for c in pair) for pair in columns) else None
    if numbered is None:
        return Units(max(scores.mated.size, scores.nonmated.size), None, None, ROWS, naive=True)
    n, sides = numbered
    return Units(n, _pairs(sides[0], n), _pairs(sides[1], n), say("unit.samples_unknown"), naive=True)


def _two_stage(scores: ScoreSet) -> Units:
    units = units_of(scores)
    samples = _columns(scores, "probe", "reference")
    if units.mated is None or units.nonmated is None or units.naive or samples[0][0] is None or samples[1][0] is None:
        raise InputError(
            "two-stage resampling needs to know the subject and the sample of every comparison (columns probe and "
            "reference); choose another method"
        )
    numbered = _numbered(samples)
    if numbered is None:
        raise InputError("two-stage resampling needs the sample of every comparison, and some are missing")
    return _staged(units, numbered[1])


def _staged(units: Units, sides: Sequence[_Sides]) -> Units:
    """Samples numbered by subject, so that those of one subject stand together."""
    assert units.mated is not None
    assert units.nonmated is not None
    first, second = units.nonmated.first, units.nonmated.second
    owned = (units.mated.first, units.mated.first), (first, np.where(second == units.n, first, second))
    parts = [
        (owner, sample)
        for pair, owners in zip(sides, owned, strict=True)
        for sample, owner in zip(pair, owners, strict=True)
        if sample is not None
    ]
    wide = 1 + max(int(sample.max(initial=0)) for _, sample in parts)
    keys, codes = np.unique(np.concatenate([own.astype(np.int64) * wide + s for own, s in parts]), return_inverse=True)
    split = iter(np.split(codes.astype(np.int32), np.cumsum([sample.size for _, sample in parts])[:-1]))
    (own, mate), (probe, other) = ([None if s is None else next(split) for s in pair] for pair in sides)
    assert own is not None
    assert probe is not None
    n, always = keys.size, np.int32(2 * keys.size)
    alone = np.full(own.size, always) if mate is None else mate + np.int32(n)  # the subject counts once
    both = np.full(probe.size, always) if other is None else other
    return replace(
        units,
        mated=Pairs(own, alone),
        nonmated=Pairs(probe, both),
        name=say("unit.subjects_then_samples"),
        samples=Samples(keys // wide),
    )


def _columns(scores: ScoreSet, *names: str) -> list[_Sides]:
    """Columns of ids on both sides, of mated and of non-mated comparisons."""
    found: list[_Sides] = []
    for ids in (scores.mated_ids or TrialIds(), scores.nonmated_ids or TrialIds()):
        first, second = (None if (column := getattr(ids, name)) is None else np.asarray(column) for name in names)
        found.append((first, second))
    return found
