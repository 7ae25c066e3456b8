"""What decisions cost by threshold.

Conventions: a cost is the mean over all samples. Of thresholds that cost the same the lowest is the best.

Holds `CostCurve` and `reject_costs`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CostCurve:
    """Mean cost of a sample by threshold."""

    threshold: FloatArray
    cost: FloatArray

    @property
    def best(self) -> tuple[float, float]:
        """The threshold of least cost, and that cost."""
        row = int(np.argmin(self.cost))
        return float(self.threshold[row]), float(self.cost[row])


def reject_costs(sweep: BinaryCounts, *, reject: float, error: float) -> CostCurve:
    """The cost when decisions below each threshold are rejected, of a sweep in which right decisions are the positives.

    Wrong decisions times `error` plus rejected ones times `reject`, by all samples; the last row rejects all.
    """
    rejected = sweep.total - sweep.accepted
    return CostCurve(sweep.threshold, (error * sweep.fp + reject * rejected) / (sweep.total or np.nan))
