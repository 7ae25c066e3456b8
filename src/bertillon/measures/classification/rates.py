"""Rates of one class against the rest: shares of the four outcomes.

Precision Recall Specificity NPV FDR FOR FNR FPR F1 F(beta=2) Jaccard

Each is read for the positive class, at a place if one is named, or averaged over classes: [macro], [micro], [weighted].
Prevalence, the share of positives in the truth, needs no decisions.

Holds `ClassRate`, `Prevalence` and `precision_at`, the precision that follows from TPR, FPR and prevalence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, abridged, say
from bertillon.counting.classes.confusion import Cells, Confusion
from bertillon.counting.tally import Need
from bertillon.measures.base import Result
from bertillon.measures.classification.base import (
    AVERAGES,
    ClassMeasure,
    ClassMeasureAtPoint,
    Judged,
    decisions,
    point_of,
)
from bertillon.measures.operating_point import THRESHOLD, OperatingPoint
from bertillon.measures.plans import AtTarget, IntervalPlan, Proportion, Resample, Target
from bertillon.measures.registry import CLASSIFICATION, Definition, one_of, reject_all_but_name, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.class_tally import NO_NEGATIVES, NO_POSITIVES, NO_WEIGHT, ClassTally

Count = Callable[[Cells], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A share: `part` of `whole`; `wrong` counts its errors where it is a rate of errors or of successes."""

    summary: str
    formula: str
    synonyms: tuple[str, ...]
    part: Count
    whole: Count
    undefined: Message
    wrong: Count | None = None


_NONE_CALLED = say("reason.none_positive")
_ALL_CALLED = say("reason.none_negative")
_NEITHER = say("reason.no_positives_at_all")


def _true(c: Cells) -> NDArray[Any]:
    return np.asarray(c.tp + c.fn)


def _false(c: Cells) -> NDArray[Any]:
    return np.asarray(c.tn + c.fp)


def _called(c: Cells) -> NDArray[Any]:
    return np.asarray(c.tp + c.fp)


def _not_called(c: Cells) -> NDArray[Any]:
    return np.asarray(c.tn + c.fn)


def _fp(c: Cells) -> NDArray[Any]:
    return c.fp


def _fn(c: Cells) -> NDArray[Any]:
    return c.fn


KINDS = {
    "Precision": Kind(
        "share of predicted positives that are", "TP / (TP + FP)", ("PPV",), lambda c: c.tp, _called, _NONE_CALLED, _fp
    ),
    "Recall": Kind(
        "share of positives that are found",
        "TP / (TP + FN)",
        ("TPR", "sensitivity", "hit-rate", "TMR", "GAR", "TAR"),
        lambda c: c.tp,
        _true,
        NO_POSITIVES,
        _fn,
    ),
    "Specificity": Kind(
        "share of negatives left alone",
        "TN / (TN + FP)",
        ("TNR", "selectivity", "TNMR", "GRR", "TRR"),
        lambda c: c.tn,
        _false,
        NO_NEGATIVES,
        _fp,
    ),
    "NPV": Kind(
        "share of predicted negatives that are",
        "TN / (TN + FN)",
        ("negative-predictive-value",),
        lambda c: c.tn,
        _not_called,
        _ALL_CALLED,
        _fn,
    ),
    "FDR": Kind("false discovery rate", "FP / (TP + FP)", ("false-discovery-rate",), _fp, _called, _NONE_CALLED, _fp),
    "FOR": Kind("false omission rate", "FN / (TN + FN)", ("false-omission-rate",), _fn, _not_called, _ALL_CALLED, _fn),
    "FNR": Kind("false negative rate", "FN / (TP + FN)", ("miss-rate", "FNMR", "FRR"), _fn, _true, NO_POSITIVES, _fn),
    "FPR": Kind("false positive rate", "FP / (TN + FP)", ("fall-out", "FMR", "FAR"), _fp, _false, NO_NEGATIVES, _fp),
    "Jaccard": Kind(
        "overlap of true and predicted positives",
        "TP / (TP + FP + FN)",
        ("IoU", "critical-success-index"),
        lambda c: c.tp,
        lambda c: c.tp + c.fp + c.fn,
        _NEITHER,
    ),
}


_OF_CLASS = {  # rates of the positives (True) or of the others: of successes (True) or of errors
    "Recall": (True, True),
    "FNR": (True, False),
    "FPR": (False, False),
    "Specificity": (False, True),
}


def f_score(cells: Cells, beta: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numerator and denominator of F-beta, in counts."""
    square = beta * beta
    part = (1 + square) * cells.tp
    return part, part + square * cells.fn + cells.fp


@dataclass(frozen=True, slots=True)
class ClassRate(ClassMeasureAtPoint):
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
        if self.beta is not None:
            return f_score(cells, self.beta)
        return KINDS[self.name].part(cells), KINDS[self.name].whole(cells)

    def of(self, tally: ClassTally) -> Result:
        confusion = decisions(tally, self.point)
        if isinstance(confusion, Message):
            return Result.undefined(confusion)
        if self.average:
            return self._averaged(confusion)
        if tally.why_not_binary:
            return Result.undefined(say("reason.name_average", why=tally.why_not_binary, example=f"{self.name}[macro]"))
        return self.single(confusion.cells(tally.predictions.positive_code), confusion.threshold)

    def interval(self, result: Result) -> IntervalPlan:
        plan = Resample(self, Judged.DECISIONS) if self.point is None else Resample()
        if self.point is not None and self.point.key != THRESHOLD:
            return self._at_target(self.point) or plan
        return plan if result.errors is None else Proportion(self._success, resample=plan)

    def for_classes(self, classes: int, average: str) -> ClassRate | None:
        if classes == 2 or self.average:
            return self
        return replace(self, average=average) if self.point is None else None

    def _at_target(self, point: OperatingPoint) -> AtTarget | None:
        """The plan for a rate of one class at a rate of the other, and for precision at a recall."""
        if point.key not in _OF_CLASS:
            return None
        mated, success = _OF_CLASS[point.key]
        target = Target(point.key, point.target, mated, success)
        if (self.name, point.key) == ("Precision", "Recall"):
            return AtTarget(target, self._success, Judged.ACCEPTED)
        of_other = self.name in _OF_CLASS and _OF_CLASS[self.name][0] != mated
        return AtTarget(target, self._success) if of_other else None

    @property
    def _success(self) -> bool:
        """Is it a rate of successes?"""
        return KINDS[self.name].part not in (_fp, _fn)

    def single(self, cells: Cells, threshold: float | None = None) -> Result:
        """The rate of one class."""
        part, whole = (column[0].item() for column in self.shares(cells))
        if not whole:
            return Result(math.nan, threshold, reason=self._undefined)
        wrong = KINDS[self.name].wrong if self.beta is None else None
        if wrong is None or isinstance(whole, float):
            return Result(part / whole, threshold)
        return Result(part / whole, threshold, wrong(cells)[0].item(), whole)

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
        return _NEITHER if self.beta is not None else KINDS[self.name].undefined


@dataclass(frozen=True, slots=True)
class Prevalence(ClassMeasure):
    """Share of positives in the truth."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.DECISIONS})

    @property
    def spelling(self) -> Spelling:
        return Spelling("Prevalence")

    def of(self, tally: ClassTally) -> Result:
        predictions = tally.predictions
        if tally.why_not_binary:
            return Result.undefined(tally.why_not_binary)
        total = tally.class_totals.sum().item()
        return (
            Result(tally.class_totals[predictions.positive_code].item() / total)
            if total
            else Result.undefined(NO_WEIGHT)
        )


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


def _build(spelling: Spelling) -> ClassRate:
    reject_extras(spelling, options=("beta",) if spelling.name == "F" else (), at=tuple(spelling.at))
    beta = 1.0 if spelling.name == "F1" else spelling.options.get("beta", 1.0) if spelling.name == "F" else None
    if beta is not None and not 0.0 < beta < math.inf:
        raise InputError(f"{spelling}: beta is {beta:g}; expected a number above 0")
    average = one_of(spelling, ("plain", *AVERAGES))
    return ClassRate(spelling.name, "" if average == "plain" else average, point_of(spelling), beta)


def _build_prevalence(spelling: Spelling) -> Prevalence:
    reject_all_but_name(spelling)
    return Prevalence()


_RATE = partial(Definition, unit="rate", reference="Powers 2011")
_F = partial(Definition, unit="rate", reference="van Rijsbergen 1979", better="higher")
for _name, _kind in KINDS.items():
    _better: Literal["lower", "higher"] = "lower" if _kind.part in (_fp, _fn) else "higher"
    _definition = _RATE(_name, _build, _kind.summary, _name, _kind.formula, _kind.synonyms, better=_better)
    CLASSIFICATION.register(replace(_definition, reference="Jaccard 1912") if _name == "Jaccard" else _definition)
_ONE, _BETA = "2 TP / (2 TP + FP + FN)", "(1+b²) TP / ((1+b²) TP + b² FN + FP)"
_WEIGHS = "F-beta: recall weighs beta times as much as precision"
for _definition in (
    _F("F1", _build, "harmonic mean of precision and recall", "F1[macro]", _ONE, ("F1-score", "dice")),
    _F("F", _build, _WEIGHS, "F(beta=2)", _BETA, ("F-beta", "F-score")),
    _RATE(
        "Prevalence", _build_prevalence, "share of positives", "Prevalence", "P / n", ("base-rate",), better="neither"
    ),
):
    CLASSIFICATION.register(_definition)
