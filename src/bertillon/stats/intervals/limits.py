"""From resampled values to the two ends of an interval.

    student      the usual one: value -+ t * standard error. The error is the spread of the resampled values without
                 what weights of pairs add to it; t is Student's with as many degrees of freedom as units carry the
                 spread (Satterthwaite, from leaving them out one at a time). Shares of trials get Wilson's ends with
                 the number of trials that would have this error; other bounded values ends on the logit scale,
                 positive ones on the log scale
    percentile   the middle of the resampled values
    bca          the same, shifted and stretched for bias and skewness (Efron 1987)

Holds `standard_error`, `freedom`, `student` with `student_quantile`, `percentile`, `bca` and `acceleration`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bertillon.stats.dependence.dependent_rate import LEAST_FREEDOM, carriers_of
from bertillon.stats.intervals.ranges import Range
from bertillon.stats.proportion import wilson_ends

FloatArray = NDArray[np.float64]
Ends = tuple[float, float]

PAIRS_COUNT = 3.0  # times, in the variance of values resampled with products of weights


def standard_error(values: FloatArray, pair_values: FloatArray | None) -> float:
    """The spread of values over resamples, each pair of units counted once.

    What pairs cause is at most all of it, so the error is never below that of values whose spread is theirs alone.
    """
    variance = float(np.var(values))
    if pair_values is None:
        return math.sqrt(variance)
    excess = (PAIRS_COUNT - 1.0) * float(np.nanvar(pair_values))
    return math.sqrt(max(variance - excess, variance / PAIRS_COUNT))


def freedom(left_out: FloatArray, limits: Range, n_units: int) -> float:
    """How many units carry the spread, from the values without each of them (or each group of them)."""
    apart = _straight(left_out, limits)
    return min(max(carriers_of(np.square(apart - apart.mean())), LEAST_FREEDOM), n_units - 1)


def student(value: float, error: float, limits: Range, *, level: float, degrees: float = math.inf) -> Ends:
    """Ends around a value whose standard error is known.

    >>> low, high = student(0.03, math.sqrt(0.03 * 0.97 / 100), Range(0, 1, rate=True), level=0.95)
    >>> round(low, 4), round(high, 4)
    (0.0103, 0.0845)
    """
    quantile = student_quantile((1.0 - level) / 2.0, degrees)
    if limits.rate and limits.holds(value):
        ends = wilson_ends(np.array(value), np.array(value * (1.0 - value) / (error * error)), quantile)
        return max(float(ends[0]), 0.0), min(float(ends[1]), 1.0)
    if limits.bounded and limits.holds(value):
        width = limits.high - limits.low
        share = (value - limits.low) / width
        middle, half = math.log(share / (1.0 - share)), quantile * error / width / (share * (1.0 - share))
        low, high = (1.0 / (1.0 + math.exp(min(-end, 700.0))) for end in (middle - half, middle + half))
        return limits.low + width * low, limits.low + width * high
    if math.isfinite(limits.low) and limits.holds(value):
        factor = math.exp(min(quantile * error / (value - limits.low), 700.0))
        return limits.low + (value - limits.low) / factor, limits.low + (value - limits.low) * factor
    return max(value - quantile * error, limits.low), min(value + quantile * error, limits.high)


def student_quantile(tail: float, degrees: float) -> float:
    """What a number of Student's t exceeds with this probability; the normal's with infinitely many degrees.

    >>> round(student_quantile(0.025, 10), 3), round(student_quantile(0.025, math.inf), 3)
    (2.228, 1.96)
    """
    from scipy.special import ndtri, stdtrit

    return -float(ndtri(tail) if math.isinf(degrees) else stdtrit(degrees, tail))


def percentile(values: FloatArray, tails: Ends) -> Ends:
    """The values that so large shares of the resamples lie below."""
    if np.isfinite(values).all():
        low, high = np.quantile(values, tails)
    else:  # nothing lies between a number and infinity
        low, high = np.quantile(values, tails, method="closest_observation")
    return float(low), float(high)


def bca(values: FloatArray, value: float, acceleration: float, tails: Ends) -> Ends:
    """The same with the shares corrected for bias and skewness."""
    from scipy.special import ndtr, ndtri

    below = (np.count_nonzero(values < value) + np.count_nonzero(values <= value)) / (2 * values.size)
    if not 0.0 < below < 1.0:
        return percentile(values, tails)
    bias = float(ndtri(below))
    shares = []
    for tail in tails:
        shifted = bias + float(ndtri(tail))
        shares.append(float(ndtr(bias + shifted / (1.0 - acceleration * shifted))))
    return percentile(values, (shares[0], shares[1]))


def acceleration(samples: list[tuple[FloatArray, FloatArray]]) -> float:
    """Efron's acceleration: values with one unit left out, and how many units give each, sample by sample."""
    cubes = squares = 0.0
    for left_out, times in samples:
        n = float(times.sum())
        pull = (n - 1.0) * (float(times @ left_out) / n - left_out)
        cubes += float(times @ pull**3) / n**3
        squares += float(times @ pull**2) / n**2
    return cubes / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def _straight(values: FloatArray, limits: Range) -> FloatArray:
    """Values on a scale without ends, where they lie inside the range."""
    if not (math.isfinite(limits.low) and (values > limits.low).all() and (values < limits.high).all()):
        return values
    apart = np.log(values - limits.low)
    straight: FloatArray = apart - np.log(limits.high - values) if limits.bounded else apart
    return straight
