"""How scores and probabilities become decisions, and evaluations of what was so decided.

    AtThreshold      positive from a threshold on
    UnderConstraint  positive from the threshold on that keeps a promise such as recall>=0.9
    AtLeastCost      positive from the threshold on at which missed positives and false alarms cost least
    AtYouden         positive from the threshold on with the largest TPR - FPR
    ByCostMatrix     the class of least expected cost under the probabilities

Conventions: without a rule decisions are the predicted labels, or the positive class at a probability of 0.5 or more,
or the most probable class. Under a rule `Recall` means the recall of what the rule decides: its decisions become the
predicted labels, and the signature of the evaluation says which rule it was. A rule that found its threshold by looking
at the truth is `chosen_here`: what it gives on these data is better than it will be elsewhere. A promise is written as
recall>=0.9, fpr<=0.01 or precision>=0.8; of the thresholds that keep it the best is the one an `OperatingPoint` of a
measure finds.

Holds `DecisionRule` with those kinds, `Decisions`, `rule_for_costs` and `evaluate_decided`; `threshold_for` with its
`ChosenThreshold`, `read_constraint` and `cost_curve`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.decisions import bayes_decisions, bayes_threshold
from bertillon.core import AcceptRule, InputError, readable
from bertillon.core.messages import Message, Text, say
from bertillon.counting import Confusion, Need, count_labels
from bertillon.counting.curves.class_curves import CostCurve
from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.refining import Seek
from bertillon.evaluation import ClassEvaluation, Evaluation, evaluate
from bertillon.measures.base import NOWHERE, Measure
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.cost import ErrorCosts, LeastClassCost
from bertillon.measures.operating_point import CLASS_POINT_KEYS, OperatingPoint
from bertillon.measures.separation import Youden
from bertillon.trials import ClassTally, Predictions, cells_at
from bertillon.trials.prediction_checks import Codes, code_type

GIVEN = say("decision.given")


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """What a rule decided about each sample, and that against the truth."""

    predicted: Codes
    confusion: Confusion


class DecisionRule(ABC):
    """A rule that decides."""

    chosen_here: ClassVar[bool] = False

    @abstractmethod
    def decide(self, tally: ClassTally) -> Decisions | None:
        """The decisions; None where the rule has nothing to decide by."""

    def seek(self, outline: BinaryCounts) -> IntArray:
        """Where on the curve the rule will look."""
        return NOWHERE


@dataclass(frozen=True, slots=True)
class AtThreshold(DecisionRule):
    """A threshold that was known beforehand; `why` says where it comes from."""

    threshold: float
    why: Text = GIVEN

    def decide(self, tally: ClassTally) -> Decisions:
        if tally.why_not_scored:
            raise InputError(f"a threshold has nothing to decide: {tally.why_not_scored}")
        return _from(tally, cells_at(tally.trials, self.threshold), self.threshold, self.why)


class _OnCurve(DecisionRule):
    """A threshold found on the curve of the data themselves."""

    chosen_here = True

    @property
    def why(self) -> Message:
        """Where the threshold comes from."""
        return say("decision.chosen_here", aim=self.aim)

    @property
    @abstractmethod
    def aim(self) -> Text:
        """What is looked for."""

    @abstractmethod
    def row(self, points: BinaryCounts) -> int | None:
        """The row of the curve, or None where there is none."""

    def find(self, tally: ClassTally) -> int:
        """The row of the curve, which must be there."""
        if tally.why_not_ranked:
            raise InputError(f"{self.aim}: {tally.why_not_ranked}")
        row = self.row(tally.points)
        if row is None:
            raise InputError(f"no threshold reaches {self.aim} on these data; ask for less")
        return row

    def decide(self, tally: ClassTally) -> Decisions | None:
        row = self.find(tally)
        threshold = float(tally.points.threshold[row])
        return _from(tally, tally.points.cells(row), threshold, self.why)


@dataclass(frozen=True, slots=True)
class UnderConstraint(_OnCurve):
    """The best threshold that keeps a promise."""

    constraint: str

    def __post_init__(self) -> None:
        read_constraint(self.constraint)  # what cannot be read is said before any file is

    @property
    def aim(self) -> str:
        return self.constraint

    def row(self, points: BinaryCounts) -> int | None:
        found = read_constraint(self.constraint).find(points)
        return None if found is None else found.row

    def seek(self, outline: BinaryCounts) -> IntArray:
        return read_constraint(self.constraint).seek(outline)


@dataclass(frozen=True, slots=True)
class AtLeastCost(_OnCurve):
    """The threshold of least mean cost, for scores that are no probabilities."""

    costs: ErrorCosts

    @property
    def aim(self) -> Message:
        return say("decision.least_cost", fn=self.costs.fn, fp=self.costs.fp)

    def row(self, points: BinaryCounts) -> int | None:
        return int(np.argmin(self.costs.along(points)))

    def seek(self, outline: BinaryCounts) -> IntArray:
        return LeastClassCost(self.costs).seek(outline)


@dataclass(frozen=True, slots=True)
class AtYouden(_OnCurve):
    """The threshold with the largest TPR - FPR; where a class is missing nothing is decided."""

    @property
    def aim(self) -> Message:
        return say("decision.youden")

    def row(self, points: BinaryCounts) -> int | None:
        return int(np.argmax(points.tp * points.n_nonmated - points.fp * points.n_mated))

    def seek(self, outline: BinaryCounts) -> IntArray:
        return Youden().seek(outline)

    def decide(self, tally: ClassTally) -> Decisions | None:
        return None if tally.why_not_ranked else super(AtYouden, self).decide(tally)


@dataclass(frozen=True, slots=True, eq=False)
class ByCostMatrix(DecisionRule):
    """The class of least expected cost; costs[true class, decided class] in the order of `classes`."""

    classes: tuple[str, ...]
    costs: NDArray[np.float64]

    def decide(self, tally: ClassTally) -> Decisions:
        if tally.why_not_probable:
            raise InputError(f"a matrix of costs decides by probabilities: {tally.why_not_probable}")
        predictions = tally.predictions
        costs = self.ordered(predictions)
        posterior = tally.matrix / tally.matrix.sum(axis=1, keepdims=True)  # rounding of short floats evened out
        action = bayes_decisions(posterior, costs)[0].astype(code_type(predictions.n_classes))
        how = say("decision.least_expected_cost")
        return Decisions(
            action, count_labels(predictions.truth, action, predictions.classes, weights=predictions.weights, how=how)
        )

    def ordered(self, predictions: Predictions) -> NDArray[np.float64]:
        """The costs in the order of the classes of some predictions."""
        wanted = [str(label) for label in predictions.classes]
        if sorted(wanted) != sorted(self.classes):
            odd = sorted(set(wanted) ^ set(self.classes))[0]
            raise InputError(
                f"the matrix of costs and the predictions differ in class {odd!r}; expected a row and a column for "
                f"each of {len(wanted):,} classes"
            )
        order = [self.classes.index(label) for label in wanted]
        return self.costs[np.ix_(order, order)]

    def mean(self, evaluation: ClassEvaluation) -> float:
        """What a decision cost on average."""
        confusion = evaluation.tally.confusion
        assert confusion is not None
        costs = self.ordered(evaluation.trials)
        if not confusion.total:
            return np.nan
        return float((confusion.count * costs[confusion.row, confusion.column]).sum() / confusion.total)


def rule_for_costs(predictions: Predictions, costs: ErrorCosts) -> DecisionRule | None:
    """Probabilities are cut where the costs alone say so, scores where they cost least here; labels are decisions."""
    if predictions.positive is None:
        raise InputError(
            f"{predictions.name}: costs of fn and fp need a positive class, and there are {predictions.n_classes:,} "
            "classes; say which one is positive, or give a matrix of costs with a row and a column for each class"
        )
    if predictions.positive_scores is None:
        return None
    if predictions.probabilities is None:
        return AtLeastCost(costs)
    why = say("decision.bayes", fn=costs.fn, fp=costs.fp)
    return AtThreshold(bayes_threshold(fn=costs.fn, fp=costs.fp), why)


def evaluate_decided(
    predictions: Predictions, measures: Iterable[str | Measure], *, rule: DecisionRule | None
) -> ClassEvaluation:
    """Answer measures about predictions decided by a rule, or as they stand where it is None.

    >>> p = Predictions.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> e = evaluate_decided(p, ["Recall", "Precision"], rule=UnderConstraint("recall>=0.9"))
    >>> e["Recall"].value, e["Recall"].threshold, round(e["Precision"].value, 3)
    (1.0, 0.4, 0.667)
    """
    if rule is None:
        return evaluate(predictions, measures)
    asked = CLASSIFICATION.parse_all(measures)
    whole = any(Need.EVERY_THRESHOLD in measure.needs for measure in asked)
    decided = DecidedTally(replace(predictions, predicted=None), [m.seek for m in asked], whole=whole, rule=rule)
    labelled = predictions if decided.decided is None else replace(predictions, predicted=decided.decided.predicted)
    return Evaluation.of(labelled, decided, asked)


class DecidedTally(ClassTally):
    """Counts of predictions whose decisions follow a rule."""

    def __init__(self, predictions: Predictions, seeks: Sequence[Seek], *, whole: bool, rule: DecisionRule) -> None:
        super().__init__(predictions, [*seeks, rule.seek], whole=whole)
        self.rule = rule

    @cached_property
    def decided(self) -> Decisions | None:
        """What the rule decided."""
        return self.rule.decide(self)

    @cached_property
    def confusion(self) -> Confusion | None:
        return None if self.decided is None else self.decided.confusion


def _from(tally: ClassTally, cells: tuple[float, float, float, float], threshold: float, why: Text) -> Decisions:
    """Decisions from a threshold on."""
    predictions = tally.predictions
    scores, positive = predictions.positive_scores, predictions.positive_code
    assert scores is not None
    accepted = AcceptRule.SIMILARITY.accepts(scores, threshold)
    predicted = np.where(accepted, np.int8(positive), np.int8(1 - positive))
    key = "decision.at_score_because" if predictions.probabilities is None else "decision.at_probability_because"
    how = say(key, positive=repr(predictions.positive), threshold=readable(threshold), why=why)
    return Decisions(predicted, Confusion.of_cells(predictions.classes, positive, cells, threshold=threshold, how=how))


_CONSTRAINT = re.compile(r"^\s*(?P<name>[A-Za-z][\w-]*)\s*(?P<sign>>=|<=)\s*(?P<target>\S+)\s*$")
_SIGNS = {"Recall": ">=", "Specificity": ">=", "Precision": ">=", "FPR": "<=", "FNR": "<="}


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    """A threshold under a constraint, and what it gives on the data it was chosen on."""

    constraint: str
    threshold: float
    precision: float
    recall: float
    fpr: float
    warning: str = "chosen on these data: judge it on others"


def threshold_for(predictions: Predictions, constraint: str) -> ChosenThreshold:
    """The best threshold that keeps a promise such as "recall>=0.9", "fpr<=0.01" or "precision>=0.8".

    >>> p = Predictions.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> threshold_for(p, "recall>=0.9").threshold
    0.4
    """
    rule = UnderConstraint(constraint)
    tally = ClassTally(predictions, [rule.seek])
    row, points = rule.find(tally), tally.points
    precision, recall, fpr = (float(column[row]) for column in (points.precision, points.recall, points.fpr))
    return ChosenThreshold(constraint, float(points.threshold[row]), precision, recall, fpr)


def read_constraint(text: str) -> OperatingPoint:
    """The place on the curve that a promise such as "recall>=0.9" names."""
    match = _CONSTRAINT.match(text)
    name = CLASSIFICATION.canonical_name(match["name"]) if match else None
    if not match or name not in _SIGNS or match["sign"] != _SIGNS[name]:
        known = ", ".join(f"{key.lower()}{_SIGNS[key]}0.9" for key in CLASS_POINT_KEYS if key in _SIGNS)
        raise InputError(f"cannot read the constraint {text!r}; expected one like {known}")
    try:
        target = float(match["target"])
    except ValueError:
        target = math.nan
    if not 0.0 <= target <= 1.0:
        raise InputError(f"{text!r}: {match['target']} is not a share from 0 to 1")
    return OperatingPoint(name, target)


def cost_curve(predictions: Predictions, *, fn: float, fp: float, prevalence: float | None = None) -> CostCurve:
    """The mean cost at every threshold; where there are over a million samples, at the edges of bins."""
    tally = ClassTally(predictions)
    if tally.why_not_ranked:
        raise InputError(f"costs by threshold: {tally.why_not_ranked}")
    return CostCurve(tally.outline.threshold, ErrorCosts(fn, fp, prevalence).along(tally.outline))
