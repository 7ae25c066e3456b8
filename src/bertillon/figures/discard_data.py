"""Coordinates of error-versus-discard curves.

Conventions: the share discarded and the error are in percent. A curve is a staircase: the error holds until the next
quality is discarded as well. Dotted beneath each is the best there could be, were every discard an error. Curves
are shown up to half of the comparisons discarded; beyond that few are left and the errors are noise.

Holds `DiscardLine` and `discard_data`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.analysis.discard import DiscardCurve
from bertillon.figures.axis import Axis, padded
from bertillon.figures.shapes import Line, Point, Ribbon

PERCENT = 100.0
SHOWN = 0.5  # of the comparisons, discarded
HEADROOM = 0.08  # of the highest error


@dataclass(frozen=True, slots=True, eq=False)
class DiscardLine:
    """One curve, the best there could be, and the axes it needs."""

    name: str
    line: Line
    best: Line
    start: Point
    x_axis: Axis
    y_axis: Axis
    note: str = ""
    band: Ribbon | None = None


def discard_data(curves: Sequence[DiscardCurve]) -> list[DiscardLine]:
    """The lines of several curves on common axes."""
    shown = [curve.discarded <= SHOWN for curve in curves]
    highest = max(float(curve.error[there].max()) for curve, there in zip(curves, shown, strict=True))
    kinds = list(dict.fromkeys(curve.kind for curve in curves))
    x_axis = Axis("Comparisons discarded in %, lowest quality first", "linear", padded((0.0, PERCENT * SHOWN)))
    top = PERCENT * (highest or 1.0) * (1.0 + HEADROOM)
    y_axis = Axis(f"{kinds[0] if len(kinds) == 1 else 'Error'} in %", "linear", (0.0, top))
    return [_line(curve, several=len(kinds) > 1, axes=(x_axis, y_axis)) for curve in curves]


def _line(curve: DiscardCurve, *, several: bool, axes: tuple[Axis, Axis]) -> DiscardLine:
    start = PERCENT * curve.starting_error
    name = " ".join(filter(None, (curve.name, curve.kind if several or not curve.name else "")))
    return DiscardLine(
        name, _stairs(curve), Line(np.array([0.0, start]), np.array([start, 0.0])), Point(0.0, start), *axes
    )


def _stairs(curve: DiscardCurve) -> Line:
    """Along x first, since an error holds until more is discarded; up to the edge of what is shown."""
    rows = slice(0, int(np.count_nonzero(curve.discarded <= SHOWN)))
    x, y = np.append(curve.discarded[rows], SHOWN), np.append(curve.error[rows], curve.error[rows][-1])
    return Line(PERCENT * np.repeat(x, 2)[1:], PERCENT * np.repeat(y, 2)[:-1])
