"""Which interval and which classical test fit a measure: values that a measure hands out and `stats` makes real.

Conventions: a plan says what is known of the measure, never of the data. Where the data do not allow a plan (nobody
failed, nothing can be resampled, errors are many) `stats` says so or resamples instead. `outcome` names, in words of
the mode, which trials count as wrong where that depends on the measure (see `identification.common` and, for
predictions, `Judged`); None where it is the usual of comparisons: a mated one that is rejected, a non-mated one that is
accepted. Searches and predictions have nothing usual: without an outcome they have no worst curve. For a kind of trial
of another package the outcome of a `Proportion` is a function of the trials, which are wrong (a mask).

    Resample      the usual: by unit; where no error was made, the worst curve that two bounds allow
    Proportion    errors out of trials, whatever the threshold
    AtThreshold   a rate of one class at a threshold that is given
    AtTarget      a rate of one class where a rate of the other keeps a promise
    Alike         resampled, but for a value of 0 or 1, which every resample repeats
    AllFirst      a summary of ranks; where every mate is first, as far as the worst share of last ones may take it
    Median        the rank that half of all mates reach
    OverGroups    a mean over groups of trials
    NoInterval    none, and why

    OfAreas       two systems are tested by their areas under the ROC (DeLong)
    OfDecisions   or by their decisions at a threshold that is given (McNemar)

Holds these, `Target`, `Judged`, and `IntervalPlan` and `PairedTest`, any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bertillon.core.messages import Message

if TYPE_CHECKING:
    from bertillon.measures.base import Measure


class Judged(Enum):
    """What a plan takes as an error of a classifier."""

    DECISIONS = "a decision that is wrong"
    RANKING = "a negative with as high a score as a positive"
    ACCEPTED = "a negative among what is accepted"


@dataclass(frozen=True, slots=True)
class Resample:
    """Resampled by unit; `worst` is what is asked of the worst curve where no error was made, None to resample then."""

    worst: Measure | None = None
    outcome: Hashable = None
    most: int | None = None  # trials that can be resampled in a sensible time
    too_many: Message | None = None  # what is said of more
    by_class: bool = False  # every class of several is sorted by itself: where that takes too long, the jackknife


@dataclass(frozen=True, slots=True)
class Proportion:
    """Errors out of trials; `success` where the value is what is left of their share.

    By unit where `outcome` says which trials are wrong, else as the result has them, trials taken as independent.
    """

    success: bool = False
    outcome: Hashable = None
    resample: Resample = Resample()  # where a formula is not asked for


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """A rate of mated or of other trials at a threshold in the user's units."""

    threshold: float
    mated: bool
    success: bool = False
    outcome: Hashable = None
    counted: bool = False  # the value is a number of trials, not their share
    failures: bool = False  # failed trials are counted in: resampled where there are some


@dataclass(frozen=True, slots=True)
class Target:
    """A promise such as FMR = 0.001: of which trials, of errors or of successes."""

    key: str
    value: float
    mated: bool
    success: bool = False

    @property
    def error(self) -> float:
        """The error rate that is promised."""
        return 1.0 - self.value if self.success else self.value


@dataclass(frozen=True, slots=True)
class AtTarget:
    """A rate of the trials that the target is not about, read where the target is met."""

    target: Target
    success: bool = False
    outcome: Hashable = None


@dataclass(frozen=True, slots=True)
class Alike:
    """Resampled, unless the value is 0 or 1; then a rate at a threshold, or a share of so many independent trials."""

    rate: AtThreshold | int
    reason: Message | None = None  # what is said then


@dataclass(frozen=True, slots=True)
class AllFirst:
    """Resampled, unless every mate is first.

    Then as many may be last as the bound on `outcome` allows: `worst` is the value for such a share and the last rank.
    """

    outcome: Hashable
    worst: Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Median:
    """The rank that half of all mates reach, from the intervals of the shares that reach each rank of `outcome`."""

    outcome: Hashable


@dataclass(frozen=True, slots=True)
class OverGroups:
    """Student's interval of a mean over groups, taken as independent, of what `each` is in every group."""

    each: Measure


@dataclass(frozen=True, slots=True)
class NoInterval:
    """No interval is offered."""

    reason: Message


@dataclass(frozen=True, slots=True)
class OfAreas:
    """DeLong's test."""


@dataclass(frozen=True, slots=True)
class OfDecisions:
    """McNemar's test of the decisions about mated or about other trials at a threshold in the user's units."""

    threshold: float
    mated: bool


PairedTest = OfAreas | OfDecisions
IntervalPlan = Resample | Proportion | AtThreshold | AtTarget | Alike | AllFirst | Median | OverGroups | NoInterval
