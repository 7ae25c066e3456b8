"""Precision against recall as the threshold moves, and everything else that moves with it.

Conventions: thresholds ascend, so recall falls along the curve; the high-threshold end lies at low recall, on the left
of a picture. The threshold that accepts nothing has no precision and is left out. The baseline is the prevalence: what
guessing gets at any recall.

Holds `PrecisionRecall`, `precision_recall`, and `threshold_table` with every rate at each threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.core.lazy import pl
from bertillon.core.rule import row_at
from bertillon.counting.curves.thinning import thinned_rows
from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall:
    """The curve, its thresholds and its baseline."""

    recall: FloatArray
    precision: FloatArray
    threshold: FloatArray
    baseline: float  # prevalence

    @property
    def interpolated(self) -> FloatArray:
        """The highest precision at each recall or more."""
        return np.maximum.accumulate(self.precision)

    def thin(self, points: int = 2000) -> PrecisionRecall:
        """The same curve in at most `points` points, spread evenly along its path."""
        kept = thinned_rows(self.recall, self.precision, points)
        return PrecisionRecall(self.recall[kept], self.precision[kept], self.threshold[kept], self.baseline)

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold."""
        return pl.DataFrame({"threshold": self.threshold, "recall": self.recall, "precision": self.precision})


def precision_recall(sweep: BinaryCounts) -> PrecisionRecall:
    """The curve of a sweep.

    >>> from bertillon.counting.classes.sweep import sweep
    >>> from bertillon.counting.classes.trials import BinaryTrials
    >>> curve = precision_recall(sweep(BinaryTrials(np.array([0.9, 0.4]), np.array([0.6, 0.1]))))
    >>> curve.recall.tolist(), curve.precision.round(2).tolist(), curve.baseline
    ([1.0, 1.0, 0.5, 0.5], [0.5, 0.67, 0.5, 1.0], 0.5)
    """
    baseline = sweep.n_mated / sweep.total if sweep.total else np.nan
    return PrecisionRecall(sweep.recall[:-1], sweep.precision[:-1], sweep.threshold[:-1], baseline)


def threshold_table(sweep: BinaryCounts, thresholds: Sequence[float] | None = None) -> pl.DataFrame:
    """Outcomes and rates at every threshold of a whole sweep, or at those asked for; undefined rates are null."""
    if thresholds is None:
        at, rows = sweep.threshold, np.arange(len(sweep))
    else:
        at = np.asarray(thresholds, dtype=np.float64)
        rows = row_at(sweep.threshold, at)
    tp, fp = sweep.tp[rows], sweep.fp[rows]
    fn, tn = sweep.n_mated - tp, sweep.n_nonmated - fp
    frame = pl.DataFrame({"threshold": at, "tp": tp, "fp": fp, "fn": fn, "tn": tn})
    t, f, m, n = (pl.col(name).cast(pl.Float64) for name in ("tp", "fp", "fn", "tn"))
    rates = {
        "precision": t / (t + f),
        "recall": t / (t + m),
        "specificity": n / (n + f),
        "fpr": f / (n + f),
        "f1": 2 * t / (2 * t + f + m),
        "accuracy": (t + n) / (t + f + m + n),
    }
    return frame.with_columns(**{name: rate.fill_nan(None) for name, rate in rates.items()})
