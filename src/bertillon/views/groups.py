"""What is shown of groups: errors of every group of people, the FMR of every two, and how far apart they are.

Conventions: of very many groups the answer shows those with the highest rates; all are on the page. In figures rows run
from the top in the order given, and rates are in percent. A value that is undefined has no dot but says why; an
interval that is not known has no line. All dots have one colour: the rows are told apart by their names. Axes of error
rates begin at zero, so that twice the rate is twice as far. A cell of a map is shaded by the share of the highest rate
that its own is. Where groups are too many for a figure the highest rates are shown, and a note says of how many.

Holds the view of `GroupRates`; its figures, and one measure of several groups as dots with intervals: `GroupRow` with
`measure_rows` and `rate_rows`, `rows_panel`; `AcrossData` with `across_data` and `across_panel`; `groups_chart`,
`across_chart`, `rows_size` and `point_of`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bertillon.analysis.group_rates import Differential, GroupRate, GroupRates, PointRates
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, Value, abridged, say, spoken
from bertillon.evaluation import AnyEvaluation
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.interval import Interval
from bertillon.views.assembling import ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Matrix, Paragraphs, Section, Sentence, Table, titled
from bertillon.views.fairness import fairness_table, people_table
from bertillon.views.figures import chart
from bertillon.views.figures.axis import FloatArray, Limits, padded
from bertillon.views.figures.compose import LIMITS, PANEL_WIDTH, grid
from bertillon.views.figures.errors import in_percent
from bertillon.views.measures import ERRORS, MeasureNames, interval_column
from bertillon.views.numbers import Unit, errors_text, threshold_text

MOST_LABELS = 25  # of a matrix that can be read
MOST_PAIRS = 10  # pairs of different groups that are shown
MOST_GROUPS = 30  # that are shown all in the answer
PERCENT = 100.0
ROOM = 0.1  # around values that are all the same, of the value
MOST_ROWS = 15  # groups of a figure of dots
LONGEST, LONGEST_ON_MAP = 20, 14  # characters of a group's name
MOST_MAPPED_GROUPS = 8  # groups of a map, whose rates can still be read
ROW, AROUND_ROWS = 0.35, 1.2  # inches of a row, and around all of them
TITLE = 0.3  # inches above a panel
MAP = 3.6  # inches: the side of a map among several

At = tuple[GroupRates, PointRates]


def groups(found: Sequence[GroupRates], content: ReportContent) -> Section:
    """Errors by group of every system."""
    names, several = MeasureNames.of(VERIFICATION, content.vocabulary), len(found) > 1
    blocks: list[Block] = [] if content.brief else [Paragraphs((Sentence(say("groups.words")),))]
    for index, rates in enumerate(found):
        blocks += _System(rates, f"groups-{index}", names, named=several, brief=content.brief).blocks()
    return Section("groups", say("groups.section"), tuple(blocks))


class _System:
    """The groups of one system."""

    def __init__(self, rates: GroupRates, id: str, names: MeasureNames, *, named: bool, brief: bool) -> None:
        self.group_rates, self.id, self.names, self.brief = rates, id, names, brief
        self.system = rates.name if named else ""

    def blocks(self) -> list[Block]:
        """Charts and tables of each threshold, then how far apart the groups are at all of them."""
        made: list[Block] = []
        for index, point in enumerate(self.group_rates.points):
            id = f"{self.id}-{index}"
            made += [] if self.brief else self.drawn(point, id)
            made.append(self.rates(point, id))
        if len(self.group_rates.groups) < 2:
            return made
        made.append(self.apart())
        for index, point in enumerate(self.group_rates.points):
            title, id = self.titled("fairness.caption", point), f"{self.id}-{index}-fairness"
            made.append(fairness_table(point.fairness, self.group_rates.level, title, id, brief=self.brief))
        people = self.group_rates.people
        return [*made, people_table(people, self.system, f"{self.id}-people")] if people else made

    def drawn(self, point: PointRates, id: str) -> list[Block]:
        """Charts of both errors, and the square of every two groups where it can be read."""
        made: list[Block] = [self.chart(rows, point, id) for rows in (point.fnmr, point.fmr) if _known(rows)]
        return [*made, self.across(point, id)] if 1 < len(self.group_rates.groups) <= MOST_LABELS else made

    def titled(self, key: str, point: PointRates, **values: Value) -> Text:
        """A title that says at which threshold, and among several systems of whom."""
        at = threshold_text(point.threshold, self.group_rates.rule)
        return titled(self.system, say(key, point=self.names.heading(point.point), threshold=at, **values))

    def chart(self, every: Sequence[GroupRate], point: PointRates, id: str) -> Chart:
        """A dot a group and a line for its interval."""
        kind, highest_ones = self.names.heading(every[0].kind), shown_groups(every)
        shown = _known(highest_ones)
        title = self.titled("groups.title", point, kind=kind)
        if len(highest_ones) < len(every):
            title = say("groups.some", title=title, n=len(shown), all=len(every))
        ends = [rate.rate.interval for rate in shown]
        spans = tuple(() if math.isnan(end.low) else (end.low, end.high) for end in ends)
        highest = max([*(rate.value for rate in shown), *(end for span in spans for end in span)])
        notes = tuple(say("number.of", name=rate.group, value=_cell(rate).shown) for rate in shown)
        level = f"{self.group_rates.level * 100:g}"
        line = chart.Line(
            kind,
            tuple(rate.value for rate in shown),
            tuple(float(row) for row in range(len(shown))),
            dots=True,
            notes=tuple(errors_text(rate.rate.result) for rate in shown),
            joined=False,
            spans=spans,
        )
        return Chart(
            f"{id}-{every[0].kind}",
            title,
            say("groups.summary", kind=kind, rates=notes),
            Axis(say("groups.axis", kind=kind, level=level) if any(spans) else kind, 0.0, highest or 1.0),
            Axis(say("groups.group"), 0.0, float(len(shown)), names=tuple(rate.group for rate in shown)),
            (line,),
        )

    def rates(self, point: PointRates, id: str) -> Table:
        """Every group, and the pairs of groups with the highest FMR."""
        heads = [say(f"groups.{head}") for head in ("group", "error", "people", "rate")]
        heads += [interval_column(self.group_rates.level), ERRORS]
        rows = (*self.shown(point.fnmr), *self.shown(point.fmr), *_highest(point.fmr_across, MOST_PAIRS))
        about: dict[str, Any] = {"id": f"{id}-rates", "caption": self.titled("groups.caption", point), "names": 2}
        return Table.under(heads, map(self.row, rows), self.notes(point, rows), **about)

    def shown(self, rows: Sequence[GroupRate]) -> Sequence[GroupRate]:
        """All groups in their order; in the answer of too many those with the highest rates."""
        return _highest(rows, MOST_PAIRS) if self.brief and len(rows) > MOST_GROUPS else rows

    def row(self, rate: GroupRate) -> tuple[Cell, ...]:
        """A rate with its interval and what stands behind it."""
        interval = rate.rate.interval
        name: Text = rate.group if rate.other is None else say("groups.pair", one=rate.group, other=rate.other)
        ends = Cell(interval, Unit.RATE)
        if interval.naive and ends.text:
            ends = Cell(say("groups.starred", interval=ends.shown), key=interval.low)
        return (
            Cell(name, key=str(name)),
            Cell(self.names.heading(rate.kind), key=rate.kind),
            Cell(rate.people, Unit.COUNT),
            _cell(rate),
            ends,
            Cell.errors(rate.rate.result),
        )

    def notes(self, point: PointRates, rows: Sequence[GroupRate]) -> list[Message]:
        """What must be known before the rates are trusted."""
        notes = [say("groups.naive")] if any(row.rate.interval.naive for row in rows) else []
        every, hidden = len(self.group_rates.groups), len(point.fmr_across) - MOST_PAIRS
        if self.brief and every > MOST_GROUPS:
            notes.append(say("groups.shown", n=MOST_PAIRS, every=every))
        notes += [say("groups.hidden", n=hidden)] if hidden > 0 else []
        notes += [say("groups.pairs_left_out", n=point.left_out)] if point.left_out else []
        unknown = dict.fromkeys(row.rate.interval.reason for row in _known(rows) if math.isnan(row.rate.interval.low))
        return notes + [say("groups.no_interval", reason=why) for why in unknown if why]

    def across(self, point: PointRates, id: str) -> Matrix:
        """The FMR of every two groups, with the errors behind it."""
        data = across_data(point, most=MOST_LABELS)
        return Matrix(
            f"{id}-across",
            self.titled("groups.across", point, kind=self.names.heading("FMR")),
            self.names.heading("FMR"),
            data.groups,
            tuple(
                tuple(_over(rate, errors_text(rate.rate.result) if rate else "") for rate in row) for row in data.rows
            ),
            tuple(tuple(row) for row in data.shares.tolist()),
        )

    def apart(self) -> Table:
        """The differentials of all thresholds."""
        heads = [say(f"groups.{head}") for head in ("point", "error", "highest", "lowest", "ratio", "mean")]
        every = [(point, differential) for point in self.group_rates.points for differential in point.differentials]
        notes = [text for point, differential in every for text in self.lacking(point, differential)]
        rows = [self.differential(point, differential) for point, differential in every]
        about: dict[str, Any] = {"caption": titled(self.system, say("groups.apart")), "names": 2}
        return Table.under(
            heads, rows, [say("groups.apart.note"), *dict.fromkeys(notes)], id=f"{self.id}-apart", **about
        )

    def lacking(self, point: PointRates, differential: Differential) -> list[Message]:
        """Why there is no ratio, and groups without comparisons of a kind."""
        kind, at = self.names.heading(differential.kind), self.names.heading(point.point)
        why = differential.reason
        notes = [say("groups.no_ratio", kind=kind, point=at, reason=why)] if why else []
        left_out = differential.left_out
        return notes + ([say("groups.left_out", kind=kind, groups=abridged(left_out))] if left_out else [])

    def differential(self, point: PointRates, differential: Differential) -> tuple[Cell, ...]:
        """One error at one threshold: who errs most and least, and by how much they differ."""
        return (
            Cell(self.names.heading(point.point), key=point.point),
            Cell(self.names.heading(differential.kind), key=differential.kind),
            *(_over(rate, rate.group if rate else "") for rate in (differential.highest, differential.lowest)),
            *(Cell(ratio, Unit.RATIO) for ratio in (differential.ratio, differential.to_mean)),
        )


def _known(rows: Sequence[GroupRate]) -> list[GroupRate]:
    """Groups that have comparisons of the kind."""
    return [row for row in rows if row.comparisons]


def _cell(rate: GroupRate) -> Cell:
    return Cell.estimate(rate.rate.result, rate.rate.interval)


def _over(rate: GroupRate | None, note: Text) -> Cell:
    """A rate over what belongs to it; nothing where there is none."""
    return Cell() if rate is None else replace(_cell(rate), note=(note,))


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
    answers = [(evaluation.results[name], evaluation.intervals.get(name)) for evaluation in evaluations]
    rows = tuple(
        _group_row(shown, result.value, interval, result.reason or say("page.undefined"), factor)
        for shown, (result, interval) in zip(names, answers, strict=True)
    )
    levels = {interval.level for evaluation in evaluations if (interval := evaluation.intervals.get(name)) is not None}
    label = in_percent(name) if factor == PERCENT else name
    return GroupRows(rows, Axis(spoken(label), *_limits(rows)), _lines_note(levels))


def rate_rows(point: PointRates, kind: str, level: float) -> GroupRows:
    """FNMR of every group, or FMR of two people of it."""
    every = point.fnmr if kind == "FNMR" else point.fmr
    shown = shown_groups(every)
    why = say("figure.no_comparisons")
    rows = tuple(
        _group_row(chart.shortened(rate.group, LONGEST), rate.value, rate.rate.interval, why) for rate in shown
    )
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
    return grid(panels, size, columns=2, note=note)


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
    return grid(panels, chart.SIZE if single else (MAP, MAP), columns=1 if single else 2, note=note)


def across_panel(data: AcrossData) -> chart.Panel:
    """The FMR of every two groups, each in its cell; grey where nobody was compared."""
    last, names = len(data.groups) - 0.5, tuple(chart.shortened(group, LONGEST_ON_MAP) for group in data.groups)
    shares = np.where(np.isnan(data.rates), np.nan, data.shares)
    texts = tuple(tuple("" if math.isnan(rate) else f"{rate:.3g}" for rate in row) for row in data.rates.tolist())
    cells = chart.Cells(shares, names, names, texts, len("0.0888"))
    return chart.Panel(Axis(spoken(say("figure.across")), -0.5, last), Axis("", last, -0.5), (cells,), notes=data.notes)


def shown_groups(every: Sequence[GroupRate]) -> Sequence[GroupRate]:
    """All of them in their order, or of too many those with the highest rates."""
    return every if len(every) <= MOST_ROWS else _highest(every, MOST_ROWS)


def point_of(rates: GroupRates, name: str | None) -> PointRates:
    """The rates at the threshold of that name, or at the first."""
    chosen = next((point for point in rates.points if name in (None, point.point)), None)
    if chosen is None:
        known = ", ".join(repr(point.point) for point in rates.points)
        raise InputError(f"point {name!r} is not known; expected one of {known}")
    return chosen


def _group_row(name: str, value: float, interval: Interval | None, missing: Text, factor: float = PERCENT) -> GroupRow:
    """A value in the unit of the axis with the ends of its interval, where they are known; else why it is missing."""
    if math.isnan(value):
        return GroupRow(name, math.nan, note=spoken(missing))
    if interval is None or math.isnan(interval.low + interval.high):
        return GroupRow(name, value * factor)
    return GroupRow(name, value * factor, (interval.low * factor, interval.high * factor))


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


def _highest(rates: Sequence[GroupRate], most: int | None = None) -> list[GroupRate]:
    """Rates from the highest on; undefined ones last."""
    return sorted(rates, key=lambda rate: math.inf if math.isnan(rate.value) else -rate.value)[:most]


def _leading(point: PointRates, most: int) -> list[str]:
    """The groups of the highest rates, both groups of a pair."""
    ordered = _highest((*point.fmr, *point.fmr_across))
    named = [group for row in ordered for group in (row.group, row.other) if group is not None]
    return list(dict.fromkeys(named))[:most]


register_view(GroupRates, groups)
