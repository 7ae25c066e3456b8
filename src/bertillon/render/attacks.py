"""Attacks on a system, and on an attack detector, as a figure.

Holds `plot_attacks` and `attack_figures`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bertillon.analysis.attacks import AttackFinding
from bertillon.core.errors import InputError
from bertillon.render.figures.draw import draw_panel
from bertillon.render.figures.figure import axes_for, draw_chart
from bertillon.views.attacks import attacks_chart, populations_data, populations_panel
from bertillon.views.figures.chart import Size

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "attacks"


def plot_attacks(rates: AttackFinding, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """Densities of mated, non-mated and attack scores with the threshold, from `bt.attack_rates` or `bt.pad_rates`."""
    if not isinstance(rates, AttackFinding):
        raise InputError(
            f"plot_attacks: {type(rates).__name__} cannot be drawn; expected what bt.attack_rates(...) or "
            "bt.pad_rates(...) returns"
        )
    with axes_for(ax, size) as axes:
        return draw_panel(axes, populations_panel(populations_data(rates)))


def attack_figures(rates: AttackFinding) -> dict[str, Callable[[], Figure]]:
    """The figure by its name, made when it is called for."""
    return {KIND: lambda: draw_chart(attacks_chart(rates))}
