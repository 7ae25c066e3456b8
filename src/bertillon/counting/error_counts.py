"""The integers behind every error curve: false matches and false non-matches at ascending thresholds.

Holds `BinaryCounts`, and the array types `FloatArray` and `IntArray`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class BinaryCounts:
    """Errors at each threshold, strictest last.

    `threshold` is oriented and ascends; the last one rejects everything. `false_match` counts non-mated scores at or
    above it, `false_nonmatch` mated scores below it. When `complete`, every distinct score is a threshold; otherwise
    only neighbourhoods of the points asked for are there, each of them exact.
    """

    threshold: FloatArray
    false_match: IntArray
    false_nonmatch: IntArray
    n_mated: int
    n_nonmated: int
    complete: bool = True
    failed_mated: int = 0
    failed_nonmated: int = 0

    def __len__(self) -> int:
        return int(self.threshold.size)

    @property
    def fmr(self) -> FloatArray:
        """False match rate at each threshold; NaN without non-mated scores."""
        return _rate(self.false_match, self.n_nonmated)

    @property
    def fnmr(self) -> FloatArray:
        """False non-match rate at each threshold; NaN without mated scores."""
        return _rate(self.false_nonmatch, self.n_mated)

    @property
    def far(self) -> FloatArray:
        """False accept rate: a failed comparison is an attempt that was not accepted."""
        return _rate(self.false_match, self.n_nonmated + self.failed_nonmated)

    @property
    def frr(self) -> FloatArray:
        """False reject rate: a failed comparison of a genuine user is a rejection."""
        return _rate(self.false_nonmatch + self.failed_mated, self.n_mated + self.failed_mated)


def _rate(errors: IntArray, trials: int) -> FloatArray:
    return errors / trials if trials else np.full(errors.shape, np.nan)
