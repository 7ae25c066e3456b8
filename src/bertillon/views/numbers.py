"""Numbers as people read them, with the digits that a unit and an interval give them.

Conventions: a rate is in percent; with an interval a number has as many digits as show two of the interval's width,
since more would claim what the interval does not know, but a rate has at least one decimal, so that rates below each
other can be compared; without an interval a number has four digits. Behind a rate without errors stands the upper end
of its interval. The decimal sign is a point in every language; what else depends on the language is a
message, put into words later. A percent sign stands behind a space that does not break.

Holds `Unit`, `Estimate` (a result with its interval) and `shown`, any value as text or message; `threshold_text` with
`threshold_decimals` where more than the value decides, `of_text` for a part of a whole, `range_text` for both ends in
short, `estimate_text` for a measure on one line, and `with_digits` for a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from string import Formatter
from typing import Any

from bertillon.core.messages import Message, Text, catalogue, say
from bertillon.core.rule import AcceptRule, readable
from bertillon.measures import Result, Spelling
from bertillon.measures.base import OfResult
from bertillon.stats.interval import MOST_DECIMALS, ROUNDING, Interval, decimals_for, width_between

UNDEFINED = say("page.undefined")
PERCENT = "\u00a0%"


class Unit(StrEnum):
    """What a number counts or measures, which says how it is written."""

    RATE = "rate"  # a share, in percent
    NUMBER = "number"  # of a measure that is no rate
    COUNT = "count"  # of things, or a sum of their weights
    AMOUNT = "amount"  # an expected number of things
    SCORE = "score"  # in the units of the data
    RATIO = "ratio"
    P_VALUE = "p"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Estimate(OfResult):
    """A result, and how sure it is."""

    result: Result
    interval: Interval | None = None


Value = Estimate | Interval | Message | str | float | None
Digits = Mapping[tuple[float, Unit], str]  # how values of a unit are written


def shown(value: Value, unit: Unit = Unit.TEXT) -> Text:
    """A value of a unit as it is written; nothing for None.

    >>> shown(0.05, Unit.RATE), shown(0.000123456, Unit.RATE), str(shown(12345, Unit.COUNT))
    ('5\\xa0%', '0.01235\\xa0%', '12,345')
    >>> shown(Estimate(Result(0.02344), Interval(0.01713, 0.02398)), Unit.RATE)
    '2.34\\xa0%'
    >>> shown(Estimate(Result(0.167), Interval(0.12, 0.23)), Unit.RATE)
    '16.7\\xa0%'
    """
    if value is None:
        return ""
    if isinstance(value, Message | str):
        return value
    if isinstance(value, Estimate):
        return _estimate(value, unit)
    if isinstance(value, Interval):
        return _ends(value, unit)
    return UNDEFINED if math.isnan(value) else _number(value, unit)


def _estimate(estimate: Estimate, unit: Unit) -> Text:
    """The value to the digits that its interval supports; the end of the interval too where no error was seen.

    >>> _estimate(Estimate(Result(0.0, 1.0, 0, 600), Interval(0.0, 0.0061)), Unit.RATE)
    '0 (< 0.61\\xa0%)'
    >>> _estimate(Estimate(Result(0.0, 1.0, 0, 600)), Unit.RATE), _estimate(Estimate(Result(0.97123)), Unit.NUMBER)
    ('0\\xa0%', '0.9712')
    """
    result, interval = estimate.result, estimate.interval
    if unit is Unit.RATE and (bound := _zero_bound(result, interval)):
        return f"0 (< {bound}{PERCENT})"
    factor, sign = (100.0, PERCENT) if unit is Unit.RATE else (1.0, "")
    width = math.nan if interval is None else _width_of(interval, result.value) * factor
    if unit is Unit.COUNT or not 0.0 < width < math.inf or not math.isfinite(result.value):
        return shown(result.value, unit)
    least = 1 if unit is Unit.RATE and result.value not in (0.0, 1.0) else 0
    return f"{result.value * factor:.{decimals_for(width, least=least)}f}{sign}"


def _zero_bound(result: Result, interval: Interval | None) -> str:
    """What a rate without errors is below, in percent: the upper end of its interval, in the interval's own digits.

    Nothing where errors were seen, where there is no interval, and where this excludes nothing.
    """
    if result.value or result.errors or not result.trials or interval is None or math.isnan(interval.high):
        return ""
    high = _end_texts(interval, 100.0)[1]
    return high if 0.0 < float(high) < 100.0 else ""


def _number(value: float, unit: Unit) -> Text:
    match unit:
        case Unit.RATE:
            return f"{value * 100:.4g}{PERCENT}"
        case Unit.COUNT:
            return say("number.count" if float(value).is_integer() else "number.weight", x=value)
        case Unit.AMOUNT:
            return say("number.count", x=value) if abs(value) >= 1000 else f"{value:.4g}"
        case Unit.P_VALUE:
            return say("number.p", p=value)
        case Unit.SCORE:
            return readable(value, 5)
        case Unit.RATIO:
            return f"{value:.3g}"
    if ROUNDING < abs(value) < 0.001:
        return f"{value:.2g}"
    return f"{value:z.4f}" if abs(value) < 1000 else f"{value:.6g}"


def _ends(interval: Interval, unit: Unit) -> Text:
    """Both ends, to two digits of the width; nothing where they are not known.

    >>> str(_ends(Interval(0.01713, 0.02398), Unit.RATE)), str(_ends(Interval(0.98123, 0.99345), Unit.NUMBER))
    ('1.71 to 2.40\\xa0%', '0.981 to 0.993')
    """
    if math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    factor, sign = (100.0, PERCENT) if unit is Unit.RATE else (1.0, "")
    low, high = _end_texts(interval, factor)
    if interval.side != "both":
        end = high if interval.side == "upper" else low
        return say(f"number.{interval.side}_bound", end=f"{end}{sign}")
    return say("number.ends", low=low, high=f"{high}{sign}")


def range_text(interval: Interval | None, unit: Unit) -> Text:
    """Both ends in short, without the unit; nothing where they are not known.

    >>> str(range_text(Interval(0.0164, 0.0256), Unit.RATE)), str(range_text(Interval(-0.3, 4.4), Unit.NUMBER))
    ('1.64-2.56', '-0.3 to 4.4')
    >>> str(range_text(Interval(0.0, 0.99621, side="upper"), Unit.NUMBER))
    'at most 0.9962'
    """
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return ""
    low, high = _end_texts(interval, 100.0 if unit is Unit.RATE else 1.0)
    if interval.side != "both":
        return say(f"number.{interval.side}_bound", end=high if interval.side == "upper" else low)
    return f"{low}-{high}" if interval.low >= 0.0 else say("number.ends", low=low, high=high)


def _end_texts(interval: Interval, factor: float) -> tuple[str, str]:
    low, high = interval.low * factor, interval.high * factor
    known = {"upper": high, "lower": low}.get(interval.side)  # of a bound of one side two digits of itself
    if known is not None and 0.0 < known < factor:  # or of what it leaves of the whole
        known = min(known, factor - known)
    digits = decimals_for(width_between(low, high) if known is None else abs(known), unknown=4)
    return f"{low:z.{digits}f}", f"{high:z.{digits}f}"


def _width_of(interval: Interval, value: float) -> float:
    """The width of an interval; of a bound of one side twice its distance from the value."""
    if interval.side == "both":
        return width_between(interval.low, interval.high)
    end = interval.high if interval.side == "upper" else interval.low
    return 2.0 * width_between(*sorted((value, end)))


def threshold_text(
    threshold: float | None, rule: AcceptRule = AcceptRule.SIMILARITY, decimals: int | None = None
) -> Text:
    """A threshold, to so many `decimals` where that is shorter; an infinite one accepts or rejects everything.

    >>> threshold_text(0.123456789), str(threshold_text(float("-inf"), AcceptRule.DISTANCE)), threshold_text(None)
    ('0.123457', 'rejects all', '')
    >>> threshold_text(0.503364, decimals=3), threshold_text(24.0, decimals=1)
    ('0.503', '24')
    """
    if threshold is None or math.isnan(threshold):
        return ""
    if math.isfinite(threshold):
        texts = [readable(threshold), *([] if decimals is None else [f"{threshold:z.{decimals}f}"])]
        return min(texts, key=len)
    return say("page.threshold.rejects" if rule.orient(threshold) > 0 else "page.threshold.accepts")


def threshold_decimals(intervals: Mapping[str, Interval], name: str = "") -> int | None:
    """Decimals of the threshold of a measure that show two digits of its interval; None where all are to be shown.

    A threshold with too few errors for an interval is known no better than the best of the others. One that was given
    is exact, and so is one that costs give.

    >>> intervals = {"EER": Interval(0.01, 0.03, threshold=(0.486, 0.521))}
    >>> threshold_decimals(intervals, "EER"), threshold_decimals(intervals, "FNMR@FMR=0.001")
    (3, 3)
    >>> threshold_decimals(intervals, "FMR@t=0.5"), threshold_decimals({}, "EER")
    (None, None)
    """
    ends = {each: interval.threshold for each, interval in intervals.items() if interval.threshold is not None}
    known = {each: decimals_for(width_between(*pair), unknown=MOST_DECIMALS) for each, pair in ends.items()}
    if name in known:
        return known[name]
    places = Spelling.read(name).at if name else {"": 0.0}
    return max(known.values()) if known and places and "t" not in places else None


def of_text(part: Any, whole: Any) -> Text:
    """Some of a whole; nothing where they were not counted.

    >>> str(of_text(3, 1200)), of_text(None, None)
    ('3 of 1,200', '')
    """
    if part is None or whole is None:
        return ""
    return say("page.of", part=shown(part, Unit.COUNT), whole=shown(whole, Unit.COUNT))


def errors_text(result: Result) -> Text:
    """The errors behind a rate."""
    return of_text(result.errors, result.trials)


def estimate_text(result: Result, measure: str, unit: str, interval: Interval | None = None) -> str:
    """A measure with its number, its interval where there is one, and its threshold, on one line.

    >>> estimate_text(Result(0.020667, 0.50312), "EER", "rate")
    'EER 2.07 % (threshold 0.503)'
    >>> estimate_text(Result(0.020667), "EER", "rate", Interval(0.016, 0.026))
    'EER 2.07 % (95 % CI 1.6 to 2.6 %)'
    """
    kind = Unit(unit)
    if math.isnan(result.value):
        return f"{measure} undefined" + (f": {result.reason}" if result.reason else "")
    short = f"{result.value * 100:.3g} %" if kind is Unit.RATE else f"{result.value:.4g}"
    known = interval is not None and not math.isnan(interval.low)
    text = str(shown(Estimate(result, interval), kind)) if known else short
    details = [f"{interval.level * 100:g} % CI {_ends(interval, kind)}"] if known and interval else []
    finite = result.threshold is not None and math.isfinite(result.threshold)
    details += [f"threshold {readable(result.threshold, 3)}"] if finite and result.threshold is not None else []
    behind = f" ({'; '.join(details)})" if details else ""
    return f"{measure} {text}{behind}".replace("\u00a0", " ")


def with_digits(message: Message, digits: Digits) -> Message:
    """The same sentence, its values written with these digits."""
    template = str(catalogue("en").sentence(message.key))
    rates = {name for _, name, spec, _ in Formatter().parse(template) if (spec or "").startswith("pct")}
    items: list[tuple[str, Any]] = []
    for name, value in message.items:
        unit = Unit.RATE if name in rates else Unit.NUMBER
        written = digits.get((value, unit), value) if isinstance(value, float) else value
        items.append((name, with_digits(value, digits) if isinstance(value, Message) else written))
    return replace(message, items=tuple(items))
