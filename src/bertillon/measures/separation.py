"""How far the two score distributions stand apart.

    dprime         (mean G - mean I) / sqrt((var G + var I) / 2), Daugman's form
    dprime[sum]    (mean G - mean I) / sqrt(var G + var I), the form without the half
    FRatio         (mean G - mean I) / (sd G + sd I); Phi(-FRatio) is the EER of two normal distributions
    KS             largest TMR - FMR over all thresholds; Youden is its other name, also for classifiers (TPR - FPR)
    Overlap        shared area of the two histograms on common equal-width bins (100 of them unless bins= is given)

Standard deviations are those of the population (divided by n). All are signed: negative means that non-mated scores
look more alike than mated ones, so the direction of the score is probably wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import BlockValues, ClassMeasure, CurveMeasure, NamedMeasure, Result, Spelling
from bertillon.measures.known import Visit
from bertillon.measures.operating_point import best_row, seek_best
from bertillon.measures.plans import BothRates, IntervalPlan, NoInterval
from bertillon.measures.registry import SHARE, SIGNED, Definition

if TYPE_CHECKING:
    from bertillon.trials.class_tally import ClassTally

_CHUNK = 1 << 20
_LEAST_SPREAD = 1e-145  # squares of smaller differences lose their digits, or all of themselves


@dataclass(frozen=True, slots=True)
class Separation(CurveMeasure):
    """Distance of the means in units of the spread."""

    name: str = "dprime"
    variant: str = "daugman"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.MOMENTS})

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, "sum" if self.variant == "sum" else "")

    def read(self, tally: Tally) -> Result:
        mated, nonmated = tally.mated_moments, tally.nonmated_moments
        assert mated is not None
        assert nonmated is not None
        if not all(map(math.isfinite, (mated.mean, mated.variance, nonmated.mean, nonmated.variance))):
            finite = mated.of_finite and nonmated.of_finite
            return Result.undefined(say("reason.too_large") if finite else say("reason.infinite_mean"))
        gap = float(tally.rule.orient(mated.mean - nonmated.mean)) + 0.0  # never a negative zero
        spread = float(self._spread(mated.variance, nonmated.variance))
        if spread < _LEAST_SPREAD and (mated.smallest < mated.largest or nonmated.smallest < nonmated.largest):
            return Result.undefined(say("reason.too_close"))
        if spread:
            return Result(gap / spread)
        return Result(math.copysign(math.inf, gap)) if gap else Result.undefined(say("reason.all_equal"))

    def of_block(self, block: CurveBlock) -> BlockValues:
        with np.errstate(divide="ignore", invalid="ignore"):
            (mated, mated_spread), (nonmated, nonmated_spread) = block.means_and_variances
            gap, spread = block.rule.factor * (mated - nonmated), self._spread(mated_spread, nonmated_spread)
            value = np.where((gap == 0.0) & (spread == 0.0), np.nan, gap / spread)
        value = np.where(np.isfinite(mated + nonmated + mated_spread + nonmated_spread), value, np.nan)
        return block.where_both(value), np.full(block.size, np.nan)

    def _spread(self, first: Any, second: Any) -> Any:
        """From two variances, or from two in each of several resamples."""
        if self.name == "FRatio":
            return np.sqrt(first) + np.sqrt(second)
        return np.sqrt(first + second if self.variant == "sum" else (first + second) / 2)


@dataclass(frozen=True, slots=True)
class LargestGap(CurveMeasure, NamedMeasure):
    """The threshold at which TMR exceeds FMR the most: the Kolmogorov-Smirnov distance, Youden's J."""

    name: str = "KS"
    monotone = picks_threshold = True

    def seek(self, outline: BinaryCounts) -> IntArray:
        return seek_best(outline, 1.0, 1.0)

    def read(self, tally: Any) -> Result:
        counts: BinaryCounts = tally.errors
        row = best_row(counts, 1.0, 1.0)
        return Result(1.0 - float(counts.fmr[row]) - float(counts.fnmr[row]), float(counts.threshold[row]))

    def interval(self, result: Result) -> IntervalPlan:
        return BothRates(1.0, 1.0, best=True, success=True)


@dataclass(frozen=True, slots=True)
class Youden(LargestGap, ClassMeasure):
    """The same of a classifier, whose samples may have weights: a sum of those accepted is exact, their rest is not.

    The last digit may differ from that of the same scores as comparisons.
    """

    name: str = "Youden"

    def read(self, tally: ClassTally) -> Result:
        points = tally.points
        row = int(np.argmax(points.tp * points.n_nonmated - points.fp * points.n_mated))
        return Result(float(points.recall[row] - points.fpr[row]), float(points.threshold[row]))


@dataclass(frozen=True, slots=True)
class Overlap(CurveMeasure):
    """The area two histograms share: 0 apart, 1 the same."""

    bins: int = 100
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SCORES})

    @property
    def spelling(self) -> Spelling:
        return Spelling("Overlap", options={} if self.bins == 100 else {"bins": self.bins})

    def read(self, tally: Tally) -> Result:
        assert tally.scores is not None
        classes = (tally.scores.mated, tally.scores.nonmated)
        ends = sorted(float(tally.rule.orient(end)) for c in classes for end in (c.min(), c.max()))
        low, high = ends[0], ends[-1]
        settled = self.settled_by(low, high)
        if settled:
            return settled
        return self.of_counts(*(oriented_counts(tally.rule, c, low, high, self.bins) for c in classes))

    def of_block(self, block: CurveBlock) -> BlockValues:
        """From the mean scores of the cells."""
        values = [self._of_cells(block, resample) for resample in range(block.size)]
        return np.array(values), np.full(block.size, np.nan)

    def _of_cells(self, block: CurveBlock, resample: int) -> float:
        counts = block.counts(resample)
        if not all(count.any() for count in counts):
            return math.nan
        held = [block.rule.orient(own.mean[count > 0]) for own, count in zip(block.cells, counts, strict=True)]
        low, high = (float(end(np.concatenate(held))) for end in (np.min, np.max))
        settled = self.settled_by(low, high)
        if settled:
            return settled.value
        numbers = (
            np.histogram(scores, bins=self.bins, range=(low, high), weights=count[count > 0])[0]
            for scores, count in zip(held, counts, strict=True)
        )
        return self.of_counts(*numbers).value

    def interval(self, result: Result) -> IntervalPlan:
        return NoInterval(say("reason.shared_by_chance"))

    def visit(self, rule: AcceptRule, ends: tuple[float, float] | None) -> Visit | Result | None:
        """Bins are counted once the ends of the scores are known."""
        if ends is None:
            return None

        def add_up(mated: Sequence[IntArray], nonmated: Sequence[IntArray]) -> Result:
            return self.of_counts(np.sum(mated, axis=0), np.sum(nonmated, axis=0))

        bins = self.bins
        return self.settled_by(*ends) or Visit(
            str(self), lambda scores, _: oriented_counts(rule, scores, *ends, bins), add_up
        )

    def settled_by(self, low: float, high: float) -> Result | None:
        """The answer where the smallest and the largest oriented score give it away."""
        if not math.isfinite(high - low):
            return Result.undefined(say("reason.infinite_histogram"))
        if low == high:
            return Result(1.0)
        if np.any(np.diff(np.linspace(low, high, self.bins + 1)) <= 0):
            return Result.undefined(say("reason.too_close_for_bins", bins=self.bins))
        return None

    def of_counts(self, mated: IntArray, nonmated: IntArray) -> Result:
        """The answer from the numbers of scores in each bin."""
        return Result(float(np.minimum(mated / mated.sum(), nonmated / nonmated.sum()).sum()))


def oriented_counts(rule: AcceptRule, scores: NDArray[Any], low: float, high: float, bins: int) -> IntArray:
    """Histogram of the oriented scores in chunks, so that large sets are not copied."""
    chunks = (rule.orient(scores[i : i + _CHUNK]).astype(np.float64) for i in range(0, scores.size, _CHUNK))
    parts = [np.histogram(chunk, bins=bins, range=(low, high))[0] for chunk in chunks]
    return np.asarray(np.sum(parts, axis=0), dtype=np.int64)


def _build_separation(spelling: Spelling) -> Separation:
    variants = ("daugman", "sum") if spelling.name == "dprime" else ("daugman",)
    return Separation(spelling.name, spelling.variant_among(variants))


def _build_overlap(spelling: Spelling) -> Overlap:
    spelling.variant_among(options=("bins",))
    bins = spelling.options.get("bins", 100)
    if not 1 <= bins <= 1_000_000 or bins != int(bins):
        raise InputError(f"{spelling}: bins is {bins:g}; expected a whole number from 1 to 1,000,000")
    return Overlap(int(bins))


_HIGHER = partial(Definition, better="higher")
_GAP = partial(_HIGHER, ends=SIGNED)
_MEANS = "separation of the means (variant sum: without the half)", "dprime", "(μG - μI) / √((σG² + σI²) / 2)"
_RATIO = "F-ratio of the means", "FRatio", "(μG - μI) / (σG + σI)"
_KS = "Kolmogorov-Smirnov distance", "KS", "max (TMR - FMR)"
_YOUDEN = "Youden's J with its threshold", "Youden", "max (TMR - FMR)"
_SHARED = "shared area of the histograms", "Overlap", "Σ min(pG, pI)"
_OVERLAP = partial(Definition, reference="Inman and Bradley 1989", better="lower", ends=SHARE)
DEFINITIONS = (
    _HIGHER("dprime", _build_separation, *_MEANS, ("d'", "d-prime", "decidability"), reference="Daugman 2000"),
    _HIGHER("FRatio", _build_separation, *_RATIO, ("f-ratio",), reference="Poh and Bengio 2005"),
    _GAP("KS", LargestGap.build, *_KS, ("kolmogorov-smirnov",), reference="Massey 1951"),
    _GAP("Youden", LargestGap.build, *_YOUDEN, ("J",), reference="Youden 1950"),
    _OVERLAP("Overlap", _build_overlap, *_SHARED, ("OVL",)),
)
_LARGEST = "largest TPR - FPR", "Youden", "max (TPR - FPR)"
CLASS_DEFINITIONS = (_GAP("Youden", Youden.build, *_LARGEST, ("J", "KS"), reference="Youden 1950"),)
