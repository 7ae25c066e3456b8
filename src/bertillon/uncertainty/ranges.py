"""Between which ends the values of a measure can lie, so that no interval leaves them.

Holds `Range` and `range_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.measures.area import PartialArea
from bertillon.measures.base import Measure
from bertillon.measures.classification.area import PartialClassArea
from bertillon.measures.identification.ranks import RankArea
from bertillon.measures.registry import Language

_SIGNED = {"Gini", "KS", "Youden", "MCC", "Kappa", "Informedness", "Markedness"}
_SHARES = {"AUC", "nAUC", "pAUC", "AUCopen", "MRR", "mAP", "AP", "NDCG", "minCllr", "Overlap", "ECE", "MCE", "Brier"}
_FREE = {"dprime", "FRatio", "calLoss", "Skill", "Remainder"}


@dataclass(frozen=True, slots=True)
class Range:
    """The ends of a measure's values; `rate` where the value is a share of trials."""

    low: float = -math.inf
    high: float = math.inf
    rate: bool = False

    @property
    def bounded(self) -> bool:
        """Are there two ends?"""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def holds(self, value: float) -> bool:
        """Does the value lie strictly inside?"""
        return self.low < value < self.high


def range_of(measure: Measure, language: Language) -> Range:
    """The range of a measure of a language.

    >>> from bertillon.measures.registry import VERIFICATION
    >>> [range_of(VERIFICATION.parse(name), VERIFICATION).high for name in ("EER", "AUC", "dprime")]
    [1.0, 1.0, inf]
    """
    name = measure.spelling.name
    if language.definitions[name].unit == "rate":
        return Range(0.0, 1.0, rate=True)
    if isinstance(measure, RankArea) and measure.name == "AUC":
        return Range(0.0)
    if isinstance(measure, PartialArea | PartialClassArea):
        limit = measure.fmr if isinstance(measure, PartialArea) else measure.fpr
        return Range(0.0, 1.0 if measure.variant == "mcclish" else limit)
    if name == "MeanRank":
        return Range(1.0)
    if name in _SIGNED:
        return Range(-1.0, 1.0)
    if name in _SHARES:
        return Range(0.0, 1.0)
    return Range() if name in _FREE else Range(0.0)
