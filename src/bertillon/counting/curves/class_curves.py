"""Curves of classifiers: views of the counts of two classes as the threshold moves, and the reliability diagram.

Conventions: thresholds ascend, so recall, coverage and the share taken fall along a curve; the high-threshold end lies
at low recall, on the left of a picture.

Precision and recall: the threshold that accepts nothing has no precision and is left out. The baseline is the
prevalence: what guessing gets at any recall.

Gain and lift, by taking the highest scores first: gain is the share of all positives among those taken (recall); lift
is their precision by the prevalence, NaN where nothing is taken. By chance gain equals the share taken, and lift is 1.

Risk and coverage, of a classifier that may stay silent unless it is sure enough: a decision is given when its
probability is at least the threshold. Coverage is the share of samples decided, risk the share of errors among them.
The threshold at which nothing is decided has no risk and is left out.

A cost is the mean over all samples. Of thresholds that cost the same the lowest is the best.

Reliability, how often what was promised came true, bin by bin: on the diagonal probabilities mean what they say; above
it the classifier is under-confident, below it over-confident. Empty bins are left out. For two classes the probability
of the positive class is judged, for several that of the favourite class.

Holds `PrecisionRecall`, `Gain`, `RiskCoverage`, `CostCurve` and `Reliability`, each with the function that makes it of
counts, and `threshold_table` with every rate at each threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from bertillon.core.lazy import pl
from bertillon.core.rule import row_at
from bertillon.counting.classes.probabilities import ProbabilityBins
from bertillon.counting.curves.error_curve import thinned_rows
from bertillon.counting.error_counts import BinaryCounts, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Curve:
    """A point for each threshold; of the columns that follow the first two are its coordinates."""

    threshold: FloatArray

    def thin(self, points: int = 2000) -> Self:
        """The same curve in at most `points` points, spread evenly along its path."""
        columns = self._columns
        _, x, y, *_ = columns.values()
        kept = thinned_rows(x, y, points)
        return replace(self, **{name: column[kept] for name, column in columns.items()})

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold."""
        return pl.DataFrame(self._columns)

    @property
    def _columns(self) -> dict[str, Any]:
        every = {column.name: getattr(self, column.name) for column in fields(self)}
        return {name: column for name, column in every.items() if isinstance(column, np.ndarray)}


@dataclass(frozen=True, slots=True, eq=False)
class PrecisionRecall(_Curve):
    """The curve, its thresholds and its baseline."""

    recall: FloatArray
    precision: FloatArray
    baseline: float  # prevalence

    @property
    def interpolated(self) -> FloatArray:
        """The highest precision at each recall or more."""
        return np.maximum.accumulate(self.precision)


def precision_recall(counts: BinaryCounts) -> PrecisionRecall:
    """The curve of two classes.

    >>> from bertillon.counting.error_counts import count_every_threshold
    >>> counts = count_every_threshold(np.array([0.9, 0.4]), np.array([0.6, 0.1]), compiled=False)
    >>> curve = precision_recall(counts)
    >>> curve.recall.tolist(), curve.precision.round(2).tolist(), curve.baseline
    ([1.0, 1.0, 0.5, 0.5], [0.5, 0.67, 0.5, 1.0], 0.5)
    """
    baseline = counts.n_mated / counts.total if counts.total else np.nan
    return PrecisionRecall(counts.threshold[:-1], counts.recall[:-1], counts.precision[:-1], baseline)


def threshold_table(counts: BinaryCounts, thresholds: Sequence[float] | None = None) -> pl.DataFrame:
    """Outcomes and rates at every threshold of a whole curve, or at those asked for; undefined rates are null."""
    if thresholds is None:
        at, rows = counts.threshold, np.arange(len(counts))
    else:
        at = np.asarray(thresholds, dtype=np.float64)
        rows = row_at(counts.threshold, at)
    tp, fp = counts.tp[rows], counts.fp[rows]
    fn, tn = counts.n_mated - tp, counts.n_nonmated - fp
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


@dataclass(frozen=True, slots=True, eq=False)
class Gain(_Curve):
    """Share taken, gain and lift by threshold."""

    share: FloatArray
    gain: FloatArray
    lift: FloatArray


def gain(counts: BinaryCounts) -> Gain:
    """The curve of two classes.

    >>> from bertillon.counting.error_counts import count_every_threshold
    >>> curve = gain(count_every_threshold(np.array([0.9]), np.array([0.6, 0.4, 0.1]), compiled=False))
    >>> curve.share.tolist(), curve.lift.round(2).tolist()
    ([1.0, 0.75, 0.5, 0.25, 0.0], [1.0, 1.33, 2.0, 4.0, nan])
    """
    prevalence = counts.n_mated / counts.total if counts.n_mated else np.nan
    share = counts.accepted / (counts.total or np.nan)
    return Gain(counts.threshold, share, counts.recall, counts.precision / prevalence)


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage(_Curve):
    """Coverage and risk by threshold on the probability of the decision."""

    coverage: FloatArray
    risk: FloatArray

    @property
    def area(self) -> float:
        """The mean risk over all coverages (AURC): each sample's share, at the risk of those as sure as it."""
        steps = self.coverage - np.append(self.coverage[1:], 0.0)
        return float(steps @ self.risk)


def risk_coverage(counts: BinaryCounts) -> RiskCoverage:
    """The curve of counts in which right decisions are the positives and wrong ones the negatives.

    >>> from bertillon.counting.error_counts import count_every_threshold
    >>> curve = risk_coverage(count_every_threshold(np.array([0.9, 0.8]), np.array([0.6, 0.7]), compiled=False))
    >>> curve.coverage.tolist(), curve.risk.round(2).tolist()
    ([1.0, 0.75, 0.5, 0.25], [0.5, 0.33, 0.0, 0.0])
    """
    coverage = counts.accepted[:-1] / (counts.total or np.nan)
    return RiskCoverage(counts.threshold[:-1], coverage, 1.0 - counts.precision[:-1])


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


def reject_costs(counts: BinaryCounts, *, reject: float, error: float) -> CostCurve:
    """The cost when decisions below each threshold are rejected, of counts in which right decisions are the positives.

    Wrong decisions times `error` plus rejected ones times `reject`, by all samples; the last row rejects all.
    """
    rejected = counts.total - counts.accepted
    return CostCurve(counts.threshold, (error * counts.fp + reject * rejected) / (counts.total or np.nan))


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
    >>> from bertillon.counting.classes.probabilities import equal_width
    >>> from bertillon.counting.classes.one_vs_rest import BinaryTrials
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
