"""Coordinates of what moves with the threshold of a classifier: its rates and the cost of its decisions.

Conventions: as in `data`. Probabilities are shown from 0 to 1, scores in their own units without the few that lie far
out. Rates and costs are steps: they hold from one threshold to the next. Precision ends where nothing is accepted any
more. The least cost is sought among all scores; chosen on the very data it is measured on, it is optimistic.

Holds `ThresholdData` with `threshold_data`, and `CostData` with `cost_data`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bertillon.analysis.decisions import bayes_threshold
from bertillon.core.messages import say, spoken
from bertillon.core.rule import row_at
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.error_counts import BinaryCounts
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.cost import ErrorCosts, LeastClassCost
from bertillon.views.figures.axis import Axis, Limits, padded
from bertillon.views.figures.class_choice import choice_of, thin
from bertillon.views.figures.class_data import counts_of, from_zero, positive_of
from bertillon.views.figures.ranges import shown_range
from bertillon.views.figures.shapes import EMPTY, FloatArray, Line, Point, Ribbon, staircase

SHOWN_ABOVE = 1.5  # times the cost of always deciding the same
ROOM_ABOVE = 1.15  # times the cost of the decisions
COST = say("figure.mean_cost")


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate by threshold, and its value where the decisions were made (NaN where it is undefined)."""

    name: str
    line: Line
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdData:
    """The rates of one classifier by threshold, and where it decides; None where no threshold gives its labels."""

    name: str
    rates: tuple[Rate, ...]
    axis: Axis
    threshold: float | None
    words: str
    positive: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CostData:
    """Mean cost of a decision by threshold: the least, that of the decisions, and that of always deciding the same."""

    name: str
    line: Line
    x_axis: Axis
    y_axis: Axis
    least: Point | None = None
    decided: Point | None = None
    decided_words: str = ""
    trivial: float = math.nan
    bayes: float | None = None  # the threshold that calibrated probabilities ask for
    positive: str = ""
    prices: str = ""
    note: str = ""
    band: Ribbon | None = None


def threshold_data(evaluation: ClassEvaluation) -> ThresholdData:
    """Precision, recall, F1 and specificity as the threshold moves."""
    choice, limits = choice_of(evaluation), _limits(evaluation)
    threshold, curve = _between(thin(evaluation.tally.outline, evaluation.tally.trials), limits)
    off = choice.threshold is not None and not limits[0] <= choice.threshold <= limits[1]
    return ThresholdData(
        evaluation.name,
        tuple(
            Rate(name, staircase(threshold, rate), value)
            for name, rate, value in (
                ("Precision", curve.precision, choice.precision),
                ("Recall", curve.recall, choice.recall),
                ("F1", _f1(curve), choice.f1),
                ("Specificity", 1.0 - curve.fpr, choice.specificity),
            )
        ),
        _axis(evaluation, limits),
        None if off else choice.threshold,
        choice.words,
        positive_of(evaluation),
        (spoken(say("figure.off_axis", what=choice.words)),) if off else (),
    )


def cost_data(evaluation: ClassEvaluation, costs: ErrorCosts) -> CostData:
    """The mean cost of a decision as the threshold moves."""
    if why := evaluation.tally.why_not_ranked:
        x_axis, y_axis = Axis(spoken(say("figure.threshold_t")), "linear", padded((0.0, 1.0))), from_zero(COST, 1.0)
        return CostData(evaluation.name, EMPTY, x_axis, y_axis, note=spoken(why))
    trials, limits, choice = evaluation.tally.trials, _limits(evaluation), choice_of(evaluation)
    threshold, curve = _between(thin(evaluation.tally.outline, trials), limits)
    missed, alarmed = costs.weights(trials.mated_total, trials.nonmated_total)
    best = evaluation[LeastClassCost(costs)]
    decided = missed * (1.0 - choice.recall) + alarmed * choice.fpr
    return CostData(
        evaluation.name,
        staircase(threshold, costs.along(curve)),
        _axis(evaluation, limits),
        from_zero(COST, _top(missed, alarmed, decided)),
        _point(best.threshold, best.value, limits),
        _point(choice.threshold, decided, limits),
        choice.words,
        min(missed, alarmed),
        _bayes(evaluation, costs),
        positive_of(evaluation),
        f"fn = {costs.fn:g}, fp = {costs.fp:g}",
    )


def _limits(evaluation: ClassEvaluation) -> Limits:
    if evaluation.trials.probabilities is not None:
        return padded((0.0, 1.0))
    curve = ErrorCurve(counts_of(evaluation), evaluation.rule)
    return padded(shown_range(evaluation.tally.trials, curve).widened().ends)


def _axis(evaluation: ClassEvaluation, limits: Limits) -> Axis:
    what = "score" if evaluation.trials.probabilities is None else "probability"
    return Axis(spoken(say(f"figure.threshold.{what}", sign=evaluation.rule.sign)), "linear", limits)


def _between(curve: BinaryCounts, limits: Limits) -> tuple[FloatArray, BinaryCounts]:
    """Thresholds within the limits and at their ends, and what holds at each."""
    low, high = limits
    known = curve.threshold
    threshold = np.concatenate([[low], known[(known > low) & (known < high)], [high]])
    return threshold, curve.at(row_at(known, threshold))


def _f1(curve: BinaryCounts) -> FloatArray:
    both: FloatArray = 2.0 * curve.tp / (curve.n_mated + curve.accepted)
    return both


def _top(missed: float, alarmed: float, decided: float) -> float:
    """Room for what is better than deciding always the same, and for the decisions; dearer thresholds are cut off."""
    return max(SHOWN_ABOVE * min(missed, alarmed), ROOM_ABOVE * decided) or max(missed, alarmed) or 1.0


def _point(threshold: float | None, cost: float, limits: Limits) -> Point | None:
    if threshold is None or not limits[0] <= threshold <= limits[1]:
        return None
    return Point(threshold, cost)


def _bayes(evaluation: ClassEvaluation, costs: ErrorCosts) -> float | None:
    """For probabilities; where another share of positives is named, shifted from that of the data."""
    if evaluation.trials.probabilities is None or not costs.fn + costs.fp or costs.prevalence in (0.0, 1.0):
        return None
    if costs.prevalence is None:
        return bayes_threshold(fn=costs.fn, fp=costs.fp)
    shares = {"trained_at": evaluation.tally.precision_recall.baseline, "used_at": costs.prevalence}
    return bayes_threshold(fn=costs.fn, fp=costs.fp, **shares)
