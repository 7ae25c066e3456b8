"""Bands around curves: where on the axes they lie, and how they are drawn.

Conventions: a band is a light fill in the colour of its curve, behind all lines; what reaches beyond a log or
normal-deviate axis, such as a lower end of zero, ends at its edge. A word under the axis says what the shade means.

Holds `ribbon` (a band on two axes), `banded` (a curve with its band), `draw_ribbon` and `ribbon_words`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from bertillon.counting.curves.band import Band
from bertillon.views.figures.axis import Axis, clipped
from bertillon.views.figures.shapes import Curve, Ribbon

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

SHADE = 0.18  # of the curve's colour
BEHIND = 1.3  # grid and frame lie below, faint lines and curves above


Banded = TypeVar("Banded", bound=Curve)


def ribbon(band: Band, x_axis: Axis, y_axis: Axis) -> Ribbon:
    """Where a band lies on two axes."""
    low, high = clipped(band.low, y_axis), clipped(band.high, y_axis)
    return Ribbon(clipped(band.x, x_axis), low, high, str(band.name))


def banded(curve: Banded, band: Band | None) -> Banded:
    """The curve with its band; as it is where there is no band, or no curve to go with it."""
    if band is None or curve.note:
        return curve
    return replace(curve, band=ribbon(band, curve.x_axis, curve.y_axis))  # type: ignore[type-var]


def draw_ribbon(ax: Axes, found: Ribbon | None, shade: str) -> list[Artist]:
    """The fill of one band; nothing where there is none."""
    if found is None or not found.x.size:
        return []
    return [ax.fill_between(found.x, found.low, found.high, color=shade, alpha=SHADE, linewidth=0.0, zorder=BEHIND)]


def ribbon_words(ribbons: Iterable[Ribbon | None]) -> list[str]:
    """What the shades of a figure mean, each thing once."""
    return [f"shaded: {words}" for words in dict.fromkeys(one.words for one in ribbons if one is not None)]
