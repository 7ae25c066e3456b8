"""The interval of a number, and how intervals are asked for.

    auto                the default of each measure: a formula for proportions, subjects resampled for the rest
    percentile          subjects resampled, the middle of the resampled values
    bca                 the same, corrected for bias and skewness (Efron)
    double-or-nothing   each subject kept or left out by the toss of a coin, the middle of the values (Fogliato et al.)
    two-stage           subjects resampled, then the samples of each, the middle of the values (Poh et al.)

Holds `Interval`, `LEAST_PEOPLE` and `put_together`; `Settings` and the names of the methods, `METHODS`; and `LIMITS`,
up to which size measures are resampled.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say

LEVEL = 0.95
NO_ERROR = say("reason.no_error")
ONLY_ERRORS = say("reason.only_errors")
ALIKE = say("reason.decide_alike")
METHODS = ("auto", "percentile", "bca", "double-or-nothing", "two-stage")
LEAST_PEOPLE = 15  # from so many on intervals by subject hold what they claim
Claim = Literal["level", "at least", "rough", "none"]
RESAMPLES = (20, 1_000_000)  # fewer say nothing of a tail


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, with the stated confidence.

    `method` says how it was found. `threshold` is the interval of the measure's own threshold, in the user's
    units, for a measure that picks one. `naive` is true where trials were taken as independent though nobody knows
    that they are. `reason` says why an interval is NaN, why one end is only a bound, or what else to know of it.
    `claim` is how often such intervals hold the true value: about as often as the level says ("level"), at least so
    often, since an end is a bound ("at least"), about so often but not surely, since people are few ("rough"); "none"
    where there is no interval.
    """

    low: float
    high: float
    level: float = LEVEL
    method: Text = ""
    threshold: tuple[float, float] | None = None
    naive: bool = False
    reason: Text | None = None
    claim: Claim = "level"

    @classmethod
    def undefined(cls, reason: Text, level: float = LEVEL) -> Interval:
        """No interval can be had, and why."""
        return cls(math.nan, math.nan, level, reason=reason, claim="none")

    @classmethod
    def bounded(cls, ends: tuple[float, float], bounds: Message, own: Interval, reason: Text | None) -> Interval:
        """Ends made of bounds, each found as an interval of one's own was."""
        method = say("method.bounded", bounds=bounds, way=own.method)
        return cls(*ends, own.level, method, naive=own.naive, reason=reason, claim="at least")

    def by_people(self, people: int | None) -> Interval:
        """The same, with what so many people leave unsure; None where nobody knows how many there are.

        >>> str(Interval(0.1, 0.3).by_people(8).reason)
        'only 8 subjects: intervals are reliable from 15 subjects on'
        """
        if people is None or people >= LEAST_PEOPLE or self.claim in ("rough", "none"):
            return self
        few = say("reason.few_subjects", n=people, least=LEAST_PEOPLE)
        reason = few if self.reason is None else say("reason.of_both", first=self.reason, second=few)
        return replace(self, reason=reason, claim="rough")

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


def put_together(
    value: float, below: Iterable[float], above: Iterable[float], *, most: float = 1.0
) -> tuple[float, float]:
    """The ends of what is uncertain in several ways, from 0 to `most`: distances add as squares (MOVER).

    >>> put_together(0.5, [0.3, 0.4], [0.0, 0.1])
    (0.0, 0.6)
    """
    return max(value - math.hypot(*below), 0.0), min(value + math.hypot(*above), most)


@dataclass(frozen=True, slots=True)
class Settings:
    """What an interval is made with; the same settings give the same interval on any machine.

    >>> Settings(level=0.9).tails
    (0.05, 0.95)
    """

    level: float = LEVEL
    resamples: int = 1000
    seed: int = 0
    method: str = METHODS[0]
    by_group: bool = False  # predictions: resample their groups, not sample by sample

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level is {self.level!r}; expected a share from 0.5 to just below 1, such as 0.95")
        if not RESAMPLES[0] <= _whole(self.resamples, "resamples") <= RESAMPLES[1]:
            raise InputError(f"resamples is {self.resamples}; expected {RESAMPLES[0]} to {RESAMPLES[1]:,}")
        if not 0 <= _whole(self.seed, "seed") < 2**64:
            raise InputError(f"seed is {self.seed}; expected a whole number from 0 to 2**64 - 1")
        if self.method not in METHODS:
            raise InputError(f"method is {self.method!r}; expected one of {', '.join(METHODS)}")

    @property
    def tails(self) -> tuple[float, float]:
        """The shares of a distribution below the two ends."""
        out = (1.0 - self.level) / 2.0
        return round(out, 15), round(1.0 - out, 15)

    @property
    def scheme(self) -> str:
        """How subjects are weighted (see `resampling`)."""
        return self.method if self.method in ("double-or-nothing", "two-stage") else "multinomial"


def _whole(value: object, name: str) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} is {value!r}; expected a whole number") from None


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    resamples_together: int = 128  # counted at once, or fewer where there are many units
    cells_together: int = 1 << 20  # weighted counts of scores in cells that are read at once
    resampled_probabilities: int = 200_000  # measures that sort every column of more are not resampled a thousand times
    drawn_outcomes: int = 20_000_000  # of a test of calibration one by one; of more the sum in a bin is taken as normal
    jackknifed_probabilities: int = 5_000_000  # and of more than these not even with groups of samples left out


LIMITS = Limits()
