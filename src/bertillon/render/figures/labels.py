"""Names of systems on paper: put beside their curves where there is room.

Conventions: a name is shown as text whatever it holds; dollar signs and underscores are no formulas. Names stand at
the ends of their curves when all of them fit there without touching a name, a curve or the frame; otherwise in a
legend, with a fact such as the EER.

Holds `plain_text`, `title`, `note_text`, `free_note`, `near_all` and `name_curves`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.style import SMALL
from bertillon.views.figures.names import LONGEST, shortened
from bertillon.views.figures.shapes import Curve

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

MOST_BESIDE, MOST_LISTED = 6, 12  # names
GAP = 5.0  # points between a curve and its name
INSET = 0.08  # of the axes, between the frame and the end of a curve that gets a name
ABOVE_NOTE = 1.05  # of the height of the axes


class Side(NamedTuple):
    """On which side of a point a text stands."""

    x: float
    y: float
    horizontal: str
    vertical: str


class NamedCurve(NamedTuple):
    """A drawn curve, the name and colour it goes by, and what a legend says of it."""

    name: str
    colour: str
    curve: Curve
    line: Line2D
    fact: str = ""


SIDES = (
    Side(GAP, GAP, "left", "bottom"),
    Side(GAP, -GAP, "left", "top"),
    Side(-GAP, -GAP, "right", "top"),
    Side(-GAP, GAP, "right", "bottom"),
)


def near_all(rate: float) -> str:
    """A rate in percent that is never rounded up to all.

    >>> near_all(0.875), near_all(0.99996), near_all(1.0)
    ('87.5 %', '99.996 %', '100 %')
    """
    missing = 100 * (1 - rate)
    digits = max(1, -math.floor(math.log10(missing))) if missing > 0 else 0
    return f"{100 * rate:.{digits}f} %"


def plain_text(ax: Axes, x: float, y: float, text: str, **how: Any) -> Text:
    """Text in fractions of the axes, never read as a formula."""
    return ax.text(x, y, text, transform=ax.transAxes, parse_math=False, **how)


def accepted_side(above: bool) -> str:
    """Which side of a threshold is accepted, as words that stand on either side of its line."""
    word = spoken(say("figure.accepted"))
    return f" {word} → " if above else f" ← {word} "


def title(ax: Axes, name: str, *, above_note: bool = False) -> list[Artist]:
    """The name of a system above its axes; nothing when it has none."""
    shown = shortened(name)
    return [ax.set_title(shown, loc="left", parse_math=False, pad=16.0 if above_note else 6.0)] if shown else []


def note_text(ax: Axes, x: float, y: float, text: str, *, side: Side = SIDES[0], **how: Any) -> Annotation:
    """Text beside a point of the axes, with a white rim so that lines do not disturb it."""
    from matplotlib.patheffects import withStroke

    return ax.annotate(
        text,
        (x, y),
        xytext=(side.x, side.y),
        textcoords="offset points",
        ha=side.horizontal,
        va=side.vertical,
        parse_math=False,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
        annotation_clip=False,
        **how,
    )


def free_note(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    *,
    lines: Sequence[Line2D],
    texts: Sequence[Annotation] = (),
    sides: Sequence[Side] = SIDES,
    **how: Any,
) -> Annotation:
    """Text on the first side of a point where it touches neither frame nor text nor line, or at least no line."""
    for touchable, side in [(kind, side) for kind in (lines, ()) for side in sides]:
        note = note_text(ax, x, y, text, side=side, **how)
        if _fits(ax, note, texts, touchable):
            return note
        note.remove()
    return note_text(ax, x, y, text, side=sides[0], **how)


def name_curves(ax: Axes, named: Sequence[NamedCurve]) -> list[Artist]:
    """Names beside the curves, or in a legend where they would not fit."""
    beside = _names_beside(ax, named) if len(named) <= MOST_BESIDE else []
    return list(beside) or [_legend(ax, named)]


def _legend(ax: Axes, named: Sequence[NamedCurve]) -> Artist:
    listed = named[:MOST_LISTED]
    # the texts are put in afterwards: older drawing libraries leave out labels that begin with an underscore
    legend = ax.legend(
        [named_curve.line for named_curve in listed], ["name"] * len(listed), fontsize=SMALL, **_legend_place(named)
    )
    if len(named) > len(listed):
        legend.set_title(spoken(say("figure.listed", n=len(listed), every=len(named))))
        legend.get_title().set_fontsize(SMALL)
    for text, named_curve in zip(legend.get_texts(), listed, strict=True):
        text.set_parse_math(False)
        text.set_text(f"{named_curve.name} ({named_curve.fact})" if named_curve.fact else named_curve.name)
    return legend


def _legend_place(named: Sequence[NamedCurve]) -> dict[str, Any]:
    """In the emptiest corner; above the axes when there are many names."""
    if len(named) <= MOST_BESIDE:
        return {"loc": "best"}
    columns = 2 if max(len(named_curve.name) for named_curve in named[:MOST_LISTED]) <= LONGEST // 2 else 1
    return {"loc": "lower left", "bbox_to_anchor": (0.0, ABOVE_NOTE), "borderaxespad": 0.0, "ncols": columns}


def _names_beside(ax: Axes, named: Sequence[NamedCurve]) -> list[Annotation]:
    """One name at an end of every curve; empty when one of them finds no room."""
    texts: list[Annotation] = []
    for named_curve in named:
        text = _name_beside(ax, named_curve, named, texts)
        if text is None:
            for other in texts:
                other.remove()
            return []
        texts.append(text)
    return texts


def _name_beside(
    ax: Axes, named_curve: NamedCurve, named: Sequence[NamedCurve], texts: Sequence[Annotation]
) -> Annotation | None:
    for end in _ends(ax, named_curve.curve):
        for side in SIDES:
            text = note_text(ax, *end, named_curve.name, side=side, color=named_curve.colour, fontsize=SMALL)
            if _fits(ax, text, texts, [other.line for other in named]):
                return text
            text.remove()
    return None


def _ends(ax: Axes, curve: Curve) -> list[tuple[float, float]]:
    """Strict and permissive end of a curve: its outermost points well inside the frame that are no rate of zero."""
    x, y = curve.line
    spots = ax.transAxes.inverted().transform(ax.transData.transform(np.column_stack([x, y])))
    inside = np.all((spots >= INSET) & (spots <= 1.0 - INSET), axis=1)
    for values, axis in ((x, curve.x_axis), (y, curve.y_axis)):
        inside &= values >= (-math.inf if axis.floor is None else axis.floor)
    rows = np.flatnonzero(inside)
    return [(float(x[row]), float(y[row])) for row in rows[[-1, 0]]] if rows.size else []


def _fits(ax: Axes, text: Annotation, others: Sequence[Annotation], lines: Sequence[Line2D]) -> bool:
    """Does the text touch neither the frame nor a line nor another text?"""
    box, frame = _box(text), ax.get_window_extent()
    if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1:
        return False
    return not (any(box.overlaps(_box(other)) for other in others) or any(_touches(line, box) for line in lines))


def _box(text: Annotation) -> Bbox:
    """The place a text takes, with some air: the axes still shrink when ticks and labels find their places."""
    return text.get_window_extent().expanded(1.1, 1.4)


def _touches(line: Line2D, box: Bbox) -> bool:
    path = line.get_path().transformed(line.get_transform())
    return path.intersects_bbox(box, filled=False)
