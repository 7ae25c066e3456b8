"""Scores by sample quality on given axes.

Conventions: as in `panels`: mated scores are blue, non-mated ones vermilion.

Holds `draw_quality`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.render.figures.bands import draw_ribbon
from bertillon.render.figures.draw import dress, noted
from bertillon.render.figures.labels import title
from bertillon.render.figures.style import INK, MATED, NONMATED, SMALL
from bertillon.views.figures.quality_data import QualityData

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def draw_quality(ax: Axes, data: QualityData) -> list[Artist]:
    """Medians and ranges of both classes by quality, and the threshold between them."""
    dress(ax, noted(data.x_axis, data.notes), "x")
    dress(ax, data.y_axis, "y")
    artists = title(ax, data.name, above_note=True)
    drawn = []
    for scores, colour in ((data.mated, MATED), (data.nonmated, NONMATED)):
        artists += draw_ribbon(ax, scores.most, colour)
        drawn += ax.plot(*scores.median, color=colour, marker="o", markersize=2.5)
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2, "borderaxespad": 0.0}
    artists += [
        *drawn,
        ax.legend(
            drawn, [spoken(say("figure.quality.mated")), spoken(say("figure.nonmated"))], fontsize=SMALL, **place
        ),
    ]
    return artists + _threshold(ax, data)


def _threshold(ax: Axes, data: QualityData) -> list[Artist]:
    if data.threshold is None:
        return []
    text = f"t = {readable(data.threshold, 4)} (EER)"
    how: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "bottom", "fontsize": SMALL}
    return [
        ax.axhline(data.threshold, color=INK, linewidth=1.0, linestyle="--"),
        ax.text(1.0, data.threshold, text, **how),
    ]
