"""Error rates by group of people, and how far apart the groups are, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.vocabulary import Vocabulary
from bertillon.analysis.group_rates import Differential, GroupRate, GroupRates, PointRates
from bertillon.core.messages import Message, abridged, say, spoken
from bertillon.render.console import Text
from bertillon.render.tables import ERRORS, level_heading, plain_table
from bertillon.views.numbers import (
    UNDEFINED,
    count_text,
    errors_text,
    interval_text,
    percent,
    threshold_text,
    value_text,
)
from bertillon.views.samples import MOST_PAIRS, highest_rates, shown_pairs
from bertillon.views.vocabulary import heading

_RATE = "FMR"  # every number here is shown as this one: in percent, and as a bound where no error was seen
ERROR, GROUP = say("groups.error"), say("groups.group")
MOST_GROUPS = 30  # that are shown all


def groups_text(rates: GroupRates, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> RenderableType:
    """A table for each threshold, and what must be known before it is trusted."""
    parts: list[RenderableType] = [Text(say("terminal.groups", system=rates.name, n=len(rates.groups)), style="bold")]
    for point in rates.points:
        threshold = threshold_text(point.threshold, rates.rule)
        at = say("terminal.groups.at", point=point.point, threshold=threshold)
        parts += [Text(at, style="dim"), _rates(point, rates.level, vocabulary)]
        parts.append(Padding(_differentials(point, vocabulary), (1, 0, 1, 0)))
    parts += [Text(say("terminal.note", note=note), style="dim") for note in _notes(rates)]
    return Padding(Group(*parts), (0, 0, 1, 0))


def _rates(point: PointRates, level: float, vocabulary: Vocabulary) -> Table:
    table = plain_table(None, ERROR, GROUP, say("groups.people"), say("groups.rate"), level_heading(level), ERRORS)
    table.columns[1].justify = "left"
    for kind, rows in (("FNMR", _shown(point.fnmr)), ("FMR", (*_shown(point.fmr), *shown_pairs(point)))):
        for index, row in enumerate(rows):
            _add(table, "" if index else heading(kind, vocabulary), row)
    return table


def _shown(rows: Sequence[GroupRate]) -> Sequence[GroupRate]:
    """All groups in their order, or of too many those with the highest rates."""
    return rows if len(rows) <= MOST_GROUPS else highest_rates(rows)[:MOST_PAIRS]


def _add(table: Table, kind: str, row: GroupRate) -> None:
    name = row.group if row.other is None else say("groups.pair", one=row.group, other=row.other)
    measured = row.rate
    value = value_text(_RATE, measured.result, measured.interval)
    interval = interval_text(_RATE, measured.interval)
    mark = "*" if measured.interval.naive and interval else ""
    table.add_row(kind, Text(name), count_text(row.people), value, interval + mark, errors_text(measured.result))


def _differentials(point: PointRates, vocabulary: Vocabulary) -> Table:
    table = plain_table(
        None, ERROR, say("groups.highest"), say("groups.lowest"), say("groups.ratio"), say("terminal.groups.mean")
    )
    for differential in point.differentials:
        ends = (_end(differential.highest), _end(differential.lowest))
        table.add_row(
            heading(differential.kind, vocabulary), *ends, _ratio(differential.ratio), _ratio(differential.to_mean)
        )
    return table


def _end(rate: GroupRate | None) -> Text:
    return Text("" if rate is None else f"{percent(rate.value)} ({rate.group})")


def _ratio(value: float) -> str:
    return spoken(UNDEFINED) if math.isnan(value) else f"{value:.3g}"


def _notes(rates: GroupRates) -> Sequence[Message]:
    notes = [
        note
        for point in rates.points
        for differential in point.differentials
        for note in _of_differential(point, differential)
    ]
    if len(rates.groups) > MOST_GROUPS:
        notes.append(say("groups.shown", n=MOST_PAIRS, every=len(rates.groups)))
    hidden = max((len(point.fmr_across) for point in rates.points), default=0) - MOST_PAIRS
    if hidden > 0:
        notes.append(say("groups.more_pairs", n=hidden))
    left_out = max((point.left_out for point in rates.points), default=0)
    if left_out:
        notes.append(say("groups.pairs_left_out", n=left_out))
    rows = [row for point in rates.points for row in point.rows]
    if any(row.rate.interval.naive for row in rows):
        notes.append(say("groups.naive"))
    reasons = [row.rate.interval.reason for row in rows if row.comparisons and math.isnan(row.rate.interval.low)]
    notes += [say("groups.no_interval", reason=reason) for reason in reasons if reason]
    return list(dict.fromkeys(notes))


def _of_differential(point: PointRates, differential: Differential) -> list[Message]:
    ratio = say("groups.no_ratio", kind=differential.kind, point=point.point, reason=differential.reason)
    notes = [ratio] if differential.reason else []
    if differential.left_out:
        notes.append(say("groups.left_out", kind=differential.kind, groups=abridged(differential.left_out)))
    return notes
