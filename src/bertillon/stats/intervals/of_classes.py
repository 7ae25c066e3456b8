"""What statistics know of predictions besides resampling: proportions, means over groups, bounds.

Holds `ClassStatistics`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import count_errors
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification.ranking import group_rows
from bertillon.measures.plans import AtTarget, Judged, NoInterval, OverGroups, Resample
from bertillon.stats.bands.classes import class_det_band, pr_band, reliability_band
from bertillon.stats.bands.scores import roc_band
from bertillon.stats.interval import Interval
from bertillon.stats.intervals import limits
from bertillon.stats.intervals.few_errors import separated
from bertillon.stats.intervals.fixed_rates import RatesOfScores, independent
from bertillon.stats.intervals.of_precision import PrecisionAtRecall
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.kinds import Statistics, register_statistics
from bertillon.stats.limits import LIMITS
from bertillon.stats.proportion import BY_NAME
from bertillon.stats.resampling.classes import ClassResampler
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.weights import LEAVE_ONE_OUT, Draw, groups_left_out
from bertillon.stats.settings import Settings
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet

GROUPS = 50  # of samples, left out one at a time instead


class ClassStatistics(Statistics):
    """Statistics of classification."""

    bands: ClassVar = {
        "roc": roc_band,
        "det": class_det_band,
        "precision-recall": pr_band,
        "reliability": reliability_band,
    }
    groupable = True
    of_worst = say("method.bounds_classes"), say("reason.no_error_bound")

    def __init__(self, predictions: Predictions, settings: Settings) -> None:
        super().__init__(predictions, settings)
        self.predictions, self.by_group = predictions, settings.by_group

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> ClassResampler:
        return ClassResampler(self.predictions, measures, self.settings, alone=alone)

    @property
    def groups(self) -> list[NDArray[Any]]:
        return group_rows(ClassTally(self.predictions))

    def rates(self, outcome: Hashable) -> RatesOfScores:
        return RatesOfScores(self._score_set)

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts:
        return self._curve

    def range_of(self, measure: Measure) -> Range:
        return range_of(measure, self.measure_set, several=self.predictions.positive is None)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The same of samples that are taken one by one, and means over groups."""
        if self.by_group and not isinstance(measure.interval(result), OverGroups):
            return None
        return super().by_formula(measure, result, level)

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same of equal samples one by one; precision at a recall; and what takes too long to resample."""
        match measure.interval(result):
            case Resample(by_class=True) if self.predictions.positive is None:
                return self._heavy(measure, result, resampler, level)
            case AtTarget(target, outcome=Judged.ACCEPTED):
                return self._precision.bounds(target.value, result, level)
            case NoInterval():
                pass
            case _ if self.predictions.weights is not None or self.by_group:
                return None
        return super().not_resampled(measure, result, resampler, level)

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The worst value that bounds on both error rates allow where no error was made."""
        if plan.worst is None or self.predictions.positive is None or not self._clean(plan.outcome):
            return None
        worst = plan.worst.of(ClassTally(self._worst(level))).value
        own = Interval(result.value, worst, level, BY_NAME["clopper-pearson"], naive=True)
        return self.bounded(result.value, worst, own)

    def _heavy(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """Groups of samples left out one at a time: the jackknife."""
        work = self.predictions.size * self.predictions.n_classes
        if work <= LIMITS.resampled_probabilities:
            return None
        if work > LIMITS.jackknifed_probabilities:
            return Interval.undefined(say("reason.too_many_probabilities", n=work), level)
        groups = groups_left_out(resampler.n_units)
        some = range(0, groups, -(-groups // GROUPS))
        without = resampler.read_block([measure], Draw(some, 0, LEAVE_ONE_OUT))[:, 0, 0]
        error = math.sqrt((groups - 1) * float(np.var(without)))
        allowed = self.range_of(measure)
        low, high = limits.student(result.value, error, allowed, level=level, degrees=without.size - 1)
        method = say("method.jackknife", n=without.size)
        return Interval(low, high, level, method, naive=resampler.naive)

    def _clean(self, outcome: Hashable) -> bool:
        """Was no error made, of decisions or of the ranking?"""
        if outcome is Judged.RANKING:
            return separated(self._curve) is not None
        return outcome is Judged.DECISIONS and self._without_errors

    @cached_property
    def _without_errors(self) -> bool:
        confusion = ClassTally(self.predictions).confusion
        return confusion is not None and bool(confusion.right.sum() == confusion.total)

    def _worst(self, level: float) -> Predictions:
        """Two classes in which as many go wrong as the bounds allow, those furthest to the wrong side."""
        predictions = self.predictions
        own = predictions.truth == predictions.positive_code
        totals = int(np.count_nonzero(own)), int(np.count_nonzero(~own))
        missed, alarmed = (n * independent(0, n, level).high if n else 0.0 for n in totals)
        truth = np.array([0, 1, 0, 1])
        weights = np.array([alarmed, totals[0] - missed, totals[1] - alarmed, missed])
        scores = np.array([1.0, 0.75, 0.25, 0.0])
        return Predictions(truth, (0, 1), 1, predicted=(scores > 0.5).astype(int), scores=scores, weights=weights)

    @cached_property
    def _precision(self) -> PrecisionAtRecall:
        return PrecisionAtRecall(self.predictions, by_group=self.by_group)

    @cached_property
    def _curve(self) -> BinaryCounts:
        return count_errors(self._score_set)

    @cached_property
    def _score_set(self) -> ScoreSet:
        scores = self.predictions.positive_scores
        assert scores is not None
        own: NDArray[np.bool_] = self.predictions.truth == self.predictions.positive_code
        return ScoreSet(scores[own], scores[~own])


register_statistics("classification", ClassStatistics)
