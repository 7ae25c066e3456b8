"""Best points and costs of a classifier.

Youden                     the largest TPR - FPR, and its threshold (the most permissive of equals)
Cost(fn=,fp=)              mean cost of a decision: (fn FN + fp FP) / n; at a place, Cost(fn=100,fp=1)@t=0.5
Cost(fn=,fp=,prevalence=)  fn FNR π + fp FPR (1 - π) for another share of positives π
minCost(fn=,fp=)           its least value over all thresholds; chosen on these very data it is optimistic
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.measures.base import NOWHERE, Result
from bertillon.measures.best import seek_best
from bertillon.measures.classification.base import (
    ClassMeasure,
    ClassMeasureAtPoint,
    Judged,
    decisions,
    point_of,
    variant_of,
)
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.plans import IntervalPlan, Resample
from bertillon.measures.registry import CLASSIFICATION, POSITIVE, SIGNED, Definition, reject_all_but_name, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import NO_NEGATIVES, NO_POSITIVES, ClassTally


@dataclass(frozen=True, slots=True)
class ErrorCosts:
    """What a missed positive and a false alarm cost, and the share of positives they are met with."""

    fn: float = 1.0
    fp: float = 1.0
    prevalence: float | None = None  # that of the data where None

    def __post_init__(self) -> None:
        for name in ("fn", "fp"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"cost {name} is {getattr(self, name)}; expected a finite number, 0 or more")
        if self.prevalence is not None and not 0.0 <= self.prevalence <= 1.0:
            raise InputError(f"prevalence is {self.prevalence}; expected a share from 0 to 1")

    def weights(self, positives: float, negatives: float) -> tuple[float, float]:
        """Of FNR and of FPR in the mean cost."""
        share = positives / (positives + negatives) if self.prevalence is None else self.prevalence
        return self.fn * share, self.fp * (1.0 - share)

    def along(self, sweep: BinaryCounts) -> NDArray[np.float64]:
        """The mean cost at every row."""
        missed, alarmed = self.weights(sweep.n_mated, sweep.n_nonmated)
        return missed * (1.0 - sweep.recall) + alarmed * sweep.fpr

    @property
    def options(self) -> dict[str, float]:
        """As written in a measure's spelling."""
        stated = {} if self.prevalence is None else {"prevalence": self.prevalence}
        return {"fn": self.fn, "fp": self.fp, **stated}


@dataclass(frozen=True, slots=True)
class ClassCost(ClassMeasureAtPoint):
    """Mean cost of the decisions, or at a place."""

    costs: ErrorCosts
    point: OperatingPoint | None = None

    @property
    def spelling(self) -> Spelling:
        return Spelling("Cost", options=self.costs.options, at=self.at)

    def of(self, tally: ClassTally) -> Result:
        confusion = decisions(tally, self.point)
        if isinstance(confusion, Message):
            return Result.undefined(confusion)
        if tally.why_not_binary:
            return Result.undefined(tally.why_not_binary)
        cells = confusion.cells(tally.predictions.positive_code)
        tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
        if self.costs.prevalence is None:
            return Result((self.costs.fn * fn + self.costs.fp * fp) / (tp + fp + fn + tn), confusion.threshold)
        if not tp + fn or not tn + fp:
            return Result.undefined(NO_NEGATIVES if tp + fn else NO_POSITIVES)
        missed, alarmed = self.costs.weights(tp + fn, tn + fp)
        return Result(missed * fn / (tp + fn) + alarmed * fp / (tn + fp), confusion.threshold)


class _BestPoint(ClassMeasure):
    """Read at the threshold that is best for the data."""

    __slots__ = ()
    picks_threshold = True

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(self, Judged.RANKING)


@dataclass(frozen=True, slots=True)
class LeastClassCost(_BestPoint):
    """The least mean cost over all thresholds."""

    costs: ErrorCosts

    @property
    def spelling(self) -> Spelling:
        return Spelling("minCost", options=self.costs.options)

    def seek(self, outline: BinaryCounts) -> IntArray:
        if not outline.n_mated or not outline.n_nonmated:
            return NOWHERE
        missed, alarmed = self.costs.weights(outline.n_mated, outline.n_nonmated)
        return seek_best(outline, alarmed, missed)

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_ranked:
            return Result.undefined(tally.why_not_ranked)
        cost = self.costs.along(tally.points)
        row = int(np.argmin(cost))
        return Result(float(cost[row]), float(tally.points.threshold[row]))


@dataclass(frozen=True, slots=True)
class Youden(_BestPoint):
    """The largest distance of the ROC from chance."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("Youden")

    def seek(self, outline: BinaryCounts) -> IntArray:
        return seek_best(outline, 1.0, 1.0)

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_ranked:
            return Result.undefined(tally.why_not_ranked)
        points = tally.points
        row = int(np.argmax(points.tp * points.n_nonmated - points.fp * points.n_mated))
        value = float(points.recall[row] - points.fpr[row])
        return Result(value, float(points.threshold[row]))


def _costs(spelling: Spelling) -> ErrorCosts:
    reject_extras(spelling, options=("fn", "fp", "prevalence"), at=tuple(spelling.at))
    variant_of(spelling, ("plain",))
    return ErrorCosts(**dict(spelling.options))


def _build_cost(spelling: Spelling) -> ClassCost:
    return ClassCost(_costs(spelling), point_of(spelling))


def _build_least(spelling: Spelling) -> LeastClassCost:
    reject_extras(spelling, options=("fn", "fp", "prevalence"))
    return LeastClassCost(_costs(spelling))


def _build_youden(spelling: Spelling) -> Youden:
    reject_all_but_name(spelling)
    return Youden()


_ELKAN = partial(Definition, reference="Elkan 2001", better="lower", ends=POSITIVE)
_YOUDEN = partial(Definition, reference="Youden 1950", better="higher", ends=SIGNED)
for _definition in (
    _YOUDEN("Youden", _build_youden, "largest TPR - FPR", "Youden", "max (TPR - FPR)", ("J", "KS")),
    _ELKAN("Cost", _build_cost, "mean cost of a decision", "Cost(fn=100,fp=1)@t=0.5", "(fn FN + fp FP) / n"),
    _ELKAN("minCost", _build_least, "least mean cost", "minCost(fn=100,fp=1)", "min over t of Cost"),
):
    CLASSIFICATION.register(_definition)
