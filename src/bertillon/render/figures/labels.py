"""Texts on axes: titles, labels beside points, and names of lines where there is room for them.

Conventions: a text is shown as it is whatever it holds; dollar signs and underscores are no formulas. Names stand at
the ends of their curves when all of them fit there without touching a name, a curve or the frame; otherwise in a
legend, with a fact such as the EER.

Holds `put_title`, `put_label`, `free_label`, `name_lines` with `Listed`, `spread` and `plain_text`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.style import SMALL, TINY, colour
from bertillon.views.figures.chart import LONGEST, SIDES, Label, Line, Panel, Side, shortened
from bertillon.views.figures.compose import MOST_BESIDE, MOST_LISTED

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

INSET = 0.08  # of the axes, between the frame and the end of a curve that gets a name
ABOVE_NOTE = 1.05  # of the height of the axes
TITLE_GAP, RAISED = 6.0, 16.0  # points between the axes and a title, and where something stands between them
NAME_LENGTHS = (LONGEST, 22, 16, 10)  # characters
HEAD_ROOM = 0.2  # of the width of the axes between a name and a fact
SIZES = {"normal": None, "small": SMALL, "tiny": TINY}
LONG, WIDE = 3, 1.4  # lines of a list, and how far apart they stand
BESIDE = 1.015  # of the width of the axes
LINE_HEIGHT = 1.35 * SMALL / 72.0  # inches from one name to the next
ABOVE: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.0, "fontsize": SMALL}
LEGENDS: dict[str, dict[str, Any]] = {
    "beside": {"loc": "upper left", "bbox_to_anchor": (1.1, 1.0), "borderaxespad": 0.0, "fontsize": SMALL},
    "above": ABOVE | {"ncols": 2},
    "column": ABOVE,
    "corner": {"loc": "upper left", "framealpha": 0.0},
    "best": {"loc": "best", "fontsize": SMALL},
}


class Listed(NamedTuple):
    """A drawn line, the name it goes by, and what a legend says of it."""

    name: str
    fact: str
    artist: Any


def plain_text(ax: Axes, x: float, y: float, text: str, **how: Any) -> Text:
    """Text in fractions of the axes, never read as a formula."""
    return ax.text(x, y, text, transform=ax.transAxes, parse_math=False, **how)


def put_title(ax: Axes, panel: Panel) -> list[Artist]:
    """A name above the axes and a fact on their right side; the name is cut where both have no room."""
    raised = bool(panel.above) or panel.legend == "above"
    if not panel.fact:
        return _title(ax, shortened(panel.title), raised=raised)
    how: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right", "va": "bottom"}
    right = ax.annotate(panel.fact, (1.0, 1.0), xytext=(0.0, TITLE_GAP), fontsize=SMALL, parse_math=False, **how)
    left: list[Artist] = []
    for longest in NAME_LENGTHS:
        left = _title(ax, shortened(panel.title, longest), raised=raised)
        gap = HEAD_ROOM * ax.get_window_extent().width  # the axes still change when ticks and labels find their places
        if not left or left[0].get_window_extent().x1 + gap < right.get_window_extent().x0:
            break
    return [right, *left]


def put_label(ax: Axes, label: Label, lines: Sequence[Any], others: Sequence[Artist]) -> list[Artist]:
    """A label on the first of its sides that is free; nothing where it may be left out and touches another."""
    from matplotlib.text import Annotation

    texts = [other for other in others if isinstance(other, Annotation)]
    if len(label.sides) > 1:
        return [free_label(ax, label, lines, texts)]
    made = _annotate(ax, label, label.sides[0])
    if label.optional and any(made.get_window_extent().overlaps(other.get_window_extent()) for other in texts):
        made.remove()
        return []
    return [made]


def free_label(ax: Axes, label: Label, lines: Sequence[Any], texts: Sequence[Annotation] = ()) -> Annotation:
    """A label on the first side where it touches neither frame nor text nor line, or at least no line."""
    free = _fitting(ax, label, lines, texts) or _fitting(ax, label, (), texts)
    return free or _annotate(ax, label, label.sides[0])


def name_lines(ax: Axes, panel: Panel, listed: Sequence[Listed]) -> list[Artist]:
    """The names of lines where the panel has them."""
    if panel.legend == "curves":
        beside = _names_beside(ax, panel, listed) if len(listed) <= MOST_BESIDE else []
        return list(beside) or [_legend(ax, listed[:MOST_LISTED], _legend_place(listed), every=len(listed))]
    if panel.legend == "ends":
        return _names_at_ends(ax, panel)
    return [_legend(ax, listed, LEGENDS[panel.legend], every=len(listed))] if panel.legend else []


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Ascending places from 0 to 1, moved until they are a gap apart.

    >>> spread([0.25, 0.5, 0.5, 1.0], 0.125)
    [0.25, 0.4375, 0.5625, 1.0]
    """
    steps = gap * np.arange(len(places))
    free = np.asarray(places, dtype=np.float64) - steps  # keeping apart is staying in order once the gaps are out
    highest, lowest = np.maximum.accumulate(free), np.minimum.accumulate(free[::-1])[::-1]
    between: list[float] = (np.clip((highest + lowest) / 2, 0.0, 1.0 - steps[-1:]) + steps).tolist()
    return between


def _title(ax: Axes, shown: str, *, raised: bool) -> list[Artist]:
    return [ax.set_title(shown, loc="left", parse_math=False, pad=RAISED if raised else TITLE_GAP)] if shown else []


def _annotate(ax: Axes, label: Label, side: Side) -> Annotation:
    from matplotlib.patheffects import withStroke

    frames: dict[str, Any] = {
        "data": "data",
        "share": "axes fraction",
        "x share": ax.get_yaxis_transform(),
        "y share": ax.get_xaxis_transform(),
    }
    rim: dict[str, Any] = {"path_effects": [withStroke(linewidth=2.5, foreground="white")]} if label.rim else {}
    return ax.annotate(
        label.text,
        (label.x, label.y),
        xycoords=frames[label.frame],
        xytext=(side.x, side.y),
        textcoords="offset points",
        ha=side.horizontal,
        va=side.vertical,
        color=colour(label.colour),
        fontsize=SIZES[label.size],
        linespacing=WIDE if label.text.count("\n") > LONG else None,
        zorder=label.layer,
        parse_math=False,
        annotation_clip=False,
        **rim,
    )


def _legend(ax: Axes, listed: Sequence[Listed], place: dict[str, Any], *, every: int) -> Artist:
    # the texts are put in afterwards: older drawing libraries leave out labels that begin with an underscore
    legend = ax.legend([entry.artist for entry in listed], ["name"] * len(listed), **place)
    if every > len(listed):
        legend.set_title(spoken(say("figure.listed", n=len(listed), every=every)))
        legend.get_title().set_fontsize(SMALL)
    for text, entry in zip(legend.get_texts(), listed, strict=True):
        text.set_parse_math(False)
        text.set_text(f"{entry.name} ({entry.fact})" if entry.fact else entry.name)
    return legend


def _legend_place(listed: Sequence[Listed]) -> dict[str, Any]:
    """In the emptiest corner; above the axes when there are many names."""
    if len(listed) <= MOST_BESIDE:
        return {"loc": "best", "fontsize": SMALL}
    columns = 2 if max(len(entry.name) for entry in listed[:MOST_LISTED]) <= LONGEST // 2 else 1
    return ABOVE | {"bbox_to_anchor": (0.0, ABOVE_NOTE), "ncols": columns}


def _names_at_ends(ax: Axes, panel: Panel) -> list[Artist]:
    """The name of each line where it reaches the right side of the axes, one above the other."""
    ends = sorted(((panel.y.share(_last(line)), i) for i, line in enumerate(panel.of(Line)) if line.name))
    gap = LINE_HEIGHT * ax.figure.dpi / ax.get_window_extent().height
    lines = [panel.of(Line)[i] for _, i in ends]
    side = Side(0.0, 0.0, "left", "center")
    artists: list[Artist] = []
    for at, line in zip(spread([at for at, _ in ends], gap), lines, strict=True):
        ink = line.style if line.pen is None else line.pen.colour
        label = Label(spoken(line.name), BESIDE, at, (side,), ink, frame="share", rim=False)
        artists.append(_annotate(ax, label, side))
    return artists


def _last(line: Line) -> float:
    """The last value of a line that is entry."""
    y = np.asarray(line.y)
    finite = y[np.isfinite(y)]
    return float(finite[-1]) if finite.size else 0.0


def _names_beside(ax: Axes, panel: Panel, listed: Sequence[Listed]) -> list[Annotation]:
    """One name at an end of every curve; empty when one of them finds no room."""
    texts: list[Annotation] = []
    lines = [entry.artist for entry in listed]
    for entry in listed:
        ends = _ends(ax, panel, entry.artist)
        labels = [Label(entry.name, *end, SIDES, entry.artist.get_color()) for end in ends]
        text = next(filter(None, (_fitting(ax, label, lines, texts) for label in labels)), None)
        if text is None:
            for other in texts:
                other.remove()
            return []
        texts.append(text)
    return texts


def _fitting(ax: Axes, label: Label, lines: Sequence[Any], texts: Sequence[Annotation]) -> Annotation | None:
    """A label on the first of its sides where it touches neither frame nor line nor text."""
    for side in label.sides:
        made = _annotate(ax, label, side)
        if _fits(ax, made, texts, lines):
            return made
        made.remove()
    return None


def _ends(ax: Axes, panel: Panel, line: Any) -> list[tuple[float, float]]:
    """Strict and permissive end of a curve: its outermost points well inside the frame that are no rate of zero."""
    x, y = line.get_xydata().T
    spots = ax.transAxes.inverted().transform(ax.transData.transform(np.column_stack([x, y])))
    inside = np.all((spots >= INSET) & (spots <= 1.0 - INSET), axis=1)
    for values, axis in ((x, panel.x), (y, panel.y)):
        inside &= values >= (-math.inf if axis.floor is None else axis.floor)
    rows = np.flatnonzero(inside)
    return [(float(x[row]), float(y[row])) for row in rows[[-1, 0]]] if rows.size else []


def _fits(ax: Axes, text: Annotation, others: Sequence[Annotation], lines: Sequence[Any]) -> bool:
    """Does the text touch neither the frame nor a line nor another text?"""
    box, frame = _box(text), ax.get_window_extent()
    if box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1:
        return False
    paths = (line.get_path().transformed(line.get_transform()) for line in lines)
    touched = any(path.intersects_bbox(box, filled=False) for path in paths)
    return not (touched or any(box.overlaps(_box(other)) for other in others))


def _box(text: Annotation) -> Bbox:
    """The place a text takes, with some air: the axes still shrink when ticks and labels find their places."""
    return text.get_window_extent().expanded(1.1, 1.4)
