"""Scores counted into bins that are the same for all data, so that any two counts can be added.

Conventions: the bin of a score is its ordered key (see `keys`), oriented by the rule, without its last bits: sign,
exponent and the first 10 (float64) or 13 (float32) bits of the fraction are left, so a bin is at most a thousandth of
its scores wide. What is known of a bin besides its scores are their smallest and largest key, so a bin of equal scores
is known exactly.

Holds `Bins` (the filled bins of one class), `BinTable` (where they are counted), `shift_of` and `bin_numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.counting.error_counts import IntArray
from bertillon.counting.keys import bits_of, lowest
from bertillon.counting.limits import LIMITS


def shift_of(dtype: DTypeLike) -> int:
    """How many bits of a key do not matter for its bin."""
    return np.dtype(dtype).itemsize * 8 - LIMITS.stream_bin_bits


def bin_numbers(keys: IntArray, dtype: DTypeLike) -> IntArray:
    """The bin of each key."""
    return (keys >> np.int64(shift_of(dtype))) + (1 << (LIMITS.stream_bin_bits - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The filled bins of one class, ascending."""

    number: IntArray
    count: IntArray  # scores in it
    first: IntArray  # their smallest key
    last: IntArray  # their largest key

    @classmethod
    def merged(cls, parts: Sequence[Bins]) -> Bins:
        """All scores of the parts in the bins they share.

        >>> one, two = (Bins(*(np.array([v]) for v in row)) for row in ((5, 2, 10, 11), (5, 1, 9, 9)))
        >>> both = Bins.merged([one, two])
        >>> both.number.tolist(), both.count.tolist(), both.first.tolist(), both.last.tolist()
        ([5], [3], [9], [11])
        """
        number = np.concatenate([np.empty(0, dtype=np.int64), *(part.number for part in parts)])
        if not number.size:
            return cls(number, number, number, number)
        order = np.argsort(number, kind="stable")
        start = np.flatnonzero(np.diff(number[order], prepend=-1))
        columns = [
            np.concatenate([getattr(part, name) for part in parts])[order] for name in ("count", "first", "last")
        ]
        gathered = [
            how.reduceat(column, start) for how, column in zip((np.add, np.minimum, np.maximum), columns, strict=True)
        ]
        return cls(number[order][start], *gathered)

    @classmethod
    def of_keys(cls, keys: IntArray, times: IntArray, dtype: DTypeLike) -> Bins:
        """The bins of distinct ascending keys, each so many times."""
        number = bin_numbers(keys, dtype)
        start = np.flatnonzero(np.diff(number, prepend=-1))
        end = np.append(start[1:], number.size)[: start.size] - 1
        return cls(number[start], np.add.reduceat(times, start), keys[start], keys[end])

    def __getitem__(self, chosen: NDArray[Any]) -> Bins:
        return Bins(self.number[chosen], self.count[chosen], self.first[chosen], self.last[chosen])

    @property
    def n(self) -> int:
        """All scores."""
        return int(self.count.sum())


class BinTable:
    """Where one worker counts scores of one class."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype, self.shift = np.dtype(dtype), shift_of(dtype)
        self.table = np.zeros((1 << LIMITS.stream_bin_bits, 3), dtype=np.int64)
        self.used = np.zeros((1 << LIMITS.stream_bin_bits) // LIMITS.page_bins, dtype=np.bool_)

    def add(self, scores: NDArray[Any], sign: int) -> None:
        """Count a block of scores, which `sign` orients."""
        from bertillon.counting.streams.kernels import count_bins

        count_bins(bits_of(scores), lowest(self.dtype), sign, self.shift, self.table, self.used)

    def add_bins(self, bins: Bins) -> None:
        """Add what was counted elsewhere."""
        from bertillon.counting.streams.kernels import add_bins

        add_bins(bins.number, bins.count, bins.first, bins.last, self.shift, self.table, self.used)

    def add_keys(self, key: IntArray, times: IntArray) -> None:
        """Count keys, each so many times."""
        from bertillon.counting.streams.kernels import add_keys

        add_keys(key, times, self.shift, self.table, self.used)

    @property
    def bins(self) -> Bins:
        """What was counted."""
        number = (np.flatnonzero(self.used)[:, None] * LIMITS.page_bins + np.arange(LIMITS.page_bins)).ravel()
        number = number[self.table[number, 0] > 0]
        count, above, below = self.table[number].T
        start = (number - (1 << (LIMITS.stream_bin_bits - 1))) << self.shift
        return Bins(number, count, start + ((1 << self.shift) - 1 - below), start + above)
