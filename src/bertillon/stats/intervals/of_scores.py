"""What is known of the intervals of 1:1 comparisons besides resampling: proportions, and bounds where errors are few.

Holds `ScoreIntervals`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.measures.base import Result
from bertillon.measures.plans import AtThreshold, Resample
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.fixed_rates import RatesOfScores
from bertillon.stats.intervals.of_plans import ModeIntervals
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.scores import ScoreResampler
from bertillon.trials.score_set import ScoreSet


class ScoreIntervals(ModeIntervals):
    """Intervals of verification."""

    measure_set = VERIFICATION
    of_worst = say("method.bounds_scores"), say("reason.scores_separated")

    def __init__(self, scores: ScoreSet | CountedScores) -> None:
        self.scores = scores
        self._rates = RatesOfScores(scores)

    @property
    def rule(self) -> AcceptRule:
        return self.scores.rule

    def rates(self, outcome: Hashable) -> RatesOfScores:
        return self._rates

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts:
        assert isinstance(resampler, ScoreResampler)
        return resampler.curve

    def at_threshold(self, plan: AtThreshold, level: float) -> Interval | None:
        """The same for a rate, or a number, of comparisons; none where failures count in and there are some."""
        if plan.failures and self._failed(mated=plan.mated):
            return None
        rate = super().at_threshold(plan, level)
        return _scaled(rate, self._trials(mated=plan.mated)) if rate is not None and plan.counted else rate

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same, and none where comparisons are too many to resample."""
        if plan.too_many and plan.most is not None and _size(self.curve(plan.outcome, resampler)) > plan.most:
            return Interval.undefined(plan.too_many, level)
        return super().without_errors(plan, result, resampler, level)

    def _failed(self, *, mated: bool) -> int:
        return self.scores.failures.mated if mated else self.scores.failures.nonmated

    def _trials(self, *, mated: bool) -> int:
        tally = self.scores
        if isinstance(tally, CountedScores):
            return tally.tally.n_mated if mated else tally.tally.n_nonmated
        return int(tally.mated.size if mated else tally.nonmated.size)


def _size(curve: BinaryCounts) -> int:
    return curve.n_mated + curve.n_nonmated


def _scaled(rate: Interval, trials: int) -> Interval:
    return replace(rate, low=rate.low * trials, high=rate.high * trials)
