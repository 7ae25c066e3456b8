"""Any panel of a chart on given axes.

Conventions: everything that is said and shown is in the panel (`views.figures.chart`); nothing is computed here but
where there is room. Axes are handed in; nothing else is touched, and the artists made are returned. A band is a light
fill in the colour of its line, behind all lines.

Holds `draw_panel`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bertillon.core.messages import spoken
from bertillon.render.figures.labels import Listed, name_lines, plain_text, put_label, put_title
from bertillon.render.figures.style import FAINT, INK, QUIET, SMALL, TINY, colour, line_style, shades
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

BAND, BEHIND = 0.18, 1.3  # opacity; grid and frame lie below, faint lines and curves above
BOX, BOTTOM = 0.10, 1.0
APART: dict[str, Any] = {"linewidth": 1.0, "alpha": 0.6}
DASHES: dict[str, Any] = {"wide": (0, (4, 2))}
FAINT_PEN = chart.Pen("faint", ":", 1.0, 1.5)  # of guides
EDGE = 0.6  # rows above the first and below the last
SPOTS: dict[str, dict[str, Any]] = {
    "dot": {"marker": "o", "markersize": 5, "markeredgecolor": "white", "zorder": 3},
    "ring": {"marker": "o", "markersize": 6, "markerfacecolor": "white"},
    "circle": {"marker": "o", "markersize": 9, "markerfacecolor": "none", "clip_on": False},
    "diamond": {"marker": "D", "markersize": 5},
}
LETTER = 0.62  # width of a letter by its size
ROOM, FEWEST_LETTERS = 0.8, 20  # of the width of the axes, which still get narrower, and letters of a note at least
DARK = 0.42  # shares above have white texts
SMALLEST, LARGEST = 4.5, 10.0  # letters in a cell
GAMMA = 0.5  # of the colours of a map: small shares are seen
SCALE_TICKS = (0.0, 0.01, 0.1, 0.25, 0.5, 1.0)
SCALE = (1.03, 0.0, 0.04, 0.35)  # in the lower corner beside the map, of its size


def draw_panel(ax: Axes, panel: chart.Panel) -> list[Artist]:
    """Everything in the panel, on these axes."""
    notes = [line for note in panel.notes for line in wrap(note, _letters(ax))] if panel.long else panel.notes
    _dress(ax, panel.x, "x", notes)
    _dress(ax, panel.y, "y")
    artists: list[Artist] = []
    listed: list[Listed] = []
    curves: list[Artist] = []
    for mark in panel.marks:
        if isinstance(mark, chart.Label):
            continue
        made = _MARKS[type(mark)](ax, mark)
        artists += made
        curves += made[:1] if isinstance(mark, chart.Line) and mark.style >= 0 and mark.pen is None else []
        if isinstance(mark, chart.Line | chart.Bars | chart.Spot) and mark.name:
            listed.append(Listed(spoken(mark.name), mark.fact if isinstance(mark, chart.Line) else "", made[0]))
    artists += put_title(ax, panel)
    for label in panel.of(chart.Label):
        artists += put_label(ax, label, curves, artists)
    artists += name_lines(ax, panel, listed) if listed else []
    if panel.above:
        artists.append(plain_text(ax, 1.0, 1.01, panel.above, ha="right", va="bottom", color=QUIET, fontsize=TINY))
    if panel.missing:
        how: dict[str, Any] = {"ha": "center", "va": "center", "color": QUIET, "backgroundcolor": "white"}
        artists.append(plain_text(ax, 0.5, 0.5, "\n".join(panel.missing), **how))
    return artists


def _dress(ax: Axes, axis: Axis, which: Literal["x", "y"], notes: Sequence[str] = ()) -> None:
    """Scale, limits, ticks and label of one axis, with notes under it."""
    from matplotlib.ticker import NullFormatter, ScalarFormatter

    drawn = ax.xaxis if which == "x" else ax.yaxis
    drawn.label.set_parse_math(False)  # notes hold the names of systems
    if axis.scale == "log":
        ax.set(**{f"{which}scale": "log"})
        drawn.set_minor_formatter(NullFormatter())
    elif axis.scale == "asinh":
        (ax.set_xscale if which == "x" else ax.set_yscale)("asinh", linear_width=axis.linear)
        drawn.set_minor_formatter(NullFormatter())
    limits = axis.limits
    if axis.names:
        drawn.set_ticks(range(len(axis.names)), labels=[spoken(name) for name in axis.names], parse_math=False)
        drawn.set_tick_params(length=0)
        ax.grid(visible=False, axis=which)
        limits = len(axis.names) - 1 + EDGE, -EDGE
    elif axis.unit == "density":
        drawn.set_ticks([])
    elif axis.ticks:
        drawn.set_ticks(axis.ticks, labels=axis.tick_labels or None)
    elif axis.unit == "rate" and isinstance(formatter := drawn.get_major_formatter(), ScalarFormatter):
        formatter.set_useOffset(False)
    ax.set(**{f"{which}lim": limits, f"{which}label": "\n".join((spoken(axis.label), *notes))})


def _letters(ax: Axes) -> int:
    """How many letters of a note go under the axes."""
    points = ROOM * ax.get_window_extent().width * 72.0 / ax.figure.dpi
    return max(int(points / (LETTER * float(ax.xaxis.label.get_fontsize()))), FEWEST_LETTERS)


def _ink(pen: chart.Pen) -> dict[str, Any]:
    """A pen in the words of the drawing library; systems beyond the colours have dashes of their own."""
    index = pen.colour if isinstance(pen.colour, int) else 0
    dash = line_style(index) if pen.dash == "-" else DASHES.get(pen.dash, pen.dash)
    width = {} if pen.width is None else {"linewidth": pen.width}
    return {"color": colour(pen.colour), "linestyle": dash, "zorder": pen.layer, **width}


def _line(ax: Axes, line: chart.Line) -> list[Artist]:
    pen = line.pen or (chart.Pen(line.style) if line.style >= 0 else FAINT_PEN)
    if not line.joined:
        size: dict[str, Any] = {"s": pen.dot**2, "linewidths": 0.0, "zorder": pen.layer}
        return [ax.scatter(line.x, line.y, color=colour(pen.colour), **size)]
    how = _ink(pen) | ({"marker": "o", "markersize": pen.dot} if line.dots else {})
    how |= {"solid_capstyle": "butt"} if len(line.x) == 2 else {}  # an interval ends where it ends
    return [*ax.plot(line.x, line.y, **how), *_shade(ax, line.shade, colour(pen.colour))]


def _shade(ax: Axes, band: chart.ShadedBand | None, shade: str) -> list[Artist]:
    if band is None or not len(band.x):
        return []
    if band.apart:
        return [ax.vlines(band.x, band.low, band.high, color=shade, **APART)]
    return [ax.fill_between(band.x, band.low, band.high, color=shade, alpha=BAND, linewidth=0.0, zorder=BEHIND)]


def _contours(ax: Axes, contours: chart.Contours) -> list[Artist]:
    from matplotlib.collections import LineCollection

    # one collection and no single lines: a legend keeps away from lines, and may well cover these
    paths = [np.column_stack(path) for path in contours.paths]
    return [ax.add_collection(LineCollection(paths, colors=FAINT, linewidths=0.8, zorder=1.4), autolim=False)]


def _rule(ax: Axes, rule: chart.Rule) -> list[Artist]:
    return [(ax.axvline if rule.axis == "x" else ax.axhline)(rule.at, **_ink(rule.pen))]


def _spot(ax: Axes, spot: chart.Spot) -> list[Artist]:
    return list(ax.plot([spot.x], [spot.y], color=colour(spot.colour), linestyle="none", **SPOTS[spot.shape]))


def _bars(ax: Axes, bars: chart.Bars) -> list[Artist]:
    how = {"fill": True, "alpha": bars.fill, "color": colour(bars.pen.colour)} if bars.fill else _ink(bars.pen)
    return [ax.stairs(bars.heights, bars.edges, baseline=bars.base, **how | {"zorder": BOTTOM})]


def _box(ax: Axes, box: chart.Box) -> list[Artist]:
    from matplotlib.patches import Rectangle

    size = box.x[1] - box.x[0], box.y[1] - box.y[0]
    how: dict[str, Any] = {"color": colour(box.colour), "alpha": BOX, "linewidth": 0.0, "zorder": BOTTOM}
    return [ax.add_patch(Rectangle((box.x[0], box.y[0]), *size, **how))]


def _cells(ax: Axes, cells: chart.Cells) -> list[Artist]:
    """A square of cells; names of columns are turned where they do not fit."""
    from matplotlib.colors import Normalize, PowerNorm

    ax.grid(visible=False)
    norm = Normalize(0.0, 1.0) if cells.texts else PowerNorm(GAMMA, 0.0, 1.0)
    image = ax.imshow(cells.shares, cmap=shades(), norm=norm, interpolation="nearest")
    cell = ax.get_window_extent().width * 72.0 / ax.figure.dpi / len(cells.columns)  # points
    level = cells.texts and max(len(name) for name in cells.columns) * LETTER * SMALL < cell
    turned: dict[str, Any] = {} if level else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    named = [index for index, name in enumerate(cells.columns) if cells.texts or name]
    how: dict[str, Any] = {"parse_math": False, "fontsize": SMALL if cells.texts else TINY}
    ax.set_xticks(named, labels=[cells.columns[index] for index in named], **how, **turned)
    ax.set_yticks(named, labels=[cells.rows[index] for index in named], **how)
    if not cells.texts:
        return [image, *_colour_scale(ax, image, cells.scale)]
    ax.tick_params(length=0)
    size = min(max(cell / (LETTER * cells.longest), SMALLEST), LARGEST)
    return [image, *_cell_texts(ax, cells, size)]


def _cell_texts(ax: Axes, cells: chart.Cells, size: float) -> list[Artist]:
    how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
    return [
        ax.text(column, row, text, color="white" if cells.shares[row, column] > DARK else INK, **how)
        for row, texts in enumerate(cells.texts)
        for column, text in enumerate(texts)
        if text
    ]


def _colour_scale(ax: Axes, image: AxesImage, title: str) -> list[Artist]:
    """What the colours of a map mean."""
    inset = ax.inset_axes(SCALE)
    bar = ax.figure.colorbar(image, cax=inset, ticks=SCALE_TICKS)
    bar.ax.set_yticklabels([f"{100 * tick:g} %" for tick in SCALE_TICKS], fontsize=TINY)
    bar.ax.set_title(title, fontsize=TINY, loc="left")
    bar.outline.set_visible(False)
    return [inset]


_MARKS: dict[type[chart.Mark], Callable[[Axes, Any], list[Artist]]] = {
    chart.Line: _line,
    chart.Contours: _contours,
    chart.Rule: _rule,
    chart.Spot: _spot,
    chart.Bars: _bars,
    chart.Box: _box,
    chart.Cells: _cells,
}
