"""The compiled loops behind weighted counts and numbered ids, and nothing else.

Conventions: cuts ascend; cell c holds the values from cut c up to, not including, cut c + 1, and no value lies below
the first cut. The cuts of step s (see `counting.kernels.step_of`) stand in cuts[start[s] : start[s + 1]]. Loops release
the interpreter lock so that slices run on threads.

Holds the loops of `cells` (`find_cells`, `put_in_order`, `sum_products`) and of `id_codes` (`number_rows`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.kernels import first_above, step_of
from bertillon.engine.compiling import compiled

Array = NDArray[Any]


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


@compiled()
def number_rows(rows: Array, table: Array, first: Array, codes: Array) -> int:
    """Number the distinct rows in the order they are first seen, `first` of each; -1 where the table gets too full.

    `table` is empty (-1 everywhere), its size a power of 2 and twice that of `first`.
    """
    n, last = 0, np.uint64(table.size - 1)
    for i in range(rows.shape[0]):
        mixed = np.uint64(1469598103934665603)
        for k in range(rows.shape[1]):
            mixed = (mixed ^ np.uint64(rows[i, k])) * np.uint64(1099511628211)
        slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & last)
        while True:
            code = table[slot]
            if code < 0:
                if n == first.size:
                    return -1
                table[slot], first[n], codes[i] = n, i, n
                n += 1
                break
            same = True
            for k in range(rows.shape[1]):
                same &= rows[first[code], k] == rows[i, k]
            if same:
                codes[i] = code
                break
            slot = (slot + 1) & np.int64(last)
    return n
