"""What every curve of error counts is: counts at ever stricter thresholds, shown in the user's units.

Holds `ByThreshold`, on which `ErrorCurve` and `WatchListCurve` rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.thinning import thinned
from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ByThreshold:
    """Error counts, and the rule by which their thresholds are oriented."""

    counts: BinaryCounts
    rule: AcceptRule

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def threshold(self) -> FloatArray:
        """Thresholds in the user's units; the last rejects everything (inf, or -inf for a distance)."""
        return self.rule.orient(self.counts.threshold) + 0.0

    def thin(self, points: int = 2000) -> Self:
        """The same curve in at most about `points` points, without visible loss on linear or log axes."""
        return replace(self, counts=thinned(self.counts, points))
