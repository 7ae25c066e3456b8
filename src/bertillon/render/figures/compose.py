"""Whole figures of one or several systems.

Conventions: ROC and DET show all systems on the same axes; threshold and score figures give each system a panel, as
many as a page can bear. The systems' order decides their colours.

Holds `figures_of` (all of them), `make_figure` (one) and `KINDS` (how each is made, by its name); `together`,
`in_panels`, `finished`, `single`, `panels`, `grid` and `those_with` serve searches and classifiers too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.render.figures.draw import draw_det_log, draw_det_normal, draw_roc, draw_roc_log
from bertillon.render.figures.labels import MOST_BESIDE, MOST_LISTED
from bertillon.render.figures.panels import draw_distributions, draw_rates
from bertillon.render.figures.style import QUIET, SIZE, SMALL, look, new_figure
from bertillon.render.limits import LIMITS
from bertillon.views.figures.data import System, det_data, distribution_data, rates_data, roc_data

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")
Draw = Callable[["Axes", Any], Any]

PANEL_HEIGHT = 2.4  # inches
NAME_HEIGHT = 0.17
PANEL_WIDTH = 3.4
IN_ONE_COLUMN = 4


def figures_of(systems: Sequence[System]) -> dict[str, Callable[[], Figure]]:
    """Every figure of the systems, each made when it is called for."""
    return {kind: partial(make_figure, kind, systems) for kind in KINDS}


def make_figure(kind: str, systems: Sequence[System]) -> Figure:
    """The figure of that name (one of `KINDS`), laid out and ready for `save.render`."""
    return finished(kind, systems, kinds=KINDS)


def finished(kind: str, systems: Sequence[T], *, kinds: Mapping[str, Callable[[Sequence[T]], Figure]]) -> Figure:
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


def together(systems: Sequence[T], *, data: Callable[[T], Any], draw: Draw) -> Figure:
    """All systems on the same axes."""
    figure, ax = single(len(systems))
    draw(ax, [data(system) for system in systems])
    return figure


def in_panels(systems: Sequence[T], *, data: Callable[[T], Any], draw: Draw, note: str = "") -> Figure:
    """Each system on axes of its own."""
    figure, axes = panels(len(systems), note)
    for ax, system in zip(axes, systems, strict=False):
        draw(ax, data(system))
    return figure


KINDS: dict[str, Callable[[Sequence[System]], Figure]] = {
    "roc": partial(together, data=roc_data, draw=draw_roc),
    "roc-log": partial(together, data=partial(roc_data, scale="log"), draw=draw_roc_log),
    "det-normal": partial(together, data=det_data, draw=draw_det_normal),
    "det-log": partial(together, data=partial(det_data, scale="log"), draw=draw_det_log),
    "rates": partial(in_panels, data=rates_data, draw=draw_rates),
    "distributions": partial(in_panels, data=distribution_data, draw=draw_distributions),
}


def single(systems: int = 1) -> tuple[Figure, Axes]:
    """A figure with one pair of axes, and room above them for the names of many systems."""
    names = min(systems, MOST_LISTED) + 1 if systems > MOST_BESIDE else 0
    figure = new_figure(height=SIZE[1] + names * NAME_HEIGHT)
    return figure, figure.add_subplot()


def panels(systems: int, note: str = "") -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each system, as many as a page can bear, and words above them where there are any."""
    shown = min(systems, LIMITS.most_panels)
    if shown == 1:
        size, columns = SIZE, 1
    elif shown <= IN_ONE_COLUMN:
        size, columns = (SIZE[0], PANEL_HEIGHT), 1
    else:
        size, columns = (PANEL_WIDTH, PANEL_HEIGHT), 2
    return grid(systems, size, note=note, columns=columns, most=LIMITS.most_panels)


def grid(
    systems: int, size: tuple[float, float], *, columns: int, most: int, note: str = ""
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel of that size for each of the first systems; above them how many these are, and words."""
    shown = min(systems, most)
    rows = -(-shown // columns)
    figure = new_figure(columns * size[0], rows * size[1])
    left_out = spoken(say("figure.first_systems", n=shown, every=systems)) if systems > shown else ""
    if left_out or note:
        figure.suptitle("; ".join(filter(None, (left_out, note))), fontsize=SMALL, color=QUIET)
    return figure, [figure.add_subplot(rows, columns, i + 1) for i in range(shown)]


def those_with(systems: Sequence[T], shows: Callable[[T], bool], *, needed: str) -> tuple[list[T], str]:
    """The systems that can be shown, and how many cannot for want of something, called by its id."""
    shown = [system for system in systems if shows(system)]
    without = len(systems) - len(shown)
    return shown, spoken(say(f"figure.without.{needed}", n=without)) if without else ""
