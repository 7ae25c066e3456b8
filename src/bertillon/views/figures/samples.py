"""Samples and the people behind them: error-versus-discard curves and the menagerie.

Conventions: of a discard curve the share discarded and the error are in percent. The curve is a staircase: the error
holds until the next quality is discarded as well. Dotted beneath is the best there could be, were every discard an
error; the faint level line is where the error stays when discarding has nothing to do with quality. Curves are shown
up to half of the comparisons discarded; beyond that few are left and the errors are noise.
The menagerie shows every person by the mean score with oneself and the mean score with others. Both axes grow to the
right and upwards in the user's units, for a distance as for a similarity; what changes place with a distance are the
corners. A corner reaches from the edge of the axes to halfway between the last person of its quarter and the next one;
its people have its colour. People without one of the means, or with an infinite one, are not drawn, and a note says how
many.

Holds `discard_curves`, `discard_panel` and `discard_chart`; `shown_steps` and `highest_error` serve the page too;
`MenagerieData` with its `CornerBox`es and `menagerie_data`, `menagerie_panel` and `menagerie_chart`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.discard import DiscardCurve, IntArray
from bertillon.analysis.menagerie import CORNERS, QUARTER, Menagerie, counted
from bertillon.core.messages import say, spoken
from bertillon.counting.curves.error_curve import thinned_rows
from bertillon.views.figures.axis import Axis, FloatArray, Limits, ends_of, padded, score_axis
from bertillon.views.figures.chart import BEHIND, SIZE, Box, Chart, Label, Line, Mark, Panel, Path, Pen, Side
from bertillon.views.figures.compose import LIMITS, Curve, each, grid, levels, together
from bertillon.views.figures.errors import in_percent

PERCENT = 100.0
SHOWN = 0.5  # of the comparisons, discarded
HEADROOM = 0.08  # of the highest error
STAYS = Pen("faint", "-", 1.0, 1.4)
FOR_NAMES = 0.16  # of the people's height, above and below them, where the corners are named
COLOURS = {"dove": 2, "chameleon": 3, "phantom": 0, "worm": 1}
INSET = 0.015  # of the axes, between the frame and a name
FEW, DOTS = 500, (14.0**0.5, 2.0)  # people, and how large a point is up to there and beyond


def discard_chart(systems: Sequence[tuple[str, Sequence[DiscardCurve]]]) -> Chart:
    """A panel for each system with its curves."""
    return each(systems, lambda system: discard_panel(discard_curves(system[1]), system[0]))


def discard_curves(curves: Sequence[DiscardCurve]) -> list[Curve]:
    """Several curves on common axes, each with the best there could be."""
    kinds = list(dict.fromkeys(curve.kind for curve in curves))
    x_axis = Axis(spoken(say("figure.discarded")), *padded((0.0, PERCENT * SHOWN)))
    top = PERCENT * highest_error(curves) * (1.0 + HEADROOM)
    y_axis = Axis(spoken(in_percent(kinds[0] if len(kinds) == 1 else say("figure.error"))), 0.0, top)
    return [_discard(curve, several=len(kinds) > 1, axes=(x_axis, y_axis)) for curve in curves]


def discard_panel(curves: Sequence[Curve], name: str = "") -> Panel:
    """Each curve with the best there could be, and where it would stay at random."""
    panel = together(curves, guides=levels("y", (curve.level for curve in curves), STAYS), sides=())
    return replace(panel, title=name, notes=(spoken(say("figure.discard_lines")),), legend="above")


def highest_error(curves: Sequence[DiscardCurve]) -> float:
    """The highest rate that is shown; 1 where there is no error at all, since an axis needs some length."""
    return max(float(curve.error[curve.discarded <= SHOWN].max()) for curve in curves) or 1.0


def shown_steps(curve: DiscardCurve, most: int | None = None) -> tuple[Path, IntArray]:
    """The staircase up to the edge of what is shown, in shares, and the step that each of its points belongs to.

    Along x first, since an error holds until more is discarded. Of very many steps `most` are kept, exact at each.
    """
    rows = np.flatnonzero(curve.discarded <= SHOWN)
    if most is not None:
        rows = rows[thinned_rows(curve.discarded[rows], curve.error[rows], most)]
    x, y = np.append(curve.discarded[rows], SHOWN), np.append(curve.error[rows], curve.error[rows[-1]])
    steps = np.append(rows, rows[-1])
    return Path(np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]), np.repeat(steps, 2)[:-1]


@dataclass(frozen=True, slots=True, eq=False)
class CornerBox:
    """A corner of the axes, its people, and its name with how many are there and how many chance would put there."""

    animal: str
    words: str
    right: bool
    top: bool
    x: Limits
    y: Limits
    people: Path
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MenagerieData:
    """People as points, those of the corners apart; `who` are their ids in the same order, `unseen` those not drawn."""

    name: str
    others: Path
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
    return MenagerieData(zoo.name, Path(x[plain], y[plain]), _ids(zoo, plain), unseen, boxes, *axes, notes=tuple(notes))


def menagerie_chart(zoos: Sequence[Menagerie]) -> Chart:
    """A panel each, all as high as one alone: points need the room."""
    panels = [menagerie_panel(menagerie_data(zoo)) for zoo in zoos[: LIMITS.most_panels]]
    return grid(panels, SIZE, columns=min(len(zoos), 2), every=len(zoos))


def menagerie_panel(data: MenagerieData) -> Panel:
    """A point a person, and the four corners."""
    total = data.others.x.size + sum(box.people.x.size for box in data.corners)
    dot = DOTS[total > FEW]
    marks: list[Mark] = [Line("", *data.others, BEHIND, dots=True, joined=False, pen=Pen(dot=dot))]
    for box in data.corners:
        colour = COLOURS[box.animal]
        x, y = (1.0 - INSET if end else INSET for end in (box.right, box.top))
        side = Side(0.0, 0.0, "right" if box.right else "left", "top" if box.top else "bottom")
        marks.append(Box(box.x, box.y, colour))
        marks.append(Label(box.words, x, y, (side,), colour, frame="share", layer=1.5))
        marks.append(Line("", *box.people, dots=True, joined=False, pen=Pen(colour, dot=dot)))
    return Panel(data.x_axis, data.y_axis, tuple(marks), data.name, notes=data.notes)


def _discard(curve: DiscardCurve, *, several: bool, axes: tuple[Axis, Axis]) -> Curve:
    start, (line, _) = PERCENT * curve.starting_error, shown_steps(curve)
    name = " ".join(filter(None, (curve.name, curve.kind if several or not curve.name else "")))
    best = Path(np.array([0.0, start]), np.array([start, 0.0]))
    return Curve(name, Path(PERCENT * line.x, PERCENT * line.y), *axes, second=best, level=start)


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
                spoken(
                    say("figure.people.corner", people=counted(corner.animal, corner.found), expected=corner.expected)
                ),
                right,
                top,
                (x_edges[1], axes[0].limits[1]) if right else (axes[0].limits[0], x_edges[0]),
                (y_edges[1], axes[1].limits[1]) if top else (axes[1].limits[0], y_edges[0]),
                Path(x[chosen], y[chosen]),
                _ids(zoo, chosen),
            )
        )
    return tuple(boxes)


def _edges(values: NDArray[np.float64]) -> Limits:
    """Between the lowest quarter and the next person, and between the highest quarter and the one before."""
    ordered, quarter = np.sort(values), int(QUARTER * values.size)
    low, high = ordered[quarter - 1 : quarter + 1], ordered[values.size - quarter - 1 : values.size - quarter + 1]
    return float(np.mean(low)), float(np.mean(high))
