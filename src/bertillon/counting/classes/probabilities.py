"""What predicted probabilities say, how far they came true, and what they cost.

Conventions: of equal favourites the first class wins. The rank of the true class is pessimistic: every other class as
probable stands before it.

Bins of equal width cut [0, 1]; a probability on an edge belongs to the bin below it, 0 to the first. Bins of equal mass
hold about the same weight each: a value goes to the bin of its middle rank, so that equal probabilities are never split
and their order does not matter; bins may stay empty. Empty bins are kept with a count of 0.

A probability of 0 for what came true costs an infinite logarithmic loss. For two classes the quadratic loss is
(p - y)^2; for more it is added up over all classes.

Holds `Rows` and `read_rows` (what each sample's row says), `ProbabilityBins`, `equal_width`, `equal_mass` and
`bins_of`, `Losses`, `binary_losses` and `class_losses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.classes.one_vs_rest import BinaryTrials
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices
from bertillon.engine.workers import run_on_threads, slices_of


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One number a sample."""

    best: NDArray[np.int64]  # the favourite class
    top: NDArray[np.float64]  # its probability
    true_probability: NDArray[np.float64]  # the probability of the true class
    rank: NDArray[np.int64]  # the place of the true class, 1 is first
    squares: NDArray[np.float64]  # squared distance of the row to the truth


def read_rows(matrix: NDArray[Any], truth: NDArray[Any]) -> Rows:
    """Read every row once.

    >>> rows = read_rows(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]), np.array([1, 2]))
    >>> rows.best.tolist(), rows.rank.tolist()
    ([1, 0], [1, 2])
    """
    true_probability = matrix[np.arange(truth.size), truth].astype(np.float64)
    if matrix.size > LIMITS.classes.classes_in_numpy_up_to:
        return _read_compiled(matrix, truth, true_probability)
    wide = matrix.astype(np.float64, copy=False)
    distance = wide.copy()
    distance[np.arange(truth.size), truth] -= 1.0
    rank = (wide >= true_probability[:, None]).sum(axis=1)
    return Rows(matrix.argmax(axis=1), wide.max(axis=1), true_probability, rank, np.square(distance).sum(axis=1))


def _read_compiled(matrix: NDArray[Any], truth: NDArray[Any], true_probability: NDArray[np.float64]) -> Rows:
    from bertillon.counting.classes import kernels

    n = truth.size
    best, rank = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    top, squares = np.empty(n), np.empty(n)
    columns = (truth, best, top, rank, squares)
    run_on_threads(
        [partial(kernels.read_rows, matrix[part], *(column[part] for column in columns)) for part in slices_of(n)]
    )
    return Rows(best, top, true_probability, rank, squares)


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
        positive, negative = _bin_compiled(trials.mated, edges), _bin_compiled(trials.nonmated, edges)
    else:
        positive = _bin_plain(trials.mated, trials.mated_weights, edges)
        negative = _bin_plain(trials.nonmated, trials.nonmated_weights, edges)
    count, probability_sum = (left + right for left, right in zip(positive, negative, strict=True))
    return ProbabilityBins(edges[:-1], edges[1:], count, positive[0], probability_sum)


def bins_of(probabilities: FloatArray, edges: FloatArray) -> NDArray[np.int64]:
    """The bin of each probability; one that lies on an edge belongs to the bin below it.

    >>> bins_of(np.array([0.0, 0.5, 0.6]), np.array([0.0, 0.5, 1.0])).tolist()
    [0, 0, 1]
    """
    return np.searchsorted(edges[1:-1], probabilities, side="left")


def _bin_plain(values: NDArray[Any], weights: FloatArray | None, edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights, and weighted sums, by bin."""
    bins = edges.size - 1
    wide = values.astype(np.float64, copy=False)
    bin_of = bins_of(wide, edges)
    weighted = wide if weights is None else weights * wide
    count, sums = (np.bincount(bin_of, own, minlength=bins).astype(np.float64) for own in (weights, weighted))
    return count, sums


def _bin_compiled(values: NDArray[Any], edges: FloatArray) -> tuple[FloatArray, FloatArray]:
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


@dataclass(frozen=True, slots=True)
class Losses:
    """Sums over all samples, by weight."""

    log: float
    square: float
    total: float  # weight
    impossible: int  # samples whose true class was given probability 0


def binary_losses(trials: BinaryTrials) -> Losses:
    """Of the probability of the positive class."""
    impossible = _counted(trials.mated == 0, trials.mated_weights)
    impossible += _counted(trials.nonmated == 1, trials.nonmated_weights)
    if trials.compiled:
        log, square = _losses_compiled(trials)
    else:
        probability = np.concatenate([trials.mated, trials.nonmated]).astype(np.float64, copy=False)
        is_positive = np.arange(probability.size) < trials.mated.size
        with np.errstate(divide="ignore"):
            logs = -np.where(is_positive, np.log(probability), np.log1p(-probability))
        weights = None
        if trials.mated_weights is not None and trials.nonmated_weights is not None:
            weights = np.concatenate([trials.mated_weights, trials.nonmated_weights])
        log, square = _sum(logs, weights), _sum(np.square(probability - is_positive), weights)
    return Losses(log, square, trials.mated_total + trials.nonmated_total, impossible)


def _losses_compiled(trials: BinaryTrials) -> tuple[float, float]:
    from bertillon.counting.classes.kernels import sum_losses

    parts = in_slices(lambda part: sum_losses(part, True), trials.mated)
    parts += in_slices(lambda part: sum_losses(part, False), trials.nonmated)
    return sum(log for log, _ in parts), sum(square for _, square in parts)


def class_losses(probability: NDArray[Any], squares: NDArray[Any], weights: FloatArray | None) -> Losses:
    """Of the probability each true class was given, and each sample's squared distance to the truth."""
    with np.errstate(divide="ignore"):
        logs = -np.log(probability.astype(np.float64, copy=False))
    total = float(probability.size if weights is None else weights.sum())
    return Losses(_sum(logs, weights), _sum(squares, weights), total, _counted(probability == 0, weights))


def _counted(chosen: NDArray[np.bool_], weights: FloatArray | None) -> int:
    """How many of the samples that weigh something."""
    return int(np.count_nonzero(chosen if weights is None else chosen & (weights > 0)))


def _sum(values: FloatArray, weights: FloatArray | None) -> float:
    if weights is None:
        return float(values.sum())
    counted = weights > 0  # an infinite loss of weight 0 is no loss
    return float((values[counted] * weights[counted]).sum())
