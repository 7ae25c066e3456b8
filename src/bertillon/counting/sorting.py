"""Every distinct threshold, by sorting: the whole exact curve.

Small sets are sorted and merged by numpy without loading a compiler, large ones are merged in one compiled walk.

Holds `count_every_threshold`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.slices import in_order


def count_every_threshold(mated: NDArray[Any], nonmated: NDArray[Any], *, compiled: bool) -> BinaryCounts:
    """Error counts at every distinct score and at one threshold that rejects all; scores are oriented.

    >>> counts = count_every_threshold(np.array([2.0, 3.0]), np.array([1.0, 2.0]), compiled=False)
    >>> counts.threshold.tolist(), counts.false_match.tolist(), counts.false_nonmatch.tolist()
    ([1.0, 2.0, 3.0, inf], [2, 1, 0, 0], [0, 0, 1, 2])
    """
    count = _merge_compiled if compiled else _merge_plain
    return BinaryCounts(*count(mated, nonmated), mated.size, nonmated.size)


def _merge_plain(mated: NDArray[Any], nonmated: NDArray[Any]) -> tuple[FloatArray, IntArray, IntArray]:
    """Both classes are sorted apart; a stable sort then merges the two runs in one walk."""
    both = np.concatenate([np.sort(mated), np.sort(nonmated)]).astype(np.float64, copy=False)
    order = np.argsort(both, kind="stable")
    score = both[order]
    first = np.flatnonzero(np.append(True, score[1:] != score[:-1])[: score.size])  # of equal scores
    false_nonmatch = np.append(0, np.cumsum(order < mated.size))[np.append(first, score.size)]
    false_match = nonmated.size - (np.append(first, score.size) - false_nonmatch)
    return np.append(score[first] + 0.0, np.inf), false_match, false_nonmatch  # + 0.0: one spelling of zero


def _merge_compiled(mated: NDArray[Any], nonmated: NDArray[Any]) -> tuple[FloatArray, IntArray, IntArray]:
    from bertillon.counting.kernels import merge_sorted

    size = mated.size + nonmated.size + 1
    threshold = np.empty(size)
    false_match, false_nonmatch = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    rows = merge_sorted(in_order(mated), in_order(nonmated), threshold, false_match, false_nonmatch)
    if 2 * rows < size:  # of many equal scores no more is kept than there is
        return threshold[:rows].copy(), false_match[:rows].copy(), false_nonmatch[:rows].copy()
    return threshold[:rows], false_match[:rows], false_nonmatch[:rows]
