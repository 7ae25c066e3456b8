"""Classical tests of two systems over the same comparisons: McNemar's of decisions, permutations of any measure.

McNemar: each system decides at its own threshold; which is wrong more often? Only comparisons that one system decides
rightly and the other wrongly tell anything: `first_only` of them the first system alone decides wrongly, `second_only`
the second alone. If both are equally good each is as likely as the other.

    exact       two-sided binomial
    mid-p       the same, what was seen counting half: less cautious, still holds its level (Fagerland et al. 2013)
    chi-square  (b - c)² / (b + c); corrected: (|b - c| - 1)² / (b + c)

These take comparisons as independent. Comparisons that share subjects are not; where subjects are known,
`compare_decisions` uses instead

    mated       all of a subject's comparisons change sides together: the exact distribution of the sum of ± what each
                subject has. With one comparison a subject this is the exact test.
    non-mated   each comparison has two subjects: the sum against its variance over comparisons that share one
                (as Fogliato et al. have it for one rate), never less than that of independent comparisons.

Permutations: if two systems are alike, it does not matter which of two scores is whose. The two scores of a comparison,
or all scores of a subject's comparisons, change sides together by the toss of a coin; how often is the difference then
at least as large as the one seen? p = (1 + #) / (1 + permutations); where all permutations are no more than were asked
for, each is looked at once and p is exact.

Scores of two systems rarely have one scale, and to swap 0.7 with -12 means nothing. Each score is therefore replaced by
its rank among all scores of its own system (ties share the middle rank), oriented so that higher is more alike. A
measure that reads the order of scores alone (EER, FNMR@FMR=x, AUC, ...) has the same value on ranks. One that reads
their size (d', Cllr, a fixed threshold) has not, and needs `scale="scores"`: both systems must then speak of the same
thing, such as log-likelihood ratios. `within="subject"` moves all comparisons of a probe's person together, mated and
non-mated; what they share with the people they are compared with is not respected, and the bootstrap by subject remains
the better answer where non-mated comparisons decide.

Holds `mcnemar`, `compare_decisions` and their `DecisionTest`; `permutation_test` with its `PermutationTest`, and
`permute` for any statistic of two columns; `checks_of`, which of the tests apply beside the bootstrap, each a `Check`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.counting.error_counts import Failures, FloatArray
from bertillon.counting.tally import Need, take_tally
from bertillon.measures.base import Measure
from bertillon.measures.plans import OfAreas, OfDecisions
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.areas import delong_test
from bertillon.stats.interval import ALIKE, Settings
from bertillon.stats.resampling import SIGNS, Draw, weights_of
from bertillon.trials.score_set import ScoreSet, TrialIds

DECISION_METHODS = ("exact", "mid-p", "chi-square", "corrected")
BY_SUBJECT = say("method.signs_of_subjects")
BY_TWO_SUBJECTS = say("method.shared_subjects")
Statistic = Callable[[FloatArray, FloatArray], float]
ROUNDING = 1e-12  # differences closer than this are the same
UNITS = ("comparison", "subject")
SCALES = ("ranks", "scores")


@dataclass(frozen=True, slots=True)
class DecisionTest:
    """Which of two systems is wrong more often."""

    first_only: int  # wrong decisions of the first system alone
    second_only: int
    p: float  # two-sided
    method: Text
    statistic: float = math.nan
    naive: bool = True  # comparisons were taken as independent
    reason: Text | None = None


def mcnemar(first_only: int, second_only: int, *, method: str = "mid-p") -> DecisionTest:
    """McNemar's test from the two counts that matter, comparisons taken as independent.

    >>> [round(mcnemar(10, 3, method=method).p, 5) for method in DECISION_METHODS]
    [0.09229, 0.05737, 0.0522, 0.09609]
    """
    if min(first_only, second_only) < 0:
        raise InputError(f"counts are {first_only} and {second_only}; expected 0 or more")
    if method not in DECISION_METHODS:
        raise InputError(f"method is {method!r}; expected one of {', '.join(DECISION_METHODS)}")
    total = first_only + second_only
    if not total:
        return DecisionTest(0, 0, 1.0, method, 0.0, reason=ALIKE)
    if method in ("exact", "mid-p"):
        statistic, p = float(min(first_only, second_only)), _binomial(first_only, second_only, half=method == "mid-p")
    else:
        apart = abs(first_only - second_only)
        apart = max(0, apart - 1) if method == "corrected" else apart
        statistic = apart**2 / total
        p = math.erfc(math.sqrt(statistic / 2.0))
    return DecisionTest(first_only, second_only, p, method, statistic)


def compare_decisions(
    first: ScoreSet, second: ScoreSet, thresholds: Sequence[float], *, kind: str, method: str | None = None
) -> DecisionTest:
    """McNemar's test of two systems over the same comparisons, aligned, each at its own threshold.

    `kind` is "mated" (false non-matches) or "nonmated" (false matches). By subject where all subjects are known, by
    mid-p where not; a `method` of `mcnemar` takes comparisons as independent.

    >>> a, b = ScoreSet([0.9, 0.8, 0.2], [0.1]), ScoreSet([0.9, 0.3, 0.6], [0.2])
    >>> compare_decisions(a, b, (0.5, 0.5), kind="mated").first_only
    1
    """
    if kind not in ("mated", "nonmated"):
        raise InputError(f"kind is {kind!r}; expected 'mated' or 'nonmated'")
    accepted = [s.rule.accepts(getattr(s, kind), t) for s, t in zip((first, second), thresholds, strict=True)]
    if accepted[0].shape != accepted[1].shape:
        raise InputError(
            f"{accepted[0].size:,} {kind} scores of one system and {accepted[1].size:,} of the other; expected the "
            "same comparisons: align the systems by their ids first"
        )
    wrong = ~np.array(accepted) if kind == "mated" else np.array(accepted)
    lead = wrong[1].astype(np.int64) - wrong[0]
    ids: TrialIds | None = getattr(first, f"{kind}_ids")
    if method is None and ids is not None and ids.probe_subject is not None:
        if kind == "mated":
            return _by_subject(lead, ids.probe_subject)
        if ids.reference_subject is not None:
            return _by_two_subjects(lead, ids.probe_subject, ids.reference_subject)
    return mcnemar(*_alone(lead), method=method or "mid-p")


def _alone(lead: NDArray[np.int64]) -> tuple[int, int]:
    """How many comparisons the first system alone decides wrongly, and the second."""
    return int((lead < 0).sum()), int((lead > 0).sum())


def _by_subject(lead: NDArray[np.int64], subject: NDArray[Any]) -> DecisionTest:
    """Every subject's sum may have either sign: how often is the whole at least as far from 0 as what was seen?"""
    discordant = lead != 0
    _, index = np.unique(_plain(subject[discordant]), return_inverse=True)
    sums = np.abs(np.bincount(index, weights=lead[discordant]).astype(np.int64))
    seen = abs(int(lead.sum()))
    reason = None if discordant.any() else ALIKE
    return DecisionTest(
        *_alone(lead), _at_least(seen, sums[sums > 0]), BY_SUBJECT, float(seen), naive=False, reason=reason
    )


def _at_least(seen: int, sizes: NDArray[np.int64]) -> float:
    """The chance that a sum of sizes, each with a sign of its own, is at least so far from 0.

    Its distribution is found from its characteristic function, the product of the cosines of the sizes.
    """
    if not seen:
        return 1.0
    total = int(sizes.sum())
    angles = 2.0 * np.pi * np.arange(total + 1) / (2 * total + 1)
    product = np.ones(total + 1)
    for size, times in zip(*np.unique(sizes, return_counts=True), strict=True):
        product *= np.cos(size * angles) ** times
    chances = np.fft.irfft(product, n=2 * total + 1)  # of 0, 1, ..., total, -total, ..., -1
    return float(np.clip(2.0 * chances[seen : total + 1].sum(), 2.0 ** (1.0 - sizes.size), 1.0))


def _by_two_subjects(lead: NDArray[np.int64], probe: NDArray[Any], reference: NDArray[Any]) -> DecisionTest:
    discordant = np.flatnonzero(lead)
    if not discordant.size:
        return DecisionTest(0, 0, 1.0, BY_TWO_SUBJECTS, 0.0, naive=False, reason=ALIKE)
    signs = lead[discordant]
    names, index = np.unique(
        np.concatenate([_plain(probe[discordant]), _plain(reference[discordant])]), return_inverse=True
    )
    first, second = index[: discordant.size], index[discordant.size :]
    sums = np.bincount(index, weights=np.tile(signs, 2))
    couples = np.minimum(first, second) * names.size + np.maximum(first, second)
    of_couple = np.bincount(np.unique(couples, return_inverse=True)[1], weights=signs)
    shared = float(sums @ sums - of_couple @ of_couple)
    z = float(signs.sum()) / math.sqrt(max(shared, float(discordant.size)))
    return DecisionTest(*_alone(lead), math.erfc(abs(z) / math.sqrt(2.0)), BY_TWO_SUBJECTS, z, naive=False)


def _plain(ids: NDArray[Any]) -> NDArray[Any]:
    """Ids that can be sorted quickly."""
    return ids.astype(np.str_) if ids.dtype == object else ids


def _binomial(first: int, second: int, *, half: bool) -> float:
    """Twice the chance of as few, or (half) that chance and the chance of fewer."""
    from scipy.special import bdtr

    low, total = min(first, second), first + second
    as_few = float(bdtr(low, total, 0.5))
    fewer = float(bdtr(low - 1, total, 0.5)) if low else 0.0
    return min(1.0, as_few + (fewer if half else as_few))


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


@dataclass(frozen=True, slots=True)
class Check:
    """A classical test of one measure: its p value, and what it rests on."""

    test: str
    measure: str
    p: float
    method: Text
    naive: bool
    wrong: tuple[int, int] | None = None  # decisions wrong in the first system alone, in the second alone
    reason: Text | None = None


def checks_of(first: ScoreSet, second: ScoreSet, measures: Sequence[Measure], *, paired: bool) -> tuple[Check, ...]:
    """Every classical test that applies."""
    checks = []
    for measure in measures:
        match measure.paired_test:
            case OfAreas():
                area = delong_test(first, second, paired=paired)
                checks.append(Check("DeLong", str(measure), area.p, area.interval.method, True, reason=area.reason))
            case OfDecisions(threshold, mated) if paired:
                kind = "mated" if mated else "nonmated"
                test = compare_decisions(first, second, (threshold, threshold), kind=kind)
                wrong = test.first_only, test.second_only
                checks.append(Check("McNemar", str(measure), test.p, test.method, test.naive, wrong, test.reason))
    return tuple(checks)
