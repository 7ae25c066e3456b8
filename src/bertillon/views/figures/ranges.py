"""Which scores an axis shows, and in which bins they are counted.

Conventions: the user's units throughout. All finite scores are shown, unless a few of them lie so far out that the
rest would shrink to a line; what is left off is counted and said. Scores are read in place, never copied.

Holds `ScoreRange`, `shown_range`, `bin_edges` and `count_infinite`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.scores import Scores

FloatArray = NDArray[np.float64]

TAIL = 0.0005  # of each class at each end may lie outside the axis ...
FAR_OUT = 10.0  # ... when all scores span this many times the range of the rest
BLOCK = 1 << 20
LARGEST = 1e100  # a longer axis cannot be drawn
SMALLEST_SPAN = 1e-100
LOOKED_AT = 1000  # scores, to see whether they are whole numbers
FEWEST_BINS, MOST_BINS = 10, 60


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The range of scores on an axis, ends included."""

    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest."""
        return self.low, self.high

    @property
    def is_point(self) -> bool:
        """Is there nothing between the ends?"""
        span = self.high - self.low
        return span < SMALLEST_SPAN or span < 1e-9 * max(abs(self.low), abs(self.high))

    def widened(self) -> ScoreRange:
        """The range itself, or room around a single value."""
        if not self.is_point:
            return self
        room = 0.5 * max(1.0, abs(self.low))
        return ScoreRange(self.low - room, self.high + room)


def shown_range(scores: Scores, curve: ErrorCurve) -> ScoreRange:
    """The finite scores of both classes, without the very few that lie far out; 0 to 1 when there are none."""
    ends = [end for kind in (scores.mated, scores.nonmated) for end in _finite_ends(kind)]
    if not ends:
        return ScoreRange(0.0, 1.0)
    low, high = (min(max(end, -LARGEST), LARGEST) for end in (min(ends), max(ends)))
    bulk = _bulk(curve, low, high)
    if bulk.is_point or high - low <= FAR_OUT * (bulk.high - bulk.low):
        return ScoreRange(low, high)
    room = (bulk.high - bulk.low) / 2
    return ScoreRange(max(low, bulk.low - room), min(high, bulk.high + room))


def bin_edges(scores: Scores, shown: ScoreRange, bins: int | None) -> FloatArray:
    """Edges of equal bins over the shown range; whole numbers get bins centred on whole numbers."""
    wanted = bins or _usual_bins(scores)
    if _whole(scores.mated) and _whole(scores.nonmated):
        return _whole_edges(math.floor(shown.low), math.ceil(shown.high), wanted)
    shown = shown.widened()
    return np.linspace(shown.low, shown.high, wanted + 1)


def count_infinite(scores: NDArray[Any]) -> int:
    """How many of the scores are infinite."""
    if scores.size == 0 or (math.isfinite(scores.min()) and math.isfinite(scores.max())):
        return 0
    return sum(int(np.count_nonzero(np.isinf(block))) for block in _blocks(scores))


def _finite_ends(scores: NDArray[Any]) -> tuple[float, ...]:
    """Lowest and highest finite score; nothing where there is none."""
    if scores.size == 0:
        return ()
    low, high = float(scores.min()), float(scores.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    finite = (block[np.isfinite(block)] for block in _blocks(scores))
    return tuple(float(end) for block in finite if block.size for end in (block.min(), block.max()))


def _bulk(curve: ErrorCurve, low: float, high: float) -> ScoreRange:
    """Between the outer quantiles of the two classes, read off the curve."""
    counts = curve.counts
    ends: list[float] = []
    for below, trials in (
        (counts.false_nonmatch, counts.n_mated),
        (counts.n_nonmated - counts.false_match, counts.n_nonmated),
    ):
        if trials:
            first = max(int(np.searchsorted(below, TAIL * trials, side="right")) - 1, 0)
            last = min(int(np.searchsorted(below, (1.0 - TAIL) * trials)), len(counts) - 1)
            ends += [curve.rule.restore(counts.threshold[row]) for row in (first, last)]
    inside = [min(max(end, low), high) for end in ends]
    return ScoreRange(min(inside), max(inside))


def _usual_bins(scores: Scores) -> int:
    """Enough bins to show a shape, few enough that the smaller class fills them."""
    sizes = [size for size in (scores.mated.size, scores.nonmated.size) if size]
    wanted = round(3 * math.cbrt(min(sizes, default=1)))
    return min(max(wanted, FEWEST_BINS), MOST_BINS)


def _whole(scores: NDArray[Any]) -> bool:
    some = scores[:LOOKED_AT]
    some = some[np.isfinite(some)]
    return bool(np.all((some == np.rint(some)) & (np.abs(some) < 2**31)))


def _whole_edges(low: int, high: int, bins: int) -> FloatArray:
    width = max(math.ceil((high - low + 1) / bins), 1)
    count = math.ceil((high - low + 1) / width)
    spare = 1 if count == 1 else 0  # room around a single bar
    return low - 0.5 + float(width) * np.arange(-spare, count + 1 + spare, dtype=np.float64)


def _blocks(scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (scores[start : start + BLOCK] for start in range(0, scores.size, BLOCK))
