"""Scores of one kind, ready to be counted under the weights of a resample.

    UnitSource       each score belongs to units: it counts as often as they were taken
    RowSource        scores belong to nobody: they are drawn one by one
    KeptPairSource   scores were counted and some of them kept with their people. A cell counts as often as those kept
                     of it: its number is known, times their mean weight. Cells of which few were kept share one mean
                     with neighbours

Conventions: counts have a row a cell and a column a resample. Under `pair_counts` pairs of units count twice or not at
all, each pair by itself: the signs of two units are equal or not. Products of signs are independent for any two pairs,
also for pairs that share a unit, so 1 + product varies from pair to pair while no unit's weight does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import IntArray
from bertillon.counting.weighted import WeightedCells
from bertillon.stats.resampling.weights import Draw, Purpose, Weights

if TYPE_CHECKING:
    from bertillon.counting.tiles.people import ComparedPeople

ROWS_PER_CELL = 8  # with fewer, drawing the rows is faster than drawing each cell's number of them
FEW = 100  # comparisons kept, that at least make a mean


class Source(Protocol):
    """Scores of one kind."""

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        """Weighted scores; those that belong to nobody vary where chance decides who is taken."""

    def pair_counts(self, signs: Weights) -> IntArray:
        """1 + the product of the two signs for each score of two units, 1 for any other."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitSource:
    """Scores that belong to units."""

    cells: WeightedCells

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        return self.cells.counts(weights)

    def pair_counts(self, signs: Weights) -> IntArray:
        whole = _as_they_are(self.cells.totals, signs.shape[1])
        two = self.cells.shared(signs.shape[0] - 1)
        return whole if two is None else whole + two.counts(signs)


@dataclass(frozen=True, slots=True, eq=False)
class RowSource:
    """Scores drawn one by one, which makes a multinomial over the cells."""

    totals: IntArray
    purpose: Purpose

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        n = int(self.totals.sum())
        if not n or not draw.at_random:
            return _as_they_are(self.totals, len(draw.resamples))
        drawers = draw.streams(self.purpose)
        if n < ROWS_PER_CELL * self.totals.size:
            cell = np.repeat(np.arange(self.totals.size), self.totals)
            rows = (cell[stream.integers(n, size=n)] for stream in drawers)
            return np.array([np.bincount(these, minlength=self.totals.size) for these in rows]).T
        share = self.totals / n
        return np.array([stream.multinomial(n, share) for stream in drawers]).T

    def pair_counts(self, signs: Weights) -> IntArray:
        return _as_they_are(self.totals, signs.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class KeptPairSource:
    """Counted scores that belong to two people each, some of whom are known."""

    totals: IntArray  # of each cell
    group: IntArray  # of each cell: cells that share one mean weight
    kept: WeightedCells  # by group

    @classmethod
    def of(cls, people: ComparedPeople, cells: NDArray[np.int32], totals: IntArray, first_above: int) -> KeptPairSource:
        """From the cell of each comparison kept; those from `first_above` on are kept with one chance."""
        seen = np.bincount(cells, minlength=totals.size)
        if people.complete:
            group = np.arange(totals.size)
        else:
            below = _grouped(seen[:first_above])
            above = _grouped(seen[first_above:][::-1])[::-1]  # from the top, where errors are few
            group = np.concatenate([below, above + 1 + below.max(initial=-1)])
        n = 1 + int(group.max(initial=-1))
        return cls(totals, group, WeightedCells.of(group[cells], people.kept.first, people.kept.second, n))

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        counts = self._products(weights)
        nobody = (self.kept.totals[self.group] == 0) & (self.totals > 0)  # none of its people is known: taken as it is
        counts[nobody] = self.totals[nobody, None]
        return counts

    def pair_counts(self, signs: Weights) -> IntArray:
        return np.asarray(self.totals[:, None] + self._products(signs))

    def _products(self, weights: Weights) -> IntArray:
        """Each cell's number times the mean product of weights in its group, 0 where nobody is known."""
        known = np.maximum(self.kept.totals, 1)[:, None]
        mean = self.kept.counts(weights) / known
        return np.asarray(np.rint(self.totals[:, None] * mean[self.group]), dtype=np.int64)


def _grouped(seen: IntArray) -> IntArray:
    """Neighbouring cells in groups of which enough were kept."""
    before = np.cumsum(seen) - seen
    return np.asarray(np.minimum(before // FEW, max(int(seen.sum()) - 1, 0) // FEW), dtype=np.int64)


def _as_they_are(totals: IntArray, resamples: int) -> IntArray:
    return np.broadcast_to(totals[:, None], (totals.size, resamples))
