"""FMR, FNMR and HTER at a threshold that was fixed beforehand, with their intervals.

Conventions: intervals are those of `fixed_rates`, by subject where it is known whose the comparisons are. A threshold
chosen on the same scores makes every one of these numbers too good.

Holds `rates_at`, its `RatesAt`, and `Measured`, a number with its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bertillon.core.messages import text_of
from bertillon.counting.scores import outcomes
from bertillon.measures.base import Result
from bertillon.stats.half_total import mean_of_two
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.intervals.fixed_rates import RatesOfScores
from bertillon.stats.proportion import check_level
from bertillon.trials.score_set import ScoreSet


@dataclass(frozen=True, slots=True)
class Measured:
    """A number and how sure it is."""

    result: Result
    interval: Interval

    @property
    def value(self) -> float:
        """The number itself."""
        return self.result.value

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None, with the reason."""
        values: dict[str, Any] = {"value": None if math.isnan(self.value) else self.value}
        if self.result.trials is not None:
            values |= {"errors": self.result.errors, "trials": self.result.trials}
        ends = None if math.isnan(self.interval.low) else [self.interval.low, self.interval.high]
        values |= {"interval": ends, "level": self.interval.level, "method": str(self.interval.method)}
        return values | {"naive": self.interval.naive, "interval_reason": text_of(self.interval.reason)}


@dataclass(frozen=True, slots=True)
class RatesAt:
    """The error rates at one threshold, in the user's units."""

    threshold: float
    fmr: Measured
    fnmr: Measured
    hter: Measured

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        shown = self.threshold if math.isfinite(self.threshold) else str(self.threshold)
        return {
            "threshold": shown,
            "FMR": self.fmr.to_dict(),
            "FNMR": self.fnmr.to_dict(),
            "HTER": self.hter.to_dict(),
        }


def rates_at(scores: ScoreSet, threshold: float, *, level: float = LEVEL) -> RatesAt:
    """The error rates of the scores at a threshold, with intervals.

    >>> found = rates_at(ScoreSet([0.9, 0.8, 0.4], [0.1, 0.5, 0.2, 0.3]), 0.5)
    >>> round(found.fnmr.value, 4), found.fmr.value, found.fmr.interval.naive
    (0.3333, 0.25, True)
    """
    check_level(level)
    seen, rates = outcomes(scores, threshold), RatesOfScores(scores)
    false_matches = Result.share(seen.false_match, scores.nonmated.size, threshold)
    false_nonmatches = Result.share(seen.false_nonmatch, scores.mated.size, threshold)
    fmr = Measured(false_matches, rates.interval(threshold, mated=False, level=level))
    fnmr = Measured(false_nonmatches, rates.interval(threshold, mated=True, level=level))
    half = (fmr.value + fnmr.value) / 2
    reason = fmr.result.reason or fnmr.result.reason
    hter = mean_of_two(fmr.value, fmr.interval, fnmr.value, fnmr.interval)
    return RatesAt(threshold, fmr, fnmr, Measured(Result(half, threshold, reason=reason), hter))
