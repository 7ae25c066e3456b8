"""How many (mated, non-mated) pairs are in the right order: the integers behind the AUC.

The smaller class is sorted; each score of the larger finds its place through a table of leading key bits and a short
binary search, so the larger class is neither copied nor sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.keys import bins_of, bits_of, keys_of, lowest
from bertillon.counts.slices import in_slices

TABLE_BITS = 20


@dataclass(frozen=True, slots=True)
class Wins:
    """Pairs in which the mated score is the more alike, and pairs in which both are equal."""

    won: int
    tied: int
    pairs: int


def wins_from_curve(false_match: NDArray[np.int64], false_nonmatch: NDArray[np.int64], n_mated: int) -> Wins:
    """Wins from the counts at every distinct threshold.

    >>> wins_from_curve(np.array([2, 1, 0, 0]), np.array([0, 0, 1, 2]), 2)
    Wins(won=3, tied=1, pairs=4)
    """
    here_nonmated = -np.diff(false_match)
    here_mated = np.diff(false_nonmatch)
    above = n_mated - false_nonmatch[1:]
    return Wins(int(here_nonmated @ above), int(here_nonmated @ here_mated), int(false_match[0]) * n_mated)


def count_wins(mated: NDArray[Any], nonmated: NDArray[Any], sign: int) -> Wins:
    """Wins of the mated over the non-mated scores; sign -1 turns distances."""
    pairs = mated.size * nonmated.size
    if not pairs:
        return Wins(0, 0, 0)
    if mated.size <= nonmated.size:  # the sorted class must be the smaller: count what the non-mated win, and turn
        lost, tied = _beaten(nonmated, mated, sign)
        return Wins(pairs - lost - tied, tied, pairs)
    won, tied = _beaten(mated, nonmated, sign)
    return Wins(won, tied, pairs)


def _beaten(scores: NDArray[Any], rivals: NDArray[Any], sign: int) -> tuple[int, int]:
    import polars as pl

    from bertillon.counts import kernels

    keys = pl.Series(keys_of(rivals) * sign).sort().to_numpy()
    first, last = int(keys[0]), int(keys[-1])
    shift = max(0, (last - first).bit_length() - TABLE_BITS)
    filled = np.bincount(bins_of(keys, first, shift))
    start = np.concatenate([[0], np.cumsum(filled)])
    low = lowest(scores.dtype)
    parts = in_slices(
        lambda bits: kernels.count_wins(bits, low, sign, keys, first, shift, start),
        bits_of(scores),
    )
    return sum(won for won, _ in parts), sum(tied for _, tied in parts)
