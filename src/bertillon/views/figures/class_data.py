"""Coordinates of the curves of a classifier; drawing only puts them on paper.

Conventions: as in `data`. ROC, gain and lift are straight lines between thresholds, so that the area under the ROC is
the AUC that stands beside it; precision and risk hold from one threshold to the next, so that the areas under their
steps are average precision (AP) and mean risk (AURC). DET curves are those of comparisons: positives are mated. A point
marks the decisions, exactly even where a curve is thinned. Where there is no curve a note says why.

Holds `ClassCurve`, and a function a figure: `class_roc_data`, `class_det_data`, `precision_recall_data`, `gain_data`,
`lift_data`, `risk_coverage_data` and `cost_curve_data`; for several classes `one_vs_rest_data` (`OneVsRest`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bertillon.core.messages import Text, say, spoken
from bertillon.counting.classes.one_vs_rest import areas_of
from bertillon.counting.curves.class_curves import gain, precision_recall, risk_coverage
from bertillon.counting.curves.error_curve import ErrorCurve, hull
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally, take_tally
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.cost import ErrorCosts
from bertillon.measures.eer import EqualErrorRate
from bertillon.views.figures.axis import Axis, padded, placed, rate_axis
from bertillon.views.figures.class_choice import choice_of, decimal, error_counts, outline_of, thin
from bertillon.views.figures.data import DET_END, POINTS, CurveData, System, det_data, in_percent
from bertillon.views.figures.names import percent_label
from bertillon.views.figures.shapes import EMPTY, FloatArray, Line, Point, Ribbon, staircase

FPR, TPR, FNR = say("figure.FPR"), say("figure.TPR"), say("figure.FNR")
RECALL, PRECISION = say("figure.recall"), say("figure.precision")
SHARE, GAIN, LIFT = say("figure.share"), say("figure.gain"), say("figure.lift")
COVERAGE, RISK = say("figure.coverage"), say("figure.risk")
PROBABILITY_COST, NORMALISED_COST = say("figure.probability_cost"), say("figure.normalised_cost")
MOST_CLASSES = 10  # drawn one against the rest
IN_THE_CORNER = 0.95  # AUC above which a linear ROC shows little: the FPR gets a log axis
FIRST = 0.1  # of the samples, of which gain and lift tell
HEADROOM = 1.12  # above the highest lift or risk
LEAST_TOP = 0.01  # of an axis of risks or costs
COST_TOP = 2.0  # times the highest point of a cost curve, up to the top of the triangle
WORST_TRIVIAL = 0.5  # the most that it costs to always say the same

SeveralKind = Literal["roc", "precision-recall"]
Axes = tuple[Axis, Axis]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCurve:
    """A curve of one classifier, or of one class against the rest.

    `fact` is the number the curve is known by. `point` is where the decisions lie, or the costs, called `point_words`;
    a single curve says `point_fact` as well. `level` is the prevalence; `second` is another line of the same
    classifier, called `second_words`.
    """

    name: str
    line: Line
    x_axis: Axis
    y_axis: Axis
    fact: str = ""
    point: Point | None = None
    point_words: str = ""
    point_fact: str = ""
    level: float | None = None
    second: Line | None = None
    second_words: str = ""
    positive: str = ""
    note: str = ""
    band: Ribbon | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OneVsRest:
    """A curve for each class of one classifier, and which classes these are where they are not all."""

    name: str
    curves: tuple[ClassCurve, ...]
    words: str = ""


def class_roc_data(evaluation: ClassEvaluation) -> ClassCurve:
    """True positive rate against false positive rate."""
    axes = rate_axis(FPR, "linear", 0), rate_axis(TPR, "linear", 0)
    if why := evaluation.tally.why_not_ranked:
        return ClassCurve(evaluation.name, EMPTY, *axes, note=spoken(why))
    curve, choice = _drawn(evaluation), choice_of(evaluation)
    return ClassCurve(
        evaluation.name,
        Line(curve.fpr, curve.recall),
        *axes,
        _fact(evaluation, "AUC"),
        _point(choice.fpr, choice.recall),
        choice.words,
        positive=positive_of(evaluation),
    )


def class_det_data(evaluation: ClassEvaluation) -> CurveData:
    """False negative rate against false positive rate on normal-deviate axes, with the EER."""
    if why := evaluation.tally.why_not_ranked:
        x_axis, y_axis = (rate_axis(in_percent(label), "normal", 0, DET_END) for label in (FPR, FNR))
        return CurveData(evaluation.name, "det", EMPTY, x_axis, y_axis, note=spoken(why))
    counts, trials = counts_of(evaluation), evaluation.tally.trials
    curve = ErrorCurve(counts, evaluation.rule)
    data = det_data(System(evaluation.name, curve, trials, eer=_eer(evaluation, counts)))
    x_axis = replace(data.x_axis, label=spoken(in_percent(FPR)))
    y_axis = replace(data.y_axis, label=spoken(in_percent(FNR)))
    if trials.weighted:  # the smallest rate is that of the lightest sample, not 1/N
        x_axis, y_axis = (replace(axis, floor=None, ceiling=None) for axis in (x_axis, y_axis))
    return replace(data, x_axis=x_axis, y_axis=y_axis)


def precision_recall_data(evaluation: ClassEvaluation) -> ClassCurve:
    """Precision against recall, with the prevalence."""
    if why := evaluation.tally.why_not_ranked:
        return ClassCurve(evaluation.name, EMPTY, *_precision_axes(), note=spoken(why))
    choice = choice_of(evaluation)
    return ClassCurve(
        evaluation.name,
        _precision_line(_drawn(evaluation)),
        *_precision_axes(),
        _fact(evaluation, "AP"),
        _point(choice.recall, choice.precision),
        choice.words,
        level=evaluation.tally.precision_recall.baseline,
        positive=positive_of(evaluation),
    )


def gain_data(evaluation: ClassEvaluation) -> ClassCurve:
    """Share of positives found against share of samples taken; `second` is the best there is."""
    axes = rate_axis(SHARE, "linear", 0), rate_axis(GAIN, "linear", 0)
    if why := evaluation.tally.why_not_ranked:
        return ClassCurve(evaluation.name, EMPTY, *axes, note=spoken(why))
    curve, choice = gain(_drawn(evaluation)), choice_of(evaluation)
    prevalence = evaluation.tally.precision_recall.baseline
    return ClassCurve(
        evaluation.name,
        Line(curve.share, curve.gain),
        *axes,
        _in_first(f"{100 * _found_first(evaluation):.3g} %"),
        _point(choice.share, choice.recall),
        choice.words,
        level=prevalence,
        second=Line(np.array([0.0, prevalence, 1.0]), np.array([0.0, 1.0, 1.0])),
        positive=positive_of(evaluation),
    )


def lift_data(evaluation: ClassEvaluation) -> ClassCurve:
    """How many times more positives than by chance are among the samples taken; their share is on a log axis.

    The samples of the highest score are taken in any order, so the lift of the first of them is that of all of them.
    """
    if why := evaluation.tally.why_not_ranked:
        return ClassCurve(evaluation.name, EMPTY, _share_axis(FIRST), from_zero(LIFT, HEADROOM), note=spoken(why))
    curve, choice = gain(_drawn(evaluation)), choice_of(evaluation)
    share, lift = curve.share[:-1], curve.lift[:-1]  # the last row takes nothing
    first = min(1.0 / evaluation.trials.size, float(share[-1]))
    prevalence = evaluation.tally.precision_recall.baseline
    return ClassCurve(
        evaluation.name,
        Line(np.append(share, first), np.append(lift, lift[-1])),
        _share_axis(first),
        from_zero(LIFT, HEADROOM * float(lift.max())),
        _in_first(f"{_found_first(evaluation) / FIRST:.3g} ×"),
        _point(choice.share, choice.precision / prevalence),
        choice.words,
        level=prevalence,
        positive=positive_of(evaluation),
    )


def risk_coverage_data(evaluation: ClassEvaluation) -> ClassCurve:
    """Share of errors among the decisions that are sure enough, against how many these are."""
    x_axis = rate_axis(COVERAGE, "linear", 0)
    if why := evaluation.tally.why_not_probable:
        return ClassCurve(evaluation.name, EMPTY, x_axis, from_zero(RISK, LEAST_TOP), note=spoken(why))
    curve = risk_coverage(outline_of(evaluation.tally.confident))
    seen, risk = curve.thin(POINTS), float(curve.risk[0])
    return ClassCurve(
        evaluation.name,
        _held(seen.coverage, seen.risk),
        x_axis,
        from_zero(RISK, HEADROOM * float(curve.risk.max())),
        f"AURC {decimal(curve.area)}",
        Point(1.0, risk),
        spoken(say("figure.all_decided")),
        percent_label(risk),
    )


def cost_curve_data(evaluation: ClassEvaluation, costs: ErrorCosts | None = None) -> ClassCurve:
    """The least expected cost of any threshold, from false positives alone costing to missed positives alone costing.

    Each threshold is a straight line from its FPR to its FNR; the curve is the lowest of them all (Drummond and Holte
    2006), `second` is the line of the decisions, and `point` is where the given costs lie.
    """
    axes = rate_axis(PROBABILITY_COST, "linear", 0), from_zero(NORMALISED_COST, WORST_TRIVIAL)
    if why := evaluation.tally.why_not_ranked:
        return ClassCurve(evaluation.name, EMPTY, *axes, note=spoken(why))
    line, choice = _lowest_costs(counts_of(evaluation)), choice_of(evaluation)
    at = math.nan if costs is None else _probability_cost(evaluation, costs)
    return ClassCurve(
        evaluation.name,
        line,
        axes[0],
        from_zero(NORMALISED_COST, min(COST_TOP * float(line.y.max()), WORST_TRIVIAL)),
        spoken(say("figure.mean", value=decimal(float(np.trapezoid(line.y, line.x))))),
        _point(at, float(np.interp(at, line.x, line.y))),
        "" if costs is None else f"fn={costs.fn:g}, fp={costs.fp:g}",
        second=Line(np.array([0.0, 1.0]), np.array([choice.fpr, 1.0 - choice.recall])),
        second_words=choice.words,
        positive=positive_of(evaluation),
    )


def one_vs_rest_data(evaluation: ClassEvaluation, kind: SeveralKind) -> OneVsRest:
    """ROC, or precision and recall, of each class against the rest: those hardest to tell first, ten at most."""
    classes, areas = evaluation.trials.classes, evaluation.tally.class_areas.vs_rest
    occurring = np.flatnonzero(np.isfinite(areas))
    codes = occurring[np.argsort(areas[occurring], kind="stable")][:MOST_CLASSES]
    few = codes.size < len(classes)
    words = spoken(say("figure.lowest_auc", n=codes.size, every=len(classes))) if few else ""
    if kind == "precision-recall":
        return OneVsRest(evaluation.name, tuple(_class_precision(evaluation, int(code)) for code in codes), words)
    scale: Literal["linear", "log"] = "log" if areas[codes].min() > IN_THE_CORNER else "linear"
    return OneVsRest(evaluation.name, tuple(_class_roc(evaluation, int(code), scale) for code in codes), words)


def counts_of(evaluation: ClassEvaluation) -> BinaryCounts:
    """The curve of the positive class as errors."""
    return error_counts(evaluation.tally.outline, evaluation.tally.trials)


def positive_of(evaluation: ClassEvaluation) -> str:
    """The name of the positive class."""
    return str(evaluation.trials.positive)


def from_zero(label: Text, top: float) -> Axis:
    """An axis from a little below 0."""
    top = max(top, LEAST_TOP)
    return Axis(spoken(label), "linear", (padded((0.0, top))[0], top))


def _class_roc(evaluation: ClassEvaluation, code: int, scale: Literal["linear", "log"]) -> ClassCurve:
    """On a log axis in steps, since straight lines would be bent."""
    trials, area = evaluation.tally.one_vs_rest(code), float(evaluation.tally.class_areas.vs_rest[code])
    curve, name = thin(outline_of(trials), trials), str(evaluation.trials.classes[code])
    axes = rate_axis(FPR, scale, trials.nonmated.size), rate_axis(TPR, "linear", 0)
    line = Line(placed(curve.fpr, trials.nonmated.size, scale), curve.recall)
    return ClassCurve(name, line if scale == "linear" else staircase(*line), *axes, f"AUC {decimal(area)}")


def _class_precision(evaluation: ClassEvaluation, code: int) -> ClassCurve:
    trials = evaluation.tally.one_vs_rest(code)
    line, name = _precision_line(thin(outline_of(trials), trials)), str(evaluation.trials.classes[code])
    return ClassCurve(name, line, *_precision_axes(), f"AP {decimal(areas_of(trials).step)}")


def _drawn(evaluation: ClassEvaluation) -> BinaryCounts:
    return thin(evaluation.tally.outline, evaluation.tally.trials)


def _precision_axes() -> Axes:
    return rate_axis(RECALL, "linear", 0), rate_axis(PRECISION, "linear", 0)


def _precision_line(curve: BinaryCounts) -> Line:
    precision_curve = precision_recall(curve)
    return _held(precision_curve.recall, precision_curve.precision)


def _held(x: FloatArray, y: FloatArray) -> Line:
    """Steps that hold each value from its place down to the next, the last one down to 0.

    >>> _held(np.array([1.0, 0.5]), np.array([0.2, 0.7]))
    Line(x=array([1. , 0.5, 0.5, 0. ]), y=array([0.2, 0.2, 0.7, 0.7]))
    """
    across = staircase(np.append(y, y[-1]), np.append(x, 0.0))
    return Line(across.y[:-1], across.x[:-1])


def _found_first(evaluation: ClassEvaluation) -> float:
    """The share of positives among the first tenth of the samples; ties are taken in any order."""
    curve = evaluation.tally.gain
    return float(np.interp(FIRST, curve.share[::-1], curve.gain[::-1]))


def _in_first(found: str) -> str:
    return spoken(say("figure.in_first", found=found, share=f"{100 * FIRST:g}"))


def _lowest_costs(counts: BinaryCounts) -> Line:
    """The lower envelope of the lines of all thresholds, corner by corner."""
    corners = hull(counts)
    fpr, fnr = corners.false_match / counts.n_nonmated, corners.false_nonmatch / counts.n_mated
    meet = -np.diff(fpr) / (np.diff(fnr) - np.diff(fpr))  # two neighbouring lines; from right to left
    cost = meet * fnr[:-1] + (1.0 - meet) * fpr[:-1]
    x = np.concatenate([[0.0], meet[::-1], [1.0]])
    return Line(x, np.concatenate([fpr[-1:], cost[::-1], fnr[:1]]))


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
    return f"{measure} {decimal(evaluation[measure].value)}"


def _point(x: float, y: float) -> Point | None:
    return None if math.isnan(x + y) else Point(x, y)


def _share_axis(first: float) -> Axis:
    return Axis(spoken(SHARE), "log", padded((min(first, FIRST), 1.0), "log"))
