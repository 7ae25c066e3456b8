"""Figures about samples and the people behind them: one function a figure.

Conventions: as in `plots`.

Holds `plot_discard`, `plot_menagerie` and `plot_group_rates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from bertillon.analysis.discard import DiscardCurve
from bertillon.analysis.group_rates import GroupRates
from bertillon.analysis.menagerie import Menagerie
from bertillon.core.errors import InputError
from bertillon.render.figures.canvas import Size, axes_for, rows_size
from bertillon.render.figures.discard_draw import draw_discard
from bertillon.render.figures.group_draw import draw_groups
from bertillon.render.figures.group_rates_draw import draw_across
from bertillon.render.figures.menagerie_draw import draw_menagerie
from bertillon.views.figures.discard_data import discard_data
from bertillon.views.figures.group_rates_data import across_data, point_of, rates_by_group
from bertillon.views.figures.menagerie_data import menagerie_data

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

KINDS = ("FNMR", "FMR", "across")


def plot_discard(
    curves: DiscardCurve | Sequence[DiscardCurve], *, ax: Axes | None = None, size: Size | None = None
) -> list[Artist]:
    """The error left by the share of comparisons discarded, of one quality or several (see `bt.error_discard`)."""
    several = [curves] if isinstance(curves, DiscardCurve) else list(curves)
    wrong = next((source for source in several if not isinstance(source, DiscardCurve)), None)
    if wrong is not None or not several:
        kind = "nothing" if wrong is None else type(wrong).__name__
        raise InputError(f"plot_discard: {kind} cannot be drawn; expected what bt.error_discard(...) returns")
    with axes_for(ax, size) as axes:
        return draw_discard(axes, discard_data(several))


def plot_menagerie(zoo: Menagerie, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """Every person by the mean score with oneself and with others, and the four corners (see `bt.menagerie`)."""
    if not isinstance(zoo, Menagerie):
        raise InputError(
            f"plot_menagerie: {type(zoo).__name__} cannot be drawn; expected what bt.menagerie(...) returns"
        )
    with axes_for(ax, size) as axes:
        return draw_menagerie(axes, menagerie_data(zoo))


def plot_group_rates(
    rates: GroupRates,
    kind: Literal["FNMR", "FMR", "across"] = "FNMR",
    *,
    point: str | None = None,
    ax: Axes | None = None,
    size: Size | None = None,
) -> list[Artist]:
    """One error of every group as dots with intervals, or a map of the FMR "across" groups (see `bt.group_rates`).

    `point` is the name of one of its thresholds; without it the first is shown.
    """
    if not isinstance(rates, GroupRates):
        raise InputError(
            f"plot_group_rates: {type(rates).__name__} cannot be drawn; expected what bt.group_rates(...) returns"
        )
    if kind not in KINDS:
        raise InputError(f"plot_group_rates: kind is {kind!r}; expected {', '.join(KINDS)}")
    at = point_of(rates, point)
    if kind == "across":
        with axes_for(ax, size) as axes:
            return draw_across(axes, across_data(at))
    data = rates_by_group(at, kind, rates.level)
    with axes_for(ax, size or (None if ax else rows_size(len(data.rows)))) as axes:
        return draw_groups(axes, data)
