"""The compiled loops that count scores in cells, and nothing else.

Conventions: cuts ascend. Those of step s (see `kernels.step_of`) stand in cuts[start[s] : start[s + 1]]. Loops release
the interpreter lock so that slices run on threads.

Of blocks of comparisons, cell c holds the oriented scores with c cuts at or below them. `line` is what orients a score
and where it lies: the sign, the low end and the scale of equal steps, the centre sums are taken from, and the oriented
score from which on places are kept. `table` is where the cuts stand: start, crowded and cuts; where a step is not
crowded all its scores are past the last of its cuts. The steps of scores whose places are kept are all crowded.

Of weighted scores, cell c holds the values from cut c up to, not including, cut c + 1; none lies below the first cut.

Holds `count_cells` and `pick_others` for `tiles`; `find_cells`, `put_in_order` and `sum_products` for `weighted`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.kernels import find_steps, first_above, step_of
from bertillon.engine.compiling import compiled

Array = NDArray[Any]
Line = tuple[float, float, float, float, float]
Table = tuple[Array, Array, Array]
FEW = 8  # scores that are looked at together


@compiled(fastmath={"reassoc"})  # sums may be added in any order, several at a time
def _sums(row: Array, centre: float) -> tuple[float, float]:
    total, squares = 0.0, 0.0
    for j in range(row.size):
        apart = np.float64(row[j]) - centre
        total += apart
        squares += apart * apart
    return total, squares


@compiled(fastmath={"reassoc"})
def _sums_without(row: Array, mated: Array, centre: float) -> tuple[float, float]:
    total, squares = 0.0, 0.0
    for j in range(row.size):
        apart = 0.0 if mated[j] else np.float64(row[j]) - centre
        total += apart
        squares += apart * apart
    return total, squares


@compiled()
def _put_within(row: Array, low: float, high: float) -> None:
    for j in range(row.size):  # NaN stays
        score = high if row[j] > high else row[j]
        row[j] = low if score < low else score


@compiled()
def _is_among(owner: int, owners: Array) -> bool:
    among = False
    for j in range(owners.size):
        among |= owners[j] == owner
    return among


@compiled(inline="always")
def _cell_of(oriented: float, low: float, scale: float, start: Array, cuts: Array) -> int:
    step = step_of(oriented, low, scale, start.size - 2)
    return first_above(oriented, cuts, start[step], start[step + 1])


@compiled()
def _count_steps(steps: Array, n: int, plain: Array, crowded: Array, first_crowded: int) -> int:
    """Add the first n steps to their counts; how many are crowded, whose places are left in front of `steps`.

    Few scores are high enough to lie on a crowded step, so a few are looked at together. The places to look at again
    overwrite steps gone by.
    """
    again, whole = 0, n // FEW * FEW
    for begin in range(0, whole, FEW):
        highest = steps[begin]
        for k in range(1, FEW):
            highest = max(highest, steps[begin + k])
        for k in range(FEW):
            plain[np.uint32(steps[begin + k])] += 1
        if highest >= first_crowded:
            for k in range(FEW):  # without branches
                here = np.uint32(steps[begin + k])
                steps[again] = begin + k
                again += crowded[here]
    for j in range(whole, n):
        here = np.uint32(steps[j])
        plain[here] += 1
        steps[again] = j
        again += crowded[here]
    return again


@compiled()
def _count_at_once(
    row: Array, offset: int, mated: Array, line: Line, table: Table, work: tuple[Array, Array, int], later: Array
) -> int:
    """A row without failed scores, which begins at a place of the block; how many places are left in `later`.

    Scores are counted by their steps. Those of crowded steps are to be put into their cells later. `mated` says which
    are to be passed over, and is empty where none is. `work` is the count of each step so far, room for the steps of a
    row and the first crowded step.
    """
    plain, steps, first_crowded = work
    sign, low, scale, _, _ = line
    start, crowded, _ = table
    find_steps(row, sign, low, scale, start.size - 2, steps)
    for j in range(mated.size):  # counted below like all the others
        plain[np.uint32(steps[j])] -= mated[j]
    n = 0
    for k in range(_count_steps(steps, row.size, plain, crowded, first_crowded)):
        if mated.size == 0 or not mated[steps[k]]:
            later[n] = offset + steps[k]
            n += 1
    return n


@compiled()
def _sum_one_by_one(
    row: Array, offset: int, mated: Array, centre: float, later: Array
) -> tuple[int, int, float, float]:
    """A row with failed scores, which begins at a place of the block; `mated` is empty where none is.

    Returned are how many places are left in `later`, all to be put into their cells; how many scores failed; and the
    sums of the others.
    """
    n, failed, total, squares = 0, 0, 0.0, 0.0
    for j in range(row.size):
        apart = np.float64(row[j]) - centre
        if mated.size > 0 and mated[j]:
            continue
        if row[j] != row[j]:
            failed += 1
            continue
        total += apart
        squares += apart * apart
        later[n] = offset + j
        n += 1
    return n, failed, total, squares


@compiled()
def _count_later(scores: Array, line: Line, table: Table, weight: int, counts: Array, positions: Array) -> int:
    """Put the scores at some places into their cells; those to be kept are moved to the front, and how many there are.

    One after the other, since the memory in which a cell is looked for is far: many searches then wait at once.
    """
    sign, low, scale, _, keep_from = line
    start, _, cuts = table
    n_kept = 0
    for k in range(positions.size):
        score = sign * np.float64(scores[positions[k]])
        counts[_cell_of(score, low, scale, start, cuts)] += weight
        positions[n_kept] = positions[k]
        n_kept += int(score >= keep_from)
    return n_kept


@compiled()
def count_cells(
    scores: Array,
    owners: tuple[Array, Array],
    ends: Array,
    line: Line,
    table: Table,
    weight: int,
    counted: tuple[Array, Array],
    kept: Array,
    right_of_diagonal: bool,
) -> tuple[int, int, int, float, float]:
    """Add each score of a block to the cell it falls in, `weight` times, passing over pairs of one owner.

    What is `counted` are cells and, for scores on steps that are not crowded, steps; those of the others say nothing.
    `owners` are those of the rows and of the columns. Scores beyond the two `ends`, where there are any, are put there,
    in the block too. The places in the block of the scores to be kept are left in `kept`. Where only what stands
    `right_of_diagonal` counts, the rest of the block is passed over. Returned are the numbers of kept, of failed and of
    good scores, and the sum and sum of squares of the good ones less the centre.
    """
    row_owner, column_owner = owners
    start, crowded, _ = table
    plain, nobody = np.zeros(start.size - 1, dtype=np.int32), np.empty(0, dtype=np.bool_)
    work = (plain, np.empty(scores.shape[1], dtype=np.int32), int(np.argmax(crowded)))
    failed, good, total, squares, n = 0, 0, 0.0, 0.0, 0
    apart = scores.size > 0 and (row_owner.max() < column_owner.min() or row_owner.min() > column_owner.max())
    for i in range(scores.shape[0]):
        first = i + 1 if right_of_diagonal else 0
        row, offset, room = scores[i, first:], i * scores.shape[1] + first, kept[n:]
        if ends.size == 2:
            _put_within(row, ends[0], ends[1])
        meets_own = not apart and _is_among(row_owner[i], column_owner[first:])
        mated = column_owner[first:] == row_owner[i] if meets_own else nobody
        row_total, row_squares = _sums_without(row, mated, line[3]) if meets_own else _sums(row, line[3])
        row_failed = 0
        if row_total == row_total:
            n += _count_at_once(row, offset, mated, line, table, work, room)
        else:
            more, row_failed, row_total, row_squares = _sum_one_by_one(row, offset, mated, line[3], room)
            n += more
        failed += row_failed
        good += row.size - row_failed - mated.sum()
        total += row_total
        squares += row_squares
    cells, by_step = counted
    for step in range(plain.size):
        by_step[step] += weight * plain[step]
    n_kept = _count_later(scores.reshape(scores.size), line, table, weight, cells, kept[:n])
    return n_kept, failed, good, total, squares


@compiled()
def pick_others(
    block: Array, positions: Array, owners: tuple[Array, Array], right_of_diagonal: bool, people: Array, scores: Array
) -> int:
    """The two owners and the score at each of some places of a block, but for mated and failed ones; how many.

    They are left in `people`, which has two rows, and in `scores`. With `right_of_diagonal` what stands on the diagonal
    or left of it is passed over too.
    """
    row_owner, column_owner = owners
    n = 0
    for position in positions:
        down, across = position // block.shape[1], position % block.shape[1]
        first, second, score = row_owner[down], column_owner[across], block[down, across]
        if first != second and score == score and not (right_of_diagonal and down >= across):
            people[0, n], people[1, n], scores[n] = first, second, score
            n += 1
    return n


@compiled()
def find_cells(values: Array, sign: float, cuts: Array, low: float, scale: float, start: Array, cells: Array) -> None:
    """The cell of each value, which `sign` orients."""
    last = start.size - 2
    for i in range(values.size):
        value = sign * np.float64(values[i])
        step = step_of(value, low, scale, last)
        cells[i] = first_above(value, cuts, start[step], start[step + 1]) - 1


@compiled()
def put_in_order(cells: Array, first: Array, second: Array, next_free: Array, ordered: Array) -> None:
    """Write each pair of units where its cell has room next; `next_free` is moved on."""
    for i in range(cells.size):
        at = next_free[cells[i]]
        next_free[cells[i]] = at + 1
        ordered[at, 0] = first[i]
        ordered[at, 1] = second[i]


@compiled()
def sum_products(ordered: Array, start: Array, weights: Array, at_once: int, counts: Array) -> None:
    """counts[c, r] = sum over the pairs (a, b) of cell c of weights[a, r] * weights[b, r].

    Products are added in 16 bits, which takes many resamples at once, and moved to `counts` every `at_once` pairs,
    before they can overflow.
    """
    width = weights.shape[1]
    part = np.empty(width, dtype=np.int16)
    for cell in range(start.size - 1):
        row = counts[cell]
        for begin in range(start[cell], start[cell + 1], at_once):
            end = min(begin + at_once, start[cell + 1])
            part[:] = 0
            i = begin
            while i + 2 <= end:
                a, b = weights[ordered[i, 0]], weights[ordered[i, 1]]
                c, d = weights[ordered[i + 1, 0]], weights[ordered[i + 1, 1]]
                for r in range(width):
                    part[r] += a[r] * b[r] + c[r] * d[r]
                i += 2
            if i < end:
                a, b = weights[ordered[i, 0]], weights[ordered[i, 1]]
                for r in range(width):
                    part[r] += a[r] * b[r]
            for r in range(width):
                row[r] += part[r]
