"""Work on an array in slices, one a thread, for functions that release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

SMALLEST_SLICE = 1 << 17


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def in_slices(
    work: Callable[[NDArray[Any]], Result], array: NDArray[Any], *, smallest: int = SMALLEST_SLICE
) -> list[Result]:
    """The results of `work` on consecutive slices of the array, in order; none smaller than it pays to share."""
    n = max(1, min(available_cores(), array.size // smallest))
    parts = np.array_split(array, n)
    if n == 1:
        return [work(parts[0])]
    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(work, parts))
