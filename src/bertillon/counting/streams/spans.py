"""What is known of a stream: filled bins, distinct keys, and the spans into which both cut the line of scores.

Conventions: bins are the same for all data, so that any two counts can be added. The bin of a score is its ordered key
(see `keys`), oriented by the rule, without its last bits: sign, exponent and the first 10 (float64) or 13 (float32)
bits of the fraction are left, so a bin is at most a thousandth of its scores wide. What is known of a bin besides its
scores are their smallest and largest key, so a bin of equal scores is known exactly. Scores that must be told apart are
kept as distinct keys with how often each occurred.

A span goes from the smallest to the largest of its scores, so its beginning is itself a score, and the errors at that
threshold are exact whatever lies inside. A span of one score only (or of equal ones) holds no secret; of the others it
is known that every threshold inside makes at least the errors of one end and at most those of the other. The two curves
through these corners enclose the true one.

Holds `Bins` (the filled bins of one class), `BinTable` (where they are counted), `shift_of` and `bin_numbers`;
`KeyCounts`; `Spans`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.counting.error_counts import BinaryCounts, Failures, IntArray
from bertillon.counting.keys import bits_of, floats_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_order


def shift_of(dtype: DTypeLike) -> int:
    """How many bits of a key do not matter for its bin."""
    return np.dtype(dtype).itemsize * 8 - LIMITS.streams.stream_bin_bits


def bin_numbers(keys: IntArray, dtype: DTypeLike) -> IntArray:
    """The bin of each key."""
    return (keys >> np.int64(shift_of(dtype))) + (1 << (LIMITS.streams.stream_bin_bits - 1))


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
    def of_keys(cls, keys: KeyCounts, dtype: DTypeLike) -> Bins:
        """The bins of distinct keys."""
        number = bin_numbers(keys.key, dtype)
        start = np.flatnonzero(np.diff(number, prepend=-1))
        end = np.append(start[1:], number.size)[: start.size] - 1
        return cls(number[start], np.add.reduceat(keys.times, start), keys.key[start], keys.key[end])

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
        self.table = np.zeros((1 << LIMITS.streams.stream_bin_bits, 3), dtype=np.int64)
        self.used = np.zeros((1 << LIMITS.streams.stream_bin_bits) // LIMITS.streams.page_bins, dtype=np.bool_)

    def add(self, scores: NDArray[Any], sign: int) -> None:
        """Count a block of scores, which `sign` orients."""
        from bertillon.counting.kernels import count_bins

        count_bins(bits_of(scores), lowest(self.dtype), sign, self.shift, self.table, self.used)

    def add_bins(self, bins: Bins) -> None:
        """Add what was counted elsewhere."""
        from bertillon.counting.kernels import add_bins

        add_bins(bins.number, bins.count, bins.first, bins.last, self.shift, self.table, self.used)

    def add_keys(self, key: IntArray, times: IntArray) -> None:
        """Count keys, each so many times."""
        from bertillon.counting.kernels import add_keys

        add_keys(key, times, self.shift, self.table, self.used)

    @property
    def bins(self) -> Bins:
        """What was counted."""
        number = (
            np.flatnonzero(self.used)[:, None] * LIMITS.streams.page_bins + np.arange(LIMITS.streams.page_bins)
        ).ravel()
        number = number[self.table[number, 0] > 0]
        count, above, below = self.table[number].T
        start = (number - (1 << (LIMITS.streams.stream_bin_bits - 1))) << self.shift
        return Bins(number, count, start + ((1 << self.shift) - 1 - below), start + above)


@dataclass(frozen=True, slots=True, eq=False)
class KeyCounts:
    """Keys, ascending, each once, and the number of scores that have it."""

    key: IntArray
    times: IntArray

    @classmethod
    def none(cls) -> KeyCounts:
        """No scores."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))

    @classmethod
    def of(cls, keys: IntArray) -> KeyCounts:
        """From keys in any order.

        >>> found = KeyCounts.of(np.array([7, 5, 7]))
        >>> found.key.tolist(), found.times.tolist()
        ([5, 7], [1, 2])
        """
        ordered = in_order(keys)
        start = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: ordered.size])
        return cls(ordered[start], np.diff(start, append=ordered.size))

    @classmethod
    def merged(cls, parts: Sequence[KeyCounts]) -> KeyCounts:
        """All scores of the parts."""
        waiting = [part for part in parts if len(part)]
        while len(waiting) > 1:  # neighbours first, so that no key is copied more often than need be
            pairs = zip(waiting[::2], waiting[1::2], strict=False)
            waiting = [left._with(right) for left, right in pairs] + waiting[len(waiting) // 2 * 2 :]
        return waiting[0] if waiting else cls.none()

    def flagged(self, flag: NDArray[np.uint8], shift: int) -> KeyCounts:
        """Those of bins that are flagged; the bin of a key is the key without its last `shift` bits."""
        from bertillon.counting.kernels import select_flagged

        key, times = (np.empty(len(self), dtype=np.int64) for _ in range(2))
        n = select_flagged(self.key, self.times, shift, flag, key, times)
        return KeyCounts(key[:n].copy(), times[:n].copy())

    def _with(self, other: KeyCounts) -> KeyCounts:
        from bertillon.counting.kernels import merge_keys

        key, times = (np.empty(len(self) + len(other), dtype=np.int64) for _ in range(2))
        n = merge_keys(self.key, self.times, other.key, other.times, key, times)
        return KeyCounts(key[:n], times[:n])  # at least half of the room, as no key stands twice in either

    def __getitem__(self, chosen: NDArray[Any]) -> KeyCounts:
        return KeyCounts(self.key[chosen], self.times[chosen])

    def __len__(self) -> int:
        return int(self.key.size)


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans of ordered keys, ascending, without overlap.

    Parameters
    ----------
    first, last
        The ends of each, both in it.
    mated, nonmated
        How many scores of each class it holds.
    """

    first: IntArray
    last: IntArray
    mated: IntArray
    nonmated: IntArray

    @classmethod
    def of_bins(cls, mated: Bins, nonmated: Bins) -> Spans:
        """One span a bin that either class fills."""
        both = Bins.merged([mated, nonmated])
        counts = [np.zeros_like(both.count) for _ in range(2)]
        for count, bins in zip(counts, (mated, nonmated), strict=True):
            count[np.searchsorted(both.number, bins.number)] = bins.count
        return cls(both.first, both.last, *counts)

    @classmethod
    def of_keys(cls, mated: KeyCounts, nonmated: KeyCounts) -> Spans:
        """One span a distinct key."""
        key = KeyCounts.merged([mated, nonmated]).key
        counts = [np.zeros(key.size, dtype=np.int64) for _ in range(2)]
        for count, known in zip(counts, (mated, nonmated), strict=True):
            count[np.searchsorted(key, known.key)] = known.times
        return cls(key, key, *counts)

    @classmethod
    def joined(cls, *parts: Spans) -> Spans:
        """Spans of several places in one row."""
        order = np.argsort(np.concatenate([part.first for part in parts]), kind="stable")
        names = ("first", "last", "mated", "nonmated")
        return cls(*(np.concatenate([getattr(part, name) for part in parts])[order] for name in names))

    def __len__(self) -> int:
        return int(self.first.size)

    def __getitem__(self, chosen: NDArray[Any]) -> Spans:
        return Spans(self.first[chosen], self.last[chosen], self.mated[chosen], self.nonmated[chosen])

    @property
    def size(self) -> IntArray:
        """Scores in each span."""
        return self.mated + self.nonmated

    @property
    def known(self) -> NDArray[np.bool_]:
        """Spans of one distinct score, which hide nothing."""
        return np.equal(self.first, self.last)

    def errors(self, dtype: DTypeLike, failures: Failures) -> BinaryCounts:
        """Errors at the first score of every span, and at a threshold that rejects all."""
        return self._counts(self.first, self._false_match(), self._false_nonmatch(), dtype, failures)

    def enclosing(self, dtype: DTypeLike, failures: Failures) -> tuple[BinaryCounts, BinaryCounts]:
        """The best and the worst curve these spans allow."""
        unknown = np.flatnonzero(~self.known)
        row = np.arange(len(self)) + np.searchsorted(unknown, np.arange(len(self)))  # of each span's first score
        corner = row[unknown] + 1  # right after it, at the span's last score
        rows = len(self) + unknown.size
        key = np.empty(rows, dtype=np.int64)
        key[row], key[corner] = self.first, self.last[unknown]
        false_match, false_nonmatch = self._false_match(), self._false_nonmatch()
        curves = []
        for beyond_match, beyond_nonmatch in ((1, 0), (0, 1)):  # errors of the span's end, or of its beginning
            match, nonmatch = np.empty(rows + 1, dtype=np.int64), np.empty(rows + 1, dtype=np.int64)
            match[row], nonmatch[row] = false_match[:-1], false_nonmatch[:-1]
            match[corner], nonmatch[corner] = (
                false_match[unknown + beyond_match],
                false_nonmatch[unknown + beyond_nonmatch],
            )
            match[-1], nonmatch[-1] = false_match[-1], false_nonmatch[-1]
            curves.append(self._counts(key, match, nonmatch, dtype, failures))
        return curves[0], curves[1]

    def _false_match(self) -> IntArray:
        return np.append(np.cumsum(self.nonmated[::-1])[::-1], 0)

    def _false_nonmatch(self) -> IntArray:
        return np.append(0, np.cumsum(self.mated))

    def _counts(
        self, key: IntArray, false_match: IntArray, false_nonmatch: IntArray, dtype: DTypeLike, failures: Failures
    ) -> BinaryCounts:
        return BinaryCounts(
            np.append(floats_of(key, dtype), np.inf),
            false_match,
            false_nonmatch,
            int(false_nonmatch[-1]),
            int(false_match[0]),
            complete=bool(self.known.all()),
            failed_mated=failures.mated,
            failed_nonmated=failures.nonmated,
        )
