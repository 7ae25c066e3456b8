"""Bands around curves: where on the axes they lie, and how they are drawn.

Conventions: a band is a light fill in the colour of its curve, behind all lines; what reaches beyond a log or
normal-deviate axis, such as a lower end of zero, ends at its edge. A word under the axis says what the shade means.

Holds `Ribbon`, a band in the coordinates of its axes, `ribbon`, `banded`, `draw_ribbon` and `ribbon_words`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.curves.band import Band
from bertillon.figures.axis import Axis, clipped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]

SHADE = 0.18  # of the curve's colour
BEHIND = 1.3  # grid and frame lie below, faint lines and curves above


class Ribbon(NamedTuple):
    """A band on the axes, and what it is in words."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    words: str


class OnAxes(Protocol):
    """A curve that may have a band: where it is drawn, and why it is not where it is not."""

    @property
    def x_axis(self) -> Axis: ...
    @property
    def y_axis(self) -> Axis: ...
    @property
    def note(self) -> str: ...
    @property
    def band(self) -> Ribbon | None: ...


Banded = TypeVar("Banded", bound=OnAxes)


def ribbon(band: Band, x_axis: Axis, y_axis: Axis) -> Ribbon:
    """Where a band lies on two axes."""
    low, high = clipped(band.low, y_axis), clipped(band.high, y_axis)
    return Ribbon(clipped(band.x, x_axis), low, high, band.words)


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
