"""The error curves of a block of resamples: weighted counts of scores in cells, as measures read them.

Conventions: a cell begins at its cut, an oriented score. A cut at which no weighted score stands is no threshold of the
resample. Where a cell holds several scores each counts as their mean (moments also know their spread), and mated and
non-mated scores of one cell are tied. A curve is monotone, so a row is found by halving, in all resamples together.

Holds `CellClass` and `CurveBlock`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.moments import Moments
from bertillon.counting.ranking import wins_from_curve
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally


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

    def mean_and_variance(self, counts: IntArray) -> tuple[FloatArray, FloatArray]:
        """Mean and population variance in each resample of a block; NaN where an infinite score was taken."""
        finite = np.isfinite(self.mean) & (self.totals > 0)
        weights, mean, variance = counts[finite].astype(np.float64), self.mean[finite], self.variance[finite]
        n = weights.sum(axis=0)
        n = np.where(n == counts.sum(axis=0), n, np.nan)
        origin = mean[mean.size // 2] if mean.size else 0.0  # the same in every block, and so is the rounding
        apart = mean - origin
        shift = np.einsum("c,cr->r", apart, weights) / n  # not a matrix product, whose rounding depends on the machine
        squares = np.einsum("c,cr->r", np.square(apart) + variance, weights) / n - np.square(shift)
        rounding = 1e-13 * np.max(np.square(apart), initial=0.0)
        return origin + shift, np.where(squares > rounding, squares, 0.0)


@dataclass(frozen=True, eq=False)
class CurveBlock:
    """Weighted scores of both kinds by cell (rows) and resample (columns), and the error curves they make."""

    cuts: FloatArray
    mated: IntArray
    nonmated: IntArray
    cells: tuple[CellClass, CellClass]
    rule: AcceptRule
    failures: Sequence[Failures]  # one a resample
    _tallies: dict[int, Tally] = field(default_factory=dict, init=False, repr=False)

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

    @cached_property
    def failed(self) -> tuple[IntArray, IntArray]:
        """Mated and non-mated comparisons that failed, in each resample."""
        mated, nonmated = np.array([[failures.mated, failures.nonmated] for failures in self.failures]).T
        return mated, nonmated

    def tally(self, resample: int) -> Tally:
        """Everything but the scores of one resample, made once for all the measures that ask for it."""
        if resample not in self._tallies:
            self._tallies[resample] = self._tally(resample)
        return self._tallies[resample]

    def parts(self, cells: int) -> Iterator[CurveBlock]:
        """The same in blocks of no more than so many cells, though of one resample at least."""
        step = max(1, cells // max(1, self.cuts.size))
        for begin in range(0, self.size, step):
            some = slice(begin, begin + step)
            yield replace(
                self, mated=self.mated[:, some], nonmated=self.nonmated[:, some], failures=self.failures[some]
            )

    def at(self, table: IntArray, rows: IntArray) -> IntArray:
        """The counts of each resample at a row of its own."""
        return np.asarray(table[rows, np.arange(rows.size)])

    def thresholds(self, rows: IntArray) -> FloatArray:
        """The oriented thresholds of rows."""
        return np.append(self.cuts, np.inf)[rows]

    def first_row(self, holds: Callable[[IntArray], NDArray[np.bool_]], start: IntArray | None = None) -> IntArray:
        """The first row from `start` at which a condition holds that holds ever after; one past the last if none."""
        low = np.zeros(self.size, dtype=np.int64) if start is None else start.copy()
        high = np.full(self.size, self.cuts.size + 1)
        while (low < high).any():
            middle = (low + high) >> 1
            there = holds(np.minimum(middle, self.cuts.size))
            high = np.where((low < high) & there, middle, high)
            low = np.where((low < high) & ~there, middle + 1, low)
        return low

    def next_occupied(self, rows: IntArray) -> IntArray:
        """The row itself, or the next one at which weighted scores stand."""

        def passed(row: IntArray) -> IntArray:
            """Scores below a row."""
            return self.at(self.false_nonmatch, row) + self.n_nonmated - self.at(self.false_match, row)

        before = passed(rows)
        after = self.first_row(lambda row: passed(row) > before, rows)
        return np.minimum(after - 1, self.cuts.size)

    def where_both(self, values: FloatArray) -> FloatArray:
        """NaN where a resample has lost one kind of comparison."""
        return np.where((self.n_mated > 0) & (self.n_nonmated > 0), values, np.nan)

    def _tally(self, resample: int) -> Tally:
        failures = self.failures[resample]
        mated, nonmated = self.counts(resample)
        occupied = np.append(np.flatnonzero(mated + nonmated), self.cuts.size)
        errors = BinaryCounts(
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
