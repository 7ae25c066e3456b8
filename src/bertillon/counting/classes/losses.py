"""Sums of the two proper losses over predicted probabilities: logarithmic and quadratic.

Conventions: a probability of 0 for what came true costs an infinite logarithmic loss. For two classes the quadratic
loss is (p - y)^2; for more it is added up over all classes.

Holds `Losses`, `binary_losses` and `class_losses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.classes.trials import BinaryTrials
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.slices import in_slices


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
        log, square = _compiled(trials)
    else:
        probability = np.concatenate([trials.mated, trials.nonmated]).astype(np.float64, copy=False)
        is_positive = np.arange(probability.size) < trials.mated.size
        with np.errstate(divide="ignore"):
            logs = -np.where(is_positive, np.log(probability), np.log1p(-probability))
        weights = _joined(trials)
        log, square = _sum(logs, weights), _sum(np.square(probability - is_positive), weights)
    return Losses(log, square, trials.mated_total + trials.nonmated_total, impossible)


def _compiled(trials: BinaryTrials) -> tuple[float, float]:
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


def _joined(trials: BinaryTrials) -> FloatArray | None:
    if trials.mated_weights is None or trials.nonmated_weights is None:
        return None
    return np.concatenate([trials.mated_weights, trials.nonmated_weights])


def _sum(values: FloatArray, weights: FloatArray | None) -> float:
    if weights is None:
        return float(values.sum())
    counted = weights > 0  # an infinite loss of weight 0 is no loss
    return float((values[counted] * weights[counted]).sum())
