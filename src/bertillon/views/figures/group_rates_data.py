"""Coordinates of error rates by group of people: a dot a group, and a map of the FMR of every two groups.

Conventions: rates are in percent, as in `group_data`, and axes begin at zero, so that twice the rate is twice as far. A
cell of a map is shaded by the share of the highest rate that its own is. Where groups are too many for a figure the
highest rates are shown, and a note says of how many.

Holds `rates_by_group`, `shown_groups`, `AcrossData` with `across_data`, and `point_of`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.analysis.group_rates import GroupRate, GroupRates, PointRates
from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.views.figures.axis import Axis, Limits, padded
from bertillon.views.figures.data import in_percent
from bertillon.views.figures.group_data import PERCENT, GroupRow, GroupsData, ends_of, lines_note
from bertillon.views.figures.names import shortened
from bertillon.views.figures.shapes import FloatArray

MOST_ROWS = 15  # groups of a figure of dots
LONGEST = 20  # characters of a group's name
MOST_MAPPED_GROUPS = 8  # groups of a map, whose rates can still be read


@dataclass(frozen=True, slots=True, eq=False)
class AcrossData:
    """The FMR of every two groups, both ways round; on the diagonal that of two people of one group."""

    groups: tuple[str, ...]
    rows: tuple[tuple[GroupRate | None, ...], ...]  # None where nobody was compared
    rates: FloatArray  # NaN likewise
    shares: FloatArray  # of the highest rate
    notes: tuple[str, ...] = ()


def point_of(rates: GroupRates, name: str | None) -> PointRates:
    """The rates at the threshold of that name, or at the first."""
    chosen = next((point for point in rates.points if name in (None, point.point)), None)
    if chosen is None:
        known = ", ".join(repr(point.point) for point in rates.points)
        raise InputError(f"point {name!r} is not known; expected one of {known}")
    return chosen


def rates_by_group(point: PointRates, kind: str, level: float) -> GroupsData:
    """FNMR of every group, or FMR of two people of it."""
    every = point.fnmr if kind == "FNMR" else point.fmr
    shown = shown_groups(every)
    rows = tuple(_row(rate) for rate in shown)
    notes = [*lines_note([level] if any(row.ends for row in rows) else [])]
    notes += [spoken(say("figure.highest_groups", n=len(shown), every=len(every)))] if len(shown) < len(every) else []
    return GroupsData(kind, rows, Axis(spoken(in_percent(kind)), "linear", _from_zero(rows)), tuple(notes))


def shown_groups(every: Sequence[GroupRate]) -> Sequence[GroupRate]:
    """All of them in their order, or of too many those with the highest rates."""
    return every if len(every) <= MOST_ROWS else sorted(every, key=_highest_first)[:MOST_ROWS]


def across_data(point: PointRates, *, most: int = MOST_MAPPED_GROUPS) -> AcrossData:
    """FMR within groups and across them; of too many groups those with the highest rates."""
    every = [row.group for row in point.fmr]
    kept = every if len(every) <= most else _leading(point, most)
    groups = [group for group in every if group in kept]
    by_groups = {(row.group, row.other or row.group): row for row in (*point.fmr, *point.fmr_across) if row.comparisons}
    cells = tuple(
        tuple(by_groups.get((group, other)) or by_groups.get((other, group)) for other in groups) for group in groups
    )
    rates = np.array([[math.nan if cell is None else PERCENT * cell.value for cell in row] for row in cells])
    highest = float(np.nanmax(rates)) if np.isfinite(rates).any() else 0.0
    some = (say("figure.some_groups", n=len(groups), every=len(every)), say("figure.some_groups.which"))
    notes = tuple(map(spoken, some)) if len(groups) < len(every) else ()
    return AcrossData(tuple(groups), cells, rates, np.nan_to_num(rates / (highest or 1.0)), notes)


def _row(rate: GroupRate) -> GroupRow:
    if math.isnan(rate.value):
        return GroupRow(shortened(rate.group, LONGEST), math.nan, note=spoken(say("figure.no_comparisons")))
    return GroupRow(shortened(rate.group, LONGEST), PERCENT * rate.value, ends_of(rate.rate.interval, PERCENT))


def _from_zero(rows: Sequence[GroupRow]) -> Limits:
    highest = max((end for row in rows for end in (row.value, *(row.ends or ())) if end > 0.0), default=1.0)
    return padded((0.0, highest))


def _highest_first(rate: GroupRate) -> float:
    return math.inf if math.isnan(rate.value) else -rate.value


def _leading(point: PointRates, most: int) -> list[str]:
    """The groups of the highest rates, both groups of a pair."""
    ordered = sorted((*point.fmr, *point.fmr_across), key=_highest_first)
    named = [group for row in ordered for group in (row.group, row.other) if group is not None]
    return list(dict.fromkeys(named))[:most]
