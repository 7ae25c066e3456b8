"""Error rates by group of people on given axes, and as whole figures.

Conventions: as in `draw`. A cell of a map is the darker, the higher its rate is among those shown.

Holds `draw_across` and `group_rate_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bertillon.analysis.group_rates import GroupRates, PointRates
from bertillon.core.messages import say, spoken
from bertillon.render.figures.canvas import rows_size
from bertillon.render.figures.class_table_draw import DARK, name_cells, shades
from bertillon.render.figures.compose import PANEL_WIDTH, finished, grid
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.group_draw import draw_groups
from bertillon.render.figures.labels import title
from bertillon.render.figures.style import INK, SIZE
from bertillon.render.limits import LIMITS
from bertillon.views.figures.axis import Axis
from bertillon.views.figures.class_table_data import LONGEST_CLASS
from bertillon.views.figures.group_rates_data import AcrossData, across_data, rates_by_group
from bertillon.views.figures.names import shortened

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND, ACROSS = "groups", "groups-across"
TITLE = 0.3  # inches above a panel
MAP = 3.6  # inches: the side of a map among several

At = tuple[GroupRates, PointRates]


def draw_across(ax: Axes, data: AcrossData) -> list[Artist]:
    """The FMR of every two groups, each in its cell; grey where nobody was compared."""
    import numpy as np

    last = len(data.groups) - 0.5
    dress(ax, noted(Axis(spoken(say("figure.across")), "linear", (-0.5, last)), data.notes), "x")
    dress(ax, Axis("", "linear", (last, -0.5)), "y")
    ax.grid(visible=False)
    known = np.where(np.isnan(data.rates), np.nan, data.shares)
    artists: list[Artist] = [ax.imshow(known, cmap=shades(), vmin=0.0, vmax=1.0, interpolation="nearest")]
    names = [shortened(group, LONGEST_CLASS) for group in data.groups]
    size = name_cells(ax, names, names, longest=len("0.0888"))
    for row, column in zip(*np.nonzero(~np.isnan(data.rates)), strict=True):
        how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        how["color"] = "white" if data.shares[row, column] > DARK else INK
        artists.append(ax.text(column, row, f"{data.rates[row, column]:.3g}", **how))
    return artists


def group_rate_figures(systems: Sequence[GroupRates]) -> dict[str, Callable[[], Figure]]:
    """Dots of both errors, and maps of every two groups where there are two, of each threshold; by their names."""
    kinds = {KIND: _dots} | ({ACROSS: _maps} if any(len(system.groups) > 1 for system in systems) else {})
    return {kind: partial(finished, kind, systems, kinds=kinds) for kind in kinds}


def _dots(systems: Sequence[GroupRates]) -> Figure:
    """A row of two panels for each threshold: FNMR and FMR."""
    shown, note = _shown(systems, LIMITS.most_panels // 2)
    panels = [(at, kind, rates_by_group(at[1], kind, at[0].level)) for at in shown for kind in ("FNMR", "FMR")]
    height = rows_size(max(len(data.rows) for _, _, data in panels))[1] + TITLE
    figure, axes = grid(len(panels), (PANEL_WIDTH, height), columns=2, most=LIMITS.most_panels, note=note)
    for ax, (at, kind, data) in zip(axes, panels, strict=True):
        draw_groups(ax, data)
        if kind == "FNMR":
            title(ax, _called(at, systems))
    return figure


def _maps(systems: Sequence[GroupRates]) -> Figure:
    """A map for each threshold."""
    shown, note = _shown([system for system in systems if len(system.groups) > 1], LIMITS.most_panels)
    alone = len(shown) == 1
    figure, axes = grid(
        len(shown), SIZE if alone else (MAP, MAP), columns=1 if alone else 2, most=LIMITS.most_panels, note=note
    )
    for ax, at in zip(axes, shown, strict=True):
        draw_across(ax, across_data(at[1]))
        title(ax, _called(at, systems))
    return figure


def _shown(systems: Sequence[GroupRates], most: int) -> tuple[list[At], str]:
    """The thresholds of all systems, as many as a figure can bear, and how many these are."""
    every = [(system, point) for system in systems for point in system.points]
    return every[:most], spoken(say("figure.first_thresholds", n=most, every=len(every))) if len(every) > most else ""


def _called(at: At, systems: Sequence[GroupRates]) -> str:
    """The threshold by its name, and among several systems whose it is."""
    return f"{at[0].name}: {at[1].point}" if len(systems) > 1 else at[1].point
