"""What counting reads of scores of mated and non-mated comparisons, whoever holds them, and how these end.

Holds `Failures` (comparisons without a score), `Scores` (held in memory) and `Streamed` (that come by in batches); the
classes that hold them are in `trials`. What every one of these says of itself is the same: `definitions_of` and
`curves_of`. The four `Outcomes` at one threshold are counted from scores (`outcomes`) or read off a curve
(`outcomes_on`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import BinaryCounts

DISTINCT = say("signature.thresholds.scores")


@dataclass(frozen=True, slots=True)
class Failures:
    """Comparisons and enrolments that gave no score."""

    mated: int = 0
    nonmated: int = 0
    enrolments: int = 0
    enrolment_attempts: int = 0

    def __post_init__(self) -> None:
        for name in ("mated", "nonmated", "enrolments", "enrolment_attempts"):
            if getattr(self, name) < 0:
                raise InputError(f"failures: {name} is {getattr(self, name)}; expected a count of 0 or more")
        if self.enrolments > self.enrolment_attempts:
            raise InputError(
                f"failures: {self.enrolments} failed enrolments of {self.enrolment_attempts} attempts; "
                "expected at most as many failures as attempts"
            )

    @property
    def comparisons(self) -> int:
        """Failed comparisons of both kinds."""
        return self.mated + self.nonmated


class System(Protocol):
    """What is known of any scores."""

    @property
    def rule(self) -> AcceptRule: ...

    @property
    def failures(self) -> Failures: ...

    @property
    def name(self) -> str: ...


class Scores(System, Protocol):
    """Scores in memory, without those of failed comparisons."""

    @property
    def mated(self) -> NDArray[Any]: ...

    @property
    def nonmated(self) -> NDArray[Any]: ...

    @property
    def size(self) -> int: ...


def definitions_of(rule: AcceptRule, data: Text, thresholds: Text = DISTINCT) -> dict[str, Any]:
    """What rates of comparisons mean, and the fingerprint of the `data` they belong to."""
    return {
        "rule": say("signature.rule.accept", sign=rule.sign),
        "thresholds": thresholds,
        "targets": say("signature.targets.at_most"),
        "eer": say("signature.eer.interpolated"),
        "data": data,
    }


def curves_of(mated: int, nonmated: int) -> tuple[str, ...]:
    """ROC and DET, where there are scores of both kinds."""
    return ("roc", "det") if mated and nonmated else ()


class Streamed(System, Protocol):
    """Scores of one system that come by in batches."""

    @property
    def notes(self) -> tuple[Text, ...]: ...

    @property
    def warnings(self) -> tuple[Text, ...]: ...

    @property
    def expected(self) -> int | None: ...

    def __iter__(self) -> Iterator[Scores]: ...


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the comparisons of a score set end at a threshold; genuine and impostor in everyday words."""

    threshold: float
    true_match: int  # genuine accepted
    false_nonmatch: int  # genuine rejected
    true_nonmatch: int  # impostors rejected
    false_match: int  # impostors accepted


def outcomes(scores: Scores, threshold: float) -> Outcomes:
    """Count the outcomes; a score equal to the threshold is accepted.

    >>> from bertillon.trials.score_set import ScoreSet
    >>> outcomes(ScoreSet([0.9, 0.4], [0.1, 0.4]), 0.4)
    Outcomes(threshold=0.4, true_match=2, false_nonmatch=0, true_nonmatch=1, false_match=1)
    """
    true_match = int(np.count_nonzero(scores.rule.accepts(scores.mated, threshold)))
    false_match = int(np.count_nonzero(scores.rule.accepts(scores.nonmated, threshold)))
    return Outcomes(
        threshold, true_match, scores.mated.size - true_match, scores.nonmated.size - false_match, false_match
    )


def outcomes_on(counts: BinaryCounts, rule: AcceptRule, threshold: float) -> Outcomes:
    """The outcomes at the first threshold of a curve at least as strict; exact where the curve holds the threshold."""
    row = int(row_at(counts.threshold, rule.orient(threshold)))
    false_match, false_nonmatch = int(counts.false_match[row]), int(counts.false_nonmatch[row])
    return Outcomes(
        threshold, counts.n_mated - false_nonmatch, false_nonmatch, counts.n_nonmated - false_match, false_match
    )
