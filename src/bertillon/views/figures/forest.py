"""The forest plot: the difference of every pair of systems in every measure, with its interval, about a line at none.

Conventions: a difference is the second system's value less the first's; rates are in points of percent. Measures of
different units have a panel each.

Holds `forest_panel`, `forest_chart`, `size_of` and `by_unit`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bertillon.core.messages import Text, say
from bertillon.stats.comparing import Difference
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, padded
from bertillon.views.figures.compose import grid

AROUND, ROW = 1.2, 0.32  # inches
NONE_PEN = chart.Pen("faint", ":", 1.0, 1.5)


def forest_panel(differences: Sequence[Difference]) -> chart.Panel:
    """A row for each difference: a dot, the line of its interval, and a line where systems are equal."""
    rate = differences[0].shown_as == "rate"
    factor = 100.0 if rate else 1.0
    numbers = [number for d in differences for number in (d.difference, d.interval.low, d.interval.high)]
    reach = [0.0, *(factor * number for number in numbers if math.isfinite(number))]
    label: Text = say("figure.difference_points") if rate else say("figure.difference")
    axis = Axis(label, *padded((min(reach), max(reach) if any(reach) else 1.0)))
    marks: list[chart.Mark] = [chart.Rule("x", 0.0, NONE_PEN)]
    for index, difference in enumerate(differences):
        ends = (factor * difference.interval.low, factor * difference.interval.high)
        if all(map(math.isfinite, ends)):
            marks.append(chart.Line("", ends, (index, index), pen=chart.Pen(chart.MATED)))
        if math.isfinite(difference.difference):
            marks.append(chart.Spot(factor * difference.difference, index, chart.MATED))
    names = tuple(_called(difference) for difference in differences)
    return chart.Panel(axis, Axis("", 0.0, float(len(names)), names=names), tuple(marks))


def forest_chart(comparisons: Sequence[Any]) -> chart.Chart:
    """A panel for measures that are rates, and one for each other unit."""
    panels = [forest_panel(group) for group in by_unit(comparisons)]
    rows = max(len(panel.y.names) for panel in panels)
    return grid(panels, size_of(rows), columns=len(panels))


def size_of(rows: int) -> chart.Size:
    """Inches of a figure with so many rows."""
    return chart.SIZE[0], AROUND + ROW * rows


def by_unit(comparisons: Sequence[Any]) -> list[list[Difference]]:
    """The differences of comparisons, those of one unit together."""
    every = [difference for found in comparisons for pair in found.pairs for difference in pair.differences]
    units = dict.fromkeys(difference.shown_as for difference in every)
    return [[difference for difference in every if difference.shown_as == unit] for unit in units]


def _called(difference: Difference) -> Text:
    return say("figure.difference_row", measure=difference.measure, first=difference.first, second=difference.second)
