"""The four outcomes of verification at one threshold, counted from the scores or read off a curve.

Holds `Outcomes`, `outcomes` (of scores) and `outcomes_on` (of a curve).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.scores import Scores


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
