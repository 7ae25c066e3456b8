"""The area under the precision-recall curve, in its named definitions.

AP                 sum of (R_k - R_k+1) P_k over distinct thresholds: no interpolation
AP[interpolated]   P_k replaced by the highest precision at that recall or more (PASCAL VOC 2010, all points)
AP[voc11]          the mean of that precision at recall 0, 0.1 ... 1 (PASCAL VOC 2007)
AP[macro], [micro], [weighted]   over classes, each against the rest by its own probability
MAP                mean of AP over groups (queries); groups without positives are left out
AP@k               see `top`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bertillon.core.messages import say
from bertillon.counting.classes.one_vs_rest import areas_of
from bertillon.counting.tally import Need
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification.base import AVERAGES, NO_GROUPS, ClassMeasure, Judged, group_trials, variant_of
from bertillon.measures.classification.top import TopList
from bertillon.measures.plans import IntervalPlan, OverGroups, Resample
from bertillon.measures.registry import CLASSIFICATION, SHARE, Definition, reject_all_but_name, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import NO_POSITIVES, ClassTally

VARIANTS = ("plain", "interpolated", "voc11", *AVERAGES)


@dataclass(frozen=True, slots=True)
class AveragePrecision(ClassMeasure):
    """Average precision of the positive class, or over classes."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    variant: str = ""

    @property
    def spelling(self) -> Spelling:
        return Spelling("AP", self.variant)

    def of(self, tally: ClassTally) -> Result:
        if self.variant in AVERAGES:
            return self._several(tally)
        reason = tally.why_not_scored or (None if tally.trials.mated_total else NO_POSITIVES)
        if reason:
            several = tally.predictions.n_classes > 2 and tally.predictions.probabilities is not None
            return Result.undefined(say("reason.name_average", why=reason, example="AP[macro]") if several else reason)
        areas = tally.areas
        return Result({"": areas.step, "interpolated": areas.interpolated, "voc11": areas.eleven_point}[self.variant])

    def for_classes(self, classes: int, average: str) -> AveragePrecision:
        return self if classes == 2 or self.variant in AVERAGES else AveragePrecision(average)

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(self, Judged.RANKING, by_class=True)

    def _several(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        if self.variant == "micro":
            return Result(tally.pooled_areas.step)
        total = tally.class_totals
        codes = np.flatnonzero(total).tolist()
        each = [areas_of(tally.one_vs_rest(code)).step for code in codes]
        return Result(float(np.average(each, weights=total[codes] if self.variant == "weighted" else None)))


@dataclass(frozen=True, slots=True)
class MeanAveragePrecision(ClassMeasure):
    """Mean over groups of each group's average precision."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("MAP")

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_scored:
            return Result.undefined(tally.why_not_scored)
        if tally.predictions.groups is None:
            return Result.undefined(NO_GROUPS)
        each = [areas_of(trials).step for trials in group_trials(tally) if trials.mated_total]
        return Result(float(np.mean(each))) if each else Result.undefined(say("reason.no_group_positives"))

    def interval(self, result: Result) -> IntervalPlan:
        return OverGroups(AveragePrecision())


def _build(spelling: Spelling) -> Measure:
    if spelling.at:
        return TopList.build(spelling)
    reject_extras(spelling)
    return AveragePrecision(variant_of(spelling, VARIANTS))


def _build_mean(spelling: Spelling) -> MeanAveragePrecision:
    reject_all_but_name(spelling)
    return MeanAveragePrecision()


CLASSIFICATION.register(
    Definition(
        "AP",
        _build,
        "average precision (interpolated, voc11; macro, micro, weighted; AP@10 of a top list)",
        "AP",
        "Σ (R_k - R_k-1) P_k",
        ("AUPRC", "PR-AUC", "average-precision"),
        reference="Manning, Raghavan and Schütze 2008; Everingham et al. 2010 (voc11)",
        better="higher",
        ends=SHARE,
    )
)
CLASSIFICATION.register(
    Definition(
        "MAP",
        _build_mean,
        "mean average precision over groups (queries)",
        "MAP",
        "mean of AP",
        ("mean-AP",),
        reference="Manning, Raghavan and Schütze 2008",
        better="higher",
        ends=SHARE,
    )
)
