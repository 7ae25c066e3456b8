"""Non-mated scores counted as they come, without being kept: exact rates from one pass over any number of them.

The mated scores are known first and are few. They cut the line of scores into cells: each mated score is a cell of its
own, and between two of them lies another. Within a cell FNMR does not change, so the number of non-mated scores in each
cell gives FMR exactly at every threshold where FNMR can change, and with it EER, FNMR at any FMR, AUC and least costs.
Only the thresholds are coarser: they are mated scores or thresholds asked for, never non-mated scores in between. Equal
steps between the cells make the curve smooth enough to draw.

Holds `Grid` (where the line of scores is cut) and `CellCounter`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.counting.error_counts import BinaryCounts, Failures, IntArray
from bertillon.counting.keys import floats_of, keys_of
from bertillon.counting.limits import LIMITS
from bertillon.counting.tally import NO_SCORES, Moments, Tally, moments_of, wins_from_curve


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Where the line of oriented scores is cut: at equal steps, and at the scores that must be told apart."""

    cuts: NDArray[np.float64]
    start: IntArray  # cuts before each step
    crowded: NDArray[np.bool_]  # steps with cuts besides the one they begin with, or with scores to keep
    low: float
    scale: float
    dtype: np.dtype[Any]
    rule: AcceptRule
    keep_from: float  # an oriented score, from which on the places of scores are told

    @classmethod
    def around(
        cls, mated: NDArray[Any], rule: AcceptRule, *, thresholds: Sequence[float] = (), keep_from: float = math.inf
    ) -> Grid:
        """Cells around the mated scores and the thresholds asked for, and equal steps over the usual range."""
        own = np.sort(rule.orient(mated))
        with np.errstate(over="ignore"):  # past the largest number lies infinity
            beyond = np.nextafter(own, np.array(np.inf, dtype=mated.dtype))
        asked = np.sort(rule.orient(np.asarray(thresholds, dtype=np.float64)))
        begin = np.array([keep_from] if math.isfinite(keep_from) else [])
        apart = _merged([own, beyond, asked, begin])
        low, scale = _steps_below(apart)
        edges = _edges(low, scale)
        cuts = _merged([apart, edges])
        held = np.bincount(_steps_of(cuts, low, scale))  # the last step always begins with a cut
        begun = np.bincount(_steps_of(edges, low, scale))  # 1 where a step does
        crowded = held > begun
        if keep_from < math.inf:
            crowded[_steps_of(np.array([keep_from]), low, scale)[0] :] = True  # looked at one by one
        return cls(cuts, np.concatenate([[0], np.cumsum(held)]), crowded, low, scale, mated.dtype, rule, keep_from)


class CellCounter:
    """Counts blocks of non-mated scores into the cells of a grid; counters of several workers can be merged."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._cells = np.zeros(grid.cuts.size + 1, dtype=np.int64)
        self._steps = np.zeros(grid.crowded.size, dtype=np.int64)  # scores not yet added to the cell that is their step
        self.failed = 0
        self._room: NDArray[np.int32] = np.empty(0, dtype=np.int32)  # for places, used again for every block
        self.sums: dict[int, Moments] = {}  # by piece, so that they can be added in one order

    @property
    def cells(self) -> IntArray:
        """How many scores are in each cell."""
        alone = ~self.grid.crowded
        np.add.at(self._cells, self.grid.start[1:][alone], self._steps[alone])
        self._steps[:] = 0
        return self._cells

    @cells.setter
    def cells(self, cells: IntArray) -> None:
        self._cells = cells
        self._steps[:] = 0

    def add(
        self,
        block: NDArray[Any],
        row_owner: IntArray,
        column_owner: IntArray,
        *,
        ends: tuple[float, float] | None = None,
        twice: bool = False,
        right_of_diagonal: bool = False,
        piece: int = 0,
    ) -> IntArray:
        """Count the scores of a block, once or twice; pairs whose owners are equal are mated and passed over.

        Scores beyond the `ends` are put there, in the block too. `piece` is where the block stands among all, whoever
        counts it; blocks of one piece go to one counter. Where only what stands `right_of_diagonal` counts, the rest is
        passed over. Returned is where in the block the scores stand that are to be kept.
        """
        from bertillon.counting.cell_kernels import count_cells

        grid, weight = self.grid, 2 if twice else 1
        scores = np.ascontiguousarray(block, dtype=grid.dtype)
        centre = _centre(scores)
        line = (float(grid.rule.factor), grid.low, grid.scale, centre, grid.keep_from)
        table, limits = (grid.start, grid.crowded, grid.cuts), np.array(ends or [], dtype=grid.dtype)
        if self._room.size < scores.size:
            self._room = np.empty(scores.size, dtype=np.int32)
        n_kept, failed, n, total, squares = count_cells(
            scores,
            (row_owner, column_owner),
            limits,
            line,
            table,
            weight,
            (self._cells, self._steps),
            self._room,
            right_of_diagonal,
        )
        self.failed += weight * failed
        self._add_moments(piece, _from_sums(n, total, squares, centre, weight))
        return self._room[:n_kept].astype(np.int64)

    def merge(self, other: CellCounter) -> None:
        """Add what another worker counted on the same grid."""
        self.cells += other.cells
        self.failed += other.failed
        for piece, part in other.sums.items():
            self._add_moments(piece, part)

    @property
    def moments(self) -> Moments:
        """Mean and spread of all scores, added up in the order of the blocks."""
        total = NO_SCORES
        for piece in sorted(self.sums):
            total = total.merge(self.sums[piece])
        return total

    def tally(self, mated: NDArray[Any], failed_mated: int) -> Tally:
        """What was counted, as measures read it."""
        errors = self._errors(mated, failed_mated)
        return Tally(
            errors=errors,
            outline=errors,
            rule=self.grid.rule,
            failures=Failures(failed_mated, self.failed),
            mated_moments=moments_of(mated, compiled=False),
            nonmated_moments=self.moments,
            wins=wins_from_curve(errors.false_match, errors.false_nonmatch, mated.size),
        )

    def _add_moments(self, piece: int, part: Moments) -> None:
        self.sums[piece] = self.sums.get(piece, NO_SCORES).merge(part)

    def _errors(self, mated: NDArray[Any], failed_mated: int) -> BinaryCounts:
        """Errors at the cuts, from one that accepts all; a cut with nothing up to the next one says nothing new."""
        own = np.sort(self.grid.rule.orient(mated).astype(np.float64))
        threshold = np.concatenate([[-np.inf], self.grid.cuts, [np.inf]])
        false_match = np.append(np.cumsum(self.cells[::-1])[::-1], 0)
        false_nonmatch = np.concatenate([[0], count_rejected(own, self.grid.cuts), [mated.size]])
        distinct = np.append((np.diff(false_match) != 0) | (np.diff(false_nonmatch) != 0), True)
        return BinaryCounts(
            threshold[distinct],
            false_match[distinct],
            false_nonmatch[distinct],
            mated.size,
            int(self.cells.sum()),
            complete=False,
            failed_mated=failed_mated,
            failed_nonmated=self.failed,
        )


def _centre(scores: NDArray[Any]) -> float:
    """A score to take sums from: the first that is finite, which as a rule is the first."""
    if scores.size and math.isfinite(scores.flat[0]):
        return float(scores.flat[0])
    finite = scores[np.isfinite(scores)]
    return float(finite[0]) if finite.size else 0.0


def _from_sums(n: int, total: float, squares: float, centre: float, weight: int) -> Moments:
    if not n:
        return NO_SCORES
    return Moments(n * weight, centre + total / n, weight * max(squares - total * total / n, 0.0))


def _merged(runs: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Sorted arrays as one, each value once."""
    together = np.concatenate(runs).astype(np.float64) + 0.0
    together.sort(kind="stable")  # which merges runs that are sorted already
    return together[np.concatenate([[True], together[1:] > together[:-1]])] if together.size else together


def _steps_below(apart: NDArray[np.float64]) -> tuple[float, float]:
    """Where equal steps begin and how many go to one unit: from well below the mated scores to their best."""
    finite = apart[np.isfinite(apart)]
    if not finite.size:
        return 0.0, 1.0
    best, worst = float(finite[-1]), float(finite[0])
    low = worst - max(best - worst, 1e-6 * abs(best), 1e-300)
    width = best - low
    return (low, LIMITS.tiles.cell_steps / width) if math.isfinite(width) else (0.0, 1.0)


def _edges(low: float, scale: float) -> NDArray[np.float64]:
    """The smallest number on each step but the first; where rounding leaves a step without numbers, the next one's.

    They are looked for among all numbers, halving those that are left: next to zero there are very many on a step.
    """
    number = np.arange(1, LIMITS.tiles.cell_steps)
    ends = keys_of(np.array([low, low + LIMITS.tiles.cell_steps / scale]))
    below, edge = (np.full(number.size, key) for key in ends)
    for _ in range(64):  # bits of a key
        middle = (below >> 1) + (edge >> 1) + (below & edge & 1)
        reached = _steps_of(floats_of(middle, np.float64), low, scale) >= number
        below, edge = np.where(reached, below, middle), np.where(reached, middle, edge)
    return np.unique(floats_of(edge, np.float64))


def _steps_of(cuts: NDArray[np.float64], low: float, scale: float) -> NDArray[np.int64]:
    """The step of each cut, as the kernel finds it."""
    return np.clip((cuts - low) * scale, 0.0, LIMITS.tiles.cell_steps - 1.0).astype(np.int64)
