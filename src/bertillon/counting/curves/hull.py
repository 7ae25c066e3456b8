"""The convex hull of the ROC, by pooling adjacent violators (PAV).

A threshold off the hull is never the best for any costs and priors. The blocks PAV pools are also the best
monotone calibration of the scores, which is why the same object serves the hull EER and minCllr.

Holds `hull` and what it gives, `Hull`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import BinaryCounts


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Vertices of the hull from accept-all to reject-all, and the pooled blocks between them."""

    false_match: NDArray[np.int64]
    false_nonmatch: NDArray[np.int64]
    row: NDArray[np.int64]  # of the curve the hull was taken from

    @property
    def block_mated(self) -> NDArray[np.int64]:
        """Mated scores pooled in each block, least alike first."""
        return np.diff(self.false_nonmatch)

    @property
    def block_nonmated(self) -> NDArray[np.int64]:
        """Non-mated scores pooled in each block."""
        return -np.diff(self.false_match)


def hull(counts: BinaryCounts) -> Hull:
    """The hull of a whole curve.

    >>> from bertillon.counting.sorting import count_every_threshold
    >>> counts = count_every_threshold(np.array([2.0, 3.0]), np.array([1.0, 2.0]), compiled=False)
    >>> hull(counts).false_match.tolist(), hull(counts).false_nonmatch.tolist()
    ([2, 1, 0, 0], [0, 0, 1, 2])
    """
    from scipy.optimize import isotonic_regression

    mated, nonmated = np.diff(counts.false_nonmatch), -np.diff(counts.false_match)
    together = mated + nonmated
    pooled = isotonic_regression(mated / together, weights=together)
    row = pooled.blocks.astype(np.int64)  # first row of each block, and one past the last
    return Hull(counts.false_match[row], counts.false_nonmatch[row], row)
