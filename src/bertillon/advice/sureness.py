"""What the intervals rest on, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertillon.uncertainty.interval import Interval

A_POSTERIORI = (
    "Thresholds were found on these very scores, so the rates at them are a little optimistic: "
    "fix them on other scores with --dev."
)
NAIVE = (
    "It is not known whose the trials are, so they were taken as independent: where people took part more than once "
    "these intervals are too narrow."
)


def interval_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[str]:
    """How the intervals of one or several systems were found, and when not to trust them; nothing where none are.

    >>> interval_sentences([{"EER": Interval(0.1, 0.2, method="subjects resampled 1,000 times")}])
    ['95 % intervals: subjects resampled 1,000 times.']
    """
    known = [one for intervals in systems for one in intervals.values() if one.method]
    if not known:
        return []
    ways = dict.fromkeys(way for one in known for way in one.method.split("; "))
    sentences = [f"{known[0].level * 100:g} % intervals: {'; '.join(ways)}."]
    return [*sentences, NAIVE] if any(one.naive for one in known) else sentences


def bounds_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[str]:
    """Which intervals are bounds or missing, and why, each reason once for all systems.

    >>> bounds_sentences([{"FMR@t=1": Interval(0.0, 0.1, method="bound", reason="no error was seen")}])
    ['FMR@t=1: no error was seen.']
    """
    reasons: dict[str, dict[str, None]] = {}
    for intervals in systems:
        for name, interval in intervals.items():
            if interval.reason:
                reasons.setdefault(interval.reason, {})[name] = None
    return [f"{', '.join(names)}: {reason}." for reason, names in reasons.items()]
