"""The counts behind every curve of two classes: how many of each are accepted at ascending thresholds.

Conventions: the mated comparisons of verification are the positives of a classifier. Counts are whole numbers, or sums
of weights. Thresholds are oriented; a score equal to one is accepted.

Every distinct threshold, which is the whole exact curve, is had by sorting: small sets are sorted and merged by numpy
without loading a compiler, large ones are merged in one compiled walk.

Holds `BinaryCounts`, `DeferredCounts` (counted when they are read), `count_every_threshold`, and the array types
`FloatArray` and `IntArray`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.slices import in_order

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ARRAYS = ("threshold", "false_match", "false_nonmatch")


@dataclass(frozen=True, slots=True, eq=False)
class BinaryCounts:
    """Errors at each threshold, strictest last, and what both modes read of them.

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
    accepted_weight: FloatArray | None = None  # of the mated: subtracting sums of weights would lose the last digit

    @classmethod
    def of_weights(cls, threshold: FloatArray, tp: FloatArray, fp: FloatArray) -> BinaryCounts:
        """Sums of the weights accepted at each threshold; the first one accepts everything."""
        positives, negatives = float(tp[0]), float(fp[0])  # sums in the order of the others, so that rates end at 1
        weights: Any = {
            "false_match": fp,
            "false_nonmatch": positives - tp,
            "n_mated": positives,
            "n_nonmated": negatives,
        }
        return cls(threshold, **weights, accepted_weight=tp)

    def __len__(self) -> int:
        return int(self.threshold.size)

    def at(self, rows: NDArray[Any]) -> BinaryCounts:
        """Some of the rows, each as it was."""
        return replace(
            self,
            threshold=self.threshold[rows],
            false_match=self.false_match[rows],
            false_nonmatch=self.false_nonmatch[rows],
            complete=False,
            accepted_weight=None if self.accepted_weight is None else self.accepted_weight[rows],
        )

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

    @property
    def tp(self) -> NDArray[Any]:
        """True positives: mated scores accepted."""
        return self.n_mated - self.false_nonmatch if self.accepted_weight is None else self.accepted_weight

    @property
    def fp(self) -> NDArray[Any]:
        """False positives: false matches."""
        return self.false_match

    @property
    def total(self) -> float:
        """All scores, or their weight."""
        return self.n_mated + self.n_nonmated

    @property
    def accepted(self) -> NDArray[Any]:
        """What is accepted of both classes."""
        return np.asarray(self.tp + self.fp)

    @property
    def recall(self) -> FloatArray:
        """Share of the positives accepted; NaN without any."""
        return _rate(self.tp, self.n_mated)

    @property
    def fpr(self) -> FloatArray:
        """False positive rate: the false match rate of a classifier."""
        return self.fmr

    @property
    def precision(self) -> FloatArray:
        """Share of the positives among what is accepted; NaN where nothing is."""
        tp = self.tp
        accepted = tp + self.fp
        precision = np.full(len(self), np.nan)
        np.divide(tp, accepted, out=precision, where=accepted > 0)
        return precision

    def cells(self, row: int) -> tuple[float, float, float, float]:
        """tp, fp, fn and tn at one row."""
        tp, fp = self.tp[row].item(), self.fp[row].item()
        return tp, fp, self.n_mated - tp, self.n_nonmated - fp


def _rate(part: NDArray[Any], trials: int) -> FloatArray:
    return part / trials if trials else np.full(part.shape, np.nan)


class DeferredCounts(BinaryCounts):
    """Errors at every threshold, counted when one of the arrays is first read."""

    __slots__ = ("_count",)
    _count: Callable[[], BinaryCounts]

    @classmethod
    def of(cls, count: Callable[[], BinaryCounts], known: BinaryCounts) -> DeferredCounts:
        """What `count` will return; `known` are other counts of the same scores."""
        deferred = cls.__new__(cls)
        about = {each.name: getattr(known, each.name) for each in fields(BinaryCounts) if each.name not in ARRAYS}
        for name, value in {**about, "_count": count, "complete": True}.items():
            object.__setattr__(deferred, name, value)  # the way a frozen dataclass is filled
        return deferred

    def __getattr__(self, name: str) -> Any:  # asked for an array that is not there yet
        if name not in ARRAYS:
            raise AttributeError(name)
        counted = self._count()
        for array in ARRAYS:
            object.__setattr__(self, array, getattr(counted, array))
        return getattr(counted, name)


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
