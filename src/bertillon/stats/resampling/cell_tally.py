"""Tallies made of weighted counts in cells, as measures read them.

Conventions: a cell begins at its cut, an oriented score. A cut at which no weighted score stands is no threshold of the
resample. Where a cell holds several scores each counts as their mean (moments also know their spread), and mated and
non-mated scores of one cell are tied.

Holds `CellClass`, `CellCurves` (the curves of a block of resamples) and `of_scores`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import ErrorCounts, FloatArray, IntArray
from bertillon.counting.moments import Moments
from bertillon.counting.ranking import wins_from_curve
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally
from bertillon.measures.base import Measure
from bertillon.measures.llr import CalibrationLoss, LeastLlrCost, LlrCost
from bertillon.measures.separation import Overlap


@dataclass(frozen=True, eq=False)
class CellClass:
    """One kind of scores by cell: how many, their mean, and their variance around it (user's units)."""

    totals: IntArray
    mean: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, scores: NDArray[Any], cells: NDArray[np.int32], cuts: FloatArray, rule: AcceptRule) -> CellClass:
        """From the scores and the cell of each."""
        totals = np.bincount(cells, minlength=cuts.size)
        filled = np.maximum(totals, 1)
        start = rule.orient(cuts)
        with np.errstate(invalid="ignore", over="ignore"):
            apart = scores - start[cells]  # from the cut, so that equal scores have no spread
            shift = np.bincount(cells, apart, minlength=cuts.size) / filled
            squares = np.bincount(cells, np.square(apart), minlength=cuts.size) / filled
            mean = np.where(np.isinf(start), start, start + shift)
            return cls(totals, mean, np.maximum(squares - np.square(shift), 0.0))

    @classmethod
    def between(cls, totals: IntArray, cuts: FloatArray, rule: AcceptRule) -> CellClass:
        """From counts alone: scores are taken to lie midway between their cuts."""
        beyond = np.append(cuts[1:], cuts[-1:])
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(cuts), cuts / 2 + beyond / 2, beyond)  # halved first: the sum may overflow
        return cls(totals, rule.orient(middle) + 0.0, np.zeros(totals.size))

    def known_from(
        self, scores: NDArray[Any], cells: NDArray[np.int32], cuts: FloatArray, rule: AcceptRule
    ) -> CellClass:
        """The same with mean and variance of the scores of each cell that were kept, where some were.

        The first cell may begin at -inf with scores that are not: it is measured from the lowest of them.
        """
        lowest = np.min(rule.orient(scores[cells == 0]), initial=np.inf)
        kept = CellClass.of(scores, cells, np.append(np.maximum(cuts[:1], lowest), cuts[1:]), rule)
        some = kept.totals > 0
        mean, variance = np.where(some, kept.mean, self.mean), np.where(some, kept.variance, self.variance)
        return CellClass(self.totals, mean, variance)

    @cached_property
    def bits(self) -> tuple[FloatArray, FloatArray]:
        """log2(1 + e^-s) and log2(1 + e^s) of the mean score of each cell."""
        bits = [np.logaddexp(0.0, sign * self.mean) / math.log(2) for sign in (-1.0, 1.0)]
        return bits[0], bits[1]

    def moments(self, counts: IntArray) -> Moments:
        """Of the scores under these weights."""
        n = int(counts.sum())
        if not n:
            return Moments(0, math.nan, 0.0)
        held = counts > 0
        counted, mean, variance = counts[held], self.mean[held], self.variance[held]
        with np.errstate(invalid="ignore", over="ignore"):
            centre = float(mean[0] + counted @ (mean - mean[0]) / n)
            return Moments(n, centre, float(counted @ (np.square(mean - centre) + variance)))


@dataclass(frozen=True, eq=False)
class CellCurves:
    """Weighted scores of both kinds by cell (rows) and resample (columns), and the error curves they make."""

    cuts: FloatArray
    mated: IntArray
    nonmated: IntArray
    cells: tuple[CellClass, CellClass]
    rule: AcceptRule
    failures: Sequence[Failures]  # one a resample

    @cached_property
    def false_nonmatch(self) -> IntArray:
        """Mated scores below each cut, and below the threshold that rejects all."""
        return np.concatenate([np.zeros((1, self.mated.shape[1]), np.int64), np.cumsum(self.mated, axis=0)])

    @cached_property
    def false_match(self) -> IntArray:
        """Non-mated scores at or above each cut, and above all."""
        above = self.n_nonmated - np.cumsum(self.nonmated, axis=0)
        return np.concatenate([self.n_nonmated[None, :], above])

    @cached_property
    def n_mated(self) -> IntArray:
        return np.asarray(self.mated.sum(axis=0))

    @cached_property
    def n_nonmated(self) -> IntArray:
        return np.asarray(self.nonmated.sum(axis=0))

    @property
    def size(self) -> int:
        """How many resamples."""
        return int(self.mated.shape[1])

    def counts(self, resample: int) -> tuple[IntArray, IntArray]:
        """Mated and non-mated scores by cell in one resample."""
        return self.mated[:, resample], self.nonmated[:, resample]

    def tally(self, resample: int) -> Tally:
        """Everything but the scores of one resample."""
        failures = self.failures[resample]
        mated, nonmated = self.counts(resample)
        occupied = np.append(np.flatnonzero(mated + nonmated), self.cuts.size)
        errors = ErrorCounts(
            np.append(self.cuts, np.inf)[occupied],
            self.false_match[occupied, resample],
            self.false_nonmatch[occupied, resample],
            int(self.n_mated[resample]),
            int(self.n_nonmated[resample]),
            failed_mated=failures.mated,
            failed_nonmated=failures.nonmated,
        )
        tally = Tally(errors, errors, self.rule, failures)
        return replace(
            tally,
            mated_moments=self.cells[0].moments(mated),
            nonmated_moments=self.cells[1].moments(nonmated),
            wins=wins_from_curve(errors.false_match, errors.false_nonmatch, errors.n_mated),
        )


def of_scores(measure: Measure, tally: Tally, counts: tuple[IntArray, IntArray], cells: Sequence[CellClass]) -> float:
    """A measure that reads every score, from the mean scores of the cells; NaN for one that is not known here."""
    if not tally.n_mated or not tally.n_nonmated:
        return math.nan
    if isinstance(measure, Overlap):
        return _overlap(measure.bins, counts, cells)
    if not isinstance(measure, LlrCost | CalibrationLoss) or tally.rule is AcceptRule.DISTANCE:
        return math.nan
    mated, nonmated = (own.bits[side] @ n / n.sum() for side, (own, n) in enumerate(zip(cells, counts, strict=True)))
    cost = float(mated + nonmated) / 2
    return cost if isinstance(measure, LlrCost) else cost - LeastLlrCost().of(tally).value


def _overlap(bins: int, counts: tuple[IntArray, IntArray], cells: Sequence[CellClass]) -> float:
    held = [own.mean[count > 0] for own, count in zip(cells, counts, strict=True)]
    low, high = (float(end(np.concatenate(held))) for end in (np.min, np.max))
    if not -math.inf < low < high < math.inf:
        return 1.0 if low == high else math.nan
    if np.any(np.diff(np.linspace(low, high, bins + 1)) <= 0):
        return math.nan
    shares = [
        np.histogram(scores, bins=bins, range=(low, high), weights=count[count > 0])[0] / count.sum()
        for scores, count in zip(held, counts, strict=True)
    ]
    return float(np.minimum(*shares).sum())
