"""What is shown of a scheme: the verdict, every requirement with its bound, and what would show what is not shown.

Conventions: the table holds every number; a requirement that is not shown has a sentence, and so has one that only
trials taken as independent show. In the figure a requirement is a row: what was seen and its bound, as shares of its
limit, and a line at the limit.

Holds the view of `SchemeCheck`, and `scheme_chart`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bertillon._version import __version__
from bertillon.advice.verdicts import method_name
from bertillon.analysis.schemes import NOT_MET, SEEN, SHOWN, UNTESTED, Judged, SchemeCheck
from bertillon.core.messages import Message, Text, chained, say, sentences, spoken
from bertillon.core.rule import readable
from bertillon.measures import Result
from bertillon.stats.interval import Interval
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Level, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.figures import chart
from bertillon.views.figures.compose import LIMITS, grid
from bertillon.views.numbers import Estimate, Unit, shown, threshold_text

ROW, AROUND = 0.45, 1.5  # inches of a requirement, and around all of them
FURTHEST = 3.0  # times its limit that a bound is drawn
AT_LIMIT = chart.Pen("ink", "--", 1.2, 1.5)


def schemes(found: Sequence[SchemeCheck], content: ReportContent) -> Part:
    """The verdict on each system, its requirements, and where the rules were read."""

    def named(check: SchemeCheck) -> str:
        return check.name if len(found) > 1 else ""

    blocks: list[Block] = []
    for place, check in enumerate(found):
        made = _Check(check, f"scheme-{place}")
        blocks.append(made.table(brief=content.brief))
        blocks += [] if content.brief else made.drawn()
    about = [note for check in found for note in _about(check)[: 1 if content.brief else None]]
    rules = [Section("scheme-rules", say("scheme.rules"), (Paragraphs.of(about, listed=True),))]
    if content.brief:
        blocks, rules = [*blocks, Paragraphs.of(about, quiet=True)], []
    facts = tuple(fact for check in found for fact in _facts(check))
    return Part(
        title=say("scheme.report", title=found[0].scheme.title),
        sentences=tuple(
            Sentence(say("list.named", name=each.name, message=chained(_of_system(each)))) for each in found
        ),
        subjects=tuple(Subject(check.name, _of_system(check)) for check in found),
        verdicts=tuple(Sentence(text, named(check)) for check in found for text in _verdicts(check)),
        warnings=tuple(Sentence(text, named(check)) for check in found for text in _warnings(check)),
        sections=(
            Section("scheme", "" if content.brief else say("scheme.section"), tuple(blocks)),
            *rules,
            Section("scheme-repeat", say("page.section.signature"), (Paragraphs.of(facts),), Level.APPENDIX),
        ),
        results=() if content.brief else tuple(check.to_dict() for check in found),
    )


class _Check:
    """The requirements of one check."""

    def __init__(self, check: SchemeCheck, id: str) -> None:
        self.check, self.id = check, id

    def table(self, *, brief: bool) -> Table:
        """A row a requirement; in the answer without the methods."""
        names = ["requirement", "verdict", "seen", "errors", "bound", *([] if brief else ["by_subject", "people"])]
        rows = [self.row(row, brief=brief) for row in self.check.judged]
        caption = say("scheme.section") if brief else self.check.scheme.title  # which the verdict has named
        about: dict[str, Any] = {"id": self.id, "caption": caption, "names": 2}
        return Table.under([say(f"scheme.head.{name}") for name in names], rows, **about).without_empty

    def row(self, row: Judged, *, brief: bool) -> tuple[Cell, ...]:
        """What was asked, seen and bounded."""
        rule, known = row.requirement, not math.isnan(row.result.value)
        bound = Cell(_bound_text(row.interval), key=None if math.isnan(row.bound) else row.bound)
        cells = [Cell(_asked(row), key=rule.rate), Cell(say(f"scheme.status.{row.status}"), key=row.status)]
        cells.append(Cell(_seen_text(row), key=row.result.value) if known else Cell())
        cells.append(Cell.errors(row.result))
        if brief:
            return (*cells, bound)
        how = say("scheme.confidence" if rule.stated else "scheme.confidence_ours", level=_percent(rule.confidence))
        beside = Cell() if row.by_subject is None else Cell(_bound_text(row.by_subject), key=row.by_subject.high)
        bound = replace(bound, note=(how, method_name(row.interval.method))) if known else bound
        return (*cells, bound, beside, Cell(row.people, Unit.COUNT))

    def drawn(self) -> list[Block]:
        """What was seen and its bound, as shares of the limit."""
        rows = _measured(self.check)
        if not rows:
            return []
        title = say("scheme.chart", title=self.check.scheme.title)
        said = tuple(say("number.of", name=row.requirement.rate, value=_bound_text(row.interval)) for row in rows)
        summary = say("scheme.chart.summary", bounds=said)
        return [Chart(f"{self.id}-chart", title, summary, *_axes(rows), tuple(_lines(rows)))]


def scheme_chart(found: Sequence[SchemeCheck]) -> chart.Chart:
    """A panel for each check, a row a requirement."""
    measured = [(check, rows) for check in found[: LIMITS.most_panels] if (rows := _measured(check))]
    panels = []
    for check, rows in measured:
        x_axis, y_axis = _axes(rows)
        x_axis = replace(x_axis, label=spoken(x_axis.label))
        y_axis = replace(y_axis, names=tuple(spoken(name) for name in y_axis.names))
        marks: list[chart.Mark] = [chart.Rule("x", 1.0, AT_LIMIT)]
        for place, row in enumerate(rows):
            ends = (_share(row, row.result.value), _share(row, row.bound))
            marks.append(chart.Line("", ends, (place, place), pen=chart.Pen(chart.MATED)))
            marks.append(chart.Spot(ends[0], place, chart.MATED))
            marks.append(chart.Spot(ends[1], place, chart.MATED, "ring"))
            said = spoken(say("scheme.seen_and_bound", seen=_seen_text(row), bound=_bound_text(row.interval)))
            marks.append(chart.Label(said, 0.02 * x_axis.high, place - 0.2))
        panels.append(chart.Panel(x_axis, y_axis, tuple(marks), title=chart.shortened(check.name, 40)))
    most = max((len(rows) for _, rows in measured), default=1)
    return grid(panels, (chart.SIZE[0], AROUND + ROW * most), columns=1)


def _measured(check: SchemeCheck) -> list[Judged]:
    return [row for row in check.judged if row.status != UNTESTED]


def _axes(rows: Sequence[Judged]) -> tuple[Axis, Axis]:
    """Shares of the limit from 0 on, and the requirements by name."""
    highest = max(_share(row, row.bound) for row in rows)
    names = tuple(_asked(row) for row in rows)
    cut = [say("scheme.cut", times=f"{FURTHEST:g}")] if highest >= FURTHEST else []
    x_axis = Axis(chained([say("scheme.share"), *cut]), 0.0, max(1.2, 1.08 * highest), unit="number")
    return x_axis, Axis("", 0.0, float(len(rows)), names=names)


def _share(row: Judged, value: float) -> float:
    return min(value / row.requirement.limit, FURTHEST)


def _lines(rows: Sequence[Judged]) -> list[chart.Line]:
    """The limit, and every requirement: a dot, and a span to its bound."""
    values = tuple(_share(row, row.result.value) for row in rows)
    spans = tuple((value, _share(row, row.bound)) for value, row in zip(values, rows, strict=True))
    notes = tuple(_bound_text(row.interval) for row in rows)
    places = tuple(float(place) for place in range(len(rows)))
    limit = chart.Line(say("scheme.limit"), (1.0, 1.0), (-0.5, len(rows) - 0.5), chart.GUIDE)
    return [
        chart.Line(say("scheme.head.seen"), values, places, dots=True, notes=notes, joined=False, spans=spans),
        limit,
    ]


def _seen_text(row: Judged) -> Text:
    """The rate to the digits that its bound supports, without the bound beside it."""
    return shown(Estimate(Result(row.result.value), row.interval if row.result.value else None), Unit.RATE)


def _bound_text(interval: Interval) -> Text:
    """The upper end, which is what is judged."""
    return "" if math.isnan(interval.high) else shown(replace(interval, low=0.0, side="upper"), Unit.RATE)


def _asked(row: Judged) -> Message:
    """The rule in short: a rate and its limit."""
    rule = row.requirement
    key = "scheme.below" if rule.strict else "scheme.at_most"
    asked = say(key, rate=rule.rate, limit=_percent(rule.limit))
    return say("scheme.recommended", rule=asked) if rule.recommended else asked


def _percent(share: float) -> str:
    return f"{share * 100:.6g}"


def _verdicts(check: SchemeCheck) -> list[Message]:
    """Passed or not, then each requirement that is not shown and what would show it."""
    rows = [row for row in check.judged if row.counts]
    reached = sum(row.status == SHOWN for row in rows)
    key = "scheme.passed" if check.passed else "scheme.failed"
    whole = say(key, title=check.scheme.title, reached=reached, every=len(rows))
    return [whole, *(_sentence(row) for row in check.judged if row.status != SHOWN)]


def _sentence(row: Judged) -> Message:
    rule = row.requirement
    if row.status == UNTESTED:
        return say("scheme.untested", rule=_asked(row), reason=row.result.reason or row.interval.reason or "")
    bound, level = _bound_text(row.interval), _percent(rule.confidence)
    seen = _seen_text(row)
    if row.status == NOT_MET:
        return say("scheme.not_met", rule=_asked(row), seen=seen)
    assert row.status == SEEN
    about: dict[str, Any] = {"rule": _asked(row), "seen": seen, "bound": bound, "level": level, "more": _more(row)}
    few = rule.people and (row.people or 0) < rule.people
    if not few:
        return say("scheme.seen", method=method_name(row.interval.method), **about)
    people = say("scheme.people_unknown") if row.people is None else say("scheme.people", n=row.people)
    return say("scheme.seen_of_few", people=people, least=rule.people, **about)


def _more(row: Judged) -> Message:
    """What would show it."""
    if row.more_trials is None and row.more_people is None:
        return say("scheme.more_unknown")
    parts = [say("scheme.more_trials", n=row.more_trials)] if row.more_trials else []
    parts += [say("scheme.more_people", n=row.more_people)] if row.more_people else []
    return say("scheme.more", parts=parts[0] if len(parts) == 1 else say("list.and", first=parts[0], second=parts[1]))


def _warnings(check: SchemeCheck) -> list[Message]:
    """What to know before the verdict is trusted."""
    messages = (
        [say(f"scheme.chosen.{check.chosen}", threshold=threshold_text(check.threshold, check.rule))]
        if check.chosen
        else []
    )
    for row in check.judged:
        beside = row.by_subject
        if row.status == SHOWN and beside is not None and not row.requirement.met_by(beside.high):
            messages.append(
                say(
                    "scheme.by_subject",
                    rule=_asked(row),
                    bound=_bound_text(beside),
                    method=method_name(row.interval.method),
                )
            )
    return messages


def _of_system(check: SchemeCheck) -> tuple[Text, ...]:
    """How much was compared, and at which threshold."""
    counts = [
        say("scheme.counted", kind=say(f"scheme.kind.{kind}"), n=n)
        for kind, n in check.counts.items()
        if n and kind in KINDS
    ]
    facts: list[Text] = [chained(counts)] if counts else []
    if check.threshold is not None:
        sign = say("scheme.accept", sign=check.rule.sign, threshold=threshold_text(check.threshold, check.rule))
        facts.append(sign)
    if not check.notes:
        return tuple(facts)
    return (say("scheme.about", facts=chained(facts), notes=sentences(*check.notes)),)


KINDS = ("mated", "nonmated", "enrolled", "nonenrolled", "failed")


def _about(check: SchemeCheck) -> list[Text]:
    """Where the rules were read, and what they do not judge."""
    scheme = check.scheme
    key = "scheme.source_second_hand" if scheme.second_hand else "scheme.source"
    return [say(key, source=scheme.source, read=scheme.read), say("scheme.words"), *scheme.notes]


def _facts(check: SchemeCheck) -> list[Message]:
    """What one needs to know to get the same verdict again."""
    threshold = "" if check.threshold is None else readable(check.threshold)
    about: dict[str, Any] = {"version": __version__, "data": check.data, "scheme": check.scheme.name}
    return [say("scheme.repeat", threshold=threshold, rule=check.rule.value, **about)]


register_view(SchemeCheck, schemes)
