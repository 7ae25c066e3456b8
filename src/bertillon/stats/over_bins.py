"""How sure a calibration error is that is read from bins, and whether probabilities are right at all.

Such an error is never below 0 and chance alone makes it larger: resamples add the chance of a second draw to that of
the first, and none of them is as small as the truth. So it is asked which truths fit the value. Let every bin be as far
from its promise as `scale` times what was observed, gap_b = scale (observed_b - mean_b). For one scale the value has a
distribution: samples are drawn into bins (multinomial; bins of equal mass keep their counts), and in each so many come
true as mean_b + gap_b says (binomial). The ends of the interval are the errors, free of chance, of the scales for which
the value lies at the two tails. Where a scale of 0 fits, perfect calibration, the lower end is 0.

The largest gap is that of the bin which chance favoured most, and its lower end takes all bins together: the largest
distance that an interval of one bin keeps from its promise, at a level that holds for all bins at once (Bonferroni).

Several classes have a set of bins each, drawn as if independent. The same seed draws the same numbers for every scale.

Holds `interval_over_bins`; `calibration_test` and its `CalibrationTest`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.classes.probabilities import ProbabilityBins, bins_of
from bertillon.counting.error_counts import FloatArray
from bertillon.measures.classification.probability import BINS, mean_gap
from bertillon.measures.plans import OverBins
from bertillon.stats.interval import LIMITS, Interval, Settings, proportions
from bertillon.stats.resampling import Purpose
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

DRAWS = 1000
STEPS = 14  # of halving the scales between which an end lies
LEAST_KEPT = 0.25  # of the differences between gaps
WIDEST = 64.0  # the largest scale that is looked at
SLACK = 1e-12  # sums of the same gaps in another order are the same


def interval_over_bins(
    plan: OverBins, bins: Sequence[ProbabilityBins], value: float, settings: Settings, *, each: float = 1.0
) -> Interval:
    """The interval of a calibration error, the sum over sets of bins (one a class), `each` of which counts so much."""
    gaps = _Gaps.of(plan, bins, each)
    tail, method = settings.tails[0], say("method.bins", n=DRAWS)
    if not np.any(gaps.observed != gaps.mean):  # nothing to scale: as far off as each bin may be
        return Interval(0.0, gaps.farthest(settings.level), settings.level, method, naive=True, claim="at least")
    drawn = _Draws(gaps, settings.seed)

    def too_small(scale: float) -> bool:
        return float(np.mean(drawn.values(scale) >= value - SLACK)) <= tail

    def too_large(scale: float) -> bool:
        return float(np.mean(drawn.values(scale) <= value + SLACK)) <= tail

    low, wide = 0.0, 1.0
    if plan.largest:
        low = gaps.nearest(settings.level)
    elif too_small(0.0):
        low = gaps.truth(_between(too_small, 0.0, 4.0)[0])
    while wide < WIDEST and not too_large(wide):
        wide *= 2.0
    high = gaps.truth(_between(lambda scale: not too_large(scale), 0.0, wide)[1])
    bound = plan.largest or not low  # no error is below 0, and the bins of a largest one hold together
    ends = min(low, value), max(high, value)
    return Interval(*ends, settings.level, method, naive=True, claim="at least" if bound else "level")


def _between(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """The last scale that is known to have a property and the first that is known not to."""
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


@dataclass(frozen=True, eq=False)
class _Gaps:
    """What sets of bins promise and what came true: one row a set; empty bins have no gap."""

    plan: OverBins
    count: NDArray[np.int64]
    mean: FloatArray
    observed: FloatArray
    each: float  # by which the sum over sets is multiplied

    @classmethod
    def of(cls, plan: OverBins, bins: Sequence[ProbabilityBins], each: float) -> _Gaps:
        count = np.array([own.count for own in bins])
        mean, observed = (np.array([np.nan_to_num(getattr(own, key)) for own in bins]) for key in ("mean", "observed"))
        return cls(plan, count.astype(np.int64), mean, np.clip(observed, 0.0, 1.0), each)

    @cached_property
    def shape(self) -> FloatArray:
        """The gaps, drawn towards their mean as far as chance explains how they differ.

        Observed gaps differ more than true ones do, and gaps that differ more leave more to chance.
        """
        share = self.count / self.count.sum(axis=-1, keepdims=True)
        gaps = np.where(self.count > 0, self.observed - self.mean, 0.0)
        middle = (share * gaps).sum(axis=-1, keepdims=True)
        spread = (share * np.square(gaps - middle)).sum(axis=-1, keepdims=True)
        chance = (share * self.mean * (1.0 - self.mean) / np.maximum(self.count, 1)).sum(axis=-1, keepdims=True)
        kept = np.maximum(1.0 - chance / np.maximum(spread, 1e-300), LEAST_KEPT)
        return np.asarray(np.where(self.count > 0, middle + kept * (gaps - middle), 0.0))

    def chances(self, scale: float) -> FloatArray:
        """How likely samples of each bin come true."""
        return np.clip(self.mean + scale * self.shape, 0.0, 1.0)

    def truth(self, scale: float) -> float:
        """The error without what chance adds."""
        return self.error(self.chances(scale))

    def error(self, observed: FloatArray) -> float:
        """The error where so much came true of each bin."""
        return float(self.each * self.plan.truth(self.count, self.mean, observed).sum())

    def farthest(self, level: float) -> float:
        """The error where every bin is as far from its promise as its own interval allows."""
        low, high = proportions(self.observed * self.count, self.count, level=level)
        ends = np.where(self.mean - low > high - self.mean, low, high)
        return self.error(np.where(self.count > 0, ends, self.mean))

    def nearest(self, level: float) -> float:
        """The largest gap that is left where every bin is as near as intervals that hold together allow."""
        together = 1.0 - (1.0 - level) / max(int(np.count_nonzero(self.count)), 1)
        low, high = proportions(self.observed * self.count, self.count, level=together)
        return float(np.nanmax(np.maximum(low - self.mean, self.mean - high), initial=0.0))


class _Draws:
    """The value in draws from a truth, with the same random numbers for every truth."""

    def __init__(self, gaps: _Gaps, seed: int) -> None:
        self.gaps, self.seed = gaps, seed
        count = gaps.count
        if gaps.plan.mass:
            self.count = np.broadcast_to(count, (DRAWS, *count.shape))
        else:
            rng = _numbers(seed, 0)
            parts = [rng.multinomial(own.sum(), own / own.sum(), size=DRAWS) for own in count]
            self.count = np.stack(parts, axis=1)
        self.filled = self.count > 0

    def values(self, scale: float) -> FloatArray:
        gaps, rng = self.gaps, _numbers(self.seed, 1)
        true = rng.binomial(self.count, gaps.chances(scale))
        observed = np.where(self.filled, true / np.maximum(self.count, 1), gaps.mean)
        return np.asarray(gaps.each * gaps.plan.value(self.count, gaps.mean, observed).sum(axis=-1))


def _numbers(seed: int, part: int) -> np.random.Generator:
    return np.random.Generator(
        np.random.Philox(key=seed, counter=np.array([0, 0, part, Purpose.BINS], dtype=np.uint64))
    )


@dataclass(frozen=True, slots=True)
class CalibrationTest:
    """Are all probabilities right? A small p value says that they are not."""

    error: float  # the expected calibration error of the data
    by_chance: float  # its mean where every probability is right
    p: float
    bins: int
    samples: int

    def to_dict(self) -> dict[str, float | int]:
        """Plain values, ready for JSON."""
        return {
            "error": self.error,
            "by_chance": self.by_chance,
            "p": self.p,
            "bins": self.bins,
            "samples": self.samples,
        }


def calibration_test(predictions: Predictions, bins: int = BINS, *, seed: int = 0) -> CalibrationTest:
    """Whether the calibration error is larger than chance makes it where every probability is right.

    Each sample comes true as often as its own probability says; p is the share of such draws whose error (ECE over bins
    of equal width) is at least as large as that of the data. Of several classes the favourite one is judged.

    >>> rng = np.random.default_rng(1)
    >>> said = rng.random(2000)
    >>> right, sure = (rng.random(2000) < said).astype(int), (rng.random(2000) < 0.5).astype(int)
    >>> tests = [calibration_test(Predictions.from_probabilities(y, said)) for y in (right, sure)]
    >>> [round(test.p, 3) for test in tests]
    [0.422, 0.001]
    """
    tally = ClassTally(predictions)
    if tally.why_not_probable:
        raise InputError(f"no test of calibration: {tally.why_not_probable}")
    if predictions.weights is not None:
        raise InputError("no test of calibration: samples have weights; leave them out")
    own, judged = tally.bins(bins), tally.judged
    chances = np.concatenate([judged.mated, judged.nonmated]).astype(np.float64)
    count, mean = own.count, np.nan_to_num(own.mean)
    value = float(mean_gap(count, mean, np.nan_to_num(own.observed)))
    true = _right(chances, bins_of(chances, np.append(own.low, own.high[-1])), bins, seed)
    drawn = mean_gap(count, mean, true / np.maximum(count, 1))
    above = int(np.count_nonzero(drawn >= value - SLACK))
    return CalibrationTest(value, float(drawn.mean()), (1 + above) / (DRAWS + 1), bins, chances.size)


def _right(chances: FloatArray, bin_of: NDArray[np.int64], bins: int, seed: int) -> FloatArray:
    """How many come true in each bin where every probability is right: one row a draw."""
    rng = _numbers(seed, 2)
    if chances.size * DRAWS <= LIMITS.drawn_outcomes:
        draws = (rng.random(chances.size) < chances for _ in range(DRAWS))
        return np.array([np.bincount(bin_of, own, minlength=bins) for own in draws])
    mean = np.bincount(bin_of, chances, minlength=bins)
    spread = np.sqrt(np.bincount(bin_of, chances * (1.0 - chances), minlength=bins))
    return np.asarray(mean + spread * rng.standard_normal((DRAWS, bins)))
