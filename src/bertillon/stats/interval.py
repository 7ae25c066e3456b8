"""The interval of a number, how intervals are asked for, and what so many independent trials show.

    auto                the default of each measure: a formula for proportions, subjects resampled for the rest
    percentile          subjects resampled, the middle of the resampled values
    bca                 the same, corrected for bias and skewness (Efron)
    double-or-nothing   each subject kept or left out by the toss of a coin, the middle of the values (Fogliato et al.)
    two-stage           subjects resampled, then the samples of each, the middle of the values (Poh et al.)

The interval of a share of errors, and the rules of thumb:

    clopper-pearson   exact: never covers less than it says, often more
    wilson            the rates that a score test does not reject: covers what it says on average
    jeffreys          equal tails of the posterior under the prior Beta(1/2, 1/2)
    agresti-coull     Wilson's middle with a normal width; never narrower than Wilson
    rule of 3         no error in n trials: the rate is below 3 / n with 95 % confidence (1.61 / n with 80 %)
    rule of 30        30 errors: the true rate is within 30 % of the one seen, with 90 % confidence (Doddington)

Conventions: without errors the lower end is 0, without successes the upper end is 1. Two-sided intervals leave half of
1 - level on each side; a one-sided bound leaves all of it on one side and the other end is 0 or 1. Numbers need not be
whole: an effective number of trials (see `shared_people`) is a number of trials like any other. The rule of 3 is a
one-sided bound, whose numerator is -ln(1 - level), rounded up to two decimals; the rule of 30 speaks of both sides.

Holds `Interval`, `LEAST_PEOPLE` and `put_together`; `Settings` and the names of the methods, `WAYS`; `LIMITS`, up to
which size measures are resampled; `proportion` (one), `independent` (one that is naive) and `proportions` (many at
once), `wilson_ends` and `needed_trials`; `decimals_for`, the digits that an interval supports, by `width_between`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.arguments import NUMBER
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.counting.error_counts import FloatArray
from bertillon.measures.base import NO_TRIALS

Ends = tuple[FloatArray, FloatArray]

LEVEL = 0.95
NO_ERROR = say("reason.no_error")
ONLY_ERRORS = say("reason.only_errors")
ALIKE = say("reason.decide_alike")
WAYS = ("auto", "percentile", "bca", "double-or-nothing", "two-stage")
LEAST_PEOPLE = 15  # from so many on intervals by subject hold what they claim
Claim = Literal["level", "at least", "rough", "none"]
SIDES = ("both", "upper", "lower")
ONE_SIDED = SIDES[1:]
MIRRORED = {"both": "both", "upper": "lower", "lower": "upper"}  # of what falls where the number rises
LEAST_OF_ONE_SIDE = 0.75  # confidence of a bound: half of an interval of 50 %
BY_NAME = {
    "clopper-pearson": say("method.clopper_pearson"),
    "wilson": say("method.wilson"),
    "jeffreys": say("method.jeffreys"),
    "agresti-coull": say("method.agresti_coull"),
}
EXACT = "clopper-pearson"  # never holds the true rate less often than it says, so it claims at least that
RULE_OF_30 = 30
RESAMPLES = (20, 1_000_000)  # fewer say nothing of a tail
MOST_DECIMALS = 12
ROUNDING = 1e-12  # ends that differ by no more than this share are one number


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, with the stated confidence.

    `method` says how it was found. `threshold` is the interval of the measure's own threshold, in the user's
    units, for a measure that picks one. `naive` is true where trials were taken as independent though nobody knows
    that they are. `reason` says why an interval is NaN, why one end is only a bound, or what else to know of it.
    `claim` is how often such intervals hold the true value: about as often as the level says ("level"), at least so
    often, since an end is a bound ("at least"), about so often but not surely, since people are few ("rough"); "none"
    where there is no interval. `side` is "upper" or "lower" where one end is a bound by itself, with all of the
    confidence, and the other end is where the values of the measure end.
    """

    low: float
    high: float
    level: float = LEVEL
    method: Text = ""
    threshold: tuple[float, float] | None = None
    naive: bool = False
    reason: Text | None = None
    claim: Claim = "level"
    side: str = SIDES[0]

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

    def one_sided(self, side: str, level: float, low: float = -math.inf, high: float = math.inf) -> Interval:
        """One end of an interval with equal tails as a bound of this level, for values from low to high.

        >>> proportion(5, 174, level=0.8).one_sided("upper", 0.9, 0.0, 1.0).high == proportion(5, 174, level=0.8).high
        True
        """
        if side not in ONE_SIDED:
            raise InputError(f"side is {side!r}; expected one of {', '.join(ONE_SIDED)}")
        if math.isnan(self.low):
            return replace(self, level=level, threshold=None, side=side)
        low, high = (low, self.high) if side == "upper" else (self.low, high)
        method = say(f"method.{side}_bound", way=self.method)
        return replace(self, low=low, high=high, level=level, threshold=None, side=side, method=method)

    @property
    def side_record(self) -> dict[str, str]:
        """Its side as JSON says it: nothing where there are two.

        >>> Interval(0.1, 0.3).side_record, Interval(0.0, 0.3, side="upper").side_record
        ({}, {'side': 'upper'})
        """
        return {} if self.side == SIDES[0] else {"side": self.side}

    @property
    def ways(self) -> tuple[Text, ...]:
        """What its method consists of: bounds, and how these were found."""
        method = self.method
        if isinstance(method, Message) and method.key in ("method.upper_bound", "method.lower_bound"):
            method = method.values["way"]
        if isinstance(method, Message) and method.key == "method.bounded":
            return method.values["bounds"], method.values["way"]
        return (method,) if method else ()

    @property
    def complement(self) -> Interval:
        """That of 1 less the number: of a rate of successes, from that of errors.

        >>> Interval(0.25, 0.5).complement.high
        0.75
        """
        return replace(self, low=1.0 - self.high, high=1.0 - self.low, side=MIRRORED[self.side])

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

    Parameters
    ----------
    level
        Confidence, such as 0.95.
    resamples
        How many are drawn.
    seed
        Random seed.
    method
        "auto", "percentile", "bca", "double-or-nothing" or "two-stage".
    by_group
        Resample the groups of predictions together.
    sides
        "both", or "upper" or "lower" for a bound of one side, which has all of the confidence. Bands of curves are
        two-sided.

    Examples
    --------
    >>> Settings(level=0.9).tails
    (0.05, 0.95)
    """

    level: float = LEVEL
    resamples: int = 1000
    seed: int = 0
    method: str = WAYS[0]
    by_group: bool = False  # predictions: resample their groups, not sample by sample
    sides: str = SIDES[0]

    def __post_init__(self) -> None:
        if not isinstance(self.level, NUMBER) or not 0.5 <= self.level < 1.0:
            raise InputError(f"level is {self.level!r}; expected a share from 0.5 to just below 1, such as 0.95")
        if not RESAMPLES[0] <= _whole(self.resamples, "resamples") <= RESAMPLES[1]:
            raise InputError(f"resamples is {self.resamples}; expected {RESAMPLES[0]} to {RESAMPLES[1]:,}")
        if not 0 <= _whole(self.seed, "seed") < 2**64:
            raise InputError(f"seed is {self.seed}; expected a whole number from 0 to 2**64 - 1")
        if self.method not in WAYS:
            raise InputError(f"method is {self.method!r}; expected one of {', '.join(WAYS)}")
        if self.sides not in SIDES:
            raise InputError(f"sides is {self.sides!r}; expected one of {', '.join(SIDES)}")
        if self.sides != "both" and self.level < LEAST_OF_ONE_SIDE:
            wanted = f"{LEAST_OF_ONE_SIDE} or more, such as 0.95"
            raise InputError(f"level is {self.level!r}; expected for a bound of one side a share of {wanted}")

    @property
    def two_sided(self) -> Settings:
        """Those of intervals with equal tails, each end of which is the bound asked for."""
        return self if self.sides == "both" else replace(self, level=round(2.0 * self.level - 1.0, 12), sides="both")

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


def proportion(
    errors: float, trials: float, *, level: float = LEVEL, method: str = "clopper-pearson", side: str = "both"
) -> Interval:
    """The interval of errors / trials.

    A protection profile may ask that FMR be at most 1 in 10,000 at the upper end of an interval of 80 % or more. 30,135
    comparisons without an error show it; one error more and they do not:

    >>> [proportion(errors, 30_135, level=0.8).high <= 1e-4 for errors in (0, 1)]
    [True, False]
    """
    low, high = proportions([errors], trials, level=level, method=method, side=side)
    if not trials:
        return Interval.undefined(NO_TRIALS, level)
    found = Interval(
        float(low[0]), float(high[0]), level, BY_NAME[method] if side == "both" else _one_sided(method, side)
    )
    bound = errors in (0, trials) or side != "both"
    found = replace(found, side=side)
    return replace(found, claim="at least") if bound or method == EXACT else found


def independent(errors: float, trials: float, level: float) -> Interval:
    """The exact interval of trials of which nobody knows whether they are independent."""
    return replace(proportion(errors, trials, level=level), naive=True)


def _one_sided(method: str, side: str) -> Message:
    return say("method.upper_bound" if side == "upper" else "method.lower_bound", way=BY_NAME[method])


def proportions(
    errors: ArrayLike, trials: ArrayLike, *, level: float = LEVEL, method: str = "clopper-pearson", side: str = "both"
) -> Ends:
    """Lower and upper ends for many counts at once, such as those along a curve; NaN where there are no trials.

    >>> low, high = proportions([0, 3, 10], 10)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.0667, 0.6915], [0.3085, 0.6525, 1.0])
    """
    if method not in _ENDS:
        raise InputError(f"method is {method!r}; expected one of {', '.join(METHODS)}")
    tail = tail_of(level, side)
    k, n = _counts(errors, trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _ENDS[method](k, n, tail)
    low = np.where((k == 0) | (side == "upper"), 0.0, np.maximum(low, 0.0))
    high = np.where((k == n) | (side == "lower"), 1.0, np.minimum(high, 1.0))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def check_level(level: float) -> float:
    """A level of confidence lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        hint = f"; for {level} % give {level / 100:g}" if isinstance(level, int | float) and 1.0 < level < 100.0 else ""
        raise InputError(f"level is {level!r}; expected a share between 0 and 1, such as 0.95{hint}")
    return float(level)


def tail_of(level: float, side: str = "both") -> float:
    """The share that is left outside, beyond each end (both) or beyond the only one."""
    if side not in SIDES:
        raise InputError(f"side is {side!r}; expected one of {', '.join(SIDES)}")
    return (1.0 - check_level(level)) / (2.0 if side == "both" else 1.0)


def wilson_ends(rate: FloatArray, trials: FloatArray, quantile: float | FloatArray) -> Ends:
    """Wilson's ends for a rate seen in so many trials; `quantile` is the normal's, or Student's where it serves."""
    square = quantile * quantile / trials
    middle = (rate + square / 2) / (1 + square)
    half = quantile * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials)) / (1 + square)
    return middle - half, middle + half


def normal_quantile(tail: float) -> float:
    """What a standard normal number exceeds with this probability."""
    from scipy.special import ndtri

    return -float(ndtri(tail))


def _clopper_pearson(k: FloatArray, n: FloatArray, tail: float) -> Ends:
    from scipy.special import betainccinv, betaincinv

    return betaincinv(k, n - k + 1, tail), betainccinv(k + 1, n - k, tail)


def _wilson(k: FloatArray, n: FloatArray, tail: float) -> Ends:
    return wilson_ends(k / n, n, normal_quantile(tail))


def _jeffreys(k: FloatArray, n: FloatArray, tail: float) -> Ends:
    from scipy.special import betainccinv, betaincinv

    return betaincinv(k + 0.5, n - k + 0.5, tail), betainccinv(k + 0.5, n - k + 0.5, tail)


def _agresti_coull(k: FloatArray, n: FloatArray, tail: float) -> Ends:
    z = normal_quantile(tail)
    trials = n + z * z
    middle = (k + z * z / 2) / trials
    half = z * np.sqrt(middle * (1 - middle) / trials)
    return middle - half, middle + half


_BY_NAME = (_clopper_pearson, _wilson, _jeffreys, _agresti_coull)
_ENDS = {ends.__name__[1:].replace("_", "-"): ends for ends in _BY_NAME}
METHODS = tuple(_ENDS)


def _counts(errors: ArrayLike, trials: ArrayLike) -> Ends:
    """Errors and trials as floats of one shape, checked."""
    k, n = _numbers(errors, "errors"), _numbers(trials, "trials")
    if n.ndim and n.shape != k.shape:
        raise InputError(f"errors have shape {k.shape}, trials {n.shape}; expected as many, or one number of trials")
    n = np.broadcast_to(n, k.shape)
    for name, values in (("errors", k), ("trials", n)):
        wrong = ~((values >= 0) & (values < math.inf))
        if wrong.any():
            raise InputError(f"{name} is {values[wrong][0]:g}; expected a number, 0 or more")
    if (k > n).any():
        first = k > n
        raise InputError(f"{k[first][0]:g} errors in {n[first][0]:g} trials; expected at most as many errors as trials")
    return k, n


def _numbers(values: Any, name: str) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {values!r}; expected a number, or an array of numbers") from None


def needed_trials(rate: float, level: float = LEVEL) -> int:
    """How many independent trials without an error show that the rate is no larger (rule of 3).

    >>> needed_trials(1e-6), needed_trials(1e-4, level=0.8)
    (3000000, 16100)
    """
    numerator = math.ceil(round(-100.0 * math.log1p(-check_level(level)), 9)) / 100.0
    return math.ceil(round(numerator / check_rate(rate), 6))


def short_rate(rate: float) -> str:
    """A rate in as few characters as say it.

    >>> short_rate(1e-6), short_rate(0.001), short_rate(2.5e-05)
    ('1e-6', '0.001', '2.5e-5')
    """
    mantissa, mark, exponent = f"{rate:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else mantissa


def check_rate(rate: float) -> float:
    """A rate that can be aimed at lies between 0 and 1."""
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0.0 < rate < 1.0:
        raise InputError(f"rate is {rate!r}; expected a number between 0 and 1, such as 1e-4")
    return float(rate)


def width_between(low: float, high: float) -> float:
    """The width between two ends; NaN where they differ by rounding alone.

    >>> width_between(0.25, 0.5), width_between(0.1 + 0.2, 0.3)
    (0.25, nan)
    """
    width = high - low
    return width if width > ROUNDING * max(1.0, abs(low), abs(high)) else math.nan


def decimals_for(width: float, *, least: int = 0, unknown: int = 2) -> int:
    """Decimals that show two digits of an interval's width.

    >>> decimals_for(0.034), decimals_for(25.0), decimals_for(float("nan"))
    (3, 0, 2)
    """
    if not 0.0 < width < math.inf:
        return unknown
    return min(MOST_DECIMALS, max(least, 1 - math.floor(math.log10(width))))
