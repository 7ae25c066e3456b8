"""Non-mated scores counted by pairs of groups of people, in the same pass as all of them together.

Each pair of groups has cells of its own on the one grid, so its false match rate is as exact as that of all.

Conventions: groups are numbers. A pair is the same either way round: its lower number comes first. A counter is made
when the first comparison of its pair comes by. Of the people behind the comparisons of a pair, whoever is in neither
group has no comparisons; those of two different groups are between a person of the one and a person of the other,
whichever was the probe.

Holds `PairCells` (while counting), `CountedGroups` (what is left of it), `require_room` and `pairs_of`;
`people_between` and `PlannedAcross`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.tally import Moments
from bertillon.counting.tiles.cells import CellCounter, Grid
from bertillon.counting.tiles.people import ComparedPeople, PlannedComparisons

Pair = tuple[int, int]
Marks = NDArray[np.bool_]


class PairCells:
    """A counter for each pair of groups, and with which group the failed comparisons of each person were."""

    def __init__(self, grid: Grid, people: int, groups: int) -> None:
        self.grid = grid
        self.counters: dict[Pair, CellCounter] = {}
        self.failed_with = np.zeros((groups, people), dtype=np.int64)

    def counter(self, first: int, second: int) -> CellCounter:
        """That of a pair."""
        pair = min(first, second), max(first, second)
        if pair not in self.counters:
            self.counters[pair] = CellCounter(self.grid)
        return self.counters[pair]

    def merge(self, other: PairCells) -> None:
        """Add what another worker counted."""
        for pair, counter in other.counters.items():
            self.counter(*pair).merge(counter)
        if other.failed:  # as a rule nothing did, and there may be millions of people
            self.failed_with += other.failed_with

    @property
    def failed(self) -> int:
        """How many comparisons failed."""
        return sum(counter.failed for counter in self.counters.values())

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as few arrays, for a file."""
        pairs = sorted(self.counters)
        cells = [self.counters[pair].cells for pair in pairs]
        moments = [
            (number, piece, sums.n, sums.mean, sums.squares)
            for number, pair in enumerate(pairs)
            for piece, sums in self.counters[pair].sums.items()
        ]
        return {
            "pairs": np.array(pairs, dtype=np.int64).reshape(-1, 2),
            "pair_cells": np.array(cells, dtype=np.int64).reshape(len(pairs), self.grid.cuts.size + 1),
            "pair_failed": np.array([self.counters[pair].failed for pair in pairs], dtype=np.int64),
            "pair_moments": np.array(moments, dtype=np.float64).reshape(-1, 5),
            "failed_with": self._failures(),
        }

    def _failures(self) -> IntArray:
        """The failed comparisons that are not 0: where they stand, group after group, and how many."""
        positions = np.flatnonzero(self.failed_with) if self.failed else np.empty(0, dtype=np.int64)
        return np.stack([positions, self.failed_with.ravel()[positions]])

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over what `to_arrays` gave."""
        positions, numbers = arrays["failed_with"]
        self.failed_with.ravel()[positions] = numbers
        counters = [self.counter(*pair) for pair in arrays["pairs"].tolist()]
        for counter, cells, failed in zip(counters, arrays["pair_cells"], arrays["pair_failed"].tolist(), strict=True):
            counter.cells, counter.failed = cells.copy(), failed
        for number, piece, n, mean, squares in arrays["pair_moments"].tolist():
            counters[int(number)].sums[int(piece)] = Moments(int(n), mean, squares)

    def finished(self, names: Sequence[str], of_person: IntArray) -> CountedGroups:
        """What was counted, under the names of the groups."""
        return CountedGroups(
            tuple(names),
            of_person,
            self.grid.rule,
            self.grid.cuts,
            {pair: self.counters[pair].cells for pair in sorted(self.counters)},
            self.failed_with,
        )


@dataclass(frozen=True, slots=True, eq=False)
class CountedGroups:
    """Comparisons counted by pairs of groups."""

    names: tuple[str, ...]
    of_person: IntArray  # the group of each person, by number
    rule: AcceptRule
    cuts: FloatArray  # oriented scores at which counts are exact
    cells: Mapping[Pair, IntArray]  # non-mated scores of each pair in each cell between the cuts
    failed_with: IntArray  # group by person: failed comparisons of the person with somebody of the group

    @property
    def pairs(self) -> list[Pair]:
        """All pairs, those within a group too."""
        return list(combinations_with_replacement(range(len(self.names)), 2))

    def false_matches(self, pair: Pair, threshold: float) -> tuple[int, int]:
        """Errors and comparisons of a pair at a threshold, in the user's units, that is one of the cuts."""
        cells = self.cells.get(pair)
        if cells is None:
            return 0, 0
        return int(cells[self._place(threshold) :].sum()), int(cells.sum())

    def exact_threshold(self, threshold: float) -> float:
        """The first threshold at least as strict at which counts are exact."""
        return self.rule.restore(float(np.append(self.cuts, np.inf)[self._row(threshold)]))

    def _row(self, threshold: float) -> int:
        return int(row_at(np.append(self.cuts, np.inf), self.rule.orient(threshold)))

    def _place(self, threshold: float) -> int:
        """The cell in which the scores accepted at a threshold begin."""
        oriented = float(self.rule.orient(threshold))
        row = self._row(threshold)
        if oriented == -np.inf:
            return 0
        if row < self.cuts.size and self.cuts[row] != oriented:
            raise InputError(
                f"threshold {threshold!r} was not named before the comparisons were counted; name it then, or take "
                f"{self.exact_threshold(threshold)!r}, the next stricter one that is known"
            )
        return row + 1


def pairs_of(groups: int) -> int:
    """How many pairs there are of so many groups, those within a group too.

    >>> pairs_of(3)
    6
    """
    return groups * (groups + 1) // 2


def require_room(grid: Grid, people: int, groups: int) -> None:
    """Counts of every pair of groups must fit beside the templates."""
    pairs = pairs_of(groups)
    needed, allowed = 8 * (pairs * (grid.cuts.size + 1) + groups * people), LIMITS.tiles.group_cells_bytes
    if needed > allowed:
        raise InputError(
            f"groups: {groups:,} make {pairs:,} pairs, whose counts at {grid.cuts.size + 1:,} steps need "
            f"{needed / 2**20:,.0f} MB per worker; expected at most {allowed / 2**20:,.0f} MB: put groups together, or "
            "compare part of the non-mated pairs (--sample-nonmated N), which keeps their scores"
        )


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
