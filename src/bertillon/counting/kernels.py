"""The compiled loops over scores, their keys and ids, and nothing else: each walks an array once.

Conventions: `bits` is the integer view of the scores, `low` the bits of a negative zero, `sign` +1 for a similarity
and -1 for a distance, `base` what keys are folded by; see `keys`. Bins hold 2**shift folded keys from `first` to
`last`. They are found for a block of scores at a time, without branches, so that the processor takes several at once.
Kernels release the interpreter lock so that slices run on threads. Places of a table are unsigned where the walk waits
for them: a signed one is looked at for being counted from the end. They take the arrays they fill, last, and as many
arguments as the loop needs: a compiled loop can call no method of ours. What is as large as a threshold passes it.

Of a stream, a bin holds the 2**shift keys that begin alike; bins are numbered so that the one of key 0 is in the middle
of the table. A row of a table of bins is the number of scores, the largest distance of a key from the lowest of its
bin, and the largest distance from the highest: zeros for an empty bin, so that memory no score falls into is never
touched.

Holds the loops of `refining` (`key_range`, `bin_keys`, `gather_keys`), of `tally` (`count_steps`, `count_wins`,
`block_moments`), of `error_counts` and `classes` (`merge_sorted`), of `keys` (`mix_keys` and
`number_rows`); those of `streams`; and what the loops of cells and classes build on: `key_of`, `step_of`, `find_steps`
and `first_above`. A compiled loop is stored under the date of its own file: after a change of one of these
four, the files whose loops call them must be saved anew as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]

BLOCK = 1 << 14  # scores whose bins or keys are found together: memory is read ahead in long runs
LOOKED_AT = 2048  # the same where each is looked up besides, which needs the nearest cache
LANES = 64  # smallest and largest scores found side by side
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@compiled(inline="always")
def key_of(bits: Any, low: int, sign: int) -> Any:
    """The ordered key of one score, oriented."""
    wide = np.int64(bits)
    return sign * (wide if wide >= 0 else low - wide)


@compiled()
def _find_bins(bits: Array, low: int, sign: int, first: int, last: int, shift: int, base: int, bins: Array) -> None:
    """The bin of each score; -1 for those whose folded key is not within [first, last]."""
    span = np.uint64(last) - np.uint64(first)  # unsigned: the range may exceed 2**63
    for i in range(bits.size):
        wide: Any = np.int64(bits[i])
        negative = wide >> 63  # all ones for a negative float
        size = max(wide - (negative & low) - base, 0)
        distance = np.uint64(sign * ((size ^ negative) - negative)) - np.uint64(first)
        bins[i] = np.int64(distance >> np.uint64(shift)) if distance <= span else -1


@compiled()
def key_range(bits: Array, low: int, sign: int, first: int, last: int) -> tuple[int, int]:
    """Smallest and largest key within [first, last]; (last, first) reversed when there is none."""
    smallest, largest = last, first
    for i in range(bits.size):
        key = key_of(bits[i], low, sign)
        if first <= key <= last:
            smallest = min(smallest, key)
            largest = max(largest, key)
    return smallest, largest


@compiled()
def bin_keys(bits: Array, low: int, sign: int, first: int, last: int, shift: int, counts: Array, base: int = 0) -> None:
    """Add to counts[(folded key - first) >> shift] for every folded key within [first, last]."""
    bins = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, bits.size, BLOCK):
        block = bits[begin : begin + BLOCK]
        _find_bins(block, low, sign, first, last, shift, base, bins)
        for i in range(block.size):
            if bins[i] >= 0:
                counts[np.uint32(bins[i])] += 1


@compiled()
def gather_keys(
    bits: Array,
    low: int,
    sign: int,
    first: int,
    last: int,
    shift: int,
    base: int,
    slot: Array,
    smallest: Array,
    gathered: Array,
) -> int:
    """Copy the keys of wanted bins into `gathered`, and keep the smallest key of bins that only lend their first score.

    slot[bin] is -1 for wanted bins, 0 for bins of no interest, s > 0 for a bin whose smallest key goes to smallest[s].
    """
    n = 0
    bins = np.empty(LOOKED_AT, dtype=np.int32)
    asked = np.zeros(slot.size // 32 + 1, dtype=np.uint32)  # a bit for each bin, from bin -1 on: few enough to stay in
    for i in range(slot.size):  # the cache nearest to the processor
        asked[(i + 1) >> 5] |= np.uint32(slot[i] != 0) << np.uint32((i + 1) & 31)
    for begin in range(0, bits.size, LOOKED_AT):
        block = bits[begin : begin + LOOKED_AT]
        _find_bins(block, low, sign, first, last, shift, base, bins)
        for i in range(block.size):
            place = np.uint32(bins[i] + 1)
            if not (asked[place >> np.uint32(5)] >> (place & np.uint32(31))) & np.uint32(1):
                continue
            s = slot[np.uint32(bins[i])]
            if s < 0:
                gathered[n] = key_of(block[i], low, sign)
                n += 1
            else:
                smallest[s] = min(smallest[s], key_of(block[i], low, sign))
    return n


@compiled(inline="always")
def step_of(value: float, low: float, scale: float, last: int) -> int:
    """Which of last + 1 equal steps from `low` a value lies on; all beyond the ends are on the end steps."""
    step = (value - low) * scale
    return 0 if not step >= 0.0 else (last if step >= last else int(step))


@compiled()
def find_steps(values: Array, sign: float, low: float, scale: float, last: int, steps: Array) -> None:
    """Which of last + 1 equal steps from `low` each value lies on; all beyond the ends are on the end steps."""
    for i in range(values.size):
        step = (sign * values[i] - low) * scale
        step = step if step >= 0.0 else 0.0
        steps[i] = np.int64(step if step < last else last)


@compiled()
def count_steps(values: Array, low: float, scale: float, counts: Array) -> None:
    """Add to the count of the step each value lies on."""
    steps = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, values.size, BLOCK):
        block = values[begin : begin + BLOCK]
        find_steps(block, 1.0, low, scale, counts.size - 1, steps)
        for i in range(block.size):
            counts[np.uint32(steps[i])] += 1


@compiled()
def _first_reaching(value: float, rivals: Array, low: int, high: int) -> int:
    """The first place in rivals[low:high] that is not below the value; the last few are counted, not guessed at."""
    while high - low > 4:
        middle = (low + high) >> 1
        if rivals[middle] < value:
            low = middle + 1
        else:
            high = middle
    below = low
    for i in range(low, high):
        below += rivals[i] < value
    return below


@compiled(inline="always")
def first_above(value: float, ordered: Array, low: int, high: int) -> int:
    """The first place in ordered[low:high], which ascends, that is above the value."""
    left = high - low
    while left > 0:  # without branches on what is found, so that several searches go on at once
        half = left >> 1
        beyond = ordered[low + half] <= value
        low = low + half + 1 if beyond else low
        left = left - half - 1 if beyond else half
    return low


@compiled()
def count_wins(scores: Array, sign: float, rivals: Array, low: float, scale: float, start: Array) -> tuple[int, int]:
    """How many (score, rival) pairs have the smaller rival, and how many are tied.

    `rivals` are sorted; those of step s (see find_steps) stand in rivals[start[s] : start[s + 1]].
    """
    won, tied = 0, 0
    steps = np.empty(BLOCK, dtype=np.int32)
    for begin in range(0, scores.size, BLOCK):
        block = scores[begin : begin + BLOCK]
        find_steps(block, sign, low, scale, start.size - 2, steps)
        for i in range(block.size):
            value = sign * block[i]
            end = start[steps[i] + 1]
            below = _first_reaching(value, rivals, start[steps[i]], end)
            won += below
            if below < end and rivals[below] == value:
                tied += first_above(value, rivals, below, end) - below
    return won, tied


@compiled()
def merge_sorted(
    mated: Array, nonmated: Array, m: int, n: int, threshold: Array, false_match: Array, false_nonmatch: Array, row: int
) -> tuple[int, int, int]:
    """Walk two ascending arrays on from m and n, writing one row a distinct value from `row` on; where it stopped."""
    while row < threshold.size and (m < mated.size or n < nonmated.size):
        take_mated = n == nonmated.size or (m < mated.size and mated[m] <= nonmated[n])
        value = mated[m] if take_mated else nonmated[n]
        threshold[row] = value + 0.0  # one spelling of zero
        false_match[row] = nonmated.size - n
        false_nonmatch[row] = m
        row += 1
        while m < mated.size and mated[m] == value:
            m += 1
        while n < nonmated.size and nonmated[n] == value:
            n += 1
    return row, m, n


@compiled(fastmath={"reassoc"})  # free to add in any order, so several at once
def _sum_from(scores: Array, origin: float) -> float:
    total = 0.0
    for i in range(scores.size):
        total += scores[i] - origin
    return total


@compiled(fastmath={"reassoc"})
def _squares_from(scores: Array, origin: float) -> float:
    total = 0.0
    for i in range(scores.size):
        deviation = scores[i] - origin
        total += deviation * deviation
    return total


@compiled()
def _widen(scores: Array, lows: Array, highs: Array) -> None:
    """Lower the lows and raise the highs to hold the scores: many lanes at once, none of which waits for another."""
    whole = scores.size // LANES * LANES
    for begin in range(0, whole, LANES):
        for lane in range(LANES):
            score = np.float64(scores[begin + lane])
            lows[lane] = score if score < lows[lane] else lows[lane]
            highs[lane] = score if score > highs[lane] else highs[lane]
    for i in range(whole, scores.size):
        lows[0], highs[0] = min(lows[0], np.float64(scores[i])), max(highs[0], np.float64(scores[i]))


@compiled()
def block_moments(scores: Array) -> tuple[int, float, float, float, float]:
    """Number, mean, sum of squared deviations, smallest and largest, merged over blocks that fit in cache."""
    count, mean, squares = 0, 0.0, 0.0
    lows, highs = np.full(LANES, np.inf), np.full(LANES, -np.inf)
    for begin in range(0, scores.size, 4096):
        block = scores[begin : begin + 4096]
        origin = np.float64(block[0])  # measured from here, equal scores have no spread at all
        block_mean = origin + _sum_from(block, origin) / block.size
        delta = block_mean - mean if count else 0.0
        mean = mean if count else block_mean
        joint = count + block.size
        mean += delta * block.size / joint
        squares += _squares_from(block, block_mean) + delta * delta * count * block.size / joint
        count = joint
        _widen(block, lows, highs)
    return count, mean, squares, lows.min(), highs.max()


@compiled()
def mix_keys(bits: Array, low: int, sign: int) -> Any:
    """Sum of scrambled keys modulo 2**64: the same for any order of the scores."""
    total = np.uint64(0)
    for i in range(bits.size):
        z = np.uint64(key_of(bits[i], low, sign))
        z = (z ^ (z >> np.uint64(30))) * MIX_1
        z = (z ^ (z >> np.uint64(27))) * MIX_2
        total += z ^ (z >> np.uint64(31))
    return total


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
            row = np.uint64((keys[i] >> shift) + middle)
            above = keys[i] & inside
            table[row, 0] += 1
            if above > table[row, 1] or inside - above > table[row, 2]:  # so does the first score of any bin
                used[row // np.uint64(page)] = True
                table[row, 1] = max(table[row, 1], above)
                table[row, 2] = max(table[row, 2], inside - above)


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
    n = np.uint64(0)
    for begin in range(0, bits.size, BLOCK):
        block = bits[begin : begin + BLOCK]
        _find_keys(block, low, sign, keys)
        for i in range(block.size):
            gathered[n] = keys[i]
            n += np.uint64(flag[np.uint64((keys[i] >> shift) + middle)])
    return int(n)


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
