"""Plans of measures made real: the intervals that need no resamples, for one kind of trials after another.

A measure says which interval fits it (see `measures.plans`). What a plan takes is the same for comparisons, searches
and predictions: error rates at a threshold, with the interval that sharing people allows (`Rates`), and the curve of
both errors. Each kind of trials says where these come from, and adds the plans that it alone knows.

Holds `ModeIntervals`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from typing import ClassVar

from bertillon.core.messages import Message
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import Alike, AtTarget, AtThreshold, NoInterval, Proportion, Resample
from bertillon.measures.registry import MeasureSet
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.few_errors import Rates, at_target, bound_of_separated, separated
from bertillon.stats.intervals.fixed_rates import independent
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.resampling.resampled import Resampler


class ModeIntervals(ABC):
    """What is known of the intervals of one kind of trials besides resampling."""

    measure_set: ClassVar[MeasureSet]
    of_worst: ClassVar[tuple[Message, Message]]  # method and reason of an interval that a worst curve bounds

    @property
    @abstractmethod
    def rule(self) -> AcceptRule:
        """That of the scores."""

    @abstractmethod
    def rates(self, outcome: Hashable) -> Rates:
        """Error rates at a threshold, with their intervals."""

    @abstractmethod
    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts | None:
        """The errors at every threshold; None where such an outcome has no curve."""

    def range_of(self, measure: Measure) -> Range:
        """Between which ends the values of the measure lie for such trials."""
        return range_of(measure, self.measure_set)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The interval of a proportion; None for a measure that must be resampled."""
        match measure.interval(result):
            case Proportion() as plan:
                error = self._of_trials(plan, result, level)
                return error.complement if plan.success else error
            case AtThreshold() as plan:
                return self.at_threshold(plan, level)
        return None

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The interval where resampling is not the way, because errors are too few; None where it is."""
        match measure.interval(result):
            case NoInterval(reason):
                return Interval.undefined(reason, level)
            case (Resample() as plan) | Proportion(resample=plan):
                return self.without_errors(plan, result, resampler, level)
            case AtTarget() as plan if result.threshold is not None:
                return self._at_target(plan, (result.value, result.threshold), resampler, level)
            case Alike() as plan if result.value in (0.0, 1.0):
                return self._alike(plan, result, level)
        return None

    def at_threshold(self, plan: AtThreshold, level: float) -> Interval | None:
        """The interval of a rate at a threshold that is given."""
        error = self.rates(plan.outcome).interval(plan.threshold, mated=plan.mated, level=level)
        return error.complement if plan.success else error

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """Bounds from the worst curve, where no error is made at some threshold."""
        curve = None if plan.worst is None else self.curve(plan.outcome, resampler)
        gap = None if curve is None else separated(curve)
        if gap is None or plan.worst is None:
            return None
        rates, threshold = self.rates(plan.outcome), self.rule.restore(gap)
        fmr, fnmr = (rates.interval(threshold, mated=mated, level=level) for mated in (False, True))
        if math.isnan(fmr.high) or math.isnan(fnmr.high):
            return None
        worst = bound_of_separated(plan.worst, fmr.high, fnmr.high, self.rule)
        return None if worst is None else self.bounded(result.value, worst, replace(fnmr, naive=fmr.naive))

    def bounded(self, value: float, worst: float, own: Interval) -> Interval:
        """From the value to the worst that bounds, each found as `own` was, allow."""
        low, high = sorted((value, worst))
        return Interval.bounded((low, high), self.of_worst[0], own, self.of_worst[1])

    def _of_trials(self, plan: Proportion, result: Result, level: float) -> Interval:
        """Of the share of errors, whatever the threshold."""
        if plan.outcome is not None:
            return self.rates(plan.outcome).interval(math.nan, mated=True, level=level)
        assert result.errors is not None
        assert result.trials is not None
        return independent(result.errors, result.trials, level)

    def _at_target(
        self, plan: AtTarget, reading: tuple[float, float], resampler: Resampler, level: float
    ) -> Interval | None:
        """A rate at a target, where errors are few."""
        value, threshold = reading
        curve = self.curve(plan.outcome, resampler)
        assert curve is not None
        error = 1.0 - value if plan.success else value
        interval = at_target(plan.target, (error, threshold), curve, self.rates(plan.outcome), level)
        return interval.complement if interval is not None and plan.success else interval

    def _alike(self, plan: Alike, result: Result, level: float) -> Interval | None:
        """Trials that all went the same way, the threshold taken as given."""
        if isinstance(plan.rate, AtThreshold):
            interval = self.at_threshold(plan.rate, level)
        else:
            interval = independent(round(result.value * plan.rate), plan.rate, level)
        return interval if interval is None or plan.reason is None else replace(interval, reason=plan.reason)
