"""What the intervals rest on, in words.

Conventions: methods are spelled for people, as their authors' names are; programs read them in small letters.

Holds `interval_sentences` and `bounds_sentences`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertillon.stats.interval import Interval

NAIVE = (
    "It is not known whose the trials are, so they were taken as independent: where people took part more than once "
    "these intervals are too narrow."
)
AUTHORS = {  # methods named after people
    "clopper-pearson": "Clopper-Pearson",
    "wilson": "Wilson",
    "jeffreys": "Jeffreys",
    "agresti-coull": "Agresti-Coull",
}


def interval_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[str]:
    """How the intervals of one or several systems were found, and when not to trust them; nothing where none are.

    >>> interval_sentences([{"EER": Interval(0.1, 0.2, method="subjects resampled 1,000 times")}])
    ['95 % intervals: subjects resampled 1,000 times.']
    """
    known = [one for intervals in systems for one in intervals.values() if one.method]
    if not known:
        return []
    methods = dict.fromkeys(str(way) for one in known for way in one.ways)
    ways = [AUTHORS.get(method, method) for method in methods]
    sentences = [f"{known[0].level * 100:g} % intervals: {'; '.join(ways)}."]
    return [*sentences, *_naive(systems)]


def _naive(systems: Sequence[Mapping[str, Interval]]) -> list[str]:
    """Which intervals took trials as independent: all of them, or those that are named."""
    found = [(name, one.naive) for intervals in systems for name, one in intervals.items() if one.method]
    names = dict.fromkeys(name for name, naive in found if naive)
    if not names:
        return []
    return [NAIVE if all(naive for _, naive in found) else f"{', '.join(names)}: {NAIVE[0].lower()}{NAIVE[1:]}"]


def bounds_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[str]:
    """Which intervals are bounds or missing, and why, each reason once for all systems.

    >>> bounds_sentences([{"FMR@t=1": Interval(0.0, 0.1, method="bound", reason="no error was seen")}])
    ['FMR@t=1: no error was seen.']
    """
    reasons: dict[str, dict[str, None]] = {}
    for intervals in systems:
        for name, interval in intervals.items():
            if interval.reason:
                reasons.setdefault(str(interval.reason), {})[name] = None
    return [f"{', '.join(names)}: {reason}." for reason, names in reasons.items()]
