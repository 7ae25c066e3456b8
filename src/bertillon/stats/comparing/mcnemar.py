"""McNemar's test: two systems decide the same comparisons, each at its own threshold; which is wrong more often?

Only comparisons that one system decides rightly and the other wrongly tell anything: `first_only` of them the first
system alone decides wrongly, `second_only` the second alone. If both are equally good each is as likely as the other.

    exact       two-sided binomial
    mid-p       the same, what was seen counting half: less cautious, still holds its level (Fagerland et al. 2013)
    chi-square  (b - c)² / (b + c); corrected: (|b - c| - 1)² / (b + c)

These take comparisons as independent. Comparisons that share subjects are not; where subjects are known,
`compare_decisions` uses instead

    mated       all of a subject's comparisons change sides together: the exact distribution of the sum of ± what each
                subject has. With one comparison a subject this is the exact test.
    non-mated   each comparison has two subjects: the sum against its variance over comparisons that share one
                (as Fogliato et al. have it for one rate), never less than that of independent comparisons.

Holds `mcnemar`, `compare_decisions` and their `DecisionTest`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.stats.interval import ALIKE
from bertillon.trials.score_set import ScoreSet, TrialIds

DECISION_METHODS = ("exact", "mid-p", "chi-square", "corrected")
BY_SUBJECT = say("method.signs_of_subjects")
BY_TWO_SUBJECTS = say("method.shared_subjects")


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
    return mcnemar(int((lead < 0).sum()), int((lead > 0).sum()), method=method or "mid-p")


def _by_subject(lead: NDArray[np.int64], subject: NDArray[Any]) -> DecisionTest:
    """Every subject's sum may have either sign: how often is the whole at least as far from 0 as what was seen?"""
    counts = int((lead < 0).sum()), int((lead > 0).sum())
    discordant = lead != 0
    _, index = np.unique(_plain(subject[discordant]), return_inverse=True)
    sums = np.abs(np.bincount(index, weights=lead[discordant]).astype(np.int64))
    seen = abs(int(lead.sum()))
    reason = None if discordant.any() else ALIKE
    return DecisionTest(*counts, _at_least(seen, sums[sums > 0]), BY_SUBJECT, float(seen), naive=False, reason=reason)


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
    counts = int((lead < 0).sum()), int((lead > 0).sum())
    discordant = np.flatnonzero(lead)
    if not discordant.size:
        return DecisionTest(0, 0, 1.0, BY_TWO_SUBJECTS, 0.0, naive=False, reason=ALIKE)
    signs = lead[discordant]
    names, index = np.unique(
        np.concatenate([_plain(probe[discordant]), _plain(reference[discordant])]), return_inverse=True
    )
    first, second = index[: discordant.size], index[discordant.size :]
    sums = np.bincount(first, weights=signs, minlength=names.size) + np.bincount(
        second, weights=signs, minlength=names.size
    )
    couples = np.minimum(first, second) * names.size + np.maximum(first, second)
    _, couple = np.unique(couples, return_inverse=True)
    shared = float(sums @ sums - np.bincount(couple, weights=signs) @ np.bincount(couple, weights=signs))
    z = float(signs.sum()) / math.sqrt(max(shared, float(discordant.size)))
    return DecisionTest(*counts, math.erfc(abs(z) / math.sqrt(2.0)), BY_TWO_SUBJECTS, z, naive=False)


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
