"""The intervals of measures whose values were resampled, by the method of the settings.

Holds `ResampledIntervals`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, say
from bertillon.measures.base import Measure, Result
from bertillon.stats.interval import Interval
from bertillon.stats.intervals import limits
from bertillon.stats.intervals.ranges import Range
from bertillon.stats.resampling.resampled import JackknifeValues, Resampled, Resampler, left_out, resampled_on
from bertillon.stats.settings import Settings

FloatArray = NDArray[np.float64]
Ends = tuple[float, float]

FEWEST_DEFINED = 0.9  # of the resamples must give a number
ENDS = {
    "auto": say("method.student"),
    "percentile": say("method.percentiles"),
    "bca": say("method.bca"),
    "double-or-nothing": say("method.double_or_nothing"),
    "two-stage": say("method.percentiles"),
}


@dataclass(frozen=True, slots=True, eq=False)
class ResampledIntervals:
    """Resampled values of several measures, and what the chosen method needs besides."""

    drawn: Resampled
    without: Sequence[JackknifeValues]  # empty where the method has no use for it
    settings: Settings

    @classmethod
    def of(cls, resampler: Resampler, measures: Sequence[Measure], settings: Settings) -> ResampledIntervals:
        """Resample, and leave units out one at a time where the method asks for it."""
        wanted = settings.method == "bca" or (settings.method == "auto" and resampler.clustered)
        return cls(
            resampled_on(resampler, measures, settings), left_out(resampler, measures) if wanted else (), settings
        )

    def interval(self, column: int, result: Result, allowed: Range) -> Interval:
        """The interval of the measure in a column, whose values lie in a range."""
        values = self.drawn.values[:, column]
        known = values[np.isfinite(values)]
        if known.size < FEWEST_DEFINED * values.size:
            return self._undefined(say("reason.rarely_defined", known=known.size, resamples=values.size))
        if np.ptp(known) == 0.0:
            return self._undefined(say("reason.same_value"))
        known = known + (result.value - self.drawn.estimate[column])  # read between cuts, it may be a little off
        low, high = self._ends(known, column, result.value, allowed)
        if low == high and allowed.rate:  # no rate is known exactly
            return self._undefined(say("reason.nearly_same_value"))
        return Interval(
            low,
            high,
            self.settings.level,
            self._method,
            threshold=self._threshold(column, result.threshold),
            naive=self.drawn.naive,
            reason=None if known.size == values.size else say("reason.resamples_undefined", n=values.size - known.size),
        )

    def _ends(self, values: FloatArray, column: int, value: float, allowed: Range) -> Ends:
        if self.settings.method == "auto":
            return self._student(values, self.drawn.pair_values, column, value, allowed)
        if self.settings.method == "bca":
            samples = [(jackknife.values[:, column], jackknife.times) for jackknife in self.without]
            known = [(left[np.isfinite(left)], times[np.isfinite(left)]) for left, times in samples]
            return limits.bca(values, value, limits.acceleration(known), self.settings.tails)
        return limits.percentile(values, self.settings.tails)

    def _student(
        self, values: FloatArray, pair_values: FloatArray | None, column: int, value: float, allowed: Range
    ) -> Ends:
        pairs = None if pair_values is None else pair_values[:, column]
        known = None if pairs is None or not np.isfinite(pairs).any() else pairs[np.isfinite(pairs)]
        error = limits.standard_error(values, known)
        degrees = math.inf
        if self.without:
            left = self.without[0].values[:, column]
            degrees = limits.freedom(left[np.isfinite(left)], allowed, self.drawn.n_units)
        return limits.student(value, error, allowed, level=self.settings.level, degrees=degrees)

    def _threshold(self, column: int, threshold: float | None) -> Ends | None:
        """The interval of the measure's own threshold, where it picks one that varies."""
        seen = self.drawn.thresholds[:, column]
        known = seen[~np.isnan(seen)]
        if threshold is None or not math.isfinite(threshold) or known.size < 2 or known.min() == known.max():
            return None
        if self.settings.method == "auto" and np.isfinite(known).all():
            return self._student(known, self.drawn.pair_thresholds, column, threshold, Range())
        return limits.percentile(known, self.settings.tails)

    @property
    def _method(self) -> Message:
        ends = ENDS[self.settings.method]
        return say("method.resampled", unit=self.drawn.unit, resamples=self.settings.resamples, ends=ends)

    def _undefined(self, reason: Message) -> Interval:
        return Interval.undefined(reason, self.settings.level)
