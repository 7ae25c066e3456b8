"""The compiled loops of counting a stream, and nothing else: each walks a block of score bits, or of keys, once.

Conventions: `bits`, `low` and `sign` as in `counting.kernels`. A bin holds the 2**shift keys that begin alike; bins are
numbered so that the one of key 0 is in the middle of the table. A row of a table of bins is the number of scores, the
largest distance of a key from the lowest of its bin, and the largest distance from the highest: zeros for an empty bin,
so that memory no score falls into is never touched.

Holds the loops of `bins` (`count_bins`, `add_bins`, `add_keys`), of `distinct_keys` (`select_flagged`,
`merge_keys`), of `exact` (`count_ranges`) and, for it and `keeping`, `gather_flagged`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]

BLOCK = 2048  # scores whose keys are found together


@compiled()
def _find_keys(bits: Array, low: int, sign: int, keys: Array) -> None:
    """The ordered key of each score."""
    for i in range(bits.size):
        wide: Any = np.int64(bits[i])
        negative = wide >> 63  # all ones for a negative float
        keys[i] = sign * (((wide - (negative & low)) ^ negative) - negative)


@compiled()
def count_bins(bits: Array, low: int, sign: int, shift: int, table: Array, used: Array) -> None:
    """Count the scores of each bin, and how far out its keys lie; `used` marks the pages of bins that have scores."""
    keys = np.empty(BLOCK, dtype=np.int64)
    middle, inside = table.shape[0] >> 1, (np.int64(1) << shift) - 1
    page = table.shape[0] // used.size
    for begin in range(0, bits.size, BLOCK):
        block = bits[begin : begin + BLOCK]
        _find_keys(block, low, sign, keys)
        for i in range(block.size):
            row = (keys[i] >> shift) + middle
            above = keys[i] & inside
            if table[row, 0] == 0:
                used[row // page] = True
            table[row, 0] += 1
            if above > table[row, 1]:
                table[row, 1] = above
            if inside - above > table[row, 2]:
                table[row, 2] = inside - above


@compiled()
def add_bins(number: Array, count: Array, first: Array, last: Array, shift: int, table: Array, used: Array) -> None:
    """Add bins that were counted elsewhere, each with its smallest and largest key."""
    inside, page = (np.int64(1) << shift) - 1, table.shape[0] // used.size
    for i in range(number.size):
        row = number[i]
        used[row // page] = True
        table[row, 0] += count[i]
        table[row, 1] = max(table[row, 1], last[i] & inside)
        table[row, 2] = max(table[row, 2], inside - (first[i] & inside))


@compiled()
def gather_flagged(bits: Array, low: int, sign: int, shift: int, flag: Array, gathered: Array) -> int:
    """Copy the keys that lie in flagged bins into `gathered`; how many there are."""
    keys = np.empty(BLOCK, dtype=np.int64)
    middle = flag.size >> 1
    n = 0
    for begin in range(0, bits.size, BLOCK):
        block = bits[begin : begin + BLOCK]
        _find_keys(block, low, sign, keys)
        for i in range(block.size):
            gathered[n] = keys[i]
            n += flag[(keys[i] >> shift) + middle]
    return n


@compiled()
def count_ranges(keys: Array, first: Array, last: Array, start: Array, shift: Array, table: Array) -> int:
    """Sort keys out by the range they lie in: counted in finer bins, or moved to the front; how many were moved.

    Ranges ascend and do not overlap. start[r] is the row of the table at which the bins of range r begin, of
    2**shift[r] keys each, or -1 if its keys are moved. A row is the number of scores, the smallest and the largest key.
    """
    moved = 0
    for i in range(keys.size):
        key = keys[i]
        r = np.searchsorted(first, key, side="right") - 1
        if r < 0 or key > last[r]:
            continue
        if start[r] < 0:
            keys[moved] = key
            moved += 1
            continue
        row = start[r] + ((key - first[r]) >> shift[r])
        table[row, 0] += 1
        table[row, 1] = min(table[row, 1], key)
        table[row, 2] = max(table[row, 2], key)
    return moved


@compiled()
def add_keys(key: Array, times: Array, shift: int, table: Array, used: Array) -> None:
    """Count keys, each so many times, as `count_bins` counts scores."""
    middle, page, inside = table.shape[0] >> 1, table.shape[0] // used.size, (np.int64(1) << shift) - 1
    for i in range(key.size):
        row, above = (key[i] >> shift) + middle, key[i] & inside
        used[row // page] = True
        table[row, 0] += times[i]
        table[row, 1] = max(table[row, 1], above)
        table[row, 2] = max(table[row, 2], inside - above)


@compiled()
def select_flagged(key: Array, times: Array, shift: int, flag: Array, kept: Array, kept_times: Array) -> int:
    """Copy the keys that lie in flagged bins; how many there are."""
    middle = flag.size >> 1
    n = 0
    for i in range(key.size):
        kept[n], kept_times[n] = key[i], times[i]
        n += flag[(key[i] >> shift) + middle]
    return n


@compiled()
def merge_keys(left: Array, left_times: Array, right: Array, right_times: Array, key: Array, times: Array) -> int:
    """Merge two runs of ascending distinct keys into one, adding up how often each occurred; its length."""
    i, j, n = 0, 0, 0
    while i < left.size or j < right.size:
        first = j == right.size or (i < left.size and left[i] <= right[j])
        key[n] = left[i] if first else right[j]
        times[n] = 0
        if i < left.size and left[i] == key[n]:
            times[n] += left_times[i]
            i += 1
        if j < right.size and right[j] == key[n]:
            times[n] += right_times[j]
            j += 1
        n += 1
    return n
