"""Whole figures of one or several classifiers.

Conventions: curves of all classifiers share their axes; confusion matrices, rates by threshold, and curves of several
classes give each classifier a panel. Figures for which no classifier has what they need are left out; a classifier
without it among others is named under the axes, or counted above the panels. The order of the classifiers decides their
colours.

Holds `class_kinds` (the names of the figures there is something to draw in), `make_class_figure` and
`make_calibration_figure`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from bertillon.evaluation.bands import Bands, each_of
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.figures.bands import Banded, banded
from bertillon.figures.class_data import (
    SeveralKind,
    class_det_data,
    class_roc_data,
    cost_curve_data,
    gain_data,
    lift_data,
    one_vs_rest_data,
    precision_recall_data,
    risk_coverage_data,
)
from bertillon.figures.class_table_data import MOST_CELLS, ReliabilityData, confusion_data, reliability_data
from bertillon.figures.class_threshold_data import cost_data, threshold_data
from bertillon.figures.compose import IN_ONE_COLUMN, MOST_PANELS, PANEL_HEIGHT, finished, panels, single
from bertillon.figures.labels import short
from bertillon.figures.style import QUIET, SIZE, SMALL, new_figure
from bertillon.measures.classification.cost import ErrorCosts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")
Evaluations = Sequence[ClassEvaluation]

MOST_LARGE = 6  # panels that are as large as a figure
PAGE = 9.0  # inches a figure may be wide
CELL = (0.8, 0.36)  # inches of a cell of a confusion matrix: of two classes, and of as many as are shown one by one
AROUND = (1.5, 1.2)  # inches for names beside and under a matrix
SMALLEST_MATRIX = 2.8  # inches
MAP = (7.2, 4.6)  # inches of a map of many classes, with the list beside it
LISTED = 1.6  # inches for a list of classes beside their curves
COUNTS = 1.0  # inches for the counts under a reliability diagram
HEIGHTS = (3.2, 1.0)
SCORED = "scores of positives and negatives"


class Kind(NamedTuple):
    """Which classifiers a figure can show, and how it is made."""

    shows: Callable[[ClassEvaluation], bool]
    make: Callable[[Evaluations], Figure]


def class_kinds(evaluations: Evaluations, costs: ErrorCosts | None = None) -> tuple[str, ...]:
    """The figures these classifiers can be drawn in; costs by threshold only where costs are given."""
    return tuple(kind for kind, (shows, _) in _kinds(costs).items() if any(shows(one) for one in evaluations))


def make_class_figure(
    kind: str, evaluations: Evaluations, costs: ErrorCosts | None = None, *, bands: Bands = ()
) -> Figure:
    """The figure of that name, laid out and ready for `save.render`."""
    return finished(kind, evaluations, {name: make for name, (_, make) in _kinds(costs, bands).items()})


def make_calibration_figure(before: ClassEvaluation, after: ClassEvaluation) -> Figure:
    """Reliability before and after calibration, side by side; only one of them where the other has no probabilities."""
    return finished("calibration", [before, after], {"calibration": _calibration})


def _kinds(costs: ErrorCosts | None, bands: Bands = ()) -> dict[str, Kind]:
    several: dict[str, SeveralKind] = {"roc-classes": "roc", "precision-recall-classes": "precision-recall"}
    by_threshold = {} if costs is None else {"cost": Kind(_ranked, partial(_costs, costs=costs))}
    return {
        "confusion": Kind(_decided, _confusion),
        "roc": Kind(_ranked, partial(_roc, bands=bands)),
        "det": Kind(_ranked, partial(_det, bands=bands)),
        "precision-recall": Kind(_ranked, partial(_precision_recall, bands=bands)),
        "thresholds": Kind(_ranked, _thresholds),
        "gain": Kind(_ranked, _gain),
        "lift": Kind(_ranked, _lift),
        **by_threshold,
        "cost-curve": Kind(_ranked, partial(_cost_curve, costs=costs)),
        **{name: Kind(_several, partial(_one_vs_rest, kind=kind)) for name, kind in several.items()},
        "reliability": Kind(probable, partial(_reliability, bands=bands)),
        "risk-coverage": Kind(probable, _risk_coverage),
    }


def _ranked(evaluation: ClassEvaluation) -> bool:
    return evaluation.tally.why_not_ranked is None


def probable(evaluation: ClassEvaluation) -> bool:
    """Does it have probabilities?"""
    return evaluation.tally.why_not_probable is None


def _decided(evaluation: ClassEvaluation) -> bool:
    return evaluation.confusion is not None and evaluation.tally.weight > 0


def _several(evaluation: ClassEvaluation) -> bool:
    """Probabilities of several classes, of which at least two occur."""
    several = evaluation.predictions.positive is None and probable(evaluation)
    return several and int(np.count_nonzero(evaluation.tally.class_totals)) > 1


def _banded(
    make: Callable[[ClassEvaluation], Banded], evaluations: Evaluations, bands: Bands, kind: str
) -> list[Banded]:
    """The curves of a figure, with their bands where there are any."""
    own = each_of(bands, len(evaluations))
    return [banded(make(one), known.get(kind)) for one, known in zip(evaluations, own, strict=True)]


def _roc(evaluations: Evaluations, *, bands: Bands) -> Figure:
    from bertillon.figures.class_draw import draw_class_roc

    figure, ax = single(len(evaluations))
    draw_class_roc(ax, _banded(class_roc_data, evaluations, bands, "roc"))
    return figure


def _det(evaluations: Evaluations, *, bands: Bands) -> Figure:
    from bertillon.figures.class_draw import draw_class_det

    figure, ax = single(len(evaluations))
    draw_class_det(ax, _banded(class_det_data, evaluations, bands, "det"))
    return figure


def _precision_recall(evaluations: Evaluations, *, bands: Bands) -> Figure:
    from bertillon.figures.class_draw import draw_precision_recall

    figure, ax = single(len(evaluations))
    draw_precision_recall(ax, _banded(precision_recall_data, evaluations, bands, "precision-recall"))
    return figure


def _gain(evaluations: Evaluations) -> Figure:
    from bertillon.figures.class_draw import draw_gain

    figure, ax = single(len(evaluations))
    draw_gain(ax, [gain_data(one) for one in evaluations])
    return figure


def _lift(evaluations: Evaluations) -> Figure:
    from bertillon.figures.class_draw import draw_lift

    figure, ax = single(len(evaluations))
    draw_lift(ax, [lift_data(one) for one in evaluations])
    return figure


def _risk_coverage(evaluations: Evaluations) -> Figure:
    from bertillon.figures.class_draw import draw_risk_coverage

    figure, ax = single(len(evaluations))
    draw_risk_coverage(ax, [risk_coverage_data(one) for one in evaluations])
    return figure


def _cost_curve(evaluations: Evaluations, *, costs: ErrorCosts | None) -> Figure:
    from bertillon.figures.class_draw import draw_cost_curve

    figure, ax = single(len(evaluations))
    draw_cost_curve(ax, [cost_curve_data(one, costs) for one in evaluations])
    return figure


def _costs(evaluations: Evaluations, *, costs: ErrorCosts) -> Figure:
    """Probabilities share their axis; scores of two classifiers do not, so each has a panel."""
    from bertillon.figures.class_threshold_draw import draw_costs

    if all(probable(one) for one in evaluations):
        figure, ax = single(len(evaluations))
        draw_costs(ax, [cost_data(one, costs) for one in evaluations])
        return figure
    shown, words = _those(evaluations, _ranked, SCORED)
    figure, axes = _strips(len(shown), words)
    for ax, one in zip(axes, shown, strict=False):
        draw_costs(ax, [cost_data(one, costs)])
    return figure


def _thresholds(evaluations: Evaluations) -> Figure:
    from bertillon.figures.class_threshold_draw import draw_thresholds

    shown, words = _those(evaluations, _ranked, SCORED)
    figure, axes = _strips(len(shown), words)
    for ax, one in zip(axes, shown, strict=False):
        draw_thresholds(ax, threshold_data(one))
    return figure


def _confusion(evaluations: Evaluations) -> Figure:
    from bertillon.figures.class_table_draw import draw_confusion

    shown, words = _those(evaluations, _decided, "decisions")
    data = [confusion_data(one) for one in shown[:MOST_LARGE]]
    sides = [_matrix_size(len(one.classes)) for one in data]
    figure, axes = _grid(len(shown), (max(w for w, _ in sides), max(h for _, h in sides)), words)
    for ax, one in zip(axes, data, strict=True):
        draw_confusion(ax, one)
    return figure


def _one_vs_rest(evaluations: Evaluations, *, kind: SeveralKind) -> Figure:
    from bertillon.figures.class_draw import draw_one_vs_rest

    shown, words = _those(evaluations, _several, "probabilities of several classes")
    figure, axes = _grid(len(shown), (SIZE[0] + LISTED, SIZE[1]), words)
    for ax, one in zip(axes, shown, strict=False):
        draw_one_vs_rest(ax, one_vs_rest_data(one, kind), kind=kind)
    return figure


def _reliability(evaluations: Evaluations, *, bands: Bands) -> Figure:
    figure, ax = single(len(evaluations))
    ax.remove()
    figure.set_figheight(figure.get_figheight() + COUNTS)
    _diagrams(figure, [_banded(reliability_data, evaluations, bands, "reliability")])
    return figure


def _calibration(evaluations: Evaluations) -> Figure:
    titles = ("before calibration", "after calibration")
    shown = [(words, one) for words, one in zip(titles, evaluations, strict=True) if probable(one)]
    figure = new_figure(PAGE if len(shown) > 1 else SIZE[0], SIZE[1] + COUNTS)
    _diagrams(figure, [[replace(reliability_data(one), name=words)] for words, one in shown])
    name = short(evaluations[0].name)
    if name:
        figure.suptitle(name, fontsize=SMALL, color=QUIET, parse_math=False)
    return figure


def _diagrams(figure: Figure, columns: Sequence[Sequence[ReliabilityData]]) -> None:
    """Reliability diagrams side by side, each over its counts."""
    from bertillon.figures.class_table_draw import draw_bin_counts, draw_reliability

    grid = figure.add_gridspec(2, len(columns), height_ratios=HEIGHTS)
    for column, data in enumerate(columns):
        upper, lower = (figure.add_subplot(grid[row, column]) for row in range(2))
        draw_reliability(upper, data)
        draw_bin_counts(lower, data)
        upper.set_xlabel("")
        upper.tick_params(labelbottom=False)


def _matrix_size(classes: int) -> tuple[float, float]:
    """Inches of a confusion matrix: cells get smaller the more there are."""
    if classes > MOST_CELLS:
        return MAP
    cell = CELL[0] + (CELL[1] - CELL[0]) * min((classes - 2) / (MOST_CELLS - 2), 1.0)
    side = max(classes * cell, SMALLEST_MATRIX)
    return side + AROUND[0], side + AROUND[1]


def _strips(count: int, words: str) -> tuple[Figure, list[Axes]]:
    """Panels as wide as a figure, so that there is room for names on their right."""
    if count <= IN_ONE_COLUMN:
        return panels(count, words)
    return _grid(count, (PAGE / 2, PANEL_HEIGHT), words, most=MOST_PANELS)


def _grid(count: int, size: tuple[float, float], words: str, *, most: int = MOST_LARGE) -> tuple[Figure, list[Axes]]:
    """A figure with a panel of that size for each of the first classifiers, side by side where they fit on a page."""
    shown = min(count, most)
    columns = 2 if shown > 1 and 2 * size[0] <= PAGE else 1
    rows = -(-shown // columns)
    figure = new_figure(columns * size[0], rows * size[1])
    left_out = f"the first {shown} of {count} systems" if count > shown else ""
    if left_out or words:
        figure.suptitle("; ".join(filter(None, (left_out, words))), fontsize=SMALL, color=QUIET)
    return figure, [figure.add_subplot(rows, columns, i + 1) for i in range(shown)]


def _those(evaluations: Sequence[T], shows: Callable[[T], bool], needed: str) -> tuple[list[T], str]:
    """Those that can be shown, and how many cannot for want of something."""
    shown = [one for one in evaluations if shows(one)]
    without = len(evaluations) - len(shown)
    return shown, f"not shown: {without} system{'s' if without > 1 else ''} without {needed}" if without else ""
