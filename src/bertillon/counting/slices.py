"""Work on a long array, shared out over threads.

Conventions: a forked process always sorts with numpy, since the threads of polars cannot be started again.

Holds `in_slices` (as many as there are cores), `in_blocks` (of one size, whatever the number of cores), `in_order` and
`distinct` (sorted, and without repetitions).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.counting.limits import LIMITS
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
