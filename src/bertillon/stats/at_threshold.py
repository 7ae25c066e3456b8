"""Error rates at a threshold that is given, with the interval that what is known of the people allows.

Conventions: thresholds are in the user's units. Mated comparisons belong to one subject, non-mated ones to two; where
one side only is known, to that one; where nobody is known trials are taken as independent, the interval is
Clopper-Pearson's and says that it is naive. A threshold chosen on the same scores makes every rate at it too good.

A weighted sum of the two, such as the half total error rate (FMR + FNMR) / 2 or a cost, has its interval from those of
the two rates, which come from different comparisons and are taken as independent: each end is as far from the sum as
the two distances together, sqrt((w1 d1)^2 + (w2 d2)^2) (MOVER, Zou and Donner 2008). So has the least sum over all
thresholds, which is too good by less than that: of 200 + 2,000 to 1,000 + 10,000 simulated comparisons 93 to 99.8 % of
such intervals hold it, for weights from 1:1 to 1:10,000. The normal interval of Bengio and Mariéthoz (2004) takes
trials as independent and has no width where no error was seen, so it is not offered.

Holds `RatesOfScores`; `rates_at`, its `RatesAt`, and `Measured`, a number with its interval; `sum_of_rates`,
`mean_of_two` and `count_distinct`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say, text_of
from bertillon.counting.error_counts import outcomes, outcomes_on
from bertillon.counting.tally import CountedScores
from bertillon.measures.base import Result
from bertillon.stats.dependent_rate import MATED, NONMATED, DependentRate, PersonSharing
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.proportion import check_level, independent
from bertillon.stats.shared_people import KeptRoster, Roster, rate_by_subject, roster_of
from bertillon.stats.units import Pairs, Units, units_of, units_of_counted
from bertillon.trials.score_set import ScoreSet


class RatesOfScores:
    """False match and false non-match rates of a score set, or of what is left of one."""

    def __init__(self, scores: ScoreSet | CountedScores) -> None:
        self.scores = scores
        self._rosters: dict[bool, Roster | None] = {}
        self._sharing: dict[bool, tuple[PersonSharing, float] | None] = {}

    @cached_property
    def units(self) -> Units:
        """Who was compared."""
        return units_of(self.scores) if self.scores.form == "whole" else units_of_counted(self.scores)

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        """Of FNMR (mated) or FMR at a threshold."""
        rate = self._rate(threshold, mated=mated)
        if rate is None:
            return independent(*self.counts(threshold, mated=mated), level)
        if not self.units.are_samples:
            return rate.interval(level)
        return replace(rate.of_samples().interval(level), naive=True)

    def distinct(self, low: float, high: float) -> int | None:
        """How many different scores lie between two thresholds; None where they were not kept."""
        if self.scores.form != "whole":
            return None
        return count_distinct(low, high, self.scores.mated, self.scores.nonmated)

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        """How trials of one kind share people, and the correlation of scores to assume; None where nobody knows."""
        if not mated and self._kept is not None:
            return self._kept.sharing, NONMATED
        if mated not in self._sharing:
            rate = self._rate(np.nan, mated=mated)
            self._sharing[mated] = None if rate is None else (rate.sharing, rate.correlation)
        return self._sharing[mated]

    def _rate(self, threshold: float, *, mated: bool) -> DependentRate | None:
        """The rate with its variance; None where nobody knows who was compared."""
        if not mated and self._kept is not None:
            return self._kept.rate(threshold, self.counts(threshold, mated=False)[0])
        pairs = self.units.mated if mated else self.units.nonmated
        if pairs is None:
            return None
        if mated not in self._rosters:
            self._rosters[mated] = _roster(pairs, self.units.n)
        roster, wrong = self._rosters[mated], _wrong(self.scores, threshold, mated=mated)
        if roster is not None:
            return roster.rate(wrong)
        return rate_by_subject(pairs.first, wrong, correlation=MATED if mated else NONMATED)

    def counts(self, threshold: float, *, mated: bool) -> tuple[int, int]:
        """Errors and trials at a threshold."""
        if self.scores.form != "whole":
            seen = outcomes_on(self.scores.tally.errors, self.scores.rule, threshold)
            wrong = seen.false_nonmatch if mated else seen.false_match
            return wrong, self.scores.tally.n_mated if mated else self.scores.tally.n_nonmated
        errors = _wrong(self.scores, threshold, mated=mated)
        return int(np.count_nonzero(errors)), errors.size

    @cached_property
    def _kept(self) -> KeptRoster | None:
        """Of non-mated comparisons that were counted, some of them with their people."""
        if self.scores.form == "whole" or self.scores.people is None:
            return None
        return KeptRoster(self.scores.people, self.scores.rule, self.scores.tally.n_nonmated)


def _wrong(scores: ScoreSet | CountedScores, threshold: float, *, mated: bool) -> NDArray[np.bool_]:
    if mated:
        return np.asarray(~scores.rule.accepts(scores.mated, threshold))
    assert scores.form == "whole"
    return np.asarray(scores.rule.accepts(scores.nonmated, threshold))


def _roster(pairs: Pairs, always: int) -> Roster | None:
    """Who was compared with whom; None where some comparisons have one side only."""
    if not pairs.second.size or (pairs.second == always).any():
        return None
    return roster_of(pairs.first, pairs.second)


def count_distinct(low: float, high: float, *kinds: NDArray[Any]) -> int:
    """How many different scores of several kinds lie between two numbers, these counted in.

    >>> count_distinct(1.0, 2.0, np.array([0.5, 1.0, 2.0]), np.array([1.0, 1.5, 3.0]))
    3
    """
    return int(np.unique(np.concatenate([np.unique(own[(own >= low) & (own <= high)]) for own in kinds])).size)


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
        return {"threshold": shown, "FMR": self.fmr.to_dict(), "FNMR": self.fnmr.to_dict(), "HTER": self.hter.to_dict()}


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


def mean_of_two(first: float, first_interval: Interval, second: float, second_interval: Interval) -> Interval:
    """The interval of the mean of two independent numbers, from theirs.

    >>> found = mean_of_two(0.02, Interval(0.01, 0.03), 0.0, Interval(0.0, 0.01))
    >>> round(found.low, 4), round(found.high, 4)
    (0.005, 0.0171)
    """
    value = (first + second) / 2
    return sum_of_rates(value, [(0.5, first, first_interval), (0.5, second, second_interval)], most=1.0)


def sum_of_rates(value: float, parts: Sequence[tuple[float, float, Interval]], *, most: float) -> Interval:
    """The interval of a sum of independent rates, each with its weight and its own interval; at least 0."""
    for _, rate, interval in parts:
        if math.isnan(rate) or math.isnan(interval.low):
            return Interval.undefined(interval.reason or say("reason.one_undefined"), interval.level)
    steps = [sorted((w * (interval.low - rate), w * (interval.high - rate))) for w, rate, interval in parts]
    below, above = (math.hypot(*distances) for distances in zip(*steps, strict=True))
    return Interval(
        max(0.0, value - below),
        min(most, value + above),
        parts[0][2].level,
        say("method.from_two_intervals"),
        naive=any(interval.naive for _, _, interval in parts),
    )
