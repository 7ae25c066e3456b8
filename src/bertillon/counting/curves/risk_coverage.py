"""Risk against coverage: how often a classifier errs when it may stay silent unless it is sure enough.

Conventions: a decision is given when its probability is at least the threshold, as everywhere. Coverage is the share of
samples decided, risk the share of errors among them. Thresholds ascend, so coverage falls; the threshold at which
nothing is decided has no risk and is left out.

Holds `RiskCoverage` and `risk_coverage`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.lazy import pl
from bertillon.counting.curves.thinning import thinned_rows
from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """Coverage and risk by threshold on the probability of the decision."""

    threshold: FloatArray
    coverage: FloatArray
    risk: FloatArray

    @property
    def area(self) -> float:
        """The mean risk over all coverages (AURC): each sample's share, at the risk of those as sure as it."""
        steps = self.coverage - np.append(self.coverage[1:], 0.0)
        return float(steps @ self.risk)

    def thin(self, points: int = 2000) -> RiskCoverage:
        """The same curve in at most `points` points."""
        kept = thinned_rows(self.coverage, self.risk, points)
        return RiskCoverage(self.threshold[kept], self.coverage[kept], self.risk[kept])

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold."""
        return pl.DataFrame({"threshold": self.threshold, "coverage": self.coverage, "risk": self.risk})


def risk_coverage(sweep: BinaryCounts) -> RiskCoverage:
    """The curve of a sweep in which right decisions are the positives and wrong ones the negatives.

    >>> from bertillon.counting.classes.sweep import sweep
    >>> from bertillon.counting.classes.trials import BinaryTrials
    >>> curve = risk_coverage(sweep(BinaryTrials(np.array([0.9, 0.8]), np.array([0.6, 0.7]))))
    >>> curve.coverage.tolist(), curve.risk.round(2).tolist()
    ([1.0, 0.75, 0.5, 0.25], [0.5, 0.33, 0.0, 0.0])
    """
    coverage = sweep.accepted[:-1] / (sweep.total or np.nan)
    return RiskCoverage(sweep.threshold[:-1], coverage, 1.0 - sweep.precision[:-1])
