"""Where a classifier decides, and what moves with its threshold: rates, and the cost of its decisions.

Conventions: the point marked on a curve is where the decisions were made: at their threshold, or at the labels as they
were predicted. Scores that decide nothing are marked where Youden's J is largest. Probabilities are shown from 0 to 1,
scores in their own units without the few that lie far out. Rates and costs are steps: they hold from one threshold to
the next. Precision ends where nothing is accepted any more. The least cost is sought among all scores; chosen on the
very data it is measured on, it is optimistic. Costs are shown up to a little more than that of always deciding the
same; what is dearer runs out of the axes. Weights are scaled to a mean of 1 in each class, so that half a trial stays
half a trial.

Holds `Choice` with `choice_of`; `outline_of`, `error_counts`, `counts_of`, `thin`, `has_probabilities`
and `is_ranked`; `thresholds_panel`; `threshold_costs` with `costs_panel`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bertillon.analysis.decisions import bayes_threshold
from bertillon.core import readable, say, spoken
from bertillon.counting import BinaryCounts, BinaryTrials, ErrorCurve, sweep, take_tally, thinned
from bertillon.counting.classes.confusion import Cells
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.classification.decisions import ClassRate
from bertillon.measures.cost import ErrorCosts, LeastClassCost
from bertillon.trials.class_tally import HALF, cells_at
from bertillon.trials.predictions import Predictions
from bertillon.views.figures import chart, compose
from bertillon.views.figures.axis import Axis, FloatArray, Limits, from_zero, padded, score_axis
from bertillon.views.figures.distribution import axis_over, readable_range
from bertillon.views.figures.errors import POINTS
from bertillon.views.figures.scores import rows_between

PAGE = 9.0  # inches a figure may be wide
SHOWN_ABOVE = 1.5  # times the cost of always deciding the same
ROOM_ABOVE = 1.15  # times the cost of the decisions
RATES = (-0.03, 1.03)  # limits
COLOURS = {"Precision": 1, "Recall": 0, "F1": 6, "Specificity": 2}
COST, ALWAYS = say("figure.mean_cost"), say("figure.always")
ABOVE, BELOW = chart.Side(0.0, 7.0, "center", "bottom"), chart.Side(0.0, -7.0, "center", "top")
UPPER_RIGHT, LOWER_RIGHT, LOWER_LEFT, UPPER_LEFT = (
    (*(chart.SIDES[place] for place in places), ABOVE, BELOW)
    for places in ((0, 3, 1, 2), (1, 2, 0, 3), (2, 1, 3, 0), (3, 0, 2, 1))
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The outcomes of the decisions, the threshold behind them where there is one, and what the point is called."""

    cells: Cells
    threshold: float | None
    words: str

    def rate(self, name: str) -> float:
        """A rate of the decisions; NaN where there is nothing to divide by, such as nothing called positive."""
        return ClassRate(name, beta=1.0 if name == "F1" else None).single(self.cells).value

    @property
    def share(self) -> float:
        """The part of all samples called positive."""
        return float((self.cells.tp + self.cells.fp)[0] / self.cells.total[0]) if self.cells.total[0] else math.nan


def choice_of(evaluation: ClassEvaluation) -> Choice:
    """Where the decisions of two classes lie on their curves.

    >>> given = Predictions.from_probabilities([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> from bertillon.evaluation import evaluate
    >>> choice = choice_of(evaluate(given))
    >>> choice.words, choice.rate("Recall"), choice.rate("FPR")
    ('t = 0.5', 0.5, 0.5)
    """
    confusion, predictions = evaluation.tally.confusion, evaluation.trials
    if confusion is None:
        return _youden(evaluation)
    threshold = _threshold_behind(predictions) if confusion.threshold is None else confusion.threshold
    words = spoken(say("figure.labels")) if threshold is None else f"t = {readable(threshold, 4)}"
    return Choice(confusion.cells(predictions.positive_code), threshold, words)


def outline_of(trials: BinaryTrials) -> BinaryCounts:
    """The curve to draw: every threshold, or the edges of bins where scores are many."""
    return sweep(trials) if trials.weighted else take_tally(trials).outline


def error_counts(curve: BinaryCounts, trials: BinaryTrials) -> BinaryCounts:
    """The same with weights scaled so that they add up to the number of samples of each class."""
    if not trials.weighted:
        return curve
    n_positive, n_negative = trials.mated.size, trials.nonmated.size
    fp: Any = curve.false_match * (n_negative / curve.n_nonmated)
    fn: Any = curve.false_nonmatch * (n_positive / curve.n_mated)
    return BinaryCounts(curve.threshold, fp, fn, n_positive, n_negative, curve.complete)


def thin(curve: BinaryCounts, trials: BinaryTrials) -> BinaryCounts:
    """The same curve in as many points as can be seen on linear and log axes, each exact."""
    kept = thinned(error_counts(curve, trials), POINTS).threshold
    rows = np.searchsorted(curve.threshold, kept)
    rows[-1] = len(curve) - 1  # where a score is infinite, so are two thresholds
    return replace(curve.at(rows), threshold=kept)


def has_probabilities(evaluation: ClassEvaluation) -> bool:
    """Does it have probabilities?"""
    return evaluation.tally.why_not_probable is None


def is_ranked(system: compose.Drawn) -> bool:
    """Are there scores of positives and of negatives?"""
    return system.evaluation.tally.why_not_ranked is None


def counts_of(evaluation: ClassEvaluation) -> BinaryCounts:
    """The curve of the positive class as errors."""
    return error_counts(evaluation.tally.outline, evaluation.tally.trials)


def thresholds_chart(systems: Sequence[compose.Drawn]) -> chart.Chart:
    """Rates by threshold, a panel for each classifier."""
    return strips(systems, lambda system: thresholds_panel(system.evaluation))


def thresholds_panel(evaluation: ClassEvaluation) -> chart.Panel:
    """Precision, recall, F1 and specificity as the threshold moves, named with their values where it was decided."""
    choice, axis = choice_of(evaluation), _axis(evaluation)
    threshold, curve = _between(thin(evaluation.tally.outline, evaluation.tally.trials), axis.limits)
    at = choice.threshold if axis.shows(choice.threshold) else None
    off = [] if at == choice.threshold else [spoken(say("figure.off_axis", what=choice.words))]
    rates = {
        "Precision": curve.precision,
        "Recall": curve.recall,
        "F1": 2.0 * curve.tp / (curve.n_mated + curve.accepted),
        "Specificity": 1.0 - curve.fpr,
    }
    decided = {name: choice.rate(name) for name in rates}
    undefined = spoken(say("page.undefined"))
    shown = {name: name if at is None else f"{name} {chart.decimal(decided[name]) or undefined}" for name in rates}
    marks: list[chart.Mark] = [
        chart.Line(shown[name], *chart.staircase(threshold, rate), COLOURS[name]) for name, rate in rates.items()
    ]
    if at is not None:
        marks.append(chart.Rule("x", at, chart.Pen("ink", "--", 0.9, 1.7)))
        marks += [chart.Spot(at, value, COLOURS[name]) for name, value in decided.items() if not math.isnan(value)]
    return chart.Panel(
        axis,
        Axis(spoken(say("figure.rate")), *RATES),
        tuple(marks),
        title=evaluation.name,
        fact="" if at is None else choice.words,
        notes=(*compose.shared("positive", [str(evaluation.trials.positive)]), *off),
        legend="ends",
    )


def costs_chart(systems: Sequence[compose.Drawn]) -> chart.Chart:
    """Probabilities share their axis; scores of two classifiers do not, so each has a panel."""
    costs = systems[0].costs
    assert costs is not None
    cost = partial(threshold_costs, costs=costs)
    if all(has_probabilities(system.evaluation) for system in systems):
        return compose.alone(costs_panel(compose.curves_of(systems, cost)), len(systems))
    return strips(systems, lambda system: costs_panel(compose.curves_of([system], cost)))


def threshold_costs(evaluation: ClassEvaluation, costs: ErrorCosts) -> compose.Curve:
    """The mean cost of a decision as the threshold moves.

    Marked are the least, and as a ring that of the decisions; `level` is the cost of always deciding the same,
    `upright` the threshold that calibrated probabilities ask for.
    """
    if why := evaluation.tally.why_not_ranked:
        axes = score_axis(say("figure.threshold_t"), padded((0.0, 1.0))), from_zero(COST, 1.0)
        return compose.Curve(evaluation.name, chart.EMPTY, *axes, note=spoken(why))
    trials, axis, choice = evaluation.tally.trials, _axis(evaluation), choice_of(evaluation)
    threshold, curve = _between(thin(evaluation.tally.outline, trials), axis.limits)
    missed, alarmed = costs.weights(trials.mated_total, trials.nonmated_total)
    best = evaluation[LeastClassCost(costs)]
    decided = missed * (1.0 - choice.rate("Recall")) + alarmed * choice.rate("FPR")
    least, ring = _point(best.threshold, best.value, axis), _point(choice.threshold, decided, axis)
    where = "" if ring is None else spoken(say("figure.cost_at", cost=f"{ring.y:.3g}", where=choice.words))
    return compose.Curve(
        evaluation.name,
        chart.staircase(threshold, costs.along(curve)),
        axis,
        from_zero(COST, _top(missed, alarmed, decided)),
        "" if least is None else spoken(say("figure.least", cost=f"{least.y:.3g}", threshold=f"{least.x:.3g}")),
        best.value,
        least,
        where,
        ring,
        level=min(missed, alarmed),
        upright=_bayes(evaluation, costs),
        about={"positive": str(evaluation.trials.positive), "prices": f"fn = {costs.fn:g}, fp = {costs.fp:g}"},
    )


def costs_panel(curves: Sequence[compose.Curve]) -> chart.Panel:
    """The mean cost by threshold, its least value and that of the decisions."""
    guides = compose.levels("y", (curve.level for curve in curves), compose.FAINT_DOTS, _always_label)
    guides += compose.levels("x", (curve.upright for curve in curves), chart.Pen("quiet", ":", 0.9, 1.5), _bayes_label)
    more = [spoken(say("figure.dots_least")), spoken(say("figure.rings"))] if len(curves) > 1 else []
    return compose.together(curves, guides=guides, sides=UPPER_RIGHT, more=more)


def strips(systems: Sequence[compose.Drawn], panel: Callable[[compose.Drawn], chart.Panel]) -> chart.Chart:
    """A panel for each classifier, as wide as a figure so that there is room for names on its right."""
    shown, note = compose.those_with(systems, is_ranked, needed="ranked")
    if len(shown) <= compose.IN_ONE_COLUMN:
        return compose.each(shown, panel, note)
    panels = [panel(system) for system in shown[: compose.LIMITS.most_panels]]
    return compose.grid(panels, (PAGE / 2, compose.PANEL_HEIGHT), columns=2, every=len(shown), note=note)


def _always_label(level: float) -> chart.Label:
    side = chart.Side(-2.0, 2.0, "right", "bottom")
    return chart.Label(spoken(ALWAYS), 1.0, level, (side,), "quiet", "tiny", "x share", layer=1.6)


def _bayes_label(at: float) -> chart.Label:
    side = chart.Side(3.0, -2.0, "left", "top") if at < HALF else chart.Side(-3.0, -2.0, "right", "top")
    text = spoken(say("figure.bayes", threshold=f"{at:.3g}"))
    return chart.Label(text, at, 1.0, (side,), "quiet", "tiny", "y share", layer=1.6)


def _axis(evaluation: ClassEvaluation) -> Axis:
    if evaluation.trials.probabilities is not None:
        return score_axis(say("figure.threshold.probability", sign=evaluation.rule.sign), padded((0.0, 1.0)))
    curve = ErrorCurve(counts_of(evaluation), evaluation.rule)
    label = say("figure.threshold.score", sign=evaluation.rule.sign)
    return axis_over(label, readable_range(evaluation.tally.trials, curve))


def _between(curve: BinaryCounts, limits: Limits) -> tuple[FloatArray, BinaryCounts]:
    """Thresholds within the limits and at their ends, and what holds at each."""
    threshold, rows = rows_between(curve.threshold, *limits)
    return threshold, curve.at(rows)


def _top(missed: float, alarmed: float, decided: float) -> float:
    """Room for what is better than deciding always the same, and for the decisions; dearer thresholds are cut off."""
    return max(SHOWN_ABOVE * min(missed, alarmed), ROOM_ABOVE * decided) or max(missed, alarmed) or 1.0


def _point(threshold: float | None, cost: float, axis: Axis) -> chart.Point | None:
    return None if threshold is None or not axis.shows(threshold) else chart.Point(threshold, cost)


def _bayes(evaluation: ClassEvaluation, costs: ErrorCosts) -> float | None:
    """For probabilities; where another share of positives is named, shifted from that of the data."""
    if evaluation.trials.probabilities is None or not costs.fn + costs.fp or costs.prevalence in (0.0, 1.0):
        return None
    if costs.prevalence is None:
        return bayes_threshold(fn=costs.fn, fp=costs.fp)
    shares = {"trained_at": evaluation.tally.precision_recall.baseline, "used_at": costs.prevalence}
    return bayes_threshold(fn=costs.fn, fp=costs.fp, **shares)


def _youden(evaluation: ClassEvaluation) -> Choice:
    threshold = evaluation["Youden"].threshold
    assert threshold is not None
    cells = Cells.single(*cells_at(evaluation.tally.trials, threshold))
    return Choice(cells, threshold, spoken(say("figure.youden", threshold=readable(threshold, 4))))


def _threshold_behind(predictions: Predictions) -> float | None:
    """The threshold that gives just the predicted labels: a half where it does, or None where none does."""
    scores = predictions.positive_scores
    assert scores is not None
    assert predictions.predicted is not None
    called = predictions.predicted == predictions.positive_code
    highest_not = float(np.max(scores, where=~called, initial=-np.inf))
    lowest_called = float(np.min(scores, where=called, initial=np.inf))
    if predictions.probabilities is not None and highest_not < HALF <= lowest_called:
        return HALF
    return lowest_called if highest_not < lowest_called < math.inf else None
