"""Between which ends the values of a measure can lie, so that no interval leaves them.

Holds `Range` and `range_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.measures.base import Measure
from bertillon.measures.registry import MeasureSet


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


def range_of(measure: Measure, measure_set: MeasureSet, *, several: bool = False) -> Range:
    """The range of a measure of a language; `several` where classes are and none of them is positive.

    >>> from bertillon.measures.registry import VERIFICATION
    >>> [range_of(VERIFICATION.parse(name), VERIFICATION).high for name in ("EER", "AUC", "dprime")]
    [1.0, 1.0, inf]
    """
    definition = measure_set.definition_of(measure)
    if definition.unit == "rate":
        return Range(0.0, 1.0, rate=True)
    if definition.unit == "count":
        return Range(0.0)
    if several and definition.ends_of_several is not None:
        return Range(*definition.ends_of_several)
    return Range(*(measure.ends or definition.ends))
