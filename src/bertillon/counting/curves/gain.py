"""Gain and lift: what is found by taking the highest scores first.

Conventions: points run from taking everything to taking nothing, as thresholds ascend. Gain is the share of all
positives among those taken (recall); lift is their precision by the prevalence, NaN where nothing is taken. By chance
gain equals the share taken, and lift is 1.

Holds `Gain` and `gain`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.lazy import pl
from bertillon.counting.curves.thinning import thinned_rows
from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """Share taken, gain and lift by threshold."""

    share: FloatArray
    gain: FloatArray
    lift: FloatArray
    threshold: FloatArray

    def thin(self, points: int = 2000) -> Gain:
        """The same curve in at most `points` points."""
        kept = thinned_rows(self.share, self.gain, points)
        return Gain(self.share[kept], self.gain[kept], self.lift[kept], self.threshold[kept])

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold."""
        columns = {"threshold": self.threshold, "share": self.share, "gain": self.gain, "lift": self.lift}
        return pl.DataFrame(columns)


def gain(sweep: BinaryCounts) -> Gain:
    """The curve of a sweep.

    >>> from bertillon.counting.classes.sweep import sweep
    >>> from bertillon.counting.classes.trials import BinaryTrials
    >>> curve = gain(sweep(BinaryTrials(np.array([0.9]), np.array([0.6, 0.4, 0.1]))))
    >>> curve.share.tolist(), curve.lift.round(2).tolist()
    ([1.0, 0.75, 0.5, 0.25, 0.0], [1.0, 1.33, 2.0, 4.0, nan])
    """
    prevalence = sweep.n_mated / sweep.total if sweep.n_mated else np.nan
    return Gain(sweep.accepted / (sweep.total or np.nan), sweep.recall, sweep.precision / prevalence, sweep.threshold)
