"""The trade-off of an approximate index on given axes, and as a whole figure.

Conventions: as in `draw`. A number at a point is the effort behind it; the ring is the effort that was used.

Holds `draw_trade_off` and `trade_off_figures`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bertillon.core.messages import say, spoken
from bertillon.evaluation import IndexedSearch
from bertillon.render.figures.compose import finished, in_panels
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.labels import title
from bertillon.render.figures.style import QUIET, SMALL, colour, line_style
from bertillon.views.figures.index_data import TradeOffData, trade_off_data
from bertillon.views.figures.shapes import Point

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "index"
APART = 0.05  # of the width of the axes, from one number to the next
WORDS = say("figure.efforts")


def draw_trade_off(ax: Axes, data: TradeOffData) -> list[Artist]:
    """Loss by speed, a line a rate, and the exact search."""
    dress(ax, noted(data.x_axis, [spoken(WORDS)]), "x")
    dress(ax, data.y_axis, "y")
    artists: list[Artist] = title(ax, data.name)
    for i, line in enumerate(data.lines):
        shade = colour(i)
        artists += ax.plot(*line.line, "o", color=shade, linestyle=line_style(i), markersize=4, label=line.name)
        artists += ax.plot(*line.used, "o", markersize=10, markerfacecolor="none", markeredgecolor=shade)
    artists += ax.plot(*data.exact, "D", color=QUIET, markersize=5, linestyle="none", label=spoken(say("figure.exact")))
    artists += _efforts(ax, data)
    artists.append(ax.legend(loc="upper left", framealpha=0.0))
    return artists


def _efforts(ax: Axes, data: TradeOffData) -> list[Artist]:
    """The effort of each point, above the highest line; one that would touch another number is left out."""
    artists: list[Artist] = []
    width, taken = ax.get_window_extent().width, list[Point]()
    for index, effort in enumerate(data.efforts):
        x, y = data.lines[0].line.x[index], max(line.line.y[index] for line in data.lines)
        here = Point(*ax.transData.transform((x, y)))
        if all(math.dist(here, other) >= APART * width for other in taken):
            how: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": SMALL, "color": QUIET}
            artists.append(ax.annotate(f"{effort}", (x, y), (0, 7), **how))
            taken.append(here)
    return artists


def trade_off_figures(indexed: Sequence[IndexedSearch]) -> dict[str, Callable[[], Figure]]:
    """The figure of all indexes, a panel each, made when it is called for; by its name."""
    kinds = {KIND: partial(in_panels, data=trade_off_data, draw=draw_trade_off)}
    return {KIND: partial(finished, KIND, indexed, kinds=kinds)}
