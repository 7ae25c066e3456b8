"""How far the probabilities are from the frequencies they promise, over bins.

ECE              Σ share_b |observed_b - mean_b| over bins of equal width
ECE[equal-mass]  the same over bins of about equal weight
ECE[debiased]    the same less the bias that chance alone adds to it, at least 0: in each bin the observed share is
                 taken as normal around itself, and the mean absolute value grows by as much (Kumar et al. 2019)
ECE[classwise]   mean over classes of the ECE of each class's own probability (Nixon et al. 2019, Kull et al. 2019)
MCE              the largest |observed_b - mean_b|; MCE[equal-mass]

Two classes: the probability of the positive class. Several: that of the favourite class, against how often it is right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.messages import say
from bertillon.counting.classes.probabilities import ProbabilityBins
from bertillon.counting.tally import Need
from bertillon.measures.base import Result
from bertillon.measures.classification.base import AnyNumberOfClasses, positive_bins, variant_of
from bertillon.measures.plans import IntervalPlan, Resample
from bertillon.measures.registry import CLASSIFICATION, SHARE, Definition, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import ClassTally

BINS = 10
VARIANTS = {
    "ECE": ("equal-width", "equal-mass", "debiased", "classwise"),
    "MCE": ("equal-width", "equal-mass"),
}


@dataclass(frozen=True, slots=True)
class CalibrationError(AnyNumberOfClasses):
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

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
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
        return Resample(by_class=self.variant == "classwise")


def expected(bins: ProbabilityBins) -> float:
    """Mean distance between observed and promised, by share."""
    filled = bins.filled
    return float(bins.share[filled] @ np.abs(bins.observed - bins.mean)[filled])


def _noisy(bins: ProbabilityBins) -> float:
    """What the mean distance would be if each bin were drawn again around what was observed."""
    from scipy.special import ndtr

    filled = bins.filled
    observed, gap = bins.observed[filled], np.abs(bins.observed - bins.mean)[filled]
    spread = np.sqrt(observed * (1.0 - observed) / bins.count[filled])
    scaled = np.divide(gap, spread, out=np.full(gap.size, np.inf), where=spread > 0)
    folded = spread * np.sqrt(2.0 / np.pi) * np.exp(-np.square(scaled) / 2.0) + gap * (1.0 - 2.0 * ndtr(-scaled))
    return float(bins.share[filled] @ folded)


def _build(spelling: Spelling) -> CalibrationError:
    reject_extras(spelling, options=("bins",))
    return CalibrationError(spelling.name, variant_of(spelling, VARIANTS[spelling.name]), positive_bins(spelling, BINS))


CLASSIFICATION.register(
    Definition(
        "ECE",
        _build,
        "expected calibration error (equal-mass, debiased, classwise)",
        "ECE(bins=15)",
        "Σ share |observed - mean|",
        ("calibration-error",),
        reference="Naeini, Cooper and Hauskrecht 2015; Kumar, Liang and Ma 2019 (debiased)",
        better="lower",
        ends=SHARE,
    )
)
CLASSIFICATION.register(
    Definition(
        "MCE",
        _build,
        "largest calibration error (equal-mass)",
        "MCE",
        "max |observed - mean|",
        reference="Naeini, Cooper and Hauskrecht 2015",
        better="lower",
        ends=SHARE,
    )
)
