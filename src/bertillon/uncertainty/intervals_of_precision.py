"""Intervals of precision at a recall where resamples cannot say anything: too few errors, or none.

Precision is uncertain twice: by the samples that are accepted, and by the threshold, which the positives fix. Where
few of these lie on one side of it, the numbers of misses that are compatible with the recall say between which
thresholds it lies (see `few_errors`); precision does not move one way along them, so the least and the largest count.
Both uncertainties are put together as distances from the value.

Holds `PrecisionIntervals`, `kish` and `known_groups`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.class_sweep import Sweep, sweep
from bertillon.counts.class_tally import ClassTally
from bertillon.errors import InputError
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification.rates import ClassRate
from bertillon.measures.registry import CLASSIFICATION, Language
from bertillon.rule import AcceptRule
from bertillon.trials.predictions import Predictions
from bertillon.uncertainty.correlation import MATED
from bertillon.uncertainty.few_errors import FEW, RULE_OF_3, compatible_errors
from bertillon.uncertainty.interval import Interval
from bertillon.uncertainty.proportion import proportion
from bertillon.uncertainty.resampling import Plan
from bertillon.uncertainty.shared_people import rate_by_subject

FloatArray = NDArray[np.float64]


class PrecisionIntervals:
    """Intervals of Precision@Recall=y, one after the other along a curve."""

    language: Language = CLASSIFICATION

    def __init__(self, predictions: Predictions, tally: ClassTally, *, by_group: bool = False) -> None:
        self.predictions = predictions
        self.groups = known_groups(predictions) if by_group else None
        self.own: NDArray[np.bool_] = predictions.truth == predictions.positive_code
        self.sweep: Sweep = sweep(tally.trials)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The threshold is never given: there is no formula."""
        return None

    def not_resampled(self, measure: Measure, result: Result, plan: Plan, level: float) -> Interval | None:
        """Bounds where positives on one side of the threshold, or errors above it, are too few; else None."""
        assert isinstance(measure, ClassRate)
        assert measure.place is not None
        assert result.threshold is not None
        recall, clean = measure.place.target, result.value in (0.0, 1.0)
        if self.predictions.weights is not None:
            return self._accepted(result.threshold, level) if clean else None
        positives, share = int(np.count_nonzero(self.own)), self._share(1.0 - recall)
        if min(recall, 1.0 - recall) * positives * share >= FEW and not clean:
            return None
        ends = self._between_thresholds(recall, positives, share, level)
        return _together(result.value, self._accepted(result.threshold, level), ends)

    def _accepted(self, threshold: float, level: float) -> Interval:
        """The interval of the precision of what passes a threshold that is given."""
        scores = self.predictions.positive_scores
        assert scores is not None
        chosen = np.asarray(AcceptRule.SIMILARITY.accepts(scores, threshold))
        if self.groups is not None:
            wrong = rate_by_subject(self.groups[chosen], ~self.own[chosen]).interval(level)
            return replace(wrong, low=1.0 - wrong.high, high=1.0 - wrong.low)
        weights = np.ones(chosen.size) if self.predictions.weights is None else self.predictions.weights
        whole, squares = float(weights[chosen].sum()), float((weights[chosen] ** 2).sum())
        effective = float(kish(np.array(whole), np.array(squares)))
        share = min(float(weights[chosen & self.own].sum()) / whole, 1.0) if whole else 0.0
        return replace(proportion(share * effective, effective, level=level), naive=True)

    def _between_thresholds(self, recall: float, positives: int, share: float, level: float) -> tuple[float, float]:
        """The least and the largest precision at thresholds that may have this recall."""
        least, most = compatible_errors(1.0 - recall, positives, share, level)
        if most == positives and recall * positives * share < RULE_OF_3:
            return 0.0, 1.0  # so strict a threshold accepts nobody that was seen
        missed = positives - self.sweep.tp
        unknown = least == 0 and (1.0 - recall) * positives * share < RULE_OF_3
        rows = (missed <= most) & (missed >= (0 if unknown else least)) & (self.sweep.accepted > 0)
        seen = self.sweep.precision[rows]
        if not seen.size:
            return 0.0, 1.0
        low = min(float(seen.min()), positives / self.sweep.total) if unknown else float(seen.min())
        return low, float(seen.max())

    def _share(self, miss_rate: float) -> float:
        """Which part of the positives counts as independent."""
        if self.groups is None:
            return 1.0
        ids = self.groups[self.own]
        return 1.0 / rate_by_subject(ids, np.zeros(ids.size, dtype=bool)).sharing.design_effect(miss_rate, MATED)


def kish(weight: FloatArray, squares: FloatArray) -> FloatArray:
    """How many samples of one weight are worth the same: (sum w)^2 / sum w^2; 0 where there are none.

    >>> kish(np.array([4.0, 0.0]), np.array([8.0, 0.0])).tolist()
    [2.0, 0.0]
    """
    return np.asarray(np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0))


def known_groups(predictions: Predictions) -> NDArray[Any]:
    """The group of every sample."""
    if predictions.groups is None:
        raise InputError("a band by group needs to know the group of every sample; give groups=")
    return np.asarray(predictions.groups)


def _together(value: float, own: Interval, ends: tuple[float, float]) -> Interval:
    if math.isnan(own.low):
        return own
    below = math.hypot(max(value - own.low, 0.0), max(value - ends[0], 0.0))
    above = math.hypot(max(own.high - value, 0.0), max(ends[1] - value, 0.0))
    reason = "the threshold is known within bounds only, or no error was seen"
    return replace(own, low=max(value - below, 0.0), high=min(value + above, 1.0), reason=reason)
