"""Numbers as people read them: rates in percent, a bound where no error was seen, thresholds without noise."""

from __future__ import annotations

import math

from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION, Language
from bertillon.rule import AcceptRule
from bertillon.uncertainty.interval import Interval


def value_text(name: str, result: Result, language: Language = VERIFICATION) -> str:
    """A measure's value: percent for rates, a bound (rule of 3) where no error was seen.

    >>> value_text("EER", Result(0.02344)), value_text("FNMR@FMR=0.01", Result(0.0, None, 0, 600))
    ('2.344 %', '0 (< 0.5 %)')
    """
    if math.isnan(result.value):
        return "undefined"
    unit = language.unit_of(name)
    if unit == "count":
        return f"{result.value:,.0f}"
    if unit == "rate":
        if result.errors == 0 and result.trials and result.value == 0:
            return f"0 (< {300 / result.trials:.3g} %)"
        return percent(result.value)
    return f"{result.value:.4f}" if abs(result.value) < 1000 else f"{result.value:.6g}"


def interval_text(name: str, interval: Interval, language: Language = VERIFICATION) -> str:
    """Both ends in the unit of the measure, to as many digits as its width supports.

    >>> interval_text("EER", Interval(0.01713, 0.02398)), interval_text("AUC", Interval(0.98123, 0.99345))
    ('1.71 to 2.40 %', '0.981 to 0.993')
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    factor, unit = (100.0, " %") if language.unit_of(name) == "rate" else (1.0, "")
    low, high = interval.low * factor, interval.high * factor
    digits = _supported_digits(high - low)
    return f"{low:.{digits}f} to {high:.{digits}f}{unit}"


def _supported_digits(width: float) -> int:
    """Decimals that show two digits of a width; more would claim what the interval does not know."""
    if not math.isfinite(width) or width <= 0.0:
        return 2
    return min(12, max(0, 1 - math.floor(math.log10(width))))


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
        return f"{threshold:.6g}"
    return f"{threshold} ({'rejects' if rule.orient(threshold) > 0 else 'accepts'} all)"


def amount(number: float) -> str:
    """An expected number of things.

    >>> amount(0.9), amount(24975.4)
    ('0.9', '24,975')
    """
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def errors_text(result: Result) -> str:
    """The errors behind a rate."""
    return "" if result.errors is None or result.trials is None else f"{result.errors:,} of {result.trials:,}"
