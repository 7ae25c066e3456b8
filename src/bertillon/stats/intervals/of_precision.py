"""Intervals of precision at a recall where resamples cannot say anything: too few errors, or none.

Precision is uncertain twice: by the samples that are accepted, and by the threshold, which the positives fix. Where
few of these lie on one side of it, the numbers of misses that are compatible with the recall say between which
thresholds it lies (see `few_errors`); precision does not move one way along them, so the least and the largest count.
Both uncertainties are put together as distances from the value.

Holds `PrecisionAtRecall` and `kish`.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.classes.one_vs_rest import sweep
from bertillon.counting.error_counts import BinaryCounts
from bertillon.measures.base import Result
from bertillon.stats.dependence.correlation import MATED
from bertillon.stats.dependence.shared_people import rate_by_subject
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.few_errors import FEW, RULE_OF_3, compatible_errors, put_together
from bertillon.stats.proportion import proportion
from bertillon.stats.resampling.classes import known_groups
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

FloatArray = NDArray[np.float64]

BOUNDS = say("reason.threshold_bounds_or_no_error")


class PrecisionAtRecall:
    """What is known of Precision@Recall=y besides resampling, at any number of recalls."""

    def __init__(self, predictions: Predictions, *, by_group: bool = False) -> None:
        self.predictions = predictions
        self.groups = known_groups(predictions) if by_group else None
        self.own: NDArray[np.bool_] = predictions.truth == predictions.positive_code
        self.sweep: BinaryCounts = sweep(ClassTally(predictions).trials)

    def bounds(self, recall: float, result: Result, level: float) -> Interval | None:
        """The interval where positives on one side of the threshold, or errors above it, are too few; else None."""
        assert result.threshold is not None
        clean = result.value in (0.0, 1.0)
        if self.predictions.weights is not None:
            return self._accepted(result.threshold, level) if clean else None
        positives, share = int(np.count_nonzero(self.own)), self._share(1.0 - recall)
        if min(recall, 1.0 - recall) * positives * share >= FEW and not clean:
            return None
        ends = self._between_thresholds(recall, positives, share, level)
        own = self._accepted(result.threshold, level)
        if math.isnan(own.low):
            return own
        low, high = put_together(result.value, (own.low, ends[0]), (own.high, ends[1]))
        return replace(own, low=low, high=high, reason=BOUNDS)

    def _accepted(self, threshold: float, level: float) -> Interval:
        """The interval of the precision of what passes a threshold that is given."""
        scores = self.predictions.positive_scores
        assert scores is not None
        chosen = np.asarray(AcceptRule.SIMILARITY.accepts(scores, threshold))
        if self.groups is not None:
            return rate_by_subject(self.groups[chosen], ~self.own[chosen]).interval(level).complement
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
