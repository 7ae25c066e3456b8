"""True and false positives as the threshold moves, whole or in pieces.

Conventions: a score equal to the threshold is positive. Thresholds ascend; the last one accepts nothing. Every distinct
score is a threshold, and ties are never split. With weights the counts are sums of weights. Consecutive pieces of a
walk share one row, so that what is summed over the steps between rows is summed once.

Holds `sweep` (all rows), `walk` (in pieces that fit in cache) and `Areas` with `areas_of`, the sums over a
whole walk that AUC and average precision are made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bertillon.counting.classes.trials import BinaryTrials
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.limits import LIMITS
from bertillon.counting.sorting import count_every_threshold

RECALL_LEVELS = np.arange(11) / 10  # of the 11-point average precision


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
    from bertillon.counting.classes.kernels import merge_piece

    p, n, last, size = 0, 0, None, LIMITS.sweep_rows + 1
    totals = trials.mated.size, trials.nonmated.size
    while p < totals[0] or n < totals[1]:
        threshold, tp, fp = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
        row = 0
        if last is not None:
            (threshold[0], tp[0], fp[0]), row = last, 1
        row, p, n = merge_piece(trials.mated, trials.nonmated, p, n, threshold[:-1], tp, fp, row)
        last = threshold[row - 1], tp[row - 1], fp[row - 1]
        if p == totals[0] and n == totals[1]:
            threshold[row], tp[row], fp[row] = np.inf, 0, 0
            row += 1
        yield BinaryCounts(threshold[:row], fp[:row], totals[0] - tp[:row], *totals, complete=False)


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
    whole = sweep(trials)
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
