"""What is known of the intervals of 1:1 comparisons besides resampling: proportions, and bounds where errors are few.

Holds `ScoreIntervals`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from bertillon.core.messages import say
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.measures.failures import FailureRate
from bertillon.measures.operating_point import THRESHOLD
from bertillon.measures.peers import PeerEqualErrorRate
from bertillon.measures.rates import KINDS, OUTCOMES, Kind, OutcomeCount, Rate
from bertillon.measures.registry import VERIFICATION
from bertillon.measures.zero import NamedPoint
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.few_errors import Target, at_target, bound_of_separated, separated
from bertillon.stats.intervals.fixed_rates import RatesOfScores, independent
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.limits import LIMITS
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
        """FMR, FNMR and their kin at a fixed threshold; FTA and FTE."""
        if isinstance(measure, FailureRate):
            assert result.errors is not None
            assert result.trials is not None
            return independent(result.errors, result.trials, level)
        if isinstance(measure, OutcomeCount) and measure.point.key == THRESHOLD:
            kind = KINDS[OUTCOMES[measure.outcome][0]]
            return _scaled(self._rate(kind, measure.point.target, level), self._trials(kind))
        if not isinstance(measure, Rate) or measure.point.key != THRESHOLD or measure.fta is not None:
            return None
        kind = KINDS[measure.kind]
        failed = self.scores.failures.mated if kind.mated else self.scores.failures.nonmated
        return None if kind.failed_count and failed else self._rate(kind, measure.point.target, level)

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """A rate at a target with few errors, or any measure of scores that do not overlap."""
        assert isinstance(resampler, ScoreResampler)
        if isinstance(measure, PeerEqualErrorRate) and measure.peer == "bob" and _size(resampler) > LIMITS.bob_scores:
            return Interval.undefined(say("reason.bob_too_slow", n=LIMITS.bob_scores), level)
        rate = measure.rate if isinstance(measure, NamedPoint) else measure
        if isinstance(rate, Rate):
            return self._at_target(rate, result, resampler, level)
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

    def _at_target(self, rate: Rate, result: Result, resampler: ScoreResampler, level: float) -> Interval | None:
        kind, key = KINDS[rate.kind], rate.point.key
        of_mated = key in ("FNMR", "FRR", "TMR", "GAR")
        if key == THRESHOLD or kind.mated == of_mated or rate.fta is not None or result.threshold is None:
            return None
        target = Target(key, rate.point.target, mated=of_mated, success=key in ("TMR", "GAR", "TNMR", "GRR"))
        value = result.value if kind.wrong else 1.0 - result.value
        interval = at_target(target, (value, result.threshold), resampler.curve, self.rates, level)
        return interval.complement if interval is not None and not kind.wrong else interval

    def _rate(self, kind: Kind, threshold: float, level: float) -> Interval:
        error = self.rates.interval(threshold, mated=kind.mated, level=level)
        return error if kind.wrong else error.complement

    def _trials(self, kind: Kind) -> int:
        tally = self.scores
        if isinstance(tally, CountedScores):
            return tally.tally.n_mated if kind.mated else tally.tally.n_nonmated
        return int(tally.mated.size if kind.mated else tally.nonmated.size)


def _size(resampler: ScoreResampler) -> int:
    return resampler.curve.n_mated + resampler.curve.n_nonmated


def _scaled(rate: Interval, trials: int) -> Interval:
    return replace(rate, low=rate.low * trials, high=rate.high * trials)
