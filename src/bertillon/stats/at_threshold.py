"""Sums of both error rates at a threshold, given or the best one, with the interval that those of the rates allow.

Conventions: thresholds are in the user's units. A weighted sum of FMR and FNMR, such as the half total error rate (FMR
+ FNMR) / 2 or a cost, has its interval from those of the two rates, which come from different comparisons and are taken
as independent: each end is as far from the sum as the two distances together, sqrt((w1 d1)^2 + (w2 d2)^2) (MOVER, Zou
and Donner 2008). The normal interval of Bengio and Mariéthoz (2004) takes trials as independent and has no width where
no error was seen, so it is not offered.

The least sum over all thresholds is too small: by how much is added to its upper end, and the lower one is on the safe
side as it is. The threshold follows the luck of these scores. By how much the sum is too small falls with their number
n as n^(-2/3) (the least value of a random walk around a parabola; Kim and Pollard 1990), so the least sums of two
halves of the scores are, on average, too small by 2^(2/3) times as much. What halves lose against all scores therefore
tells what these lose against infinitely many.

Scores with few different values leave few thresholds, and the best of the sample may be far from the best in truth: the
lower end is then the least that the sum has at any of them.

Holds `SumOfRates`, `sum_of_rates`, `mean_of_two` and `count_distinct`; `Pooled`, the scores of both classes in order;
and `Measured`, a number with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say, text_of
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray
from bertillon.measures.base import OfResult, Result
from bertillon.measures.plans import BothRates
from bertillon.stats.interval import Interval, independent, put_together
from bertillon.stats.resampling import Draw, Purpose

if TYPE_CHECKING:
    from bertillon.stats.few_errors import Rates

FEW_DISTINCT = 40  # different scores, up to which each is looked at as a threshold that may be the best
HALVINGS = 4  # of which each tells the optimism to half of itself
GROWTH = 2.0 ** (2.0 / 3.0)  # of the optimism where scores are half as many
MOST = 200_000  # scores that are sorted for it; of more the optimism is small beside the interval
_Counts = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """The scores of both classes, the most alike first."""

    score: FloatArray  # oriented
    mated: NDArray[np.bool_]

    @classmethod
    def of(cls, mated: NDArray[np.floating], nonmated: NDArray[np.floating], rule: AcceptRule) -> Pooled | None:
        """None where they are too many, or a class is missing."""
        if not mated.size or not nonmated.size or mated.size + nonmated.size > MOST:
            return None
        scores = np.asarray(rule.orient(np.concatenate([mated, nonmated])), dtype=np.float64)
        order = np.argsort(-scores, kind="stable")
        return cls(scores[order], order < mated.size)

    @property
    def thresholds(self) -> FloatArray:
        """The different scores, oriented."""
        return self.score[self.ends]

    @property
    def ends(self) -> NDArray[np.bool_]:
        """Which scores are the last of those equal to them: thresholds accept these and all before."""
        return np.append(self.score[:-1] != self.score[1:], True)

    def optimism(self, on_fmr: float, on_fnmr: float, seed: int) -> float:
        """By how much the least on_fmr FMR + on_fnmr FNMR is too small, on average."""
        ends, weights = self.ends, (on_fmr, on_fnmr)
        rng = next(Draw(range(1), seed).streams(Purpose.HALVES))
        whole = self._least(np.ones(self.mated.size, dtype=bool), ends, weights)
        lost = []
        for _ in range(HALVINGS):
            half = self._half(rng)
            lost.append(whole - (self._least(half, ends, weights) + self._least(~half, ends, weights)) / 2.0)
        return max(float(np.mean(lost)), 0.0) / (GROWTH - 1.0)

    def _half(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Half of the scores of each class."""
        chosen = np.zeros(self.mated.size, dtype=bool)
        for kind in (self.mated, ~self.mated):
            rows = np.flatnonzero(kind)
            chosen[rng.permutation(rows)[: rows.size // 2]] = True
        return chosen

    def _least(self, chosen: NDArray[np.bool_], ends: NDArray[np.bool_], weights: tuple[float, float]) -> float:
        """The least sum over all thresholds, of the scores that were chosen."""
        mated, nonmated = chosen & self.mated, chosen & ~self.mated
        if not mated.any() or not nonmated.any():
            return 0.0
        steps = weights[0] / np.count_nonzero(nonmated) * nonmated - weights[1] / np.count_nonzero(mated) * mated
        return weights[1] + min(float(np.cumsum(steps)[ends].min()), 0.0)


def count_distinct(low: float, high: float, *kinds: NDArray[Any]) -> int:
    """How many different scores of several kinds lie between two numbers, these counted in.

    >>> count_distinct(1.0, 2.0, np.array([0.5, 1.0, 2.0]), np.array([1.0, 1.5, 3.0]))
    3
    """
    return int(np.unique(np.concatenate([np.unique(own[(own >= low) & (own <= high)]) for own in kinds])).size)


@dataclass(frozen=True, slots=True)
class Measured(OfResult):
    """A number and how sure it is."""

    result: Result
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None, with the reason."""
        values: dict[str, Any] = {"value": None if math.isnan(self.value) else self.value}
        if self.result.trials is not None:
            values |= {"errors": self.result.errors, "trials": self.result.trials}
        ends = None if math.isnan(self.interval.low) else [self.interval.low, self.interval.high]
        values |= {"interval": ends, "level": self.interval.level, "method": str(self.interval.method)}
        values |= self.interval.side_record
        return values | {"naive": self.interval.naive, "interval_reason": text_of(self.interval.reason)}


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
    return Interval(
        *put_together(value, *zip(*steps, strict=True), most=most),
        parts[0][2].level,
        say("method.from_two_intervals"),
        naive=any(interval.naive for _, _, interval in parts),
        claim="at least" if any(interval.claim == "at least" for _, _, interval in parts) else "level",
    )


@dataclass(frozen=True, slots=True, eq=False)
class SumOfRates:
    """A weighted sum of both error rates, with its interval at any threshold in the user's units."""

    plan: BothRates
    rates: Rates
    level: float

    def at(self, threshold: float, value: float | None = None) -> Interval:
        """At a threshold that is given; `value` where the sum is known already."""
        counts = self._counts(threshold)
        weights, share, values = self._weights(counts), self._share(counts), [errors / n for errors, n in counts]
        own = [self.rates.interval(threshold, mated=mated, level=self.level) for mated in (False, True)]
        parts = list(zip(weights, values, own, strict=True))
        if share is not None:
            apart = self.plan.on_fnmr * values[1] - self.plan.on_fmr * values[0]
            parts.append((apart, counts[1][1] / (counts[0][1] + counts[1][1]), share))
        if value is None:
            value = weights[0] * values[0] + weights[1] * values[1]
        return sum_of_rates(value, parts, most=sum(weights))

    def at_best(self, threshold: float, value: float, rule: AcceptRule, seed: int) -> Interval:
        """At the threshold that was found to be best for it."""
        interval, pooled, counts = self.at(threshold, value), self.rates.pooled, self._counts(threshold)
        if math.isnan(interval.low):
            return interval
        low, high = interval.low, interval.high
        if pooled is not None:
            high += pooled.optimism(*self._weights(counts), seed)
            low = min(low, self._least(pooled.thresholds, rule))
        return replace(interval, low=low, high=max(min(high, self._blind(counts)), value), claim="at least")

    def _least(self, thresholds: FloatArray, rule: AcceptRule) -> float:
        """The least lower end at any threshold, where these are few."""
        if thresholds.size > FEW_DISTINCT:
            return math.inf
        lows = [self.at(float(rule.restore(own))).low for own in thresholds.tolist() if math.isfinite(own)]
        return min((low for low in lows if not math.isnan(low)), default=math.inf)

    def _blind(self, counts: _Counts) -> float:
        """The cost of the better blind decision, to accept all or to reject all, that shares of classes allow."""
        share = self._share(counts)
        if share is None:
            return min(self.plan.on_fmr, self.plan.on_fnmr)
        return min(self.plan.on_fmr * (1.0 - share.low), self.plan.on_fnmr * share.high)

    def _weights(self, counts: _Counts) -> tuple[float, float]:
        """Of FMR and of FNMR."""
        if not self.plan.by_share:
            return self.plan.on_fmr, self.plan.on_fnmr
        total = counts[0][1] + counts[1][1]
        return self.plan.on_fmr * counts[0][1] / total, self.plan.on_fnmr * counts[1][1] / total

    def _share(self, counts: _Counts) -> Interval | None:
        """The interval of the share of positives, where weights depend on it."""
        return independent(counts[1][1], counts[0][1] + counts[1][1], self.level) if self.plan.by_share else None

    def _counts(self, threshold: float) -> _Counts:
        """Errors and trials, of non-mated and of mated ones."""
        return self.rates.counts(threshold, mated=False), self.rates.counts(threshold, mated=True)
