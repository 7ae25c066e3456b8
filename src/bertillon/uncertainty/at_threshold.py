"""FMR, FNMR and HTER at a threshold that was fixed beforehand, with their intervals.

Conventions: where it is known whose the comparisons are, the interval is by subject (FNMR) or by the two people of each
comparison (FMR); where only one side is known, by that side; else it is the exact one for independent trials and says
so (`naive`). A threshold chosen on the same scores makes every one of these numbers too good.

Holds `rates_at`, its `RatesAt`, and `Measured`, a number with its interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.id_codes import codes_of
from bertillon.measures.base import Result
from bertillon.trials.score_set import ScoreSet, TrialIds
from bertillon.uncertainty.half_total import mean_of_two
from bertillon.uncertainty.interval import LEVEL, Interval
from bertillon.uncertainty.proportion import check_level, proportion
from bertillon.uncertainty.shared_people import rate_by_pair, rate_by_subject


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
        found: dict[str, Any] = {"value": None if math.isnan(self.value) else self.value}
        if self.result.trials is not None:
            found |= {"errors": self.result.errors, "trials": self.result.trials}
        ends = None if math.isnan(self.interval.low) else [self.interval.low, self.interval.high]
        found |= {"interval": ends, "level": self.interval.level, "method": self.interval.method}
        return found | {"naive": self.interval.naive, "interval_reason": self.interval.reason}


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
    fmr = _measured(scores.rule.accepts(scores.nonmated, threshold), scores.nonmated_ids, threshold, level, two=True)
    fnmr = _measured(~scores.rule.accepts(scores.mated, threshold), scores.mated_ids, threshold, level, two=False)
    half = (fmr.value + fnmr.value) / 2
    reason = fmr.result.reason or fnmr.result.reason
    hter = Measured(
        Result(half, threshold, reason=reason), mean_of_two(fmr.value, fmr.interval, fnmr.value, fnmr.interval)
    )
    return RatesAt(threshold, fmr, fnmr, hter)


def _measured(wrong: NDArray[np.bool_], ids: TrialIds | None, threshold: float, level: float, *, two: bool) -> Measured:
    result = Result.share(int(np.count_nonzero(wrong)), wrong.size, threshold)
    return Measured(result, _interval(wrong, ids, level, two=two))


def _interval(wrong: NDArray[np.bool_], ids: TrialIds | None, level: float, *, two: bool) -> Interval:
    known = [] if ids is None else [one for one in (ids.probe_subject, ids.reference_subject) if one is not None]
    people = codes_of(known if two else known[:1]) if known else None
    if people is None:
        return replace(proportion(int(np.count_nonzero(wrong)), wrong.size, level=level), naive=True)
    if len(people.codes) == 2:
        return rate_by_pair(*people.codes, wrong).interval(level)
    return rate_by_subject(people.codes[0], wrong).interval(level)
