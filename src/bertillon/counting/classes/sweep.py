"""True and false positives as the threshold moves, whole or in pieces.

Conventions: a score equal to the threshold is positive. Thresholds ascend; the last one accepts nothing. Every distinct
score is a threshold, and ties are never split. With weights the counts are sums of weights. Consecutive pieces of a
walk share one row, so that what is summed over the steps between rows is summed once.

Holds `Sweep`, `sweep` (all rows), `walk` (in pieces that fit in cache) and `Areas` with `areas_of`, the sums over a
whole walk that AUC and average precision are made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.classes.trials import BinaryTrials
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.limits import LIMITS
from bertillon.counting.sorting import count_every_threshold

RECALL_LEVELS = np.arange(11) / 10  # of the 11-point average precision


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Positives and negatives accepted at ascending thresholds."""

    threshold: NDArray[np.float64]
    tp: NDArray[Any]
    fp: NDArray[Any]
    positives: float
    negatives: float
    complete: bool = True  # every distinct score is a row

    def __len__(self) -> int:
        return int(self.threshold.size)

    @classmethod
    def of(cls, counts: BinaryCounts) -> Sweep:
        """From error counts in which the positives are mated."""
        tp = counts.n_mated - counts.false_nonmatch
        return cls(counts.threshold, tp, counts.false_match, counts.n_mated, counts.n_nonmated, counts.complete)

    @property
    def total(self) -> float:
        """All samples, or their weight."""
        return self.positives + self.negatives

    @property
    def accepted(self) -> NDArray[Any]:
        return np.asarray(self.tp + self.fp)

    @property
    def recall(self) -> NDArray[np.float64]:
        return _share(self.tp, self.positives)

    @property
    def fpr(self) -> NDArray[np.float64]:
        return _share(self.fp, self.negatives)

    @property
    def precision(self) -> NDArray[np.float64]:
        """NaN where nothing is accepted."""
        accepted = self.accepted
        precision = np.full(len(self), np.nan)
        np.divide(self.tp, accepted, out=precision, where=accepted > 0)
        return precision

    def cells(self, row: int) -> tuple[float, float, float, float]:
        """tp, fp, fn and tn at one row."""
        tp, fp = self.tp[row].item(), self.fp[row].item()
        return tp, fp, self.positives - tp, self.negatives - fp


def _share(counts: NDArray[Any], total: float) -> NDArray[np.float64]:
    return counts / total if total else np.full(counts.shape, np.nan)


def sweep(trials: BinaryTrials) -> Sweep:
    """Every row at once."""
    if trials.weighted:
        return _weighted_sweep(trials)
    return Sweep.of(count_every_threshold(trials.positives, trials.negatives, compiled=trials.compiled))


def _weighted_sweep(trials: BinaryTrials) -> Sweep:
    assert trials.positive_weights is not None
    assert trials.negative_weights is not None
    scores = np.concatenate([trials.positives, trials.negatives]).astype(np.float64) + 0.0
    order = np.argsort(scores, kind="stable")
    ascending = scores[order]
    rows = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])) if scores.size else order
    own = np.concatenate([trials.positive_weights, np.zeros(trials.negatives.size)])
    other = np.concatenate([np.zeros(trials.positives.size), trials.negative_weights])
    sums = [np.append(np.cumsum(weights[order][::-1])[::-1][rows], 0.0) for weights in (own, other)]
    threshold = np.append(ascending[rows], np.inf)
    totals = [float(column[0]) for column in sums]  # the same sums in the same order, so that rates end at 1
    return Sweep(threshold, sums[0], sums[1], totals[0], totals[1])


def walk(trials: BinaryTrials) -> Iterator[Sweep]:
    """The rows in pieces, one shared by neighbours; large sets must be ordered."""
    if not (trials.compiled and trials.ordered):
        yield sweep(trials)
        return
    from bertillon.counting.classes.kernels import merge_piece

    p, n, last, size = 0, 0, None, LIMITS.sweep_rows + 1
    totals = trials.positives.size, trials.negatives.size
    while p < totals[0] or n < totals[1]:
        threshold, tp, fp = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
        row = 0
        if last is not None:
            (threshold[0], tp[0], fp[0]), row = last, 1
        row, p, n = merge_piece(trials.positives, trials.negatives, p, n, threshold[:-1], tp, fp, row)
        last = threshold[row - 1], tp[row - 1], fp[row - 1]
        if p == totals[0] and n == totals[1]:
            threshold[row], tp[row], fp[row] = np.inf, 0, 0
            row += 1
        yield Sweep(threshold[:row], tp[:row], fp[:row], *totals, complete=False)


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
    if trials.compiled and trials.ordered and trials.positives.size:
        return _compiled_areas(trials)
    whole = sweep(trials)
    new_negatives, new_positives = -np.diff(whole.fp), -np.diff(whole.tp)
    doubled = (new_negatives * (whole.tp[:-1] + whole.tp[1:])).sum().item()
    precision = np.nan_to_num(whole.precision, nan=0.0)
    highest = np.maximum.accumulate(precision)  # precision at any recall as high as here
    scale = whole.positives or np.nan
    reached = np.searchsorted(-whole.tp / scale, -RECALL_LEVELS, side="right") - 1
    return Areas(
        doubled_wins=doubled,
        positives=whole.positives,
        negatives=whole.negatives,
        step=float((new_positives * precision[:-1]).sum() / scale),
        interpolated=float((new_positives * highest[:-1]).sum() / scale),
        eleven_point=float(highest[reached].mean()),
    )


def _compiled_areas(trials: BinaryTrials) -> Areas:
    from bertillon.counting.classes.kernels import sum_areas

    highest = np.zeros(RECALL_LEVELS.size)
    doubled, step, interpolated = sum_areas(trials.positives, trials.negatives, RECALL_LEVELS, highest)
    n = trials.positives.size
    return Areas(doubled, n, trials.negatives.size, step / n, interpolated / n, float(highest.mean()))
