"""The interval of the half total error rate, (FMR + FNMR) / 2 at one threshold.

    half_total_error   normal, with variance FMR (1 - FMR) / 4 N + FNMR (1 - FNMR) / 4 M (Bengio and Mariéthoz 2004):
                       trials taken as independent, and no width where no error was seen
    mean_of_two        from the intervals of the two rates, however they were found: each end is as far from the mean as
                       the two distances together, sqrt(d1^2 + d2^2) / 2 (Zou and Donner 2008)

Conventions: FMR and FNMR are taken as independent of each other; they come from different comparisons.
"""

from __future__ import annotations

import math

from bertillon.core.messages import say
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.proportion import normal_quantile, proportion, tail_of


def half_total_error(
    false_matches: int, nonmated: int, *, false_nonmatches: int, mated: int, level: float = LEVEL
) -> Interval:
    """The normal interval, from counts.

    >>> found = half_total_error(20, 1000, false_nonmatches=8, mated=200)
    >>> round(found.low, 5), round(found.high, 5)
    (0.01574, 0.04426)
    """
    variance, middle = 0.0, 0.0
    for errors, trials in ((false_matches, nonmated), (false_nonmatches, mated)):
        if math.isnan(proportion(errors, trials, level=level).low):  # which also checks the counts
            return Interval.undefined(NO_TRIALS, level)
        rate = errors / trials
        middle, variance = middle + rate / 2, variance + rate * (1 - rate) / (4 * trials)
    if not variance:
        return Interval.undefined(say("reason.no_variance"), level)
    half = normal_quantile(tail_of(level)) * math.sqrt(variance)
    return Interval(max(0.0, middle - half), min(1.0, middle + half), level, say("method.normal_bengio"))


def mean_of_two(first: float, first_interval: Interval, second: float, second_interval: Interval) -> Interval:
    """The interval of the mean of two independent numbers, from theirs.

    >>> found = mean_of_two(0.02, Interval(0.01, 0.03), 0.0, Interval(0.0, 0.01))
    >>> round(found.low, 4), round(found.high, 4)
    (0.005, 0.0171)
    """
    pairs = ((first, first_interval), (second, second_interval))
    for value, interval in pairs:
        if math.isnan(value) or math.isnan(interval.low):
            return Interval.undefined(interval.reason or say("reason.one_undefined"), interval.level)
    below = math.hypot(*(value - interval.low for value, interval in pairs)) / 2
    above = math.hypot(*(interval.high - value for value, interval in pairs)) / 2
    middle = (first + second) / 2
    return Interval(
        max(0.0, middle - below),
        min(1.0, middle + above),
        first_interval.level,
        say("method.from_two_intervals"),
        naive=first_interval.naive or second_interval.naive,
    )
