"""What each sample's row of class probabilities says: the favourite, how sure, and where the true class stands.

Conventions: of equal favourites the first class wins. The rank of the true class is pessimistic: every other class as
probable stands before it.

Holds `Rows` and `read_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import run_on_threads, slices_of


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """One number a sample."""

    best: NDArray[np.int64]  # the favourite class
    top: NDArray[np.float64]  # its probability
    true_probability: NDArray[np.float64]  # the probability of the true class
    rank: NDArray[np.int64]  # the place of the true class, 1 is first
    squares: NDArray[np.float64]  # squared distance of the row to the truth


def read_rows(matrix: NDArray[Any], truth: NDArray[Any]) -> Rows:
    """Read every row once.

    >>> rows = read_rows(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]), np.array([1, 2]))
    >>> rows.best.tolist(), rows.rank.tolist()
    ([1, 0], [1, 2])
    """
    true_probability = matrix[np.arange(truth.size), truth].astype(np.float64)
    if matrix.size > LIMITS.classes_in_numpy_up_to:
        return _compiled(matrix, truth, true_probability)
    wide = matrix.astype(np.float64, copy=False)
    distance = wide.copy()
    distance[np.arange(truth.size), truth] -= 1.0
    rank = (wide >= true_probability[:, None]).sum(axis=1)
    return Rows(matrix.argmax(axis=1), wide.max(axis=1), true_probability, rank, np.square(distance).sum(axis=1))


def _compiled(matrix: NDArray[Any], truth: NDArray[Any], true_probability: NDArray[np.float64]) -> Rows:
    from bertillon.counting.classes import kernels

    n = truth.size
    best, rank = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    top, squares = np.empty(n), np.empty(n)
    columns = (truth, best, top, rank, squares)
    run_on_threads(
        [partial(kernels.read_rows, matrix[part], *(column[part] for column in columns)) for part in slices_of(n)]
    )
    return Rows(best, top, true_probability, rank, squares)
