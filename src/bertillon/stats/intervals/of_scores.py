"""What statistics know of 1:1 comparisons besides resampling: proportions, bounds where errors are few, tests.

Holds `ScoreStatistics`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import AtThreshold, Resample
from bertillon.stats.bands.scores import det_band, roc_band
from bertillon.stats.comparing.cross_checks import Check, checks_of
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.fixed_rates import RatesOfScores
from bertillon.stats.kinds import Statistics, register_statistics
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.scores import ScoreResampler
from bertillon.stats.resampling.units import units_of
from bertillon.stats.settings import Settings
from bertillon.trials.score_set import ScoreSet, TrialIds

MOST_ROWS = 50_000  # of a class are resampled one by one; of more, each takes others with it, which changes no variance


class ScoreStatistics(Statistics):
    """Statistics of verification."""

    bands: ClassVar = {"roc": roc_band, "det": det_band}
    of_worst = say("method.bounds_scores"), say("reason.scores_separated")

    def __init__(self, scores: ScoreSet | CountedScores, settings: Settings) -> None:
        super().__init__(scores, settings)
        self.scores = scores
        self._rates = RatesOfScores(scores)

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> ScoreResampler:
        return ScoreResampler.of(self.scores, measures, self.settings.scheme)

    def alike(self, other: ScoreSet) -> tuple[ScoreSet, ScoreSet, Message | None]:
        """Comparisons without ids get their rows as ids."""
        first = self.trials
        known = units_of(first)
        unnamed = [kind for kind, pairs in (("mated", known.mated), ("nonmated", known.nonmated)) if pairs is None]
        if not unnamed:
            return first, other, None
        names = np.array([f"row {number}" for number in range(MOST_ROWS)], dtype=object) if len(unnamed) == 1 else None
        rows: dict[str, Any] = {}
        for index, kind in enumerate(unnamed):
            row = np.arange(getattr(first, kind).size) % MOST_ROWS
            rows[f"{kind}_ids"] = TrialIds(row + index * MOST_ROWS if names is None else names[row])
        return replace(first, **rows), replace(other, **rows), known.name

    def checks(self, other: ScoreSet, measures: Sequence[Measure], *, paired: bool) -> tuple[Check, ...]:
        return checks_of(self.trials, other, measures, paired=paired)

    def rates(self, outcome: Hashable) -> RatesOfScores:
        return self._rates

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts:
        assert isinstance(resampler, ScoreResampler)
        return resampler.curve

    def at_threshold(self, plan: AtThreshold, level: float) -> Interval | None:
        """The same for a rate, or a number, of comparisons; none where failures count in and there are some."""
        failures = self.scores.failures
        if plan.failures and (failures.mated if plan.mated else failures.nonmated):
            return None
        rate = super().at_threshold(plan, level)
        if rate is None or not plan.counted:
            return rate
        trials = self.scores.counts["mated" if plan.mated else "nonmated"]
        return replace(rate, low=rate.low * trials, high=rate.high * trials)

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same, and none where comparisons are too many to resample."""
        if plan.too_many and plan.most is not None and self.scores.n_trials > plan.most:
            return Interval.undefined(plan.too_many, level)
        return super().without_errors(plan, result, resampler, level)


register_statistics("verification", ScoreStatistics)
