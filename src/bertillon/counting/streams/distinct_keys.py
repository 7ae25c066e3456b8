"""Distinct keys with how often each occurred: what is kept of scores that must be told apart.

Holds `KeyCounts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import IntArray
from bertillon.counting.slices import in_order


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
        from bertillon.counting.streams.kernels import select_flagged

        key, times = (np.empty(len(self), dtype=np.int64) for _ in range(2))
        n = select_flagged(self.key, self.times, shift, flag, key, times)
        return KeyCounts(key[:n].copy(), times[:n].copy())

    def _with(self, other: KeyCounts) -> KeyCounts:
        from bertillon.counting.streams.kernels import merge_keys

        key, times = (np.empty(len(self) + len(other), dtype=np.int64) for _ in range(2))
        n = merge_keys(self.key, self.times, other.key, other.times, key, times)
        return KeyCounts(key[:n], times[:n])  # at least half of the room, as no key stands twice in either

    def __getitem__(self, chosen: NDArray[Any]) -> KeyCounts:
        return KeyCounts(self.key[chosen], self.times[chosen])

    def __len__(self) -> int:
        return int(self.key.size)
