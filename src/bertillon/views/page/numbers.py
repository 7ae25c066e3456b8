"""Numbers as the page shows them: in its language, and to the digits that the interval supports.

Conventions: the decimal sign is a point in every language, since names of measures have one; thousands are grouped as
the language does where that cannot be misread. Behind a rate without errors stands the end of its interval.

Holds `Numbers`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.core.messages import Catalogue
from bertillon.core.rule import AcceptRule, readable
from bertillon.measures import Result
from bertillon.measures.registry import MeasureSet
from bertillon.stats.interval import Interval
from bertillon.views.numbers import decimals_for, interval_ends, width_of, zero_bound

MOST_DIGITS = 8
NBSP_PERCENT = "\u00a0%"


@dataclass(frozen=True, slots=True)
class Numbers:
    """How numbers are written in one language."""

    catalogue: Catalogue

    def value(self, name: str, result: Result, measure_set: MeasureSet, interval: Interval | None = None) -> str:
        """A measure's value with as many digits as its interval supports, or four."""
        if math.isnan(result.value):
            return self.catalogue("page.undefined")
        unit = measure_set.unit_of(name)
        if unit == "count":
            return self.count(result.value)
        bound = zero_bound(name, result, interval, measure_set=measure_set) if unit == "rate" else ""
        if bound:
            return f"0 (< {bound}{NBSP_PERCENT})"
        factor, sign = (100.0, "\u00a0%") if unit == "rate" else (1.0, "")
        return f"{_rounded(result.value * factor, interval, factor, 4)}{sign}"

    def interval(self, name: str, interval: Interval | None, measure_set: MeasureSet) -> str:
        """Both ends; nothing where there is no interval."""
        if interval is None or math.isnan(interval.low):
            return ""
        low, high, in_percent = interval_ends(name, interval, measure_set=measure_set)
        return f"{low}{self.catalogue('page.to')}{high}{NBSP_PERCENT if in_percent else ''}"

    def count(self, number: float) -> str:
        """A number of things.

        >>> from bertillon.core.messages import catalogue
        >>> Numbers(catalogue("en")).count(12345), Numbers(catalogue("it")).count(12345)
        ('12,345', '12\\u202f345')
        """
        return f"{number:,.0f}".replace(",", self.catalogue("list.thousands"))

    def amount(self, number: float) -> str:
        """An expected number of things."""
        if math.isnan(number):
            return ""
        return self.count(number) if abs(number) >= 1000 else f"{number:.4g}"

    def percent(self, rate: float) -> str:
        """A rate in percent."""
        return "" if math.isnan(rate) else f"{rate * 100:.4g}\u00a0%"

    def threshold(self, threshold: float | None, rule: AcceptRule) -> str:
        """A threshold; an infinite one accepts or rejects everything."""
        if threshold is None or math.isnan(threshold):
            return ""
        if math.isfinite(threshold):
            return readable(threshold)
        return self.catalogue("page.threshold.rejects" if rule.orient(threshold) > 0 else "page.threshold.accepts")

    def errors(self, result: Result) -> str:
        """The errors behind a rate."""
        if result.errors is None or result.trials is None:
            return ""
        return self.catalogue("page.of", part=self.count(result.errors), whole=self.count(result.trials))


def _rounded(value: float, interval: Interval | None, factor: float, digits: int) -> str:
    """To two digits of the interval's width, or to so many digits of the value."""
    width = math.nan if interval is None else width_of(interval.low, interval.high) * factor
    if 0.0 < width < math.inf and math.isfinite(value):
        return f"{value:.{decimals_for(width, most=MOST_DIGITS)}f}"
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.6g}"
