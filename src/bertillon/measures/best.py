"""The threshold at which a weighted sum of FMR and FNMR is least.

On an outline a bin can hold the least sum only if the best imaginable point of the bin, the FMR of its upper edge
with the FNMR of its lower, is no worse than the best edge; all other bins are passed over without loss.

Holds `best_row` and `seek_best`.
"""

from __future__ import annotations

import numpy as np

from bertillon.counting.error_counts import BinaryCounts, IntArray

_SLACK = 1e-12  # rounding must not hide the bin that holds the answer


def best_row(counts: BinaryCounts, weight_fmr: float, weight_fnmr: float) -> int:
    """The first row with the least weighted sum of the two rates, on a scale where equal sums of counts are equal."""
    scaled_fmr = float(counts.n_mated) * counts.false_match  # floats: the products may exceed 64 bits
    scaled_fnmr = float(counts.n_nonmated) * counts.false_nonmatch
    return int(np.argmin(weight_fmr * scaled_fmr + weight_fnmr * scaled_fnmr))


def seek_best(outline: BinaryCounts, weight_fmr: float, weight_fnmr: float) -> IntArray:
    """Bins of an outline that may hold that row."""
    fmr, fnmr = weight_fmr * outline.fmr, weight_fnmr * outline.fnmr
    at_edges = np.min(fmr + fnmr)
    imaginable = fmr[1:] + fnmr[:-1]
    return np.flatnonzero(imaginable <= at_edges + _SLACK * (weight_fmr + weight_fnmr))
