"""The part of the page on groups of people: errors of every group, the FMR of every two, and how far apart they are.

Conventions: rates, pairs and notes are those of the table in the terminal, threshold by threshold.

Holds `groups_section`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.analysis.group_rates import Differential, GroupRate, GroupRates, PointRates
from bertillon.core.messages import Catalogue
from bertillon.measures.registry import VERIFICATION
from bertillon.views.figures.groups import across_data, shown_groups
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.model import (
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
from bertillon.views.page.numbers import Numbers
from bertillon.views.report_content import ReportContent
from bertillon.views.samples import MOST_PAIRS, shown_pairs

MOST_LABELS = 25  # of a matrix that can be read
RATE = "FMR"  # every number here is shown as this one: in percent, and as a bound where no error was seen


def groups_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Errors by group of every system."""
    measure_names, several = MeasureNames.of(VERIFICATION, content.vocabulary), len(content.groups) > 1
    blocks: list[Block] = [Paragraphs((Sentence(catalogue("groups.words")),))]
    for index, rates in enumerate(content.groups):
        blocks += _System(rates, f"groups-{index}", catalogue, measure_names, named=several).blocks()
    return Section("groups", catalogue("groups.section"), tuple(blocks))


class _System:
    """The groups of one system."""

    def __init__(
        self, rates: GroupRates, id: str, catalogue: Catalogue, measure_names: MeasureNames, *, named: bool
    ) -> None:
        self.group_rates, self.id, self.catalogue, self.measure_names = rates, id, catalogue, measure_names
        self.numbers, self.prefix = Numbers(catalogue), f"{rates.name}: " if named else ""

    def blocks(self) -> list[Block]:
        """Charts and tables of each threshold, then how far apart the groups are at all of them."""
        made: list[Block] = []
        for index, point in enumerate(self.group_rates.points):
            id = f"{self.id}-{index}"
            made += [self.chart(rows, point, id) for rows in (point.fnmr, point.fmr) if _known(rows)]
            made += [self.across(point, id)] if 1 < len(self.group_rates.groups) <= MOST_LABELS else []
            made.append(self.rates(point, id))
        return [*made, self.apart()] if len(self.group_rates.groups) > 1 else made

    def titled(self, key: str, point: PointRates, **values: object) -> str:
        """A title that says at which threshold, and among several systems of whom."""
        at = self.numbers.threshold(point.threshold, self.group_rates.rule)
        return self.prefix + self.catalogue(key, point=self.measure_names.heading(point.point), threshold=at, **values)

    def chart(self, every: Sequence[GroupRate], point: PointRates, id: str) -> Chart:
        """A dot a group and a line for its interval."""
        catalogue, kind = self.catalogue, self.measure_names.heading(every[0].kind)
        highest_ones = shown_groups(every)
        shown = _known(highest_ones)
        title = self.titled("groups.title", point, kind=kind)
        if len(highest_ones) < len(every):
            title = catalogue("groups.some", title=title, n=len(shown), all=len(every))
        ends = [rate.rate.interval for rate in shown]
        spans = tuple(() if math.isnan(end.low) else (end.low, end.high) for end in ends)
        highest = max([*(rate.value for rate in shown), *(end for span in spans for end in span)])
        notes = catalogue("list.separator").join(f"{rate.group} {self.rate(rate)}" for rate in shown)
        level = f"{self.group_rates.level * 100:g}"
        return Chart(
            f"{id}-{every[0].kind}",
            title,
            catalogue("groups.summary", kind=kind, rates=notes),
            Axis(catalogue("groups.axis", kind=kind, level=level) if any(spans) else kind, 0.0, highest or 1.0),
            Axis(catalogue("groups.group"), 0.0, float(len(shown)), names=tuple(rate.group for rate in shown)),
            (
                Line(
                    kind,
                    tuple(rate.value for rate in shown),
                    tuple(float(row) for row in range(len(shown))),
                    dots=True,
                    notes=tuple(self.numbers.errors(rate.rate.result) for rate in shown),
                    joined=False,
                    spans=spans,
                ),
            ),
        )

    def rates(self, point: PointRates, id: str) -> Table:
        """Every group, and the pairs of groups with the highest FMR."""
        level = self.catalogue("page.interval.column", level=f"{self.group_rates.level * 100:g}")
        heads = [self.catalogue(f"groups.{head}") for head in ("group", "error", "people", "rate")]
        columns = Column.under(heads, names=2)
        rows = (*point.fnmr, *point.fmr, *shown_pairs(point))
        return Table(
            f"{id}-rates",
            self.titled("groups.caption", point),
            (*columns, Column(level), Column(self.catalogue("page.errors"))),
            tuple(self.row(row) for row in rows),
            " ".join(self.notes(point, rows)),
        )

    def row(self, rate: GroupRate) -> tuple[Cell, ...]:
        """A rate with its interval and what stands behind it."""
        numbers, result, interval = self.numbers, rate.rate.result, rate.rate.interval
        name = rate.group if rate.other is None else self.catalogue("groups.pair", one=rate.group, other=rate.other)
        ends = numbers.interval(RATE, interval, VERIFICATION)
        return (
            Cell(name, name),
            Cell(self.measure_names.heading(rate.kind), rate.kind),
            Cell(numbers.count(rate.people), rate.people),
            Cell(self.rate(rate), rate.value),
            Cell(ends + ("*" if interval.naive and ends else ""), interval.low if ends else None),
            Cell(numbers.errors(result), result.errors),
        )

    def rate(self, rate: GroupRate) -> str:
        """To the digits that its interval supports."""
        return self.numbers.value(RATE, rate.rate.result, VERIFICATION, rate.rate.interval)

    def notes(self, point: PointRates, rows: Sequence[GroupRate]) -> list[str]:
        """What must be known before the rates are trusted."""
        naive = any(row.rate.interval.naive for row in rows)
        hidden = len(point.fmr_across) - MOST_PAIRS
        notes = [self.catalogue("groups.naive")] if naive else []
        notes += [self.catalogue("groups.hidden", n=self.numbers.count(hidden))] if hidden > 0 else []
        unknown = dict.fromkeys(row.rate.interval.reason for row in _known(rows) if math.isnan(row.rate.interval.low))
        return notes + [self.catalogue("groups.no_interval", reason=why) for why in unknown if why]

    def across(self, point: PointRates, id: str) -> Matrix:
        """The FMR of every two groups, with the errors behind it."""
        data = across_data(point, most=MOST_LABELS)
        return Matrix(
            f"{id}-across",
            self.titled("groups.across", point, kind=self.measure_names.heading("FMR")),
            self.measure_names.heading("FMR"),
            data.groups,
            tuple(tuple("" if rate is None else self.rate(rate) for rate in row) for row in data.rows),
            tuple(tuple(row) for row in data.shares.tolist()),
            tuple(tuple("" if rate is None else self.behind(rate) for rate in row) for row in data.rows),
        )

    def behind(self, rate: GroupRate) -> str:
        """The errors behind a rate, on one line."""
        return self.numbers.errors(rate.rate.result).replace(" ", "\u00a0")

    def apart(self) -> Table:
        """The differentials of all thresholds."""
        heads = ("point", "error", "highest", "lowest", "ratio", "mean")
        columns = Column.under((self.catalogue(f"groups.{head}") for head in heads), names=2)
        every = [(point, differential) for point in self.group_rates.points for differential in point.differentials]
        notes = [text for point, differential in every for text in self.lacking(point, differential)]
        note = " ".join([self.catalogue("groups.apart.note"), *dict.fromkeys(notes)])
        rows = tuple(self.differential(point, differential) for point, differential in every)
        return Table(f"{self.id}-apart", self.prefix + self.catalogue("groups.apart"), columns, rows, note)

    def lacking(self, point: PointRates, differential: Differential) -> list[str]:
        """Why there is no ratio, and groups without comparisons of a kind."""
        catalogue, kind, at = (
            self.catalogue,
            self.measure_names.heading(differential.kind),
            self.measure_names.heading(point.point),
        )
        notes = (
            [catalogue("groups.no_ratio", kind=kind, point=at, reason=differential.reason)]
            if differential.reason
            else []
        )
        groups = catalogue("list.separator").join(differential.left_out)
        return notes + ([catalogue("groups.left_out", kind=kind, groups=groups)] if groups else [])

    def differential(self, point: PointRates, differential: Differential) -> tuple[Cell, ...]:
        """One error at one threshold: who errs most and least, and by how much they differ."""
        return (
            Cell(self.measure_names.heading(point.point), point.point),
            Cell(self.measure_names.heading(differential.kind), differential.kind),
            *(self.end(rate) for rate in (differential.highest, differential.lowest)),
            Cell(self.ratio(differential.ratio), differential.ratio),
            Cell(self.ratio(differential.to_mean), differential.to_mean),
        )

    def end(self, rate: GroupRate | None) -> Cell:
        """The rate of the group at one end."""
        return Cell("") if rate is None else Cell(self.rate(rate), rate.value, note=rate.group)

    def ratio(self, value: float) -> str:
        """Three digits, or that there is none."""
        return self.catalogue("page.undefined") if math.isnan(value) else f"{value:.3g}"


def _known(rows: Sequence[GroupRate]) -> list[GroupRate]:
    """Groups that have comparisons of the kind."""
    return [row for row in rows if row.comparisons]
