"""One measure over several groups or systems, as dots with intervals on given axes.

Conventions: as in `draw`. All dots have one colour: the rows are told apart by their names.

Holds `draw_groups`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.style import MATED, QUIET, SMALL
from bertillon.views.figures.axis import Axis
from bertillon.views.figures.group_data import GroupsData

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

EDGE = 0.6  # rows above the first and below the last


def draw_groups(ax: Axes, data: GroupsData) -> list[Artist]:
    """A dot a group at its value, and a line from end to end of its interval."""
    last = len(data.rows) - 1
    dress(ax, noted(data.axis, data.notes), "x")
    dress(ax, Axis("", "linear", (last + EDGE, -EDGE)), "y")
    ax.set_yticks(range(last + 1), labels=[row.name for row in data.rows], parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    artists: list[Artist] = []
    for index, row in enumerate(data.rows):
        if math.isnan(row.value):
            how: dict[str, Any] = {"color": QUIET, "fontsize": SMALL, "va": "center"}
            artists.append(ax.text(data.axis.limits[0], index, f" {row.note}", parse_math=False, **how))
            continue
        if row.ends is not None:
            artists += ax.plot(row.ends, [index, index], color=MATED, solid_capstyle="butt")
        artists += ax.plot([row.value], [index], "o", color=MATED, markersize=5, markeredgecolor="white", zorder=3)
    return artists
