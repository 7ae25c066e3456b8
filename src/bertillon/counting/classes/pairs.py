"""How well each class's column sets its own samples apart from those of every other class.

For class c and any other class j, the share of (c, j) pairs in which the sample of c has the larger column c is the
area under the ROC of c against j. One pass over a column gives it for every j, and so one-vs-rest and one-vs-one.

Conventions: ties count half; with weights a pair counts the product of its weights.

Holds `ClassAreas` and `class_areas`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import run_on_threads
from bertillon.engine.workers import available_cores

COLUMNS = 8  # read together, because they share cache lines


@dataclass(frozen=True, slots=True, eq=False)
class ClassAreas:
    """Areas by class; NaN for a class without samples or without rivals."""

    total: FloatArray  # weight of each class
    vs_rest: FloatArray  # area of each class against all others together
    vs_each: FloatArray  # sum over the other classes of the area against each
    vs_each_weighted: FloatArray  # the same, each area times the weight of both its classes


def class_areas(matrix: NDArray[Any], truth: NDArray[Any], weights: FloatArray | None) -> ClassAreas:
    """Areas of every class, a block of columns at a time."""
    n_classes = matrix.shape[1]
    total = np.bincount(truth, weights, minlength=n_classes).astype(np.float64)
    columns = [np.empty(n_classes) for _ in range(3)]
    order = np.argsort(truth, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(truth, minlength=n_classes))])
    compiled = weights is None and matrix.size > LIMITS.classes_in_numpy_up_to

    def work(first: int) -> None:
        block = np.ascontiguousarray(matrix[:, first : first + COLUMNS].T)
        for code in range(first, min(first + COLUMNS, n_classes)):
            column = block[code - first]
            own = order[start[code] : start[code + 1]]
            if compiled:
                wins = _count(column, truth, code, own, n_classes)
            else:
                wins = _weigh(column, truth, own, weights, n_classes)
            for kind, value in zip(columns, _areas(wins, total, code), strict=True):
                kind[code] = value

    tasks = [partial(work, first) for first in range(0, n_classes, COLUMNS)]
    if compiled and available_cores() > 1:
        run_on_threads(tasks)
    else:
        for task in tasks:
            task()
    return ClassAreas(total, *columns)


def _areas(wins: FloatArray, total: FloatArray, code: int) -> tuple[float, float, float]:
    """Against the rest, and the sums against each, from doubled wins over each class, itself not read."""
    others = np.flatnonzero((total > 0) & (np.arange(total.size) != code))
    if not total[code] or not others.size:
        return np.nan, np.nan, np.nan
    each = wins[others] / (2.0 * total[code] * total[others])
    rest = wins[others].sum() / (2.0 * total[code] * total[others].sum())
    return rest, each.sum(), (each * (total[code] + total[others])).sum()


def _count(
    column: NDArray[Any], truth: NDArray[Any], code: int, own: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    from bertillon.counting.classes.kernels import count_below

    wins = np.zeros(n_classes, dtype=np.int64)
    if own.size:
        count_below(column, truth, code, np.sort(column[own]), wins)
    return wins.astype(np.float64)


def _weigh(
    column: NDArray[Any],
    truth: NDArray[Any],
    own: NDArray[np.int64],
    weights: FloatArray | None,
    n_classes: int,
) -> FloatArray:
    ranked = own[np.argsort(column[own], kind="stable")]
    rivals = column[ranked]
    below = np.concatenate([[0.0], np.cumsum(np.ones(own.size) if weights is None else weights[ranked])])
    first, last = (below[np.searchsorted(rivals, column, side=side)] for side in ("left", "right"))
    doubled = 2.0 * (below[-1] - last) + (last - first)
    if weights is not None:
        doubled = doubled * weights
    return np.bincount(truth, doubled, minlength=n_classes).astype(np.float64)
