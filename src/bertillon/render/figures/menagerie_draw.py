"""The menagerie on given axes, and as a whole figure.

Conventions: as in `draw`. The people of a corner have its colour; all others are grey.

Holds `draw_menagerie` and `menagerie_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bertillon.analysis.menagerie import Menagerie
from bertillon.render.figures.compose import finished, grid
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.labels import plain_text, title
from bertillon.render.figures.style import FAINT, PALETTE, SIZE, SMALL
from bertillon.render.limits import LIMITS
from bertillon.views.figures.menagerie_data import CornerBox, MenagerieData, menagerie_data

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "menagerie"
SHADES = {"dove": PALETTE[2], "chameleon": PALETTE[3], "phantom": PALETTE[0], "worm": PALETTE[1]}
SHADE = 0.10
INSET = 0.015  # of the axes, between the frame and a name
FEW, SIZES = 500, (14.0, 4.0)  # people, and how large a point is up to there and beyond


def draw_menagerie(ax: Axes, data: MenagerieData) -> list[Artist]:
    """A point a person, and the four corners."""
    dress(ax, noted(data.x_axis, data.notes), "x")
    dress(ax, data.y_axis, "y")
    total = data.others.x.size + sum(box.people.x.size for box in data.corners)
    how: dict[str, Any] = {"s": SIZES[total > FEW], "linewidths": 0.0, "zorder": 2.0}
    artists: list[Artist] = [*title(ax, data.name), ax.scatter(*data.others, color=FAINT, **how)]
    for box in data.corners:
        artists += _corner(ax, box)
        artists.append(ax.scatter(*box.people, color=SHADES[box.animal], **how))
    return artists


def _corner(ax: Axes, box: CornerBox) -> list[Artist]:
    """The shade of a corner and its name, behind the points so that it hides none."""
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    shade = SHADES[box.animal]
    size = box.x[1] - box.x[0], box.y[1] - box.y[0]
    patch = ax.add_patch(Rectangle((box.x[0], box.y[0]), *size, color=shade, alpha=SHADE, linewidth=0.0, zorder=1.0))
    x, y = (1.0 - INSET if end else INSET for end in (box.right, box.top))
    where = {"ha": "right" if box.right else "left", "va": "top" if box.top else "bottom"}
    rim = [withStroke(linewidth=2.5, foreground="white")]
    return [patch, plain_text(ax, x, y, box.words, color=shade, fontsize=SMALL, path_effects=rim, zorder=1.5, **where)]


def menagerie_figures(zoos: Sequence[Menagerie]) -> dict[str, Callable[[], Figure]]:
    """The figure of all systems, a panel each, made when it is called for; by its name."""
    return {KIND: partial(finished, KIND, zoos, kinds={KIND: _panels})}


def _panels(zoos: Sequence[Menagerie]) -> Figure:
    """A panel each, all as high as one alone: points need the room."""
    figure, axes = grid(len(zoos), SIZE, columns=min(len(zoos), 2), most=LIMITS.most_panels)
    for ax, zoo in zip(axes, zoos, strict=False):
        draw_menagerie(ax, menagerie_data(zoo))
    return figure
