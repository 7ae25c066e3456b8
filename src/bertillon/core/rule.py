"""When is a comparison accepted? The only place where a score meets a threshold, and where ties are decided.

    a similarity is accepted when   score >= threshold
    a distance is accepted when     score <= threshold

A score *equal* to the threshold is accepted in both. Whoever holds scores in the user's units asks
`AcceptRule.accepts`; of oriented scores, whoever holds them in any order asks `passes`, whoever holds them sorted
`count_rejected`, whoever holds the thresholds sorted `count_passed`, and whoever holds a curve `row_at`. The compiled
loops of `counting`, which can call none of them, do the same and are tested against them.

Conventions: inside bertillon every score is *oriented*: higher means more alike, so distances are negated once on the
way in and thresholds once on the way out.

Holds `AcceptRule`, `passes`, `count_rejected`, `count_passed`, `row_at` and `readable`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError


class AcceptRule(Enum):
    """The direction of a score: which side of the threshold is accepted.

    Parameters
    ----------
    value
        "similarity" or "distance".

    Examples
    --------
    >>> AcceptRule("distance").accepts(0.3, 0.5)
    True
    """

    SIMILARITY = "similarity"
    DISTANCE = "distance"

    @classmethod
    def of(cls, rule: AcceptRule | str) -> AcceptRule:
        """The rule itself or the rule of that name."""
        try:
            return cls(rule)
        except ValueError:
            raise InputError(f"rule is {rule!r}; expected 'similarity' or 'distance'") from None

    def accepts(self, score: ArrayLike, threshold: float) -> Any:
        """Is the score accepted at the threshold? A score equal to the threshold is.

        >>> AcceptRule.SIMILARITY.accepts(0.7, 0.7), AcceptRule.DISTANCE.accepts(0.8, 0.7)
        (True, False)
        """
        outcome = passes(self.orient(score), self.orient(threshold))
        return bool(outcome) if np.ndim(outcome) == 0 else outcome

    def orient(self, scores: ArrayLike) -> NDArray[Any]:
        """The scores turned so that higher means more alike; a similarity is returned as it is, not copied."""
        array = np.asarray(scores)
        return array if self is AcceptRule.SIMILARITY else -array

    def restore(self, oriented: float) -> float:
        """An oriented threshold back in the user's units.

        >>> AcceptRule.DISTANCE.restore(-0.4)
        0.4
        """
        value = float(oriented) if self is AcceptRule.SIMILARITY else -float(oriented)
        return value + 0.0  # never show a negative zero

    @property
    def factor(self) -> int:
        """What orients a score: 1, or -1 for a distance."""
        return 1 if self is AcceptRule.SIMILARITY else -1

    @property
    def sign(self) -> str:
        """The comparison in symbols, for tables and axes."""
        return ">=" if self is AcceptRule.SIMILARITY else "<="


def passes(oriented: NDArray[Any], threshold: ArrayLike) -> Any:
    """Which of the oriented scores pass an oriented threshold? NaN, a failed comparison, never does.

    >>> passes(np.array([0.2, 0.7, np.nan]), 0.7).tolist()
    [False, True, False]
    """
    return oriented >= threshold


def count_rejected(ordered: NDArray[Any], thresholds: ArrayLike) -> Any:
    """How many of the oriented scores, in ascending order, are rejected at each oriented threshold: those below it.

    >>> count_rejected(np.array([0.2, 0.7, 0.7, 0.9]), [0.7, 0.8]).tolist()
    [1, 3]
    """
    return np.searchsorted(ordered, thresholds, side="left")


def count_passed(thresholds: NDArray[Any], oriented: ArrayLike) -> Any:
    """How many of the oriented thresholds, in ascending order, each oriented score passes: those up to itself.

    >>> count_passed(np.array([0.2, 0.7, 0.9]), [0.7, 0.8, 0.1]).tolist()
    [2, 2, 0]
    """
    return np.searchsorted(thresholds, oriented, side="right")


def row_at(candidates: NDArray[Any], thresholds: ArrayLike) -> Any:
    """The row of a curve at which the same scores pass as at a threshold: the first that is at least as strict.

    Both are oriented, and the candidates ascend; beyond the last, which rejects all, nothing changes.

    >>> row_at(np.array([0.2, 0.7, np.inf]), [0.7, 0.71]).tolist()
    [1, 2]
    """
    return np.minimum(np.searchsorted(candidates, thresholds, side="left"), candidates.size - 1)


def readable(threshold: float, digits: int = 6) -> str:
    """A finite threshold as people read it and set it: to so many digits, but a whole number is never rounded.

    >>> readable(0.123456789), readable(1195123.0), readable(12345.0, digits=4)
    ('0.123457', '1195123', '12345')
    """
    short = f"{threshold:.{digits}g}"
    before_point = len(f"{abs(threshold):.0f}")
    return short if float(short) == threshold or not digits < before_point <= 15 else f"{threshold:.{before_point}g}"
