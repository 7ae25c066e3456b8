"""Mean and variance of one class of scores, in one stable pass.

Holds `Moments`, those of `NO_SCORES`, and `moments_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.slices import in_blocks


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
    values = scores.astype(np.float64, copy=False)
    if not values.size:
        return NO_SCORES
    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(values[0] + (values - values[0]).mean())  # from the first, so equal scores have no spread at all
        squares = float(np.square(values - mean).sum())
        return Moments(values.size, mean, squares, float(values.min()), float(values.max()))


def _compiled(scores: NDArray[Any]) -> Moments:
    from bertillon.counting.kernels import block_moments

    total = NO_SCORES
    for part in in_blocks(block_moments, scores):
        total = total.merge(Moments(*part))
    return total
