"""The people behind counted comparisons: how often who met whom, known from the plan, and the comparisons kept of them.

Conventions: people are numbered from 0 in ascending order of their ids. Person a with p_a probes and g_a gallery
templates meets person b in p_a g_b + p_b g_a comparisons, or half of that where every pair of templates stands once. A
comparison that was kept stands for `times` (2 where it counts both ways) divided by the chance that it was kept.

Holds `PlannedComparisons`, `ComparedPeople`, `people_of` and `each_pair_once`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.tiles.keeping import Keeping, Kept
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import AllAgainstAll, Pairing


@dataclass(frozen=True, eq=False)
class PlannedComparisons:
    """How often people were compared, from how many templates they have on either side."""

    probes: IntArray
    references: IntArray
    once: bool

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.probes.size)

    @cached_property
    def of_person(self) -> IntArray:
        """Non-mated comparisons of each person.

        >>> PlannedComparisons(np.array([1, 2]), np.array([1, 2]), once=False).of_person.tolist()
        [4, 4]
        """
        ways = self.probes * (self.references.sum() - self.references)
        ways = ways + self.references * (self.probes.sum() - self.probes)
        return np.asarray(ways // self._halves)

    def of_pair(self, first: NDArray[Any], second: NDArray[Any]) -> IntArray:
        """Comparisons of two people, pair by pair."""
        ways = self.probes[first] * self.references[second] + self.probes[second] * self.references[first]
        return np.asarray(ways // self._halves)

    @cached_property
    def squares_of_pairs(self) -> int:
        """The sum over all pairs of people of their comparisons squared."""
        some = (self.probes > 0) | (self.references > 0)
        probes, references = (side[some].astype(object) for side in (self.probes, self.references))  # without end
        own, same = int((probes**2 * references**2).sum()), int((probes * references).sum())
        ways = int((probes**2).sum()) * int((references**2).sum()) - own + same**2 - own
        return ways // self._halves**2

    @cached_property
    def disjoint_pairs(self) -> int:
        """How many pairs of people, at least, share nobody.

        Pairs can be dealt into rounds in which nobody stands twice, one round more than the busiest person has partners
        (Vizing); the fullest of the rounds has its share of the pairs or more.
        """
        on_left, on_right = self.probes > 0, self.references > 0
        left, right, both = (int(side.sum()) for side in (on_left, on_right, on_left & on_right))
        pairs = left * right - both - both * (both - 1) // 2
        partners = np.where(on_left, right, 0) + np.where(on_right & ~on_left, left, 0)
        partners = np.where(on_left & on_right, left + right - both - 1, partners)
        busiest = int(partners.max(initial=0))
        return math.ceil(pairs / (busiest + 1))

    @property
    def _halves(self) -> int:
        return 2 if self.once else 1


@dataclass(frozen=True, eq=False)
class ComparedPeople:
    """Everything that intervals ask about the people behind counted comparisons."""

    ids: NDArray[Any]  # by number
    mated: NDArray[Any]  # whose each mated score is
    planned: PlannedComparisons
    failed: IntArray  # non-mated comparisons of each person that gave no score
    kept: Kept
    chance: FloatArray  # of each of these to be kept
    times: int
    above: float  # an oriented score, from which on all were kept with one chance

    @classmethod
    def of(
        cls,
        comparing: Comparing,
        mated: IntArray,
        *,
        others: tuple[Kept, Kept, IntArray],
        keeping: Keeping,
        times: int,
    ) -> ComparedPeople:
        """From whose the mated scores are, and the `others`: those kept, drawn, and failed."""
        highest, drawn, failed = others
        pairs, n = comparing.pairs, failed.size
        rest = drawn[~comparing.rule.accepts(drawn.score, comparing.rule.restore(keeping.above))]
        kept = Kept.joined([highest, rest], highest.score.dtype)
        chance = np.repeat([keeping.chance, keeping.share], [len(highest), len(rest)])
        sides = [np.bincount(owners, minlength=n) for owners in (pairs.rows, pairs.columns)]
        planned = PlannedComparisons(sides[0], sides[1], each_pair_once(comparing.pairing))
        return cls(people_of(comparing), mated, planned, failed, kept, chance, times, keeping.above)

    @property
    def complete(self) -> bool:
        """Were all comparisons kept?"""
        return self.above == -math.inf

    @property
    def note(self) -> Message:
        """What was kept, for the notes."""
        if self.complete:
            return say("protocol.people_kept")
        return say("protocol.people_kept_partly", n=len(self.kept))


def people_of(comparing: Comparing) -> NDArray[Any]:
    """The ids of the people compared, by number."""
    pairs = comparing.pairs
    n = 1 + int(max(pairs.rows.max(initial=-1), pairs.columns.max(initial=-1)))
    ids = np.empty(n, dtype=comparing.templates.subject.dtype)
    for owners, templates in ((pairs.rows, comparing.rows), (pairs.columns, comparing.columns)):
        ids[owners] = comparing.templates.subject[templates]
    return ids


def each_pair_once(pairing: Pairing) -> bool:
    """Does every pair of templates stand once, whichever way round?"""
    return isinstance(pairing, AllAgainstAll) and pairing.unique
