"""Areas under the ROC of a classifier.

AUC                 P(positive scored above negative), ties count half; two classes
AUC[ovr]            mean over classes of each against the rest, by its own probability (the classes that occur)
AUC[ovr-weighted]   the same, by how often a class is the true one
AUC[ovr-micro]      every (sample, class) decision pooled
AUC[ovo]            mean over pairs of classes, each way round (Hand and Till's M)
AUC[ovo-weighted]   the same, by how often the two classes are the true ones
Gini                2 AUC - 1
pAUC@FPR=x          area where FPR <= x, from 0 to x; pAUC[mcclish]@FPR=x rescaled so that chance is 0.5, perfect is 1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bertillon.core.messages import say
from bertillon.counting.classes.one_vs_rest import ClassAreas, walk
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Need
from bertillon.measures.area import limit_of, mcclish, register_areas
from bertillon.measures.base import Result
from bertillon.measures.classification.base import ONE_TRUE, ClassMeasure, Judged, variant_of
from bertillon.measures.plans import IntervalPlan, Resample
from bertillon.measures.registry import CLASSIFICATION, Definition, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import ClassTally

SEVERAL = ("plain", "ovr", "ovr-weighted", "ovr-micro", "ovo", "ovo-weighted")
OVER_CLASSES = {"macro": "ovr", "micro": "ovr-micro", "weighted": "ovr-weighted"}  # as other measures call it


@dataclass(frozen=True, slots=True)
class ClassArea(ClassMeasure):
    """The whole area, of the positive class or over several."""

    name: str = "AUC"
    variant: str = ""

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, self.variant)

    def of(self, tally: ClassTally) -> Result:
        if self.variant:
            return self._several(tally)
        if tally.why_not_ranked:
            several = tally.predictions.n_classes > 2 and tally.predictions.probabilities is not None
            return Result.undefined(
                say("reason.say_how", why=tally.why_not_ranked) if several else tally.why_not_ranked
            )
        return Result(tally.auc if self.name == "AUC" else 2.0 * tally.auc - 1.0)

    def _several(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        if np.count_nonzero(tally.class_totals) < 2:
            return Result.undefined(ONE_TRUE)
        if self.variant == "ovr-micro":
            areas = tally.pooled_areas
            return Result(areas.doubled_wins / (2.0 * areas.positives * areas.negatives))
        return Result(_average(tally.class_areas, self.variant))

    def for_classes(self, classes: int, average: str) -> ClassArea | None:
        if classes == 2 or self.variant:
            return self
        return replace(self, variant=OVER_CLASSES[average]) if self.name == "AUC" else None

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(self, Judged.RANKING, by_class=True)


def _average(areas: ClassAreas, variant: str) -> float:
    occurs = areas.total > 0
    total, n = areas.total[occurs], int(np.count_nonzero(occurs))
    if variant == "ovr":
        return float(areas.vs_rest[occurs].mean())
    if variant == "ovr-weighted":
        return float(np.average(areas.vs_rest[occurs], weights=total))
    if variant == "ovo":
        return float(areas.vs_each[occurs].sum() / (n * (n - 1)))
    both = 2.0 * (n - 1) * total.sum()  # the weight of both classes, over ordered pairs
    return float(areas.vs_each_weighted[occurs].sum() / both)


@dataclass(frozen=True, slots=True)
class PartialClassArea(ClassMeasure):
    """The area at low false positive rates only."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    fpr: float
    variant: str = ""

    @property
    def spelling(self) -> Spelling:
        return Spelling("pAUC", self.variant, at={"FPR": self.fpr})

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0 if self.variant == "mcclish" else self.fpr

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_ranked:
            return Result.undefined(tally.why_not_ranked)
        area = sum(_area_up_to(piece, self.fpr) for piece in walk(tally.trials))
        return Result(mcclish(area, self.fpr) if self.variant == "mcclish" else area)

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(self, Judged.RANKING)


def _area_up_to(piece: BinaryCounts, limit: float) -> float:
    """Trapezoids of a piece as far as they lie at or below the limit, the last one cut there."""
    x, y = piece.fpr[::-1], piece.recall[::-1]
    width = np.diff(x)
    inside = np.minimum(x[1:], limit) - np.minimum(x[:-1], limit)
    share = np.divide(inside, width, out=np.zeros(width.size), where=width > 0)
    end = y[:-1] + share * np.diff(y)
    return float((inside * (y[:-1] + end) / 2.0).sum())


def _build_area(spelling: Spelling) -> ClassArea:
    reject_extras(spelling)
    return ClassArea(spelling.name, variant_of(spelling, SEVERAL if spelling.name == "AUC" else SEVERAL[:1]))


def _build_partial(spelling: Spelling) -> PartialClassArea:
    return PartialClassArea(limit_of(spelling, CLASSIFICATION, "FPR"), variant_of(spelling, ("plain", "mcclish")))


_HAND = "Hanley and McNeil 1982; Hand and Till 2001 (several classes)"
_SEVERAL = "area under the ROC (several classes: ovr, ovr-weighted, ovr-micro, ovo, ovo-weighted)"
_AUC, _PAUC = "P(pos > neg) + P(pos = neg) / 2", "∫ TPR dFPR, FPR <= x"
_SUMMARY = "area where FPR <= x (variant mcclish)"
register_areas(
    CLASSIFICATION,
    Definition("AUC", _build_area, _SEVERAL, "AUC", _AUC, reference=_HAND, better="higher"),
    Definition("pAUC", _build_partial, _SUMMARY, "pAUC@FPR=0.1", _PAUC, better="higher"),
)
