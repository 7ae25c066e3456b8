"""The interval of the half total error rate, (FMR + FNMR) / 2 at one threshold.

`mean_of_two` makes it from the intervals of the two rates, however they were found: each end is as far from the mean
as the two distances together, sqrt(d1^2 + d2^2) / 2 (Zou and Donner 2008). The normal interval of Bengio and Mariéthoz
(2004) takes trials as independent and has no width where no error was seen, so it is not offered.

Conventions: FMR and FNMR are taken as independent of each other; they come from different comparisons.
"""

from __future__ import annotations

import math

from bertillon.core.messages import say
from bertillon.stats.interval import Interval


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
