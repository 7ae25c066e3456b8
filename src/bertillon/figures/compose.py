"""Whole figures of one or several systems.

Conventions: ROC and DET show all systems on the same axes; threshold and score figures give each system a panel, as
many as a page can bear. The systems' order decides their colours.

Holds `KINDS` (the names of the figures) and `make_figure`; `finished`, `single` and `panels` are for other figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from bertillon.errors import InputError
from bertillon.figures.data import System, det_data, distribution_data, rates_data, roc_data
from bertillon.figures.labels import MOST_BESIDE, MOST_LISTED
from bertillon.figures.style import QUIET, SIZE, SMALL, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")

MOST_PANELS = 24
PANEL_HEIGHT = 2.4  # inches
NAME_HEIGHT = 0.17
PANEL_WIDTH = 3.4
IN_ONE_COLUMN = 4


def make_figure(kind: str, systems: Sequence[System]) -> Figure:
    """The figure of that name (one of `KINDS`), laid out and ready for `save.render`."""
    return finished(kind, systems, KINDS)


def finished(kind: str, systems: Sequence[T], kinds: Mapping[str, Callable[[Sequence[T]], Figure]]) -> Figure:
    """One of several kinds of figures, laid out."""
    if kind not in kinds:
        raise InputError(f"figure {kind!r} is not known; expected one of {', '.join(kinds)}")
    if not systems:
        raise InputError("no systems to draw; expected at least one")
    with look():
        figure = kinds[kind](systems)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the places just found stay, however often and wherever it is drawn
    return figure


def _roc(systems: Sequence[System]) -> Figure:
    from bertillon.figures.draw import draw_roc

    figure, ax = single(len(systems))
    draw_roc(ax, [roc_data(system) for system in systems])
    return figure


def _roc_log(systems: Sequence[System]) -> Figure:
    from bertillon.figures.draw import draw_roc_log

    figure, ax = single(len(systems))
    draw_roc_log(ax, [roc_data(system, "log") for system in systems])
    return figure


def _det_normal(systems: Sequence[System]) -> Figure:
    from bertillon.figures.draw import draw_det_normal

    figure, ax = single(len(systems))
    draw_det_normal(ax, [det_data(system, "normal") for system in systems])
    return figure


def _det_log(systems: Sequence[System]) -> Figure:
    from bertillon.figures.draw import draw_det_log

    figure, ax = single(len(systems))
    draw_det_log(ax, [det_data(system, "log") for system in systems])
    return figure


def _rates(systems: Sequence[System]) -> Figure:
    from bertillon.figures.panels import draw_rates

    figure, axes = panels(len(systems))
    for ax, system in zip(axes, systems, strict=False):
        draw_rates(ax, rates_data(system))
    return figure


def _distributions(systems: Sequence[System]) -> Figure:
    from bertillon.figures.panels import draw_distributions

    figure, axes = panels(len(systems))
    for ax, system in zip(axes, systems, strict=False):
        draw_distributions(ax, distribution_data(system))
    return figure


KINDS: dict[str, Callable[[Sequence[System]], Figure]] = {
    "roc": _roc,
    "roc-log": _roc_log,
    "det-normal": _det_normal,
    "det-log": _det_log,
    "rates": _rates,
    "distributions": _distributions,
}


def single(systems: int = 1) -> tuple[Figure, Axes]:
    """A figure with one pair of axes, and room above them for the names of many systems."""
    names = min(systems, MOST_LISTED) + 1 if systems > MOST_BESIDE else 0
    figure = new_figure(height=SIZE[1] + names * NAME_HEIGHT)
    return figure, figure.add_subplot()


def panels(systems: int, words: str = "") -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each system, and a word above, where there are too many or one is given."""
    count = min(systems, MOST_PANELS)
    columns = 1 if count <= IN_ONE_COLUMN else 2
    rows = math.ceil(count / columns)
    if count == 1:
        figure = new_figure()
    else:
        figure = new_figure(SIZE[0] if columns == 1 else columns * PANEL_WIDTH, rows * PANEL_HEIGHT)
    left_out = f"the first {count} of {systems} systems" if systems > count else ""
    if left_out or words:
        figure.suptitle("; ".join(filter(None, (left_out, words))), fontsize=SMALL, color=QUIET)
    return figure, [figure.add_subplot(rows, columns, i + 1) for i in range(count)]
