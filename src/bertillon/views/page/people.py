"""The part of the page on people: every one by two means, which animals there are, and who they are.

Holds `people_section`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.analysis.menagerie import ANIMALS, Menagerie
from bertillon.core.messages import Catalogue, Text, say
from bertillon.views.figures.menagerie_data import CornerBox, MenagerieData, menagerie_data
from bertillon.views.figures.shapes import Line as Points
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


def people_section(content: ReportContent, words: Catalogue) -> Section:
    """The people of every system."""
    several = len(content.people) > 1
    blocks: list[Block] = [Paragraphs((Sentence(words("people.words")),))]
    for place, zoo in enumerate(content.people):
        prefix, id = f"{zoo.name}: " if several else "", f"people-{place}"
        blocks += [] if place else [Paragraphs((Sentence(words("people.chart")),))]
        blocks += [_chart(menagerie_data(zoo), zoo, prefix, words, id=id), *_missing(zoo, words)]
        blocks += [
            _spreads(zoo, prefix, words, id=f"{id}-spreads"),
            _corners(zoo, prefix, words, id=f"{id}-corners"),
            _names(zoo, prefix, words, id=f"{id}-names"),
        ]
    return Section("people", words("people.section"), tuple(blocks))


def _chart(data: MenagerieData, zoo: Menagerie, prefix: str, words: Catalogue, *, id: str) -> Chart:
    """A point a person; corners are shaded, and their people have the colour of the corner."""
    rule = words(f"people.{zoo.people.rule.value}")
    found = words("list.separator").join(f"{words(f'people.{corner.animal}')} {corner.found}" for corner in zoo.corners)
    return Chart(
        id,
        prefix + words("people.title"),
        words("people.summary", people=Numbers(words).count(len(zoo.people)), found=found),
        Axis(words("people.own", score=rule), *data.x_axis.limits, unit="score"),
        Axis(words("people.others", score=rule), *data.y_axis.limits, unit="score"),
        (
            _points(words("people.behind"), data.others, data.who, BEHIND),
            *(_corner(box, words) for box in data.corners),
        ),
    )


def _corner(box: CornerBox, words: Catalogue) -> Line:
    low, high = box.y
    shade = ShadedBand(box.x, (low, low), (high, high), words("people.shaded"))
    return _points(words(f"people.{box.animal}"), box.people, box.who, STYLES[box.animal], shade)


def _points(name: str, points: Points, who: Sequence[str], style: int, shade: ShadedBand | None = None) -> Line:
    """Points that are not joined; of very many every second one, or third, so that the page keeps its size."""
    step = max(1, -(-len(who) // MOST_POINTS))
    x, y = (tuple(values[::step].tolist()) for values in points)
    return Line(name, x, y, style, dots=True, notes=tuple(who[::step]), shade=shade, joined=False)


def _missing(zoo: Menagerie, words: Catalogue) -> list[Block]:
    """Whom the chart does not show, and what could not be told."""
    data, numbers = menagerie_data(zoo), Numbers(words)
    missing = [Sentence(words("people.unseen", n=numbers.count(data.unseen)))] if data.unseen else []
    most = max([len(data.who), *(len(box.who) for box in data.corners)])
    missing += [Sentence(words("people.some"))] if most > MOST_POINTS else []
    reasons = [*(spread.reason for spread in zoo.spreads), *(corner.reason for corner in zoo.corners)]
    missing += [_undefined(reason, words) for reason in dict.fromkeys(filter(None, reasons))]
    return [Paragraphs(tuple(missing))] if missing else []


def _undefined(reason: Text, words: Catalogue) -> Sentence:
    return sentence(say("people.undefined", reason=reason), words)


def _spreads(zoo: Menagerie, prefix: str, words: Catalogue, *, id: str) -> Table:
    """People who are extreme in one way, the errors they have, and whether people differ at all."""
    numbers = Numbers(words)
    heads = ("animal", "people", "share", "differ")
    columns = Column.under(words(f"people.{head}") for head in heads)
    rows = []
    for spread in zoo.spreads:
        errors = "" if spread.errors is None else numbers.percent(spread.errors)
        kind = words(f"people.{spread.animal}.errors") if errors else ""
        answer = _answer(spread.p_value, words)
        rows.append(
            (
                _animal(spread.animal, words),
                _count(spread.found, numbers),
                Cell(errors, spread.errors, note=kind),
                answer,
            )
        )
    at = numbers.threshold(zoo.people.threshold, zoo.people.rule)
    caption = words("people.spreads", share=numbers.percent(zoo.share), threshold=at)
    return Table(id, prefix + caption, columns, tuple(rows), words("people.spreads.note"))


def _corners(zoo: Menagerie, prefix: str, words: Catalogue, *, id: str) -> Table:
    """People who are extreme in two ways, and whether they are more than chance explains."""
    numbers = Numbers(words)
    heads = ("animal", "people", "expected", "more")
    columns = Column.under(words(f"people.{head}") for head in heads)
    rows = []
    for corner in zoo.corners:
        expected = Cell("" if math.isnan(corner.expected) else f"{corner.expected:.3g}", corner.expected)
        answer = _answer(corner.p_adjusted, words)
        rows.append((_animal(corner.animal, words), _count(corner.found, numbers), expected, answer))
    return Table(id, prefix + words("people.corners"), columns, tuple(rows), words("people.corners.note"))


def _names(zoo: Menagerie, prefix: str, words: Catalogue, *, id: str) -> Table:
    """The most extreme of each animal."""
    columns = (Column(words("people.animal"), numeric=False), Column(words("people.who"), numeric=False))
    rows = [
        (Cell(words(f"people.{animal}"), animal), Cell(words("list.separator").join(most_extreme(zoo, animal))))
        for animal in ANIMALS
        if zoo[animal]
    ]
    return Table(id, prefix + words("people.names", n=MOST_NAMED), columns, tuple(rows), words("people.names.note"))


def _animal(animal: str, words: Catalogue) -> Cell:
    return Cell(words(f"people.{animal}"), animal, note=words(f"people.{animal}.words"))


def _count(found: int, numbers: Numbers) -> Cell:
    return Cell(numbers.count(found), found)


def _answer(p_value: float, words: Catalogue) -> Cell:
    if math.isnan(p_value):
        return Cell(words("page.undefined"), p_value)
    return Cell(
        words("people.yes" if p_value < SIGNIFICANT else "people.no"),
        p_value,
        note=p_value_text(p_value).replace(" ", "\u00a0"),
    )
