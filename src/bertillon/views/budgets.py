"""What is shown of budgets: the threshold to set, and what to expect in a day.

Holds the view of `Budgets`, and `budgets_chart`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bertillon.analysis.budgets import RATES, Budgets, Planned
from bertillon.core.messages import Message, Text, say, sentences, spoken
from bertillon.stats.at_threshold import Measured
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Section, Sentence, Table, titled
from bertillon.views.figures import chart
from bertillon.views.figures.compose import each
from bertillon.views.measures import interval_column
from bertillon.views.numbers import Unit, shown, threshold_text

LIMIT = chart.Pen("ink", "--", 1.2, 1.5)
MOST_POINTS = 400  # of a line on a page
ROOM_ABOVE = 1.1  # the highest share missed
_DRAWN = ((chart.Rule, "budget"), (chart.Spot, "threshold"))


def budgets(found: Sequence[Budgets], content: ReportContent) -> Part:
    """A table of each system, and the sentences."""
    blocks: list[Block] = []
    verdicts: list[Sentence] = []
    for place, one in enumerate(found):
        system = one.name if len(found) > 1 else ""
        blocks.append(_table(one, titled(system, say("budget.caption")), f"budget-{place}", brief=content.brief))
        blocks += [] if content.brief else _drawn(one, f"budget-{place}-chart")
        verdicts += [Sentence(_sentence(one, planned), system) for planned in one.planned]
    warning = any(planned.measurable for one in found for planned in one.planned)
    return Part(
        sections=(Section("budgets", say("budget.section"), tuple(blocks)),),
        verdicts=tuple(verdicts),
        warnings=(Sentence(say("budget.optimistic")),) if warning else (),
    )


def _table(one: Budgets, caption: Text, id: str, *, brief: bool) -> Table:
    """A row a budget; in the answer without the interval of the rate."""
    alarm, miss = RATES[one.kind]
    heads: list[Text] = [say("budget.budget"), say("page.threshold"), alarm, interval_column(one.level)]
    heads += [say("budget.alarms"), say("budget.hours"), miss, say("budget.misses"), say("budget.cost")]
    table = Table.under(heads, [_row(one, planned) for planned in one.planned], id=id, caption=caption)
    return (table.with_columns([0, 1, 2, *range(4, len(heads))]) if brief else table).without_empty


def _row(one: Budgets, planned: Planned) -> tuple[Cell, ...]:
    """The threshold, the rates there and what they make of a day; of what is not measurable nothing."""
    asked = Cell(_asked(one, planned), key=planned.kind)
    if not planned.measurable:
        return (asked, Cell(say("budget.none")), *(Cell() for _ in range(7)))
    alarm, miss = planned.alarm, planned.miss
    return (
        asked,
        Cell(threshold_text(planned.threshold, one.rule), key=planned.threshold),
        Cell.estimate(alarm.result, alarm.interval),
        Cell(alarm.interval, Unit.RATE),
        *(Cell(amount, Unit.AMOUNT) for amount in (one.a_day(alarm.value), one.hours(alarm.value))),
        Cell.estimate(miss.result, miss.interval),
        *(Cell(amount, Unit.AMOUNT) for amount in (one.misses(miss.value), planned.cost)),
    )


def _asked(one: Budgets, planned: Planned) -> Message:
    value = {"alarms": one.budget.alarms, "hours": one.budget.hours, "cost": None}[planned.kind]
    amount: dict[str, Any] = {} if value is None else {"value": value, "n": value}
    return say(f"budget.asked.{planned.kind}", **amount)


def _sentence(one: Budgets, planned: Planned) -> Message:
    """What to set and what to expect, or what test would show it."""
    asked = _asked(one, planned)
    if planned.reason is not None:
        return say("budget.cannot", budget=asked, reason=planned.reason)
    alarms = _alarms(one, planned.alarm)
    hours, miss = _expected(one.hours(planned.alarm.value)), Cell.estimate(planned.miss.result, planned.miss.interval)
    threshold = threshold_text(planned.threshold, one.rule)
    about: dict[str, Any] = {
        "budget": asked,
        "threshold": threshold,
        "alarms": alarms,
        "hours": hours,
        "miss": miss.shown,
    }
    said = [say(f"budget.set.{one.kind}", **about)]
    misses = one.misses(planned.miss.value)
    said += [] if misses is None else [say(f"budget.missed.{one.kind}", n=_expected(misses))]
    said += [] if planned.cost is None else [say("budget.costs", cost=shown(planned.cost, Unit.AMOUNT))]
    return sentences(*said) if len(said) > 1 else said[0]


def _alarms(one: Budgets, alarm: Measured) -> Text:
    """False alarms a day, with their interval or bound."""
    value, interval = _expected(one.a_day(alarm.value)), alarm.interval
    low, high = (one.a_day(end) for end in (interval.low, interval.high))
    if math.isnan(low):
        return value
    if interval.side == "both":
        return say("budget.between", value=value, low=_expected(low), high=_expected(high))
    return say(f"budget.{interval.side}", value=value, end=_expected(high if interval.side == "upper" else low))


def _expected(amount: float) -> Text:
    """An amount a day in three digits, which is more than a test usually knows."""
    return shown(float(f"{amount:.3g}"), Unit.AMOUNT)


def _points(one: Budgets) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """False alarms a day above none, on a logarithmic axis, and the share missed."""
    alarms, missed = (np.array(side) for side in one.curve)
    kept = np.flatnonzero(alarms > 0.0)
    if kept.size > MOST_POINTS:
        kept = kept[np.unique(np.linspace(0, kept.size - 1, MOST_POINTS).astype(int))]
    return tuple(alarms[kept].tolist()), tuple(missed[kept].tolist())


def _axes(one: Budgets) -> tuple[Axis, Axis]:
    alarms, missed = _points(one)
    low, high = (min(alarms), max(alarms)) if alarms else (1.0, 10.0)
    x_axis = Axis(say("budget.alarms_axis"), low, max(high, 2.0 * low), "log", "number")
    top = min(ROOM_ABOVE * max(missed, default=1.0), 1.0) or 1.0
    return x_axis, Axis(say("budget.missed_axis", rate=RATES[one.kind][1]), 0.0, top)


def _drawn(one: Budgets, id: str) -> list[Block]:
    """The share missed by false alarms a day."""
    x, y = _points(one)
    if not x:
        return []
    lines = [chart.Line(one.name, x, y)]
    set_at = [planned for planned in one.planned if planned.measurable]
    if set_at:
        at = (
            tuple(one.a_day(planned.alarm.value) for planned in set_at),
            tuple(planned.miss.value for planned in set_at),
        )
        asked = tuple(_asked(one, planned) for planned in set_at)
        lines.append(chart.Line(say("budget.set_at"), *at, chart.NONMATED, dots=True, notes=asked, joined=False))
    return [Chart(id, say("budget.chart"), say("budget.chart"), *_axes(one), tuple(lines))]


def budgets_chart(found: Sequence[Budgets]) -> chart.Chart:
    """A panel for each system: what is missed by false alarms a day, and the budgets."""
    return each(found, panel=_panel)


def _panel(one: Budgets) -> chart.Panel:
    x_axis, y_axis = _axes(one)
    x, y = _points(one)
    marks: list[chart.Mark] = [chart.Line("", x, y, pen=chart.Pen(chart.MATED))]
    for planned in one.planned:
        allowed = None if planned.target is None else one.a_day(planned.target)
        if allowed is not None and x_axis.shows(allowed):
            marks.append(chart.Rule("x", allowed, LIMIT))
        at = one.a_day(planned.alarm.value)
        if planned.measurable and x_axis.shows(at):
            marks.append(chart.Spot(at, planned.miss.value, chart.NONMATED))
    drawn = [say(f"budget.drawn.{name}") for kind, name in _DRAWN if any(isinstance(mark, kind) for mark in marks)]
    x_axis = Axis(spoken(x_axis.label), x_axis.low, x_axis.high, "log", "number")
    y_axis = Axis(spoken(y_axis.label), y_axis.low, y_axis.high)
    notes = tuple(map(spoken, drawn))
    return chart.Panel(x_axis, y_axis, tuple(marks), title=chart.shortened(one.name, 40), notes=notes)


register_view(Budgets, budgets)
