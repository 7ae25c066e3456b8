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
from bertillon.counts.keys import bins_of, bits_of, floats_of, keys_of, lowest
from bertillon.counts.moments import Moments, moments_of
from bertillon.counts.ranking import wins_from_curve
from bertillon.counts.slices import in_slices
from bertillon.counts.tally import Tally
from bertillon.rule import AcceptRule
from bertillon.trials.score_set import Failures

TABLE_BITS = 18
DRAWN_STEPS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Where the line of scores is cut, as ordered keys of oriented scores."""

    keys: IntArray
    lookup: IntArray  # first key, shift, and the number of grid keys before each bin
    dtype: np.dtype[Any]
    rule: AcceptRule

    @classmethod
    def around(cls, mated: NDArray[Any], rule: AcceptRule, *, thresholds: Sequence[float] = ()) -> Grid:
        """Cells around the mated scores, the thresholds asked for, and equal steps over the usual range."""
        own = keys_of(mated) * _sign(rule)
        asked = keys_of(np.asarray(rule.orient(np.asarray(thresholds, dtype=np.float64)), dtype=mated.dtype))
        keys = np.unique(np.concatenate([own, own + 1, asked, _steps(mated, rule)]))
        first, last = int(keys[0]), int(keys[-1])
        shift = max(0, (last - first).bit_length() - TABLE_BITS)
        before = np.concatenate([[0], np.cumsum(np.bincount(bins_of(keys, first, shift)))])
        return cls(keys, np.concatenate([[first, shift], before]).astype(np.int64), mated.dtype, rule)

    @property
    def thresholds(self) -> NDArray[np.float64]:
        """The oriented thresholds at the cuts."""
        return floats_of(self.keys, self.dtype)


class CellCounter:
    """Counts blocks of non-mated scores into the cells of a grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.counts = np.zeros(grid.keys.size + 1, dtype=np.int64)
        self.failed = 0
        self.moments = Moments(0, float("nan"), 0.0)

    def add(self, block: NDArray[Any], row_owner: IntArray, column_owner: IntArray, *, weight: int = 1) -> None:
        """Count each score of a block `weight` times; pairs whose owners are equal are mated and passed over."""
        from bertillon.counts import kernels

        scores = np.ascontiguousarray(block, dtype=self.grid.dtype)
        bits, low, sign = bits_of(scores), lowest(scores.dtype), _sign(self.grid.rule)
        centre = self.moments.mean if math.isfinite(self.moments.mean) else 0.0

        def work(rows: NDArray[Any]) -> tuple[IntArray, tuple[int, int, float, float]]:
            counts = np.zeros_like(self.counts)
            part = slice(rows[0], rows[-1] + 1)
            line = (low, sign, centre)
            owners = (row_owner[part], column_owner)
            return counts, kernels.count_cells(
                scores[part], bits[part], *owners, line, self.grid.lookup, self.grid.keys, counts
            )

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
        own = np.sort(keys_of(mated) * _sign(self.grid.rule))
        threshold = np.concatenate([[-np.inf], self.grid.thresholds, [np.inf]])
        false_match = np.append(np.cumsum(counts[::-1])[::-1], 0)
        false_nonmatch = np.concatenate([[0], np.searchsorted(own, self.grid.keys), [mated.size]])
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


def _steps(mated: NDArray[Any], rule: AcceptRule) -> IntArray:
    """Equal steps from well below the mated scores to their best, for drawing."""
    oriented = rule.orient(mated[np.isfinite(mated)]).astype(np.float64)
    if not oriented.size:
        return np.empty(0, dtype=np.int64)
    best, worst = float(oriented.max()), float(oriented.min())
    span = max(best - worst, abs(best), 1e-6)
    return keys_of(np.linspace(worst - span, best, DRAWN_STEPS).astype(mated.dtype))


def _sign(rule: AcceptRule) -> int:
    return 1 if rule is AcceptRule.SIMILARITY else -1
