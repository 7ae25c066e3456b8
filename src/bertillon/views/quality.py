"""What is shown of quality: what is left of both errors when comparisons of low quality are discarded.

Holds the view of `Discarded`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.analysis.discard import LIMIT, SHARES, DiscardCurve, Discarded
from bertillon.core.messages import Message, Text, joined, say, sentences
from bertillon.measures.registry import VERIFICATION
from bertillon.views.assembling import Part, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Column, Line, Paragraphs, Section, Sentence, Table
from bertillon.views.figures.chart import GUIDE
from bertillon.views.figures.samples import SHOWN, highest_error, shown_steps
from bertillon.views.numbers import Unit, of_text, shown, threshold_text
from bertillon.views.report_content import ReportContent
from bertillon.views.vocabulary import MeasureNames

MOST_STEPS = 400  # of a curve
CLEARLY = 1.06  # times the area at random; were no discard an error it would be -log(1 - LIMIT) / LIMIT = 1.12 times


def discards(found: Sequence[Discarded], content: ReportContent) -> Part:
    """Both curves of every system, and what they come to."""
    names = MeasureNames.of(VERIFICATION, content.vocabulary)
    blocks: list[Block] = []
    for index, discarded in enumerate(found):
        system, id = discarded.name if len(found) > 1 else "", f"discard-{index}"
        blocks.append(Paragraphs.of([_of(system, _words(discarded))]))
        if not content.brief:
            blocks += [] if index else [Paragraphs((Sentence(say("discard.chart"), interactive=True),))]
            blocks.append(_chart(discarded, system, names, id=id))
        blocks.append(_errors(discarded, system, names, id=f"{id}-errors"))
        blocks.append(_areas(discarded, system, names, id=f"{id}-areas"))
    warnings = [Sentence(text, discarded.name) for discarded in found for text in _raised(discarded, names)]
    return Part((Section("discard", say("discard.section"), tuple(blocks)),), warnings=tuple(warnings))


def _of(system: str, title: Message) -> Message:
    return say("list.named", name=system, message=title) if system else title


def _words(discarded: Discarded) -> Message:
    """By which quality and at which threshold."""
    columns = joined(discarded.columns)
    quality = columns if len(discarded.columns) == 1 else say("discard.lower", columns=columns)
    at = threshold_text(discarded.threshold, discarded.rule)
    return say("discard.words", quality=quality, threshold=at)


def _raised(discarded: Discarded, names: MeasureNames) -> list[Text]:
    """Does discarding low numbers leave clearly more errors? Then low ones may be the good ones."""
    wrong = [curve for curve in discarded.curves if curve.partial_area(LIMIT) > CLEARLY * curve.random_area(LIMIT)]
    columns = joined(discarded.columns)
    return [say("discard.raised", kind=names.heading(curve.kind), columns=columns) for curve in wrong]


def _chart(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Chart:
    curves = discarded.curves
    summaries = [
        say(
            "discard.summary",
            kind=names.heading(curve.kind),
            start=shown(curve.starting_error, Unit.RATE),
            share=shown(LIMIT, Unit.RATE),
            end=shown(float(curve.error[curve.row_at(LIMIT)]), Unit.RATE),
        )
        for curve in curves
    ]
    best = [_best(curve) for curve in curves]
    lines = [_line(curve, names, style=index) for index, curve in enumerate(curves)]
    return Chart(
        id,
        _of(system, say("discard.title")),
        sentences(*summaries),
        Axis(say("discard.x"), 0.0, SHOWN),
        Axis(say("discard.y"), 0.0, highest_error(curves)),
        (*best, *lines),
    )


def _best(curve: DiscardCurve) -> Line:
    """Were every discard an error, the error would be gone when its own share is discarded."""
    return Line(say("discard.best"), (0.0, curve.starting_error), (curve.starting_error, 0.0), style=GUIDE)


def _line(curve: DiscardCurve, names: MeasureNames, *, style: int) -> Line:
    line, rows = shown_steps(curve, MOST_STEPS)
    notes = tuple(
        say("discard.step", quality=shown(float(curve.quality[row]), Unit.SCORE), errors=_kept(curve, int(row)))
        for row in rows
    )
    return Line(names.heading(curve.kind), tuple(line.x.tolist()), tuple(line.y.tolist()), style, notes=notes)


def _errors(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Table:
    """What is left at a few shares."""
    columns = Column.under(say(f"discard.{head}") for head in ("error", "discarded", "rate", "kept", "quality"))
    rows = []
    for curve in discarded.curves:
        for share in SHARES:
            row = curve.row_at(share)
            rate, quality = float(curve.error[row]), float(curve.quality[row])
            kind = Cell(names.heading(curve.kind), key=curve.kind)
            kept = Cell(_kept(curve, row), key=int(curve.errors[row]))
            rows.append((kind, Cell(share, Unit.RATE), Cell(rate, Unit.RATE), kept, Cell(quality, Unit.SCORE)))
    return Table(id, _of(system, say("discard.caption")), columns, tuple(rows))


def _areas(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Table:
    """One number for each curve, and what it is compared with."""
    columns = Column.under(say(f"discard.{head}") for head in ("error", "measured", "best", "difference", "random"))
    rows = []
    for curve in discarded.curves:
        areas = (curve.partial_area, curve.best_area, curve.excess_area, curve.random_area)
        kind = Cell(names.heading(curve.kind), key=curve.kind)
        rows.append((kind, *(Cell(area(LIMIT), Unit.AMOUNT) for area in areas)))
    title = say("discard.areas", limit=shown(LIMIT, Unit.RATE))
    return Table(id, _of(system, title), columns, tuple(rows))


def _kept(curve: DiscardCurve, row: int) -> Text:
    return of_text(int(curve.errors[row]), int(curve.kept[row]))


register_view(Discarded, discards)
