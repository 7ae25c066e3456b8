"""The reliability diagram: how often what was promised came true, bin by bin.

Conventions: on the diagonal probabilities mean what they say; above it the classifier is under-confident, below it
over-confident. Empty bins are left out. For two classes the probability of the positive class is judged, for several
that of the favourite class.

Holds `Reliability` and `reliability`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.lazy import pl
from bertillon.counting.classes.bins import ProbabilityBins
from bertillon.counting.error_counts import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """One point a filled bin."""

    low: FloatArray
    high: FloatArray
    mean: FloatArray  # promised
    observed: FloatArray
    count: FloatArray  # samples in the bin, or their weight
    bins: int  # filled or not

    @property
    def gap(self) -> FloatArray:
        """Observed less promised: positive where the classifier is under-confident."""
        return self.observed - self.mean

    def to_frame(self) -> pl.DataFrame:
        """One row a filled bin."""
        names = ("low", "high", "count", "mean", "observed", "gap")
        return pl.DataFrame({name: getattr(self, name) for name in names})


def reliability(bins: ProbabilityBins) -> Reliability:
    """The diagram of bins.

    >>> import numpy as np
    >>> from bertillon.counting.classes.bins import equal_width
    >>> from bertillon.counting.classes.trials import BinaryTrials
    >>> diagram = reliability(equal_width(BinaryTrials(np.array([0.75]), np.array([0.25, 0.75])), 2))
    >>> diagram.mean.tolist(), diagram.observed.tolist(), diagram.count.tolist()
    ([0.25, 0.75], [0.0, 0.5], [1.0, 2.0])
    """
    filled = bins.filled
    return Reliability(
        low=bins.low[filled],
        high=bins.high[filled],
        mean=bins.mean[filled],
        observed=bins.observed[filled],
        count=bins.count[filled],
        bins=bins.count.size,
    )
