"""The variance of a rate as the annex of ISO/IEC 19795-1 has it, and its normal interval.

    one attempt a subject    V = p (1 - p) / (n - 1)
    m attempts a subject     V = (sum a^2 / (m^2 n) - p^2) / (n - 1)         a = errors of a subject
    any numbers of attempts  V = sum (a - p m)^2 / (M^2 n (n - 1))           M = mean attempts

The last is the one that is computed; the others are its special cases.

Conventions: the interval is p -+ z sqrt(V), cut at 0 and 1. It is kept for reports that must follow the standard:
without an error its width would be 0, so the exact bound of one trial a subject stands there, and with few errors
`DependentRate.interval` covers better.

Holds `annex_b` and its `AnnexB`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from bertillon.core.messages import say
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.dependence.shared_people import counts_of_subjects
from bertillon.stats.interval import LEVEL, NO_ERROR, ONLY_ERRORS, Interval
from bertillon.stats.proportion import normal_quantile, proportion, tail_of


@dataclass(frozen=True, slots=True)
class AnnexB:
    """A rate over subjects, and its variance; both NaN where they cannot be had."""

    rate: float
    variance: float
    subjects: int

    def interval(self, level: float = LEVEL, side: str = "both") -> Interval:
        """The normal interval.

        >>> five_of_174 = annex_b([1] * 5 + [0] * 169, [1] * 174)
        >>> round(five_of_174.interval(level=0.8).high, 4)
        0.045
        """
        half = normal_quantile(tail_of(level, side)) * math.sqrt(self.variance)
        if math.isnan(self.rate):
            return Interval.undefined(NO_TRIALS, level)
        if math.isnan(self.variance):
            return Interval.undefined(say("reason.one_subject"), level)
        if self.rate in (0.0, 1.0):
            interval = proportion(self.rate * self.subjects, self.subjects, level=level, side=side)
            seen = ONLY_ERRORS if self.rate else NO_ERROR
            return Interval(interval.low, interval.high, level, say("method.exact_subjects"), reason=seen)
        low = 0.0 if side == "upper" else max(0.0, self.rate - half)
        high = 1.0 if side == "lower" else min(1.0, self.rate + half)
        return Interval(low, high, level, say("method.normal_iso"))


def annex_b(errors: ArrayLike, trials: ArrayLike) -> AnnexB:
    """The rate and its variance from the errors and trials of each subject."""
    wrong, done = counts_of_subjects(errors, trials)
    subjects, total = int(done.size), int(done.sum())
    if not total:
        return AnnexB(math.nan, math.nan, 0)
    rate = int(wrong.sum()) / total
    if subjects < 2:
        return AnnexB(rate, math.nan, subjects)
    mean = total / subjects
    variance = float(((wrong - rate * done) ** 2).sum()) / (mean * mean * subjects * (subjects - 1))
    return AnnexB(rate, variance, subjects)
