"""Coordinates of the menagerie: every person by the mean score with oneself and the mean score with others.

Conventions: both axes grow to the right and upwards in the user's units, for a distance as for a similarity, and
neither is mirrored; what changes place with a distance are the corners. A corner reaches from the edge of the axes
to halfway between the last person of its quarter and the next one. People without one of the means, or with an infinite
one, are not drawn, and a note says how many.

Holds `MenagerieData`, `CornerBox` and `menagerie_data`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.menagerie import CORNERS, QUARTER, Menagerie, counted
from bertillon.core.messages import say, spoken
from bertillon.views.figures.axis import Axis, Limits, padded
from bertillon.views.figures.shapes import FloatArray, Line

ROOM = 0.5  # around means that are all the same
FOR_NAMES = 0.16  # of the people's height, above and below them, where the corners are named


@dataclass(frozen=True, slots=True, eq=False)
class CornerBox:
    """A corner of the axes, its people, and its name with how many are there and how many chance would put there."""

    animal: str
    words: str
    right: bool
    top: bool
    x: Limits
    y: Limits
    people: Line
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MenagerieData:
    """People as points, those of the corners apart; `who` are their ids in the same order, `unseen` those not drawn."""

    name: str
    others: Line
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
        Axis(spoken(say("figure.people.own", score=word)), "linear", _limits(x[seen])),
        Axis(spoken(say("figure.people.others", score=word)), "linear", _limits(y[seen], FOR_NAMES)),
    )
    unseen = int(seen.size - np.count_nonzero(seen))
    reason = next((corner.reason for corner in zoo.corners if corner.reason), None)
    notes = [spoken(say("figure.people.unseen", n=unseen))] if unseen else []
    notes += [spoken(say("figure.people.no_corners", reason=reason))] if reason else []
    boxes = () if reason else _boxes(zoo, x, y, axes)
    plain = seen & ~in_corner
    return MenagerieData(zoo.name, Line(x[plain], y[plain]), _ids(zoo, plain), unseen, boxes, *axes, notes=tuple(notes))


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
                Line(x[chosen], y[chosen]),
                _ids(zoo, chosen),
            )
        )
    return tuple(boxes)


def _edges(values: NDArray[np.float64]) -> Limits:
    """Between the lowest quarter and the next person, and between the highest quarter and the one before."""
    ordered, quarter = np.sort(values), int(QUARTER * values.size)
    low, high = ordered[quarter - 1 : quarter + 1], ordered[values.size - quarter - 1 : values.size - quarter + 1]
    return float(np.mean(low)), float(np.mean(high))


def _limits(values: NDArray[np.float64], more: float = 0.0) -> Limits:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = 0.0 if low < high else ROOM * max(1.0, abs(low))
    room += more * (high - low)
    return padded((low - room, high + room))
