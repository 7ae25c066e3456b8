"""Coordinates of one measure over several groups or systems: a dot each, and how sure it is.

Conventions: rows run from the top in the order given; rates are in percent. A value that is undefined has no dot but
says why; an interval that is not known has no line.

Holds `GroupsData` with its `GroupRow`s and `groups_data`; `ends_of` and `lines_note` serve others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.core.messages import say, spoken
from bertillon.evaluation import AnyEvaluation
from bertillon.stats.interval import Interval
from bertillon.views.figures.axis import Axis, Limits, padded
from bertillon.views.figures.data import in_percent
from bertillon.views.figures.names import shown_names

PERCENT = 100.0
ROOM = 0.1  # around values that are all the same, of the value


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group: its name, its value with the ends of its interval, and why there is no value where there is none."""

    name: str
    value: float
    ends: Limits | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class GroupsData:
    """The rows of a dot-and-interval figure, top to bottom."""

    measure: str
    rows: tuple[GroupRow, ...]
    axis: Axis
    notes: tuple[str, ...] = ()


def groups_data(evaluations: Sequence[AnyEvaluation], measure: str) -> GroupsData:
    """One measure of every evaluation; each must have answered it."""
    measure_set = evaluations[0].measure_set
    name = str(measure_set.parse(measure))
    lacking = [evaluation.name or "a system" for evaluation in evaluations if name not in evaluation.results]
    if lacking:
        raise InputError(f"{name} was not evaluated for {lacking[0]}; name it in bt.evaluate(..., [{name!r}])")
    factor = PERCENT if measure_set.unit_of(name) == "rate" else 1.0
    names = shown_names([evaluation.name for evaluation in evaluations])
    rows = tuple(_row(evaluation, shown, name, factor) for evaluation, shown in zip(evaluations, names, strict=True))
    levels = {interval.level for evaluation in evaluations if (interval := evaluation.intervals.get(name)) is not None}
    label = in_percent(name) if factor == PERCENT else name
    return GroupsData(name, rows, Axis(spoken(label), "linear", _limits(rows)), lines_note(levels))


def lines_note(levels: Collection[float]) -> tuple[str, ...]:
    """What the lines are: intervals, of which levels; nothing where there are none."""
    shown = tuple(f"{PERCENT * level:g} %" for level in sorted(levels))
    return (spoken(say("figure.lines", levels=shown)),) if shown else ()


def _row(evaluation: AnyEvaluation, shown: str, name: str, factor: float) -> GroupRow:
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    if math.isnan(result.value):
        return GroupRow(shown, math.nan, note=spoken(result.reason or say("page.undefined")))
    return GroupRow(shown, result.value * factor, ends_of(interval, factor))


def ends_of(interval: Interval | None, factor: float) -> Limits | None:
    """The ends of an interval in the unit of the axis, where they are known."""
    if interval is None or math.isnan(interval.low + interval.high):
        return None
    return interval.low * factor, interval.high * factor


def _limits(rows: Sequence[GroupRow]) -> Limits:
    known = [end for row in rows for end in (row.value, *(row.ends or ())) if math.isfinite(end)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    if low == high:
        room = ROOM * (abs(low) or 1.0)
        return low - room, high + room
    return padded((low, high))
