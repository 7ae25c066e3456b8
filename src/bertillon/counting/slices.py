"""Work shared out over threads, for functions that release the interpreter lock.

A forked process has none of the threads of the one it comes from, and would wait for them for ever: it starts threads
of its own, and always sorts with numpy, since the threads of polars cannot be started again.

Holds `on_threads` (any parts), `run_on_threads` (tasks without results), `slices_of` (as many as there are cores),
`in_slices` (an array in such slices), `in_blocks` (an array in blocks of one size, whatever the number of cores),
`in_order` and `distinct` (an array sorted, and without repetitions).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.counting.limits import LIMITS
from bertillon.engine.workers import available_cores, is_forked

Part = TypeVar("Part")
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


def on_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """The results of `work` on each part, in order, as many at a time as there are cores."""
    if len(parts) <= 1:
        return [work(part) for part in parts]
    return list(_pool().map(work, parts))


def run_on_threads(tasks: Sequence[Callable[[], object]]) -> None:
    """Run the tasks on all cores."""
    on_threads(lambda task: task(), tasks)


def slices_of(size: int) -> list[slice]:
    """As many consecutive slices as there are cores."""
    bounds = np.linspace(0, size, available_cores() + 1)
    return [slice(int(begin), int(end)) for begin, end in pairwise(bounds)]


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


@cache
def _pool() -> ThreadPoolExecutor:
    """One pool for all passes: starting threads takes as long as a short pass."""
    return ThreadPoolExecutor(available_cores())


if hasattr(os, "register_at_fork"):  # the threads of a process are not those of its children, which would wait for them
    os.register_at_fork(after_in_child=_pool.cache_clear)
