"""One column of scores split into two arrays, mated and non-mated.

Small columns are filtered. Large ones are split in one walk over the pieces they were read in, half of them on each of
two threads, without a copy in between.

Holds `split_by_class`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.engine.compiling import compiled_late
from bertillon.trials.limits import LIMITS

Array = NDArray[Any]


def split_by_class(scores: pl.Series, mated: pl.Series) -> tuple[Array, Array]:
    """The scores of mated and of non-mated comparisons, in their order.

    >>> import polars as pl
    >>> [part.tolist() for part in split_by_class(pl.Series([0.9, 0.2, 0.7]), pl.Series([True, False, True]))]
    [[0.9, 0.7], [0.2]]
    """
    if len(scores) < LIMITS.deal_compiled_from:
        return scores.filter(mated).to_numpy(), scores.filter(~mated).to_numpy()
    pieces = [chunk.to_numpy() for chunk in scores.get_chunks()]
    ends = np.cumsum([piece.size for piece in pieces])
    half = int(np.searchsorted(ends, len(scores) // 2)) + 1
    middle = int(ends[half - 1])
    total, before = int(mated.sum()), int(mated.slice(0, middle).sum())
    own, others = np.empty(total), np.empty(len(scores) - total)
    starts = ((pieces[:half], 0, 0, 0), (pieces[half:], middle, before, middle - before))
    if half == len(pieces):
        _split_pieces(mated, own, others, *starts[0])
    else:
        with ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(_split_pieces, mated, own, others, *start) for start in starts]:
                done.result()
    return own, others


def _split_pieces(
    mated: pl.Series, own: Array, others: Array, pieces: list[Array], at: int, n_own: int, n_others: int
) -> None:
    walk_pieces = compiled_late(walk)
    for piece in pieces:
        marks = mated.slice(at, piece.size).to_numpy()
        n_own, n_others = walk_pieces(piece, marks, own, others, n_own, n_others)
        at += piece.size


def walk(piece: Array, marks: Array, own: Array, others: Array, n_own: int, n_others: int) -> tuple[int, int]:
    """Deal out a piece, for the compiler."""
    for i in range(piece.size):
        if marks[i]:
            own[n_own] = piece[i]
            n_own += 1
        else:
            others[n_others] = piece[i]
            n_others += 1
    return n_own, n_others
