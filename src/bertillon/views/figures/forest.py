"""The forest plot: the difference of every pair of systems in every measure, with its interval, about a line at none.

Conventions: a difference is the second system's value less the first's; rates are in points of percent. Measures of
different units have a panel each.

Holds `forest_panel`, `forest_panels`, `forest_chart` and `chart_of_pairs`; `size_of`, `height_of`, `by_unit` and
`row_name`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bertillon.core.messages import Text, say
from bertillon.stats.comparing import Difference, Versus
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, padded

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
    names = tuple(row_name(difference) for difference in differences)
    return chart.Panel(axis, Axis("", 0.0, float(len(names)), names=names), tuple(marks))


def forest_chart(comparisons: Sequence[Any]) -> chart.Chart:
    """A panel for measures that are rates, and under it one for each other unit."""
    return chart_of_pairs([pair for found in comparisons for pair in found.pairs])


def chart_of_pairs(pairs: Sequence[Versus]) -> chart.Chart:
    """The same of systems that were tested in pairs."""
    return chart_of_panels(forest_panels(pairs))


def chart_of_panels(panels: Sequence[chart.Panel]) -> chart.Chart:
    """Panels under each other, each as high as its rows need."""
    rows = [len(panel.y.names) for panel in panels]
    return chart.Chart(tuple(panels), size_of(rows), heights=tuple(height_of(count) for count in rows))


def forest_panels(pairs: Sequence[Versus]) -> list[chart.Panel]:
    """A panel for the measures of each unit."""
    return [forest_panel(group) for group in by_unit(pairs)]


def size_of(rows: Sequence[int]) -> chart.Size:
    """Inches of a figure whose panels have so many rows each."""
    return chart.SIZE[0], sum(map(height_of, rows))


def height_of(rows: int) -> float:
    """Inches of a panel with so many rows."""
    return AROUND + ROW * rows


def by_unit(pairs: Sequence[Versus]) -> list[list[Difference]]:
    """The differences of one unit together, and within them those of one measure."""
    every = [difference for pair in pairs for difference in pair.differences]
    places = {name: place for place, name in enumerate(dict.fromkeys(d.measure for d in every))}
    units = dict.fromkeys(difference.shown_as for difference in every)
    ordered = sorted(every, key=lambda difference: places[difference.measure])
    return [[difference for difference in ordered if difference.shown_as == unit] for unit in units]


def row_name(difference: Difference) -> Text:
    """Which measure of which two systems."""
    return say("figure.difference_row", measure=difference.measure, first=difference.first, second=difference.second)
