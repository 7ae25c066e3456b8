"""What is shown of fairness: indices at each threshold, people and scores by group, and searches by group.

Conventions: the tables of rates by group are those of `groups`; these stand below them. An index that is undefined says
why in a note.

Holds `fairness_table`, `people_table`, `dots` (a chart of rates by name), and the views of `SearchGroups`, with
`search_groups_chart`, and of `FairnessOfRates`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bertillon.analysis.fairness import SEARCH_KINDS, FairnessIndex, FairnessOfRates
from bertillon.analysis.group_rates import GroupPeople
from bertillon.analysis.search_groups import SearchGroup, SearchGroups
from bertillon.core.messages import Text, say, spoken
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, Interval
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Paragraphs, Section, Subject, Table, titled
from bertillon.views.figures import chart
from bertillon.views.figures.axis import ends_of, padded
from bertillon.views.figures.compose import PANEL_WIDTH, grid
from bertillon.views.figures.errors import in_percent
from bertillon.views.measures import ERRORS, interval_column
from bertillon.views.numbers import Unit, threshold_text

MOST_DRAWN = 15  # groups of a figure
ROW, AROUND = 0.35, 1.5  # inches
Named = tuple[Text, Measured]


def fairness_table(
    indices: Sequence[FairnessIndex], level: float, caption: Text, id: str, *, brief: bool = False
) -> Table:
    """A row an index: its value, its interval, and what it is where all groups are alike."""
    rows = [
        (
            Cell(index.name),
            Cell(index.value, Unit.NUMBER),
            Cell(index.interval, Unit.NUMBER) if index.interval is not None else Cell(),
            Cell(f"{index.fair:g}", key=index.fair),
        )
        for index in indices
    ]
    known = any(index.interval is not None and not math.isnan(index.interval.low) for index in indices)
    notes: list[Text] = [] if brief else [say("fairness.note"), *([say("fairness.chance")] if known else [])]
    notes += _lacking(indices)
    heads: list[Text] = [say("fairness.index"), say("fairness.value"), interval_column(level), say("fairness.fair")]
    return Table.under(heads, rows, notes, id=id, caption=caption).without_empty


def _lacking(indices: Sequence[FairnessIndex]) -> list[Text]:
    """Why indices are undefined, or have no interval; what all of them lack is said once."""
    unsure = [one for one in indices if one.interval is not None and math.isnan(one.interval.low)]
    reasons = [one.interval.reason for one in unsure if one.interval is not None and one.interval.reason]
    once = len(reasons) == len(indices) and len(set(reasons)) == 1
    notes: list[Text] = []
    for index in indices:
        if math.isnan(index.value) and index.result.reason:
            notes.append(say("fairness.undefined", name=index.name, reason=index.result.reason))
        elif index in unsure and not once and index.interval is not None and index.interval.reason:
            notes.append(say("fairness.no_interval", name=index.name, reason=index.interval.reason))
    return [*notes, say("groups.no_interval", reason=reasons[0])] if once else notes


def people_table(people: Sequence[GroupPeople], system: Text, id: str) -> Table:
    """Failures to enrol and to acquire, and by how much mean scores are off."""
    heads = ["enrolments", "failures", "mated_shift", "nonmated_shift"]
    rows = [
        (
            Cell(group.group),
            *(Cell(rate.value, Unit.RATE) if not math.isnan(rate.value) else Cell() for rate in (group.fte, group.fta)),
            *(_shift(value) for value in (group.mated_shift, group.nonmated_shift)),
        )
        for group in people
    ]
    names: list[Text] = [say("groups.group"), *(say(f"fairness.{head}") for head in heads)]
    caption = titled(system, say("fairness.people"))
    return Table.under(names, rows, [say("fairness.shift.note")], id=id, caption=caption).without_empty


def _shift(value: float) -> Cell:
    return Cell() if math.isnan(value) else Cell(f"{value:+.2f}", key=value)


def searches_by_group(found: Sequence[SearchGroups], content: ReportContent) -> Section:
    """FPIR and FNIR of every group at each threshold, and the indices of fairness."""
    blocks: list[Block] = [] if content.brief else [Paragraphs.of([say("fairness.searches.words")])]
    for place, groups in enumerate(found):
        system = groups.name if len(found) > 1 else ""
        for number, (point, (threshold, rates, indices)) in enumerate(groups.points.items()):
            id = f"search-groups-{place}-{number}"
            about: dict[str, Any] = {"point": point, "threshold": threshold_text(threshold, groups.rule)}
            heads: list[Text] = [say("groups.group"), say("groups.error"), say("groups.people"), say("groups.rate")]
            heads += [interval_column(groups.level), ERRORS]
            rows = [row for rate in rates for row in _rows(rate)]
            caption = titled(system, say("fairness.searches.caption", **about))
            blocks += [] if content.brief else _drawn_rates(rates, about, system, id, groups.level)
            blocks.append(Table.under(heads, rows, _unknown(rates), id=id, caption=caption, names=2).without_empty)
            title = titled(system, say("fairness.caption", **about))
            blocks.append(fairness_table(indices, groups.level, title, f"{id}-fairness", brief=content.brief))
    return Section("search-groups", say("fairness.searches"), tuple(blocks))


def _unknown(groups: Sequence[SearchGroup]) -> list[Text]:
    """Why rates have no interval."""
    measured = [rate for group in groups for rate in (group.fpir, group.fnir) if not math.isnan(rate.value)]
    reasons = [rate.interval.reason for rate in measured if math.isnan(rate.interval.low)]
    return [say("groups.no_interval", reason=reason) for reason in dict.fromkeys(reasons) if reason]


def _drawn_rates(
    groups: Sequence[SearchGroup], about: Mapping[str, Any], system: Text, id: str, level: float
) -> list[Block]:
    """A chart of either rate."""
    made = []
    for kind, rates in zip(SEARCH_KINDS, ([one.fpir for one in groups], [one.fnir for one in groups]), strict=True):
        rows = [(one.group, rate) for one, rate in zip(groups, rates, strict=True)]
        title = titled(system, say("groups.title", kind=kind, **about))
        made.append(dots(f"{id}-{kind}", title, kind, rows, Unit.RATE, level))
    return [each for each in made if each is not None]


def dots(
    id: str, title: Text, kind: Text, every: Sequence[Named], unit: Unit, level: float, *, differences: bool = False
) -> Chart | None:
    """A dot a row and a line for its interval, of differences beside a line at 0; None where no value is defined."""
    rows = [(name, one) for name, one in every if math.isfinite(one.value)]
    if not rows:
        return None
    spans = tuple(() if unknown(one.interval) else (one.interval.low, one.interval.high) for _, one in rows)
    ends = [*(one.value for _, one in rows), *(end for span in spans for end in span)]
    low, high = (0.0, max(ends) or 1.0) if unit is Unit.RATE and not differences else ends_of(ends)
    low, high = (min(low, 0.0), max(high, 0.0)) if differences else (low, high)
    values, places = tuple(one.value for _, one in rows), tuple(map(float, range(len(rows))))
    lines = [chart.Line(kind, values, places, dots=True, joined=False, spans=spans)]
    lines += [chart.Line("0", (0.0, 0.0), (-0.5, len(rows) - 0.5), chart.GUIDE)] if differences else []
    said = tuple(say("number.of", name=name, value=Cell(one.value, unit).shown) for name, one in rows)
    label = say("groups.axis", kind=kind, level=f"{level * 100:g}")
    x_axis = Axis(label, low, high, unit="rate" if unit is Unit.RATE else "score")
    y_axis = Axis("", 0.0, float(len(rows)), names=tuple(name for name, _ in rows))
    return Chart(id, title, say("condition.summary", values=said), x_axis, y_axis, tuple(lines))


def unknown(interval: Interval) -> bool:
    """Is an end of the interval not known?"""
    return not (math.isfinite(interval.low) and math.isfinite(interval.high))


def _rows(group: SearchGroup) -> list[tuple[Cell, ...]]:
    return [
        (Cell(group.group), Cell(kind), Cell(group.people, Unit.COUNT), *Cell.measured(rate.result, rate.interval))
        for kind, rate in zip(SEARCH_KINDS, (group.fpir, group.fnir), strict=True)
    ]


def search_groups_chart(found: Sequence[SearchGroups]) -> chart.Chart:
    """A row of two panels for each threshold: FPIR and FNIR."""
    panels, most = [], 1
    for groups in found:
        for point, (_, rates, _) in groups.points.items():
            shown = rates[:MOST_DRAWN]
            most = max(most, len(shown))
            for kind in SEARCH_KINDS:
                every = [one.fpir if kind == "FPIR" else one.fnir for one in shown]
                title = chart.shortened(spoken(titled(groups.name, point)), 40) if kind == "FPIR" else ""
                panels.append(_panel(kind, [one.group for one in shown], every, title, groups.level))
    return grid(panels, (PANEL_WIDTH, AROUND + ROW * most), columns=2)


def _panel(kind: str, names: Sequence[str], rates: Sequence[Measured], title: str, level: float) -> chart.Panel:
    marks: list[chart.Mark] = []
    reach = [0.0]
    for place, rate in enumerate(rates):
        low, high = 100.0 * rate.interval.low, 100.0 * rate.interval.high
        if math.isfinite(low + high):
            marks.append(chart.Line("", (low, high), (place, place), pen=chart.Pen(chart.MATED)))
            reach.append(high)
        if math.isfinite(rate.value):
            marks.append(chart.Spot(100.0 * rate.value, place, chart.MATED))
            reach.append(100.0 * rate.value)
    axis = Axis(spoken(in_percent(kind)), *padded((0.0, max(reach) or 1.0)))
    rows = tuple(chart.shortened(name) for name in names)
    lines = (spoken(say("figure.lines", levels=(f"{100.0 * level:g} %",))),) if any(map(_drawn, marks)) else ()
    return chart.Panel(axis, Axis("", 0.0, float(len(rows)), names=rows), tuple(marks), title=title, notes=lines)


def _drawn(mark: chart.Mark) -> bool:
    return isinstance(mark, chart.Line)


def given_rates(found: Sequence[FairnessOfRates], content: ReportContent) -> Part:
    """The indices of rates that were measured elsewhere, and these."""
    blocks: list[Block] = []
    for place, one in enumerate(found):
        system, id = one.name if len(found) > 1 else "", f"fairness-{place}"
        caption = titled(system, say("fairness.rates.indices", alpha=f"{one.alpha:g}", kind=one.kinds[0]))
        blocks.append(fairness_table(one.indices, LEVEL, caption, id, brief=content.brief))
        rows = [
            (Cell(group), *(Cell(None if math.isnan(values[n]) else values[n], Unit.RATE) for values in one.rates))
            for n, group in enumerate(one.groups)
        ]
        heads: list[Text] = [say("groups.group"), *one.kinds]
        title = titled(system, say("fairness.rates.caption"))
        blocks.append(Table.under(heads, rows, [say("fairness.rates.words")], id=f"{id}-rates", caption=title))
    subjects = tuple(Subject(one.name, (say("fairness.rates.groups", n=len(one.groups)),)) for one in found)
    section = Section("fairness", say("fairness.rates.section"), tuple(blocks))
    title = say("fairness.rates.section")
    results = () if content.brief else tuple(one.to_dict() for one in found)
    return Part(title=title, sections=(section,), subjects=subjects, results=results)


register_view(SearchGroups, searches_by_group)
register_view(FairnessOfRates, given_rates)
