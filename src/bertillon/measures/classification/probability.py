"""How good the probabilities are: proper losses and Murphy's three parts of the Brier score.

LogLoss           mean of -log of the probability given to what came true; infinite where that was 0
LogLoss[clipped]  probabilities below the smallest step of their float (2.2e-16 for float64) are raised to it
Brier             mean of (p - y)^2 for two classes; of its sum over all classes for more
Reliability       Σ share_b (observed_b - mean_b)^2 over bins of equal width: how far from calibrated
Resolution        Σ share_b (observed_b - prevalence)^2: how far apart the bins are
Uncertainty       prevalence (1 - prevalence): what cannot be helped
Remainder         Brier - (Reliability - Resolution + Uncertainty): what lies within bins, 0 where each bin holds
                  one probability only

For several classes the parts are added up over classes, each against the rest, as Brier is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.counting.classes.probabilities import ProbabilityBins
from bertillon.measures.base import Result
from bertillon.measures.classification.base import AnyNumberOfClasses, positive_bins, variant_of
from bertillon.measures.classification.calibration import BINS
from bertillon.measures.registry import CLASSIFICATION, POSITIVE, SHARE, Definition, reject_all_but_name, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import ClassTally


@dataclass(frozen=True, slots=True)
class LogLoss(AnyNumberOfClasses):
    """Mean logarithmic loss."""

    variant: str = ""

    @property
    def spelling(self) -> Spelling:
        return Spelling("LogLoss", self.variant)

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        losses = tally.losses
        return Result(_clipped(tally) if self.variant else losses.log / losses.total)


def _clipped(tally: ClassTally) -> float:
    predictions = tally.predictions
    assert predictions.probabilities is not None
    smallest = float(np.finfo(predictions.probabilities.dtype).eps)
    chances = tally.rows.true_probability if predictions.positive is None else _given_to_truth(tally)
    return float(np.average(-np.log(np.clip(chances, smallest, 1.0 - smallest)), weights=predictions.weights))


def _given_to_truth(tally: ClassTally) -> np.ndarray:
    predictions = tally.predictions
    p = predictions.probability_of(predictions.positive_code).astype(np.float64)
    return np.where(predictions.truth == predictions.positive_code, p, 1.0 - p)


@dataclass(frozen=True, slots=True)
class Brier(AnyNumberOfClasses):
    """Mean quadratic loss."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("Brier")

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        return Result(tally.losses.square / tally.losses.total)


@dataclass(frozen=True, slots=True)
class BrierPart(AnyNumberOfClasses):
    """One of Murphy's parts of the Brier score."""

    name: str
    bins: int = BINS

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, options={} if self.bins == BINS else {"bins": self.bins})

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        reliability, resolution, uncertainty = murphy(tally, self.bins)
        if self.name == "Remainder":
            return Result(tally.losses.square / tally.losses.total - (reliability - resolution + uncertainty))
        parts = {"Reliability": reliability, "Resolution": resolution, "Uncertainty": uncertainty}
        return Result(parts[self.name])


def murphy(tally: ClassTally, bins: int) -> tuple[float, float, float]:
    """Reliability, resolution and uncertainty, added up over classes where there are several."""
    if tally.predictions.positive is not None:
        return murphy_parts(tally.bins(bins))
    codes = range(tally.predictions.n_classes)
    parts = np.array([murphy_parts(tally.bins(bins, code=code)) for code in codes]).sum(axis=0)
    return float(parts[0]), float(parts[1]), float(parts[2])


def murphy_parts(bins: ProbabilityBins) -> tuple[float, float, float]:
    """Reliability, resolution and uncertainty of one set of bins."""
    filled = bins.filled
    share, observed, mean = bins.share[filled], bins.observed[filled], bins.mean[filled]
    prevalence = float(bins.positives.sum() / bins.count.sum())
    reliability = float(share @ np.square(observed - mean))
    return reliability, float(share @ np.square(observed - prevalence)), prevalence * (1.0 - prevalence)


def _build_log_loss(spelling: Spelling) -> LogLoss:
    reject_extras(spelling)
    return LogLoss(variant_of(spelling, ("plain", "clipped")))


def _build_brier(spelling: Spelling) -> Brier:
    reject_all_but_name(spelling)
    return Brier()


def _build_part(spelling: Spelling) -> BrierPart:
    reject_extras(spelling, options=() if spelling.name == "Uncertainty" else ("bins",))
    variant_of(spelling, ("plain",))
    return BrierPart(spelling.name, positive_bins(spelling, BINS))


for _definition in (
    Definition(
        "LogLoss",
        _build_log_loss,
        "logarithmic loss (variant clipped)",
        "LogLoss",
        "mean of -log p",
        ("cross-entropy",),
        reference="Good 1952",
        better="lower",
        ends=POSITIVE,
    ),
    Definition(
        "Brier",
        _build_brier,
        "quadratic loss",
        "Brier",
        "mean of (p - y)²",
        ("brier-score",),
        reference="Brier 1950",
        better="lower",
        ends=SHARE,
        ends_of_several=(0.0, 2.0),
    ),
    Definition(
        "Reliability",
        _build_part,
        "distance from calibration, in Brier",
        "Reliability",
        "Σ share (obs - mean)²",
        reference="Murphy 1973",
        better="lower",
        ends=POSITIVE,
    ),
    Definition(
        "Resolution",
        _build_part,
        "spread of the bins, in Brier",
        "Resolution",
        "Σ share (obs - prevalence)²",
        reference="Murphy 1973",
        better="higher",
        ends=POSITIVE,
    ),
    Definition(
        "Uncertainty",
        _build_part,
        "what cannot be helped, in Brier",
        "Uncertainty",
        "π (1 - π)",
        reference="Murphy 1973",
        better="neither",
        ends=POSITIVE,
    ),
    Definition(
        "Remainder",
        _build_part,
        "what of Brier lies within bins",
        "Remainder(bins=20)",
        "Brier - Reliability + Resolution - Uncertainty",
        reference="Stephenson, Coelho and Jolliffe 2008",
        better="neither",
    ),
):
    CLASSIFICATION.register(_definition)
