"""Many systems in order, and which of them tests tell apart, as letters (a compact letter display).

Conventions: two systems share a letter unless a test found them different; one whose test could not be made tells
nothing apart. Letters are as few as the splitting of Piepho (2004) leaves: each difference found splits every group
that holds both of its systems, and groups within others are left out. They go with the order: `a` is the best group.

Holds `ranking_of`, which asks for every pair of systems, with its `Ranked`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_letters

from bertillon.stats.comparing import Difference, Versus


@dataclass(frozen=True, slots=True)
class Ranked:
    """A system, its value, and the letters of the groups it belongs to."""

    name: str
    value: float
    letters: str


def every_pair_tested(pairs: Sequence[Versus]) -> bool:
    """Was each of the systems tested against each other one?"""
    names = {name for versus in pairs for name in (versus.first, versus.second)}
    tested = {frozenset((versus.first, versus.second)) for versus in pairs}
    return len(tested) == len(names) * (len(names) - 1) // 2


def ranking_of(pairs: Sequence[Versus], measure: str) -> list[Ranked]:
    """The systems from the best to the worst by a measure; none where nobody knows which way is better.

    Values are those of the pair in which a system stands first: where pairs have different trials in common, those of
    other pairs may differ a little.
    """
    found = [difference for versus in pairs for difference in versus.differences if difference.measure == measure]
    if not found or not found[0].better or not every_pair_tested(pairs):
        return []
    values: dict[str, float] = {}
    for difference in found:
        values.setdefault(difference.first, difference.first_value)
        values.setdefault(difference.second, difference.second_value)
    sign = -found[0].better
    ordered = sorted(values, key=lambda name: math.inf if math.isnan(values[name]) else sign * values[name])
    groups = _groups(ordered, found)
    return [
        Ranked(name, values[name], "".join(_letter(i) for i, g in enumerate(groups) if name in g)) for name in ordered
    ]


def _groups(ordered: Sequence[str], found: Iterable[Difference]) -> list[frozenset[str]]:
    """Systems that no test tells apart, as few groups as hold all of them, the best first.

    >>> def apart(first, second):
    ...     from bertillon.stats.interval import Interval
    ...     return Difference("EER", first, second, 0.1, 0.2, Interval(0.05, 0.15), p=0.001, adjusted_p=0.001)
    >>> [sorted(group) for group in _groups(["x", "y", "z"], [apart("x", "z")])]
    [['x', 'y'], ['y', 'z']]
    """
    groups = {frozenset(ordered)}
    for difference in found:
        pair = {difference.first, difference.second}
        if difference.significant:
            split = {group - {one} for group in groups if pair <= group for one in pair}
            kept = {group for group in groups if not pair <= group} | split
            groups = {group for group in kept if not any(group < other for other in kept)}
    place = {name: index for index, name in enumerate(ordered)}
    return sorted(groups, key=lambda group: sorted(place[name] for name in group))


def _letter(index: int) -> str:
    """A letter for each group; beyond all letters a number in brackets.

    >>> _letter(0), _letter(26), _letter(52)
    ('a', 'A', '(53)')
    """
    return ascii_letters[index] if index < len(ascii_letters) else f"({index + 1})"
