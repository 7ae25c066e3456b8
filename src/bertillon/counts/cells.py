"""Non-mated scores counted as they come, without being kept: exact rates from one pass over any number of them.

The mated scores are known first and are few. They cut the line of scores into cells: each mated score is a cell of its
own, and between two of them lies another. Within a cell FNMR does not change, so the number of non-mated scores in each
cell gives FMR exactly at every threshold where FNMR can change, and with it EER, FNMR at any FMR, AUC and least costs.
Only the thresholds are coarser: they are mated scores or thresholds asked for, never non-mated scores in between. Equal
steps between the cells make the curve smooth enough to draw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.error_counts import ErrorCounts, IntArray
from bertillon.counts.moments import Moments, moments_of
from bertillon.counts.ranking import steps_over, wins_from_curve
from bertillon.counts.slices import in_slices
from bertillon.counts.tally import Tally
from bertillon.rule import AcceptRule
from bertillon.trials.score_set import Failures

STEPS = 1 << 16
DRAWN_STEPS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Where the line of oriented scores is cut, with a table of equal steps to find a cut quickly."""

    cuts: NDArray[np.float64]
    start: IntArray  # cuts before each step
    low: float
    scale: float
    dtype: np.dtype[Any]
    rule: AcceptRule

    @classmethod
    def around(cls, mated: NDArray[Any], rule: AcceptRule, *, thresholds: Sequence[float] = ()) -> Grid:
        """Cells around the mated scores, the thresholds asked for, and equal steps over the usual range."""
        own = rule.orient(mated)
        beyond = np.nextafter(own, np.array(np.inf, dtype=mated.dtype))
        asked = rule.orient(np.asarray(thresholds, dtype=np.float64))
        cuts = np.unique(np.concatenate([own, beyond, asked, _drawn(own)]).astype(np.float64) + 0.0)
        low, scale = steps_over(cuts, STEPS)
        held = np.bincount(_steps_of(cuts, low, scale), minlength=STEPS)
        return cls(cuts, np.concatenate([[0], np.cumsum(held)]), low, scale, mated.dtype, rule)


class CellCounter:
    """Counts blocks of non-mated scores into the cells of a grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.counts = np.zeros(grid.cuts.size + 1, dtype=np.int64)
        self.failed = 0
        self.moments = Moments(0, float("nan"), 0.0)

    def add(self, block: NDArray[Any], row_owner: IntArray, column_owner: IntArray, *, weight: int = 1) -> None:
        """Count each score of a block `weight` times; pairs whose owners are equal are mated and passed over."""
        from bertillon.counts import kernels

        scores = np.ascontiguousarray(block, dtype=self.grid.dtype)
        centre = self.moments.mean if math.isfinite(self.moments.mean) else 0.0
        line = (float(_sign(self.grid.rule)), self.grid.low, self.grid.scale, centre)

        def work(rows: NDArray[Any]) -> tuple[IntArray, tuple[int, int, float, float]]:
            counts = np.zeros_like(self.counts)
            part = slice(rows[0], rows[-1] + 1)
            owners = (row_owner[part], column_owner)
            return counts, kernels.count_cells(scores[part], *owners, line, self.grid.start, self.grid.cuts, counts)

        for counts, (failed, n, total, squares) in in_slices(work, np.arange(len(scores)), smallest=64):
            self.counts += weight * counts
            self.failed += weight * failed
            self.moments = self.moments.merge(_from_sums(n, total, squares, centre, weight))

    def tally(self, mated: NDArray[Any], failed_mated: int) -> Tally:
        """What was counted, as measures read it."""
        errors = self._errors(mated, failed_mated)
        return Tally(
            errors,
            errors,
            self.grid.rule,
            Failures(failed_mated, self.failed),
            moments_of(mated, compiled=False),
            self.moments,
            wins_from_curve(errors.false_match, errors.false_nonmatch, mated.size),
        )

    def _errors(self, mated: NDArray[Any], failed_mated: int) -> ErrorCounts:
        """Errors at the cuts, from one that accepts all; a cut with nothing up to the next one says nothing new."""
        counts = self.counts
        own = np.sort(self.grid.rule.orient(mated).astype(np.float64))
        threshold = np.concatenate([[-np.inf], self.grid.cuts, [np.inf]])
        false_match = np.append(np.cumsum(counts[::-1])[::-1], 0)
        false_nonmatch = np.concatenate([[0], np.searchsorted(own, self.grid.cuts), [mated.size]])
        told = np.append((np.diff(false_match) != 0) | (np.diff(false_nonmatch) != 0), True)
        return ErrorCounts(
            threshold[told],
            false_match[told],
            false_nonmatch[told],
            mated.size,
            int(counts.sum()),
            complete=False,
            failed_mated=failed_mated,
            failed_nonmated=self.failed,
        )


def _from_sums(n: int, total: float, squares: float, centre: float, weight: int) -> Moments:
    if not n:
        return Moments(0, float("nan"), 0.0)
    return Moments(n * weight, centre + total / n, weight * max(squares - total * total / n, 0.0))


def _drawn(own: NDArray[Any]) -> NDArray[Any]:
    """Equal steps from well below the oriented mated scores to their best, for drawing."""
    finite = own[np.isfinite(own)].astype(np.float64)
    if not finite.size:
        return np.empty(0)
    best, worst = float(finite.max()), float(finite.min())
    return np.linspace(worst - max(best - worst, 1e-6 * abs(best)), best, DRAWN_STEPS)


def _steps_of(cuts: NDArray[np.float64], low: float, scale: float) -> NDArray[np.int64]:
    """The step of each cut, as the kernel finds it."""
    with np.errstate(invalid="ignore", over="ignore"):
        place = (cuts - low) * scale
    return np.where(place >= 0.0, np.minimum(place, STEPS - 1), 0.0).astype(np.int64)


def _sign(rule: AcceptRule) -> int:
    return 1 if rule is AcceptRule.SIMILARITY else -1
