"""Numbers as people read them: rates in percent, the interval's end where no error was seen, thresholds without noise.

Conventions: in the language that is spoken; the decimal sign is a point in every language.

Holds `value_text` with `zero_bound`, `interval_text` with `decimals_for`, `difference_text`, `percent`,
`threshold_text`, `count_text`, `amount` and `errors_text`.
"""

from __future__ import annotations

import math

from bertillon.core.messages import say, spoken
from bertillon.core.rule import AcceptRule, readable
from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION, MeasureSet
from bertillon.stats.difference import Difference
from bertillon.stats.interval import Interval

ROUNDING = 1e-12  # ends that differ by no more than this share are one number
UNDEFINED, TO = say("page.undefined"), say("page.to")


def value_text(
    name: str, result: Result, interval: Interval | None = None, *, measure_set: MeasureSet = VERIFICATION
) -> str:
    """A measure's value: percent for rates, and where no error was seen the end of its interval.

    >>> value_text("EER", Result(0.02344)), value_text("FMR@t=1", Result(0.0, 1.0, 0, 600), Interval(0.0, 0.0061))
    ('2.344 %', '0 (< 0.61 %)')
    """
    if math.isnan(result.value):
        return spoken(UNDEFINED)
    unit = measure_set.unit_of(name)
    if unit == "count":
        return count_text(result.value)
    if unit == "rate":
        bound = zero_bound(name, result, interval, measure_set=measure_set)
        return f"0 (< {bound} %)" if bound else percent(result.value)
    return f"{result.value:z.4f}" if abs(result.value) < 1000 else f"{result.value:.6g}"


def zero_bound(name: str, result: Result, interval: Interval | None, *, measure_set: MeasureSet = VERIFICATION) -> str:
    """What a rate without errors is below, in percent: the upper end of its interval, in the interval's own digits.

    Nothing where errors were seen, where there is no interval, and where this excludes nothing.
    """
    if result.value or result.errors or not result.trials or interval is None or math.isnan(interval.high):
        return ""
    _, high, _ = interval_ends(name, interval, measure_set=measure_set)
    return high if 0.0 < float(high) < 100.0 else ""


def interval_text(name: str, interval: Interval, *, measure_set: MeasureSet = VERIFICATION) -> str:
    """Both ends in the unit of the measure, to as many digits as its width supports.

    >>> interval_text("EER", Interval(0.01713, 0.02398)), interval_text("AUC", Interval(0.98123, 0.99345))
    ('1.71 to 2.40 %', '0.981 to 0.993')
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    low, high, in_percent = interval_ends(name, interval, measure_set=measure_set)
    return f"{low}{spoken(TO)}{high}{' %' if in_percent else ''}"


def interval_ends(name: str, interval: Interval, *, measure_set: MeasureSet = VERIFICATION) -> tuple[str, str, bool]:
    """Both ends to as many digits as the width supports, and whether they are in percent."""
    in_percent = measure_set.unit_of(name) == "rate"
    low, high = (end * (100.0 if in_percent else 1.0) for end in (interval.low, interval.high))
    digits = decimals_for(width_of(low, high), unknown=4)
    return f"{low:z.{digits}f}", f"{high:z.{digits}f}", in_percent


def width_of(low: float, high: float) -> float:
    """The width between two ends; NaN where they differ by rounding alone.

    >>> width_of(0.25, 0.5), width_of(0.1 + 0.2, 0.3)
    (0.25, nan)
    """
    width = high - low
    return width if width > ROUNDING * max(1.0, abs(low), abs(high)) else math.nan


def decimals_for(width: float, *, least: int = 0, most: int = 12, unknown: int = 2) -> int:
    """Decimals that show two digits of an interval's width; more would claim what the interval does not know.

    >>> decimals_for(0.034), decimals_for(25.0), decimals_for(float("nan"))
    (3, 0, 2)
    """
    if not 0.0 < width < math.inf:
        return unknown
    return min(most, max(least, 1 - math.floor(math.log10(width))))


def difference_text(difference: Difference, value: float) -> str:
    """A difference, or an end of its interval, with its sign; rates in points. Nothing where it is not known."""
    if math.isnan(value):
        return ""
    factor = 100.0 if difference.shown_as == "rate" else 1.0
    width = width_of(difference.interval.low, difference.interval.high) * factor
    digits = decimals_for(width, least=1, most=9, unknown=4)
    return f"{value * factor:+.{digits}f}" if value else "0"


def percent(rate: float) -> str:
    """A rate in percent with at most four significant digits.

    >>> percent(0.05), percent(0.000123456)
    ('5 %', '0.01235 %')
    """
    return f"{rate * 100:.4g} %"


def threshold_text(threshold: float | None, rule: AcceptRule = AcceptRule.SIMILARITY) -> str:
    """A threshold; an infinite one accepts or rejects everything.

    >>> threshold_text(0.123456789), threshold_text(float("-inf"), AcceptRule.DISTANCE), threshold_text(None)
    ('0.123457', '-inf (rejects all)', '')
    """
    if threshold is None:
        return ""
    if math.isfinite(threshold):
        return readable(threshold)
    rejects, accepts = say("page.threshold.rejects"), say("page.threshold.accepts")
    return f"{threshold} ({spoken(rejects if rule.orient(threshold) > 0 else accepts)})"


def count_text(number: float) -> str:
    """A number of things."""
    return spoken(say("number.count", x=number))


def amount(number: float) -> str:
    """An expected number of things.

    >>> amount(0.9), amount(24975.4)
    ('0.9', '24,975')
    """
    return count_text(number) if abs(number) >= 1000 else f"{number:.4g}"


def errors_text(result: Result) -> str:
    """The errors behind a rate."""
    if result.errors is None or result.trials is None:
        return ""
    return spoken(say("page.of", part=result.errors, whole=result.trials))
