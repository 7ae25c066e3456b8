"""What is shown of conditions: each measure by condition, pooled, the mean and the worst, and differences.

Conventions: one table per measure. The threshold that a condition picks by itself stands beside it, and the rates at
the threshold of all comparisons together beside that. In figures a condition is a row, then all comparisons, the mean
with equal weights and the worst; rates are in percent.

Holds the view of `ConditionResults`, `conditions_chart` and `condition_differences_chart`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bertillon.advice.paired import difference_text
from bertillon.analysis.conditions import AT_GLOBAL, ConditionDifference, ConditionResults
from bertillon.core.messages import Text, abridged, say, spoken
from bertillon.measures import Result
from bertillon.stats import Difference
from bertillon.stats.at_threshold import Measured
from bertillon.views.assembling import ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Paragraphs, Section, Table, titled
from bertillon.views.fairness import dots, unknown
from bertillon.views.figures import chart, forest
from bertillon.views.figures.axis import ends_of
from bertillon.views.figures.compose import LIMITS, PANEL_WIDTH, grid
from bertillon.views.figures.errors import in_percent
from bertillon.views.groups import GroupRow, GroupRows, rows_panel, rows_size
from bertillon.views.measures import MeasureNames, interval_column
from bertillon.views.numbers import Unit, threshold_text

Named = tuple[Text, Measured]
COUNTED = {  # trials by kind, under which a condition shows how many there were
    "verification": ("mated", "nonmated"),
    "identification": ("enrolled", "nonenrolled"),
    "classification": ("samples",),
}


def conditions(found: Sequence[ConditionResults], content: ReportContent) -> Section:
    """Every measure by condition, and how far conditions are apart."""
    names = MeasureNames.of(found[0].pooled.measure_set, content.vocabulary)
    blocks: list[Block] = [] if content.brief else [Paragraphs.of([say("condition.words")])]
    for place, results in enumerate(found):
        system = results.name if len(found) > 1 else ""
        for number, measure in enumerate(results.asked):
            id = f"conditions-{place}-{number}"
            blocks += [] if content.brief else _drawn(results, measure, names, system, f"{id}-chart")
            table = _table(results, measure, names, system, id)
            blocks.append(_narrowed(table, results) if content.brief else table)
        apart = f"conditions-{place}-apart"
        if results.differences and not content.brief:
            blocks += _drawn_differences(results, names, system, apart)
        blocks += [_differences(results, names, system, apart)] if results.differences else []
        blocks += [Paragraphs.of(results.notes)] if results.notes else []
    return Section("conditions", say("condition.section"), tuple(blocks))


def _table(results: ConditionResults, measure: str, names: MeasureNames, system: str, id: str) -> Table:
    """One measure: a row a condition, then all comparisons, the mean and the worst."""
    shown = names.heading(measure)
    at_global = results.at_global.get(measure)
    counted = _counted(results)
    heads: list[Text] = [say("condition.condition"), *(say(f"condition.{kind}") for kind in counted), shown]
    heads.append(interval_column(results.level))
    notes: list[Text] = []
    if at_global is not None:
        threshold = threshold_text(at_global[0], results.pooled.rule)
        notes.append(say("condition.global", threshold=threshold, measure=shown))
        heads.append(say("condition.own"))
        heads += [say("condition.at_global", kind=names.heading(kind)) for kind in AT_GLOBAL[results.pooled.kind]]
    rows = [(Cell(one.name), *_evaluated(results, one, measure)) for one in results.conditions]
    rows.append((Cell(say("condition.pooled"), key="pooled"), *_evaluated(results, results.pooled, measure)))
    for name, measured in _beside(results, measure):
        empty = () if at_global is None else _empty(3)
        rows.append((Cell(name, key=str(name)), *_empty(len(counted)), *_cells(results, measure, measured), *empty))
    reasons = [one.interval.reason for _, one in _beside(results, measure) if math.isnan(one.interval.low)]
    notes += [say("condition.no_interval", reason=reason) for reason in dict.fromkeys(reasons) if reason]
    caption = titled(system, say("condition.caption", measure=shown, by=_by(results)))
    return Table.under(heads, rows, notes, id=id, caption=caption).without_empty


def _narrowed(table: Table, results: ConditionResults) -> Table:
    """Less how much was tried, so that the rates fit on a terminal."""
    places = range(len(table.columns))
    return table.with_columns([place for place in places if not 1 <= place <= len(_counted(results))])


def _counted(results: ConditionResults) -> tuple[str, ...]:
    """Of which trials a table tells how many there are."""
    return COUNTED.get(results.pooled.kind, ())


def _by(results: ConditionResults) -> Text:
    first, *others = results.by
    return say("condition.crossed", first=first, second=others[0]) if others else first


def _empty(n: int) -> tuple[Cell, ...]:
    return (Cell(),) * n


def _evaluated(results: ConditionResults, one: Any, measure: str) -> tuple[Cell, ...]:
    """How much was tried, the value, and what a threshold makes of it."""
    counts = (Cell(one.counts[kind], Unit.COUNT) for kind in _counted(results))
    return (*counts, *_cells(results, measure, _measured(one, measure)), *_global(one, results, measure))


def _measured(one: Any, measure: str) -> Measured:
    return Measured(one.results[measure], one.intervals[measure])


def _beside(results: ConditionResults, measure: str) -> Iterator[Named]:
    """The mean of the conditions, and the worst of them by name."""
    if len(results.conditions) > 1:
        yield say("condition.mean"), results.means[measure]
        if measure in results.worst:
            worst = results.worst[measure]
            yield say("condition.worst", condition=worst.condition), worst.measured


def _cells(results: ConditionResults, measure: str, measured: Measured) -> tuple[Cell, Cell]:
    """A value and its interval."""
    unit = Unit(results.pooled.measure_set.unit_of(measure))
    return Cell.estimate(measured.result, measured.interval, unit), Cell(measured.interval, unit)


def _global(one: Any, results: ConditionResults, measure: str) -> tuple[Cell, ...]:
    """The condition's own threshold, and its rates at the global one."""
    at_global = results.at_global.get(measure)
    if at_global is None:
        return ()
    own = one.results[measure].threshold
    text = threshold_text(own, results.pooled.rule) if own is not None else ""
    rates = (_measured(one, name) for name in at_global[1:])
    return (Cell(text, key=own), *(Cell.estimate(rate.result, rate.interval) for rate in rates))


def _differences(results: ConditionResults, names: MeasureNames, system: str, id: str) -> Table:
    """Every two conditions, in points of percent where the measure is a rate."""
    heads: list[Text] = [say("condition.difference"), say("condition.measure"), say("condition.points")]
    heads.append(interval_column(results.level))
    rows = []
    for one in results.differences:
        shown = _difference(one, results)
        interval = Cell() if unknown(one.interval) else Cell(_difference_ends(shown), key=one.interval.low)
        pair = Cell(say("condition.less", first=one.second, second=one.first), key=f"{one.second} - {one.first}")
        value = Cell(difference_text(shown, one.value), key=one.value)
        rows.append((pair, Cell(names.heading(one.measure), key=one.measure), value, interval))
    unsure: dict[Text, dict[Text, None]] = {}  # the measures by why they have no interval
    for one in results.differences:
        if math.isnan(one.interval.low):
            why = one.interval.reason or say("reason.one_undefined")
            unsure.setdefault(why, {})[names.heading(one.measure)] = None
    notes = [say("condition.no_intervals", names=abridged(list(of), 4), reason=why) for why, of in unsure.items()]
    caption = titled(system, say("condition.apart"))
    known = any(not unknown(one.interval) for one in results.differences)
    apart = [say("condition.apart.people")] if known and any(n is not None for n in results.people) else []
    return Table.under(heads, rows, [say("condition.apart.note"), *apart, *notes], id=id, caption=caption, names=2)


def _difference(one: ConditionDifference, results: ConditionResults) -> Difference:
    """As a difference of two systems is shown."""
    unit = results.pooled.measure_set.unit_of(one.measure)
    first, second = (_value(results, name, one.measure) for name in (one.first, one.second))
    return Difference(one.measure, one.first, one.second, first, second, one.interval, shown_as=unit)


def _difference_ends(one: Difference) -> Text:
    """Both ends of a difference, or its bound of one side."""
    low, high = (difference_text(one, end) for end in (one.interval.low, one.interval.high))
    if one.interval.side == "both":
        return say("number.ends", low=low, high=high)
    return say(f"number.{one.interval.side}_bound", end=high if one.interval.side == "upper" else low)


def _value(results: ConditionResults, condition: str, measure: str) -> float:
    return results.conditions[results.names.index(condition)].results[measure].value


def _every_row(results: ConditionResults, measure: str) -> list[Named]:
    """What a figure shows of a measure, top to bottom."""
    rows: list[Named] = [(one.name, _measured(one, measure)) for one in results.conditions]
    return [*rows, (say("condition.pooled"), _measured(results.pooled, measure)), *_beside(results, measure)]


def _drawn(results: ConditionResults, measure: str, names: MeasureNames, system: str, id: str) -> list[Block]:
    """A dot a row and a line for its interval."""
    shown = names.heading(measure)
    title = titled(system, say("condition.caption", measure=shown, by=_by(results)))
    chart_of_rows = dots(id, title, shown, _every_row(results, measure), _unit(results, measure), results.level)
    return [] if chart_of_rows is None else [chart_of_rows]


def _drawn_differences(results: ConditionResults, names: MeasureNames, system: str, id: str) -> list[Block]:
    """A forest of the differences of each measure."""
    made = []
    for number, measure in enumerate(results.asked):
        every = [
            (say("condition.less", first=one.second, second=one.first), Measured(Result(one.value), one.interval))
            for one in results.differences
            if one.measure == measure
        ]
        shown = names.heading(measure)
        title = titled(system, say("list.named", name=say("condition.apart"), message=shown))
        unit = _unit(results, measure)
        made.append(dots(f"{id}-{number}-chart", title, shown, every, unit, results.level, differences=True))
    return [each for each in made if each is not None]


def _unit(results: ConditionResults, measure: str) -> Unit:
    return Unit.RATE if results.pooled.measure_set.unit_of(measure) == "rate" else Unit.NUMBER


def conditions_chart(found: Sequence[ConditionResults]) -> chart.Chart:
    """A panel for each measure of each system."""
    panels, most = [], 0
    every = [(results, measure) for results in found for measure in results.asked]
    for results, measure in every[: LIMITS.most_panels]:
        factor = 100.0 if results.pooled.measure_set.unit_of(measure) == "rate" else 1.0
        rows = tuple(_row(spoken(name), one, factor) for name, one in _every_row(results, measure))
        known = [end for row in rows for end in (row.value, *(row.ends or ())) if math.isfinite(end)]
        label = in_percent(measure) if factor > 1.0 else measure
        low, high = ends_of(known) if known else (0.0, 1.0)
        lines = (spoken(say("figure.lines", levels=(f"{100.0 * results.level:g} %",))),)
        axis = Axis(spoken(label), min(low, 0.0) if factor > 1.0 else low, high)
        title = results.name if len(found) > 1 else ""
        panels.append(replace(rows_panel(GroupRows(rows, axis, lines)), title=chart.shortened(title)))
        most = max(most, len(rows))
    if len(panels) == 1:
        return grid(panels, rows_size(most), columns=1)
    return grid(panels, (PANEL_WIDTH, rows_size(most)[1]), columns=2)


def _row(name: str, one: Measured, factor: float) -> GroupRow:
    ends = None if unknown(one.interval) else (factor * one.interval.low, factor * one.interval.high)
    note = spoken(one.result.reason or "") if math.isnan(one.value) else ""
    return GroupRow(chart.shortened(name), factor * one.value, ends, note)


def condition_differences_chart(found: Sequence[ConditionResults]) -> chart.Chart:
    """A forest plot: a row for every difference, a panel for each unit."""
    every = [_difference(one, results) for results in found for one in results.differences]
    units = dict.fromkeys(one.shown_as for one in every)
    panels = [forest.forest_panel([one for one in every if one.shown_as == unit]) for unit in units]
    return forest.chart_of_panels(panels)


register_view(ConditionResults, conditions)
