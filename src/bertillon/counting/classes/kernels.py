"""The compiled loops of classification, and nothing else: each walks an array once.

Conventions: as in `counting.kernels`: `bits` is the integer view of the scores, `low` the bits of a negative zero, and
kernels release the interpreter lock so that slices run on threads.

Holds the loops of `one_vs_rest` (`split_scores`, `count_buckets`, `fill_buckets`, `sort_buckets`, `sum_areas`,
`count_below`) and of `probabilities` (`bin_values`, `sum_losses`, `read_rows`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.kernels import key_of
from bertillon.engine.compiling import compiled

Array = NDArray[Any]


@compiled(inline="always")
def _bucket(bits: Any, low: int, first: int, shift: int) -> Any:
    return (np.uint64(key_of(bits, low, 1)) - np.uint64(first)) >> np.uint64(shift)


@compiled()
def count_buckets(bits: Array, codes: Array, positive: int, low: int, first: int, shift: int, counts: Array) -> None:
    """Add to counts[1, bucket] for each positive and counts[0, bucket] for each other score."""
    for i in range(bits.size):
        counts[1 if codes[i] == positive else 0, _bucket(bits[i], low, first, shift)] += 1


@compiled()
def fill_buckets(
    scores: Array,
    bits: Array,
    codes: Array,
    positive: int,
    low: int,
    first: int,
    shift: int,
    next_free: Array,
    positives: Array,
    negatives: Array,
) -> None:
    """Copy each score to the next free place of its bucket, positives and negatives apart."""
    for i in range(bits.size):
        bucket = _bucket(bits[i], low, first, shift)
        if codes[i] == positive:
            positives[next_free[1, bucket]] = scores[i]
            next_free[1, bucket] += 1
        else:
            negatives[next_free[0, bucket]] = scores[i]
            next_free[0, bucket] += 1


@compiled()
def sort_buckets(values: Array, start: Array, first: int, last: int) -> None:
    """Sort the buckets from first up to last, each within itself."""
    for bucket in range(first, last):
        if start[bucket + 1] - start[bucket] > 1:
            values[start[bucket] : start[bucket + 1]].sort()


@compiled()
def sum_areas(positives: Array, negatives: Array, recalls: Array, highest: Array) -> tuple[int, float, float]:
    """Walk two ascending arrays once: doubled wins, and the sums of precision and of its highest value so far.

    highest[i] becomes the highest precision at a recall of recalls[i], which ascend, or more.
    """
    p, n, doubled = 0, 0, 0
    step, interpolated, best = 0.0, 0.0, 0.0
    block_step, block_interpolated, rows = 0.0, 0.0, 0
    level = recalls.size - 1
    while p < positives.size or n < negatives.size:
        tp, fp = positives.size - p, negatives.size - n
        while level >= 0 and tp / positives.size < recalls[level]:
            highest[level] = best
            level -= 1
        precision = tp / (tp + fp)
        best = max(best, precision)
        take = n == negatives.size or (p < positives.size and positives[p] <= negatives[n])
        value = positives[p] if take else negatives[n]
        before_p, before_n = p, n
        while p < positives.size and positives[p] == value:
            p += 1
        while n < negatives.size and negatives[n] == value:
            n += 1
        here = p - before_p
        doubled += (n - before_n) * (2 * tp - here)
        block_step += here * precision
        block_interpolated += here * best
        rows += 1
        if rows == 4096:  # summed in blocks, for the last digits
            step += block_step
            interpolated += block_interpolated
            block_step, block_interpolated, rows = 0.0, 0.0, 0
    highest[: level + 1] = best
    return doubled, step + block_step, interpolated + block_interpolated


@compiled()
def split_scores(scores: Array, codes: Array, positive: int, positives: Array, negatives: Array) -> None:
    """Copy positives and negatives apart, in their order."""
    p, n = 0, 0
    for i in range(scores.size):
        if codes[i] == positive:
            positives[p] = scores[i]
            p += 1
        else:
            negatives[n] = scores[i]
            n += 1


@compiled()
def bin_values(values: Array, edges: Array, counts: Array, sums: Array) -> None:
    """Count and add up values between 0 and 1 by bins; a value on an edge belongs to the bin below it."""
    n = counts.size
    for i in range(values.size):
        value = np.float64(values[i])
        b = int(value * n)
        if b >= n:
            b = n - 1
        while b > 0 and value <= edges[b]:
            b -= 1
        while value > edges[b + 1]:
            b += 1
        counts[b] += 1
        sums[b] += value


@compiled()
def sum_losses(values: Array, positive: bool) -> tuple[float, float]:
    """Sums of -log p and of (1 - p)^2, p being the probability given to what happened, added up in blocks.

    `values` were given to something that came true (p is the value) or did not (p is what is left of it).
    """
    logs, squares = 0.0, 0.0
    for begin in range(0, values.size, 4096):
        block_log, block_square = 0.0, 0.0
        for i in range(begin, min(begin + 4096, values.size)):
            value = np.float64(values[i])
            missing = 1.0 - value if positive else value
            block_log -= np.log(value) if positive else np.log1p(-value)
            block_square += missing * missing
        logs += block_log
        squares += block_square
    return logs, squares


@compiled()
def read_rows(matrix: Array, truth: Array, best: Array, top: Array, rank: Array, squares: Array) -> None:
    """For each row: the first largest column, its value, the rank of the true column, the squared distance to truth.

    The rank is pessimistic: every other column as large as the true one stands before it.
    """
    for i in range(matrix.shape[0]):
        own = matrix[i, truth[i]]
        largest, column = matrix[i, 0], 0
        at_least = 0
        total = 0.0
        for c in range(matrix.shape[1]):
            value = matrix[i, c]
            if value > largest:
                largest, column = value, c
            at_least += value >= own
            total += np.float64(value) * np.float64(value)
        best[i] = column
        top[i] = largest
        rank[i] = at_least
        squares[i] = total - 2.0 * np.float64(own) + 1.0


@compiled()
def count_below(column: Array, codes: Array, own: int, rivals: Array, wins: Array) -> None:
    """For each score of another class, how often a rival beats it, twice, plus once a tie; added up by its class.

    `rivals` are the ascending scores of class `own`.
    """
    n = rivals.size
    for i in range(column.size):
        code = codes[i]
        if code == own:
            continue
        value = column[i]
        first, size = 0, n
        while size > 1:  # without branches: the step is taken or not by arithmetic
            half = size >> 1
            first += half * (rivals[first + half - 1] < value)
            size -= half
        first += rivals[first] < value
        last = first
        while last < n and rivals[last] == value:
            last += 1
        wins[code] += 2 * (n - last) + (last - first)
