"""Whole figures of one or several classifiers.

Conventions: curves of all classifiers share their axes; confusion matrices, rates by threshold, and curves of several
classes give each classifier a panel. Figures for which no classifier has what they need are left out; a classifier
without it among others is named under the axes, or counted above the panels. The order of the classifiers decides their
colours.

Holds `class_figures` (all there is something to draw in), `class_kinds` (their names), `make_class_figure` and
`make_calibration_figure`; `prices_of` reads the costs of errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.evaluation import Bands, ClassEvaluation, each_of
from bertillon.measures.cost import ErrorCosts
from bertillon.render.figures import class_draw
from bertillon.render.figures.class_table_draw import draw_bin_counts, draw_confusion, draw_reliability
from bertillon.render.figures.class_threshold_draw import draw_costs, draw_thresholds
from bertillon.render.figures.compose import (
    IN_ONE_COLUMN,
    PANEL_HEIGHT,
    Draw,
    finished,
    grid,
    in_panels,
    single,
    those_with,
    together,
)
from bertillon.render.figures.style import QUIET, SIZE, SMALL, new_figure
from bertillon.render.limits import LIMITS
from bertillon.views.figures import class_data
from bertillon.views.figures.bands import Banded, banded
from bertillon.views.figures.class_choice import has_probabilities
from bertillon.views.figures.class_table_data import MOST_CELLS, ReliabilityData, confusion_data, reliability_data
from bertillon.views.figures.class_threshold_data import cost_data, threshold_data
from bertillon.views.figures.names import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
COSTS = ("fn", "fp", "prevalence")
PRECISION_RECALL: dict[str, Any] = {
    "data": class_data.precision_recall_data,
    "draw": class_draw.draw_precision_recall,
}
RISK_COVERAGE: dict[str, Any] = {"data": class_data.risk_coverage_data, "draw": class_draw.draw_risk_coverage}


class Kind(NamedTuple):
    """Which classifiers a figure can show, and how it is made."""

    shows: Callable[[ClassEvaluation], bool]
    make: Callable[[Evaluations], Figure]


def class_kinds(evaluations: Evaluations, costs: ErrorCosts | None = None) -> tuple[str, ...]:
    """The figures these classifiers can be drawn in; costs by threshold only where costs are given."""
    return tuple(
        name for name, kind in _kinds(costs).items() if any(kind.shows(evaluation) for evaluation in evaluations)
    )


def class_figures(
    evaluations: Evaluations, *, costs: Mapping[str, float] | None = None, bands: Bands = ()
) -> dict[str, Callable[[], Figure]]:
    """Every figure that applies to the classifiers, each made when it is called for.

    `costs` are what a missed positive (fn) and a false alarm (fp) cost, perhaps at another share of positives
    (prevalence); with them costs are drawn by threshold. `bands` of each classifier are drawn around its curves.
    """
    prices = None if costs is None else prices_of(costs)
    kinds = class_kinds(evaluations, prices)
    return {kind: partial(make_class_figure, kind, evaluations, costs=prices, bands=bands) for kind in kinds}


def make_class_figure(
    kind: str, evaluations: Evaluations, *, costs: ErrorCosts | None = None, bands: Bands = ()
) -> Figure:
    """The figure of that name, laid out and ready for `save.render`."""
    makers = {name: entry.make for name, entry in _kinds(costs, bands).items()}
    return finished(kind, evaluations, kinds=makers)


def make_calibration_figure(before: ClassEvaluation, after: ClassEvaluation) -> Figure:
    """Reliability before and after calibration, side by side; only one of them where the other has no probabilities."""
    return finished("calibration", [before, after], kinds={"calibration": _calibration})


def prices_of(costs: Mapping[str, float]) -> ErrorCosts:
    """Costs by their names; at least one of the two errors must cost something."""
    unknown = [name for name in costs if name not in COSTS]
    if unknown:
        raise InputError(f"cost {unknown[0]!r} is not known; expected {', '.join(COSTS)}")
    prices = ErrorCosts(**costs)
    if not prices.fn + prices.fp:
        raise InputError("both costs are 0, so every decision is as good; expected one above 0")
    return prices


def _kinds(costs: ErrorCosts | None, bands: Bands = ()) -> dict[str, Kind]:
    at_costs = {} if costs is None else {"cost": Kind(_ranked, partial(_costs, costs=costs))}
    cost_curve = partial(class_data.cost_curve_data, costs=costs)
    shaded = partial(_with_bands, bands=bands)
    return {
        "confusion": Kind(_decided, _confusion),
        "roc": Kind(
            _ranked, partial(shaded, kind="roc", data=class_data.class_roc_data, draw=class_draw.draw_class_roc)
        ),
        "det": Kind(
            _ranked, partial(shaded, kind="det", data=class_data.class_det_data, draw=class_draw.draw_class_det)
        ),
        "precision-recall": Kind(_ranked, partial(shaded, kind="precision-recall", **PRECISION_RECALL)),
        "thresholds": Kind(_ranked, partial(_strips, data=threshold_data, draw=draw_thresholds)),
        "gain": Kind(_ranked, partial(together, data=class_data.gain_data, draw=class_draw.draw_gain)),
        "lift": Kind(_ranked, partial(together, data=class_data.lift_data, draw=class_draw.draw_lift)),
        **at_costs,
        "cost-curve": Kind(_ranked, partial(together, data=cost_curve, draw=class_draw.draw_cost_curve)),
        "roc-classes": Kind(_several, partial(_one_vs_rest, kind="roc")),
        "precision-recall-classes": Kind(_several, partial(_one_vs_rest, kind="precision-recall")),
        "reliability": Kind(has_probabilities, partial(_reliability, bands=bands)),
        "risk-coverage": Kind(has_probabilities, partial(together, **RISK_COVERAGE)),
    }


def _ranked(evaluation: ClassEvaluation) -> bool:
    return evaluation.tally.why_not_ranked is None


def _decided(evaluation: ClassEvaluation) -> bool:
    return evaluation.tally.confusion is not None and evaluation.tally.weight > 0


def _several(evaluation: ClassEvaluation) -> bool:
    """Probabilities of several classes, of which at least two occur."""
    several = evaluation.trials.positive is None and has_probabilities(evaluation)
    return several and int(np.count_nonzero(evaluation.tally.class_totals)) > 1


def _with_bands(
    evaluations: Evaluations, *, kind: str, data: Callable[[ClassEvaluation], Banded], draw: Draw, bands: Bands
) -> Figure:
    """All classifiers on the same axes, each with its band where there is one."""
    figure, ax = single(len(evaluations))
    draw(ax, _banded(data, evaluations, bands, kind))
    return figure


def _banded(
    data: Callable[[ClassEvaluation], Banded], evaluations: Evaluations, bands: Bands, kind: str
) -> list[Banded]:
    """The curves of a figure, with their bands where there are any."""
    own = each_of(bands, len(evaluations))
    return [banded(data(evaluation), known.get(kind)) for evaluation, known in zip(evaluations, own, strict=True)]


def _costs(evaluations: Evaluations, *, costs: ErrorCosts) -> Figure:
    """Probabilities share their axis; scores of two classifiers do not, so each has a panel."""
    data = partial(cost_data, costs=costs)
    if all(has_probabilities(evaluation) for evaluation in evaluations):
        return together(evaluations, data=data, draw=draw_costs)
    return _strips(evaluations, data=lambda evaluation: [data(evaluation)], draw=draw_costs)


def _strips(evaluations: Evaluations, *, data: Callable[[ClassEvaluation], Any], draw: Draw) -> Figure:
    """A panel for each classifier, as wide as a figure so that there is room for names on its right."""
    shown, note = those_with(evaluations, _ranked, needed="ranked")
    if len(shown) <= IN_ONE_COLUMN:
        return in_panels(shown, data=data, draw=draw, note=note)
    figure, axes = grid(len(shown), (PAGE / 2, PANEL_HEIGHT), columns=2, most=LIMITS.most_panels, note=note)
    for ax, evaluation in zip(axes, shown, strict=False):
        draw(ax, data(evaluation))
    return figure


def _confusion(evaluations: Evaluations) -> Figure:
    shown, note = those_with(evaluations, _decided, needed="decided")
    data = [confusion_data(evaluation) for evaluation in shown[:MOST_LARGE]]
    sides = [_matrix_size(len(matrix.classes)) for matrix in data]
    figure, axes = _large(len(shown), (max(w for w, _ in sides), max(h for _, h in sides)), note)
    for ax, matrix in zip(axes, data, strict=True):
        draw_confusion(ax, matrix)
    return figure


def _one_vs_rest(evaluations: Evaluations, *, kind: class_data.SeveralKind) -> Figure:
    shown, note = those_with(evaluations, _several, needed="several")
    figure, axes = _large(len(shown), (SIZE[0] + LISTED, SIZE[1]), note)
    for ax, evaluation in zip(axes, shown, strict=False):
        class_draw.draw_one_vs_rest(ax, class_data.one_vs_rest_data(evaluation, kind), kind=kind)
    return figure


def _reliability(evaluations: Evaluations, *, bands: Bands) -> Figure:
    figure, ax = single(len(evaluations))
    ax.remove()
    figure.set_figheight(figure.get_figheight() + COUNTS)
    _diagrams(figure, [_banded(reliability_data, evaluations, bands, "reliability")])
    return figure


def _calibration(evaluations: Evaluations) -> Figure:
    titles = (spoken(say("figure.before")), spoken(say("figure.after")))
    shown = [
        (heading, evaluation)
        for heading, evaluation in zip(titles, evaluations, strict=True)
        if has_probabilities(evaluation)
    ]
    figure = new_figure(PAGE if len(shown) > 1 else SIZE[0], SIZE[1] + COUNTS)
    _diagrams(figure, [[replace(reliability_data(evaluation), name=heading)] for heading, evaluation in shown])
    name = shortened(evaluations[0].name)
    if name:
        figure.suptitle(name, fontsize=SMALL, color=QUIET, parse_math=False)
    return figure


def _diagrams(figure: Figure, columns: Sequence[Sequence[ReliabilityData]]) -> None:
    """Reliability diagrams side by side, each over its counts."""
    cells = figure.add_gridspec(2, len(columns), height_ratios=HEIGHTS)
    for column, data in enumerate(columns):
        upper, lower = (figure.add_subplot(cells[row, column]) for row in range(2))
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


def _large(count: int, size: tuple[float, float], note: str) -> tuple[Figure, list[Axes]]:
    """Panels as large as figures, side by side where they fit on a page."""
    columns = 2 if count > 1 and 2 * size[0] <= PAGE else 1
    return grid(count, size, columns=columns, most=MOST_LARGE, note=note)
