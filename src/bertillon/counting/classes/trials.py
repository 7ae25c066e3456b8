"""One class against the rest: scores of the positives and of the negatives, perhaps with weights.

Conventions: higher scores are more like the positive class, so that positives and negatives are counted as mated and
non-mated comparisons are. Samples of weight 0 are left out: they count for nothing.
Large sets are copied once into buckets of neighbouring scores and sorted there, on all cores, so that the whole curve
can be walked with no memory beside that copy.

Holds `BinaryTrials` and `binary_trials`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.keys import bits_of, keys_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.scores import Failures
from bertillon.counting.slices import run_on_threads, slices_of
from bertillon.engine.workers import available_cores


@dataclass(frozen=True, slots=True, eq=False)
class BinaryTrials:
    """Scores of positives, which count as mated, and negatives; `ordered` where each ascends."""

    mated: NDArray[Any]
    nonmated: NDArray[Any]
    mated_weights: NDArray[np.float64] | None = None
    nonmated_weights: NDArray[np.float64] | None = None
    ordered: bool = False

    rule: ClassVar[AcceptRule] = AcceptRule.SIMILARITY
    failures: ClassVar[Failures] = Failures()
    name: ClassVar[str] = ""

    @property
    def size(self) -> int:
        return int(self.mated.size + self.nonmated.size)

    @property
    def weighted(self) -> bool:
        return self.mated_weights is not None

    @property
    def compiled(self) -> bool:
        """Large enough for the compiled kernels, which know no weights."""
        return self.size > LIMITS.classes_in_numpy_up_to and not self.weighted

    @property
    def mated_total(self) -> float:
        """Weight of the positives; their number where there are no weights."""
        return self.mated.size if self.mated_weights is None else float(self.mated_weights.sum())

    @property
    def nonmated_total(self) -> float:
        return self.nonmated.size if self.nonmated_weights is None else float(self.nonmated_weights.sum())


def binary_trials(
    scores: NDArray[Any],
    codes: NDArray[Any],
    positive: int,
    *,
    weights: NDArray[np.float64] | None = None,
    ordered: bool = False,
) -> BinaryTrials:
    """Split scores into those of the positive code and the others; `ordered` sorts large sets on the way.

    >>> binary_trials(np.array([0.9, 0.2, 0.4]), np.array([1, 0, 1]), 1).mated.tolist()
    [0.9, 0.4]
    """
    if weights is not None:
        return _weighted(scores, codes == positive, weights)
    if scores.size <= LIMITS.classes_in_numpy_up_to:
        chosen = codes == positive
        return BinaryTrials(scores[chosen], scores[~chosen])
    return _sorted_split(scores, codes, positive) if ordered else _split(scores, codes, positive)


def _weighted(scores: NDArray[Any], chosen: NDArray[np.bool_], weights: NDArray[np.float64]) -> BinaryTrials:
    counts = weights > 0
    chosen, others = chosen & counts, ~chosen & counts
    return BinaryTrials(scores[chosen], scores[others], weights[chosen], weights[others])


def _split(scores: NDArray[Any], codes: NDArray[Any], positive: int) -> BinaryTrials:
    from bertillon.counting.classes.kernels import split_scores

    n_positive = int(np.count_nonzero(codes == positive))
    parts = np.empty(n_positive, scores.dtype), np.empty(scores.size - n_positive, scores.dtype)
    split_scores(scores, codes, positive, *parts)
    return BinaryTrials(*parts)


def _sorted_split(scores: NDArray[Any], codes: NDArray[Any], positive: int) -> BinaryTrials:
    from bertillon.counting.classes import kernels

    low = lowest(scores.dtype)
    first, last = (int(key) for key in keys_of(np.array([scores.min(), scores.max()])))
    shift = max(0, (last - first).bit_length() - LIMITS.bucket_bits)
    slices = slices_of(scores.size)
    counts = np.zeros((len(slices), 2, ((last - first) >> shift) + 1), dtype=np.int64)

    def part_of(part: slice) -> tuple[NDArray[Any], NDArray[Any], int, int, int, int]:
        return bits_of(scores[part]), codes[part], positive, low, first, shift

    run_on_threads(
        [partial(kernels.count_buckets, *part_of(part), own) for part, own in zip(slices, counts, strict=True)]
    )
    start = np.zeros((2, counts.shape[2] + 1), dtype=np.int64)
    start[:, 1:] = np.cumsum(counts.sum(axis=0), axis=1)
    next_free = start[:, :-1] + np.cumsum(counts, axis=0) - counts  # where each slice writes its share of a bucket
    positives, negatives = (np.empty(start[kind, -1], scores.dtype) for kind in (1, 0))
    run_on_threads(
        [
            partial(kernels.fill_buckets, scores[part], *part_of(part), own, positives, negatives)
            for part, own in zip(slices, next_free, strict=True)
        ]
    )
    _sort_buckets(positives, start[1])
    _sort_buckets(negatives, start[0])
    return BinaryTrials(positives, negatives, ordered=True)


def _sort_buckets(values: NDArray[Any], start: NDArray[np.int64]) -> None:
    """Sort every bucket, the buckets shared out so that each thread has as many values."""
    from bertillon.counting.classes.kernels import sort_buckets

    shares = np.linspace(0, values.size, 4 * available_cores() + 1)
    cuts = np.searchsorted(start, shares[1:-1])
    bounds = [0, *(int(cut) for cut in cuts), start.size - 1]
    run_on_threads([partial(sort_buckets, values, start, begin, end) for begin, end in pairwise(bounds)])
