"""One class against the rest: the scores, the curve as the threshold moves, and the areas under it.

Conventions: higher scores are more like the positive class, so that positives and negatives are counted as mated and
non-mated comparisons are. Samples of weight 0 are left out: they count for nothing. Large sets are copied once into
buckets of neighbouring scores and sorted there, on all cores, so that the whole curve can be walked with no memory
beside that copy.

A score equal to the threshold is positive. Thresholds ascend; the last one accepts nothing. Every distinct score is a
threshold, and ties are never split. With weights the counts are sums of weights. Consecutive pieces of a walk share one
row, so that what is summed over the steps between rows is summed once.

For class c and any other class j, the share of (c, j) pairs in which the sample of c has the larger column c is the
area under the ROC of c against j. One pass over a column gives it for every j, and so one-vs-rest and one-vs-one. Ties
count half; with weights a pair counts the product of its weights.

Holds `BinaryTrials` and `binary_trials`; `sweep` (all rows) and `walk` (in pieces that fit in cache); `Areas` with
`areas_of` and `areas_on`, the sums over a whole walk that AUC and average precision are made of; `ClassAreas` and
`class_areas`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, Failures, FloatArray, count_every_threshold
from bertillon.counting.keys import bits_of, keys_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.engine.workers import available_cores, run_on_threads, slices_of

RECALL_LEVELS = np.arange(11) / 10  # of the 11-point average precision
COLUMNS = 8  # read together, because they share cache lines


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
        return self.size > LIMITS.classes.classes_in_numpy_up_to and not self.weighted

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
    if scores.size <= LIMITS.classes.classes_in_numpy_up_to:
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
    shift = max(0, (last - first).bit_length() - LIMITS.classes.bucket_bits)
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


def sweep(trials: BinaryTrials) -> BinaryCounts:
    """Every row at once."""
    if trials.weighted:
        return _weighted_sweep(trials)
    return count_every_threshold(trials.mated, trials.nonmated, compiled=trials.compiled)


def _weighted_sweep(trials: BinaryTrials) -> BinaryCounts:
    assert trials.mated_weights is not None
    assert trials.nonmated_weights is not None
    scores = np.concatenate([trials.mated, trials.nonmated]).astype(np.float64) + 0.0
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    rows = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])) if scores.size else order
    own = np.concatenate([trials.mated_weights, np.zeros(trials.nonmated.size)])
    other = np.concatenate([np.zeros(trials.mated.size), trials.nonmated_weights])
    sums = [np.append(np.cumsum(weights[order][::-1])[::-1][rows], 0.0) for weights in (own, other)]
    return BinaryCounts.of_weights(np.append(ascending[rows], np.inf), *sums)


def walk(trials: BinaryTrials) -> Iterator[BinaryCounts]:
    """The rows in pieces, one shared by neighbours; large sets must be ordered."""
    if not (trials.compiled and trials.ordered):
        yield sweep(trials)
        return
    from bertillon.counting.kernels import merge_sorted

    m, n, last, size = 0, 0, None, LIMITS.classes.sweep_rows + 1
    totals = trials.mated.size, trials.nonmated.size
    while m < totals[0] or n < totals[1]:
        threshold, row = np.empty(size), 0
        false_match, false_nonmatch = np.empty(size, np.int64), np.empty(size, np.int64)
        if last is not None:
            (threshold[0], false_match[0], false_nonmatch[0]), row = last, 1
        row, m, n = merge_sorted(trials.mated, trials.nonmated, m, n, threshold[:-1], false_match, false_nonmatch, row)
        last = threshold[row - 1], false_match[row - 1], false_nonmatch[row - 1]
        if m == totals[0] and n == totals[1]:
            threshold[row], false_match[row], false_nonmatch[row] = np.inf, 0, totals[0]
            row += 1
        yield BinaryCounts(threshold[:row], false_match[:row], false_nonmatch[:row], *totals, complete=False)


@dataclass(frozen=True, slots=True)
class Areas:
    """Sums over a whole walk.

    `doubled_wins` is twice the weight of (positive, negative) pairs in the right order plus once that of ties;
    the others are average precisions: by steps, with precision interpolated at every point, and at 11 recalls.
    """

    doubled_wins: float
    positives: float
    negatives: float
    step: float
    interpolated: float
    eleven_point: float


def areas_of(trials: BinaryTrials) -> Areas:
    """Read every sum off one walk from the most permissive threshold to the strictest."""
    if trials.compiled and trials.ordered and trials.mated.size:
        return _compiled_areas(trials)
    return areas_on(sweep(trials))


def areas_on(whole: BinaryCounts) -> Areas:
    """The same, read off every row at once."""
    tp = whole.tp
    new_negatives, new_positives = -np.diff(whole.fp), -np.diff(tp)
    doubled = (new_negatives * (tp[:-1] + tp[1:])).sum().item()
    precision = np.nan_to_num(whole.precision, nan=0.0)
    highest = np.maximum.accumulate(precision)  # precision at any recall as high as here
    scale = whole.n_mated or np.nan
    reached = np.searchsorted(-tp / scale, -RECALL_LEVELS, side="right") - 1
    return Areas(
        doubled_wins=doubled,
        positives=whole.n_mated,
        negatives=whole.n_nonmated,
        step=float((new_positives * precision[:-1]).sum() / scale),
        interpolated=float((new_positives * highest[:-1]).sum() / scale),
        eleven_point=float(highest[reached].mean()),
    )


def _compiled_areas(trials: BinaryTrials) -> Areas:
    from bertillon.counting.classes.kernels import sum_areas

    highest = np.zeros(RECALL_LEVELS.size)
    doubled, step, interpolated = sum_areas(trials.mated, trials.nonmated, RECALL_LEVELS, highest)
    n = trials.mated.size
    return Areas(doubled, n, trials.nonmated.size, step / n, interpolated / n, float(highest.mean()))


@dataclass(frozen=True, slots=True, eq=False)
class ClassAreas:
    """Areas by class; NaN for a class without samples or without rivals."""

    total: FloatArray  # weight of each class
    vs_rest: FloatArray  # area of each class against all others together
    vs_each: FloatArray  # sum over the other classes of the area against each
    vs_each_weighted: FloatArray  # the same, each area times the weight of both its classes


def class_areas(matrix: NDArray[Any], truth: NDArray[Any], weights: FloatArray | None) -> ClassAreas:
    """Areas of every class, a block of columns at a time."""
    n_classes = matrix.shape[1]
    total = np.bincount(truth, weights, minlength=n_classes).astype(np.float64)
    columns = [np.empty(n_classes) for _ in range(3)]
    order = np.argsort(truth, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(truth, minlength=n_classes))])
    compiled = weights is None and matrix.size > LIMITS.classes.classes_in_numpy_up_to

    def work(first: int) -> None:
        block = np.ascontiguousarray(matrix[:, first : first + COLUMNS].T)
        for code in range(first, min(first + COLUMNS, n_classes)):
            column = block[code - first]
            own = order[start[code] : start[code + 1]]
            if compiled:
                wins = _count_wins(column, truth, code, own, n_classes)
            else:
                wins = _weigh_wins(column, truth, own, weights, n_classes)
            for kind, value in zip(columns, _areas_of_class(wins, total, code), strict=True):
                kind[code] = value

    tasks = [partial(work, first) for first in range(0, n_classes, COLUMNS)]
    if compiled and available_cores() > 1:
        run_on_threads(tasks)
    else:
        for task in tasks:
            task()
    return ClassAreas(total, *columns)


def _areas_of_class(wins: FloatArray, total: FloatArray, code: int) -> tuple[float, float, float]:
    """Against the rest, and the sums against each, from doubled wins over each class, itself not read."""
    others = np.flatnonzero((total > 0) & (np.arange(total.size) != code))
    if not total[code] or not others.size:
        return np.nan, np.nan, np.nan
    each = wins[others] / (2.0 * total[code] * total[others])
    rest = wins[others].sum() / (2.0 * total[code] * total[others].sum())
    return rest, each.sum(), (each * (total[code] + total[others])).sum()


def _count_wins(
    column: NDArray[Any], truth: NDArray[Any], code: int, own: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    from bertillon.counting.classes.kernels import count_below

    wins = np.zeros(n_classes, dtype=np.int64)
    if own.size:
        count_below(column, truth, code, np.sort(column[own]), wins)
    return wins.astype(np.float64)


def _weigh_wins(
    column: NDArray[Any],
    truth: NDArray[Any],
    own: NDArray[np.int64],
    weights: FloatArray | None,
    n_classes: int,
) -> FloatArray:
    ranked = own[np.argsort(column[own], kind="stable")]
    rivals = column[ranked]
    below = np.concatenate([[0.0], np.cumsum(np.ones(own.size) if weights is None else weights[ranked])])
    first, last = (below[np.searchsorted(rivals, column, side=side)] for side in ("left", "right"))
    doubled = 2.0 * (below[-1] - last) + (last - first)
    if weights is not None:
        doubled = doubled * weights
    return np.bincount(truth, doubled, minlength=n_classes).astype(np.float64)
