"""What is shown of people: every one by two means, which animals there are, whether by chance, and who they are.

Holds the view of `Menagerie`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.analysis.menagerie import ANIMALS, PARTS, Menagerie
from bertillon.core.messages import Message, Text, say
from bertillon.views.assembling import register_view
from bertillon.views.document import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Line,
    Paragraphs,
    Section,
    Sentence,
    ShadedBand,
    Table,
)
from bertillon.views.figures.chart import BEHIND
from bertillon.views.figures.chart import Path as Points
from bertillon.views.figures.samples import CornerBox, MenagerieData, menagerie_data
from bertillon.views.numbers import UNDEFINED, Unit, shown, threshold_text
from bertillon.views.report_content import ReportContent

MOST_POINTS = 2000  # people drawn of each kind
MOST_NAMED = 5  # of each animal, named
SIGNIFICANT = 0.05  # a p value below it
SMALLEST = 1e-4  # p value that is told from smaller ones
STYLES = {"dove": 2, "chameleon": 3, "phantom": 0, "worm": 1}  # the colours of the figure


def people(found: Sequence[Menagerie], content: ReportContent) -> Section:
    """The people of every system."""
    blocks: list[Block] = [] if content.brief else [Paragraphs((Sentence(say("people.words")),))]
    for index, zoo in enumerate(found):
        system, id = zoo.name if len(found) > 1 else "", f"people-{index}"
        if not content.brief:
            blocks += [] if index else [Paragraphs((Sentence(say("people.chart"), interactive=True),))]
            blocks.append(_chart(menagerie_data(zoo), zoo, system, id=id))
        missing = _missing(zoo, drawn=not content.brief)
        blocks += [Paragraphs.of(missing)] if missing else []
        blocks += [
            _spreads(zoo, system, id=f"{id}-spreads"),
            _corners(zoo, system, id=f"{id}-corners"),
            _names(zoo, system, id=f"{id}-names"),
        ]
    return Section("people", say("people.section"), tuple(blocks))


def _of(system: str, title: Message) -> Message:
    return say("list.named", name=system, message=title) if system else title


def _chart(data: MenagerieData, zoo: Menagerie, system: str, *, id: str) -> Chart:
    """A point a person; corners are shaded, and their people have the colour of the corner."""
    rule = say(f"people.{zoo.people.rule.value}")
    counts = tuple(say(f"people.counted.{corner.animal}", n=corner.found) for corner in zoo.corners)
    return Chart(
        id,
        _of(system, say("people.title")),
        say("people.summary", people=len(zoo.people), found=counts),
        Axis(say("people.own", score=rule), *data.x_axis.limits, unit="score"),
        Axis(say("people.others", score=rule), *data.y_axis.limits, unit="score"),
        (_points(say("people.behind"), data.others, data.who, BEHIND), *map(_corner, data.corners)),
    )


def _corner(box: CornerBox) -> Line:
    low, high = box.y
    shade = ShadedBand(box.x, (low, low), (high, high), say("people.shaded"))
    return _points(say(f"people.{box.animal}"), box.people, box.who, STYLES[box.animal], shade)


def _points(name: Text, points: Points, who: Sequence[str], style: int, shade: ShadedBand | None = None) -> Line:
    """Points that are not joined; of very many every second one, or third, so that the page keeps its size."""
    step = max(1, -(-len(who) // MOST_POINTS))
    x, y = (tuple(values[::step].tolist()) for values in points)
    return Line(name, x, y, style, dots=True, notes=tuple(who[::step]), shade=shade, joined=False)


def _missing(zoo: Menagerie, *, drawn: bool) -> list[Message]:
    """Whom the chart does not show, and what could not be told."""
    missing = []
    if drawn:
        data = menagerie_data(zoo)
        missing += [say("people.unseen", n=data.unseen)] if data.unseen else []
        most = max([len(data.who), *(len(box.who) for box in data.corners)])
        missing += [say("people.some")] if most > MOST_POINTS else []
    reasons = [*(spread.reason for spread in zoo.spreads), *(corner.reason for corner in zoo.corners)]
    return missing + [say("people.undefined", reason=reason) for reason in dict.fromkeys(filter(None, reasons))]


def _spreads(zoo: Menagerie, system: str, *, id: str) -> Table:
    """People who are extreme in one way, the errors they have, and whether people differ at all."""
    columns = Column.under(say(f"people.{head}") for head in ("animal", "people", "share", "differ"))
    rows = []
    for spread in zoo.spreads:
        kind = () if spread.errors is None else (say(f"people.{spread.animal}.errors"),)
        errors = Cell(spread.errors, Unit.RATE, note=kind)
        rows.append((_animal(spread.animal), Cell(spread.found, Unit.COUNT), errors, _answer(spread.p_value)))
    at = threshold_text(zoo.people.threshold, zoo.people.rule)
    caption = say("people.spreads", share=shown(zoo.share, Unit.RATE), threshold=at)
    return Table(id, _of(system, caption), columns, tuple(rows), (say("people.spreads.note"),))


def _corners(zoo: Menagerie, system: str, *, id: str) -> Table:
    """People who are extreme in two ways, and whether they are more than chance explains."""
    columns = Column.under(say(f"people.{head}") for head in ("animal", "people", "expected", "more"))
    rows = []
    for corner in zoo.corners:
        expected = Cell(None if math.isnan(corner.expected) else corner.expected, Unit.RATIO)
        found = Cell(corner.found, Unit.COUNT)
        rows.append((_animal(corner.animal), found, expected, _answer(corner.p_adjusted)))
    return Table(id, _of(system, say("people.corners")), columns, tuple(rows), (say("people.corners.note"),))


def _names(zoo: Menagerie, system: str, *, id: str) -> Table:
    """The most extreme of each animal."""
    columns = Column.under((say("people.animal"), say("people.who")), names=2)
    rows = [
        (Cell(say(f"people.{animal}"), key=animal), Cell(say("list.all", names=most_extreme(zoo, animal))))
        for animal in ANIMALS
        if zoo[animal]
    ]
    title = say("people.names", n=MOST_NAMED)
    return Table(id, _of(system, title), columns, tuple(rows), (say("people.names.note"),))


def most_extreme(zoo: Menagerie, animal: str) -> tuple[str, ...]:
    """The most extreme with the score that makes them so; of a corner their names alone."""
    names = tuple(str(who) for who in zoo[animal][:MOST_NAMED])
    if animal not in PARTS:
        return names
    means = dict(zip(zoo.people.subject.tolist(), getattr(zoo.people, PARTS[animal][0]).mean.tolist(), strict=True))
    scores = (shown(means[who], Unit.RATIO) for who in zoo[animal])
    return tuple(f"{name} ({score})" for name, score in zip(names, scores, strict=False))


def _animal(animal: str) -> Cell:
    return Cell(say(f"people.{animal}"), key=animal, meaning=say(f"people.{animal}.words"))


def _answer(p_value: float) -> Cell:
    if math.isnan(p_value):
        return Cell(UNDEFINED, key=p_value)
    answer = say("people.yes" if p_value < SIGNIFICANT else "people.no")
    note = f"p < {SMALLEST:g}" if p_value < SMALLEST else say("paired.check.p", p=p_value)
    return Cell(answer, key=p_value, note=(note,))


register_view(Menagerie, people)
