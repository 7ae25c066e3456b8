"""Loops over pairs of vectors, of histograms, of packed bit strings and of series.

Conventions: those of the package. A squared distance taken from a product of matrices loses digits where two vectors
are near each other; there it is summed again from the differences. Bits are packed into words of 64; a probe comes in
every rotation, and the smallest distance over the rotations counts.

Dynamic time warping goes one anti-diagonal after the other: its cells do not depend on each other, so the processor
works on several at once; walking row by row each cell would wait for the one before. Row i of the table stands at place
i + 1 of the working arrays, place 0 is the border. Points are stored axis by axis: (axes, points of all series).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]

NEAR = 1.0 / 16.0  # of the sum of both squared lengths; beyond it a product of matrices keeps all but four bits


@compiled(fastmath={"reassoc", "contract"})
def _squared(x: Array, y: Array) -> float:
    total = 0.0
    for k in range(x.size):
        difference = np.float64(x[k]) - np.float64(y[k])
        total += difference * difference
    return total


@compiled()
def squared_distances(product: Array, x: Array, y: Array, x_squares: Array, y_squares: Array, out: Array) -> None:
    """Squared Euclidean distances from the products of all pairs; `out` may be `product`."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            both = x_squares[i] + y_squares[j]
            value = both - 2.0 * product[i, j]
            out[i, j] = value if value > NEAR * both else _squared(x[i], y[j])


@compiled(fastmath={"reassoc", "contract"})
def absolute_distances(x: Array, y: Array, weights: Array, owner: Array, out: Array) -> None:
    """Sums of absolute differences, each weighted as the owner of the gallery template asks."""
    for j in range(y.shape[0]):
        weight = weights[owner[j]]
        for i in range(x.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += abs(np.float64(x[i, k]) - np.float64(y[j, k])) * weight[k]
            out[i, j] = total


@compiled(fastmath={"reassoc", "contract"})
def chi_square_distances(x: Array, y: Array, out: Array) -> None:
    """Half the sum of (x - y)^2 / (x + y); bins empty in both add nothing."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                a, b = np.float64(x[i, k]), np.float64(y[j, k])
                both = a + b
                total += (a - b) * (a - b) / (both if both > 0.0 else 1.0)
            out[i, j] = 0.5 * total


@compiled(fastmath={"reassoc", "contract"})
def intersections(x: Array, y: Array, out: Array) -> None:
    """The sum of the smaller of each two bins."""
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                a, b = np.float64(x[i, k]), np.float64(y[j, k])
                total += a if a < b else b
            out[i, j] = total


def _emit_popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set: one instruction of the processor."""
    del typing_context, word

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), emit


_popcount: Any = intrinsic(_emit_popcount)


@compiled()
def bit_distances(probes: Array, gallery: Array, bits: int, out: Array) -> None:
    """Share of differing bits; probes are (probe, rotation, word)."""
    for i in range(probes.shape[0]):
        for j in range(gallery.shape[0]):
            fewest = np.uint64(bits)
            for r in range(probes.shape[1]):
                differing = np.uint64(0)
                for w in range(gallery.shape[1]):
                    differing += _popcount(probes[i, r, w] ^ gallery[j, w])
                fewest = min(fewest, differing)
            out[i, j] = fewest / bits


@compiled()
def masked_bit_distances(probes: Array, probe_masks: Array, gallery: Array, gallery_masks: Array, out: Array) -> None:
    """Share of differing bits among those valid in both; NaN where no rotation leaves a valid bit."""
    for i in range(probes.shape[0]):
        for j in range(gallery.shape[0]):
            best = np.nan
            for r in range(probes.shape[1]):
                differing, valid = np.uint64(0), np.uint64(0)
                for w in range(gallery.shape[1]):
                    both = probe_masks[i, r, w] & gallery_masks[j, w]
                    differing += _popcount((probes[i, r, w] ^ gallery[j, w]) & both)
                    valid += _popcount(both)
                if valid > 0:
                    share = differing / valid
                    best = share if not best <= share else best
            out[i, j] = best


@compiled()
def _costs(x: Array, y: Array, first: int, shift: int, squared: bool, cost: Array) -> None:
    """Local costs from row `first` on; `y` runs backwards so that both series are read forwards."""
    size = cost.size
    for axis in range(x.shape[0]):
        left, right = x[axis, first : first + size], y[axis, first + shift : first + shift + size]
        if axis == 0:
            for i in range(size):
                cost[i] = (left[i] - right[i]) * (left[i] - right[i])
        else:
            for i in range(size):
                cost[i] += (left[i] - right[i]) * (left[i] - right[i])
    if not squared:
        for i in range(size):
            cost[i] = np.sqrt(cost[i])


@compiled()
def _step(corner: Array, above: Array, left: Array, cost: Array, now: Array) -> None:
    """One anti-diagonal from the two before it."""
    for i in range(now.size):
        best = above[i] if above[i] < left[i] else left[i]
        now[i] = cost[i] + (corner[i] if corner[i] < best else best)


@compiled()
def _limits(k: int, n: int, m: int, band: int) -> tuple[int, int]:
    """The rows of anti-diagonal k (row + column = k) within the table and the band."""
    most_above = max(0, m - n) + band  # how far column may exceed row
    most_below = max(0, n - m) + band
    first = max(0, k - m + 1, (k - most_above + 1) // 2)
    last = min(n - 1, k, (k + most_below) // 2)
    return first, last + 1


@compiled()
def warp(x: Array, y: Array, band: int, squared: bool, work: Array) -> float:
    """The smallest sum of local costs along a path from the first points to the last; `y` runs backwards."""
    n, m = x.shape[1], y.shape[1]
    before, last, now, cost = work[0], work[1], work[2], work[3]
    work[:3, : n + 2] = np.inf
    before[0] = 0.0
    for k in range(n + m - 1):
        first, end = _limits(k, n, m, band)
        _costs(x, y, first, m - 1 - k, squared, cost[first:end])
        _step(before[first:end], last[first:end], last[first + 1 : end + 1], cost[first:end], now[first + 1 : end + 1])
        now[first], now[end + 1] = np.inf, np.inf  # what an older anti-diagonal left there is outside the band
        before, last, now = last, now, before
    return float(last[n])


@compiled()
def _step_and_length(
    corner: Array, above: Array, left: Array, cost: Array, now: Array, steps: tuple[Array, Array, Array, Array]
) -> None:
    """One anti-diagonal and the length of the shortest best path to each cell: corner, above, left, now."""
    by_corner, by_above, by_left, length = steps
    for i in range(now.size):
        best, fewest = corner[i], by_corner[i]
        if above[i] < best or (above[i] == best and by_above[i] < fewest):
            best, fewest = above[i], by_above[i]
        if left[i] < best or (left[i] == best and by_left[i] < fewest):
            best, fewest = left[i], by_left[i]
        now[i] = cost[i] + best
        length[i] = fewest + 1.0


@compiled()
def warp_and_length(x: Array, y: Array, band: int, squared: bool, work: Array) -> tuple[float, float]:
    """The same, and the number of cells of the shortest such path."""
    n, m = x.shape[1], y.shape[1]
    before, last, now, cost = work[0], work[1], work[2], work[3]
    steps_before, steps_last, steps = work[4], work[5], work[6]
    work[:3, : n + 2] = np.inf
    work[4:, : n + 2] = 0.0
    before[0] = 0.0
    for k in range(n + m - 1):
        first, end = _limits(k, n, m, band)
        _costs(x, y, first, m - 1 - k, squared, cost[first:end])
        up, here = slice(first, end), slice(first + 1, end + 1)
        lengths = (steps_before[up], steps_last[up], steps_last[here], steps[here])
        _step_and_length(before[up], last[up], last[here], cost[up], now[here], lengths)
        now[first], now[end + 1] = np.inf, np.inf
        before, last, now = last, now, before
        steps_before, steps_last, steps = steps_last, steps, steps_before
    return float(last[n]), float(steps_last[n])


@compiled()
def _band(width: float, n: int, m: int) -> int:
    """A width below 1 is a share of the longer series, rounded up; a negative one is no band at all."""
    longer = max(n, m)
    if width < 0:
        return longer
    return int(np.ceil(width * longer)) if width < 1 else int(width)


@compiled()
def warped_distances(
    x: Array, x_start: Array, x_size: Array, y: Array, y_start: Array, y_size: Array, band: float, out: Array, mode: int
) -> None:
    """All pairs; `mode` adds 1 for squared local costs (and the root of their sum), 2 for division by path length."""
    squared, by_length = mode % 2 == 1, mode >= 2
    work = np.empty((7, x_size.max() + 2))
    for j in range(y_size.size):
        reference = y[:, y_start[j] : y_start[j] + y_size[j]][:, ::-1].copy()
        for i in range(x_size.size):
            probe = x[:, x_start[i] : x_start[i] + x_size[i]].copy()
            reach = _band(band, probe.shape[1], reference.shape[1])
            if by_length:
                total, length = warp_and_length(probe, reference, reach, squared, work)
                total /= length
            else:
                total = warp(probe, reference, reach, squared, work)
            out[i, j] = np.sqrt(total) if squared else total
