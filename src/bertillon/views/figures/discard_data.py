"""Coordinates of error-versus-discard curves.

Conventions: the share discarded and the error are in percent. A curve is a staircase: the error holds until the next
quality is discarded as well. Dotted beneath each is the best there could be, were every discard an error. Curves
are shown up to half of the comparisons discarded; beyond that few are left and the errors are noise.

Holds `DiscardLine` and `discard_data`; `shown_steps` and `highest_error` serve the page too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.analysis.discard import DiscardCurve, IntArray
from bertillon.core.messages import say, spoken
from bertillon.counting.curves.error_curve import thinned_rows
from bertillon.views.figures.axis import Axis, padded
from bertillon.views.figures.data import in_percent
from bertillon.views.figures.shapes import Line, Point, Ribbon

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
    kinds = list(dict.fromkeys(curve.kind for curve in curves))
    x_axis = Axis(spoken(say("figure.discarded")), "linear", padded((0.0, PERCENT * SHOWN)))
    top = PERCENT * highest_error(curves) * (1.0 + HEADROOM)
    y_axis = Axis(spoken(in_percent(kinds[0] if len(kinds) == 1 else say("figure.error"))), "linear", (0.0, top))
    return [_line(curve, several=len(kinds) > 1, axes=(x_axis, y_axis)) for curve in curves]


def highest_error(curves: Sequence[DiscardCurve]) -> float:
    """The highest rate that is shown; 1 where there is no error at all, since an axis needs some length."""
    return max(float(curve.error[curve.discarded <= SHOWN].max()) for curve in curves) or 1.0


def shown_steps(curve: DiscardCurve, most: int | None = None) -> tuple[Line, IntArray]:
    """The staircase up to the edge of what is shown, in shares, and the step that each of its points belongs to.

    Along x first, since an error holds until more is discarded. Of very many steps `most` are kept, exact at each.
    """
    rows = np.flatnonzero(curve.discarded <= SHOWN)
    if most is not None:
        rows = rows[thinned_rows(curve.discarded[rows], curve.error[rows], most)]
    x, y = np.append(curve.discarded[rows], SHOWN), np.append(curve.error[rows], curve.error[rows[-1]])
    steps = np.append(rows, rows[-1])
    return Line(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]), np.repeat(steps, 2)[:-1]


def _line(curve: DiscardCurve, *, several: bool, axes: tuple[Axis, Axis]) -> DiscardLine:
    start = PERCENT * curve.starting_error
    name = " ".join(filter(None, (curve.name, curve.kind if several or not curve.name else "")))
    return DiscardLine(
        name, _stairs(curve), Line(np.array([0.0, start]), np.array([start, 0.0])), Point(0.0, start), *axes
    )


def _stairs(curve: DiscardCurve) -> Line:
    line, _ = shown_steps(curve)
    return Line(PERCENT * line.x, PERCENT * line.y)
