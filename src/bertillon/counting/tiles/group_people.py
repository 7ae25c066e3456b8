"""The people behind the counted comparisons of one pair of groups.

Conventions: as in `people`; whoever is in neither group has no comparisons. Comparisons of two different groups are
those between a person of the one and a person of the other, whichever was the probe.

Holds `people_between` and `PlannedAcross`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import IntArray
from bertillon.counting.tiles.group_cells import CountedGroups, Pair
from bertillon.counting.tiles.people import ComparedPeople, PlannedComparisons

Marks = NDArray[np.bool_]


def people_between(people: ComparedPeople, groups: CountedGroups, pair: Pair) -> ComparedPeople:
    """What is known of the non-mated comparisons of a pair of groups, or of those within one."""
    left, right = pair
    first, second = groups.of_person == left, groups.of_person == right
    lower, higher = (groups.of_person[side] for side in (people.kept.first, people.kept.second))
    chosen = ((lower == left) & (higher == right)) | ((lower == right) & (higher == left))
    failed = np.where(first, groups.failed_with[right], 0)
    if left != right:
        failed = failed + np.where(second, groups.failed_with[left], 0)
    planned = _planned(people.planned, first, second, across=left != right)
    return replace(people, planned=planned, failed=failed, kept=people.kept[chosen], chance=people.chance[chosen])


def _planned(whole: PlannedComparisons, first: Marks, second: Marks, *, across: bool) -> PlannedComparisons:
    there = first | second
    probes, references = (np.where(there, side, 0) for side in (whole.probes, whole.references))
    return (
        PlannedAcross(probes, references, whole.once, first)
        if across
        else PlannedComparisons(probes, references, whole.once)
    )


@dataclass(frozen=True, eq=False)
class PlannedAcross(PlannedComparisons):
    """How often people of two groups were compared with the other group; `first` marks one of the two.

    >>> two_and_one = np.array([2, 1, 1]), np.array([1, 1, 1])
    >>> PlannedAcross(*two_and_one, False, np.array([True, False, False])).of_person.tolist()
    [6, 3, 3]
    """

    first: Marks

    @cached_property
    def of_person(self) -> IntArray:
        """Comparisons of each person with the other group."""
        probes, references = (self._of_others(side) for side in (self.probes, self.references))
        return np.asarray((self.probes * references + self.references * probes) // self._halves)

    @cached_property
    def squares_of_pairs(self) -> int:
        """The sum over all pairs of people, one of each group, of their comparisons squared."""
        sums, there = [], (self.probes > 0) | (self.references > 0)
        for side in (self.first & there, ~self.first & there):
            probes, references = (values[side].astype(object) for values in (self.probes, self.references))
            products = (probes**2, references**2, probes * references)
            sums.append([int(product.sum()) for product in products])
        (p, r, both), (q, s, same) = sums
        return (p * s + q * r + 2 * both * same) // self._halves**2

    @cached_property
    def disjoint_pairs(self) -> int:
        """How many pairs of people, at least, share nobody; by rounds, as within a group."""
        on_left, on_right = (self.probes > 0).astype(np.int64), (self.references > 0).astype(np.int64)
        left, right, both = (self._of_others(side) for side in (on_left, on_right, on_left * on_right))
        partners = on_left * right + on_right * left - on_left * on_right * both
        pairs, busiest = int(partners[self.first].sum()), int(partners.max(initial=0))
        return math.ceil(pairs / (busiest + 1))

    def _of_others(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum over the other group, for each person."""
        own, others = values[self.first].sum(), values[~self.first].sum()
        return np.asarray(np.where(self.first, others, own))
