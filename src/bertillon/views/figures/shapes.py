"""What every figure is made of: points, lines and bands in the coordinates of their axes.

Conventions: coordinates are what the drawing puts on paper (see `axis`). Where there is no curve its line is empty and
a note says why.

Holds `Point`, `Line`, `Ribbon`, `Curve` (what every curve has), `EMPTY` and `staircase`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.views.figures.axis import Axis

FloatArray = NDArray[np.float64]

NOTHING = np.zeros(0)


class Point(NamedTuple):
    """A place on the axes."""

    x: float
    y: float


class Line(NamedTuple):
    """A line on the axes."""

    x: FloatArray
    y: FloatArray


class Ribbon(NamedTuple):
    """A band on the axes, and what it is in words."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    words: str


class Curve(Protocol):
    """A name, a line on two axes, the band around it where one is known, and a note where the line is empty."""

    @property
    def name(self) -> str: ...
    @property
    def line(self) -> Line: ...
    @property
    def x_axis(self) -> Axis: ...
    @property
    def y_axis(self) -> Axis: ...
    @property
    def note(self) -> str: ...
    @property
    def band(self) -> Ribbon | None: ...


EMPTY = Line(NOTHING, NOTHING)


def staircase(x: FloatArray, y: FloatArray) -> Line:
    """The line that moves along y first and then along x, from each point to the next.

    >>> staircase(np.array([1.0, 2.0]), np.array([5.0, 6.0]))
    Line(x=array([1., 1., 2.]), y=array([5., 6., 6.]))
    """
    return Line(np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:])
