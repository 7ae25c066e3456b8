"""Error rates of trials that share people: which people, how often, and the variance that comes of it.

The variance of the rate p is found from what each person adds to it (Fogliato, Patil and Perona 2023):

    by subject   V = sum over subjects of (errors - p trials)^2 / trials^2
    by pair      V = (Q + max(0, P - 2 Q)) / trials^2, where Q and P are sums of squares of errors - p trials, of each
                 pair of people and of each person: their sum over ordered pairs, rearranged

Conventions: a person counts wherever it stands, as probe or as reference, and a pair is the same pair either way round.
Where probes and references are different people (an asymmetric roster) V is the variance of two-way clusters. Any list
of comparisons will do; the work grows with its length, not with the number of possible pairs.

Holds `rate_by_subject`, `rate_of_subjects` (from counts) and `rate_by_pair`; each gives a `DependentRate`. `roster_of`
makes a `Roster`, which answers for many thresholds what `rate_by_pair` answers for one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.id_codes import EncodedIds, codes_of
from bertillon.stats.dependence import correlation as assumed
from bertillon.stats.dependence.correlation import PersonSharing
from bertillon.stats.dependence.dependent_rate import DependentRate, carriers_of

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def rate_by_subject(subject: ArrayLike, error: ArrayLike, *, correlation: float = assumed.MATED) -> DependentRate:
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


def rate_of_subjects(errors: ArrayLike, trials: ArrayLike, *, correlation: float = assumed.MATED) -> DependentRate:
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
        correlation=assumed.check_correlation(correlation, most=1.0),
    )


def rate_by_pair(
    probe: ArrayLike,
    reference: ArrayLike,
    error: ArrayLike,
    *,
    same_people: bool = True,
    correlation: float = assumed.NONMATED,
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

    def rate(self, wrong: NDArray[np.bool_], *, correlation: float = assumed.NONMATED) -> DependentRate:
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
            correlation=assumed.check_correlation(correlation, most=0.5),
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
