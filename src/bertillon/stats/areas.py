"""The variance of the AUC, and DeLong's test of two areas.

Conventions: the placement of a score is the share of the other class that it beats, ties counting half. With placements
V of m mated and n non-mated scores, AUC = mean V and its variance is S10/m + S01/n, where S10 and S01 are the sample
variances (divisor m - 1, n - 1) of the placements of the two classes; for systems over the same comparisons the
covariances stand in the same way between them (DeLong, DeLong and Clarke-Pearson 1988).

Both classes are sorted once, on a thread each. For one system the two are then merged in one walk that keeps sums only.
Of two systems over the same comparisons placements must stand side by side: each score finds its place in the other
class through a table of equal steps, and the order is kept. Either way O(n log n), whatever the ties, as Sun and Xu
(2014) showed for midranks.

The formula takes all comparisons as independent. Comparisons that share subjects are not, and its intervals and p
values are then too small: everything here is marked naive, and a bootstrap by subject is to be preferred.

Holds `area_covariance` with its `Areas`, and `delong_test` with its `AreaTest`; `placements_of` with its `Placements`,
and `moments_of` with its `AreaMoments`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.tally import steps_over
from bertillon.engine.workers import available_cores, on_threads
from bertillon.stats.interval import LEVEL, Interval, normal_quantile, tail_of
from bertillon.trials.score_set import ScoreSet

METHOD = say("method.delong")
TOO_FEW = say("reason.delong_too_few")
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Areas:
    """Areas under the ROC of systems over the same comparisons, and their covariances."""

    areas: tuple[float, ...]
    covariance: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AreaTest:
    """Is the area of the second system that of the first?"""

    first: float
    second: float
    difference: float  # second - first
    interval: Interval  # of the difference
    z: float
    p: float  # two-sided
    paired: bool
    reason: Text | None = None


def area_covariance(systems: Sequence[ScoreSet]) -> Areas:
    """Areas and covariances of systems whose scores stand in the same order.

    >>> found = area_covariance([ScoreSet([2, 3, 5], [1, 2, 4])])
    >>> round(found.areas[0], 6), found.covariance.round(6).tolist()
    (0.722222, [[0.061728]])
    """
    _require_same_size(systems)
    if len(systems) == 1:
        alone = moments_of(systems[0])
        variance = alone.mated / systems[0].mated.size if systems[0].mated.size else math.nan
        variance += alone.nonmated / systems[0].nonmated.size if systems[0].nonmated.size else math.nan
        return Areas((alone.area,), np.array([[variance]]))
    each = [placements_of(system) for system in systems]
    areas = tuple(placements.area for placements in each)
    if min(systems[0].mated.size, systems[0].nonmated.size) < 2:
        return Areas(areas, np.full((len(each), len(each)), np.nan))
    columns = [placements.mated for placements in each], [placements.nonmated for placements in each]
    mated, nonmated = on_threads(_covariance, columns)
    return Areas(areas, mated + nonmated)


def delong_test(first: ScoreSet, second: ScoreSet, *, paired: bool, level: float = LEVEL) -> AreaTest:
    """DeLong's test of two areas, of systems over the same comparisons (paired, in the same order) or over others.

    >>> a = ScoreSet([0.9, 0.8, 0.7, 0.6, 0.35], [0.5, 0.4, 0.3, 0.2, 0.1])
    >>> b = ScoreSet([0.9, 0.6, 0.45, 0.4, 0.3], [0.7, 0.5, 0.35, 0.2, 0.1])
    >>> found = delong_test(a, b, paired=True)
    >>> round(found.z, 6), round(found.p, 6)
    (-1.732051, 0.083265)
    """
    if paired:
        both = area_covariance([first, second])
        areas, cov = both.areas, both.covariance
        variance = float(cov[0, 0] + cov[1, 1] - 2.0 * cov[0, 1])
    else:
        apart = [area_covariance([scores]) for scores in (first, second)]
        areas = (apart[0].areas[0], apart[1].areas[0])
        variance = float(apart[0].covariance[0, 0] + apart[1].covariance[0, 0])
    return _judge(areas[0], areas[1], variance, paired=paired, level=level)


def _judge(first: float, second: float, variance: float, *, paired: bool, level: float) -> AreaTest:
    difference = second - first
    error = math.sqrt(variance) if variance > 1e-15 else 0.0  # what rounding leaves of a difference without any spread
    reason = TOO_FEW if math.isnan(variance) else None
    if reason is None and error == 0.0 and abs(difference) > 1e-12:
        reason = say("reason.no_variance_of_difference")
    if reason is not None:
        nothing = Interval.undefined(reason, level)
        return AreaTest(first, second, difference, nothing, math.nan, math.nan, paired, reason)
    z = difference / error if error else 0.0
    reach = normal_quantile(tail_of(level)) * error
    interval = Interval(max(-1.0, difference - reach), min(1.0, difference + reach), level, METHOD, naive=True)
    return AreaTest(first, second, difference, interval, z, math.erfc(abs(z) / math.sqrt(2.0)), paired)


def _covariance(columns: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The covariances of means of these columns, which are centred on the way; divisor n - 1 in each covariance."""
    n = columns[0].size
    for column in columns:
        column -= column.mean()
    products = np.empty((len(columns), len(columns)))
    for i, j in combinations_with_replacement(range(len(columns)), 2):
        products[i, j] = products[j, i] = float(np.einsum("i,i->", columns[i], columns[j]))
    return products / (n - 1) / n


def _require_same_size(systems: Sequence[ScoreSet]) -> None:
    sizes = [(system.mated.size, system.nonmated.size) for system in systems]
    if not sizes:
        raise InputError("no system was given; expected one or more")
    for system, size in zip(systems, sizes, strict=True):
        if size != sizes[0]:
            raise InputError(
                f"{system.name or 'a system'} has {size[0]:,} mated and {size[1]:,} non-mated scores, "
                f"{systems[0].name or 'the first'} {sizes[0][0]:,} and {sizes[0][1]:,}; systems can only be paired "
                "over the same comparisons: align them by their ids first, or compare them unpaired"
            )


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
    if not (scores.size > LIMITS.memory.sort_up_to if compiled is None else compiled):
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
    if not (scores.size > LIMITS.memory.sort_up_to if compiled is None else compiled):
        placements = placements_of(ScoreSet(own, others), compiled=False)  # sorted scores find their places much faster
        return AreaMoments(placements.area, float(placements.mated.var(ddof=1)), float(placements.nonmated.var(ddof=1)))
    from bertillon.stats.placement_kernels import sum_losses

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
        pieces = max(1, min(available_cores(), scores.size // LIMITS.memory.smallest_slice))
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
        from bertillon.stats.placement_kernels import AHEAD, find_starts

        ordered = np.empty(rivals.size + AHEAD)
        np.multiply(rivals, sign, out=ordered[: rivals.size])
        ordered[: rivals.size].sort()
        ordered[rivals.size :] = np.nan  # neither below nor equal to anything
        low, scale = steps_over(ordered[: rivals.size], LIMITS.memory.rank_steps)
        start = np.empty(LIMITS.memory.rank_steps, dtype=np.int32 if rivals.size < 1 << 31 else np.int64)
        find_starts(ordered, rivals.size, low, scale, start)
        return cls(ordered, low, scale, start)

    def share_below(self, scores: Array, sign: int, out: FloatArray, divisor: float, added: float) -> None:
        from bertillon.stats.placement_kernels import share_below

        share_below(scores, float(sign), self.ordered, (self.low, self.scale), self.start, out, (divisor, added))
