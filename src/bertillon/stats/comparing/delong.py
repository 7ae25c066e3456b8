"""DeLong's variance of the AUC, and his test of two areas.

Conventions: with placements V of m mated and n non-mated scores, AUC = mean V and its variance is S10/m + S01/n, where
S10 and S01 are the sample variances (divisor m - 1, n - 1) of the placements of the two classes; for systems over the
same comparisons the covariances stand in the same way between them. Ties count half. O(n log n): DeLong, DeLong and
Clarke-Pearson (1988) by midranks, as Sun and Xu (2014) showed.

The formula takes all comparisons as independent. Comparisons that share subjects are not, and its intervals and p
values are then too small: everything here is marked naive, and a bootstrap by subject is to be preferred.

Holds `area_covariance` with its `Areas`, and `delong_test` with its `AreaTest`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.counting.slices import on_threads
from bertillon.stats.comparing.placements import moments_of, placements_of
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.proportion import normal_quantile, tail_of
from bertillon.trials.score_set import ScoreSet

METHOD = say("method.delong")
TOO_FEW = say("reason.delong_too_few")


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
    if math.isnan(variance):
        return AreaTest(
            first, second, difference, Interval.undefined(TOO_FEW, level), math.nan, math.nan, paired, TOO_FEW
        )
    error = math.sqrt(variance) if variance > 1e-15 else 0.0  # what rounding leaves of a difference without any spread
    if error == 0.0 and abs(difference) > 1e-12:
        reason = say("reason.no_variance_of_difference")
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
