"""Curves of several systems to one panel, and panels to one chart.

Conventions: systems keep the colours of their places in the list. Where names carry facts, the number a curve is known
by (AUC, AP ...) stands with its name, or above the axes of a single curve; otherwise only a legend has it. Where there
is no curve a note says why. Faint dashed lines are the smallest rates that the trials could show. What reaches beyond a
log or normal-deviate axis, such as the lower end of a band, ends at its edge.

Holds `Drawn` (an evaluation and what belongs to it), `Curve`, `banded`, `together` (curves on the same axes), `levels`
(lines that curves share), `shared` and `in_lines` (notes that hold for all); `alone`, `each`, `grid` and `those_with`
for charts; `LIMITS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeVar

from bertillon.core.messages import say, spoken
from bertillon.counting.curves.error_curve import Band
from bertillon.measures.cost import ErrorCosts
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, clipped, joined

T = TypeVar("T")

MOST_NOTES = 3
MOST_BESIDE, MOST_LISTED = 6, 12  # names at curves, and in a legend
LONGEST_WITH_FACT, LONGEST_LINE = 22, 44  # characters
SEEN = say("figure.smallest")
FLOOR = chart.Pen("faint", "wide", 0.9, 1.5)
FAINT_LINE, FAINT_DOTS = chart.Pen("faint", "-", 1.0, 1.5), chart.Pen("faint", ":", 1.0, 1.5)
PANEL_HEIGHT, PANEL_WIDTH = 2.4, 3.4  # inches
NAME_HEIGHT = 0.17
IN_ONE_COLUMN = 4


@dataclass(slots=True)
class Limits:
    """How much a chart can bear."""

    most_panels: int = 24  # of a figure with one for each system


LIMITS = Limits()


class Drawn(NamedTuple):
    """An evaluation, the bands of its curves by their names, and what its errors cost."""

    evaluation: Any
    bands: Mapping[str, Band] = {}
    costs: ErrorCosts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A curve of one system, or of one class against the rest, and what is marked on it.

    `fact` is the number the curve is known by, and `value` that number. `point` is where it lies, or the decisions, or
    the costs; `ring` is a second such place, and `point_words` what the last of them is called. `second` is another
    line of the same system, dotted. `level` and `upright` are a value of y and of x that hold without the curve.
    `about` is what is said of all curves if it is the same, by the id of the words before it.
    """

    name: str
    line: chart.Path
    x_axis: Axis
    y_axis: Axis
    fact: str = ""
    value: float | None = None
    point: chart.Point | None = None
    point_words: str = ""
    ring: chart.Point | None = None
    second: chart.Path | None = None
    level: float | None = None
    upright: float | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    band: chart.ShadedBand | None = None
    dots: bool = False


def banded(curve: Curve, band: Band | None) -> Curve:
    """The curve with its band; as it is where there is no band, or no curve to go with it."""
    return curve if band is None or curve.note else replace(curve, band=shade_of(band, curve.x_axis, curve.y_axis))


def curves_of(systems: Sequence[Drawn], curve: Callable[[Any], Curve], name: str = "") -> list[Curve]:
    """A curve of every system, with the band of that name."""
    return [banded(curve(system.evaluation), system.bands.get(name)) for system in systems]


def shade_of(band: Band, x_axis: Axis, y_axis: Axis) -> chart.ShadedBand:
    """Where a band lies on two axes."""
    low, high = clipped(band.low, y_axis), clipped(band.high, y_axis)
    return chart.ShadedBand(clipped(band.x, x_axis), low, high, spoken(band.name))


def together(
    curves: Sequence[Curve],
    *,
    guides: Sequence[chart.Mark] = (),
    sides: Sequence[chart.Side],
    size: Literal["normal", "small"] = "small",
    named: bool = True,
    headed: bool = True,
    more: Sequence[str] = (),
) -> chart.Panel:
    """Curves on the same axes; the point of a single curve is labelled on one of the sides.

    `named`: names carry facts. `headed`: the fact of a single curve stands above it. `more` are notes that hold for
    all.
    """
    if not curves:
        raise ValueError("no curves to draw; expected at least one")
    first, single = curves[0], len(curves) == 1
    names = _names(curves, named=named)
    missing = tuple(missing_notes(curves, names))
    there = {i: curve for i, curve in enumerate(curves) if curve.line.x.size}
    shown, smallest = [*there.values()] or [first], floors([*there.values()])
    axes = joined([curve.x_axis for curve in shown]), joined([curve.y_axis for curve in shown])
    if not there:
        return chart.Panel(*axes, tuple(guides), title=names[0] if single else "", missing=missing)
    marks = [*guides, *smallest, *(_line(i, curve, names[i], named=named) for i, curve in there.items())]
    marks += [mark for i, curve in there.items() for mark in _marked(i, curve)]
    marked = first.ring or first.point
    if single and marked is not None and first.point_words:
        marks.append(chart.Label(first.point_words, *marked, tuple(sides), 0, size))
    about = in_lines([*_about(curves), *more, *band_notes(curve.band for curve in curves)])
    return chart.Panel(
        *axes,
        tuple(marks),
        title=names[0] if single else "",
        fact=first.fact if single and headed else "",
        above=spoken(SEEN) if smallest else "",
        notes=(*about, *missing),
        legend="" if single else "curves",
    )


def floors(curves: Sequence[Curve]) -> list[chart.Mark]:
    """Lines at 1/N and 1 - 1/N, each place once."""
    upright = [at for curve in curves for at in (curve.x_axis.floor, curve.x_axis.ceiling)]
    level = [at for curve in curves for at in (curve.y_axis.floor, curve.y_axis.ceiling)]
    return levels("x", upright, FLOOR) + levels("y", level, FLOOR)


def levels(
    axis: Literal["x", "y"],
    values: Iterable[float | None],
    pen: chart.Pen,
    label: Callable[[float], chart.Label] | None = None,
) -> list[chart.Mark]:
    """Lines that curves share, each once; labelled where there is but one."""
    places = sorted({at for at in values if at is not None})
    rules: list[chart.Mark] = [chart.Rule(axis, at, pen) for at in places]
    return [*rules, label(places[0])] if label is not None and len(places) == 1 else rules


def missing_notes(curves: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Why curves are not there, in a few lines."""
    if len(curves) == 1:
        return [curves[0].note] if curves[0].note else []
    notes = [f"{name}: {curve.note}" for name, curve in zip(names, curves, strict=True) if curve.note]
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], spoken(say("figure.more_systems", n=more))] if more > 0 else notes


def band_notes(bands: Iterable[chart.ShadedBand | None]) -> list[str]:
    """What the shades of a panel mean, each thing once."""
    meanings = dict.fromkeys(band.words for band in bands if band is not None and not band.apart)
    return [spoken(say("figure.shaded", what=meaning)) for meaning in meanings]


def shared(heading: str, names: Iterable[str]) -> list[str]:
    """What is the same for all curves of a figure, by the id of the words before it; nothing where it differs.

    >>> shared("positive", ["yes", "yes"]), shared("positive", ["yes", "no"]), shared("positive", [""])
    (['positive: yes'], [], [])
    """
    different = sorted({name for name in names if name})
    return [spoken(say(f"figure.about.{heading}", what=chart.shortened(different[0])))] if len(different) == 1 else []


def in_lines(parts: Sequence[str]) -> list[str]:
    """Words one after the other, in lines that fit under a figure.

    >>> in_lines(["positive: yes", "dots: t = 0.5", "a long explanation of what is dotted"])
    ['positive: yes; dots: t = 0.5', 'a long explanation of what is dotted']
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) <= LONGEST_LINE:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines


def alone(panel: chart.Panel, systems: int = 1) -> chart.Chart:
    """One panel, with room above it for the names of many systems."""
    names = min(systems, MOST_LISTED) + 1 if systems > MOST_BESIDE else 0
    return chart.Chart((panel,), (chart.SIZE[0], chart.SIZE[1] + names * NAME_HEIGHT))


def each(systems: Sequence[T], panel: Callable[[T], chart.Panel], note: str = "") -> chart.Chart:
    """A panel for each system, as many as a page can bear."""
    shown = systems[: LIMITS.most_panels]
    if len(shown) == 1:
        size, columns = chart.SIZE, 1
    elif len(shown) <= IN_ONE_COLUMN:
        size, columns = (chart.SIZE[0], PANEL_HEIGHT), 1
    else:
        size, columns = (PANEL_WIDTH, PANEL_HEIGHT), 2
    return grid([panel(system) for system in shown], size, columns=columns, every=len(systems), note=note)


def grid(
    panels: Sequence[chart.Panel], size: chart.Size, *, columns: int, every: int = 0, note: str = ""
) -> chart.Chart:
    """Panels of one size; above them how many of `every` system these are, and words where there are any."""
    left_out = spoken(say("figure.first_systems", n=len(panels), every=every)) if every > len(panels) else ""
    rows = -(-len(panels) // columns)
    title = "; ".join(filter(None, (left_out, note)))
    return chart.Chart(tuple(panels), (columns * size[0], rows * size[1]), columns, title)


def those_with(systems: Sequence[T], shows: Callable[[T], bool], *, needed: str) -> tuple[list[T], str]:
    """The systems that can be shown, and how many cannot for want of something, called by its id."""
    shown = [system for system in systems if shows(system)]
    without = len(systems) - len(shown)
    return shown, spoken(say(f"figure.without.{needed}", n=without)) if without else ""


def _names(curves: Sequence[Curve], *, named: bool) -> list[str]:
    """Short names; shorter ones where several carry facts."""
    names = chart.shown_names([curve.name for curve in curves])
    return [chart.shortened(name, LONGEST_WITH_FACT) for name in names] if named and len(names) > 1 else names


def _line(index: int, curve: Curve, name: str, *, named: bool) -> chart.Line:
    name, fact = (f"{name} ({curve.fact})" if curve.fact else name, "") if named else (name, curve.fact)
    return chart.Line(name, *curve.line, index, dots=curve.dots, shade=curve.band, fact=fact)


def _marked(index: int, curve: Curve) -> list[chart.Mark]:
    """The other line of a curve and its points."""
    marks: list[chart.Mark] = (
        [] if curve.second is None else [chart.Line("", *curve.second, pen=chart.Pen(index, ":", 1.0, 1.8))]
    )
    marks += [chart.Spot(*curve.point, index)] if curve.point is not None else []
    return marks + ([chart.Spot(*curve.ring, index, "ring")] if curve.ring is not None else [])


def _about(curves: Sequence[Curve]) -> list[str]:
    """What holds for all curves; what dots are only where they are not labelled."""
    headings = dict.fromkeys(heading for curve in curves for heading in curve.about)
    return [
        note
        for heading in headings
        if heading != "dots" or len(curves) > 1
        for note in shared(heading, (curve.about.get(heading, "") for curve in curves))
    ]
