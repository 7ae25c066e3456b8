"""What is known of the intervals of classification besides resampling: proportions, means over groups, bounds.

Holds `ClassIntervals`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.counting.error_counts import ErrorCounts
from bertillon.counting.tally import count_errors
from bertillon.measures.base import Measure, Result
from bertillon.measures.better import better
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.agreement import Agreement
from bertillon.measures.classification.area import ClassArea, PartialClassArea
from bertillon.measures.classification.average_precision import AveragePrecision, MeanAveragePrecision
from bertillon.measures.classification.base import group_rows
from bertillon.measures.classification.calibration import CalibrationError
from bertillon.measures.classification.cost import LeastClassCost, Youden
from bertillon.measures.classification.probability import Brier
from bertillon.measures.classification.rates import ClassRate
from bertillon.measures.classification.top import TopClasses, TopList
from bertillon.measures.plans import Target
from bertillon.stats.interval import Interval
from bertillon.stats.intervals import limits
from bertillon.stats.intervals.few_errors import at_target, separated
from bertillon.stats.intervals.fixed_rates import RatesOfScores, independent
from bertillon.stats.intervals.of_precision import PrecisionAtRecall
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.limits import LIMITS
from bertillon.stats.proportion import BY_NAME
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.weights import LEAVE_ONE_OUT, Draw, groups_left_out
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet

GROUPS = 50  # of samples, left out one at a time instead
PERFECT = say("reason.no_error_bound")
CURVE = (ClassArea, PartialClassArea, AveragePrecision, Youden, LeastClassCost)


class ClassIntervals:
    """Intervals of classification."""

    def __init__(self, predictions: Predictions, *, by_group: bool = False) -> None:
        self.predictions, self.by_group = predictions, by_group

    def range_of(self, measure: Measure) -> Range:
        """The ends that its definition names; squared distances of all classes add up to 2."""
        several = isinstance(measure, Brier) and self.predictions.positive is None
        return Range(0.0, 2.0) if several else range_of(measure, CLASSIFICATION)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """Proportions of decisions as they were made or at a fixed threshold; means over groups."""
        if isinstance(measure, MeanAveragePrecision) or (isinstance(measure, TopList) and measure.variant):
            return self._over_groups(measure, result, level)
        if self.by_group or result.errors is None or result.trials is None:
            return None
        point = getattr(measure, "point", None)
        if not isinstance(measure, ClassRate | Agreement | TopClasses) or (point is not None and point.key != "t"):
            return None
        error = independent(result.errors, result.trials, level)
        return error if better(measure) < 0 else error.complement

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """Rates at a target with few errors, anything without errors, and what takes too long to resample."""
        if self.predictions.positive is None and _sorts_columns(measure):
            return self._heavy(measure, result, resampler, level)
        point = measure.point if isinstance(measure, ClassRate) and not measure.average else None
        if point is not None and (measure.spelling.name, point.key) == ("Precision", "Recall"):
            return self._precision.bounds(point.target, result, level)
        if self.predictions.weights is not None or self.by_group:
            return None
        if isinstance(measure, ClassRate) and measure.point is not None:
            return self._at_target(measure, result, level)
        if isinstance(measure, TopList) and measure.name == "P" and result.value in (0.0, 1.0):
            interval = independent(round(result.value * measure.k), measure.k, level)
            return replace(interval, reason=say("reason.top_all_alike"))
        return self._perfect(measure, result, level)

    def _over_groups(self, measure: MeanAveragePrecision | TopList, result: Result, level: float) -> Interval:
        """Student's interval of a mean over groups, which are taken as independent."""
        plain = TopList(measure.name, measure.k) if isinstance(measure, TopList) else AveragePrecision()
        whole = ClassTally(self.predictions)
        each = [plain.of(ClassTally(self.predictions.select(chosen))).value for chosen in group_rows(whole)]
        known = np.array([value for value in each if not math.isnan(value)])
        if known.size < 2 or not np.ptp(known):
            return Interval.undefined(say("reason.groups_alike"), level)
        error = float(np.std(known, ddof=1)) / math.sqrt(known.size)
        allowed = self.range_of(measure)
        low, high = limits.student(
            result.value, error, replace(allowed, rate=False), level=level, degrees=known.size - 1
        )
        return Interval(low, high, level, say("method.mean_over_groups", n=known.size))

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

    def _at_target(self, measure: ClassRate, result: Result, level: float) -> Interval | None:
        point = measure.point
        kinds = {"Recall": (True, True), "FNR": (True, False), "FPR": (False, False), "Specificity": (False, True)}
        if point is None or measure.name not in kinds or point.key not in kinds or result.threshold is None:
            return None
        own, success = kinds[measure.name]
        if kinds[point.key][0] == own:
            return None
        target = Target(point.key, point.target, mated=kinds[point.key][0], success=kinds[point.key][1])
        value = 1.0 - result.value if success else result.value
        rates = RatesOfScores(self._score_set)
        interval = at_target(target, (value, result.threshold), self._curve, rates, level)
        return interval.complement if interval is not None and success else interval

    @cached_property
    def _precision(self) -> PrecisionAtRecall:
        return PrecisionAtRecall(self.predictions, by_group=self.by_group)

    def _perfect(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The worst value that bounds on both error rates allow where no error was made."""
        if self.predictions.positive is None:
            return None
        if isinstance(measure, CURVE):
            clean = separated(self._curve) is not None
        else:
            clean = isinstance(measure, ClassRate | Agreement) and self._without_errors
        if not clean:
            return None
        worst = measure.of(ClassTally(self._worst(level))).value
        low, high = sorted((result.value, worst))
        own = Interval(low, high, level, BY_NAME["clopper-pearson"], naive=True)
        return Interval.bounded((low, high), say("method.bounds_classes"), own, PERFECT)

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
    def _curve(self) -> ErrorCounts:
        return count_errors(self._score_set)

    @cached_property
    def _score_set(self) -> ScoreSet:
        scores = self.predictions.positive_scores
        assert scores is not None
        own: NDArray[np.bool_] = self.predictions.truth == self.predictions.positive_code
        return ScoreSet(scores[own], scores[~own])


def _sorts_columns(measure: Measure) -> bool:
    return isinstance(measure, ClassArea | AveragePrecision) or (
        isinstance(measure, CalibrationError) and measure.variant == "classwise"
    )
