"""Mean and variance of one class of scores, in one stable pass.

Holds `Moments`, those of `NO_SCORES`, and `moments_of`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray
from bertillon.counting.slices import in_blocks

PIECE = 1 << 15  # scores whose deviations stay in the cache


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean and sum of squared deviations of scores; two of them can be merged."""

    n: int
    mean: float
    squares: float
    smallest: float = field(default=math.inf, compare=False)  # where they are not known, greater than the largest
    largest: float = field(default=-math.inf, compare=False)

    @property
    def variance(self) -> float:
        """Population variance (divides by n); NaN without scores."""
        return self.squares / self.n if self.n else math.nan

    @property
    def of_finite(self) -> bool:
        """Are all scores finite? Their sum may be infinite nonetheless."""
        return math.isfinite(self.mean) or -math.inf < self.smallest <= self.largest < math.inf

    def merge(self, other: Moments) -> Moments:
        """The moments of both samples together."""
        if not self.n or not other.n:
            return self if self.n else other
        n, delta = self.n + other.n, other.mean - self.mean
        return Moments(
            n,
            self.mean + delta * other.n / n,
            self.squares + other.squares + delta * delta * self.n * other.n / n,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
        )


NO_SCORES = Moments(0, math.nan, 0.0)


def moments_of(scores: NDArray[Any], *, compiled: bool) -> Moments:
    """Moments of the scores; infinite scores make them infinite or NaN."""
    if compiled:
        return _compiled(scores)
    values: FloatArray = scores.astype(np.float64, copy=False)
    if not values.size:
        return NO_SCORES
    lows, highs = [], []

    def from_first(part: FloatArray) -> FloatArray:
        lows.append(part.min())
        highs.append(part.max())
        deviations: FloatArray = part - values[0]  # so equal scores have no spread at all
        return deviations

    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(values[0]) + _sum_of(from_first, values) / values.size
        squares = _sum_of(lambda part: np.square(part - mean), values)
    return Moments(values.size, mean, squares, float(min(lows)), float(max(highs)))


def _sum_of(deviations: Callable[[FloatArray], FloatArray], values: FloatArray) -> float:
    """The sum of deviations, worked out for a piece at a time that stays in the cache.

    An array is halved where numpy halves a long one to add it up, so the sum is the same to the last bit.
    """
    if values.size <= PIECE:
        return float(np.add.reduce(deviations(values)))
    middle = values.size // 2 // 8 * 8
    return _sum_of(deviations, values[:middle]) + _sum_of(deviations, values[middle:])


def _compiled(scores: NDArray[Any]) -> Moments:
    from bertillon.counting.kernels import block_moments

    total = NO_SCORES
    for part in in_blocks(block_moments, scores):
        total = total.merge(Moments(*part))
    return total
