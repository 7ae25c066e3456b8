"""Curves of classifiers: ROC, DET, precision and recall, gain, lift, risk by coverage, cost curves, one class each.

Conventions: ROC, gain and lift are straight lines between thresholds, so that the area under the ROC is the AUC that
stands beside it; precision and risk hold from one threshold to the next, so that the areas under their steps are
average precision (AP) and mean risk (AURC). DET curves are those of comparisons: positives are mated. A point marks the
decisions, exactly even where a curve is thinned. Faint lines are what chance, always deciding the same, or the best
imaginable classifier would give. Under the axis stands what holds for all curves.

Holds, for each figure, the curve of one classifier and the panel of several: `class_roc_curve`, `class_det_curve`,
`precision_recall_curve`, `gain_curve`, `lift_curve`, `risk_coverage_curve` and `cost_curve`; for several classes
`one_vs_rest`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.counting.classes.one_vs_rest import areas_of
from bertillon.counting.curves.class_curves import gain, precision_recall, risk_coverage
from bertillon.counting.curves.error_curve import ErrorCurve, hull
from bertillon.counting.error_counts import BinaryCounts, Failures
from bertillon.counting.tally import Tally, take_tally
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.cost import ErrorCosts
from bertillon.measures.eer import EqualErrorRate
from bertillon.views.figures import chart, compose, decisions
from bertillon.views.figures.axis import Axis, FloatArray, from_zero, padded, placed, rate_axis
from bertillon.views.figures.errors import DET_END, DIAGONAL, POINTS, System, det_curve, in_percent

FPR, TPR, FNR = say("figure.FPR"), say("figure.TPR"), say("figure.FNR")
RECALL, PRECISION = say("figure.recall"), say("figure.precision")
SHARE, GAIN, LIFT = say("figure.share"), say("figure.gain"), say("figure.lift")
COVERAGE, RISK = say("figure.coverage"), say("figure.risk")
PROBABILITY_COST, NORMALISED_COST = say("figure.probability_cost"), say("figure.normalised_cost")
MOST_CLASSES = 10  # drawn one against the rest
MOST_LARGE = 6  # panels that are as large as a figure
LISTED = 1.6  # inches for a list of classes beside their curves
LONGEST_CLASS = 16  # characters
IN_THE_CORNER = 0.95  # AUC above which a linear ROC shows little: the FPR gets a log axis
FIRST = 0.1  # of the samples, of which gain and lift tell
HEADROOM = 1.12  # above the highest lift or risk
COST_TOP = 2.0  # times the highest point of a cost curve, up to the top of the triangle
WORST_TRIVIAL = 0.5  # the most that it costs to always say the same
FEW = 3  # cost curves, beside which the decisions are dotted
ISO_F, ISO_POINTS = (0.2, 0.4, 0.6, 0.8), 500
NEAR_TOP = 0.9
TRIANGLE = chart.Path(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0]))
GUESS = chart.Line("", *DIAGONAL, chart.GUIDE)

SeveralKind = Literal["roc", "precision-recall"]
Axes = tuple[Axis, Axis]


def class_roc_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """True positive rate against false positive rate."""
    axes = rate_axis(FPR, "linear", 0), rate_axis(TPR, "linear", 0)
    if why := evaluation.tally.why_not_ranked:
        return compose.Curve(evaluation.name, chart.EMPTY, *axes, note=spoken(why))
    curve, choice = _drawn(evaluation), decisions.choice_of(evaluation)
    point = _point(choice.rate("FPR"), choice.rate("Recall"))
    return _decided(evaluation, chart.Path(curve.fpr, curve.recall), axes, _fact(evaluation, "AUC"), point)


class_roc_panel = partial(compose.together, guides=[GUESS], sides=decisions.LOWER_RIGHT)  # with their AUC, above chance


def class_det_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """False negative rate against false positive rate on normal-deviate axes, with the EER."""
    if why := evaluation.tally.why_not_ranked:
        x_axis, y_axis = (rate_axis(in_percent(label), "normal", 0, DET_END) for label in (FPR, FNR))
        return compose.Curve(evaluation.name, chart.EMPTY, x_axis, y_axis, note=spoken(why))
    counts, trials = decisions.counts_of(evaluation), evaluation.tally.trials
    error_curve = ErrorCurve(counts, evaluation.rule)
    curve = det_curve(System(evaluation.name, error_curve, trials, eer=_eer(evaluation, counts)))
    x_axis = replace(curve.x_axis, label=spoken(in_percent(FPR)))
    y_axis = replace(curve.y_axis, label=spoken(in_percent(FNR)))
    if trials.weighted:  # the smallest rate is that of the lightest sample, not 1/N
        x_axis, y_axis = (replace(axis, floor=None, ceiling=None) for axis in (x_axis, y_axis))
    return replace(curve, x_axis=x_axis, y_axis=y_axis)


def precision_recall_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """Precision against recall; `level` is the prevalence."""
    if why := evaluation.tally.why_not_ranked:
        return compose.Curve(evaluation.name, chart.EMPTY, *_precision_axes(), note=spoken(why))
    choice, line = decisions.choice_of(evaluation), _precision_line(_drawn(evaluation))
    point = _point(choice.rate("Recall"), choice.rate("Precision"))
    curve = _decided(evaluation, line, _precision_axes(), _fact(evaluation, "AP"), point)
    return replace(curve, level=evaluation.tally.precision_recall.baseline)


def precision_recall_panel(curves: Sequence[compose.Curve]) -> chart.Panel:
    """Precision against recall with AP, over lines of equal F1 and the prevalence, which is what guessing gets."""
    guesses = compose.levels(
        "y", (curve.level for curve in curves), chart.Pen("quiet", ":", 1.0, 1.6), _prevalence_label
    )
    return compose.together(curves, guides=[*_equal_f(), *guesses], sides=decisions.LOWER_LEFT)


def gain_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """Share of positives found against share of samples taken; `level` is the prevalence."""
    axes = rate_axis(SHARE, "linear", 0), rate_axis(GAIN, "linear", 0)
    if why := evaluation.tally.why_not_ranked:
        return compose.Curve(evaluation.name, chart.EMPTY, *axes, note=spoken(why))
    curve, choice = gain(_drawn(evaluation)), decisions.choice_of(evaluation)
    fact = _in_first(f"{100 * _found_first(evaluation):.3g} %")
    point = _point(choice.share, choice.rate("Recall"))
    made = _decided(evaluation, chart.Path(curve.share, curve.gain), axes, fact, point)
    return replace(made, level=evaluation.tally.precision_recall.baseline)


def gain_panel(curves: Sequence[compose.Curve]) -> chart.Panel:
    """Share of positives found by share taken, between chance and the best there is."""
    shares = sorted({curve.level for curve in curves if curve.level is not None})
    best = [chart.Line("", (0.0, share, 1.0), (0.0, 1.0, 1.0), chart.GUIDE) for share in shares]
    return compose.together(curves, guides=[GUESS, *best], sides=decisions.LOWER_RIGHT)


def lift_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """How many times more positives than by chance are among the samples taken; their share is on a log axis.

    The samples of the highest score are taken in any order, so the lift of the first of them is that of all of them.
    """
    if why := evaluation.tally.why_not_ranked:
        return compose.Curve(
            evaluation.name, chart.EMPTY, _share_axis(FIRST), from_zero(LIFT, HEADROOM), note=spoken(why)
        )
    curve, choice = gain(_drawn(evaluation)), decisions.choice_of(evaluation)
    share, lift = curve.share[:-1], curve.lift[:-1]  # the last row takes nothing
    first = min(1.0 / evaluation.trials.size, float(share[-1]))
    prevalence = evaluation.tally.precision_recall.baseline
    line = chart.Path(np.append(share, first), np.append(lift, lift[-1]))
    axes = _share_axis(first), from_zero(LIFT, HEADROOM * float(lift.max()))
    fact = _in_first(f"{_found_first(evaluation) / FIRST:.3g} ×")
    return _decided(evaluation, line, axes, fact, _point(choice.share, choice.rate("Precision") / prevalence))


CHANCE = compose.levels("y", [1.0], compose.FAINT_DOTS)
lift_panel = partial(compose.together, guides=CHANCE, sides=decisions.UPPER_RIGHT)


def risk_coverage_curve(evaluation: ClassEvaluation) -> compose.Curve:
    """Share of errors among the decisions that are sure enough, against how many these are."""
    x_axis = rate_axis(COVERAGE, "linear", 0)
    if why := evaluation.tally.why_not_probable:
        return compose.Curve(evaluation.name, chart.EMPTY, x_axis, from_zero(RISK, 0.0), note=spoken(why))
    curve = risk_coverage(decisions.outline_of(evaluation.tally.confident))
    seen, risk, all_decided = curve.thin(POINTS), float(curve.risk[0]), spoken(say("figure.all_decided"))
    return compose.Curve(
        evaluation.name,
        _held(seen.coverage, seen.risk),
        x_axis,
        from_zero(RISK, HEADROOM * float(curve.risk.max())),
        f"AURC {chart.decimal(curve.area)}",
        curve.area,
        chart.Point(1.0, risk),
        f"{all_decided}: {chart.percent_label(risk)}",
        about={"dots": all_decided},
    )


risk_coverage_panel = partial(compose.together, sides=decisions.UPPER_LEFT)  # with the risk of deciding everything


def cost_curve(evaluation: ClassEvaluation, costs: ErrorCosts | None = None) -> compose.Curve:
    """The least expected cost of any threshold, from false positives alone costing to missed positives alone costing.

    Each threshold is a straight line from its FPR to its FNR; the curve is the lowest of them all (Drummond and Holte
    2006), `second` is the line of the decisions, and `point` is where the given costs lie.
    """
    x_axis = rate_axis(PROBABILITY_COST, "linear", 0)
    if why := evaluation.tally.why_not_ranked:
        return compose.Curve(
            evaluation.name, chart.EMPTY, x_axis, from_zero(NORMALISED_COST, WORST_TRIVIAL), note=spoken(why)
        )
    line, choice = _lowest_costs(decisions.counts_of(evaluation)), decisions.choice_of(evaluation)
    at = math.nan if costs is None else _probability_cost(evaluation, costs)
    prices, mean = "" if costs is None else f"fn={costs.fn:g}, fp={costs.fp:g}", float(np.trapezoid(line.y, line.x))
    return compose.Curve(
        evaluation.name,
        line,
        x_axis,
        from_zero(NORMALISED_COST, min(COST_TOP * float(line.y.max()), WORST_TRIVIAL)),
        spoken(say("figure.mean", value=chart.decimal(mean))),
        mean,
        _point(at, float(np.interp(at, line.x, line.y))),
        prices,
        second=chart.Path(np.array([0.0, 1.0]), np.array([choice.rate("FPR"), 1.0 - choice.rate("Recall")])),
        about={"positive": str(evaluation.trials.positive), "dots": prices, "dotted": choice.words},
    )


def cost_curve_panel(curves: Sequence[compose.Curve]) -> chart.Panel:
    """Least expected cost by probability cost, below the triangle of always deciding the same.

    Of a few curves the cost of the decisions is dotted.
    """
    if len(curves) > FEW:
        curves = [replace(curve, second=None, about={**curve.about, "dotted": ""}) for curve in curves]
    return compose.together(curves, guides=[chart.Line("", *TRIANGLE, chart.GUIDE)], sides=decisions.UPPER_RIGHT)


def one_vs_rest(evaluation: ClassEvaluation, kind: SeveralKind) -> list[compose.Curve]:
    """ROC, or precision and recall, of each class against the rest: those hardest to tell first, ten at most."""
    areas = evaluation.tally.class_areas.vs_rest
    occurring = np.flatnonzero(np.isfinite(areas))
    codes = occurring[np.argsort(areas[occurring], kind="stable")][:MOST_CLASSES]
    if kind == "precision-recall":
        return [_class_precision(evaluation, int(code)) for code in codes]
    scale: Literal["linear", "log"] = "log" if areas[codes].min() > IN_THE_CORNER else "linear"
    return [_class_roc(evaluation, int(code), scale) for code in codes]


def one_vs_rest_panel(evaluation: ClassEvaluation, kind: SeveralKind) -> chart.Panel:
    """The curves of every class; the classes are listed beside the axes, and a note says where they are not all."""
    curves, every = one_vs_rest(evaluation, kind), evaluation.trials.n_classes
    named = [replace(curve, name=chart.shortened(curve.name, LONGEST_CLASS)) for curve in curves]
    panel = compose.together(named, guides=[GUESS] if kind == "roc" else _equal_f(), sides=())
    some = [spoken(say("figure.lowest_auc", n=len(curves), every=every))] if len(curves) < every else []
    return replace(panel, title=evaluation.name, fact="", notes=tuple(some), legend="beside")


def one_vs_rest_chart(systems: Sequence[compose.Drawn], kind: SeveralKind) -> chart.Chart:
    """A panel for each classifier that has probabilities of several classes."""
    shown, note = compose.those_with(systems, has_several, needed="several")
    panels = [one_vs_rest_panel(system.evaluation, kind) for system in shown[:MOST_LARGE]]
    return large(panels, (chart.SIZE[0] + LISTED, chart.SIZE[1]), every=len(shown), note=note)


def has_several(system: compose.Drawn) -> bool:
    """Probabilities of several classes, of which at least two occur."""
    evaluation = system.evaluation
    several = evaluation.trials.positive is None and decisions.has_probabilities(evaluation)
    return several and int(np.count_nonzero(evaluation.tally.class_totals)) > 1


def large(panels: Sequence[chart.Panel], size: chart.Size, *, every: int, note: str) -> chart.Chart:
    """Panels as large as figures, side by side where they fit on a page."""
    columns = 2 if every > 1 and 2 * size[0] <= decisions.PAGE else 1
    return compose.grid(panels, size, columns=columns, every=every, note=note)


def _decided(
    evaluation: ClassEvaluation, line: chart.Path, axes: Axes, fact: str, point: chart.Point | None
) -> compose.Curve:
    """A curve on which the decisions are marked."""
    words = decisions.choice_of(evaluation).words
    about = {"positive": str(evaluation.trials.positive), "dots": words}
    return compose.Curve(evaluation.name, line, *axes, fact, point=point, point_words=words, about=about)


def _class_roc(evaluation: ClassEvaluation, code: int, scale: Literal["linear", "log"]) -> compose.Curve:
    """On a log axis in steps, since straight lines would be bent."""
    trials, area = evaluation.tally.one_vs_rest(code), float(evaluation.tally.class_areas.vs_rest[code])
    curve, name = decisions.thin(decisions.outline_of(trials), trials), str(evaluation.trials.classes[code])
    axes = rate_axis(FPR, scale, trials.nonmated.size), rate_axis(TPR, "linear", 0)
    line = chart.Path(placed(curve.fpr, trials.nonmated.size, scale), curve.recall)
    return compose.Curve(
        name, line if scale == "linear" else chart.staircase(*line), *axes, f"AUC {chart.decimal(area)}", area
    )


def _class_precision(evaluation: ClassEvaluation, code: int) -> compose.Curve:
    trials, name = evaluation.tally.one_vs_rest(code), str(evaluation.trials.classes[code])
    line = _precision_line(decisions.thin(decisions.outline_of(trials), trials))
    return compose.Curve(name, line, *_precision_axes(), f"AP {chart.decimal(areas_of(trials).step)}")


def _drawn(evaluation: ClassEvaluation) -> BinaryCounts:
    return decisions.thin(evaluation.tally.outline, evaluation.tally.trials)


def _precision_axes() -> Axes:
    return rate_axis(RECALL, "linear", 0), rate_axis(PRECISION, "linear", 0)


def _precision_line(curve: BinaryCounts) -> chart.Path:
    precision_curve = precision_recall(curve)
    return _held(precision_curve.recall, precision_curve.precision)


def _held(x: FloatArray, y: FloatArray) -> chart.Path:
    """Steps that hold each value from its place down to the next, the last one down to 0.

    >>> _held(np.array([1.0, 0.5]), np.array([0.2, 0.7]))
    Path(x=array([1. , 0.5, 0.5, 0. ]), y=array([0.2, 0.2, 0.7, 0.7]))
    """
    across = chart.staircase(np.append(y, y[-1]), np.append(x, 0.0))
    return chart.Path(across.y[:-1], across.x[:-1])


def _equal_f() -> list[chart.Mark]:
    """Lines of equal F1, named where they leave the axes."""
    recalls = [np.linspace(f / (2.0 - f), 1.0, ISO_POINTS) for f in ISO_F]  # below, no precision is enough
    lines = chart.Contours(tuple(chart.Path(r, f * r / (2.0 * r - f)) for r, f in zip(recalls, ISO_F, strict=True)))
    side = chart.Side(6.0, 0.0, "left", "center")
    return [lines, *(chart.Label(f"F1 {f:g}", 1.0, f / (2.0 - f), (side,), "quiet", "tiny") for f in ISO_F)]


def _prevalence_label(level: float) -> chart.Label:
    side = chart.Side(0.0, -2.0, "left", "top") if level > NEAR_TOP else chart.Side(0.0, 2.0, "left", "bottom")
    text = spoken(say("figure.prevalence", share=chart.percent_label(level)))
    return chart.Label(text, 0.0, level, (side,), "quiet", "tiny")


def _found_first(evaluation: ClassEvaluation) -> float:
    """The share of positives among the first tenth of the samples; ties are taken in any order."""
    curve = evaluation.tally.gain
    return float(np.interp(FIRST, curve.share[::-1], curve.gain[::-1]))


def _in_first(found: str) -> str:
    return spoken(say("figure.in_first", found=found, share=f"{100 * FIRST:g}"))


def _lowest_costs(counts: BinaryCounts) -> chart.Path:
    """The lower envelope of the lines of all thresholds, corner by corner."""
    corners = hull(counts)
    fpr, fnr = corners.false_match / counts.n_nonmated, corners.false_nonmatch / counts.n_mated
    meet = -np.diff(fpr) / (np.diff(fnr) - np.diff(fpr))  # two neighbouring lines; from right to left
    cost = meet * fnr[:-1] + (1.0 - meet) * fpr[:-1]
    x = np.concatenate([[0.0], meet[::-1], [1.0]])
    return chart.Path(x, np.concatenate([fpr[-1:], cost[::-1], fnr[:1]]))


def _probability_cost(evaluation: ClassEvaluation, costs: ErrorCosts) -> float:
    """Where these costs lie on the axis of the cost curve."""
    trials = evaluation.tally.trials
    missed, alarmed = costs.weights(trials.mated_total, trials.nonmated_total)
    return missed / (missed + alarmed) if missed + alarmed else math.nan


def _eer(evaluation: ClassEvaluation, counts: BinaryCounts) -> float:
    """Where both errors are equal; looked for in the scores where the curve is an outline."""
    measure = EqualErrorRate()
    if counts.complete:
        return measure.of(Tally(counts, counts, evaluation.rule, Failures())).value
    return measure.of(take_tally(evaluation.tally.trials, [measure.seek])).value


def _fact(evaluation: ClassEvaluation, measure: str) -> str:
    return f"{measure} {chart.decimal(evaluation[measure].value)}"


def _point(x: float, y: float) -> chart.Point | None:
    return None if math.isnan(x + y) else chart.Point(x, y)


def _share_axis(first: float) -> Axis:
    return Axis(spoken(SHARE), *padded((min(first, FIRST), 1.0), "log"), "log")
