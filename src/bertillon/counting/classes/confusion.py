"""The confusion matrix: how often each true class was called each class.

Conventions: rows are true classes, columns predicted ones, both in the order of `classes`. Only cells that hold
something are kept, so that thousands of classes take no room; `matrix` is the square table. Without weights all counts
are integers.

Holds `Confusion`, `count_labels`, `code_totals` and `Cells`, the outcomes of one class against others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.core.messages import Text, say
from bertillon.counting.limits import LIMITS

Label = str | int | bool
LABELS = say("decision.labels")  # how it was decided, where nothing else is said


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Outcomes of each class against the rest: one number a class, or one for the positive class."""

    tp: NDArray[Any]
    fp: NDArray[Any]
    fn: NDArray[Any]
    tn: NDArray[Any]

    @classmethod
    def single(cls, tp: float, fp: float, fn: float, tn: float) -> Cells:
        """The outcomes of one class.

        >>> Cells.single(tp=4, fp=5, fn=1, tn=90).total
        array([100])
        """
        return cls(*(np.array([count]) for count in (tp, fp, fn, tn)))

    @property
    def total(self) -> NDArray[Any]:
        return np.asarray(self.tp + self.fp + self.fn + self.tn)

    @property
    def support(self) -> NDArray[Any]:
        """How often each class is the true one."""
        return np.asarray(self.tp + self.fn)

    def pooled(self) -> Cells:
        """The outcomes of all classes added up."""
        return Cells(*(np.array([column.sum()]) for column in (self.tp, self.fp, self.fn, self.tn)))

    def of(self, chosen: NDArray[Any]) -> Cells:
        return Cells(self.tp[chosen], self.fp[chosen], self.fn[chosen], self.tn[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Counts of (true, predicted) pairs; `threshold` where one was used to predict."""

    classes: tuple[Label, ...]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    count: NDArray[Any]
    threshold: float | None = None
    how: Text = LABELS

    @classmethod
    def of_cells(
        cls,
        classes: tuple[Label, ...],
        positive: int,
        cells: tuple[float, float, float, float],
        *,
        threshold: float | None = None,
        how: Text = LABELS,
    ) -> Confusion:
        """From tp, fp, fn and tn of two classes.

        >>> Confusion.of_cells(("no", "yes"), 1, (4, 5, 1, 90)).matrix.tolist()
        [[90, 5], [1, 4]]
        """
        tp, fp, fn, tn = cells
        other = 1 - positive
        pairs = {(positive, positive): tp, (other, positive): fp, (positive, other): fn, (other, other): tn}
        codes = np.array(list(pairs))
        return cls(classes, codes[:, 0], codes[:, 1], np.array(list(pairs.values())), threshold, how)

    @property
    def matrix(self) -> NDArray[Any]:
        """The square table.

        >>> count_labels(np.array([0, 0, 1]), np.array([0, 1, 1]), ("a", "b")).matrix.tolist()
        [[1, 1], [0, 1]]
        """
        table = np.zeros((len(self.classes), len(self.classes)), dtype=self.count.dtype)
        table[self.row, self.column] = self.count
        return table

    @property
    def total(self) -> float:
        return self.count.sum().item()  # type: ignore[no-any-return]

    @property
    def right(self) -> NDArray[Any]:
        """Of each class, how many were called so."""
        return self._sums(self.row, self.row == self.column)

    @property
    def true_sums(self) -> NDArray[Any]:
        """How often each class is the true one."""
        return self._sums(self.row)

    @property
    def predicted_sums(self) -> NDArray[Any]:
        """How often each class was predicted."""
        return self._sums(self.column)

    @property
    def one_vs_rest(self) -> Cells:
        """The four outcomes of every class."""
        wrong = self.row != self.column
        right, fp, fn = self.right, self._sums(self.column, wrong), self._sums(self.row, wrong)
        return Cells(right, fp, fn, np.where(self._elsewhere, self.total - (right + fp + fn), 0))

    @property
    def _elsewhere(self) -> NDArray[np.bool_]:
        """Of each class, whether something lies outside its row and its column; a difference of weights cannot tell."""
        filled = self.count > 0
        row, column, n = self.row[filled], self.column[filled], len(self.classes)
        touching = np.bincount(row, minlength=n) + np.bincount(column[row != column], minlength=n)
        return np.asarray(touching < row.size)

    def cells(self, code: int) -> Cells:
        """The four outcomes of one class."""
        return self.one_vs_rest.of(np.array([code]))

    def to_frame(self) -> pl.DataFrame:
        """One row a filled cell: true, predicted, count."""
        names = np.array([str(label) for label in self.classes])
        filled = self.count > 0
        columns = {"true": names[self.row[filled]].tolist(), "predicted": names[self.column[filled]].tolist()}
        return pl.DataFrame({**columns, "count": self.count[filled]})

    def _sums(self, codes: NDArray[np.int64], chosen: NDArray[np.bool_] | None = None) -> NDArray[Any]:
        count = self.count if chosen is None else np.where(chosen, self.count, 0)
        sums = np.zeros(len(self.classes), dtype=self.count.dtype)
        np.add.at(sums, codes, count)
        return sums


def count_labels(
    truth: NDArray[Any],
    predicted: NDArray[Any],
    classes: tuple[Label, ...],
    *,
    weights: NDArray[np.float64] | None = None,
    how: Text = LABELS,
) -> Confusion:
    """Count pairs of codes, or add up their weights."""
    n = len(classes)
    if n * n > LIMITS.classes.confusion_cells:
        cells, count = _scattered(_flat(truth, predicted, n), weights)
    else:
        table = _totals(lambda part: _flat(truth[part], predicted[part], n), truth.size, n * n, weights)
        cells = np.flatnonzero(table)
        count = table[cells]
    return Confusion(classes, cells // n, cells % n, count, how=how)


def code_totals(codes: NDArray[Any], n: int, *, weights: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """How often each code occurs, or its weight."""
    return _totals(lambda part: codes[part], codes.size, n, weights)


def _totals(
    codes: Callable[[slice], NDArray[Any]], size: int, n: int, weights: NDArray[np.float64] | None
) -> NDArray[Any]:
    """How often each of n codes occurs, or its weight, a block at a time."""
    totals = np.zeros(n, dtype=np.int64 if weights is None else np.float64)
    for at in range(0, size, LIMITS.classes.confusion_block):
        part = slice(at, at + LIMITS.classes.confusion_block)
        own = None if weights is None else weights[part]
        totals += np.bincount(codes(part), own, minlength=n).astype(totals.dtype)
    return totals


def _flat(truth: NDArray[Any], predicted: NDArray[Any], n: int) -> NDArray[np.int64]:
    return np.asarray(truth.astype(np.int64) * n + predicted)


def _scattered(flat: NDArray[np.int64], weights: NDArray[np.float64] | None) -> tuple[NDArray[np.int64], NDArray[Any]]:
    if weights is None:
        cells, count = np.unique(flat, return_counts=True)
        return cells, count.astype(np.int64)
    cells, cell_of = np.unique(flat, return_inverse=True)
    return cells, np.bincount(cell_of, weights)
