"""What is shown of samples and the people behind them: error-versus-discard curves, and the menagerie.

Conventions: of a discard curve the share discarded and the error are in percent. The curve is a staircase: the error
holds until the next quality is discarded as well. Dotted beneath is the best there could be, were every discard an
error; the faint level line is where the error stays when discarding has nothing to do with quality. Curves are shown
up to half of the comparisons discarded; beyond that few are left and the errors are noise.
The menagerie shows every person by the mean score with oneself and the mean score with others. Both axes grow to the
right and upwards in the user's units, for a distance as for a similarity; what changes place with a distance are the
corners. A corner reaches from the edge of the axes to halfway between the last person of its quarter and the next one;
its people have its colour. People without one of the means, or with an infinite one, are not drawn, and a note says how
many.

Holds the views of `Discarded` (both errors as comparisons of low quality are discarded) and of `Menagerie` (people by
two means, which animals there are, whether by chance, and who they are); their figures: `discard_curves`,
`discard_panel` and `discard_chart`; `MenagerieData` with its `CornerBox`es and `menagerie_data`, `menagerie_panel` and
`menagerie_chart`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.discard import LIMIT, SHARES, DiscardCurve, Discarded, IntArray
from bertillon.analysis.menagerie import ANIMALS, CORNERS, PARTS, QUARTER, Corner, Menagerie
from bertillon.core.messages import Message, Text, joined, say, sentences, spoken
from bertillon.counting.curves.error_curve import thinned_rows
from bertillon.measures.registry import VERIFICATION
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Paragraphs, Section, Sentence, Table, titled
from bertillon.views.figures import chart
from bertillon.views.figures.axis import FloatArray, Limits, ends_of, padded, score_axis
from bertillon.views.figures.compose import LIMITS, Curve, each, grid, levels, together
from bertillon.views.figures.errors import in_percent
from bertillon.views.measures import MeasureNames
from bertillon.views.numbers import UNDEFINED, Unit, of_text, shown, threshold_text

MOST_STEPS = 400  # of a curve
CLEARLY = 1.06  # times the area at random; were no discard an error it would be -log(1 - LIMIT) / LIMIT = 1.12 times
PERCENT = 100.0
SHOWN = 0.5  # of the comparisons, discarded
HEADROOM = 0.08  # of the highest error
STAYS = chart.Pen("faint", "-", 1.0, 1.4)
FOR_NAMES = 0.16  # of the people's height, above and below them, where the corners are named
COLOURS = {"dove": 2, "chameleon": 3, "phantom": 0, "worm": 1}
INSET = 0.015  # of the axes, between the frame and a name
FEW, DOTS = 500, (14.0**0.5, 2.0)  # people, and how large a point is up to there and beyond
MOST_POINTS = 2000  # people drawn of each kind
MOST_NAMED = 5  # of each animal, named
SIGNIFICANT = 0.05  # a p value below it
SMALLEST = 1e-4  # p value that is told from smaller ones


def discards(found: Sequence[Discarded], content: ReportContent) -> Part:
    """Both curves of every system, and what they come to."""
    names = MeasureNames.of(VERIFICATION, content.vocabulary)
    blocks: list[Block] = []
    for index, discarded in enumerate(found):
        system, id = discarded.name if len(found) > 1 else "", f"discard-{index}"
        blocks.append(Paragraphs.of([titled(system, _words(discarded))]))
        if not content.brief:
            blocks += [] if index else [Paragraphs((Sentence(say("discard.chart"), interactive=True),))]
            blocks.append(_discard_chart(discarded, system, names, id=id))
        blocks.append(_errors(discarded, system, names, id=f"{id}-errors"))
        blocks.append(_areas(discarded, system, names, id=f"{id}-areas"))
    warnings = [Sentence(text, discarded.name) for discarded in found for text in _raised(discarded, names)]
    return Part(sections=(Section("discard", say("discard.section"), tuple(blocks)),), warnings=tuple(warnings))


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


def _discard_chart(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Chart:
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
    starts = [curve.starting_error for curve in curves]  # were every discard an error, all would be gone at this share
    best = [chart.Line(say("discard.best"), (0.0, start), (start, 0.0), chart.GUIDE) for start in starts]
    lines = [_discard_line(curve, names, style=index) for index, curve in enumerate(curves)]
    return Chart(
        id,
        titled(system, say("discard.title")),
        sentences(*summaries),
        Axis(say("discard.x"), 0.0, SHOWN),
        Axis(say("discard.y"), 0.0, highest_error(curves)),
        (*best, *lines),
    )


def _discard_line(curve: DiscardCurve, names: MeasureNames, *, style: int) -> chart.Line:
    line, rows = shown_steps(curve, MOST_STEPS)
    notes = tuple(
        say("discard.step", quality=shown(float(curve.quality[row]), Unit.SCORE), errors=_kept(curve, int(row)))
        for row in rows
    )
    return chart.Line(names.heading(curve.kind), tuple(line.x.tolist()), tuple(line.y.tolist()), style, notes=notes)


def _errors(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Table:
    """What is left at a few shares."""
    heads = [say(f"discard.{head}") for head in ("error", "discarded", "rate", "kept", "quality")]
    rows = []
    for curve in discarded.curves:
        for share in SHARES:
            row = curve.row_at(share)
            rate, quality = float(curve.error[row]), float(curve.quality[row])
            kind = Cell(names.heading(curve.kind), key=curve.kind)
            kept = Cell(_kept(curve, row), key=int(curve.errors[row]))
            rows.append((kind, Cell(share, Unit.RATE), Cell(rate, Unit.RATE), kept, Cell(quality, Unit.SCORE)))
    return Table.under(heads, rows, id=id, caption=titled(system, say("discard.caption")))


def _areas(discarded: Discarded, system: str, names: MeasureNames, *, id: str) -> Table:
    """One number for each curve, and what it is compared with."""
    heads = [say(f"discard.{head}") for head in ("error", "measured", "best", "difference", "random")]
    rows = []
    for curve in discarded.curves:
        areas = (curve.partial_area, curve.best_area, curve.excess_area, curve.random_area)
        kind = Cell(names.heading(curve.kind), key=curve.kind)
        rows.append((kind, *(Cell(area(LIMIT), Unit.AMOUNT) for area in areas)))
    title = say("discard.areas", limit=shown(LIMIT, Unit.RATE))
    return Table.under(heads, rows, id=id, caption=titled(system, title))


def _kept(curve: DiscardCurve, row: int) -> Text:
    return of_text(int(curve.errors[row]), int(curve.kept[row]))


def discard_chart(systems: Sequence[tuple[str, Sequence[DiscardCurve]]]) -> chart.Chart:
    """A panel for each system with its curves."""
    return each(systems, lambda system: discard_panel(discard_curves(system[1]), system[0]))


def discard_curves(curves: Sequence[DiscardCurve]) -> list[Curve]:
    """Several curves on common axes, each with the best there could be."""
    kinds = list(dict.fromkeys(curve.kind for curve in curves))
    x_axis = Axis(spoken(say("figure.discarded")), *padded((0.0, PERCENT * SHOWN)))
    top = PERCENT * highest_error(curves) * (1.0 + HEADROOM)
    y_axis = Axis(spoken(in_percent(kinds[0] if len(kinds) == 1 else say("figure.error"))), 0.0, top)
    return [_discard(curve, several=len(kinds) > 1, axes=(x_axis, y_axis)) for curve in curves]


def discard_panel(curves: Sequence[Curve], name: str = "") -> chart.Panel:
    """Each curve with the best there could be, and where it would stay at random."""
    panel = together(curves, guides=levels("y", (curve.level for curve in curves), STAYS), sides=())
    return replace(panel, title=name, notes=(spoken(say("figure.discard_lines")),), legend="above")


def highest_error(curves: Sequence[DiscardCurve]) -> float:
    """The highest rate that is shown; 1 where there is no error at all, since an axis needs some length."""
    return max(float(curve.error[curve.discarded <= SHOWN].max()) for curve in curves) or 1.0


def shown_steps(curve: DiscardCurve, most: int | None = None) -> tuple[chart.Path, IntArray]:
    """The staircase up to the edge of what is shown, in shares, and the step that each of its points belongs to.

    Along x first, since an error holds until more is discarded. Of very many steps `most` are kept, exact at each.
    """
    rows = np.flatnonzero(curve.discarded <= SHOWN)
    if most is not None:
        rows = rows[thinned_rows(curve.discarded[rows], curve.error[rows], most)]
    x, y = np.append(curve.discarded[rows], SHOWN), np.append(curve.error[rows], curve.error[rows[-1]])
    steps = np.append(rows, rows[-1])
    return chart.Path(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]), np.repeat(steps, 2)[:-1]


def _discard(curve: DiscardCurve, *, several: bool, axes: tuple[Axis, Axis]) -> Curve:
    start, (line, _) = PERCENT * curve.starting_error, shown_steps(curve)
    name = " ".join(filter(None, (curve.name, curve.kind if several or not curve.name else "")))
    best = chart.Path(np.array([0.0, start]), np.array([start, 0.0]))
    return Curve(name, chart.Path(PERCENT * line.x, PERCENT * line.y), *axes, second=best, level=start)


def people(found: Sequence[Menagerie], content: ReportContent) -> Section:
    """The people of every system."""
    blocks: list[Block] = [] if content.brief else [Paragraphs((Sentence(say("people.words")),))]
    for index, zoo in enumerate(found):
        system, id = zoo.name if len(found) > 1 else "", f"people-{index}"
        if not content.brief:
            blocks += [] if index else [Paragraphs((Sentence(say("people.chart"), interactive=True),))]
            blocks.append(_people_chart(menagerie_data(zoo), zoo, system, id=id))
        missing = _missing(zoo, drawn=not content.brief)
        blocks += [Paragraphs.of(missing)] if missing else []
        blocks += [
            _spreads(zoo, system, id=f"{id}-spreads"),
            _corners_table(zoo, system, id=f"{id}-corners"),
            _names(zoo, system, id=f"{id}-names"),
        ]
    return Section("people", say("people.section"), tuple(blocks))


def _people_chart(data: MenagerieData, zoo: Menagerie, system: str, *, id: str) -> Chart:
    """A point a person; corners are shaded, and their people have the colour of the corner."""
    rule = say(f"people.{zoo.people.rule.value}")
    return Chart(
        id,
        titled(system, say("people.title")),
        say("people.summary", people=len(zoo.people), found=tuple(map(_counted, zoo.corners))),
        Axis(say("people.own", score=rule), *data.x_axis.limits, unit="score"),
        Axis(say("people.others", score=rule), *data.y_axis.limits, unit="score"),
        (_points(say("people.behind"), data.others, data.who, chart.BEHIND), *map(_corner_line, data.corners)),
    )


def _counted(corner: Corner) -> Message:
    return say(f"people.counted.{corner.animal}", n=corner.found)


def _corner_line(box: CornerBox) -> chart.Line:
    low, high = box.y
    shade = chart.ShadedBand(box.x, (low, low), (high, high), say("people.shaded"))
    return _points(say(f"people.{box.animal}"), box.people, box.who, COLOURS[box.animal], shade)


def _points(
    name: Text, points: chart.Path, who: Sequence[str], style: int, shade: chart.ShadedBand | None = None
) -> chart.Line:
    """Points that are not joined; of very many every second one, or third, so that the page keeps its size."""
    step = max(1, -(-len(who) // MOST_POINTS))
    x, y = (tuple(values[::step].tolist()) for values in points)
    return chart.Line(name, x, y, style, dots=True, notes=tuple(who[::step]), shade=shade, joined=False)


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
    heads = [say(f"people.{head}") for head in ("animal", "people", "share", "differ")]
    rows = []
    for spread in zoo.spreads:
        kind = () if spread.errors is None else (say(f"people.{spread.animal}.errors"),)
        errors = Cell(spread.errors, Unit.RATE, note=kind)
        rows.append((_animal(spread.animal), Cell(spread.found, Unit.COUNT), errors, _answer(spread.p_value)))
    at = threshold_text(zoo.people.threshold, zoo.people.rule)
    caption = say("people.spreads", share=shown(zoo.share, Unit.RATE), threshold=at)
    return Table.under(heads, rows, [say("people.spreads.note")], id=id, caption=titled(system, caption))


def _corners_table(zoo: Menagerie, system: str, *, id: str) -> Table:
    """People who are extreme in two ways, and whether they are more than chance explains."""
    heads = [say(f"people.{head}") for head in ("animal", "people", "expected", "more")]
    rows = []
    for corner in zoo.corners:
        expected = Cell(None if math.isnan(corner.expected) else corner.expected, Unit.RATIO)
        found = Cell(corner.found, Unit.COUNT)
        rows.append((_animal(corner.animal), found, expected, _answer(corner.p_adjusted)))
    title = titled(system, say("people.corners"))
    return Table.under(heads, rows, [say("people.corners.note")], id=id, caption=title)


def _names(zoo: Menagerie, system: str, *, id: str) -> Table:
    """The most extreme of each animal."""
    heads = [say("people.animal"), say("people.who")]
    rows = [
        (Cell(say(f"people.{animal}"), key=animal), Cell(say("list.all", names=most_extreme(zoo, animal))))
        for animal in ANIMALS
        if zoo[animal]
    ]
    title = titled(system, say("people.names", n=MOST_NAMED))
    return Table.under(heads, rows, [say("people.names.note")], id=id, caption=title, names=2)


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


@dataclass(frozen=True, slots=True, eq=False)
class CornerBox:
    """A corner of the axes, its people, and its name with how many are there and how many chance would put there."""

    animal: str
    words: str
    right: bool
    top: bool
    x: Limits
    y: Limits
    people: chart.Path
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MenagerieData:
    """People as points, those of the corners apart; `who` are their ids in the same order, `unseen` those not drawn."""

    name: str
    others: chart.Path
    who: tuple[str, ...]
    unseen: int
    corners: tuple[CornerBox, ...]
    x_axis: Axis
    y_axis: Axis
    notes: tuple[str, ...] = ()


def menagerie_data(zoo: Menagerie) -> MenagerieData:
    """Points, corners and axes of a menagerie."""
    x, y = zoo.people.genuine.mean, zoo.people.impostor.mean
    seen = np.isfinite(x) & np.isfinite(y)
    in_corner = np.any([zoo.marks[animal] for animal in CORNERS], axis=0)
    word = say(f"people.{zoo.people.rule.value}")
    axes = (
        score_axis(say("figure.people.own", score=word), ends_of(x[seen])),
        score_axis(say("figure.people.others", score=word), ends_of(y[seen], more=FOR_NAMES)),
    )
    unseen = int(seen.size - np.count_nonzero(seen))
    reason = next((corner.reason for corner in zoo.corners if corner.reason), None)
    notes = [spoken(say("figure.people.unseen", n=unseen))] if unseen else []
    notes += [spoken(say("figure.people.no_corners", reason=reason))] if reason else []
    boxes = () if reason else _boxes(zoo, x, y, axes)
    plain = seen & ~in_corner
    return MenagerieData(
        zoo.name, chart.Path(x[plain], y[plain]), _ids(zoo, plain), unseen, boxes, *axes, notes=tuple(notes)
    )


def menagerie_chart(zoos: Sequence[Menagerie]) -> chart.Chart:
    """A panel each, all as high as one alone: points need the room."""
    panels = [menagerie_panel(menagerie_data(zoo)) for zoo in zoos[: LIMITS.most_panels]]
    return grid(panels, chart.SIZE, columns=min(len(zoos), 2), every=len(zoos))


def menagerie_panel(data: MenagerieData) -> chart.Panel:
    """A point a person, and the four corners."""
    total = data.others.x.size + sum(box.people.x.size for box in data.corners)
    dot = DOTS[total > FEW]
    marks: list[chart.Mark] = [
        chart.Line("", *data.others, chart.BEHIND, dots=True, joined=False, pen=chart.Pen(dot=dot))
    ]
    for box in data.corners:
        colour = COLOURS[box.animal]
        x, y = (1.0 - INSET if end else INSET for end in (box.right, box.top))
        side = chart.Side(0.0, 0.0, "right" if box.right else "left", "top" if box.top else "bottom")
        marks.append(chart.Box(box.x, box.y, colour))
        marks.append(chart.Label(box.words, x, y, (side,), colour, frame="share", layer=1.5))
        marks.append(chart.Line("", *box.people, dots=True, joined=False, pen=chart.Pen(colour, dot=dot)))
    return chart.Panel(data.x_axis, data.y_axis, tuple(marks), data.name, notes=data.notes)


def _ids(zoo: Menagerie, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(str(who) for who in zoo.people.subject[chosen].tolist())


def _boxes(zoo: Menagerie, x: FloatArray, y: FloatArray, axes: tuple[Axis, Axis]) -> tuple[CornerBox, ...]:
    sign = zoo.people.rule.factor
    there = ~np.isnan(x) & ~np.isnan(y)
    x_edges, y_edges = (_edges(np.clip(v[there], *axis.limits)) for v, axis in zip((x, y), axes, strict=True))
    boxes = []
    for corner, (own, others) in zip(zoo.corners, CORNERS.values(), strict=True):
        right, top = own * sign > 0, others * sign > 0
        chosen = zoo.marks[corner.animal] & np.isfinite(x) & np.isfinite(y)
        boxes.append(
            CornerBox(
                corner.animal,
                spoken(say("figure.people.corner", people=_counted(corner), expected=corner.expected)),
                right,
                top,
                (x_edges[1], axes[0].limits[1]) if right else (axes[0].limits[0], x_edges[0]),
                (y_edges[1], axes[1].limits[1]) if top else (axes[1].limits[0], y_edges[0]),
                chart.Path(x[chosen], y[chosen]),
                _ids(zoo, chosen),
            )
        )
    return tuple(boxes)


def _edges(values: NDArray[np.float64]) -> Limits:
    """Between the lowest quarter and the next person, and between the highest quarter and the one before."""
    ordered, quarter = np.sort(values), int(QUARTER * values.size)
    low, high = ordered[quarter - 1 : quarter + 1], ordered[values.size - quarter - 1 : values.size - quarter + 1]
    return float(np.mean(low)), float(np.mean(high))


register_view(Discarded, discards)
register_view(Menagerie, people)
