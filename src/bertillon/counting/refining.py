"""Exact counts only where an answer lies, in a few passes at memory speed.

One pass bins the ordered keys of all scores; the counts at the edges of the bins are exact. Each question is then
asked of those edges (`seek`): which bins may hold the answer? Only their scores are collected and sorted. Bins too
full to collect are binned again, more finely. Nothing else is copied, sorted or kept, and the bins of several
files, threads or machines add up.

Holds `count_sought` with what it finds, `Sought`, `Seek`, the form of a question, `rows_sought` and
`LOADED_FOR`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import count_rejected
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.keys import bins_of, bits_of, floats_of, folded, keys_of, lowest, near_zero, unfolded
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices

SAMPLE, SMALL_SAMPLE = 4096, 512  # scores of a class looked at to choose how to fold
LOWEST_KEY, HIGHEST_KEY = -(2**63) + 1, 2**63 - 1
LOADED_FOR: set[np.dtype[Any]] = set()  # types of scores for which this process has loaded the compiled kernels

Seek = Callable[[BinaryCounts], IntArray]


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """One class of scores as ordered keys, read from the user's array without a copy."""

    bits: NDArray[Any]
    low: int
    sign: int

    def range(self, first: int, last: int) -> tuple[int, int]:
        from bertillon.counting.kernels import key_range

        parts = in_slices(
            lambda bits: key_range(bits, self.low, self.sign, first, last), self.bits, LIMITS.memory.seeking_slice
        )
        return min(low for low, _ in parts), max(high for _, high in parts)

    def bins(self, bin_range: _BinRange) -> IntArray:
        from bertillon.counting.kernels import bin_keys

        def count(bits: NDArray[Any]) -> NDArray[Any]:
            counts = np.zeros(bin_range.size, dtype=np.int32 if bits.size < 2**31 else np.int64)
            bin_keys(
                bits, self.low, self.sign, bin_range.start, bin_range.stop, bin_range.shift, counts, bin_range.base
            )
            return counts

        total, *others = in_slices(count, self.bits, LIMITS.memory.seeking_slice)
        whole: IntArray = total.astype(np.int64)
        for part in others:
            whole += part
        return whole

    def gather(self, bin_range: _BinRange, slot: NDArray[np.int32], room: int) -> tuple[IntArray, IntArray]:
        """Sorted keys of the wanted bins, and the smallest key of each bin that lends its first score."""
        from bertillon.counting.kernels import gather_keys

        lenders = int(slot.max(initial=0)) + 1

        def collect(bits: NDArray[Any]) -> tuple[IntArray, IntArray]:
            smallest = np.full(lenders, HIGHEST_KEY)
            gathered = np.empty(min(room, bits.size), dtype=np.int64)
            ends = (bin_range.start, bin_range.stop, bin_range.shift, bin_range.base)
            n = gather_keys(bits, self.low, self.sign, *ends, slot, smallest, gathered)
            return gathered[:n], smallest

        parts = in_slices(collect, self.bits, LIMITS.memory.seeking_slice)
        gathered = np.concatenate([keys for keys, _ in parts])
        gathered.sort()
        return gathered, np.min([smallest for _, smallest in parts], axis=0)


@dataclass(frozen=True, slots=True)
class _BinRange:
    """A range of keys, cut into bins of 2**shift folded keys."""

    first: int
    last: int
    base: int  # what keys are folded by
    shift: int

    @classmethod
    def over(cls, first: int, last: int, base: int, bits: int) -> _BinRange:
        """Bins whose numbers have so many bits; keys are folded only where bins hold several of them."""
        if (last - first).bit_length() <= bits:
            return cls(first, last, 0, 0)
        span = _fold(last, base) - _fold(first, base)
        return cls(first, last, base, max(1, span.bit_length() - bits))

    @property
    def start(self) -> int:
        return _fold(self.first, self.base)

    @property
    def stop(self) -> int:
        return _fold(self.last, self.base)

    @property
    def size(self) -> int:
        """How many bins there are."""
        return ((self.stop - self.start) >> self.shift) + 1

    def bins_of(self, keys: IntArray) -> IntArray:
        return bins_of(folded(keys, self.base), self.start, self.shift)

    def lowest_of(self, bins: IntArray) -> IntArray:
        """The lowest key of each bin."""
        return np.maximum(unfolded(self.start + (bins << self.shift), self.base), self.first)

    def ends_of(self, first_bin: int, last_bin: int) -> tuple[int, int]:
        """The lowest and the highest key of neighbouring bins."""
        ends = [self.start + (bin_ << self.shift) for bin_ in (first_bin, last_bin + 1)]
        low, beyond = (end + self.base if end > 0 else end - self.base for end in ends)
        return max(low, self.first), min(beyond - 1, self.last)


def _fold(key: int, base: int) -> int:
    return key - base if key > base else min(key + base, 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """The filled bins of a range, and the errors at their edges."""

    bin_range: _BinRange
    bins: IntArray  # numbers of the filled bins
    sizes: IntArray  # scores in each of them
    false_match: IntArray  # at the lower edge of each filled bin, and past the last
    false_nonmatch: IntArray

    @classmethod
    def of(
        cls, bin_range: _BinRange, mated: IntArray, nonmated: IntArray, mated_below: int, nonmated_above: int
    ) -> _Window:
        """From the scores in every bin, and what lies outside the window."""
        bins = np.flatnonzero(mated + nonmated)
        mated, nonmated = mated[bins], nonmated[bins]
        false_match = nonmated_above + np.concatenate([np.cumsum(nonmated[::-1])[::-1], [0]])
        false_nonmatch = mated_below + np.concatenate([[0], np.cumsum(mated)])
        return cls(bin_range, bins, mated + nonmated, false_match, false_nonmatch)

    def row_of(self, keys: IntArray) -> IntArray:
        """Which filled bin, counted from 0, each key lies in."""
        return np.searchsorted(self.bins, self.bin_range.bins_of(keys))

    def inside(self, row: IntArray, errors: IntArray) -> IntArray:
        """How many of one class a filled bin holds, from the errors of that class."""
        return np.asarray(np.abs(errors[row + 1] - errors[row]))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Exact points of the curve: a key and the errors there."""

    key: IntArray
    false_match: IntArray
    false_nonmatch: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """Exact counts near every answer, and counts at the edges of the bins (exact, at thresholds that are no scores)."""

    exact: BinaryCounts
    outline: BinaryCounts


def count_sought(
    mated: NDArray[Any],
    nonmated: NDArray[Any],
    seeks: Sequence[Seek],
    *,
    sign: int,
    ends: tuple[float, float] | None = None,
    failed: tuple[int, int] = (0, 0),
    drawn: bool = True,
) -> Sought:
    """Exact counts around every point sought, and the outline of the curve; raw scores of one dtype.

    `ends` are the smallest and the largest score, where they are known already; `failed` says how many mated and
    non-mated comparisons have no score. An outline that is not `drawn` has fewer bins, which takes less time.
    """
    search = _Search.start(mated, nonmated, sign, seeks, failed=failed, drawn=drawn)
    first, last = search.key_range(LOWEST_KEY, HIGHEST_KEY) if ends is None else search.keys_between(ends)
    window = search.window(first, last, search.base, mated_below=0, nonmated_above=0)
    outline = search.outline(window)
    exact = search.rows_to_counts(search.explore(window, outline))
    LOADED_FOR.add(mated.dtype)
    return Sought(exact, outline)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The two classes, the questions, and how far a bin may be collected."""

    mated: _Keys
    nonmated: _Keys
    dtype: np.dtype[Any]
    base: int
    seeks: Sequence[Seek]
    failed: tuple[int, int]
    bin_bits: int

    @classmethod
    def start(
        cls,
        mated: NDArray[Any],
        nonmated: NDArray[Any],
        sign: int,
        seeks: Sequence[Seek],
        *,
        failed: tuple[int, int],
        drawn: bool,
    ) -> _Search:
        keys = [_Keys(bits_of(scores), lowest(scores.dtype), sign) for scores in (mated, nonmated)]
        sample = SAMPLE if drawn else SMALL_SAMPLE
        some = np.concatenate([keys_of(scores[:: max(1, scores.size // sample)]) for scores in (mated, nonmated)])
        few = ((mated.size + nonmated.size).bit_length() + 8) // 2  # as long to look through as their scores
        bin_bits = LIMITS.memory.bin_bits if drawn else min(LIMITS.memory.bin_bits, few)
        return cls(keys[0], keys[1], mated.dtype, near_zero(some), seeks, failed, bin_bits)

    @property
    def collect_at_most(self) -> int:
        return max(LIMITS.memory.collect_at_most, (self.mated.bits.size + self.nonmated.bits.size) // 64)

    def keys_between(self, ends: tuple[float, float]) -> tuple[int, int]:
        """The range of keys of scores that lie between two."""
        low, high = sorted((keys_of(np.array(ends, dtype=self.dtype)) * self.mated.sign).tolist())
        return low, high

    def key_range(self, first: int, last: int) -> tuple[int, int]:
        ranges = [keys.range(first, last) for keys in (self.mated, self.nonmated)]
        return min(low for low, _ in ranges), max(high for _, high in ranges)

    def window(self, first: int, last: int, base: int, *, mated_below: int, nonmated_above: int) -> _Window:
        bin_range = _BinRange.over(first, last, base, self.bin_bits)
        mated, nonmated = (keys.bins(bin_range) for keys in (self.mated, self.nonmated))
        return _Window.of(bin_range, mated, nonmated, mated_below, nonmated_above)

    def outline(self, window: _Window) -> BinaryCounts:
        """The curve at the lower edges of the filled bins of a window."""
        edges = floats_of(window.bin_range.lowest_of(window.bins), self.dtype)
        return self._counts(edges, window.false_match, window.false_nonmatch)

    def explore(self, window: _Window, outline: BinaryCounts) -> list[_Rows]:
        """Exact rows in the bins of a window that may hold an answer, and at the first score after each."""
        wanted = rows_sought(outline, self.seeks)
        if window.bin_range.shift == 0:  # one key a bin: the edges are the scores themselves
            return [self._edge_rows(window, np.flatnonzero(wanted | _after(wanted)))]
        crowded = self._crowded_runs(wanted, window.sizes)
        heavy = np.zeros_like(wanted)
        for run in crowded:
            heavy[run] = True
        rows = [self._collect(window, np.flatnonzero(wanted & ~heavy), np.flatnonzero(_after(wanted) & ~wanted))]
        for run in crowded:
            inside = self._inside(window, int(run[0]), int(run[-1]))
            rows += [self._edge_rows(inside, np.array([0])), *self.explore(inside, self.outline(inside))]
        return rows

    def _crowded_runs(self, wanted: NDArray[np.bool_], sizes: IntArray) -> list[IntArray]:
        """Neighbouring wanted bins that together hold too many scores to collect; they are binned again as one."""
        chosen = np.flatnonzero(wanted)
        if sizes[chosen].sum() <= self.collect_at_most:
            return []
        apart = np.diff(chosen) > 1
        if wanted.all():  # one run would be the same window again
            apart[:] = True
        runs = np.split(chosen, np.flatnonzero(apart) + 1)
        return [run for run in runs if sizes[run].sum() > self.collect_at_most]

    def _inside(self, window: _Window, first_row: int, last_row: int) -> _Window:
        """The keys of neighbouring bins as a window of their own, as narrow as their scores allow."""
        low, high = (int(window.bins[row]) for row in (first_row, last_row))
        first, last = self.key_range(*window.bin_range.ends_of(low, high))
        base = window.bin_range.base if low < high else 0  # folded again, one bin may never get narrower
        return self.window(
            first,
            last,
            base,
            mated_below=int(window.false_nonmatch[first_row]),
            nonmated_above=int(window.false_match[last_row + 1]),
        )

    def _edge_rows(self, window: _Window, rows: IntArray) -> _Rows:
        return _Rows(window.bin_range.first + window.bins[rows], window.false_match[rows], window.false_nonmatch[rows])

    def _collect(self, window: _Window, wanted: IntArray, lending: IntArray) -> _Rows:
        """Rows of every score in the wanted bins, and of the first score in the lending ones."""
        slot = np.zeros(int(window.bins[-1]) + 1, dtype=np.int32)
        slot[window.bins[wanted]] = -1
        slot[window.bins[lending]] = np.arange(1, lending.size + 1)
        n_mated, n_nonmated = (
            int(window.inside(wanted, errors).sum()) for errors in (window.false_nonmatch, window.false_match)
        )
        mated, first_mated = self.mated.gather(window.bin_range, slot, n_mated)
        nonmated, first_nonmated = self.nonmated.gather(window.bin_range, slot, n_nonmated)
        key = _distinct(np.concatenate([mated, nonmated]))
        at = window.row_of(key)
        own_mated = count_rejected(mated, key) - np.searchsorted(window.row_of(mated), at)
        own_nonmated = count_rejected(nonmated, key) - np.searchsorted(window.row_of(nonmated), at)
        lent = np.minimum(first_mated, first_nonmated)[1:]
        return _Rows(
            np.concatenate([key, lent]),
            np.concatenate([window.false_match[at] - own_nonmated, window.false_match[lending]]),
            np.concatenate([window.false_nonmatch[at] + own_mated, window.false_nonmatch[lending]]),
        )

    def rows_to_counts(self, rows: Sequence[_Rows]) -> BinaryCounts:
        """The rows in order of their thresholds, each once, and the threshold that rejects all."""
        key, order = np.unique(np.concatenate([part.key for part in rows]), return_index=True)
        false_match = np.concatenate([part.false_match for part in rows])[order]
        false_nonmatch = np.concatenate([part.false_nonmatch for part in rows])[order]
        last = self.mated.bits.size
        return self._counts(floats_of(key, self.dtype), np.append(false_match, 0), np.append(false_nonmatch, last))

    def _counts(self, threshold: NDArray[np.float64], false_match: IntArray, false_nonmatch: IntArray) -> BinaryCounts:
        n_mated, n_nonmated = self.mated.bits.size, self.nonmated.bits.size
        above_all = np.append(threshold, np.inf)
        return BinaryCounts(above_all, false_match, false_nonmatch, n_mated, n_nonmated, False, *self.failed)


def rows_sought(outline: BinaryCounts, seeks: Sequence[Seek]) -> NDArray[np.bool_]:
    """The rows of an outline, but for the last, behind which some question may find its answer."""
    wanted = np.zeros(len(outline) - 1, dtype=bool)
    for seek in seeks:
        chosen = seek(outline)
        wanted[chosen[(chosen >= 0) & (chosen < wanted.size)]] = True
    return wanted


def _distinct(keys: IntArray) -> IntArray:
    """Each key once, in order; np.unique hashes whole numbers, which takes longer than to sort so few."""
    keys.sort()
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if keys.size else keys


def _after(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The bins that come right after a chosen one."""
    return np.concatenate([[False], chosen[:-1]]) if chosen.size else chosen
