"""How well decisions and truth agree, over all classes at once.

Accuracy          share of right decisions
BalancedAccuracy  mean recall of the classes that occur in the truth
MCC               correlation of truth and decisions (for several classes: Gorodkin's R_K)
Kappa             agreement beyond chance; [linear] and [quadratic] forgive near misses between ordered classes
Informedness      recall + specificity - 1, two classes
Markedness        precision + NPV - 1, two classes
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bertillon.core.messages import Message, joined, say
from bertillon.counting.classes.confusion import Cells, Confusion
from bertillon.measures.base import NO_NEGATIVES, NO_POSITIVES, NO_WEIGHT, ONE_TRUE, Result, Spelling
from bertillon.measures.operating_point import DecisionsAtPoint, OperatingPoint, class_point
from bertillon.measures.plans import IntervalPlan, Judged, Proportion, Resample
from bertillon.measures.registry import SIGNED, Definition
from bertillon.trials.class_tally import ClassTally

ONE_CALLED = say("reason.one_predicted_class")
KAPPAS = ("plain", "linear", "quadratic")


@dataclass(frozen=True, slots=True)
class Agreement(DecisionsAtPoint):
    """A number read off the whole confusion matrix."""

    name: str
    variant: str = ""
    point: OperatingPoint | None = None

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, self.variant, at=self.at)

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


def _build(spelling: Spelling) -> Agreement:
    variant = spelling.other(KAPPAS if spelling.name == "Kappa" else KAPPAS[:1], at=None)
    return Agreement(spelling.name, variant, class_point(spelling))


_RATE = partial(Definition, unit="rate", better="higher")
_DEFINE = partial(Definition, better="higher", ends=SIGNED)
_MCC, _MATTHEWS = (
    "(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    "Matthews 1975; Gorodkin 2004 (several classes)",
)
_KAPPA = "Cohen's kappa (variants linear, quadratic)", "Kappa", "(po - pe) / (1 - pe)", ("cohen-kappa",)
_COHEN, _POWERS = "Cohen 1960; Cohen 1968 (linear, quadratic)", "Powers 2011"
_RIGHT = "share of right decisions", "Accuracy", "right / n", ("ACC",)
_MEAN = "mean recall of the classes", "BalancedAccuracy", "mean of recalls", ("BACC",)
_INFORMED = "recall + specificity - 1", "Informedness@t=0.5", "TPR + TNR - 1", ("BM",)
DEFINITIONS = (
    _RATE("Accuracy", _build, *_RIGHT, reference="Fawcett 2006"),
    _RATE("BalancedAccuracy", _build, *_MEAN, reference="Brodersen et al. 2010"),
    _DEFINE("MCC", _build, "Matthews correlation", "MCC@t=0.5", _MCC, ("phi", "Matthews"), reference=_MATTHEWS),
    _DEFINE("Kappa", _build, *_KAPPA, reference=_COHEN),
    _DEFINE("Informedness", _build, *_INFORMED, reference=_POWERS),
    _DEFINE("Markedness", _build, "precision + NPV - 1", "Markedness", "PPV + NPV - 1", ("deltaP",), reference=_POWERS),
)
