"""Which interval and which classical test fit a measure: values that a measure hands out and `stats` makes real.

Conventions: a plan says what is known of the measure, never of the data. Where the data do not allow a plan (nobody
failed, nothing can be resampled, errors are many) `stats` says so or resamples instead. `outcome` names, in words of
the mode, which trials count as wrong where that depends on the measure (see `identification.common` and, for
predictions, `Judged`); None where it is the usual of comparisons: a mated one that is rejected, a non-mated one that is
accepted. Searches and predictions have nothing usual: without an outcome they have no worst curve. For a kind of trial
of another package the outcome of a `Proportion` is a function of the trials, which are wrong (a mask).

    Resample      the usual: by unit; where no error was made, the worst curve that two bounds allow
    Overfitted    resampled, but fitted to the data themselves and so too good: the bias is added to one end
    Proportion    errors out of trials, whatever the threshold
    AtThreshold   a rate of one class at a threshold that is given
    AtTarget      a rate of one class where a rate of the other keeps a promise
    Follows       as another measure, mapped through what the value makes of it: one number, one interval
    AreaToTarget  an area up to a target: where errors are few, from the rates at the targets below it
    BothRates     a weighted sum of both error rates at a threshold, given or the best one
    Alike         resampled, but for a value of 0 or 1, which every resample repeats
    AllFirst      a summary of ranks; where every mate is first, as far as the worst share of last ones may take it
    Median        the rank that half of all mates reach
    OverGroups    a mean over groups of trials
    OverBins      a distance between what bins of probabilities promise and what came true
    OfPositives   a function of the share of positives alone
    NoInterval    none, and why

    OfAreas       two systems are tested by their areas under the ROC (DeLong)
    OfDecisions   or by their decisions at a threshold that is given (McNemar)

Holds these, `Failed`, `Judged`, and `IntervalPlan` and `PairedTest`, any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message

if TYPE_CHECKING:
    from bertillon.measures.base import Measure
    from bertillon.measures.operating_point import Target


class Failed(Enum):
    """Which failures are counted into a rate: of mated or of other comparisons, or of enrolments."""

    MATED = "mated"
    NONMATED = "nonmated"
    ENROLMENTS = "enrolments"


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
class Overfitted:
    """Resampled by unit, of a value that a fit to these very data makes too small, or too large (`above`)."""

    resample: Resample
    above: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """Errors out of trials; `success` where the value is what is left of their share.

    By unit where `outcome` says which trials are wrong, else as the result has them, trials taken as independent.
    """

    success: bool = False
    outcome: Hashable = None


@dataclass(frozen=True, slots=True)
class Proportion(_Share):
    """A share of all trials of a kind."""

    resample: Resample = Resample()  # where a formula is not asked for


@dataclass(frozen=True, slots=True)
class AtThreshold(_Share):
    """A rate of mated or of other trials at a threshold in the user's units."""

    threshold: float
    mated: bool


@dataclass(frozen=True, slots=True)
class AtTarget(_Share):
    """A rate of the trials that the target is not about, read where the target is met."""

    target: Target


@dataclass(frozen=True, slots=True)
class Follows:
    """As `base`, a rate, is, mapped: shift + scale base + on_target (the error rate that the target of base is about).

    `target` is the error rate that is promised: up to it that rate may lie off. Where failures count in, a share f of
    them, the value is (1 - f) base, and f more where failures `add` to it.
    """

    base: Measure
    scale: float = 1.0
    shift: float = 0.0
    on_target: float = 0.0
    target: float = 0.0
    counted: bool = False  # the value is a number of trials, not their share
    failed: Failed | None = None
    add: bool = False


@dataclass(frozen=True, slots=True)
class AreaToTarget:
    """The area under the rate of successes up to a target; `value_of` is the value for an area."""

    target: Target
    value_of: Callable[[float], float]
    resample: Resample = Resample()  # where errors are enough


@dataclass(frozen=True, slots=True)
class BothRates:
    """on_fmr FMR + on_fnmr FNMR at the threshold of the result.

    Where that is the best one no sum is above that of the better blind decision, to accept all or to reject all.
    """

    on_fmr: float
    on_fnmr: float
    best: bool = False
    success: bool = False  # the value is what the sum leaves of 1
    by_share: bool = False  # each weight is that of one trial, and counts by the share of its class in the data


@dataclass(frozen=True, slots=True)
class Alike:
    """Resampled, unless the value is 0 or 1; then a rate at a threshold."""

    rate: AtThreshold


@dataclass(frozen=True, slots=True)
class AllFirst:
    """Resampled, unless every mate is first; where there is a `reason`, without an interval then.

    If all are first, as many may be last as the bound on `outcome` allows: `worst` is the value for such a share and
    the last rank.
    """

    outcome: Hashable
    worst: Callable[[float, float], float]
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Median:
    """The rank that half of all mates reach, from the intervals of the shares that reach each rank of `outcome`."""

    outcome: Hashable


@dataclass(frozen=True, slots=True)
class OverGroups:
    """Student's interval of a mean over groups, taken as independent, of what `each` is in every group."""

    each: Measure


OfBins = Callable[[NDArray[Any], NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class OverBins:
    """A calibration error: from counts, mean probabilities and observed shares of bins (the last axis).

    `value` is as the measure has it, `truth` the same without what is taken off for chance.
    """

    value: OfBins
    truth: OfBins
    bins: int
    mass: bool = False  # bins of equal mass
    by_class: bool = False  # every class has its own bins
    added: bool = False  # over classes the errors are added up, not averaged
    largest: bool = False  # the error is that of one bin
    resample: Resample = Resample()  # where a formula is not asked for


@dataclass(frozen=True, slots=True)
class OfPositives:
    """What `value` is over the interval of the share of positives, where there are two classes; else resampled."""

    value: Callable[[float], float]


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
IntervalPlan = (
    Resample
    | Overfitted
    | Proportion
    | AtThreshold
    | AtTarget
    | Follows
    | AreaToTarget
    | BothRates
    | Alike
    | AllFirst
    | Median
    | OverGroups
    | OverBins
    | OfPositives
    | NoInterval
)
