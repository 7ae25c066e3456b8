"""From resampled values to the two ends of an interval, by the method of the settings.

    student      the usual one: value -+ t * standard error. The error is the spread of the resampled values without
                 what weights of pairs add to it; t is Student's with as many degrees of freedom as units carry the
                 spread (Satterthwaite, from leaving them out one at a time). Shares of trials get Wilson's ends with
                 the number of trials that would have this error; other bounded values ends on the logit scale,
                 positive ones on the log scale
    percentile   the middle of the resampled values
    bca          the same, shifted and stretched for bias and skewness (Efron 1987)

Holds `Range` and `range_of`, between which ends the values of a measure can lie, so that no interval leaves them;
`standard_error`, `freedom`, `carriers_of`, `student`, `student_quantile`, `percentile`, `bca` and
`acceleration`; and `ResampledIntervals`, which puts them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bertillon.core.messages import say
from bertillon.counting.error_counts import FloatArray
from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import MeasureSet
from bertillon.stats.interval import Interval, Settings, wilson_ends
from bertillon.stats.resampling import HALVES, JackknifeValues, Resampled, Resampler, left_out, resampled_on

Ends = tuple[float, float]
LEAST_FREEDOM = 3  # Student's t with fewer degrees is wider than any simulation asks for
PAIRS_COUNT = 3.0  # times, in the variance of values resampled with products of weights
FEWEST_DEFINED = 0.9  # of the resamples must give a number
FEW_CARRIERS = 30  # of a spread, who count as half as many degrees of freedom as they are worth: ends are then too wide
ENDS = {
    "auto": say("method.student"),
    "percentile": say("method.percentiles"),
    "bca": say("method.bca"),
    "double-or-nothing": say("method.double_or_nothing"),
    "two-stage": say("method.percentiles"),
}
ENOUGH_HALVES = 400  # to know a variance to 7 %, and a bias to a tenth of that spread
OF_HALVES = say("method.halves")


@dataclass(frozen=True, slots=True)
class Range:
    """The ends of a measure's values; `rate` where the value is a share of trials."""

    low: float = -math.inf
    high: float = math.inf
    rate: bool = False

    @property
    def bounded(self) -> bool:
        """Are there two ends?"""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def holds(self, value: float) -> bool:
        """Does the value lie strictly inside?"""
        return self.low < value < self.high


def range_of(measure: Measure, measure_set: MeasureSet, *, several: bool = False) -> Range:
    """The range of a measure of a language; `several` where classes are and none of them is positive.

    >>> from bertillon.measures.registry import VERIFICATION
    >>> [range_of(VERIFICATION.parse(name), VERIFICATION).high for name in ("EER", "AUC", "dprime")]
    [1.0, 1.0, inf]
    """
    definition = measure_set.definition_of(measure)
    if definition.unit == "rate":
        return Range(0.0, 1.0, rate=True)
    if definition.unit == "count":
        return Range(0.0)
    if several and definition.ends_of_several is not None:
        return Range(*definition.ends_of_several)
    return Range(*(measure.ends or definition.ends))


def standard_error(values: FloatArray, pair_values: FloatArray | None) -> float:
    """The spread of values over resamples, each pair of units counted once.

    What pairs cause is at most all of it, so the error is never below that of values whose spread is theirs alone.
    """
    variance = float(np.var(values))
    if pair_values is None:
        return math.sqrt(variance)
    excess = (PAIRS_COUNT - 1.0) * float(np.nanvar(pair_values))
    return math.sqrt(max(variance - excess, variance / PAIRS_COUNT))


def freedom(without: FloatArray, limits: Range, n_units: int) -> float:
    """How many units carry the spread, from the values without each of them (or each group of them)."""
    apart = _straight(without, limits)
    return min(max(carriers_of(np.square(apart - apart.mean())), LEAST_FREEDOM), n_units - 1)


def carriers_of(squares: FloatArray) -> float:
    """How many people carry a variance that is made of these squares."""
    fourth = float((squares * squares).sum())
    return float(squares.sum()) ** 2 / fourth if fourth > 0.0 else math.inf


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
    for values, times in samples:
        n = float(times.sum())
        if not n:  # a single unit, without which there is no value
            continue
        pull = (n - 1.0) * (float(times @ values) / n - values)
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


def threshold_of_halves(resampler: Resampler, measure: Measure, result: Result, settings: Settings) -> Ends | None:
    """The interval of a threshold that was found to be best, from half samples; None where these do not tell.

    Such a threshold follows the luck of few trials near it: it lies off by the cube root of their number (Kim and
    Pollard 1990), and resamples with repetition do not spread as it does (Abrevaya and Huang 2005). Half samples do,
    more widely: they have half of the trials and share these with the whole, which about makes up for it. The root
    mean square of their distances from the threshold takes the place of a standard error, so the interval holds the
    best threshold at least about as often as it says.
    """
    if result.threshold is None or not math.isfinite(result.threshold):
        return None
    fewer = replace(settings, resamples=min(settings.resamples, ENOUGH_HALVES))
    seen = resampled_on(resampler, [measure], fewer, scheme=HALVES).thresholds[:, 0]
    known = seen[np.isfinite(seen)]
    if known.size < FEWEST_DEFINED * seen.size:
        return None
    apart = math.sqrt(float(np.square(known - result.threshold).mean()))
    reach = student_quantile((1.0 - settings.level) / 2.0, math.inf) * apart
    return (result.threshold - reach, result.threshold + reach) if reach > 0.0 else None


@dataclass(frozen=True, slots=True, eq=False)
class ResampledIntervals:
    """Resampled values of several measures, and what the chosen method needs besides."""

    measures: Sequence[Measure]
    drawn: Resampled  # one column a measure
    without: Sequence[JackknifeValues]  # empty where the method has no use for it
    settings: Settings

    @classmethod
    def of(cls, resampler: Resampler, measures: Sequence[Measure], settings: Settings) -> ResampledIntervals:
        """Resample, and leave units out one at a time where the method asks for it."""
        wanted = settings.method == "bca" or (settings.method == "auto" and resampler.clustered)
        without = left_out(resampler, measures) if wanted else ()
        return cls(measures, resampled_on(resampler, measures, settings), without, settings)

    def interval(self, measure: Measure, result: Result, allowed: Range) -> Interval:
        """The interval of one of the measures, whose values lie in a range."""
        column = self.measures.index(measure)
        values = self.drawn.values[:, column]
        known = values[np.isfinite(values)]
        level = self.settings.level
        if known.size < FEWEST_DEFINED * values.size:
            return Interval.undefined(say("reason.rarely_defined", known=known.size, resamples=values.size), level)
        if np.ptp(known) == 0.0:
            return Interval.undefined(say("reason.same_value"), level)
        known = known + (result.value - self.drawn.estimate[column])  # read between cuts, it may be a little off
        degrees = self._degrees(column, allowed)
        low, high = self._ends(known, column, result.value, allowed, degrees)
        if low == high and allowed.rate:  # no rate is known exactly
            return Interval.undefined(say("reason.nearly_same_value"), level)
        drawn, unknown = self.drawn, values.size - known.size
        ends = ENDS[self.settings.method]
        return Interval(
            low,
            high,
            level,
            say("method.resampled", unit=drawn.unit, resamples=self.settings.resamples, ends=ends),
            threshold=self._threshold(column, result.threshold),
            naive=drawn.naive,
            reason=say("reason.resamples_undefined", n=unknown) if unknown else None,
            claim="at least" if degrees < FEW_CARRIERS else "level",
        )

    @classmethod
    def overfitted(
        cls, resampler: Resampler, measure: Measure, result: Result, allowed: Range, settings: Settings, *, above: bool
    ) -> Interval:
        """The interval of a value that a fit to the data makes too small, or too large (`above`).

        Half of the units, each twice, are fitted too well by more: with a bias that falls with the root of their number
        they differ from all units by sqrt(2) - 1 of it. It is added to the end that it hides, and the other end stays,
        so the interval claims at least its level.
        """
        without = left_out(resampler, [measure]) if resampler.clustered else ()
        fewer = replace(settings, resamples=min(settings.resamples, ENOUGH_HALVES))
        seen = cls([measure], resampled_on(resampler, [measure], fewer, scheme=HALVES), without, fewer)
        found = seen.interval(measure, result, allowed)
        if math.isnan(found.low):
            return found
        sign = -1.0 if above else 1.0
        apart = sign * (float(seen.drawn.estimate[0]) - float(np.nanmean(seen.drawn.values[:, 0])))
        shifted = min(max(result.value + sign * max(apart, 0.0) / (math.sqrt(2.0) - 1.0), allowed.low), allowed.high)
        hidden = seen.interval(measure, replace(result, value=shifted), allowed)
        method = say("method.resampled", unit=seen.drawn.unit, resamples=fewer.resamples, ends=OF_HALVES)
        low, high = (hidden.low, found.high) if above else (found.low, hidden.high)
        return replace(found, low=low, high=high, method=method, claim="at least")

    def _degrees(self, column: int, allowed: Range) -> float:
        """The degrees of freedom of Student's t: how many units carry the spread; all where each is a trial."""
        if self.settings.method != "auto" or not self.without:
            return math.inf
        left = self.without[0].values[:, column]
        return freedom(left[np.isfinite(left)], allowed, self.drawn.n_units)

    def _ends(self, values: FloatArray, column: int, value: float, allowed: Range, degrees: float) -> Ends:
        if self.settings.method == "auto":
            return self._student(values, self.drawn.pair_values, column, value, allowed, degrees)
        if self.settings.method == "bca":
            samples = [(jackknife.values[:, column], jackknife.times) for jackknife in self.without]
            known = [(left[np.isfinite(left)], times[np.isfinite(left)]) for left, times in samples]
            return bca(values, value, acceleration(known), self.settings.tails)
        return percentile(values, self.settings.tails)

    def _student(
        self,
        values: FloatArray,
        pair_values: FloatArray | None,
        column: int,
        value: float,
        allowed: Range,
        degrees: float,
    ) -> Ends:
        pairs = None if pair_values is None else pair_values[:, column]
        known = None if pairs is None or not np.isfinite(pairs).any() else pairs[np.isfinite(pairs)]
        error = standard_error(values, known)
        if self.without:  # the spread is that around their own mean, and of pairs around those of both
            n, lost = self.drawn.n_units, 1 if known is None else 2
            error *= math.sqrt(n / max(n - lost, 1))
        return student(value, error, allowed, level=self.settings.level, degrees=degrees)

    def _threshold(self, column: int, threshold: float | None) -> Ends | None:
        """The interval of the measure's own threshold, where it picks one that varies."""
        seen = self.drawn.thresholds[:, column]
        known = seen[~np.isnan(seen)]
        if threshold is None or not math.isfinite(threshold) or known.size < 2 or known.min() == known.max():
            return None
        if self.settings.method == "auto" and np.isfinite(known).all():
            degrees = self._degrees(column, Range())
            return self._student(known, self.drawn.pair_thresholds, column, threshold, Range(), degrees)
        return percentile(known, self.settings.tails)
