"""Work on a long array, shared out over threads.

Conventions: a forked process always sorts with numpy, since the threads of polars cannot be started again. Small
columns of scores are filtered by class; large ones are split in one walk over the pieces they were read in, half of
them on each of two threads, without a copy in between.

Holds `in_slices` (as many as there are cores), `in_blocks` (of one size, whatever the number of cores), `in_order` and
`distinct` (sorted, and without repetitions), `split_by_class` and its result, `Split`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.core.tables import ends_of
from bertillon.counting.limits import LIMITS
from bertillon.engine.compiling import compiled_late
from bertillon.engine.workers import available_cores, is_forked, on_threads

Result = TypeVar("Result")


def in_slices(work: Callable[[NDArray[Any]], Result], array: NDArray[Any], smallest: int | None = None) -> list[Result]:
    """The results of `work` on consecutive slices of the array, in order; none smaller than it pays to share."""
    slices = array.size // (smallest or LIMITS.memory.smallest_slice)
    if slices < 2:
        return [work(array)]
    return on_threads(work, np.array_split(array, min(available_cores(), slices)))


def in_blocks(work: Callable[[NDArray[Any]], Result], array: NDArray[Any]) -> list[Result]:
    """The same on blocks of one size whatever the number of cores, where the order of adding shows in the result."""
    size = LIMITS.memory.block_scores
    return on_threads(work, [array[start : start + size] for start in range(0, array.size, size)])


def in_order(values: NDArray[Any]) -> NDArray[Any]:
    """The values in ascending order; numpy sorts on one core as fast as polars on about five."""
    if (
        is_forked()
        or values.size < LIMITS.memory.sort_on_cores_from
        or available_cores() < LIMITS.memory.cores_to_sort_on
    ):
        return np.sort(values)
    return pl.Series(values).sort().to_numpy()


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Each value once, in any order."""
    if is_forked():
        return np.unique(values)
    return pl.Series(values).unique().to_numpy()


class Split(NamedTuple):
    """Scores of either class in their order, and the lowest and the highest of all, NaN passed over."""

    mated: NDArray[Any]
    nonmated: NDArray[Any]
    low: float | None
    high: float | None
    complete: bool = False  # seen on the way that no score is NaN


def split_by_class(scores: pl.Series, mated: pl.Series) -> Split:
    """The scores of mated and of non-mated comparisons.

    >>> import polars as pl
    >>> split = split_by_class(pl.Series([0.9, 0.2, 0.7]), pl.Series([True, False, True]))
    >>> split.mated.tolist(), split.nonmated.tolist(), split.low, split.high
    ([0.9, 0.7], [0.2], 0.2, 0.9)
    """
    if len(scores) < LIMITS.memory.deal_compiled_from:
        return Split(scores.filter(mated).to_numpy(), scores.filter(~mated).to_numpy(), *ends_of(scores))
    pieces = [chunk.to_numpy() for chunk in scores.get_chunks() if len(chunk)]
    ends = np.cumsum([piece.size for piece in pieces])
    half = int(np.searchsorted(ends, len(scores) // 2)) + 1
    middle = int(ends[half - 1])
    total, before = int(mated.sum()), int(mated.slice(0, middle).sum())
    both = np.empty(len(scores))
    starts = ((pieces[:half], 0, 0, total), (pieces[half:], middle, before, total + middle - before))
    parts = on_threads(lambda start: _split_pieces(mated, both, *start), [start for start in starts if start[0]])
    low, high = (float(nearest.reduce([part[end] for part in parts])) for end, nearest in enumerate((np.fmin, np.fmax)))
    return Split(both[:total], both[total:], low, high, complete=not any(part[2] for part in parts))


def _split_pieces(
    mated: pl.Series, both: NDArray[Any], pieces: list[NDArray[Any]], at: int, next_mated: int, next_nonmated: int
) -> tuple[float, float, int]:
    """Deal out the pieces, and note their ends and how many are NaN on the way."""
    deal_piece, low, high, failed = compiled_late(deal), math.inf, -math.inf, 0
    one, zero = (pl.Series([mark], dtype=pl.UInt8) for mark in (1, 0))
    for piece in pieces:
        marks = one.zip_with(mated.slice(at, piece.size), zero).to_numpy()  # unpacks bits many times as fast as a cast
        dealt = deal_piece(piece, marks, both, next_mated, next_nonmated, low, high)
        next_mated, next_nonmated, low, high = dealt[:4]
        at, failed = at + piece.size, failed + dealt[4]
    return (low, high, failed) if low <= high else (math.nan, math.nan, failed)  # nothing but NaN


def deal(
    piece: NDArray[Any],
    marks: NDArray[Any],
    both: NDArray[Any],
    next_mated: int,
    next_nonmated: int,
    low: float,
    high: float,
) -> tuple[int, int, float, float, int]:
    """Put the scores of a piece where the next of their class goes, for the compiler: without a branch on the class.

    The lowest and the highest so far, NaN passed over, and the number of NaN cost nothing beside it.
    """
    failed = 0
    for i in range(piece.size):
        score = piece[i]
        failed += score != score
        both[next_mated if marks[i] else next_nonmated] = score
        next_mated += marks[i]
        next_nonmated += 1 - marks[i]
        low = score if score < low else low
        high = score if score > high else high
    return next_mated, next_nonmated, low, high, failed
