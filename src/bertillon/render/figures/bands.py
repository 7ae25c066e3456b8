"""Bands around curves: how they are drawn.

Conventions: a band is a light fill in the colour of its curve, behind all lines. A word under the
axis says what the shade means.

Holds `draw_ribbon` and `band_notes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bertillon.core.messages import say, spoken
from bertillon.views.figures.shapes import Ribbon

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

SHADE = 0.18  # of the curve's colour
BEHIND = 1.3  # grid and frame lie below, faint lines and curves above


def draw_ribbon(ax: Axes, ribbon: Ribbon | None, shade: str) -> list[Artist]:
    """The fill of one band; nothing where there is none."""
    if ribbon is None or not ribbon.x.size:
        return []
    return [ax.fill_between(ribbon.x, ribbon.low, ribbon.high, color=shade, alpha=SHADE, linewidth=0.0, zorder=BEHIND)]


def band_notes(ribbons: Iterable[Ribbon | None]) -> list[str]:
    """What the shades of a figure mean, each thing once."""
    meanings = dict.fromkeys(ribbon.words for ribbon in ribbons if ribbon is not None)
    return [spoken(say("figure.shaded", what=meaning)) for meaning in meanings]
