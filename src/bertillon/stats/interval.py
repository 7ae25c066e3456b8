"""The interval of a number: its ends, its level, and how it was found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from bertillon.core.messages import Message, Text, say

LEVEL = 0.95
NO_ERROR = say("reason.no_error")
ONLY_ERRORS = say("reason.only_errors")
ALIKE = say("reason.decide_alike")


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, with the stated confidence.

    `method` says how it was found. `threshold` is the interval of the measure's own threshold, in the user's
    units, for a measure that picks one. `naive` is true where trials were taken as independent though nobody knows
    that they are. `reason` says why an interval is NaN, or why one end is only a bound.
    """

    low: float
    high: float
    level: float = LEVEL
    method: Text = ""
    threshold: tuple[float, float] | None = None
    naive: bool = False
    reason: Text | None = None

    @classmethod
    def undefined(cls, reason: Text, level: float = LEVEL) -> Interval:
        """No interval can be had, and why."""
        return cls(math.nan, math.nan, level, reason=reason)

    @classmethod
    def bounded(cls, ends: tuple[float, float], bounds: Message, own: Interval, reason: Text | None) -> Interval:
        """Ends made of bounds, each found as an interval of one's own was."""
        method = say("method.bounded", bounds=bounds, way=own.method)
        return cls(*ends, own.level, method, naive=own.naive, reason=reason)

    @property
    def ways(self) -> tuple[Text, ...]:
        """What its method consists of: bounds, and how these were found."""
        if isinstance(self.method, Message) and self.method.key == "method.bounded":
            return self.method.values["bounds"], self.method.values["way"]
        return (self.method,) if self.method else ()

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
