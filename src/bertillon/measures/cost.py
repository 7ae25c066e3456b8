"""What errors cost: expected cost, its least value and threshold, and the detection cost functions of speech.

Cost(cfa=,cfr=,impostor=)@t=x   cfa FMR(x) impostor + cfr FNMR(x) (1 - impostor)
minCost(cfa=,cfr=,impostor=)    its least value over all thresholds
minDCF(p=,cmiss=,cfa=)          least cmiss p FNMR + cfa (1 - p) FMR, divided by min(cmiss p, cfa (1 - p))
actDCF(p=,cmiss=,cfa=)          the same at the Bayes threshold ln(cfa (1 - p) / (cmiss p)) of log-likelihood ratios
minDCF[raw], actDCF[raw]        without the division
minHTER                         least mean of FMR and FNMR
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.tally import Tally
from bertillon.measures.base import NOT_LLR, Measure, Result, missing_class
from bertillon.measures.best import best_row, seek_best
from bertillon.measures.operating_point import HOW, MeasureAtPoint, OperatingPoint
from bertillon.measures.registry import POSITIVE, Definition, one_of, register, reject_extras
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Weights:
    """What one false accept and one false reject cost, and how many attempts are impostors'."""

    cfa: float = 1.0
    cfr: float = 1.0
    impostor: float = 0.5

    def __post_init__(self) -> None:
        for name in ("cfa", "cfr"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"cost {name} is {getattr(self, name)}; expected a finite number, 0 or more")
        if not 0.0 <= self.impostor <= 1.0:
            raise InputError(f"the prior of impostors is {self.impostor}; expected a share from 0 to 1")

    @property
    def on_fmr(self) -> float:
        """Weight of FMR in the expected cost."""
        return self.cfa * self.impostor

    @property
    def on_fnmr(self) -> float:
        """Weight of FNMR in the expected cost."""
        return self.cfr * (1.0 - self.impostor)

    def expected(self, fmr: float, fnmr: float) -> float:
        """Expected cost of one attempt.

        >>> round(Weights(cfa=500, cfr=2, impostor=0.01).expected(0.02, 0.02), 4)
        0.1396
        """
        return self.on_fmr * fmr + self.on_fnmr * fnmr

    @property
    def likelihood_ratio(self) -> float:
        """The likelihood ratio p(score|mated) / p(score|non-mated) at the best threshold: accept above it."""
        return self.on_fmr / self.on_fnmr if self.on_fnmr else math.inf

    @property
    def options(self) -> dict[str, float]:
        """As written in a measure's spelling."""
        return {"cfa": self.cfa, "cfr": self.cfr, "impostor": self.impostor}


@dataclass(frozen=True, slots=True)
class Cost(MeasureAtPoint):
    """Expected cost of one attempt at an operating point."""

    weights: Weights
    point: OperatingPoint
    rates_alone: ClassVar[bool] = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("Cost", options=self.weights.options, at={self.point.key: self.point.target})

    def of(self, tally: Tally) -> Result:
        return self.of_both_rates(tally, self.weights.expected)


@dataclass(frozen=True, slots=True)
class LeastCost(Measure):
    """The least expected cost over all thresholds."""

    weights: Weights
    name: str = "minCost"
    rates_alone: ClassVar[bool] = True
    monotone = True

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, options=self.weights.options if self.name == "minCost" else {})

    def seek(self, outline: BinaryCounts) -> IntArray:
        return seek_best(outline, self.weights.on_fmr, self.weights.on_fnmr)

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        counts = tally.errors
        row = best_row(counts, self.weights.on_fmr, self.weights.on_fnmr)
        value = self.weights.expected(float(counts.fmr[row]), float(counts.fnmr[row]))
        return Result(value, float(counts.threshold[row]))


@dataclass(frozen=True, slots=True)
class DetectionCost(Measure):
    """minDCF or actDCF, divided by the cost of the better blind decision unless raw."""

    name: str
    p: float = 0.01
    cmiss: float = 1.0
    cfa: float = 1.0
    variant: str = "normalised"
    rates_alone: ClassVar[bool] = True
    monotone = True

    @property
    def bayes_threshold(self) -> float:
        """Where a log-likelihood ratio is large enough to accept."""
        return math.log(self.cfa * (1.0 - self.p) / (self.cmiss * self.p))

    @property
    def thresholds(self) -> tuple[float, ...]:
        return (self.bayes_threshold,) if self.name == "actDCF" else ()

    @property
    def spelling(self) -> Spelling:
        options = {"p": self.p, "cmiss": self.cmiss, "cfa": self.cfa}
        return Spelling(self.name, "raw" if self.variant == "raw" else "", options)

    def seek(self, outline: BinaryCounts) -> IntArray:
        if self.name == "actDCF":
            return OperatingPoint("t", self.bayes_threshold).seek(outline)
        return seek_best(outline, self.cfa * (1.0 - self.p), self.cmiss * self.p)

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason is None and self.name == "actDCF" and tally.rule is AcceptRule.DISTANCE:
            reason = NOT_LLR
        if reason:
            return Result.undefined(reason)
        counts = tally.errors
        row, threshold = self._place(counts)
        miss, false_accept = self.cmiss * self.p, self.cfa * (1.0 - self.p)
        value = miss * float(counts.fnmr[row]) + false_accept * float(counts.fmr[row])
        return Result(value if self.variant == "raw" else value / min(miss, false_accept), threshold)

    def _place(self, counts: BinaryCounts) -> tuple[int, float]:
        if self.name == "actDCF":
            return int(row_at(counts.threshold, self.bayes_threshold)), self.bayes_threshold
        row = best_row(counts, self.cfa * (1.0 - self.p), self.cmiss * self.p)
        return row, float(counts.threshold[row])


def _build_cost(spelling: Spelling) -> Cost:
    weights = _weights(spelling)
    return Cost(weights, OperatingPoint.of(spelling, one_of(spelling, HOW[:1])))


def _build_least(spelling: Spelling) -> LeastCost:
    reject_extras(spelling, options=("cfa", "cfr", "impostor"))
    one_of(spelling, HOW[:1])
    return LeastCost(_weights(spelling))


def _build_least_hter(spelling: Spelling) -> LeastCost:
    reject_extras(spelling)
    one_of(spelling, HOW[:1])
    return LeastCost(Weights(), "minHTER")


def _weights(spelling: Spelling) -> Weights:
    reject_extras(spelling, options=("cfa", "cfr", "impostor"), at=tuple(spelling.at))
    return Weights(**dict(spelling.options))


def _build_dcf(spelling: Spelling) -> DetectionCost:
    reject_extras(spelling, options=("p", "cmiss", "cfa"))
    measure = DetectionCost(spelling.name, variant=one_of(spelling, ("normalised", "raw")), **dict(spelling.options))
    if not 0.0 < measure.p < 1.0 or not 0.0 < measure.cmiss < math.inf or not 0.0 < measure.cfa < math.inf:
        raise InputError(f"{spelling}: expected p between 0 and 1 and costs above 0")
    return measure


_DUDA = partial(Definition, reference="Duda, Hart and Stork 2001", better="lower", ends=POSITIVE)
_DCF = partial(Definition, better="lower", ends=POSITIVE)
_EXAMPLE, _ACT = "(cfa=500,cfr=2,impostor=0.01)", "detection cost at the Bayes threshold of LLRs (variant raw)"
_MIN = "min (cmiss p FNMR + cfa (1-p) FMR) / min(cmiss p, cfa (1-p))"
_BENGIO, _NIST, _BRUMMER = "Bengio and Mariéthoz 2004", "Martin and Przybocki 2000", "Brümmer and du Preez 2006"
_HTER = partial(Definition, unit="rate", reference=_BENGIO, better="lower")
for _definition in (
    _DUDA("Cost", _build_cost, "expected cost of an attempt", f"Cost{_EXAMPLE}@t=0.5", "cfa FMR πI + cfr FNMR πG"),
    _DUDA("minCost", _build_least, "least expected cost", f"minCost{_EXAMPLE}", "min over t of Cost"),
    _HTER("minHTER", _build_least_hter, "least half total error", "minHTER", "min (FMR + FNMR) / 2"),
    _DCF(
        "minDCF",
        _build_dcf,
        "least detection cost (variant raw)",
        "minDCF(p=0.01,cmiss=1,cfa=1)",
        _MIN,
        reference=_NIST,
    ),
    _DCF(
        "actDCF",
        _build_dcf,
        _ACT,
        "actDCF(p=0.01,cmiss=1,cfa=1)",
        "DCF at t = ln(cfa (1-p) / (cmiss p))",
        reference=_BRUMMER,
    ),
):
    register(_definition)
