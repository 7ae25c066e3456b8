"""The difference of two systems in one measure: its interval, its p value, and what a margin makes of it.

Conventions: a difference is the second system's value less the first's. Both are resampled with the same weights (or,
unpaired, with weights of their own). How far the differences of B resamples stray from the difference d itself gives

    interval   of level 1 - a: d plus and minus the k-th largest |d* - d|, k = floor(a (B + 1))
    p          two-sided, (1 + #) / (B + 1), # the resamples with |d* - d| >= |d|

so that p <= a exactly where the interval leaves 0 out. The symmetric interval is taken because it keeps its level where
the percentile interval does not: with 30 subjects, equal systems and AUC the latter finds a difference one time in
seven. Few units make a bootstrap too sure of itself; strays are widened by sqrt(n / (n - 1)) and from normal to
Student's t of n - 1. Weights of two subjects multiplied make the chance of single comparisons look three times as large
as it is; what is too much is taken off (see `ends`).

A margin is the largest difference that does not matter. Systems are equivalent when the interval of level 1 - 2a lies
within it on both sides (two one-sided tests), and the second is not worse by more than the margin when that interval
lies within it on the worse side.

Holds `Difference` and `difference_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.stats.ends import standard_error, student_quantile
from bertillon.stats.interval import Interval, Settings

FloatArray = NDArray[np.float64]

POWER = 0.8  # the chance of seeing a difference that is there
FEWEST_DEFINED = 0.5  # of the resamples must give a number
SAME_TWICE = say("reason.same_in_resamples")


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems in one measure."""

    measure: str
    first: str
    second: str
    first_value: float
    second_value: float
    interval: Interval  # of the difference
    p: float = math.nan  # two-sided
    adjusted_p: float = math.nan  # for all the tests made beside this one (Holm)
    error: float = math.nan  # the standard error of the difference
    better: int = 0  # 1 where more is better, -1 where less is, 0 where nobody knows
    margin: float | None = None
    within: Interval | None = None  # of level 1 - 2a, which is held against the margin
    shown_as: str = "number"  # the unit of the measure: rate, number or count
    n_units: int = 0  # how many of what was resampled
    tests: int = 1  # made beside each other, this one counted
    reason: Text | None = None  # why there is no p, or what to know of it

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.second_value - self.first_value

    @property
    def significant(self) -> bool:
        """The p value, adjusted for the other tests, is at most 1 - level."""
        return self.adjusted_p <= _alpha(self.interval.level)

    @property
    def gain(self) -> int:
        """1 where the second is significantly better, -1 where it is worse, 0 where neither or nobody knows."""
        return int(np.sign(self.difference * self.better)) if self.significant else 0

    @property
    def equivalent(self) -> bool:
        """The two differ by less than the margin, whichever is better."""
        if self.margin is None or self.within is None:
            return False
        return self.within.low > -self.margin and self.within.high < self.margin

    @property
    def not_worse(self) -> bool:
        """The second is not worse by the margin or more."""
        if self.margin is None or self.within is None or not self.better:
            return False
        return self.within.low > -self.margin if self.better > 0 else self.within.high < self.margin

    @property
    def detectable(self) -> float:
        """The least true difference that a test of this size, made beside the others, sees four times in five."""
        normal = NormalDist()
        reach = normal.inv_cdf(1.0 - _alpha(self.interval.level) / 2.0 / self.tests) + normal.inv_cdf(POWER)
        return reach * self.error

    @property
    def units_for_margin(self) -> int | None:
        """How many units would show two equal systems to be equivalent, four times in five; None if so many would do.

        The standard error is taken to fall with the root of the number of units.
        """
        if self.margin is None or not self.n_units or not self.error > 0.0:
            return None
        normal = NormalDist()
        reach = normal.inv_cdf(1.0 - _alpha(self.interval.level)) + normal.inv_cdf((1.0 + POWER) / 2.0)
        times = (reach * self.error / self.margin) ** 2
        return math.ceil(times * self.n_units) if times > 1.0 else None

    @property
    def verdict(self) -> str:
        """What can be said of the second system, in a word or two."""
        if math.isnan(self.p):
            return "undefined"
        if self.equivalent:
            return "equivalent"
        if self.gain > 0:
            return "better"
        if self.not_worse:
            return "not worse"
        if self.gain < 0:
            return "worse"
        return "different" if self.significant else "not distinguishable"

    def undefined(self, reason: Text) -> Difference:
        """The same without interval and p, and why."""
        nothing = Interval.undefined(reason, self.interval.level)
        return replace(self, interval=nothing, within=None, p=math.nan, error=math.nan, reason=reason)

    def untested(self, reason: Message) -> Difference:
        """The same without p and without a verdict, and why; the interval stays, and is rough."""
        rough = replace(self.interval, claim="rough")
        return replace(self, interval=rough, within=None, p=math.nan, reason=reason)


def difference_of(asked: Difference, drawn: FloatArray, pairs: FloatArray | None, settings: Settings) -> Difference:
    """The difference completed from the differences of resamples; `pairs` as in `Resampled.pair_values`."""
    known = drawn[np.isfinite(drawn)]
    if math.isnan(asked.difference):
        return asked.undefined(asked.reason or say("reason.undefined_in_one"))
    if asked.n_units < 2:
        return asked.undefined(say("reason.units_of_difference", n=asked.n_units))
    if known.size < FEWEST_DEFINED * drawn.size:
        return asked.undefined(say("reason.rarely_defined", known=known.size, resamples=drawn.size))
    if not known.any() and not asked.difference:
        sure = replace(asked.interval, low=0.0, high=0.0)
        return replace(asked, interval=sure, within=sure, p=1.0, error=0.0, reason=SAME_TWICE)
    if np.ptp(known) == 0.0:
        return asked.undefined(say("reason.difference_never_changes"))
    strays = _widened(_less_pair_noise(known, pairs), asked.n_units, settings.level) - asked.difference
    within = None if asked.margin is None else _interval(asked, strays, round(2.0 * settings.level - 1.0, 12))
    return replace(
        asked,
        interval=_interval(asked, strays, settings.level),
        within=within,
        p=(1 + int((np.abs(strays) >= abs(asked.difference)).sum())) / (strays.size + 1),
        error=float(np.std(strays, ddof=1)),
        reason=None if known.size == drawn.size else say("reason.resamples_undefined", n=drawn.size - known.size),
    )


def check_margin(margin: float | None, level: float) -> None:
    """A margin is a positive number, and leaves room for an interval of level 1 - 2a."""
    if margin is None:
        return
    if not 0.0 < margin < math.inf:
        raise InputError(f"margin is {margin}; expected a number above 0; for a rate 0.002 means 0.2 points")
    if level <= 0.5:
        raise InputError(f"level is {level}; with a margin it must be above 0.5")


def _less_pair_noise(drawn: FloatArray, pairs: FloatArray | None) -> FloatArray:
    """The resampled differences, their spread without what pairs are counted too often."""
    if pairs is None or not np.isfinite(pairs).any():
        return drawn
    middle = float(drawn.mean())
    return middle + standard_error(drawn, pairs[np.isfinite(pairs)]) / float(drawn.std()) * (drawn - middle)


def _widened(drawn: FloatArray, units: int, level: float) -> FloatArray:
    """The same as wide as so few units make it."""
    tail = (1.0 - level) / 2.0
    wider = student_quantile(tail, units - 1) / student_quantile(tail, math.inf)
    factor = math.sqrt(units / (units - 1)) * wider
    middle = float(drawn.mean())
    return middle + factor * (drawn - middle)


def _interval(asked: Difference, strays: FloatArray, level: float) -> Interval:
    """The difference and the k-th largest stray on both sides."""
    k = math.floor(round(_alpha(level) * (strays.size + 1), 9))
    if k < 1:
        needed = math.ceil(round(1.0 / _alpha(level), 9)) - 1
        raise InputError(f"{strays.size:,} resamples say nothing of level {level:g}; expected {needed:,} or more")
    reach = float(np.partition(np.abs(strays), strays.size - k)[strays.size - k])
    low, high = asked.difference - reach, asked.difference + reach
    if asked.shown_as == "rate":
        low, high = max(-1.0, low), min(1.0, high)
    return replace(asked.interval, low=low, high=high, level=level)


def _alpha(level: float) -> float:
    return round(1.0 - level, 12)  # so that 1 - 0.95 is 0.05
