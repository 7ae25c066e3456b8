"""Error rates of trials that share people: which people, how often, and the variance that comes of it.

The variance of the rate p is found from what each person adds to it (Fogliato, Patil and Perona 2023):

    by subject   V = sum over subjects of (errors - p trials)^2 / trials^2
    by pair      V = (Q + max(0, P - 2 Q)) / trials^2, where Q and P are sums of squares of errors - p trials, of each
                 pair of people and of each person: their sum over ordered pairs, rearranged
    annex B      V = sum (a - p m)^2 / (M^2 n (n - 1)) over n subjects with a errors in m attempts, M their mean: as the
                 annex of ISO/IEC 19795-1 has it, of which its formulas for one and for equally many are special cases

Conventions: a person counts wherever it stands, as probe or as reference, and a pair is the same pair either way round.
Where probes and references are different people (an asymmetric roster) V is the variance of two-way clusters. Any list
of comparisons will do; the work grows with its length, not with the number of possible pairs.

Of comparisons that were counted, one that was kept with chance c stands for 1 / c of its kind (Horvitz and Thompson).
Sums over people are then right on average; sums of squares are too large by the chance of having been kept,
(1 - c) / c^2 for each comparison that was, which is taken off. Where all were kept nothing is estimated, and answers
are those of comparisons with ids.

Holds `rate_by_subject`, `rate_of_subjects` (from counts) and `rate_by_pair`; each gives a `DependentRate`. `roster_of`
makes a `Roster`, which answers for many thresholds what `rate_by_pair` answers for one; `KeptRoster` is the same of
counted comparisons. `annex_b` and its `AnnexB`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.keys import EncodedIds, codes_of
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.dependent_rate import MATED, NONMATED, DependentRate, PersonSharing, check_correlation
from bertillon.stats.ends import carriers_of
from bertillon.stats.interval import (
    LEVEL,
    NO_ERROR,
    ONLY_ERRORS,
    Interval,
    independent,
    normal_quantile,
    proportion,
    tail_of,
)

if TYPE_CHECKING:
    from bertillon.counting.tiles.people import ComparedPeople


def rate_by_subject(subject: ArrayLike, error: ArrayLike, *, correlation: float = MATED) -> DependentRate:
    """The error rate of trials that each belong to one subject, such as mated comparisons or searches.

    >>> rate = rate_by_subject(["a", "a", "a", "b", "b", "b", "c", "c", "c"], [True] * 3 + [False] * 6)
    >>> round(rate.variance, 7), round(rate.effective_trials, 7)
    (0.0740741, 3.0)
    """
    wrong, (people,) = _checked(error, subject=subject)
    numbered = _numbered(people)
    return rate_of_subjects(
        np.bincount(numbered.codes[0][wrong], minlength=numbered.n),
        np.bincount(numbered.codes[0], minlength=numbered.n),
        correlation=correlation,
    )


def interval_by_subject(subject: NDArray[Any] | None, error: NDArray[np.bool_], level: float) -> Interval:
    """The interval of an error rate by subject; where nobody is known, of trials taken as independent."""
    if subject is None:
        return independent(int(np.count_nonzero(error)), error.size, level)
    return rate_by_subject(subject, error).interval(level)


def rate_of_subjects(errors: ArrayLike, trials: ArrayLike, *, correlation: float = MATED) -> DependentRate:
    """The same from the errors and trials of each subject; a subject without trials is left out."""
    wrong, done = counts_of_subjects(errors, trials)
    n_errors, n_trials = int(wrong.sum()), int(done.sum())
    squares = (wrong - done * (n_errors / max(n_trials, 1))) ** 2
    return DependentRate(
        errors=n_errors,
        trials=n_trials,
        people=done.size,
        unit="subject",
        variance=float(squares.sum()) / max(n_trials, 1) ** 2,
        carriers=carriers_of(squares),
        disjoint=done.size,
        sharing=PersonSharing(n_trials, int((done * done).sum()) - n_trials),
        correlation=check_correlation(correlation, most=1.0),
    )


def rate_by_pair(
    probe: ArrayLike, reference: ArrayLike, error: ArrayLike, *, same_people: bool = True, correlation: float = NONMATED
) -> DependentRate:
    """The error rate of comparisons of two people each, any list of them: non-mated comparisons.

    An id stands for the same person as probe and as reference. Where the two sides are numbered each for itself, say
    `same_people=False`.

    >>> rate = rate_by_pair(["A", "A", "B"], ["B", "C", "C"], [True, True, False])
    >>> round(rate.variance, 7)
    0.0740741
    """
    wrong, (first, second) = _checked(error, probe=probe, reference=reference)
    return roster_of(first, second, same_people=same_people).rate(wrong, correlation=correlation)


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """Who was compared with whom: made once, it gives the error rate at any number of thresholds."""

    first: IntArray  # the two people of each comparison
    second: IntArray
    trials: IntArray  # comparisons of each person
    pairs: IntArray  # that were compared: lower number * people + higher number, ascending
    pair_trials: IntArray

    def rate(self, wrong: NDArray[np.bool_], *, correlation: float = NONMATED) -> DependentRate:
        """The error rate, from which comparisons went wrong."""
        errors, trials, n = int(np.count_nonzero(wrong)), self.first.size, self.trials.size
        share = errors / max(trials, 1)
        ends = self.first[wrong], self.second[wrong]
        squares: FloatArray = (_times(*ends, n) - share * self.trials) ** 2
        pair_errors = np.bincount(np.searchsorted(self.pairs, _keys(*ends, n)), minlength=self.pairs.size)
        within = float(((pair_errors - share * self.pair_trials) ** 2).sum())
        return DependentRate(
            errors=errors,
            trials=trials,
            people=int(np.count_nonzero(self.trials)),
            unit="pair",
            variance=max(within, float(squares.sum()) - within) / max(trials, 1) ** 2,
            carriers=carriers_of(squares),
            disjoint=self.disjoint,
            sharing=self.sharing,
            correlation=check_correlation(correlation, most=0.5),
        )

    @property
    def sharing(self) -> PersonSharing:
        """How many comparisons share one person, or both."""
        repeats = int((self.pair_trials**2).sum())
        return PersonSharing(self.first.size, int((self.trials**2).sum()) - 2 * repeats, repeats - self.first.size)

    @property
    def disjoint(self) -> int:
        """How many pairs, at least, share nobody.

        Pairs can be dealt into rounds in which nobody stands twice, one round more than the busiest person has partners
        (Vizing), or one where everybody has one; the fullest of the rounds has its share of the pairs or more.
        """
        if not self.pairs.size:
            return 0
        n = self.trials.size
        busiest = int(_times(*np.divmod(self.pairs, n), n).max())
        return math.ceil(self.pairs.size / (busiest + 1 if busiest > 1 else 1))


def roster_of(probe: ArrayLike, reference: ArrayLike, *, same_people: bool = True) -> Roster:
    """Who was compared with whom; pairs are grouped by counting where they are few, else by sorting."""
    first, second = _ends(np.asarray(probe), np.asarray(reference), same_people=same_people)
    n = 1 + max((int(end.max()) for end in (first, second) if end.size), default=-1)
    key = _keys(first, second, n)
    if n * n <= max(4 * key.size, 1 << 20):
        every = np.bincount(key)
        pairs = np.flatnonzero(every)
        trials = every[pairs]
    else:
        pairs, trials = np.unique(key, return_counts=True)
    return Roster(first, second, _times(first, second, n), pairs, trials)


def counts_of_subjects(errors: ArrayLike, trials: ArrayLike) -> tuple[IntArray, IntArray]:
    """The errors and trials of each subject, checked; subjects without trials are left out."""
    wrong, done = np.asarray(errors), np.asarray(trials)
    if wrong.shape != done.shape or wrong.ndim != 1:
        raise InputError(f"errors have shape {wrong.shape}, trials {done.shape}; expected one number a subject of each")
    if wrong.size and not (wrong.dtype.kind in "iu" and done.dtype.kind in "iu"):
        raise InputError(f"errors are {wrong.dtype}, trials {done.dtype}; expected whole numbers, one a subject")
    if (wrong < 0).any() or (wrong > done).any():
        row = int(np.flatnonzero((wrong < 0) | (wrong > done))[0])
        raise InputError(f"subject {row + 1:,}: {wrong[row]} errors in {done[row]} trials; expected 0 to all of them")
    return wrong[done > 0].astype(np.int64), done[done > 0].astype(np.int64)


def _times(first: IntArray, second: IntArray, n: int) -> IntArray:
    """How often each person stands on either side."""
    times: IntArray = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return times


def _keys(first: IntArray, second: IntArray, n: int) -> IntArray:
    """One number a pair of people, the same either way round."""
    return np.minimum(first, second) * n + np.maximum(first, second)


def _ends(first: NDArray[Any], second: NDArray[Any], *, same_people: bool) -> tuple[IntArray, IntArray]:
    if not same_people:
        left, right = _numbered(first), _numbered(second)
        return left.codes[0].astype(np.int64), right.codes[0].astype(np.int64) + left.n
    numbered = _numbered(first, second)
    probe, reference = (codes.astype(np.int64) for codes in numbered.codes)
    alone = np.flatnonzero(probe == reference)
    if alone.size:
        name = str(numbered.ids[probe[alone[0]]])
        raise InputError(
            f"comparison {int(alone[0]) + 1:,} is of subject {name!r} with itself; expected two people; leave it "
            "out, or give probes and references ids of their own (same_people=False takes them so)"
        )
    return probe, reference


def _numbered(*columns: NDArray[Any]) -> EncodedIds:
    numbered = codes_of(columns)
    if numbered is None:
        raise InputError("a subject id is missing; expected one for every trial; leave out the trials without")
    return numbered


def _checked(error: ArrayLike, **columns: ArrayLike) -> tuple[NDArray[np.bool_], list[NDArray[Any]]]:
    wrong = np.asarray(error)
    if wrong.dtype != np.bool_ or wrong.ndim != 1:
        raise InputError(f"errors are {wrong.dtype} of shape {wrong.shape}; expected True or False for each trial")
    arrays = [np.asarray(column) for column in columns.values()]
    for name, array in zip(columns, arrays, strict=True):
        if array.shape != wrong.shape:
            raise InputError(f"{name}: {array.size:,} ids for {wrong.size:,} trials; expected one each")
    return wrong, arrays


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


@dataclass(frozen=True, slots=True)
class AnnexB:
    """A rate over subjects, and its variance; both NaN where they cannot be had."""

    rate: float
    variance: float
    subjects: int

    def interval(self, level: float = LEVEL, side: str = "both") -> Interval:
        """The normal interval.

        >>> five_of_174 = annex_b([1] * 5 + [0] * 169, [1] * 174)
        >>> round(five_of_174.interval(level=0.8).high, 4)
        0.045
        """
        half = normal_quantile(tail_of(level, side)) * math.sqrt(self.variance)
        if math.isnan(self.rate):
            return Interval.undefined(NO_TRIALS, level)
        if math.isnan(self.variance):
            return Interval.undefined(say("reason.one_subject"), level)
        if self.rate in (0.0, 1.0):
            interval = proportion(self.rate * self.subjects, self.subjects, level=level, side=side)
            seen = ONLY_ERRORS if self.rate else NO_ERROR
            return replace(interval, method=say("method.exact_subjects"), reason=seen)
        low = 0.0 if side == "upper" else max(0.0, self.rate - half)
        high = 1.0 if side == "lower" else min(1.0, self.rate + half)
        return Interval(low, high, level, say("method.normal_iso"), side=side)


def annex_b(errors: ArrayLike, trials: ArrayLike) -> AnnexB:
    """The rate and its variance from the errors and trials of each subject."""
    wrong, done = counts_of_subjects(errors, trials)
    subjects, total = int(done.size), int(done.sum())
    if not total:
        return AnnexB(math.nan, math.nan, 0)
    rate = int(wrong.sum()) / total
    if subjects < 2:
        return AnnexB(rate, math.nan, subjects)
    mean = total / subjects
    variance = float(((wrong - rate * done) ** 2).sum()) / (mean * mean * subjects * (subjects - 1))
    return AnnexB(rate, variance, subjects)
