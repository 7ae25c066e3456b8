"""Probabilities in bins: how many, how likely they were said to be, and how many came true.

Conventions: bins of equal width cut [0, 1]; a probability on an edge belongs to the bin below it, 0 to the first. Bins
of equal mass hold about the same weight each: a value goes to the bin of its middle rank, so that equal probabilities
are never split and their order does not matter; bins may stay empty. Empty bins are kept with a count of 0.

Holds `ProbabilityBins`, `equal_width` and `equal_mass`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.classes.trials import BinaryTrials
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.counting.slices import in_slices


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityBins:
    """Weight, weight that came true, and sum of probabilities in each bin."""

    low: FloatArray  # edges; for bins of equal mass the lowest and highest probability in them
    high: FloatArray
    count: FloatArray
    positives: FloatArray
    probability_sum: FloatArray

    @property
    def filled(self) -> NDArray[np.bool_]:
        return self.count > 0

    @property
    def observed(self) -> FloatArray:
        """Share that came true; NaN in an empty bin."""
        return self._by_count(self.positives)

    @property
    def mean(self) -> FloatArray:
        """Mean probability; NaN in an empty bin."""
        return self._by_count(self.probability_sum)

    @property
    def share(self) -> FloatArray:
        """The bin's part of the whole weight."""
        return np.asarray(self.count / self.count.sum())

    def _by_count(self, sums: FloatArray) -> FloatArray:
        means = np.full(self.count.size, np.nan)
        np.divide(sums, self.count, out=means, where=self.filled)
        return means


def equal_width(trials: BinaryTrials, bins: int) -> ProbabilityBins:
    """Bins that cut [0, 1] evenly.

    >>> equal_width(BinaryTrials(np.array([0.5, 0.6]), np.array([0.1])), 2).positives.tolist()
    [1.0, 1.0]
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    if trials.compiled:
        positive, negative = _compiled(trials.mated, edges), _compiled(trials.nonmated, edges)
    else:
        positive = _plain(trials.mated, trials.mated_weights, edges)
        negative = _plain(trials.nonmated, trials.nonmated_weights, edges)
    count, probability_sum = (left + right for left, right in zip(positive, negative, strict=True))
    return ProbabilityBins(edges[:-1], edges[1:], count, positive[0], probability_sum)


def _plain(values: NDArray[Any], weights: FloatArray | None, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights, and weighted sums, by bin."""
    bins = edges.size - 1
    wide = values.astype(np.float64, copy=False)
    bin_of = np.searchsorted(edges[1:-1], wide, side="left")
    weighted = wide if weights is None else weights * wide
    count, sums = (np.bincount(bin_of, own, minlength=bins).astype(np.float64) for own in (weights, weighted))
    return count, sums


def _compiled(values: NDArray[Any], edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    from bertillon.counting.classes.kernels import bin_values

    def fill(part: NDArray[Any]) -> FloatArray:
        held = np.zeros((2, edges.size - 1))
        bin_values(part, edges, held[0], held[1])
        return held

    count, sums = np.sum(in_slices(fill, values), axis=0)
    return count, sums


def equal_mass(sweep: BinaryCounts, bins: int) -> ProbabilityBins:
    """Bins of about the same weight, from every distinct probability."""
    tp, fp = -np.diff(sweep.tp), -np.diff(sweep.fp)
    value, weight = sweep.threshold[:-1], tp + fp
    below = sweep.total - sweep.accepted[:-1]
    bin_of = np.minimum((bins * (below + weight / 2) / max(sweep.total, 1e-300)).astype(np.int64), bins - 1)
    low, high = np.full(bins, np.nan), np.full(bins, np.nan)
    low[bin_of[::-1]] = value[::-1]  # the last one written is the lowest
    high[bin_of] = value
    columns = (weight, tp, weight * value)
    count, positives, probability_sum = (np.bincount(bin_of, own, minlength=bins).astype(np.float64) for own in columns)
    return ProbabilityBins(low, high, count, positives, probability_sum)
