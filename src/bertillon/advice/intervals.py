"""What the intervals rest on, in words.

Conventions: a method is given once, however many intervals it served. Methods are spelled for people, as their
authors' names are; programs read them in small letters.

Holds `interval_sentences` and `bounds_sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertillon.core.messages import Message, Text, chained, say
from bertillon.stats.interval import Interval

AUTHORS: dict[Text, str] = {  # methods named after people, who are called the same in every language
    say("method.clopper_pearson"): "Clopper-Pearson",
    say("method.wilson"): "Wilson",
    say("method.jeffreys"): "Jeffreys",
    say("method.agresti_coull"): "Agresti-Coull",
}


def interval_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[Message]:
    """How the intervals of one or several systems were found, and when not to trust them; nothing where none are.

    >>> [str(said) for said in interval_sentences([{"EER": Interval(0.1, 0.2, method="subjects resampled")}])]
    ['95 % intervals: subjects resampled.']
    """
    known = [interval for intervals in systems for interval in intervals.values() if interval.method]
    if not known:
        return []
    methods = list(dict.fromkeys(way for interval in known for way in interval.ways))
    named = chained([AUTHORS.get(way, way) for way in methods])
    return [say("intervals.methods", level=known[0].level, methods=named), *_naive(systems)]


def bounds_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[Message]:
    """Which intervals are bounds or missing, and why, each reason once for all systems.

    >>> [str(said) for said in bounds_sentences([{"FMR@t=1": Interval(0.0, 0.1, reason="no error was seen")}])]
    ['FMR@t=1: no error was seen.']
    """
    reasons: dict[Text, dict[str, None]] = {}
    for intervals in systems:
        for name, interval in intervals.items():
            if interval.reason:
                reasons.setdefault(interval.reason, {})[name] = None
    return [say("intervals.reason", names=list(names), reason=reason) for reason, names in reasons.items()]


def _naive(systems: Sequence[Mapping[str, Interval]]) -> list[Message]:
    """Which intervals treat trials as independent: all of them, or those that are named."""
    known = [(name, interval.naive) for each in systems for name, interval in each.items() if interval.method]
    names = list(dict.fromkeys(name for name, naive in known if naive))
    if not names:
        return []
    return [say("intervals.naive") if all(naive for _, naive in known) else say("intervals.naive_named", names=names)]
