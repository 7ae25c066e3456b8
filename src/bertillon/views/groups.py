"""What is shown of groups of people: errors of every group, the FMR of every two, and how far apart they are.

Conventions: of very many groups the answer shows those with the highest rates; all are on the page.

Holds the view of `GroupRates`, with `shown_pairs` and `highest_rates`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bertillon.analysis.group_rates import Differential, GroupRate, GroupRates, PointRates
from bertillon.core.messages import Message, Text, Value, abridged, say
from bertillon.measures.registry import VERIFICATION
from bertillon.views.assembling import register_view
from bertillon.views.document import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Line,
    Matrix,
    Paragraphs,
    Section,
    Sentence,
    Table,
)
from bertillon.views.figures.groups import across_data, shown_groups
from bertillon.views.measures import ERRORS, interval_column
from bertillon.views.numbers import Estimate, Unit, errors_text, threshold_text
from bertillon.views.report_content import ReportContent
from bertillon.views.vocabulary import MeasureNames

MOST_LABELS = 25  # of a matrix that can be read
MOST_PAIRS = 10  # pairs of different groups that are shown
MOST_GROUPS = 30  # that are shown all in the answer


def groups(found: Sequence[GroupRates], content: ReportContent) -> Section:
    """Errors by group of every system."""
    names, several = MeasureNames.of(VERIFICATION, content.vocabulary), len(found) > 1
    blocks: list[Block] = [] if content.brief else [Paragraphs((Sentence(say("groups.words")),))]
    for index, rates in enumerate(found):
        blocks += _System(rates, f"groups-{index}", names, named=several, brief=content.brief).blocks()
    return Section("groups", say("groups.section"), tuple(blocks))


def shown_pairs(point: PointRates) -> list[GroupRate]:
    """The pairs of different groups with the highest FMR."""
    return highest_rates(point.fmr_across)[:MOST_PAIRS]


def highest_rates(rows: Sequence[GroupRate]) -> list[GroupRate]:
    """Rates from the highest on; undefined ones last."""
    return sorted(rows, key=lambda rate: -1.0 if math.isnan(rate.value) else rate.value, reverse=True)


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
        return [*made, self.apart()] if len(self.group_rates.groups) > 1 else made

    def drawn(self, point: PointRates, id: str) -> list[Block]:
        """Charts of both errors, and the square of every two groups where it can be read."""
        made: list[Block] = [self.chart(rows, point, id) for rows in (point.fnmr, point.fmr) if _known(rows)]
        return [*made, self.across(point, id)] if 1 < len(self.group_rates.groups) <= MOST_LABELS else made

    def of_system(self, title: Message) -> Message:
        """A title, among several systems with the name of its own."""
        return say("list.named", name=self.system, message=title) if self.system else title

    def titled(self, key: str, point: PointRates, **values: Value) -> Message:
        """A title that says at which threshold, and among several systems of whom."""
        at = threshold_text(point.threshold, self.group_rates.rule)
        return self.of_system(say(key, point=self.names.heading(point.point), threshold=at, **values))

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
        line = Line(
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
        columns = Column.under([*heads, interval_column(self.group_rates.level), ERRORS], names=2)
        rows = (*self.shown(point.fnmr), *self.shown(point.fmr), *shown_pairs(point))
        title = self.titled("groups.caption", point)
        return Table(f"{id}-rates", title, columns, tuple(map(self.row, rows)), tuple(self.notes(point, rows)))

    def shown(self, rows: Sequence[GroupRate]) -> Sequence[GroupRate]:
        """All groups in their order; in the answer of too many those with the highest rates."""
        return highest_rates(rows)[:MOST_PAIRS] if self.brief and len(rows) > MOST_GROUPS else rows

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
            Cell(errors_text(rate.rate.result), key=rate.rate.result.errors),
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
            tuple(tuple(Cell() if rate is None else _with_errors(rate) for rate in row) for row in data.rows),
            tuple(tuple(row) for row in data.shares.tolist()),
        )

    def apart(self) -> Table:
        """The differentials of all thresholds."""
        heads = ("point", "error", "highest", "lowest", "ratio", "mean")
        columns = Column.under((say(f"groups.{head}") for head in heads), names=2)
        every = [(point, differential) for point in self.group_rates.points for differential in point.differentials]
        notes = [text for point, differential in every for text in self.lacking(point, differential)]
        rows = tuple(self.differential(point, differential) for point, differential in every)
        title = self.of_system(say("groups.apart"))
        return Table(f"{self.id}-apart", title, columns, rows, (say("groups.apart.note"), *dict.fromkeys(notes)))

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
            *(_end(rate) for rate in (differential.highest, differential.lowest)),
            *(Cell(ratio, Unit.RATIO) for ratio in (differential.ratio, differential.to_mean)),
        )


def _known(rows: Sequence[GroupRate]) -> list[GroupRate]:
    """Groups that have comparisons of the kind."""
    return [row for row in rows if row.comparisons]


def _cell(rate: GroupRate) -> Cell:
    return Cell(Estimate(rate.rate.result, rate.rate.interval), Unit.RATE)


def _with_errors(rate: GroupRate) -> Cell:
    return replace(_cell(rate), note=(errors_text(rate.rate.result),))


def _end(rate: GroupRate | None) -> Cell:
    """The rate of the group at one end."""
    return Cell() if rate is None else replace(_cell(rate), note=(rate.group,))


register_view(GroupRates, groups)
