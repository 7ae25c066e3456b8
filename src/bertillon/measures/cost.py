"""What errors cost: expected cost, its least value and threshold, and the detection cost functions of speech.

Comparisons:

Cost(cfa=,cfr=,impostor=)@t=x   cfa FMR(x) impostor + cfr FNMR(x) (1 - impostor)
minCost(cfa=,cfr=,impostor=)    its least value over all thresholds
minDCF(p=,cmiss=,cfa=)          least cmiss p FNMR + cfa (1 - p) FMR, divided by min(cmiss p, cfa (1 - p))
actDCF(p=,cmiss=,cfa=)          the same at the Bayes threshold ln(cfa (1 - p) / (cmiss p)) of log-likelihood ratios
minDCF[raw], actDCF[raw]        without the division
minHTER                         least mean of FMR and FNMR

Classifiers:

Cost(fn=,fp=)                   mean cost of a decision: (fn FN + fp FP) / n; at a place, Cost(fn=100,fp=1)@t=0.5
Cost(fn=,fp=,prevalence=)       fn FNR π + fp FPR (1 - π) for another share of positives π
minCost(fn=,fp=)                its least value over all thresholds; chosen on these very data it is optimistic

Holds `Weights` and `ErrorCosts` (what errors cost in either mode), `Cost` and `ClassCost`, `LeastCost` and
`LeastClassCost`, and `DetectionCost`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message
from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.tally import Tally
from bertillon.measures.base import (
    NO_NEGATIVES,
    NO_POSITIVES,
    NOT_LLR,
    NOWHERE,
    ClassMeasure,
    CurveMeasure,
    Result,
    Spelling,
    missing_class,
)
from bertillon.measures.operating_point import (
    HOW,
    THRESHOLD,
    DecisionsAtPoint,
    ErrorsAtPoint,
    OperatingPoint,
    best_row,
    class_point,
    seek_best,
)
from bertillon.measures.plans import BothRates, IntervalPlan
from bertillon.measures.rates import sum_of_rates
from bertillon.measures.registry import POSITIVE, Definition

if TYPE_CHECKING:
    from bertillon.counting.classes.confusion import Confusion
    from bertillon.trials.class_tally import ClassTally


@dataclass(frozen=True, slots=True)
class Weights:
    """What one false accept and one false reject cost, and how many attempts are impostors'."""

    cfa: float = 1.0
    cfr: float = 1.0
    impostor: float = 0.5

    def __post_init__(self) -> None:
        _require_costs(cfa=self.cfa, cfr=self.cfr)
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
class ErrorCosts:
    """What a missed positive and a false alarm cost, and the share of positives they are met with."""

    fn: float = 1.0
    fp: float = 1.0
    prevalence: float | None = None  # that of the data where None

    def __post_init__(self) -> None:
        _require_costs(fn=self.fn, fp=self.fp)
        if self.prevalence is not None and not 0.0 <= self.prevalence <= 1.0:
            raise InputError(f"prevalence is {self.prevalence}; expected a share from 0 to 1")

    def weights(self, positives: float, negatives: float) -> tuple[float, float]:
        """Of FNR and of FPR in the mean cost."""
        share = positives / (positives + negatives) if self.prevalence is None else self.prevalence
        return self.fn * share, self.fp * (1.0 - share)

    def along(self, sweep: BinaryCounts) -> NDArray[np.float64]:
        """The mean cost at every row."""
        missed, alarmed = self.weights(sweep.n_mated, sweep.n_nonmated)
        return missed * (1.0 - sweep.recall) + alarmed * sweep.fpr

    @property
    def options(self) -> dict[str, float]:
        """As written in a measure's spelling."""
        stated = {} if self.prevalence is None else {"prevalence": self.prevalence}
        return {"fn": self.fn, "fp": self.fp, **stated}


def _require_costs(**costs: float) -> None:
    for name, cost in costs.items():
        if not 0.0 <= cost < math.inf:
            raise InputError(f"cost {name} is {cost}; expected a finite number, 0 or more")


@dataclass(frozen=True, slots=True)
class Cost(ErrorsAtPoint, CurveMeasure):
    """Expected cost of one attempt at an operating point."""

    weights: Weights
    point: OperatingPoint
    rates_alone: ClassVar[bool] = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("Cost", options=self.weights.options, at=self.at)

    def read(self, tally: Tally) -> Result:
        return self.of_both_rates(tally, self.weights.expected)

    def interval(self, result: Result) -> IntervalPlan:
        return sum_of_rates(self.point, self.weights.on_fmr, self.weights.on_fnmr)


@dataclass(frozen=True, slots=True)
class ClassCost(DecisionsAtPoint):
    """Mean cost of the decisions of a classifier, or at a place."""

    costs: ErrorCosts
    point: OperatingPoint | None = None

    @property
    def spelling(self) -> Spelling:
        return Spelling("Cost", options=self.costs.options, at=self.at)

    def of_decisions(self, tally: ClassTally, confusion: Confusion) -> Result:
        if tally.why_not_binary:
            return Result.undefined(tally.why_not_binary)
        cells = confusion.cells(tally.predictions.positive_code)
        tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
        if self.costs.prevalence is None:
            return Result((self.costs.fn * fn + self.costs.fp * fp) / (tp + fp + fn + tn), confusion.threshold)
        if not tp + fn or not tn + fp:
            return Result.undefined(NO_NEGATIVES if tp + fn else NO_POSITIVES)
        missed, alarmed = self.costs.weights(tp + fn, tn + fp)
        return Result(missed * fn / (tp + fn) + alarmed * fp / (tn + fp), confusion.threshold)


@dataclass(frozen=True, slots=True)
class LeastCost(CurveMeasure):
    """The least expected cost over all thresholds."""

    weights: Weights
    name: str = "minCost"
    rates_alone: ClassVar[bool] = True
    monotone = picks_threshold = True

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, options=self.weights.options if self.name == "minCost" else {})

    def seek(self, outline: BinaryCounts) -> IntArray:
        return seek_best(outline, self.weights.on_fmr, self.weights.on_fnmr)

    def read(self, tally: Tally) -> Result:
        counts = tally.errors
        row = best_row(counts, self.weights.on_fmr, self.weights.on_fnmr)
        value = self.weights.expected(float(counts.fmr[row]), float(counts.fnmr[row]))
        return Result(value, float(counts.threshold[row]))

    def interval(self, result: Result) -> IntervalPlan:
        return BothRates(self.weights.on_fmr, self.weights.on_fnmr, best=True)


@dataclass(frozen=True, slots=True)
class LeastClassCost(CurveMeasure, ClassMeasure):
    """The least mean cost of a classifier over all thresholds.

    It picks on the scale of costs, which is drawn as a curve, and not on that of counts: counts may be weights, whose
    sums are not exact. Where two thresholds cost the same, rounding may decide otherwise than in `LeastCost`.
    """

    costs: ErrorCosts
    picks_threshold = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("minCost", options=self.costs.options)

    def seek(self, outline: BinaryCounts) -> IntArray:
        if not outline.n_mated or not outline.n_nonmated:
            return NOWHERE
        missed, alarmed = self.costs.weights(outline.n_mated, outline.n_nonmated)
        return seek_best(outline, alarmed, missed)

    def read(self, tally: ClassTally) -> Result:
        cost = self.costs.along(tally.points)
        row = int(np.argmin(cost))
        return Result(float(cost[row]), float(tally.points.threshold[row]))

    def interval(self, result: Result) -> IntervalPlan:
        share, by_share = self.costs.prevalence, self.costs.prevalence is None
        missed, alarmed = (self.costs.fn, self.costs.fp) if share is None else self.costs.weights(share, 1.0 - share)
        return BothRates(alarmed, missed, best=True, by_share=by_share)


@dataclass(frozen=True, slots=True)
class DetectionCost(CurveMeasure):
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
            return OperatingPoint(THRESHOLD, self.bayes_threshold).seek(outline)
        return seek_best(outline, self.cfa * (1.0 - self.p), self.cmiss * self.p)

    def unfit(self, tally: Tally) -> Message | None:
        of_distance = self.name == "actDCF" and tally.rule is AcceptRule.DISTANCE
        return missing_class(tally) or (NOT_LLR if of_distance else None)

    @property
    def picks_threshold(self) -> bool:
        return self.name == "minDCF"

    def read(self, tally: Tally) -> Result:
        counts = tally.errors
        row, threshold = self._place(counts)
        miss, false_accept = self._weights
        value = miss * float(counts.fnmr[row]) + false_accept * float(counts.fmr[row])
        return Result(value if self.variant == "raw" else value / min(miss, false_accept), threshold)

    def interval(self, result: Result) -> IntervalPlan:
        miss, false_accept = self._weights
        whole = 1.0 if self.variant == "raw" else min(miss, false_accept)
        return BothRates(false_accept / whole, miss / whole, best=self.picks_threshold)

    @property
    def _weights(self) -> tuple[float, float]:
        """Of FNMR and of FMR, before the division."""
        return self.cmiss * self.p, self.cfa * (1.0 - self.p)

    def _place(self, counts: BinaryCounts) -> tuple[int, float]:
        if self.name == "actDCF":
            return int(row_at(counts.threshold, self.bayes_threshold)), self.bayes_threshold
        row = best_row(counts, self.cfa * (1.0 - self.p), self.cmiss * self.p)
        return row, float(counts.threshold[row])


def _weights(spelling: Spelling, at: tuple[str, ...] | None = ()) -> Weights:
    spelling.variant_among(HOW[:1], options=("cfa", "cfr", "impostor"), at=at)
    return Weights(**dict(spelling.options))


def _costs(spelling: Spelling, at: tuple[str, ...] | None = ()) -> ErrorCosts:
    spelling.variant_among(options=("fn", "fp", "prevalence"), at=at)
    return ErrorCosts(**dict(spelling.options))


def _build_cost(spelling: Spelling) -> Cost:
    return Cost(_weights(spelling, at=None), OperatingPoint.of(spelling))


def _build_class_cost(spelling: Spelling) -> ClassCost:
    return ClassCost(_costs(spelling, at=None), class_point(spelling))


def _build_least_hter(spelling: Spelling) -> LeastCost:
    spelling.variant_among(HOW[:1])
    return LeastCost(Weights(), "minHTER")


def _build_dcf(spelling: Spelling) -> DetectionCost:
    variant = spelling.variant_among(("normalised", "raw"), options=("p", "cmiss", "cfa"))
    measure = DetectionCost(spelling.name, variant=variant, **dict(spelling.options))
    if not 0.0 < measure.p < 1.0 or not 0.0 < measure.cmiss < math.inf or not 0.0 < measure.cfa < math.inf:
        raise InputError(f"{spelling}: expected p between 0 and 1 and costs above 0")
    return measure


_BENGIO, _NIST, _BRUMMER = "Bengio and Mariéthoz 2004", "Martin and Przybocki 2000", "Brümmer and du Preez 2006"
_DEFINE = partial(Definition, better="lower", ends=POSITIVE)
_DUDA, _ELKAN = partial(_DEFINE, reference="Duda, Hart and Stork 2001"), partial(_DEFINE, reference="Elkan 2001")
_HTER = partial(Definition, unit="rate", reference=_BENGIO, better="lower")
_EXAMPLE, _ACT = "(cfa=500,cfr=2,impostor=0.01)", "detection cost at the Bayes threshold of LLRs (variant raw)"
_LEAST = "least expected cost", f"minCost{_EXAMPLE}", "min over t of Cost"
_LEAST_OF = "min (cmiss p FNMR + cfa (1-p) FMR) / min(cmiss p, cfa (1-p))"
_MIN = "least detection cost (variant raw)", "minDCF(p=0.01,cmiss=1,cfa=1)", _LEAST_OF
_AT_BAYES = _ACT, "actDCF(p=0.01,cmiss=1,cfa=1)", "DCF at t = ln(cfa (1-p) / (cmiss p))"
DEFINITIONS = (
    _DUDA("Cost", _build_cost, "expected cost of an attempt", f"Cost{_EXAMPLE}@t=0.5", "cfa FMR πI + cfr FNMR πG"),
    _DUDA("minCost", lambda spelling: LeastCost(_weights(spelling)), *_LEAST),
    _HTER("minHTER", _build_least_hter, "least half total error", "minHTER", "min (FMR + FNMR) / 2"),
    _DEFINE("minDCF", _build_dcf, *_MIN, reference=_NIST),
    _DEFINE("actDCF", _build_dcf, *_AT_BAYES, reference=_BRUMMER),
)
_LEAST_MEAN = "least mean cost", "minCost(fn=100,fp=1)", "min over t of Cost"
_MEAN = "mean cost of a decision", "Cost(fn=100,fp=1)@t=0.5", "(fn FN + fp FP) / n"
CLASS_DEFINITIONS = (
    _ELKAN("Cost", _build_class_cost, *_MEAN),
    _ELKAN("minCost", lambda spelling: LeastClassCost(_costs(spelling)), *_LEAST_MEAN),
)
