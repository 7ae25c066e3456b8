"""How each person fares in a test: the scores with oneself, as the target of others, and as the one who tries.

Conventions: of a non-mated comparison the reference (the column of a matrix) is the target and the probe (its row) the
attacker. Means are in the user's units; a person without such comparisons has no mean. Errors are those at a threshold,
where one is given.

Holds `subject_scores`, `SubjectScores` and its parts, each a `ComparisonSums`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.rule import AcceptRule
from bertillon.counting.id_codes import codes_of
from bertillon.trials.score_set import ScoreSet, TrialIds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonSums:
    """Comparisons of one kind, person by person: how many, the sum of their scores, and how many are errors."""

    comparisons: IntArray
    total: FloatArray
    errors: IntArray | None = None  # None without a threshold

    @property
    def mean(self) -> FloatArray:
        """The mean score; NaN where there is none."""
        return np.where(self.comparisons > 0, self.total / np.maximum(self.comparisons, 1), np.nan)

    @property
    def rate(self) -> FloatArray:
        """The share of errors; NaN without comparisons or without a threshold."""
        if self.errors is None:
            return np.full(self.comparisons.size, np.nan)
        return np.where(self.comparisons > 0, self.errors / np.maximum(self.comparisons, 1), np.nan)

    def __add__(self, other: ComparisonSums) -> ComparisonSums:
        both = None if self.errors is None or other.errors is None else self.errors + other.errors
        return ComparisonSums(self.comparisons + other.comparisons, self.total + other.total, both)


@dataclass(frozen=True, slots=True, eq=False)
class SubjectScores:
    """Every person of a test, in ascending order of the ids, and what their comparisons gave."""

    subject: NDArray[Any]
    genuine: ComparisonSums
    target: ComparisonSums
    attacker: ComparisonSums
    owner: IntArray  # whose each mated comparison is, by the place in `subject`
    met: IntArray  # likewise the reference of each non-mated comparison
    tried: IntArray  # and its probe
    rule: AcceptRule
    threshold: float | None = None
    name: str = ""

    def __len__(self) -> int:
        return int(self.subject.size)

    @property
    def impostor(self) -> ComparisonSums:
        """Non-mated comparisons on either side."""
        return self.target + self.attacker

    def to_frame(self) -> pl.DataFrame:
        """One row a person."""
        columns: dict[str, Any] = {"subject": self.subject.astype(str)}
        for name in ("genuine", "target", "attacker", "impostor"):
            tries: ComparisonSums = getattr(self, name)
            columns |= {f"{name}_mean": tries.mean, f"{name}_comparisons": tries.comparisons}
        if self.threshold is not None:
            columns |= {"fnmr": self.genuine.rate, "fmr_target": self.target.rate, "fmr_attacker": self.attacker.rate}
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def subject_scores(scores: ScoreSet, threshold: float | None = None) -> SubjectScores:
    """What each person's comparisons gave; the ids of the people must be known.

    >>> own, others = np.array(["a", "b"]), np.array(["b", "a"])
    >>> ids = TrialIds(own, own), TrialIds(own, others)
    >>> found = subject_scores(ScoreSet([0.9, 0.6], [0.3, 0.1], mated_ids=ids[0], nonmated_ids=ids[1]))
    >>> found.genuine.mean.tolist(), found.target.mean.tolist(), found.attacker.mean.tolist()
    ([0.9, 0.6], [0.1, 0.3], [0.3, 0.1])
    """
    if threshold is not None and np.isnan(threshold):
        raise InputError("threshold is nan; expected a number")
    own, again = _mated_subjects(scores)
    probe, reference = _nonmated_subjects(scores)
    numbered = codes_of([own, again, probe, reference])
    if numbered is None:
        raise InputError("some comparison has no id of a person; behaviour by person needs everyone's: fill them in")
    owner, twin, tried, met = numbered.codes
    if (owner != twin).any():
        row = int((owner != twin).argmax())
        raise InputError(
            f"mated comparison {row + 1:,} is of two people, {own[row]} and {again[row]}; "
            "expected one: check the labels and the ids"
        )

    def tries(values: NDArray[Any], who: NDArray[Any], wrong: NDArray[np.bool_] | None) -> ComparisonSums:
        n = numbered.n
        errors = None if wrong is None else np.bincount(who[wrong], minlength=n)
        total: Any = np.bincount(who, weights=values, minlength=n)
        return ComparisonSums(np.bincount(who, minlength=n), total, errors)

    rejected = None if threshold is None else ~scores.rule.accepts(scores.mated, threshold)
    accepted = None if threshold is None else scores.rule.accepts(scores.nonmated, threshold)
    return SubjectScores(
        numbered.ids,
        tries(scores.mated, owner, rejected),
        tries(scores.nonmated, met, accepted),
        tries(scores.nonmated, tried, accepted),
        owner,
        met,
        tried,
        scores.rule,
        threshold,
        scores.name,
    )


def _mated_subjects(scores: ScoreSet) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whose the mated comparisons are, by both sides where both are known."""
    ids = scores.mated_ids or TrialIds()
    known = [side for side in (ids.probe_subject, ids.reference_subject) if side is not None]
    if not known:
        raise _unknown(scores, "mated")
    return np.asarray(known[0]), np.asarray(known[-1])


def _nonmated_subjects(scores: ScoreSet) -> tuple[NDArray[Any], NDArray[Any]]:
    ids = scores.nonmated_ids or TrialIds()
    if ids.probe_subject is None or ids.reference_subject is None:
        raise _unknown(scores, "non-mated")
    return np.asarray(ids.probe_subject), np.asarray(ids.reference_subject)


def _unknown(scores: ScoreSet, kind: str) -> InputError:
    return InputError(
        f"{scores.name or 'scores'}: nobody knows who was compared in the {kind} comparisons; behaviour by person "
        "needs columns probe_subject and reference_subject (--column probe_subject=NAME), a matrix, or templates"
    )
