"""The compiled loops behind placements, and nothing else.

Conventions: a *table* is a sorted class with AHEAD NaNs behind its last score, and for each of many equal steps the
place where the step begins in it (see `counting.ranking.steps_over`). Loops release the interpreter lock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]

BLOCK = 2048  # scores whose steps are found together
AHEAD = 8  # rivals looked at together from where a step begins


@compiled(inline="always")
def _step(value: float, low: float, scale: float, last: int) -> int:
    """Which of last + 1 equal steps a value lies on, without a branch."""
    position = (value - low) * scale
    position = position if position >= 0.0 else 0.0
    return int(position if position < last else last)


@compiled()
def find_starts(ordered: Array, size: int, low: float, scale: float, start: Array) -> None:
    """Where each step begins among the first `size` scores, which are sorted."""
    last, reached = start.size - 1, 0
    start[0] = 0
    for index in range(size):
        step = _step(ordered[index], low, scale, last)
        while reached < step:
            reached += 1
            start[reached] = index
    start[reached + 1 :] = size


@compiled()
def _first(value: float, rivals: Array, low: int, high: int, after: bool) -> int:
    """The first place in rivals[low:high] that is not below the value or, `after`, that is above it."""
    while low < high:
        middle = (low + high) >> 1
        if rivals[middle] < value or (after and rivals[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@compiled()
def share_below(
    scores: Array,
    sign: float,
    rivals: Array,
    steps: tuple[float, float],
    start: Array,
    shares: Array,
    of: tuple[float, float],
) -> None:
    """For each score, how many rivals are below it, those equal to it counting half, through a table of the rivals.

    The number is divided by the first of `of`, and the second is added, while it is at hand: large arrays are slow.
    """
    size, places = rivals.size - AHEAD, np.empty(BLOCK, dtype=np.int64)
    (low, scale), (divisor, added) = steps, of
    for begin in range(0, scores.size, BLOCK):
        block, out = scores[begin : begin + BLOCK], shares[begin : begin + BLOCK]
        for i in range(block.size):
            places[i] = _step(sign * block[i], low, scale, start.size - 1)
        for i in range(block.size):  # apart from what follows, so that many loads are under way at once
            places[i] = start[places[i]]
        for i in range(block.size):
            value, position = sign * block[i], places[i]
            below, up_to = 0, 0
            for j in range(AHEAD):
                below += rivals[position + j] < value
                up_to += rivals[position + j] <= value
            count = position + 0.5 * (below + up_to)
            if up_to == AHEAD:  # there may be more
                reaching = _first(value, rivals, position, size, False)
                count = 0.5 * (reaching + _first(value, rivals, reaching, size, True))
            out[i] = count / divisor + added


@compiled()
def sum_losses(first_scores: Array, second_scores: Array) -> tuple[float, float, float, float]:
    """Losses of two sorted classes in one walk: the sum and the sum of squares over each.

    A score of the first class loses against those of the other that are above it, one of the second against those of
    the first that are below it; ties count half. Shares of the rivals are summed: where one class beats the other they
    are small, and their squares lose no digits.
    """
    i, j = 0, 0
    first, first_squares, second, second_squares = 0.0, 0.0, 0.0, 0.0
    while i < first_scores.size and j < second_scores.size:
        if first_scores[i] < second_scores[j]:
            loss = (second_scores.size - j) / second_scores.size
            first += loss
            first_squares += loss * loss
            i += 1
        elif first_scores[i] > second_scores[j]:
            loss = i / first_scores.size
            second += loss
            second_squares += loss * loss
            j += 1
        else:
            value, first_i, first_j = first_scores[i], i, j
            while i < first_scores.size and first_scores[i] == value:
                i += 1
            while j < second_scores.size and second_scores[j] == value:
                j += 1
            loss = (second_scores.size - 0.5 * (first_j + j)) / second_scores.size
            first += (i - first_i) * loss
            first_squares += (i - first_i) * loss * loss
            loss = 0.5 * (first_i + i) / first_scores.size
            second += (j - first_j) * loss
            second_squares += (j - first_j) * loss * loss
    left = second_scores.size - j  # these lose against every score of the first class
    return first, first_squares, second + left, second_squares + left
