"""False match and false non-match rates by threshold; ROC and DET are two ways to look at them.

Holds `ErrorCurve` and its views `Roc` and `Det`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bertillon.core.lazy import pl
from bertillon.counting.curves.by_threshold import ByThreshold
from bertillon.counting.error_counts import FloatArray


class Roc(NamedTuple):
    """Receiver operating characteristic: true match rate against false match rate."""

    fmr: FloatArray
    tmr: FloatArray
    threshold: FloatArray


class Det(NamedTuple):
    """Detection error trade-off: false non-match rate against false match rate."""

    fmr: FloatArray
    fnmr: FloatArray
    threshold: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCurve(ByThreshold):
    """Error counts and rates along ever stricter thresholds, in the user's units.

    >>> from bertillon.counting.tally import count_errors
    >>> from bertillon.core.rule import AcceptRule
    >>> from bertillon.trials.score_set import ScoreSet
    >>> curve = ErrorCurve(count_errors(ScoreSet([2, 3], [1, 2])), AcceptRule.SIMILARITY)
    >>> curve.threshold.tolist(), curve.fmr.tolist(), curve.fnmr.tolist()
    ([1.0, 2.0, 3.0, inf], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 1.0])
    """

    @property
    def fmr(self) -> FloatArray:
        """False match rate: share of non-mated comparisons accepted."""
        return self.counts.fmr

    @property
    def fnmr(self) -> FloatArray:
        """False non-match rate: share of mated comparisons rejected."""
        return self.counts.fnmr

    @property
    def tmr(self) -> FloatArray:
        """True match rate, 1 - FNMR."""
        return 1.0 - self.counts.fnmr

    @property
    def roc(self) -> Roc:
        """The curve as a ROC."""
        return Roc(self.fmr, self.tmr, self.threshold)

    @property
    def det(self) -> Det:
        """The curve as a DET."""
        return Det(self.fmr, self.fnmr, self.threshold)

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold: threshold, counts and rates."""
        return pl.DataFrame(
            {
                "threshold": self.threshold,
                "false_match": self.counts.false_match,
                "false_nonmatch": self.counts.false_nonmatch,
                "fmr": self.fmr,
                "fnmr": self.fnmr,
            }
        )
