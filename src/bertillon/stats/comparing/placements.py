"""Placement values: for each score, the share of the other class that it beats, ties counting half.

Their mean is the AUC and their spread its variance. Both classes are sorted once, on a thread each. For one system the
two are then merged in one walk that keeps sums only. Of two systems over the same comparisons placements must stand
side by side: each score finds its place in the other class through a table of equal steps, and the order is kept.
Either way O(n log n), whatever the ties.

Holds `placements_of` with its `Placements`, and `moments_of` with its `AreaMoments`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.limits import LIMITS
from bertillon.counting.ranking import steps_over
from bertillon.counting.slices import on_threads
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


@dataclass(frozen=True, slots=True)
class AreaMoments:
    """What an area and its variance need: mean placement, and the sample variance of the placements of each class."""

    area: float
    mated: float
    nonmated: float


def placements_of(scores: ScoreSet, *, compiled: bool | None = None) -> Placements:
    """The placements of both classes, in the order of the scores.

    Many scores are counted by compiled loops, few by numpy; `compiled` chooses.

    >>> found = placements_of(ScoreSet([2, 3], [1, 2]))
    >>> found.mated.tolist(), found.nonmated.tolist(), found.area
    ([0.75, 1.0], [1.0, 0.75], 0.875)
    """
    mated, nonmated, sign = scores.mated, scores.nonmated, scores.rule.factor
    if not mated.size or not nonmated.size:
        return Placements(np.full(mated.size, np.nan), np.full(nonmated.size, np.nan))
    if not (scores.size > LIMITS.sort_up_to if compiled is None else compiled):
        beaten = _below(mated, nonmated, sign) / nonmated.size, _below(nonmated, mated, sign) / -mated.size + 1.0
    else:
        beaten = _through_tables(mated, nonmated, sign)
    return Placements(*beaten)


def moments_of(scores: ScoreSet, *, compiled: bool | None = None) -> AreaMoments:
    """The same summed up, without keeping them; NaN where a class has fewer than two scores.

    >>> moments_of(ScoreSet([2, 3], [1, 2])).area
    0.875
    """
    if min(scores.mated.size, scores.nonmated.size) < 2:
        return AreaMoments(placements_of(scores, compiled=False).area, math.nan, math.nan)
    turn = scores.rule is AcceptRule.DISTANCE
    own, others = on_threads(lambda kind: np.sort(-kind if turn else kind), [scores.mated, scores.nonmated])
    if not (scores.size > LIMITS.sort_up_to if compiled is None else compiled):
        placements = placements_of(ScoreSet(own, others), compiled=False)  # sorted scores find their places much faster
        return AreaMoments(placements.area, float(placements.mated.var(ddof=1)), float(placements.nonmated.var(ddof=1)))
    from bertillon.stats.comparing.placement_kernels import sum_losses

    first, first_squares, second, second_squares = sum_losses(own, others)
    spread = _sample_variance(first, first_squares, own.size), _sample_variance(second, second_squares, others.size)
    return AreaMoments(1.0 - first / own.size, *spread)


def _sample_variance(total: float, squares: float, n: int) -> float:
    return max(0.0, squares - total * total / n) / (n - 1)


def _below(scores: Array, rivals: Array, sign: int) -> FloatArray:
    """How many rivals each score beats, equal ones counting half."""
    ordered, own = np.sort(sign * rivals), sign * scores
    return (np.searchsorted(ordered, own, side="left") + np.searchsorted(ordered, own, side="right")) / 2


def _through_tables(mated: Array, nonmated: Array, sign: int) -> tuple[FloatArray, FloatArray]:
    tables = on_threads(lambda rivals: _Table.of(rivals, sign), [mated, nonmated])
    shares = np.empty(mated.size), np.empty(nonmated.size)
    rivals = (float(nonmated.size), 0.0), (-float(mated.size), 1.0)
    work: list[tuple[_Table, Array, FloatArray, float, float]] = []
    for scores, table, out, (divisor, added) in zip((mated, nonmated), tables[::-1], shares, rivals, strict=True):
        pieces = max(1, min(available_cores(), scores.size // LIMITS.smallest_slice))
        parts = zip(np.array_split(scores, pieces), np.array_split(out, pieces), strict=True)
        work += [(table, part, to, divisor, added) for part, to in parts]
    on_threads(lambda piece: piece[0].share_below(piece[1], sign, *piece[2:]), work)
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """A sorted class, and where each of many equal steps begins in it."""

    ordered: FloatArray
    low: float
    scale: float
    start: Array

    @classmethod
    def of(cls, rivals: Array, sign: int) -> _Table:
        from bertillon.stats.comparing.placement_kernels import AHEAD, find_starts

        ordered = np.empty(rivals.size + AHEAD)
        np.multiply(rivals, sign, out=ordered[: rivals.size])
        ordered[: rivals.size].sort()
        ordered[rivals.size :] = np.nan  # neither below nor equal to anything
        low, scale = steps_over(ordered[: rivals.size], LIMITS.rank_steps)
        start = np.empty(LIMITS.rank_steps, dtype=np.int32 if rivals.size < 1 << 31 else np.int64)
        find_starts(ordered, rivals.size, low, scale, start)
        return cls(ordered, low, scale, start)

    def share_below(self, scores: Array, sign: int, out: FloatArray, divisor: float, added: float) -> None:
        from bertillon.stats.comparing.placement_kernels import share_below

        share_below(scores, float(sign), self.ordered, (self.low, self.scale), self.start, out, (divisor, added))
