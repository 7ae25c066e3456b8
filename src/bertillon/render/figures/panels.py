"""Errors by threshold and score distributions: one system to a panel, since scores of two systems share no axis.

Conventions: as in `draw`. What stems from mated comparisons (mated scores, FNMR) is blue, what stems from non-mated
ones (non-mated scores, FMR) is vermilion. Densities have no ticks: their heights mean nothing by themselves.

Holds `draw_rates` and `draw_distributions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.labels import Side, accepted_side, note_text, title
from bertillon.render.figures.style import INK, MATED, NONMATED, QUIET, SMALL
from bertillon.views.figures.axis import Axis
from bertillon.views.figures.data import DistributionData, RatesData
from bertillon.views.figures.names import percent_label, sized
from bertillon.views.figures.shapes import Line

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

HEADROOM = 1.3  # above the densities, for the threshold's label
ERROR_RATES = (-0.02, 1.25)  # limits
TOP_ROW = 1.15  # above the highest rate and the names of the curves
ROOM = 0.35  # of the width, for a text beside a line


def draw_rates(ax: Axes, data: RatesData) -> list[Artist]:
    """FMR and FNMR by threshold, and where they meet."""
    dress(ax, noted(data.axis, [*band_notes([data.fmr_band, data.fnmr_band]), *data.notes]), "x")
    dress(ax, Axis(spoken(say("figure.error_rate")), "linear", ERROR_RATES), "y")
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    artists = title(ax, data.name)
    artists += _rate(ax, data.fmr, "FMR (FAR)", NONMATED)
    artists += _rate(ax, data.fnmr, "FNMR (FRR)", MATED)
    artists += [*draw_ribbon(ax, data.fmr_band, NONMATED), *draw_ribbon(ax, data.fnmr_band, MATED)]
    if data.eer_point is not None:
        x, y = data.eer_point
        artists.append(ax.axvline(x, color=QUIET, linewidth=0.9, linestyle=":", zorder=1.5))
        artists += ax.plot([x], [y], "o", color=INK, markersize=5, markeredgecolor="white", zorder=3)
        text = f" {spoken(say('figure.eer_at', eer=percent_label(y), threshold=readable(x, 4)))} "
        artists.append(ax.text(x, TOP_ROW, text, ha=_side(_across(data.axis, x), prefer_right=True), fontsize=SMALL))
    return artists


def draw_distributions(ax: Axes, data: DistributionData) -> list[Artist]:
    """Densities of mated and non-mated scores, the threshold between them and the accepted side."""
    highest = max((float(d.max()) for d in (data.mated, data.nonmated) if d.size), default=0.0) or 1.0
    dress(ax, noted(data.axis, data.notes), "x")
    dress(ax, Axis(spoken(say("attacks.density")), "linear", (0.0, HEADROOM * highest)), "y")
    ax.set_yticks([])
    artists = title(ax, data.name, above_note=True)
    for density, size, kind, colour in (
        (data.nonmated, data.n_nonmated, "nonmated", NONMATED),
        (data.mated, data.n_mated, "mated", MATED),
    ):
        if density.size:
            label = sized(say(f"figure.{kind}"), size)
            artists += [
                ax.stairs(density, data.edges, fill=True, color=colour, alpha=0.35, label=label),
                ax.stairs(density, data.edges, color=colour, linewidth=1.2),
            ]
    if data.mated.size or data.nonmated.size:
        artists.append(
            ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.0, fontsize=SMALL)
        )
    return artists + _threshold(ax, data)


def _rate(ax: Axes, line: Line, name: str, colour: str) -> list[Artist]:
    """A rate by threshold, named at its higher end."""
    if not line.x.size:
        return []
    at = 0 if line.y[0] >= line.y[-1] else -1
    align = "left" if line.x[at] == line.x.min() else "right"
    (drawn,) = ax.plot(*line, color=colour)
    side = Side(0.0, 2.0, align, "bottom")
    return [drawn, note_text(ax, line.x[at], line.y[at], name, side=side, color=colour, fontsize=SMALL)]


def _threshold(ax: Axes, data: DistributionData) -> list[Artist]:
    """The threshold with its value, and an arrow to the accepted side."""
    if data.threshold is None:
        return []
    across = _across(data.axis, data.threshold)
    place: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "va": "top", "fontsize": SMALL}
    accepted = accepted_side(data.accepts_above)
    value = f" t = {readable(data.threshold, 4)} (EER) "
    return [
        ax.axvline(data.threshold, color=INK, linewidth=1.2, linestyle="--"),
        ax.text(data.threshold, 0.99, accepted, ha=_side(across, prefer_right=data.accepts_above), **place),
        ax.text(data.threshold, 0.89, value, ha=_side(across, prefer_right=data.accepts_above), **place),
    ]


def _side(across: float, *, prefer_right: bool) -> str:
    """Where a text beside an upright line goes: the side preferred, if there is room for it."""
    right = across < 1.0 - ROOM if prefer_right else across < ROOM
    return "left" if right else "right"  # a text to the right of a line is aligned by its left end


def _across(axis: Axis, x: float) -> float:
    """How far along the axis, from 0 to 1."""
    return (x - axis.limits[0]) / (axis.limits[1] - axis.limits[0])
