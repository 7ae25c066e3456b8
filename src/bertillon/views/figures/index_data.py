"""Coordinates of the trade-off of an approximate index: how fast it searches, and what that loses.

Conventions: one point an effort; losses are in percentage points against the exact search, which loses nothing and
stands alone at its own speed. What a sample without non-enrolled searches cannot tell has no line.

Holds `TradeOffData`, `LossLine` and `trade_off_data`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.evaluation.templates import DETECTION, RANK_ONE, IndexedSearch
from bertillon.views.figures.axis import Axis
from bertillon.views.figures.shapes import Line, Point

SPEED, LOSS = say("figure.speed"), say("figure.loss")
PERCENT = 100.0
LEAST = 0.1  # percentage points that the axis shows at least
HEAD, FOOT = 0.45, 0.08  # of the losses, left free above them for the names, and below


@dataclass(frozen=True, slots=True, eq=False)
class LossLine:
    """What is lost of one rate, effort by effort."""

    name: str
    line: Line
    used: Point  # at the effort all probes were searched with


@dataclass(frozen=True, slots=True, eq=False)
class TradeOffData:
    """The figure of one index."""

    name: str
    lines: tuple[LossLine, ...]
    efforts: tuple[int, ...]  # of the points of each line
    exact: Point
    x_axis: Axis
    y_axis: Axis


def trade_off_data(indexed: IndexedSearch) -> TradeOffData:
    """Speed against loss of rank 1 and, where it is known, of DIR."""
    points = indexed.trade_off
    speed = np.array([point.searches_a_second for point in points])
    used = next(index for index, point in enumerate(points) if point.effort == indexed.effort)
    lost = {
        RANK_ONE: [PERCENT * point.rank_one_loss for point in points],
        DETECTION: [PERCENT * point.detection_loss for point in points],
    }
    lines = tuple(
        LossLine(name, Line(speed, np.array(losses)), Point(float(speed[used]), losses[used]))
        for name, losses in lost.items()
        if not math.isnan(losses[used])
    )
    ends = [indexed.exact_a_second, *speed.tolist()]
    losses = [0.0, *(loss for line in lines for loss in line.line.y.tolist())]
    return TradeOffData(
        spoken(say("figure.index", kind=indexed.kind, system=indexed.searches.name)),
        lines,
        tuple(point.effort for point in points),
        Point(indexed.exact_a_second, 0.0),
        Axis(spoken(SPEED), "log", _speeds(ends)),
        Axis(spoken(LOSS), "linear", _room_for(min(losses), max(*losses, LEAST))),
    )


def _room_for(low: float, high: float) -> tuple[float, float]:
    return low - FOOT * (high - low), high + HEAD * (high - low)


def _speeds(speeds: Sequence[float]) -> tuple[float, float]:
    """Whole powers of ten around all speeds, so that the axis has two ticks at least."""
    low, high = (math.log10(end) for end in (min(speeds), max(speeds)))
    return 10.0 ** math.floor(low - 0.05), 10.0 ** math.ceil(high + 0.05)
