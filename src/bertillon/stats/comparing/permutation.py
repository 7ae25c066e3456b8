"""Paired permutation test: if two systems are alike, it does not matter which of two scores is whose.

Conventions: the two scores of a comparison, or all scores of a subject's comparisons, change sides together by the toss
of a coin; how often is the difference then at least as large as the one seen? p = (1 + #) / (1 + permutations); where
all permutations are no more than were asked for, each is looked at once and p is exact.

Scores of two systems rarely have one scale, and to swap 0.7 with -12 means nothing. Each score is therefore replaced by
its rank among all scores of its own system (ties share the middle rank), oriented so that higher is more alike. A
measure that reads the order of scores alone (EER, FNMR@FMR=x, AUC, ...) has the same value on ranks. One that reads
their size (d', Cllr, a fixed threshold) has not, and needs `scale="scores"`: both systems must then speak of the same
thing, such as log-likelihood ratios.

`within="subject"` moves all comparisons of a probe's person together, mated and non-mated, which respects what they
have in common; what they share with the people they are compared with is not respected, and the bootstrap by subject
remains the better answer where non-mated comparisons decide.

Holds `permutation_test` with its `PermutationTest`, and `permute` for any statistic of two columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Need, take_tally
from bertillon.measures.base import Measure
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.resampling.weights import SIGNS, Draw, weights_of
from bertillon.stats.settings import Settings
from bertillon.trials.score_set import ScoreSet

FloatArray = NDArray[np.float64]
Statistic = Callable[[FloatArray, FloatArray], float]
ROUNDING = 1e-12  # differences closer than this are the same
UNITS = ("comparison", "subject")
SCALES = ("ranks", "scores")


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """How often a difference as large comes about by chance."""

    difference: float  # second - first
    p: float  # two-sided
    permutations: int
    exact: bool  # every permutation was looked at
    reason: Text | None = None


def permutation_test(
    first: ScoreSet,
    second: ScoreSet,
    measure: str | Measure,
    *,
    within: str = UNITS[0],
    scale: str = SCALES[0],
    settings: Settings | None = None,
) -> PermutationTest:
    """The paired permutation test of a measure, of two systems over the same comparisons in the same order.

    >>> a, b = ScoreSet([7, 8, 9], [1, 2, 3]), ScoreSet([7, 3, 9], [1, 2, 8])
    >>> permutation_test(a, b, "AUC").p
    0.5
    """
    asked = VERIFICATION.parse(measure)
    if scale not in SCALES or within not in UNITS:
        raise InputError(f"scale is {scale!r} and within {within!r}; expected one of {SCALES} and one of {UNITS}")
    if (first.mated.size, first.nonmated.size) != (second.mated.size, second.nonmated.size):
        raise InputError("the systems hold different numbers of scores; align them by their ids first")
    if scale == "ranks" and _reads_scores(asked):
        raise InputError(f"{asked} reads the size of scores, not their order alone; swapping needs scale='scores'")
    failures = asked.counts_failures or asked.counts_enrolments
    if failures and (first.failures != Failures() or second.failures != Failures()):
        raise InputError(f"{asked} counts failures, and a failed comparison has no score to swap; ask for FMR or FNMR")
    first_scores, second_scores = (_on_scale(system, scale) for system in (first, second))
    unit = _subjects(first) if within == "subject" else None
    mated = first.mated.size

    def difference(own: FloatArray, others: FloatArray) -> float:
        return _value(asked, others, mated) - _value(asked, own, mated)

    return permute(first_scores, second_scores, difference, unit=unit, settings=settings)


def permute(
    first: FloatArray,
    second: FloatArray,
    statistic: Statistic,
    *,
    unit: NDArray[Any] | None = None,
    settings: Settings | None = None,
) -> PermutationTest:
    """The test for any statistic of two columns that changes its sign when they change places.

    `unit` names what moves together; each row by itself where it is None.
    """
    chosen = settings or Settings()
    seen = statistic(first, second)
    if math.isnan(seen):
        return PermutationTest(seen, math.nan, 0, False, say("reason.difference_undefined"))
    unit_index = np.arange(first.size) if unit is None else np.unique(unit, return_inverse=True)[1]
    units = int(unit_index.max(initial=-1)) + 1
    exact = units < 60 and 2**units <= chosen.resamples
    as_far, looked_at = 0, 0
    for swapped in _every_choice(units) if exact else _random_choices(units, chosen):
        rows = swapped[unit_index]
        value = statistic(np.where(rows, second, first), np.where(rows, first, second))
        as_far += not abs(value) < abs(seen) - ROUNDING * max(1.0, abs(seen))  # undefined counts as far
        looked_at += 1
    p = as_far / looked_at if exact else (1 + as_far) / (1 + looked_at)
    return PermutationTest(seen, p, looked_at, exact)


def _every_choice(units: int) -> Iterator[NDArray[np.bool_]]:
    for number in range(2**units):
        yield (number >> np.arange(units)) & 1 == 1


def _random_choices(units: int, settings: Settings) -> Iterator[NDArray[np.bool_]]:
    draw = Draw(range(settings.resamples), settings.seed, SIGNS)
    for resample in draw.resamples:
        yield weights_of(units, draw.single(resample))[0] < 0


def _reads_scores(measure: Measure) -> bool:
    return bool(measure.needs & {Need.MOMENTS, Need.SCORES}) or bool(measure.thresholds)


def _on_scale(scores: ScoreSet, scale: str) -> FloatArray:
    """Mated then non-mated scores, oriented, as they are or as ranks."""
    both = scores.rule.orient(np.concatenate([scores.mated, scores.nonmated])).astype(np.float64)
    if scale == "scores":
        return both
    ordered = np.sort(both)
    return (np.searchsorted(ordered, both, side="left") + np.searchsorted(ordered, both, side="right")) / 2.0


def _value(measure: Measure, scores: FloatArray, mated: int) -> float:
    tally = take_tally(ScoreSet(scores[:mated], scores[mated:]), [measure.seek], measure.needs)
    return measure.of(tally).value


def _subjects(scores: ScoreSet) -> NDArray[Any]:
    """The probe's person of every comparison."""
    known = [ids.probe_subject if ids else None for ids in (scores.mated_ids, scores.nonmated_ids)]
    if any(subjects is None for subjects in known):
        raise InputError(f"{scores.name or 'the scores'}: who was compared is not known; within='subject' needs it")
    return np.concatenate([np.asarray(subjects).astype(np.str_) for subjects in known])
