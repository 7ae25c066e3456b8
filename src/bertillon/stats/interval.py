"""The interval of a number: its ends, its level, and how it was found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, with the stated confidence.

    `method` says in words how it was found. `threshold` is the interval of the measure's own threshold, in the user's
    units, for a measure that picks one. `naive` is true where trials were taken as independent though nobody knows
    that they are. `reason` says why an interval is NaN, or why one end is only a bound.
    """

    low: float
    high: float
    level: float = LEVEL
    method: str = ""
    threshold: tuple[float, float] | None = None
    naive: bool = False
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str, level: float = LEVEL) -> Interval:
        """No interval can be had, and why."""
        return cls(math.nan, math.nan, level, reason=reason)

    @property
    def complement(self) -> Interval:
        """That of 1 less the number: of a rate of successes, from that of errors.

        >>> Interval(0.25, 0.5).complement.high
        0.75
        """
        return replace(self, low=1.0 - self.high, high=1.0 - self.low)

    def holds(self, value: float) -> bool:
        """Does the value lie inside, the ends included?

        >>> Interval(0.1, 0.3).holds(0.3)
        True
        """
        return self.low <= value <= self.high
