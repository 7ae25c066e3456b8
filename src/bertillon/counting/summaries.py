"""What is read of scores besides errors: mean and spread, and how many pairs are in the right order.

Moments are taken in one stable pass. The pairs won are the integers behind the AUC: the smaller class is sorted; each
score of the larger finds its place through a table of equal steps and a short binary search, so the larger class is
neither copied nor sorted.

Holds `Moments`, those of `NO_SCORES`, and `moments_of`; `Wins`, `count_wins` (from scores), `wins_from_curve` (from
counts at every threshold), `Rivals` (the sorted class, for those who hold the other in blocks) and `steps_over`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_blocks, in_order, in_slices

PIECE = 1 << 15  # scores whose deviations stay in the cache
FAR_OUT = 20  # times the breadth of the middle four fifths


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
        return _compiled_moments(scores)
    values: FloatArray = scores.astype(np.float64, copy=False)
    if not values.size:
        return NO_SCORES
    lows, highs = [], []

    def from_first(part: FloatArray) -> FloatArray:
        lows.append(part.min())
        highs.append(part.max())
        return np.asarray(part - values[0])  # so equal scores have no spread at all

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


def _compiled_moments(scores: NDArray[Any]) -> Moments:
    from bertillon.counting.kernels import block_moments

    return reduce(Moments.merge, (Moments(*part) for part in in_blocks(block_moments, scores)), NO_SCORES)


@dataclass(frozen=True, slots=True)
class Wins:
    """Pairs in which the mated score is the more alike, and pairs in which both are equal."""

    won: int
    tied: int
    pairs: int


def wins_from_curve(false_match: NDArray[np.int64], false_nonmatch: NDArray[np.int64], n_mated: int) -> Wins:
    """Wins from the counts at every distinct threshold.

    >>> wins_from_curve(np.array([2, 1, 0, 0]), np.array([0, 0, 1, 2]), 2)
    Wins(won=3, tied=1, pairs=4)
    """
    here_nonmated = -np.diff(false_match)
    here_mated = np.diff(false_nonmatch)
    above = n_mated - false_nonmatch[1:]
    return Wins(_products(here_nonmated, above), _products(here_nonmated, here_mated), int(false_match[0]) * n_mated)


def _products(times: NDArray[np.int64], numbers: NDArray[np.int64]) -> int:
    """The sum of products of counts, exact beyond 64 bits: the numbers are taken a few of their bits at a time.

    >>> _products(np.array([2**40, 3]), np.array([2**40, 5])) == 2**80 + 15
    True
    """
    bits = max(1, 63 - int(times.sum()).bit_length())
    total, offset = 0, 0
    while numbers.any():
        total += int(times @ (numbers & ((1 << bits) - 1))) << offset
        numbers, offset = numbers >> bits, offset + bits
    return total


def count_wins(mated: NDArray[Any], nonmated: NDArray[Any], sign: int) -> Wins:
    """Wins of the mated over the non-mated scores; sign -1 turns distances."""
    pairs = mated.size * nonmated.size
    if not pairs:
        return Wins(0, 0, 0)
    if mated.size <= nonmated.size:  # the sorted class must be the smaller: count what the non-mated win, and turn
        lost, tied = _beaten(nonmated, mated, sign)
        return Wins(pairs - lost - tied, tied, pairs)
    won, tied = _beaten(mated, nonmated, sign)
    return Wins(won, tied, pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """One class in order, with a table of steps by which scores of the other find their places in it."""

    ordered: NDArray[Any]
    low: float
    scale: float
    start: NDArray[np.int64]
    sign: int

    @classmethod
    def of(cls, rivals: NDArray[Any], sign: int, steps: int | None = None) -> Rivals:
        """Sort the rivals; sign -1 turns distances. A table of as many steps as there are scores is the fastest."""
        from bertillon.counting import kernels

        steps = steps or LIMITS.memory.rank_steps
        ordered = in_order(rivals if sign > 0 else -rivals)
        low, scale = steps_over(ordered, steps)
        held = np.zeros(steps, dtype=np.int64)
        kernels.count_steps(ordered, low, scale, held)
        return cls(ordered, low, scale, np.concatenate([[0], np.cumsum(held)]), sign)

    def beaten_by(self, scores: NDArray[Any]) -> tuple[int, int]:
        """How many (score, rival) pairs the scores win, and how many are tied."""
        from bertillon.counting import kernels

        won, tied = kernels.count_wins(scores, float(self.sign), self.ordered, self.low, self.scale, self.start)
        return int(won), int(tied)


def _beaten(scores: NDArray[Any], rivals: NDArray[Any], sign: int) -> tuple[int, int]:
    steps = min(scores.size, LIMITS.memory.rank_steps)
    parts = in_slices(Rivals.of(rivals, sign, steps).beaten_by, scores)
    return sum(won for won, _ in parts), sum(tied for _, tied in parts)


def steps_over(ordered: NDArray[Any], steps: int) -> tuple[float, float]:
    """Where so many equal steps begin and how many go to one unit: from end to end, or without what lies far out."""
    middle = float(ordered[-1 - ordered.size // 10]) - float(ordered[ordered.size // 10])
    for edge in (0, ordered.size // 1000):
        low, high = float(ordered[edge]), float(ordered[-1 - edge])
        if -math.inf < low < high < math.inf and (edge or high - low < FAR_OUT * middle):
            return low, steps / (high - low)
    return 0.0, 1.0  # the steps are only a short cut: any will do
