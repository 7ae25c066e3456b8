"""The line of scores cut into spans: how many mated and non-mated scores lie in each.

A span goes from the smallest to the largest of its scores, so its beginning is itself a score, and the errors at that
threshold are exact whatever lies inside. A span of one score only (or of equal ones) holds no secret; of the others it
is known that every threshold inside makes at least the errors of one end and at most those of the other. The two curves
through these corners enclose the true one.

Holds `Spans`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.keys import floats_of
from bertillon.counting.scores import Failures
from bertillon.counting.streams.bins import Bins
from bertillon.counting.streams.distinct_keys import KeyCounts


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Spans of ordered keys, ascending, without overlap."""

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
