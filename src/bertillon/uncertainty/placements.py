"""Placement values: for each score, the share of the other class that it beats, ties counting half.

Their mean is the AUC and their spread its variance. Both classes are sorted once, on a thread each. Where the order of
the scores does not matter the two are then merged in one walk; where it does, so that the placements of two systems
over the same comparisons stand side by side, each score finds its place in the other class through a table of equal
steps. Either way O(n log n), whatever the ties.

Holds `Placements` and `placements_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.ranking import STEPS, steps_over
from bertillon.counts.slices import SMALLEST_SLICE, on_threads
from bertillon.counts.tally import SMALL
from bertillon.engine.workers import available_cores
from bertillon.trials.score_set import ScoreSet

Array = NDArray[Any]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Placements:
    """The share of the other class each score beats."""

    mated: FloatArray  # of the non-mated scores, those less alike
    nonmated: FloatArray  # of the mated scores, those more alike

    @property
    def area(self) -> float:
        """The AUC; NaN where a class is missing."""
        return float(self.mated.mean()) if self.mated.size and self.nonmated.size else math.nan


def placements_of(scores: ScoreSet, *, in_order: bool = True, compiled: bool | None = None) -> Placements:
    """The placements of both classes, in the order of the scores unless that is not needed.

    Many scores are counted by compiled loops, few by numpy; `compiled` chooses.

    >>> found = placements_of(ScoreSet([2, 3], [1, 2]))
    >>> found.mated.tolist(), found.nonmated.tolist(), found.area
    ([0.75, 1.0], [1.0, 0.75], 0.875)
    """
    mated, nonmated, sign = scores.mated, scores.nonmated, scores.rule.factor
    if not mated.size or not nonmated.size:
        return Placements(np.full(mated.size, np.nan), np.full(nonmated.size, np.nan))
    if not (scores.size > SMALL if compiled is None else compiled):
        beaten = _below(mated, nonmated, sign), _below(nonmated, mated, sign)
    elif in_order:
        beaten = _through_tables(mated, nonmated, sign)
    else:
        beaten = _merged(mated, nonmated, sign)
    return Placements(_share(beaten[0], nonmated.size), 1.0 - _share(beaten[1], mated.size))


def _share(counted: FloatArray, size: int) -> FloatArray:
    counted /= size  # in place: large arrays are slow to come by
    return counted


def _below(scores: Array, rivals: Array, sign: int) -> FloatArray:
    """How many rivals each score beats, equal ones counting half."""
    ordered, own = np.sort(sign * rivals), sign * scores
    return (np.searchsorted(ordered, own, side="left") + np.searchsorted(ordered, own, side="right")) / 2


def _merged(mated: Array, nonmated: Array, sign: int) -> tuple[FloatArray, FloatArray]:
    from bertillon.uncertainty.placement_kernels import merge_below

    own, others = on_threads(lambda scores: np.sort(scores if sign > 0 else -scores), [mated, nonmated])
    counted = np.empty(mated.size), np.empty(nonmated.size)
    merge_below(own, others, counted[0], counted[1])
    return counted


def _through_tables(mated: Array, nonmated: Array, sign: int) -> tuple[FloatArray, FloatArray]:
    tables = on_threads(lambda rivals: _Table.of(rivals, sign), [mated, nonmated])
    counted = np.empty(mated.size), np.empty(nonmated.size)
    work: list[tuple[_Table, Array, FloatArray]] = []
    for scores, table, out in zip((mated, nonmated), tables[::-1], counted, strict=True):
        pieces = max(1, min(available_cores(), scores.size // SMALLEST_SLICE))
        parts = zip(np.array_split(scores, pieces), np.array_split(out, pieces), strict=True)
        work += [(table, part, to) for part, to in parts]
    on_threads(lambda piece: piece[0].count_below(piece[1], sign, piece[2]), work)
    return counted


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A sorted class, and where each of many equal steps begins in it."""

    ordered: FloatArray
    low: float
    scale: float
    start: Array

    @classmethod
    def of(cls, rivals: Array, sign: int) -> _Table:
        from bertillon.uncertainty.placement_kernels import AHEAD, find_starts

        ordered = np.empty(rivals.size + AHEAD)
        np.multiply(rivals, sign, out=ordered[: rivals.size])
        ordered[: rivals.size].sort()
        ordered[rivals.size :] = np.nan  # neither below nor equal to anything
        low, scale = steps_over(ordered[: rivals.size], STEPS)
        start = np.empty(STEPS, dtype=np.int32 if rivals.size < 1 << 31 else np.int64)
        find_starts(ordered, rivals.size, low, scale, start)
        return cls(ordered, low, scale, start)

    def count_below(self, scores: Array, sign: int, out: FloatArray) -> None:
        from bertillon.uncertainty.placement_kernels import count_below

        count_below(scores, float(sign), self.ordered, self.low, self.scale, self.start, out)
