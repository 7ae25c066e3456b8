"""Error-versus-discard curves on given axes, and as a whole figure.

Conventions: as in `draw`. The faint level line is where the error stays when discarding has nothing to do with quality.

Holds `draw_discard` and `discard_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bertillon.analysis.discard import DiscardCurve
from bertillon.core.messages import say, spoken
from bertillon.render.figures.compose import finished, in_panels
from bertillon.render.figures.draw import draw_line, dress, noted
from bertillon.render.figures.labels import title
from bertillon.render.figures.style import FAINT, SMALL, colour
from bertillon.views.figures.discard_data import DiscardLine, discard_data

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "discard"
WORDS = say("figure.discard_lines")


def draw_discard(ax: Axes, lines: Sequence[DiscardLine], name: str = "") -> list[Artist]:
    """Each curve with the best there could be, and where it would stay at random."""
    dress(ax, noted(lines[0].x_axis, [spoken(WORDS)]), "x")
    dress(ax, lines[0].y_axis, "y")
    artists: list[Artist] = []
    drawn = []
    for index, line in enumerate(lines):
        artists.append(ax.axhline(line.start.y, color=FAINT, linewidth=1.0, zorder=1.4))
        artists += ax.plot(*line.best, color=colour(index), linewidth=1.0, linestyle=":", zorder=1.5)
        drawn.append(draw_line(ax, line, index))
    artists += [*title(ax, name, above_note=True), *drawn]
    above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.0}
    legend = ax.legend(drawn, ["name"] * len(lines), fontsize=SMALL, **above)
    for text, discarded in zip(legend.get_texts(), lines, strict=True):
        text.set_parse_math(False)
        text.set_text(discarded.name)
    return [*artists, legend]


def discard_figures(systems: Sequence[tuple[str, Sequence[DiscardCurve]]]) -> dict[str, Callable[[], Figure]]:
    """The figure of all systems, a panel each with its curves, made when it is called for; by its name."""

    def draw(ax: Axes, system: tuple[str, list[DiscardLine]]) -> Any:
        return draw_discard(ax, system[1], system[0])

    kinds = {KIND: partial(in_panels, data=lambda named: (named[0], discard_data(named[1])), draw=draw)}
    return {KIND: partial(finished, KIND, systems, kinds=kinds)}
