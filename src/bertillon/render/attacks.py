"""Attacks on a system, and on an attack detector, as a figure.

Conventions: figures as in `figures.panels`. Those who do not attack are filled, genuine ones blue and non-mated ones
vermilion; a species of attack is a line, the worst of them the thickest.

Holds `plot_attacks`, `draw_populations` and `attack_figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bertillon.analysis.attacks import AttackFinding
from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.render.figures.canvas import Size, axes_for
from bertillon.render.figures.compose import finished
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.labels import accepted_side
from bertillon.render.figures.style import INK, MATED, NONMATED, PALETTE, SIZE, SMALL, STYLES, new_figure
from bertillon.views.attacks import PopulationsData, populations_data
from bertillon.views.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "attacks"
HEADROOM = 1.35  # above the densities, for the threshold's label
ROOM = 0.4  # of the width, for a text beside the threshold
SPECIES_COLOURS = (*PALETTE[6:], *PALETTE[2:6])  # black first: the worst
FILLED = {"mated": MATED, "bona fide": MATED, "non-mated": NONMATED}
ABOVE = 0.19  # inches of a legend's row


def plot_attacks(rates: AttackFinding, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """Densities of mated, non-mated and attack scores with the threshold, from `bt.attack_rates` or `bt.pad_rates`."""
    if not isinstance(rates, AttackFinding):
        raise InputError(
            f"plot_attacks: {type(rates).__name__} cannot be drawn; expected what bt.attack_rates(...) or "
            "bt.pad_rates(...) returns"
        )
    data = populations_data(rates)
    with axes_for(ax, size) as axes:
        return draw_populations(axes, data)


def attack_figures(rates: AttackFinding) -> dict[str, Callable[[], Figure]]:
    """The figure by its name, made when it is called for."""
    return {KIND: partial(finished, KIND, [rates], kinds={KIND: _figure})}


def _figure(several: Sequence[AttackFinding]) -> Figure:
    data = populations_data(several[0])
    figure = new_figure(height=SIZE[1] + ABOVE * len(data.populations))
    draw_populations(figure.add_subplot(), data)
    return figure


def draw_populations(ax: Axes, data: PopulationsData) -> list[Artist]:
    """The densities, the threshold and the accepted side."""
    highest = (
        max(
            (float(population.density.max()) for population in data.populations if population.density.size), default=0.0
        )
        or 1.0
    )
    dress(ax, noted(data.axis, data.notes), "x")
    dress(ax, Axis(spoken(say("attacks.density")), "linear", (0.0, HEADROOM * highest)), "y")
    ax.set_yticks([])
    artists: list[Artist] = []
    species = 0
    for population in data.populations:
        if population.density.size and population.attacks:
            how: dict[str, Any] = {
                "color": SPECIES_COLOURS[species % len(SPECIES_COLOURS)],
                "linewidth": 1.2 if species else 2.0,
            }
            artists.append(ax.stairs(population.density, data.edges, linestyle=STYLES[species % len(STYLES)], **how))
            species += 1
        elif population.density.size:
            artists.append(
                ax.stairs(population.density, data.edges, fill=True, color=FILLED[population.name], alpha=0.35)
            )
    artists.append(_legend(ax, data, artists))
    return artists + _threshold(ax, data)


def _legend(ax: Axes, data: PopulationsData, drawn: list[Artist]) -> Artist:
    """Above the axes, where no population can be hidden."""
    labels = [population.label for population in data.populations if population.density.size]
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.0}
    # the texts are put in afterwards: older drawing libraries leave out labels that begin with an underscore
    legend = ax.legend(drawn, ["name"] * len(labels), fontsize=SMALL, **place)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
    return legend


def _threshold(ax: Axes, data: PopulationsData) -> list[Artist]:
    if data.threshold is None:
        return []
    low, high = data.axis.limits
    across = (data.threshold - low) / (high - low)
    right = across < 1.0 - ROOM if data.accepts_above else across < ROOM
    place: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "va": "top", "fontsize": SMALL}
    place["ha"] = "left" if right else "right"  # a text to the right of a line is aligned by its left end
    accepted = accepted_side(data.accepts_above)
    value = f" t = {readable(data.threshold, 4)}{f' ({data.fixed_by})' if data.fixed_by else ''} "
    line = ax.axvline(data.threshold, color=INK, linewidth=1.2, linestyle="--")
    return [line, ax.text(data.threshold, 0.99, f"{accepted}\n{value}", **place)]
