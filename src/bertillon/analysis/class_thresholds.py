"""Thresholds of a classifier, found on its own curve: the one that keeps a promise, and what each of them costs.

Conventions: a promise is written as recall>=0.9, fpr<=0.01 or precision>=0.8; of the thresholds that keep it the best
is the one an `OperatingPoint` of a measure finds. A threshold chosen on the data it is
judged on looks better than it is.

Holds `threshold_for` with its `ChosenThreshold`, `read_constraint` and `cost_curve`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.counting.curves.class_curves import CostCurve
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.cost import ErrorCosts
from bertillon.measures.operating_point import CLASS_POINT_KEYS, OperatingPoint
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

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
    point = read_constraint(constraint)
    tally = ClassTally(predictions, [point.seek])
    if tally.why_not_ranked:
        raise InputError(f"{constraint}: {tally.why_not_ranked}")
    points = tally.points
    found = point.find(points)
    if found is None:
        raise InputError(f"no threshold reaches {constraint} on these data; ask for less")
    row = found.row
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
