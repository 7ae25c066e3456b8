"""Counts under changing weights, for resamples: a resample changes how often each unit counts, never the scores.

Conventions: the line of scores is cut once. Cuts are oriented scores and ascend; cell c holds the scores from cut c up
to, not including, cut c + 1, and no score lies below the first cut. Where there are few distinct scores each of them is
a cut, and counts at the cuts are the whole exact curve. Otherwise cuts are close where errors are few: between two
neighbours the number of mated scores below, or of non-mated scores above, changes by a small share of itself, or by a
score or two.

A score belongs to one unit or to two (the people, or samples, that were compared), and counts as often as the product
of their weights. Units are numbered from 0; a unit whose weight is always 1 stands in where there is no second one.

A cut at which no weighted score stands is no threshold of the resample. Where a cell holds several scores each counts
as their mean (moments also know their spread), and mated and non-mated scores of one cell are tied. A curve is
monotone, so a row is found by halving, in all resamples together.

Holds `cuts_of`, `cells_of` and `WeightedCells`; `CellClass` and `CurveBlock`, the error curves of a block of resamples
as measures read them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule, count_passed
from bertillon.counting.error_counts import BinaryCounts, Failures, FloatArray, IntArray, Scores
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import distinct
from bertillon.counting.tally import Moments, Tally, steps_over, wins_from_curve
from bertillon.engine.workers import on_threads, slices_of

FINE = 0.0025
COARSE = 0.02  # the share on the side where a class makes no errors
STEPS = 1 << 14
ROOM = int(np.iinfo(np.int16).max)  # of the sums the kernel keeps


def cuts_of(scores: Scores, thresholds: Sequence[float] = (), *, fine: float = FINE) -> FloatArray:
    """Cuts for a set of scores; `thresholds`, in the user's units, are cuts too where they lie among the scores.

    `fine` is the share by which a number of errors may change from cut to cut.

    >>> from bertillon.trials.score_set import ScoreSet
    >>> cuts_of(ScoreSet([3.0, 2.0], [1.0, 2.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    mated, nonmated = (scores.rule.orient(kind) for kind in (scores.mated, scores.nonmated))
    few = _few_distinct(mated, nonmated)
    if few is not None:
        return few
    asked = scores.rule.orient(np.asarray(thresholds, dtype=np.float64))
    lowest = min(float(kind.min()) for kind in (mated, nonmated) if kind.size)
    above = np.nextafter(_near_top(nonmated, fine), np.inf)  # a threshold that keeps an FMR lies right above a score
    placed = [-_near_top(-mated, fine), _near_top(mated, COARSE), above]
    placed += [-_near_top(-nonmated, COARSE), asked[asked > lowest], np.array([lowest])]
    return np.unique(np.concatenate(placed) + 0.0)  # one spelling of zero


def _few_distinct(mated: NDArray[Any], nonmated: NDArray[Any]) -> FloatArray | None:
    """Every distinct score, or None where there are many."""
    parts = []
    for kind in (mated, nonmated):
        if (
            kind.size > 16 * LIMITS.weights.exact_cuts
            and np.unique(kind[: 4 * LIMITS.weights.exact_cuts]).size > LIMITS.weights.exact_cuts
        ):
            return None
        parts.append(_distinct(kind))
    together: FloatArray = np.unique(np.concatenate(parts).astype(np.float64) + 0.0)
    return together if together.size <= LIMITS.weights.exact_cuts else None


def _distinct(scores: NDArray[Any]) -> NDArray[Any]:
    return np.unique(scores) if scores.size <= 100_000 else distinct(scores)


def _near_top(scores: NDArray[Any], step: float) -> FloatArray:
    """Scores whose ranks from the top grow by a share at a time, as far as the median."""
    if scores.size <= LIMITS.weights.cut_sample:
        return _at_growing_ranks(np.sort(scores)[::-1], step, scores.size // 2 + 1)
    chosen = np.random.default_rng(0).integers(scores.size, size=LIMITS.weights.cut_sample)
    sample = np.sort(scores[chosen])[::-1]
    top = np.sort(scores[scores > sample[LIMITS.weights.cut_tail]])[::-1]
    below = _at_growing_ranks(sample, step, LIMITS.weights.cut_sample // 2)
    return np.concatenate([_at_growing_ranks(top, step, top.size), below[below <= sample[LIMITS.weights.cut_tail]]])


def _at_growing_ranks(descending: NDArray[Any], step: float, last: int) -> FloatArray:
    """The scores at ranks 0, 1, 2, ... that grow by a share of themselves once that is more than one."""
    last = min(last, descending.size)
    growing = np.expm1(np.arange(int(np.log1p(step * last) / np.log1p(step)) + 2) * np.log1p(step)) / step
    ranks = np.unique(np.minimum(growing, last - 1).astype(np.int64))
    return np.asarray(descending[ranks[ranks >= 0]], dtype=np.float64)


def cells_of(scores: NDArray[Any], rule: AcceptRule, cuts: FloatArray) -> NDArray[np.int32]:
    """The cell each score lies in.

    >>> cells_of(np.array([0.5, 0.1, 0.9]), AcceptRule.SIMILARITY, np.array([0.1, 0.5])).tolist()
    [1, 0, 1]
    """
    if scores.size <= LIMITS.weights.weigh_in_numpy_up_to:
        return np.asarray(count_passed(cuts, rule.orient(scores)) - 1, dtype=np.int32)
    from bertillon.counting.cell_kernels import find_cells

    low, scale = steps_over(cuts, STEPS)
    with np.errstate(invalid="ignore"):
        step = np.nan_to_num((cuts - low) * scale, nan=0.0)
    start = np.searchsorted(np.clip(step, 0.0, STEPS - 1).astype(np.int64), np.arange(STEPS + 1))
    cells = np.empty(scores.size, dtype=np.int32)

    def find(part: slice) -> None:
        find_cells(scores[part], float(rule.factor), cuts, low, scale, start, cells[part])

    on_threads(find, slices_of(scores.size))
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class WeightedCells:
    """Pairs of units in the order of the cells their scores lie in.

    >>> cells = WeightedCells.of(np.array([1, 0, 1]), np.array([0, 1, 1]), np.array([2, 2, 2]), 2)
    >>> cells.counts(np.array([[3], [2], [1]], dtype=np.int16)).tolist()
    [[2], [5]]
    """

    ordered: NDArray[Any]  # (scores, 2)
    start: IntArray  # of each cell, and past the last

    @classmethod
    def of(cls, cells: NDArray[Any], first: NDArray[Any], second: NDArray[Any], n_cells: int) -> WeightedCells:
        """From the cell and the two units of each score."""
        start = np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=n_cells))]).astype(np.int64)
        largest = max(int(first.max(initial=0)), int(second.max(initial=0)))
        kind = np.uint16 if largest < 2**16 else np.int32
        if cells.size <= LIMITS.weights.weigh_in_numpy_up_to:
            order = np.argsort(cells, kind="stable")
            return cls(np.stack([first[order], second[order]], axis=1).astype(kind), start)
        return cls(_put_in_order(cells, first, second, start, kind), start)

    @property
    def totals(self) -> IntArray:
        """Scores in each cell, all weights 1."""
        return np.diff(self.start)

    def shared(self, always: int) -> WeightedCells | None:
        """The scores of two units, without those whose second unit is the one that is always there; None if none."""
        two = self.ordered[:, 1] != always
        if two.all():
            return self
        if not two.any():
            return None
        cells = np.repeat(np.arange(self.start.size - 1), self.totals)[two]
        start = np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=self.start.size - 1))])
        return WeightedCells(self.ordered[two], start.astype(np.int64))

    def counts(self, weights: NDArray[np.int16]) -> IntArray:
        """Weighted scores in each cell, one column a resample; `weights` has a row a unit and a column a resample."""
        largest = int(np.abs(weights).max(initial=1))
        if self.ordered.shape[0] <= LIMITS.weights.weigh_in_numpy_up_to or largest * largest > ROOM:
            return self._plain(weights)
        from bertillon.counting.cell_kernels import sum_products

        counts = np.zeros((self.start.size - 1, weights.shape[1]), dtype=np.int64)
        sum_products(self.ordered, self.start, weights, ROOM // (largest * largest), counts)
        return counts

    def _plain(self, weights: NDArray[np.int16]) -> IntArray:
        n_cells = self.start.size - 1
        counts = np.empty((weights.shape[1], n_cells), dtype=np.int64)
        cell = np.repeat(np.arange(n_cells), self.totals)
        first, second = self.ordered[:, 0], self.ordered[:, 1]
        for row, own in zip(counts, weights.T.astype(np.float64), strict=True):
            row[:] = np.bincount(cell, own[first] * own[second], minlength=n_cells)
        return counts.T


def _put_in_order(
    cells: NDArray[Any], first: NDArray[Any], second: NDArray[Any], start: IntArray, kind: type[Any]
) -> NDArray[Any]:
    """The pairs cell after cell, each slice of the scores written by a thread of its own."""
    from bertillon.counting.cell_kernels import put_in_order

    ordered = np.empty((cells.size, 2), dtype=kind)
    slices = slices_of(cells.size)
    held = on_threads(lambda part: np.bincount(cells[part], minlength=start.size - 1), slices)
    next_free = start[:-1] + np.cumsum([np.zeros_like(held[0]), *held[:-1]], axis=0)
    on_threads(
        lambda job: put_in_order(cells[job[0]], first[job[0]], second[job[0]], job[1], ordered),
        list(zip(slices, next_free, strict=True)),
    )
    return ordered


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


def _running(counts: IntArray) -> IntArray:
    """What lies before each cell, and before the end; each resample in memory by itself, which adds up the fastest."""
    sums = np.zeros((counts.shape[1], counts.shape[0] + 1), dtype=np.int64)
    np.cumsum(counts.T, axis=1, out=sums[:, 1:])
    return sums.T


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
        return _running(self.mated)

    @cached_property
    def false_match(self) -> IntArray:
        """Non-mated scores at or above each cut, and above all."""
        return self.n_nonmated - _running(self.nonmated)

    @cached_property
    def n_mated(self) -> IntArray:
        return np.asarray(self.mated.sum(axis=0))

    @cached_property
    def n_nonmated(self) -> IntArray:
        return np.asarray(self.nonmated.sum(axis=0))

    @cached_property
    def means_and_variances(self) -> list[tuple[FloatArray, FloatArray]]:
        """Of the mated and of the non-mated scores, in each resample."""
        pairs = zip(self.cells, (self.mated, self.nonmated), strict=True)
        return [cells.mean_and_variance(counts) for cells, counts in pairs]

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

    def errors(self, resample: int) -> BinaryCounts:
        """The error curve of one resample, at the cuts at which weighted scores stand."""
        occupied = np.append(np.flatnonzero(self.mated[:, resample] + self.nonmated[:, resample]), self.cuts.size)
        return BinaryCounts(
            self.thresholds(occupied),
            self.false_match[occupied, resample],
            self.false_nonmatch[occupied, resample],
            int(self.n_mated[resample]),
            int(self.n_nonmated[resample]),
            failed_mated=self.failures[resample].mated,
            failed_nonmated=self.failures[resample].nonmated,
        )

    def tally(self, resample: int) -> Tally:
        """Everything but the scores of one resample, made once for all the measures that ask for it."""
        if resample not in self._tallies:
            errors, (mated, nonmated) = self.errors(resample), self.counts(resample)
            self._tallies[resample] = Tally(
                errors,
                errors,
                self.rule,
                self.failures[resample],
                self.cells[0].moments(mated),
                self.cells[1].moments(nonmated),
                wins_from_curve(errors.false_match, errors.false_nonmatch, errors.n_mated),
            )
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
        row = np.zeros(self.size, dtype=np.int64) if start is None else start.copy()  # at none before does it hold
        last = self.cuts.size
        for step in (1 << bit for bit in reversed(range((last + 1).bit_length()))):
            passed = row + (step - 1)
            row += step * ((passed <= last) & ~holds(np.minimum(passed, last)))
        return row

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
