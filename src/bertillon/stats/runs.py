"""What several runs say together: the mean of a number, a mean curve, and two systems over the same folds.

Conventions: runs are folds or random partitions. An interval is that of Student's t over runs, so it speaks of other
runs on the same data. Runs that share training data or people go together more than their spread shows, and the
interval is too narrow for new data; where each run trains on what it does not test, `test_to_train` (the size of a test
set over that of its training set, 1 / 9 for ten folds) widens it: the variance of the mean is
(1 / runs + test_to_train) sd^2 (Nadeau and Bengio 2003). Thresholds of a fold are chosen on the others, which folds
share, so that the p of two systems over folds is a little too small.

Curves are averaged vertically: the true match rate of every run at the same false match rates. Between two points of a
run's ROC its straight line is taken, where several points have one FMR the largest TMR, and nothing below one non-mated
comparison of the run with the fewest: there TMR is NaN.

Holds `mean_of_runs` with its `RunsMean`, `vertical_average` with its `VerticalAverage`, and `fold_difference` with its
`FoldDifference`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.error_counts import FloatArray
from bertillon.matching.protocol.runs import ONE_RUN, FoldAccuracy, Repeated, summarise
from bertillon.stats.ends import student_quantile
from bertillon.stats.interval import LEVEL, Interval, tail_of

POINTS = 101  # of the default grid


@dataclass(frozen=True, slots=True)
class RunsMean:
    """A number over runs: its summary, the standard error of its mean, and the interval of the mean."""

    runs: Repeated
    standard_error: float
    interval: Interval


def mean_of_runs(values: Iterable[float], *, level: float = LEVEL, test_to_train: float = 0.0) -> RunsMean:
    """The mean over runs and how sure it is.

    >>> found = mean_of_runs([0.02, 0.03, 0.04])
    >>> round(found.standard_error, 6), round(found.interval.low, 4), round(found.interval.high, 4)
    (0.005774, 0.0052, 0.0548)
    """
    runs, tail = summarise(values), tail_of(level)
    error = runs.sd * math.sqrt(1.0 / len(runs.values) + _checked_ratio(test_to_train))
    if math.isnan(error):
        return RunsMean(runs, math.nan, Interval.undefined(runs.reason or ONE_RUN, level))
    half = student_quantile(tail, len(runs.values) - 1) * error
    method = say("method.runs_widened" if test_to_train else "method.runs")
    return RunsMean(runs, error, Interval(runs.mean - half, runs.mean + half, level, method))


@dataclass(frozen=True, slots=True, eq=False)
class VerticalAverage:
    """The mean true match rate of several runs at each false match rate, with its pointwise interval."""

    fmr: FloatArray
    tmr: FloatArray
    sd: FloatArray
    low: FloatArray
    high: FloatArray
    each: FloatArray  # one row a run
    level: float
    reason: Text = ""  # why some of it is NaN

    @property
    def fnmr(self) -> FloatArray:
        """The same as a DET."""
        return 1.0 - self.tmr


def vertical_average(
    curves: Sequence[ErrorCurve], grid: ArrayLike | None = None, *, level: float = LEVEL, test_to_train: float = 0.0
) -> VerticalAverage:
    """Average the ROCs of runs on a grid of false match rates; equal steps of its logarithm unless given.

    >>> from bertillon.counting.tally import count_errors
    >>> from bertillon.trials.score_set import ScoreSet
    >>> runs = [ScoreSet([2, 3], [1, 2]), ScoreSet([0, 4], [1, 3])]
    >>> vertical_average([ErrorCurve(count_errors(run), run.rule) for run in runs], [0.5, 1.0]).tmr.tolist()
    [0.75, 1.0]
    """
    tail, least = tail_of(level), _finest(curves)
    rates = np.geomspace(least, 1.0, POINTS) if grid is None else _checked_grid(grid)
    each = np.array([_tmr_at(curve, rates) for curve in curves])
    each[:, rates < least * (1.0 - 1e-12)] = math.nan
    reason = say("reason.below_finest", fmr=least) if np.isnan(each).any() else ""
    if len(curves) == 1:
        nothing = np.full(rates.size, math.nan)
        return VerticalAverage(rates, each[0], nothing, nothing, nothing, each, level, reason or ONE_RUN)
    mean, sd = each.mean(axis=0), each.std(axis=0, ddof=1)
    half = student_quantile(tail, len(curves) - 1) * sd * math.sqrt(1.0 / len(curves) + _checked_ratio(test_to_train))
    low, high = np.clip(mean - half, 0.0, 1.0), np.clip(mean + half, 0.0, 1.0)
    return VerticalAverage(rates, mean, sd, low, high, each, level, reason)


def _tmr_at(curve: ErrorCurve, rates: FloatArray) -> FloatArray:
    """On straight lines between the points of the ROC; of points with one FMR the first is the most permissive."""
    fmr, first = np.unique(curve.fmr, return_index=True)
    return np.interp(rates, fmr, curve.tmr[first])


def _finest(curves: Sequence[ErrorCurve]) -> float:
    """The least false match rate that every run can show."""
    if not curves:
        raise InputError("no curves to average; expected that of at least one run")
    for run, curve in enumerate(curves):
        if not curve.counts.n_mated or not curve.counts.n_nonmated:
            kind = "mated" if curve.counts.n_nonmated else "non-mated"
            raise InputError(f"run {run} has no {kind} scores, so no ROC; leave the run out")
    return 1.0 / min(curve.counts.n_nonmated for curve in curves)


def _checked_grid(grid: ArrayLike) -> FloatArray:
    rates = np.asarray(grid, dtype=np.float64)
    if rates.ndim != 1 or not ((rates >= 0.0) & (rates <= 1.0)).all():
        raise InputError("the grid of false match rates holds what is not a rate; expected a list of numbers, 0 to 1")
    return rates


def _checked_ratio(ratio: float) -> float:
    if not 0.0 <= ratio < math.inf:
        raise InputError(f"test_to_train is {ratio!r}; expected the size of a test set over that of its training set")
    return ratio


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
        why = say("reason.same_in_folds")
        same = Interval.undefined(why, level) if abs(mean) > 1e-15 else Interval(0.0, 0.0, level, method, reason=why)
        p = math.nan if abs(mean) > 1e-15 else 1.0
        return FoldDifference(n, first.mean, second.mean, mean, same, p)
    reach = student_quantile(tail_of(level), n - 1) * error
    p = 2.0 * float(stdtr(n - 1, -abs(mean) / error))
    return FoldDifference(n, first.mean, second.mean, mean, Interval(mean - reach, mean + reach, level, method), p)
