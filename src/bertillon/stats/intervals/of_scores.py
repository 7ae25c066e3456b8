"""What is known of the intervals of 1:1 comparisons besides resampling: proportions, and bounds where errors are few.

Holds `ScoreIntervals`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from bertillon.core.messages import say
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import AtTarget, AtThreshold, NoInterval, Proportion, Resample
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.few_errors import at_target, bound_of_separated, separated
from bertillon.stats.intervals.fixed_rates import RatesOfScores, of_proportion
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.scores import ScoreResampler
from bertillon.trials.score_set import ScoreSet


class ScoreIntervals:
    """Intervals of verification."""

    def __init__(self, scores: ScoreSet | CountedScores) -> None:
        self.scores = scores
        self.rates = RatesOfScores(scores)

    def range_of(self, measure: Measure) -> Range:
        """The ends that its definition names."""
        return range_of(measure, VERIFICATION)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """Rates and counts at a fixed threshold; shares of attempts."""
        match measure.interval(result):
            case Proportion() as plan:
                return of_proportion(plan, result, level)
            case AtThreshold() as plan if not (plan.failures and self._failed(mated=plan.mated)):
                return self._at_threshold(plan, level)
        return None

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """A rate at a target with few errors, or any measure of scores that do not overlap."""
        assert isinstance(resampler, ScoreResampler)
        match measure.interval(result):
            case NoInterval(reason):
                return Interval.undefined(reason, level)
            case Resample() as plan if plan.too_many and plan.most is not None and _size(resampler) > plan.most:
                return Interval.undefined(plan.too_many, level)
            case Resample(worst) if worst is not None:
                return self._separated(worst, result, resampler, level)
            case AtTarget() as plan if result.threshold is not None:
                return self._at_target(plan, result.value, result.threshold, resampler, level)
        return None

    def _at_threshold(self, plan: AtThreshold, level: float) -> Interval:
        error = self.rates.interval(plan.threshold, mated=plan.mated, level=level)
        rate = error.complement if plan.success else error
        return _scaled(rate, self._trials(mated=plan.mated)) if plan.counted else rate

    def _at_target(
        self, plan: AtTarget, value: float, threshold: float, resampler: ScoreResampler, level: float
    ) -> Interval | None:
        error = 1.0 - value if plan.success else value
        interval = at_target(plan.target, (error, threshold), resampler.curve, self.rates, level)
        return interval.complement if interval is not None and plan.success else interval

    def _separated(self, measure: Measure, result: Result, resampler: ScoreResampler, level: float) -> Interval | None:
        """Bounds from the worst curve, where no error is made at some threshold."""
        gap = separated(resampler.curve)
        if gap is None:
            return None
        threshold = resampler.rule.restore(gap)
        fmr, fnmr = (self.rates.interval(threshold, mated=mated, level=level) for mated in (False, True))
        if math.isnan(fmr.high) or math.isnan(fnmr.high):
            return None
        worst = bound_of_separated(measure, fmr.high, fnmr.high, resampler.rule)
        if worst is None:
            return None
        low, high = sorted((result.value, worst))
        own = replace(fnmr, naive=fmr.naive)
        return Interval.bounded((low, high), say("method.bounds_scores"), own, say("reason.scores_separated"))

    def _failed(self, *, mated: bool) -> int:
        return self.scores.failures.mated if mated else self.scores.failures.nonmated

    def _trials(self, *, mated: bool) -> int:
        tally = self.scores
        if isinstance(tally, CountedScores):
            return tally.tally.n_mated if mated else tally.tally.n_nonmated
        return int(tally.mated.size if mated else tally.nonmated.size)


def _size(resampler: ScoreResampler) -> int:
    return resampler.curve.n_mated + resampler.curve.n_nonmated


def _scaled(rate: Interval, trials: int) -> Interval:
    return replace(rate, low=rate.low * trials, high=rate.high * trials)
