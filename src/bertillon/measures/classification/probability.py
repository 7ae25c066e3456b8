"""How good the probabilities are: proper losses, Murphy's three parts of the Brier score, and calibration.

LogLoss           mean of -log of the probability given to what came true; infinite where that was 0
LogLoss[clipped]  probabilities below the smallest step of their float (2.2e-16 for float64) are raised to it
Brier             mean of (p - y)^2 for two classes; of its sum over all classes for more
Reliability       Σ share_b (observed_b - mean_b)^2 over bins of equal width: how far from calibrated
Resolution        Σ share_b (observed_b - prevalence)^2: how far apart the bins are
Uncertainty       prevalence (1 - prevalence): what cannot be helped
Remainder         Brier - (Reliability - Resolution + Uncertainty): what lies within bins, 0 where each bin holds
                  one probability only
ECE               Σ share_b |observed_b - mean_b| over bins of equal width
ECE[equal-mass]   the same over bins of about equal weight
ECE[debiased]     the same less the bias that chance alone adds to it, at least 0: in each bin the observed share is
                  taken as normal around itself, and the mean absolute value grows by as much (Kumar et al. 2019)
ECE[classwise]    mean over classes of the ECE of each class's own probability (Nixon et al. 2019, Kull et al. 2019)
MCE               the largest |observed_b - mean_b|; MCE[equal-mass]

Of several classes the parts of Brier are added up over classes, each against the rest, as Brier is. Calibration is that
of the positive class; of several classes, that of the favourite class, against how often it is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.classes.probabilities import ProbabilityBins
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.tally import Need
from bertillon.measures.base import CurveMeasure, Measure, NamedMeasure, Result, Spelling
from bertillon.measures.plans import IntervalPlan, OfPositives, OverBins, Overfitted, Resample
from bertillon.measures.registry import POSITIVE, SHARE, Definition
from bertillon.trials.class_tally import ClassTally

BINS = 10
VARIANTS = {"ECE": ("equal-width", "equal-mass", "debiased", "classwise"), "MCE": ("equal-width", "equal-mass")}


class _OfProbabilities(CurveMeasure):
    """A measure of probabilities, of two classes and of more alike."""

    def unfit(self, tally: ClassTally) -> Message | None:
        return tally.why_not_probable


@dataclass(frozen=True, slots=True)
class LogLoss(_OfProbabilities, NamedMeasure):
    """Mean logarithmic loss."""

    variant: str = ""
    name = "LogLoss"

    def read(self, tally: ClassTally) -> Result:
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
class Brier(_OfProbabilities, NamedMeasure):
    """Mean quadratic loss."""

    name: str = "Brier"

    def read(self, tally: ClassTally) -> Result:
        return Result(tally.losses.square / tally.losses.total)


@dataclass(frozen=True, slots=True)
class BrierPart(_OfProbabilities):
    """One of Murphy's parts of the Brier score."""

    name: str
    bins: int = BINS

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, options={} if self.bins == BINS else {"bins": self.bins})

    def read(self, tally: ClassTally) -> Result:
        reliability, resolution, uncertainty = murphy(tally, self.bins)
        if self.name == "Remainder":
            return Result(tally.losses.square / tally.losses.total - (reliability - resolution + uncertainty))
        parts = {"Reliability": reliability, "Resolution": resolution, "Uncertainty": uncertainty}
        return Result(parts[self.name])

    def interval(self, result: Result) -> IntervalPlan:
        if self.name in ("Resolution", "Remainder"):
            return Overfitted(Resample(), above=True)
        if self.name == "Uncertainty":
            return OfPositives(lambda share: share * (1.0 - share))
        if self.name != "Reliability":
            return Measure.interval(self, result)
        return OverBins(mean_square, mean_square, self.bins, by_class=True, added=True)


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


@dataclass(frozen=True, slots=True)
class CalibrationError(_OfProbabilities):
    """Expected or largest distance between promised and observed frequencies."""

    name: str = "ECE"
    variant: str = ""
    bins: int = BINS

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, self.variant, {} if self.bins == BINS else {"bins": self.bins})

    @property
    def needs(self) -> frozenset[Need]:
        if self.variant == "debiased":
            return frozenset({Need.EVERY_THRESHOLD, Need.EQUAL_SAMPLES})
        return frozenset({Need.EVERY_THRESHOLD}) if self.variant == "equal-mass" else frozenset()

    def read(self, tally: ClassTally) -> Result:
        if self.variant == "classwise":
            codes = range(tally.predictions.n_classes)
            return Result(float(np.mean([expected(tally.bins(self.bins, code=code)) for code in codes])))
        if self.variant == "debiased" and tally.predictions.weights is not None:
            return Result.undefined(say("reason.debiased_weights"))
        bins = tally.bins(self.bins, mass=Need.EVERY_THRESHOLD in self.needs)
        if self.name == "MCE":
            return Result(float(np.max(np.abs(bins.observed - bins.mean)[bins.filled])))
        return Result(max(0.0, 2.0 * expected(bins) - _noisy(bins)) if self.variant == "debiased" else expected(bins))

    def interval(self, result: Result) -> IntervalPlan:
        by_class, largest = self.variant == "classwise", self.name == "MCE"
        truth = largest_gap if largest else mean_gap
        return OverBins(
            debiased_gap if self.variant == "debiased" else truth,
            truth,
            self.bins,
            mass=Need.EVERY_THRESHOLD in self.needs,
            by_class=by_class,
            largest=largest,
            resample=Resample(by_class=by_class),
        )


def mean_gap(count: NDArray[Any], mean: FloatArray, observed: FloatArray) -> FloatArray:
    """Mean distance between observed and promised, by share, of bins along the last axis."""
    return np.asarray((_shares(count) * np.abs(observed - mean)).sum(axis=-1))


def mean_square(count: NDArray[Any], mean: FloatArray, observed: FloatArray) -> FloatArray:
    """The same of its square."""
    return np.asarray((_shares(count) * np.square(observed - mean)).sum(axis=-1))


def largest_gap(count: NDArray[Any], mean: FloatArray, observed: FloatArray) -> FloatArray:
    """The largest distance of a bin that holds something."""
    return np.asarray(np.where(count > 0, np.abs(observed - mean), 0.0).max(axis=-1))


def debiased_gap(count: NDArray[Any], mean: FloatArray, observed: FloatArray) -> FloatArray:
    """The mean distance less what it would grow by if each bin were drawn again around what was observed."""
    folded = _folded(np.maximum(count, 1), np.abs(observed - mean), observed)
    grown = (_shares(count) * folded).sum(axis=-1)
    return np.asarray(np.maximum(0.0, 2.0 * mean_gap(count, mean, observed) - grown))


def _shares(count: NDArray[Any]) -> FloatArray:
    return np.asarray(count / count.sum(axis=-1, keepdims=True))


def expected(bins: ProbabilityBins) -> float:
    """Mean distance between observed and promised, by share."""
    filled = bins.filled
    return float(bins.share[filled] @ np.abs(bins.observed - bins.mean)[filled])


def _noisy(bins: ProbabilityBins) -> float:
    """What the mean distance would be if each bin were drawn again around what was observed."""
    filled = bins.filled
    observed, gap = bins.observed[filled], np.abs(bins.observed - bins.mean)[filled]
    return float(bins.share[filled] @ _folded(bins.count[filled], gap, observed))


def _folded(count: NDArray[Any], gap: FloatArray, observed: FloatArray) -> FloatArray:
    """The mean absolute value of a normal gap of each bin."""
    from scipy.special import ndtr

    spread = np.sqrt(observed * (1.0 - observed) / count)
    scaled = np.divide(gap, spread, out=np.full(gap.shape, np.inf), where=spread > 0)
    normal = spread * np.sqrt(2.0 / np.pi) * np.exp(-np.square(scaled) / 2.0)
    return np.asarray(normal + gap * (1.0 - 2.0 * ndtr(-scaled)))


def _build_log_loss(spelling: Spelling) -> LogLoss:
    return LogLoss(spelling.written_variant(("plain", "clipped")))


def _build_part(spelling: Spelling) -> BrierPart:
    spelling.variant_among(options=() if spelling.name == "Uncertainty" else ("bins",))
    return BrierPart(spelling.name, _bins(spelling))


def _build_error(spelling: Spelling) -> CalibrationError:
    variant = spelling.written_variant(VARIANTS[spelling.name], options=("bins",))
    return CalibrationError(spelling.name, variant, _bins(spelling))


def _bins(spelling: Spelling) -> int:
    """The bins= option: a whole number of 1 or more."""
    bins = spelling.options.get("bins", BINS)
    if bins != int(bins) or not 1 <= bins <= 100_000:
        raise InputError(f"{spelling}: bins is {bins:g}; expected a whole number from 1 to 100000")
    return int(bins)


_LOWER = partial(Definition, better="lower")
_MURPHY = partial(Definition, reference="Murphy 1973", ends=POSITIVE)
_NAEINI, _KUMAR = "Naeini, Cooper and Hauskrecht 2015", "Kumar, Liang and Ma 2019 (debiased)"
_LOG = "logarithmic loss (variant clipped)", "LogLoss", "mean of -log p", ("cross-entropy",)
_SQUARE = "quadratic loss", "Brier", "mean of (p - y)²", ("brier-score", "brier-score-loss")
_APART = "distance from calibration, in Brier", "Reliability", "Σ share (obs - mean)²"
_SPREAD = "spread of the bins, in Brier", "Resolution", "Σ share (obs - prevalence)²"
_GIVEN = "what cannot be helped, in Brier", "Uncertainty", "π (1 - π)"
_REST = "what of Brier lies within bins", "Remainder(bins=20)", "Brier - Reliability + Resolution - Uncertainty"
_STEPHENSON = partial(Definition, reference="Stephenson, Coelho and Jolliffe 2008", better="neither")
_EXPECTED = "expected calibration error (equal-mass, debiased, classwise)", "ECE(bins=15)", "Σ share |observed - mean|"
_LARGEST = "largest calibration error (equal-mass)", "MCE", "max |observed - mean|"
DEFINITIONS = (
    _LOWER("ECE", _build_error, *_EXPECTED, ("calibration-error",), reference=f"{_NAEINI}; {_KUMAR}", ends=SHARE),
    _LOWER("MCE", _build_error, *_LARGEST, reference=_NAEINI, ends=SHARE),
    _LOWER("LogLoss", _build_log_loss, *_LOG, reference="Good 1952", ends=POSITIVE),
    _LOWER("Brier", Brier.build, *_SQUARE, reference="Brier 1950", ends=SHARE, ends_of_several=(0.0, 2.0)),
    _MURPHY("Reliability", _build_part, *_APART, better="lower"),
    _MURPHY("Resolution", _build_part, *_SPREAD, better="higher"),
    _MURPHY("Uncertainty", _build_part, *_GIVEN, better="neither"),
    _STEPHENSON("Remainder", _build_part, *_REST),
)
