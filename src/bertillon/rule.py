"""When is a comparison accepted? The only place where a score meets a threshold.

Conventions: a similarity is accepted when score >= threshold, a distance when score <= threshold; a score equal
to the threshold is accepted in both. Inside bertillon every score is *oriented*: higher means more alike, so
distances are negated once on the way in and thresholds once on the way out.

Holds `AcceptRule`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class AcceptRule(Enum):
    """The direction of a score: which side of the threshold is accepted."""

    SIMILARITY = "similarity"
    DISTANCE = "distance"

    @classmethod
    def of(cls, rule: AcceptRule | str) -> AcceptRule:
        """The rule itself or the rule of that name."""
        return rule if isinstance(rule, cls) else cls(rule)

    def accepts(self, score: ArrayLike, threshold: float) -> Any:
        """Is the score accepted at the threshold? A score equal to the threshold is.

        >>> AcceptRule.SIMILARITY.accepts(0.7, 0.7), AcceptRule.DISTANCE.accepts(0.8, 0.7)
        (True, False)
        """
        outcome = self.orient(score) >= self.orient(threshold)
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
