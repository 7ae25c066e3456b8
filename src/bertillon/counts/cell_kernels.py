"""The compiled loops of counting blocks of comparisons into cells, and nothing else.

Conventions: cell c holds the oriented scores with c cuts at or below them. `line` is what orients a score and where it
lies: the sign, the low end and the scale of equal steps (see `kernels.step_of`), the centre from which sums are taken,
and the oriented score from which on places are kept. `table` is where the cuts stand: start, crowded and cuts; those of
step s are cuts[start[s] : start[s + 1]], and where the step is not crowded all its scores are past the last of them.
The steps of scores whose places are kept are all crowded. Loops release the interpreter lock.

Holds `count_cells`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from bertillon.counts.kernels import find_steps, first_above, step_of

Array = NDArray[Any]
Line = tuple[float, float, float, float, float]
Table = tuple[Array, Array, Array]


@njit(nogil=True, cache=True, fastmath={"reassoc"})  # sums may be added in any order, several at a time
def _sums(row: Array, centre: float) -> tuple[float, float]:
    total, squares = 0.0, 0.0
    for j in range(row.size):
        apart = np.float64(row[j]) - centre
        total += apart
        squares += apart * apart
    return total, squares


@njit(nogil=True, cache=True)
def _is_among(owner: int, owners: Array) -> bool:
    found = False
    for j in range(owners.size):
        found |= owners[j] == owner
    return found


@njit(nogil=True, cache=True, inline="always")
def _cell_of(oriented: float, low: float, scale: float, start: Array, cuts: Array) -> int:
    step = step_of(oriented, low, scale, start.size - 2)
    return first_above(oriented, cuts, start[step], start[step + 1])


@njit(nogil=True, cache=True)
def _count_at_once(
    row: Array, place: int, line: Line, table: Table, weight: int, work: tuple[Array, Array], counts: Array, kept: Array
) -> int:
    """A row without mated or failed scores, which begins at a place of the block; how many places are kept.

    Scores are counted by their steps; those of crowded steps are also put into their cells. `work` is the count of each
    step so far, and room for the steps of a row.
    """
    plain, steps = work
    sign, low, scale, _, keep_from = line
    start, crowded, cuts = table
    find_steps(row, sign, low, scale, start.size - 2, steps)
    again, n_kept = 0, 0
    for j in range(row.size):  # without branches; the places to look at again overwrite steps gone by
        here = np.uint32(steps[j])
        plain[here] += 1
        steps[again] = j
        again += crowded[here]
    for k in range(again):
        score = sign * np.float64(row[np.uint32(steps[k])])
        counts[_cell_of(score, low, scale, start, cuts)] += weight
        if score >= keep_from:
            kept[n_kept] = place + steps[k]
            n_kept += 1
    return n_kept


@njit(nogil=True, cache=True)
def _count_one_by_one(
    row: Array, place: int, mated: Array, line: Line, table: Table, weight: int, counts: Array, kept: Array
) -> tuple[int, int, int, float, float]:
    """A row with `mated` or failed scores, which begins at a place of the block.

    Returned are the numbers of kept, of failed and of mated scores, and the sums of the others.
    """
    sign, low, scale, centre, keep_from = line
    start, _, cuts = table
    n_kept, failed, passed_over, total, squares = 0, 0, 0, 0.0, 0.0
    for j in range(row.size):
        score = np.float64(row[j])
        if mated[j]:
            passed_over += 1
        elif score != score:
            failed += 1
        else:
            total += score - centre
            squares += (score - centre) * (score - centre)
            counts[_cell_of(sign * score, low, scale, start, cuts)] += weight
            if sign * score >= keep_from:
                kept[n_kept] = place + j
                n_kept += 1
    return n_kept, failed, passed_over, total, squares


@njit(nogil=True, cache=True)
def count_cells(
    scores: Array, owners: tuple[Array, Array], line: Line, table: Table, weight: int, counts: Array, kept: Array
) -> tuple[int, int, int, float, float]:
    """Add each score of a block to the cell it falls in, `weight` times, passing over pairs of one owner.

    `owners` are those of the rows and of the columns. The places in the block of the scores to be kept are left in
    `kept`. Returned are the numbers of these, of failed and of good scores, and the sum and sum of squares of the good
    ones less the centre.
    """
    row_owner, column_owner = owners
    start, crowded, _ = table
    plain = np.zeros(start.size - 1, dtype=np.int32)
    work = (plain, np.empty(scores.shape[1], dtype=np.int32))
    failed, passed_over, total, squares, n_kept = 0, 0, 0.0, 0.0, 0
    apart = scores.size > 0 and (row_owner.max() < column_owner.min() or row_owner.min() > column_owner.max())
    for i in range(scores.shape[0]):
        row, place, room = scores[i], i * scores.shape[1], kept[n_kept:]
        row_total, row_squares = _sums(row, line[3])
        if row_total == row_total and (apart or not _is_among(row_owner[i], column_owner)):
            n_kept += _count_at_once(row, place, line, table, weight, work, counts, room)
        else:
            mated = column_owner == row_owner[i]
            found = _count_one_by_one(row, place, mated, line, table, weight, counts, room)
            row_total, row_squares = found[3], found[4]
            n_kept, failed, passed_over = n_kept + found[0], failed + found[1], passed_over + found[2]
        total += row_total
        squares += row_squares
    for step in range(plain.size):
        if not crowded[step]:
            counts[start[step + 1]] += weight * plain[step]
    return n_kept, failed, scores.size - passed_over - failed, total, squares
