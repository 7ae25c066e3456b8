"""Two systems over the same folds: Student's t of the differences of their accuracies.

Conventions: each fold's accuracy is one number (see `matching.protocol.folds`), the differences of n folds have a mean
and a standard error sd / sqrt(n), divisor n - 1 in sd, and t has n - 1 degrees of freedom. Thresholds are chosen on the
other folds, which folds share, so that the differences are not quite independent and p is a little too small.

Holds `FoldDifference` and `fold_difference`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.matching.protocol.runs import FoldAccuracy
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.intervals.limits import student_quantile
from bertillon.stats.proportion import tail_of

SAME = say("reason.same_in_folds")


@dataclass(frozen=True, slots=True)
class FoldDifference:
    """The accuracy of two systems over folds."""

    folds: int
    first: float  # mean accuracy
    second: float
    difference: float  # second - first
    interval: Interval
    p: float  # two-sided


def fold_difference(first: FoldAccuracy, second: FoldAccuracy, *, level: float = LEVEL) -> FoldDifference:
    """The test over folds; they must be the same for both.

    >>> one, other = (FoldAccuracy(a, (0.5,) * 3, 0.9, 0.0) for a in ((0.9, 0.8, 0.95), (0.95, 0.9, 0.95)))
    >>> round(fold_difference(one, other).p, 4)
    0.2254
    """
    if len(first.accuracies) != len(second.accuracies):
        raise InputError(
            f"{len(first.accuracies)} folds in one system and {len(second.accuracies)} in the other; expected the same "
            "pairs in the same folds"
        )
    from scipy.special import stdtr

    apart = np.subtract(second.accuracies, first.accuracies)
    n, mean = apart.size, float(apart.mean())
    error = float(apart.std(ddof=1)) / math.sqrt(n)
    method = say("method.folds", n=n)
    if error < 1e-15:
        same = Interval.undefined(SAME, level) if abs(mean) > 1e-15 else Interval(0.0, 0.0, level, method, reason=SAME)
        p = math.nan if abs(mean) > 1e-15 else 1.0
        return FoldDifference(n, first.mean, second.mean, mean, same, p)
    reach = student_quantile(tail_of(level), n - 1) * error
    p = 2.0 * float(stdtr(n - 1, -abs(mean) / error))
    return FoldDifference(n, first.mean, second.mean, mean, Interval(mean - reach, mean + reach, level, method), p)
