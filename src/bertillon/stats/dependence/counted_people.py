"""The error rate of comparisons that were counted: what `shared_people` reads from scores with ids.

A comparison that was kept with chance c stands for 1 / c of its kind (Horvitz and Thompson). Sums over people are then
right on average; sums of squares are too large by the chance of having been kept, (1 - c) / c^2 for each comparison
that was, which is taken off. Where all were kept nothing is estimated, and the answers are those of scores with ids.

Holds `CountedRoster`: the FMR at a threshold with its variance, and `KeptRoster`, the same of some comparisons.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.scores import outcomes_on
from bertillon.counting.tally import CountedScores
from bertillon.stats.dependence.correlation import NONMATED, PersonSharing
from bertillon.stats.dependence.dependent_rate import DependentRate, carriers_of

if TYPE_CHECKING:
    from bertillon.counting.tiles.people import ComparedPeople


@dataclass(frozen=True, eq=False)
class CountedRoster:
    """Who was compared with whom, of counted comparisons."""

    counted: CountedScores
    people: ComparedPeople

    def rate(self, threshold: float) -> DependentRate:
        """The false match rate at a threshold in the user's units, which was a cut when they were counted."""
        return self._kept.rate(
            threshold, outcomes_on(self.counted.tally.errors, self.counted.rule, threshold).false_match
        )

    @property
    def sharing(self) -> PersonSharing:
        """How many comparisons share one person, or both."""
        return self._kept.sharing

    @cached_property
    def _kept(self) -> KeptRoster:
        return KeptRoster(self.people, self.counted.rule, self.counted.tally.n_nonmated)


@dataclass(frozen=True, eq=False)
class KeptRoster:
    """Who was compared with whom, of a number of comparisons of which some were kept."""

    people: ComparedPeople
    rule: AcceptRule
    trials: int

    def known(self, threshold: float, errors: int) -> tuple[int, int]:
        """Of errors, or of successes where these are fewer: how many comparisons have known people, and of how many."""
        wrong = int(np.count_nonzero(self.rule.accepts(self.people.kept.score, threshold)))
        if 2 * errors <= self.trials:
            return self.people.times * wrong, errors
        return self.people.times * (len(self.people.kept) - wrong), self.trials - errors

    def unsure(self, threshold: float, rate: DependentRate) -> float:
        """How far the variance may be off by which comparisons happened to be kept, as a share of it.

        Each person's sum is right but for the chance of being kept, whose variance s is known. Its square less s,
        summed over people, is then off by the root of the sum of 2 s^2 + 4 s times the true square, as for Poisson
        numbers. Where people hardly differ the variance rests on pairs of them and is less far off than that.
        """
        n, wrong = self._trials.size, self.rule.accepts(self.people.kept.score, threshold)
        chosen, share = (wrong, rate.value) if rate.value <= 0.5 else (~wrong, 1.0 - rate.value)
        chance, kept = self.people.chance[chosen], self.people.kept[chosen]
        weight = self.people.times / chance
        chancy = (1.0 - chance) * weight**2
        spread = np.bincount(kept.first, chancy, n) + np.bincount(kept.second, chancy, n)
        of_person = np.bincount(kept.first, weight, n) + np.bincount(kept.second, weight, n)
        squares = (of_person - share * self._trials) ** 2 - spread
        alone = 2.0 * float((chancy**2).sum())  # a comparison with itself, which is no chance of two
        off = 2.0 * (float((spread**2).sum()) - alone) + max(4.0 * float((squares * spread).sum()), 0.0)
        return math.sqrt(off) / (rate.variance * self.trials**2) if off > 0.0 else 0.0

    def rate(self, threshold: float, errors: int) -> DependentRate:
        """The false match rate at a threshold in the user's units, at which there are so many errors."""
        trials = self.trials
        squares, within, excess = self._squares(threshold, errors / max(trials, 1))
        return DependentRate(
            errors=errors,
            trials=trials,
            people=int(np.count_nonzero(self._trials)),
            unit="pair",
            variance=max(within, float(squares.sum()) - 2.0 * excess - within) / max(trials, 1) ** 2,
            carriers=carriers_of(squares),
            disjoint=self.people.planned.disjoint_pairs,
            sharing=self.sharing,
            correlation=NONMATED,
        )

    @cached_property
    def sharing(self) -> PersonSharing:
        """How many comparisons share one person, or both."""
        trials, repeats = self.trials, self.people.planned.squares_of_pairs
        busy = int((self._trials.astype(object) ** 2).sum())
        return PersonSharing(trials, max(busy - 2 * repeats, 0), max(repeats - trials, 0))

    @cached_property
    def _trials(self) -> IntArray:
        """Comparisons of each person that gave a score."""
        return np.asarray(self.people.planned.of_person - self.people.failed)

    def _squares(self, threshold: float, share: float) -> tuple[FloatArray, float, float]:
        """Squares of errors - share * trials: of each person, their sum over pairs of people, and the excess in it.

        Where most comparisons are errors the others are looked at, whose squares are the same.
        """
        n, wrong = self._trials.size, self.rule.accepts(self.people.kept.score, threshold)
        chosen, share = (wrong, share) if share <= 0.5 else (~wrong, 1.0 - share)
        weight, kept = self.people.times / self.people.chance[chosen], self.people.kept[chosen]
        of_person = np.bincount(kept.first, weight, n) + np.bincount(kept.second, weight, n)
        squares: FloatArray = (of_person - share * self._trials) ** 2
        excess = float(((1.0 - self.people.chance[chosen]) * weight**2).sum())
        low, high = (of(kept.first, kept.second).astype(np.int64) for of in (np.minimum, np.maximum))
        key, index = np.unique(low * n + high, return_inverse=True)
        of_pair = np.bincount(index, weight, key.size)
        met = self.people.planned.of_pair(*np.divmod(key, max(n, 1)))
        within = float((of_pair * (of_pair - 2.0 * share * met)).sum()) - excess
        within += share * share * self.people.planned.squares_of_pairs
        if not self.people.complete:  # an estimate, but never less than where no pair of people met twice
            within = max(within, float(weight.sum()) * self.people.times * (1.0 - share))
        return squares, within, excess
