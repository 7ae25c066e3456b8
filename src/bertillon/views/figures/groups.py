"""Groups: one measure of several as dots with intervals, error rates by group of people, and the FMR of every two.

Conventions: rows run from the top in the order given; rates are in percent. A value that is undefined has no dot but
says why; an interval that is not known has no line. All dots have one colour: the rows are told apart by their names.
Axes of error rates begin at zero, so that twice the rate is twice as far. A cell of a map is shaded by the share of the
highest rate that its own is. Where groups are too many for a figure the highest rates are shown, and a note says of how
many.

Holds `GroupRow` with `measure_rows` and `rate_rows`, `shown_groups`, `rows_panel`; `AcrossData` with `across_data` and
`across_panel`; `groups_chart`, `across_chart`, `rows_size` and `point_of`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bertillon.analysis.group_rates import GroupRate, GroupRates, PointRates
from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.evaluation import AnyEvaluation
from bertillon.stats.interval import Interval
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, Limits, padded
from bertillon.views.figures.compose import LIMITS, PANEL_WIDTH, grid
from bertillon.views.figures.errors import in_percent

PERCENT = 100.0
ROOM = 0.1  # around values that are all the same, of the value
MOST_ROWS = 15  # groups of a figure of dots
LONGEST, LONGEST_ON_MAP = 20, 14  # characters of a group's name
MOST_MAPPED_GROUPS = 8  # groups of a map, whose rates can still be read
ROW, AROUND_ROWS = 0.35, 1.2  # inches of a row, and around all of them
TITLE = 0.3  # inches above a panel
MAP = 3.6  # inches: the side of a map among several

At = tuple[GroupRates, PointRates]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group: its name, its value with the ends of its interval, and why there is no value where there is none."""

    name: str
    value: float
    ends: Limits | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupRows:
    """The rows of a dot-and-interval figure, top to bottom."""

    rows: tuple[GroupRow, ...]
    axis: Axis
    notes: tuple[str, ...] = ()


def measure_rows(evaluations: Sequence[AnyEvaluation], measure: str) -> GroupRows:
    """One measure of every evaluation; each must have answered it."""
    measure_set = evaluations[0].measure_set
    name = str(measure_set.parse(measure))
    lacking = [evaluation.name or "a system" for evaluation in evaluations if name not in evaluation.results]
    if lacking:
        raise InputError(f"{name} was not evaluated for {lacking[0]}; name it in bt.evaluate(..., [{name!r}])")
    factor = PERCENT if measure_set.unit_of(name) == "rate" else 1.0
    names = chart.shown_names([evaluation.name for evaluation in evaluations])
    rows = tuple(
        _measure_row(evaluation, shown, name, factor) for evaluation, shown in zip(evaluations, names, strict=True)
    )
    levels = {interval.level for evaluation in evaluations if (interval := evaluation.intervals.get(name)) is not None}
    label = in_percent(name) if factor == PERCENT else name
    return GroupRows(rows, Axis(spoken(label), *_limits(rows)), _lines_note(levels))


def rate_rows(point: PointRates, kind: str, level: float) -> GroupRows:
    """FNMR of every group, or FMR of two people of it."""
    every = point.fnmr if kind == "FNMR" else point.fmr
    shown = shown_groups(every)
    rows = tuple(_rate_row(rate) for rate in shown)
    notes = [*_lines_note([level] if any(row.ends for row in rows) else [])]
    notes += [spoken(say("figure.highest_groups", n=len(shown), every=len(every)))] if len(shown) < len(every) else []
    highest = max((end for row in rows for end in (row.value, *(row.ends or ())) if end > 0.0), default=1.0)
    return GroupRows(rows, Axis(spoken(in_percent(kind)), *padded((0.0, highest))), tuple(notes))


def rows_panel(data: GroupRows) -> chart.Panel:
    """A dot a group at its value, and a line from end to end of its interval."""
    marks: list[chart.Mark] = []
    for index, row in enumerate(data.rows):
        if math.isnan(row.value):
            side = chart.Side(0.0, 0.0, "left", "center")
            marks.append(chart.Label(f" {row.note}", data.axis.low, index, (side,), "quiet", rim=False))
            continue
        marks += [] if row.ends is None else [chart.Line("", row.ends, (index, index), pen=chart.Pen(chart.MATED))]
        marks.append(chart.Spot(row.value, index, chart.MATED))
    names = tuple(row.name for row in data.rows)
    return chart.Panel(data.axis, Axis("", 0.0, float(len(names)), names=names), tuple(marks), notes=data.notes)


def rows_size(rows: int) -> chart.Size:
    """Inches of a figure with a row a group."""
    return chart.SIZE[0], AROUND_ROWS + ROW * rows


def groups_chart(systems: Sequence[GroupRates]) -> chart.Chart:
    """A row of two panels for each threshold: FNMR and FMR."""
    shown, note = _shown(systems, LIMITS.most_panels // 2)
    panels, rows = [], 0
    for at in shown:
        for kind in ("FNMR", "FMR"):
            data = rate_rows(at[1], kind, at[0].level)
            rows = max(rows, len(data.rows))
            panels.append(replace(rows_panel(data), title=_called(at, systems) if kind == "FNMR" else ""))
    size = PANEL_WIDTH, rows_size(rows)[1] + TITLE
    return grid(panels, size, columns=2, every=len(panels), note=note)


@dataclass(frozen=True, slots=True, eq=False)
class AcrossData:
    """The FMR of every two groups, both ways round; on the diagonal that of two people of one group."""

    groups: tuple[str, ...]
    rows: tuple[tuple[GroupRate | None, ...], ...]  # None where nobody was compared
    rates: FloatArray  # NaN likewise
    shares: FloatArray  # of the highest rate
    notes: tuple[str, ...] = ()


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


def across_chart(systems: Sequence[GroupRates]) -> chart.Chart:
    """A map for each threshold."""
    shown, note = _shown([system for system in systems if len(system.groups) > 1], LIMITS.most_panels)
    panels = [replace(across_panel(across_data(at[1])), title=_called(at, systems)) for at in shown]
    single = len(panels) == 1
    return grid(panels, chart.SIZE if single else (MAP, MAP), columns=1 if single else 2, every=len(panels), note=note)


def across_panel(data: AcrossData) -> chart.Panel:
    """The FMR of every two groups, each in its cell; grey where nobody was compared."""
    last, names = len(data.groups) - 0.5, tuple(chart.shortened(group, LONGEST_ON_MAP) for group in data.groups)
    shares = np.where(np.isnan(data.rates), np.nan, data.shares)
    texts = tuple(tuple("" if math.isnan(rate) else f"{rate:.3g}" for rate in row) for row in data.rates.tolist())
    cells = chart.Cells(shares, names, names, texts, len("0.0888"))
    return chart.Panel(Axis(spoken(say("figure.across")), -0.5, last), Axis("", last, -0.5), (cells,), notes=data.notes)


def shown_groups(every: Sequence[GroupRate]) -> Sequence[GroupRate]:
    """All of them in their order, or of too many those with the highest rates."""
    return every if len(every) <= MOST_ROWS else sorted(every, key=_highest_first)[:MOST_ROWS]


def point_of(rates: GroupRates, name: str | None) -> PointRates:
    """The rates at the threshold of that name, or at the first."""
    chosen = next((point for point in rates.points if name in (None, point.point)), None)
    if chosen is None:
        known = ", ".join(repr(point.point) for point in rates.points)
        raise InputError(f"point {name!r} is not known; expected one of {known}")
    return chosen


def _measure_row(evaluation: AnyEvaluation, shown: str, name: str, factor: float) -> GroupRow:
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    if math.isnan(result.value):
        return GroupRow(shown, math.nan, note=spoken(result.reason or say("page.undefined")))
    return GroupRow(shown, result.value * factor, _ends(interval, factor))


def _rate_row(rate: GroupRate) -> GroupRow:
    if math.isnan(rate.value):
        return GroupRow(chart.shortened(rate.group, LONGEST), math.nan, note=spoken(say("figure.no_comparisons")))
    return GroupRow(chart.shortened(rate.group, LONGEST), PERCENT * rate.value, _ends(rate.rate.interval, PERCENT))


def _ends(interval: Interval | None, factor: float) -> Limits | None:
    """The ends of an interval in the unit of the axis, where they are known."""
    if interval is None or math.isnan(interval.low + interval.high):
        return None
    return interval.low * factor, interval.high * factor


def _lines_note(levels: Collection[float]) -> tuple[str, ...]:
    """What the lines are: intervals, of which levels; nothing where there are none."""
    shown = tuple(f"{PERCENT * level:g} %" for level in sorted(levels))
    return (spoken(say("figure.lines", levels=shown)),) if shown else ()


def _limits(rows: Sequence[GroupRow]) -> Limits:
    known = [end for row in rows for end in (row.value, *(row.ends or ())) if math.isfinite(end)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    if low == high:
        room = ROOM * (abs(low) or 1.0)
        return low - room, high + room
    return padded((low, high))


def _shown(systems: Sequence[GroupRates], most: int) -> tuple[list[At], str]:
    """The thresholds of all systems, as many as a figure can bear, and how many these are."""
    every = [(system, point) for system in systems for point in system.points]
    return every[:most], spoken(say("figure.first_thresholds", n=most, every=len(every))) if len(every) > most else ""


def _called(at: At, systems: Sequence[GroupRates]) -> str:
    """The threshold by its name, and among several systems whose it is."""
    return f"{at[0].name}: {at[1].point}" if len(systems) > 1 else at[1].point


def _highest_first(rate: GroupRate) -> float:
    return math.inf if math.isnan(rate.value) else -rate.value


def _leading(point: PointRates, most: int) -> list[str]:
    """The groups of the highest rates, both groups of a pair."""
    ordered = sorted((*point.fmr, *point.fmr_across), key=_highest_first)
    named = [group for row in ordered for group in (row.group, row.other) if group is not None]
    return list(dict.fromkeys(named))[:most]
