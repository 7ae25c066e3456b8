"""The part of the page on people: every one by two means, which animals there are, and who they are.

Holds `people_section`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.analysis.menagerie import ANIMALS, Menagerie
from bertillon.core.messages import Catalogue, Text, say
from bertillon.views.figures.chart import Path as Points
from bertillon.views.figures.samples import CornerBox, MenagerieData, menagerie_data
from bertillon.views.page.model import (
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
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.texts import sentence
from bertillon.views.report_content import ReportContent
from bertillon.views.samples import MOST_NAMED, SIGNIFICANT, most_extreme, p_value_text

MOST_POINTS = 2000  # people drawn of each kind
BEHIND = -2
STYLES = {"dove": 2, "chameleon": 3, "phantom": 0, "worm": 1}  # the colours of the figure


def people_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """The people of every system."""
    several = len(content.people) > 1
    blocks: list[Block] = [Paragraphs((Sentence(catalogue("people.words")),))]
    for index, zoo in enumerate(content.people):
        prefix, id = f"{zoo.name}: " if several else "", f"people-{index}"
        blocks += [] if index else [Paragraphs((Sentence(catalogue("people.chart")),))]
        blocks += [_chart(menagerie_data(zoo), zoo, prefix, catalogue, id=id), *_missing(zoo, catalogue)]
        blocks += [
            _spreads(zoo, prefix, catalogue, id=f"{id}-spreads"),
            _corners(zoo, prefix, catalogue, id=f"{id}-corners"),
            _names(zoo, prefix, catalogue, id=f"{id}-names"),
        ]
    return Section("people", catalogue("people.section"), tuple(blocks))


def _chart(data: MenagerieData, zoo: Menagerie, prefix: str, catalogue: Catalogue, *, id: str) -> Chart:
    """A point a person; corners are shaded, and their people have the colour of the corner."""
    rule = catalogue(f"people.{zoo.people.rule.value}")
    counts = catalogue("list.separator").join(
        f"{catalogue(f'people.{corner.animal}')} {corner.found}" for corner in zoo.corners
    )
    return Chart(
        id,
        prefix + catalogue("people.title"),
        catalogue("people.summary", people=Numbers(catalogue).count(len(zoo.people)), found=counts),
        Axis(catalogue("people.own", score=rule), *data.x_axis.limits, unit="score"),
        Axis(catalogue("people.others", score=rule), *data.y_axis.limits, unit="score"),
        (
            _points(catalogue("people.behind"), data.others, data.who, BEHIND),
            *(_corner(box, catalogue) for box in data.corners),
        ),
    )


def _corner(box: CornerBox, catalogue: Catalogue) -> Line:
    low, high = box.y
    shade = ShadedBand(box.x, (low, low), (high, high), catalogue("people.shaded"))
    return _points(catalogue(f"people.{box.animal}"), box.people, box.who, STYLES[box.animal], shade)


def _points(name: str, points: Points, who: Sequence[str], style: int, shade: ShadedBand | None = None) -> Line:
    """Points that are not joined; of very many every second one, or third, so that the page keeps its size."""
    step = max(1, -(-len(who) // MOST_POINTS))
    x, y = (tuple(values[::step].tolist()) for values in points)
    return Line(name, x, y, style, dots=True, notes=tuple(who[::step]), shade=shade, joined=False)


def _missing(zoo: Menagerie, catalogue: Catalogue) -> list[Block]:
    """Whom the chart does not show, and what could not be told."""
    data, numbers = menagerie_data(zoo), Numbers(catalogue)
    missing = [Sentence(catalogue("people.unseen", n=numbers.count(data.unseen)))] if data.unseen else []
    most = max([len(data.who), *(len(box.who) for box in data.corners)])
    missing += [Sentence(catalogue("people.some"))] if most > MOST_POINTS else []
    reasons = [*(spread.reason for spread in zoo.spreads), *(corner.reason for corner in zoo.corners)]
    missing += [_undefined(reason, catalogue) for reason in dict.fromkeys(filter(None, reasons))]
    return [Paragraphs(tuple(missing))] if missing else []


def _undefined(reason: Text, catalogue: Catalogue) -> Sentence:
    return sentence(say("people.undefined", reason=reason), catalogue)


def _spreads(zoo: Menagerie, prefix: str, catalogue: Catalogue, *, id: str) -> Table:
    """People who are extreme in one way, the errors they have, and whether people differ at all."""
    numbers = Numbers(catalogue)
    heads = ("animal", "people", "share", "differ")
    columns = Column.under(catalogue(f"people.{head}") for head in heads)
    rows = []
    for spread in zoo.spreads:
        errors = "" if spread.errors is None else numbers.percent(spread.errors)
        kind = catalogue(f"people.{spread.animal}.errors") if errors else ""
        answer = _answer(spread.p_value, catalogue)
        rows.append(
            (
                _animal(spread.animal, catalogue),
                _count(spread.found, numbers),
                Cell(errors, spread.errors, note=kind),
                answer,
            )
        )
    at = numbers.threshold(zoo.people.threshold, zoo.people.rule)
    caption = catalogue("people.spreads", share=numbers.percent(zoo.share), threshold=at)
    return Table(id, prefix + caption, columns, tuple(rows), catalogue("people.spreads.note"))


def _corners(zoo: Menagerie, prefix: str, catalogue: Catalogue, *, id: str) -> Table:
    """People who are extreme in two ways, and whether they are more than chance explains."""
    numbers = Numbers(catalogue)
    heads = ("animal", "people", "expected", "more")
    columns = Column.under(catalogue(f"people.{head}") for head in heads)
    rows = []
    for corner in zoo.corners:
        expected = Cell("" if math.isnan(corner.expected) else f"{corner.expected:.3g}", corner.expected)
        answer = _answer(corner.p_adjusted, catalogue)
        rows.append((_animal(corner.animal, catalogue), _count(corner.found, numbers), expected, answer))
    return Table(id, prefix + catalogue("people.corners"), columns, tuple(rows), catalogue("people.corners.note"))


def _names(zoo: Menagerie, prefix: str, catalogue: Catalogue, *, id: str) -> Table:
    """The most extreme of each animal."""
    columns = (Column(catalogue("people.animal"), numeric=False), Column(catalogue("people.who"), numeric=False))
    rows = [
        (Cell(catalogue(f"people.{animal}"), animal), Cell(catalogue("list.separator").join(most_extreme(zoo, animal))))
        for animal in ANIMALS
        if zoo[animal]
    ]
    return Table(
        id, prefix + catalogue("people.names", n=MOST_NAMED), columns, tuple(rows), catalogue("people.names.note")
    )


def _animal(animal: str, catalogue: Catalogue) -> Cell:
    return Cell(catalogue(f"people.{animal}"), animal, note=catalogue(f"people.{animal}.words"))


def _count(people: int, numbers: Numbers) -> Cell:
    return Cell(numbers.count(people), people)


def _answer(p_value: float, catalogue: Catalogue) -> Cell:
    if math.isnan(p_value):
        return Cell(catalogue("page.undefined"), p_value)
    return Cell(
        catalogue("people.yes" if p_value < SIGNIFICANT else "people.no"),
        p_value,
        note=p_value_text(p_value).replace(" ", "\u00a0"),
    )
