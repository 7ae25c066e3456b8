"""Numbers as people read them: rates in percent, a bound where no error was seen, thresholds without noise."""

from __future__ import annotations

import math
from dataclasses import replace

from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION, Language
from bertillon.measures.spelling import Spelling
from bertillon.rule import AcceptRule


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


def percent(rate: float) -> str:
    """A rate in percent with at most four significant digits.

    >>> percent(0.05), percent(0.000123456)
    ('5 %', '0.01235 %')
    """
    return f"{rate * 100:.4g} %"


_EVERYDAY = {"FMR": "FAR", "FNMR": "FRR", "TMR": "TAR", "TNMR": "TRR", "ZeroFMR": "ZeroFAR", "ZeroFNMR": "ZeroFRR"}


def everyday_name(name: str) -> str:
    """What a measure of comparisons is called where nobody tells comparisons from transactions.

    >>> everyday_name("FNMR@FMR=0.01"), everyday_name("dprime"), everyday_name("AUC")
    ('FRR@FAR=0.01', "d'", '')
    """
    spelling = Spelling.read(name)
    if spelling.name == "dprime":
        return "d' without the half" if spelling.variant == "sum" else "d'"
    at = {_EVERYDAY.get(place, place): target for place, target in spelling.at.items()}
    said = str(replace(spelling, name=_EVERYDAY.get(spelling.name, spelling.name), at=at))
    return said if said != name else ""


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
