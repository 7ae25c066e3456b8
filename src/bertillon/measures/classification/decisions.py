"""What decisions are measured by: shares of the four outcomes of one class, and how well decisions and truth agree.

Rates of one class against the rest:

    Precision Recall Specificity NPV FDR FOR FNR FPR F1 F(beta=2) Jaccard

Each is read for the positive class, at a place if one is named, or averaged over classes: [macro], [micro], [weighted].
Prevalence, the share of positives in the truth, needs no decisions. Over all classes at once:

    Accuracy          share of right decisions
    BalancedAccuracy  mean recall of the classes that occur in the truth
    MCC               correlation of truth and decisions (for several classes: Gorodkin's R_K)
    Kappa             agreement beyond chance; [linear] and [quadratic] forgive near misses between ordered classes
    Informedness      recall + specificity - 1, two classes
    Markedness        precision + NPV - 1, two classes

Holds `ClassRate`, `Prevalence` and `Agreement`; `precision_at`, the precision that follows from TPR, FPR and
prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, abridged, joined, say
from bertillon.counting.classes.confusion import Cells, Confusion
from bertillon.counting.tally import Need
from bertillon.measures.base import (
    NO_NEGATIVES,
    NO_POSITIVES,
    NO_WEIGHT,
    ONE_TRUE,
    ClassMeasure,
    NamedMeasure,
    Result,
    Spelling,
    reject_extras,
)
from bertillon.measures.operating_point import DecisionsAtPoint, OperatingPoint, Target, class_point
from bertillon.measures.plans import AtTarget, IntervalPlan, Judged, Proportion, Resample
from bertillon.measures.rates import ERRORS, Kind
from bertillon.measures.registry import SIGNED, Definition
from bertillon.trials.class_tally import ClassTally

ONE_CALLED = say("reason.one_predicted_class")
KAPPAS = ("plain", "linear", "quadratic")
AVERAGES = ("macro", "micro", "weighted")
_RECALL = "TPR", "sensitivity", "hit-rate", "TMR", "GAR", "TAR"
_SPECIFICITY = "TNR", "selectivity", "TNMR", "GRR", "TRR"
KINDS = {
    "Precision": Kind("share of predicted positives that are", "TP / (TP + FP)", ("PPV",), "tp", "tp fp"),
    "Recall": Kind("share of positives that are found", "TP / (TP + FN)", _RECALL, "tp", "tp fn"),
    "Specificity": Kind("share of negatives left alone", "TN / (TN + FP)", _SPECIFICITY, "tn", "tn fp"),
    "NPV": Kind(
        "share of predicted negatives that are", "TN / (TN + FN)", ("negative-predictive-value",), "tn", "tn fn"
    ),
    "FDR": Kind("false discovery rate", "FP / (TP + FP)", ("false-discovery-rate",), "fp", "tp fp"),
    "FOR": Kind("false omission rate", "FN / (TN + FN)", ("false-omission-rate",), "fn", "tn fn"),
    "FNR": Kind("false negative rate", "FN / (TP + FN)", ("miss-rate", "FNMR", "FRR"), "fn", "tp fn"),
    "FPR": Kind("false positive rate", "FP / (TN + FP)", ("fall-out", "FMR", "FAR"), "fp", "tn fp"),
    "Jaccard": Kind(
        "overlap of true and predicted positives",
        "TP / (TP + FP + FN)",
        ("IoU", "critical-success-index"),
        "tp",
        "tp fp fn",
    ),
}
_NEITHER = say("reason.no_positives_at_all")
_UNDEFINED = {  # why there is no share of these outcomes
    "tp fp": say("reason.none_positive"),
    "tn fn": say("reason.none_negative"),
    "tp fn": NO_POSITIVES,
    "tn fp": NO_NEGATIVES,
    "tp fp fn": _NEITHER,
}


@dataclass(frozen=True, slots=True)
class ClassRate(DecisionsAtPoint):
    """A rate of the positive class, or its average over classes; F-scores have a beta."""

    name: str
    average: str = ""
    point: OperatingPoint | None = None
    beta: float | None = None

    @property
    def spelling(self) -> Spelling:
        options = {"beta": self.beta} if self.name == "F" and self.beta is not None else {}
        return Spelling(self.name, self.average, options, self.at)

    def shares(self, cells: Cells) -> tuple[NDArray[Any], NDArray[Any]]:
        """What is divided by what, for each class."""
        if self.beta is None:
            kind = KINDS[self.name]
            return getattr(cells, kind.part), reduce(add, (getattr(cells, each) for each in kind.whole.split()))
        square = self.beta * self.beta
        part = (1 + square) * cells.tp
        return part, part + square * cells.fn + cells.fp

    def of_decisions(self, tally: ClassTally, confusion: Confusion) -> Result:
        if self.average:
            return self._averaged(confusion)
        if tally.why_not_binary:
            return Result.undefined(say("reason.name_average", why=tally.why_not_binary, example=f"{self.name}[macro]"))
        return self.single(confusion.cells(tally.predictions.positive_code), confusion.threshold)

    def interval(self, result: Result) -> IntervalPlan:
        plan = Resample(self, Judged.DECISIONS) if self.point is None else Resample()
        if self.point is not None and self.picks_threshold:
            return self._at_target(self.point) or plan
        return plan if result.errors is None else Proportion(success=not KINDS[self.name].wrong, resample=plan)

    def for_classes(self, classes: int, average: str) -> ClassRate | None:
        if classes == 2 or self.average:
            return self
        return replace(self, average=average) if self.point is None else None

    def _at_target(self, point: OperatingPoint) -> AtTarget | None:
        """The plan for a rate of one class at a rate of the other, and for precision at a recall."""
        if (self.name, point.key) == ("Precision", "Recall"):
            promised = Target("Recall", point.target, mated=True, success=True)
            return AtTarget(promised, success=True, outcome=Judged.ACCEPTED)
        return KINDS[self.name].plan(point, KINDS) if self.beta is None else None

    def single(self, cells: Cells, threshold: float | None = None) -> Result:
        """The rate of one class."""
        part, whole = (column[0].item() for column in self.shares(cells))
        if not whole:
            return Result(math.nan, threshold, reason=self._undefined)
        outcomes = KINDS[self.name].whole.split() if self.beta is None else []
        if len(outcomes) != 2 or isinstance(whole, float):
            return Result(part / whole, threshold)
        wrong = next(each for each in outcomes if each in ERRORS)
        return Result(part / whole, threshold, getattr(cells, wrong)[0].item(), whole)

    def _averaged(self, confusion: Confusion) -> Result:
        cells = confusion.one_vs_rest
        if self.average == "micro":
            return self.single(cells.pooled(), confusion.threshold)
        weights = cells.support if self.average == "weighted" else ((cells.support + cells.fp) > 0).astype(np.float64)
        counted = weights > 0
        part, whole = self.shares(cells.of(counted))
        missing = whole == 0
        if missing.any():
            names = [repr(confusion.classes[code]) for code in np.flatnonzero(counted)[missing]]
            reason = say("reason.of_class", names=abridged(names), why=self._undefined)
            return Result(math.nan, confusion.threshold, reason=reason)
        return Result(float(np.average(part / whole, weights=weights[counted])), confusion.threshold)

    @property
    def _undefined(self) -> Message:
        return _UNDEFINED[KINDS[self.name].whole] if self.beta is None else _NEITHER


@dataclass(frozen=True, slots=True)
class Prevalence(NamedMeasure, ClassMeasure):
    """Share of positives in the truth."""

    name: str = "Prevalence"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.DECISIONS})

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_binary:
            return Result.undefined(tally.why_not_binary)
        total = tally.class_totals.sum().item()
        positives = tally.class_totals[tally.predictions.positive_code].item()
        return Result(positives / total) if total else Result.undefined(NO_WEIGHT)


def precision_at(tpr: float, fpr: float, prevalence: float) -> float:
    """Precision of a classifier with these rates among so many positives (Bayes).

    >>> round(precision_at(0.9, 0.1, 0.01), 3)
    0.083
    """
    for name, value in (("tpr", tpr), ("fpr", fpr), ("prevalence", prevalence)):
        if not 0.0 <= value <= 1.0:
            raise InputError(f"{name} is {value}; expected a share from 0 to 1")
    called = tpr * prevalence + fpr * (1.0 - prevalence)
    return tpr * prevalence / called if called else math.nan


@dataclass(frozen=True, slots=True)
class Agreement(DecisionsAtPoint, NamedMeasure):
    """A number read off the whole confusion matrix."""

    name: str
    variant: str = ""
    point: OperatingPoint | None = None

    def of_decisions(self, tally: ClassTally, confusion: Confusion) -> Result:
        if self.name in _BINARY:
            if tally.why_not_binary:
                return Result.undefined(tally.why_not_binary)
            result = _BINARY[self.name](confusion.cells(tally.predictions.positive_code))
        elif self.name == "Kappa":
            result = kappa(confusion, self.variant)
        else:
            result = _ALL[self.name](confusion)
        return replace(result, threshold=confusion.threshold)

    def for_classes(self, classes: int, average: str) -> Agreement | None:
        return self if classes == 2 or (self.point is None and self.name not in _BINARY) else None

    def interval(self, result: Result) -> IntervalPlan:
        plan = Resample(self, Judged.DECISIONS)
        if self.thresholds:  # the worst case has a scale of its own: there the threshold means nothing
            without = replace(self, point=None)  # a value of 1 has no wrong decision: the scores of both classes part
            plan = Resample(without, Judged.RANKING) if result.value == 1.0 else Resample()
        return plan if result.errors is None or self.picks_threshold else Proportion(success=True, resample=plan)


def accuracy(confusion: Confusion) -> Result:
    """Share of right decisions."""
    right, total = confusion.right.sum().item(), confusion.total
    if isinstance(total, float):
        return Result(right / total) if total else Result.undefined(NO_WEIGHT)
    return Result(right / total, errors=total - right, trials=total)


def balanced_accuracy(confusion: Confusion) -> Result:
    """Mean recall of the classes that occur in the truth, which must be two or more."""
    true = confusion.true_sums
    occurs = true > 0
    if np.count_nonzero(occurs) < 2:
        return Result.undefined(ONE_TRUE)
    return Result(float(np.mean(confusion.right[occurs] / true[occurs])))


def mcc(confusion: Confusion) -> Result:
    """Correlation of truth and decisions, each a vector with one place a class.

    >>> round(mcc(Confusion.of_cells((0, 1), 1, (4, 5, 1, 90))).value, 3)
    0.569
    """
    true, called = (sums.astype(np.float64) for sums in (confusion.true_sums, confusion.predicted_sums))
    total = float(confusion.total)
    reason = _one_class(confusion)
    if reason:
        return Result.undefined(reason)
    together = float(confusion.right.sum()) * total - float(true @ called)
    spread = (total**2 - float(true @ true)) * (total**2 - float(called @ called))
    return Result(together / math.sqrt(spread))


def kappa(confusion: Confusion, variant: str = "") -> Result:
    """Agreement beyond chance: 1 - observed / expected disagreement, each weighed by the distance between classes.

    >>> round(kappa(Confusion.of_cells((0, 1), 1, (50, 10, 10, 30))).value, 3)
    0.583
    """
    true, called = (sums.astype(np.float64) for sums in (confusion.true_sums, confusion.predicted_sums))
    total = float(confusion.total)
    apart = np.abs(confusion.row - confusion.column).astype(np.float64)
    weights = {"": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[variant]
    observed = float((confusion.count * weights).sum())
    expected = _expected_distance(true, called, variant) / total
    if not expected:
        return Result.undefined(say("reason.one_same_class"))
    return Result(1.0 - observed / expected)


def _expected_distance(true: np.ndarray, called: np.ndarray, variant: str) -> float:
    """The sum over all pairs of classes of their weight, their distance and both their counts, without the square."""
    if variant == "":
        return float(true.sum() * called.sum() - true @ called)
    if variant == "linear":  # a pair lies on both sides of as many borders as its classes are apart
        below_true, below_called = np.cumsum(true)[:-1], np.cumsum(called)[:-1]
        above_true, above_called = true.sum() - below_true, called.sum() - below_called
        return float(below_true @ above_called + below_called @ above_true)
    position = np.arange(true.size, dtype=np.float64) - int(np.argmax(true))  # 0 apart where all is one class
    square = float(true @ position**2) * float(called.sum()) + float(called @ position**2) * float(true.sum())
    return square - 2.0 * float(true @ position) * float(called @ position)


def informedness(cells: Cells) -> Result:
    """Recall + specificity - 1."""
    tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
    if not tp + fn or not tn + fp:
        return Result.undefined(NO_NEGATIVES if tp + fn else NO_POSITIVES)
    return Result(tp / (tp + fn) + tn / (tn + fp) - 1.0)


def markedness(cells: Cells) -> Result:
    """Precision + NPV - 1."""
    tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
    if not tp + fp or not tn + fn:
        return Result.undefined(ONE_CALLED)
    return Result(tp / (tp + fp) + tn / (tn + fn) - 1.0)


def _one_class(confusion: Confusion) -> Message | None:
    sums = ((ONE_TRUE, confusion.true_sums), (ONE_CALLED, confusion.predicted_sums))
    return joined([why for why, column in sums if np.count_nonzero(column) < 2]) or None


_ALL: dict[str, Callable[[Confusion], Result]] = {
    "Accuracy": accuracy,
    "BalancedAccuracy": balanced_accuracy,
    "MCC": mcc,
}
_BINARY: dict[str, Callable[[Cells], Result]] = {"Informedness": informedness, "Markedness": markedness}


def _build(spelling: Spelling) -> ClassRate:
    reject_extras(spelling, options=("beta",) if spelling.name == "F" else (), at=None)
    beta = 1.0 if spelling.name == "F1" else spelling.options.get("beta", 1.0) if spelling.name == "F" else None
    if beta is not None and not 0.0 < beta < math.inf:
        raise InputError(f"{spelling}: beta is {beta:g}; expected a number above 0")
    average = spelling.written_variant(("plain", *AVERAGES), options=tuple(spelling.options), at=None)
    if average and spelling.at:
        raise InputError(f"{spelling}: an average over classes is not read at a place; leave out one of the two")
    return ClassRate(spelling.name, average, class_point(spelling), beta)


def _define(name: str, kind: Kind) -> Definition:
    reference = "Jaccard 1912" if name == "Jaccard" else "Powers 2011"
    about = kind.summary, name, kind.formula, kind.synonyms
    return Definition(name, _build, *about, "rate", reference=reference, better="lower" if kind.wrong else "higher")


_F = partial(Definition, unit="rate", reference="van Rijsbergen 1979", better="higher")
_ONE, _BETA = "2 TP / (2 TP + FP + FN)", "(1+b²) TP / ((1+b²) TP + b² FN + FP)"
_WEIGHS = "F-beta: recall weighs beta times as much as precision"
_SHARE = partial(Definition, unit="rate", reference="Powers 2011", better="neither")
DEFINITIONS = (
    *(_define(name, kind) for name, kind in KINDS.items()),
    _F("F1", _build, "harmonic mean of precision and recall", "F1[macro]", _ONE, ("F1-score", "dice")),
    _F("F", _build, _WEIGHS, "F(beta=2)", _BETA, ("F-beta", "F-score")),
    _SHARE("Prevalence", Prevalence.build, "share of positives", "Prevalence", "P / n", ("base-rate",)),
)


def _build_agreement(spelling: Spelling) -> Agreement:
    variant = spelling.written_variant(KAPPAS if spelling.name == "Kappa" else KAPPAS[:1], at=None)
    return Agreement(spelling.name, variant, class_point(spelling))


_RATE = partial(Definition, unit="rate", better="higher")
_DEFINE = partial(Definition, better="higher", ends=SIGNED)
_MCC = "Matthews correlation", "MCC@t=0.5", "(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))"
_MATTHEWS = "Matthews 1975; Gorodkin 2004 (several classes)"
_KAPPA = "Cohen's kappa (variants linear, quadratic)", "Kappa", "(po - pe) / (1 - pe)", ("cohen-kappa",)
_COHEN, _POWERS = "Cohen 1960; Cohen 1968 (linear, quadratic)", "Powers 2011"
_RIGHT = "share of right decisions", "Accuracy", "right / n", ("ACC",)
_MEAN = "mean recall of the classes", "BalancedAccuracy", "mean of recalls", ("BACC",)
_INFORMED = "recall + specificity - 1", "Informedness@t=0.5", "TPR + TNR - 1", ("BM",)
_MARKED = "precision + NPV - 1", "Markedness", "PPV + NPV - 1", ("deltaP",)
AGREEMENT_DEFINITIONS = (
    _RATE("Accuracy", _build_agreement, *_RIGHT, reference="Fawcett 2006"),
    _RATE("BalancedAccuracy", _build_agreement, *_MEAN, reference="Brodersen et al. 2010"),
    _DEFINE("MCC", _build_agreement, *_MCC, ("phi", "Matthews", "matthews-corrcoef"), reference=_MATTHEWS),
    _DEFINE("Kappa", _build_agreement, *_KAPPA, reference=_COHEN),
    _DEFINE("Informedness", _build_agreement, *_INFORMED, reference=_POWERS),
    _DEFINE("Markedness", _build_agreement, *_MARKED, reference=_POWERS),
)
