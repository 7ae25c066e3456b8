"""Bands around curves: where on the axes they lie.

Conventions: what reaches beyond a log or normal-deviate axis, such as a lower end of zero, ends at its edge.

Holds `ribbon` (a band on two axes) and `banded` (a curve with its band).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from bertillon.core.messages import spoken
from bertillon.counting.curves.error_curve import Band
from bertillon.views.figures.axis import Axis, clipped
from bertillon.views.figures.shapes import Curve, Ribbon

Banded = TypeVar("Banded", bound=Curve)


def ribbon(band: Band, x_axis: Axis, y_axis: Axis) -> Ribbon:
    """Where a band lies on two axes."""
    low, high = clipped(band.low, y_axis), clipped(band.high, y_axis)
    return Ribbon(clipped(band.x, x_axis), low, high, spoken(band.name))


def banded(curve: Banded, band: Band | None) -> Banded:
    """The curve with its band; as it is where there is no band, or no curve to go with it."""
    if band is None or curve.note:
        return curve
    return replace(curve, band=ribbon(band, curve.x_axis, curve.y_axis))  # type: ignore[type-var]
