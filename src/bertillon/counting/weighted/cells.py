"""Counts of scores in cells under changing weights: what a resample reads in place of scores.

Conventions: a score belongs to one unit or to two (the people, or samples, that were compared), and counts as often as
the product of their weights. Units are numbered from 0; a unit whose weight is always 1 stands in where there is no
second one. Cells are those between cuts (see `cuts`).

Holds `cells_of` and `WeightedCells`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule, count_passed
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.ranking import steps_over
from bertillon.counting.slices import on_threads, slices_of

STEPS = 1 << 14
ROOM = int(np.iinfo(np.int16).max)  # of the sums the kernel keeps


def cells_of(scores: NDArray[Any], rule: AcceptRule, cuts: FloatArray) -> NDArray[np.int32]:
    """The cell each score lies in.

    >>> cells_of(np.array([0.5, 0.1, 0.9]), AcceptRule.SIMILARITY, np.array([0.1, 0.5])).tolist()
    [1, 0, 1]
    """
    if scores.size <= LIMITS.weigh_in_numpy_up_to:
        return np.asarray(count_passed(cuts, rule.orient(scores)) - 1, dtype=np.int32)
    from bertillon.counting.weighted.kernels import find_cells

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
        if cells.size <= LIMITS.weigh_in_numpy_up_to:
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
        if self.ordered.shape[0] <= LIMITS.weigh_in_numpy_up_to or largest * largest > ROOM:
            return self._plain(weights)
        from bertillon.counting.weighted.kernels import sum_products

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
    from bertillon.counting.weighted.kernels import put_in_order

    ordered = np.empty((cells.size, 2), dtype=kind)
    slices = slices_of(cells.size)
    held = on_threads(lambda part: np.bincount(cells[part], minlength=start.size - 1), slices)
    next_free = start[:-1] + np.cumsum([np.zeros_like(held[0]), *held[:-1]], axis=0)
    on_threads(
        lambda job: put_in_order(cells[job[0]], first[job[0]], second[job[0]], job[1], ordered),
        list(zip(slices, next_free, strict=True)),
    )
    return ordered
