"""Where on the curve of a classifier a number is read.

t=x             the threshold x itself; a score equal to it is positive
FPR=x           the most permissive threshold with an FPR of at most x
Specificity=y   the most permissive threshold with a specificity of at least y
Recall=y        the strictest threshold with a recall of at least y
FNR=x           the strictest threshold with an FNR of at most x
Precision=y     the most permissive threshold with a precision of at least y

Holds `ClassOperatingPoint`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import row_at
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.measures.operating_point import THRESHOLD, bin_at
from bertillon.measures.registry import CLASSIFICATION
from bertillon.measures.spelling import Spelling, number

_FIRST = ("FPR", "Specificity", "Precision")  # the first row that keeps the promise; for the others the last one
POINT_KEYS = (THRESHOLD, "FPR", "Specificity", "Recall", "FNR", "Precision")


@dataclass(frozen=True, slots=True)
class ClassOperatingPoint:
    """A threshold, or a promise such as FPR = 0.01."""

    key: str
    target: float

    @classmethod
    def of(cls, spelling: Spelling) -> ClassOperatingPoint:
        """The place behind the @ of a spelling."""
        if len(spelling.at) != 1:
            raise InputError(f"{spelling}: expected one place to read it at, such as {spelling.name}@t=0.5")
        (key, target), *_ = spelling.at.items()
        name = THRESHOLD if key.lower() in ("t", "threshold") else CLASSIFICATION.canonical_name(key) or key
        if name not in POINT_KEYS:
            raise InputError(f"{spelling}: place {key!r} is not known; expected one of {', '.join(POINT_KEYS)}")
        if math.isnan(target) or (name != THRESHOLD and not 0.0 <= target <= 1.0):
            raise InputError(f"{spelling}: {key} is {target}; expected a number" + _range(name))
        return cls(name, target)

    def __str__(self) -> str:
        return f"{self.key}={number(self.target)}"

    def find(self, sweep: BinaryCounts) -> int | None:
        """The row of the sweep, or None where no threshold keeps the promise."""
        if self.key == THRESHOLD:
            return int(row_at(sweep.threshold, self.target))
        kept = np.flatnonzero(self._kept(sweep))
        if not kept.size:
            return None
        return int(kept[0] if self.key in _FIRST else kept[-1])

    def seek(self, outline: BinaryCounts) -> IntArray:
        """The bins of an outline that may hold that row."""
        sweep = outline
        if self.key == THRESHOLD:
            return bin_at(sweep.threshold, [self.target])
        kept = self._kept(sweep)
        if self.key == "Precision":
            return self._seek_precision(sweep, kept)
        turn = int(np.argmax(kept)) - 1 if self.key in _FIRST else int(np.count_nonzero(kept)) - 1
        return np.array([max(turn, 0)])

    def _seek_precision(self, sweep: BinaryCounts, kept: NDArray[np.bool_]) -> IntArray:
        """Precision is not monotone: every bin before the first kept edge whose best imaginable point keeps it."""
        tp, fp = sweep.tp[:-1], sweep.fp[1:]
        imaginable = tp >= self.target * (1.0 - 1e-12) * (tp + fp)
        before = np.arange(tp.size) <= (int(np.argmax(kept)) if kept.any() else tp.size)
        return np.flatnonzero(imaginable & before)

    def _kept(self, sweep: BinaryCounts) -> NDArray[np.bool_]:
        """The rows that keep the promise; counts are divided as they stand, so that no digit is lost."""
        negatives, positives = sweep.n_nonmated or math.nan, sweep.n_mated or math.nan
        if self.key == "FPR":
            return np.asarray(sweep.fp / negatives <= self.target)
        if self.key == "Specificity":
            return np.asarray((sweep.n_nonmated - sweep.fp) / negatives >= self.target)
        if self.key == "Recall":
            return np.asarray(sweep.tp / positives >= self.target)
        if self.key == "FNR":
            return np.asarray((sweep.n_mated - sweep.tp) / positives <= self.target)
        return np.asarray(sweep.precision >= self.target)


def _range(name: str) -> str:
    return "" if name == THRESHOLD else " from 0 to 1"
