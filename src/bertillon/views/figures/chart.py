"""A chart before it is drawn: axes, and lines, bands, bars, cells, boxes, marks and labels on them.

Conventions: coordinates are those of the axes (see `axis`), texts are ready to be read. Whoever draws a chart computes
nothing; where names and labels find room is settled in the drawing. A colour is the place of a system in the list, one
of the names of `Colour`, or #rrggbb. `Axis`, `Line` and `ShadedBand` are those of the page too.

Holds `Chart` and its `Panel`s; what stands in a panel: `Line` with `Pen` and `ShadedBand`, `Contours`, `Rule`, `Spot`,
`Bars`, `Cells`, `Box` and `Label` with its `Side`s; `Point`, `Path` and `staircase` to make lines of; the names of
systems: `shortened`, `shown_names`, `sized`; and rates in words: `percent_label`, `near_all` and `decimal`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from bertillon.core.messages import Text, say, spoken
from bertillon.views.figures.axis import Axis, FloatArray, Limits

Numbers: TypeAlias = tuple[float, ...]
Values: TypeAlias = FloatArray | Numbers
Colour: TypeAlias = int | str  # "ink", "quiet" or "faint"
Size: TypeAlias = tuple[float, float]

GUIDE, BEHIND = -1, -2  # styles of lines that belong to no system
MATED, NONMATED = 0, 1  # the colours of both classes
SIZE: Size = (5.0, 4.0)  # inches
GAP = 5.0  # points between a place and its label
LONGEST = 28  # characters of a name
DIGITS, MOST_DIGITS = 3, 6
NOTHING = np.zeros(0)


class Point(NamedTuple):
    """A place on the axes."""

    x: float
    y: float


class Path(NamedTuple):
    """Places on the axes one after the other."""

    x: FloatArray
    y: FloatArray


EMPTY = Path(NOTHING, NOTHING)


@dataclass(frozen=True, slots=True)
class ShadedBand:
    """A band around a line: between which ends the true one lies at each place, and what that means in words.

    Where the places stand `apart` each has a line from end to end, and there is no fill between them.
    """

    x: Values
    low: Values
    high: Values
    words: Text
    apart: bool = False


class Pen(NamedTuple):
    """How a line is drawn on paper; without a width as wide as all curves are."""

    colour: Colour = "faint"
    dash: str = "-"
    width: float | None = None
    layer: float = 2.0
    dot: float = 4.0  # points across


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart; `style` is the place of its system in the list, GUIDE of what belongs to none, BEHIND of
    what stands in the background.

    `dots` says that its points are marked, `notes` what else is read out at each of them. Points that are not `joined`
    are no line. `spans` are the ends of an interval along x at each of them, or nothing. On paper `pen` says more than
    the style, and `fact` is what a legend says beside the name.
    """

    name: Text
    x: Values
    y: Values
    style: int = 0
    dots: bool = False
    notes: tuple[Text, ...] = ()
    shade: ShadedBand | None = None
    joined: bool = True
    spans: tuple[Numbers, ...] = ()
    fact: str = ""
    pen: Pen | None = None


@dataclass(frozen=True, slots=True)
class Contours:
    """Faint lines of equal worth; a legend may cover them."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line across the axes: upright at a value of x, or level at one of y."""

    axis: Literal["x", "y"]
    at: float
    pen: Pen


@dataclass(frozen=True, slots=True)
class Spot:
    """A mark at one place: a dot, a ring around nothing, a circle around what is there, or a diamond."""

    x: float
    y: float
    colour: Colour = "ink"
    shape: Literal["dot", "ring", "circle", "diamond"] = "dot"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Heights between edges: an outline, or a fill of that opacity."""

    name: str
    edges: FloatArray
    heights: FloatArray
    pen: Pen
    fill: float = 0.0
    base: float = 0.0


@dataclass(frozen=True, slots=True)
class Box:
    """A light rectangle behind everything.

    Parameters
    ----------
    x, y
        Its limits.
    colour
        What it is filled with.
    """

    x: Limits
    y: Limits
    colour: Colour


@dataclass(frozen=True, slots=True)
class Cells:
    """A square of cells, the darker the larger their share of 0 to 1; those of NaN are grey.

    With `texts` every cell holds its own. Without them it is a map: small shares are told apart more finely, only some
    rows are named, and a scale called `scale` says what the colours mean.
    """

    shares: FloatArray
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...] = ()
    longest: int = 6  # characters of a text
    scale: str = ""


class Side(NamedTuple):
    """On which side of a place a text stands, so many points away."""

    x: float
    y: float
    horizontal: str
    vertical: str


SIDES = (
    Side(GAP, GAP, "left", "bottom"),
    Side(GAP, -GAP, "left", "top"),
    Side(-GAP, -GAP, "right", "top"),
    Side(-GAP, GAP, "right", "bottom"),
)


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a place of the axes, or where x or y or both are shares of them.

    Of several `sides` the first is taken where it touches neither frame nor line nor label. An `optional` label is left
    out where it touches another. A `rim` keeps lines from disturbing it.
    """

    text: str
    x: float
    y: float
    sides: tuple[Side, ...] = (Side(0.0, 0.0, "left", "baseline"),)
    colour: Colour = "ink"
    size: Literal["normal", "small", "tiny"] = "small"
    frame: Literal["data", "x share", "y share", "share"] = "data"
    rim: bool = True
    optional: bool = False
    layer: float = 3.0


Mark: TypeAlias = Line | Contours | Rule | Spot | Bars | Cells | Box | Label


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One pair of axes and what stands on them.

    Above stand the `title`, a `fact` on the right side, and what the dashed lines are. `notes` stand under the x axis,
    broken where they are `long`; `missing`, in the middle, is why there is nothing to see. The `legend` says where
    names of lines stand: at the curves, or in a legend if there is no room, at their ends on the right of the axes, in
    a list beside the axes, above them in two columns or in one, in their corner, or where there is most room.
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...] = ()
    title: str = ""
    fact: str = ""
    above: str = ""
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    legend: Literal["", "curves", "ends", "beside", "above", "column", "corner", "best"] = ""
    long: bool = False

    def of(self, kind: type[Any]) -> list[Any]:
        """The marks of one kind."""
        return [mark for mark in self.marks if isinstance(mark, kind)]


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A figure: its panels, row by row, on so many inches, and words above all of them.

    Where `heights` are given, the rows have these heights by each other, and panels go down each column.
    """

    panels: tuple[Panel, ...]
    size: Size = SIZE
    columns: int = 1
    title: str = ""
    heights: tuple[float, ...] = ()


def staircase(x: FloatArray, y: FloatArray) -> Path:
    """The line that moves along y first and then along x, from each point to the next.

    >>> staircase(np.array([1.0, 2.0]), np.array([5.0, 6.0]))
    Path(x=array([1., 1., 2.]), y=array([5., 6., 6.]))
    """
    return Path(np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:])


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name on one line, its middle left out when it is long: names often differ at the end.

    >>> shortened("face matcher trained on the large set, version 7", 20)
    'face match…version 7'
    """
    clean = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in name).strip()
    if len(clean) <= longest:
        return clean
    tail = (longest - 1) // 2
    return clean[: longest - 1 - tail] + "…" + clean[-tail:]


def shown_names(names: Sequence[str]) -> list[str]:
    """Short names; among several systems the nameless are numbered."""
    shown = [shortened(name) for name in names]
    if len(names) == 1:
        return shown
    return [name or spoken(say("figure.system", number=i)) for i, name in enumerate(shown, 1)]


def sized(name: Text, size: int) -> str:
    """A name with how many there are of it."""
    return spoken(say("figure.sized", name=name, n=size))


def percent_label(rate: float) -> str:
    """A rate in percent to three digits."""
    return f"{100 * rate:.3g} %"


def near_all(rate: float) -> str:
    """A rate in percent that is never rounded up to all.

    >>> near_all(0.875), near_all(0.99996), near_all(1.0)
    ('87.5 %', '99.996 %', '100 %')
    """
    missing = 100 * (1 - rate)
    digits = max(1, -math.floor(math.log10(missing))) if missing > 0 else 0
    return f"{100 * rate:.{digits}f} %"


def decimal(value: float) -> str:
    """A number from 0 to 1 to three digits, more where these would round it to 0 or 1; empty for NaN.

    >>> decimal(0.9537), decimal(0.99962), decimal(1.0), decimal(0.0004), decimal(1 - 1e-9)
    ('0.954', '0.9996', '1', '0.0004', '> 0.999999')
    """
    if math.isnan(value):
        return ""
    near, least = min(value, 1.0 - value), 10.0**-MOST_DIGITS
    if near <= 0.0:  # sums of weights may end a rounding above 1
        return f"{value:.0f}"
    if near < least:
        return f"< {least:.{MOST_DIGITS}f}" if value < 0.5 else f"> {1.0 - least:.{MOST_DIGITS}f}"
    return f"{value:.{max(DIGITS, -math.floor(math.log10(near)))}f}"
