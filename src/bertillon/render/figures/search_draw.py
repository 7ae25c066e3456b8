"""Figures of 1:N searches on given axes.

Conventions: as in `draw`. DIR by rank is drawn the darker, the fewer false alarms are allowed; what they are stands to
the right of the axes.

Holds `draw_cmc`, `draw_watch_list` and `draw_dir_ranks`.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.draw import draw_notes, draw_roc_log, dress, noted, notes_of, spot
from bertillon.render.figures.labels import SIDES, NamedCurve, name_curves, near_all, note_text, plain_text, title
from bertillon.render.figures.style import SMALL, colour, line_style
from bertillon.views.figures.data import CurveData
from bertillon.views.figures.names import shown_names
from bertillon.views.figures.search_data import FPIRS, CmcData, DirRanksData
from bertillon.views.figures.shapes import Line

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

DOTTED_RANKS = 10
RAMP = ("#08306B", "#0072B2", "#2A9D96", "#6FA23A", "#B8912B", "#888888")  # no false alarm, up to each of FPIRS
BESIDE = 1.015  # of the width of the axes
LINE_HEIGHT = 1.35 * SMALL / 72.0  # inches from one name to the next


def draw_cmc(ax: Axes, curves: Sequence[CmcData]) -> list[Artist]:
    """Identification rate by rank, with the recognition rate at rank 1."""
    if not curves:
        raise ValueError("no curves to draw; expected at least one")
    names = shown_names([curve.name for curve in curves])
    notes, alone = notes_of(curves, names), len(curves) == 1
    there = [(i, curve) for i, curve in enumerate(curves) if curve.line.x.size]
    shades = band_notes(curve.band for curve in curves)
    dress(ax, noted(curves[0].x_axis, [*shades, *notes]) if there else curves[0].x_axis, "x")
    dress(ax, curves[0].y_axis, "y")
    ax.ticklabel_format(axis="y", useOffset=False)
    named = [NamedCurve(_with_rr(names[i], curve), colour(i), curve, _ranks(ax, curve.line, i)) for i, curve in there]
    artists: list[Artist] = [named_curve.line for named_curve in named]
    artists += [fill for i, curve in there for fill in draw_ribbon(ax, curve.band, colour(i))]
    for i, curve in there:
        artists += _recognition_rate(ax, curve, colour(i), labelled=alone)
    if alone:
        artists += title(ax, names[0])
    elif named:
        artists += name_curves(ax, named)
    return artists if there else artists + draw_notes(ax, notes)


def draw_watch_list(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """Watch-list ROC curves with a log FPIR axis."""
    return draw_roc_log(ax, curves)


def draw_dir_ranks(ax: Axes, data: DirRanksData) -> list[Artist]:
    """DIR by rank, a line an FPIR: what longer candidate lists are worth, and what fewer false alarms cost."""
    dress(ax, data.x_axis, "x")
    dress(ax, data.y_axis, "y")
    ax.ticklabel_format(axis="y", useOffset=False)
    artists = title(ax, data.name)
    if data.note:
        return artists + draw_notes(ax, [data.note])
    for fpirs, line in data.lines:
        artists += ax.plot(*line, color=_shade(fpirs))
    return artists + _level_names(ax, data)


def _ranks(ax: Axes, line: Line, index: int) -> Line2D:
    """The line of one system, with dots at the first ranks, where they stand apart."""
    dots = [row for row, rank in enumerate(line.x[:DOTTED_RANKS]) if rank <= DOTTED_RANKS]
    how: dict[str, Any] = {"color": colour(index), "linestyle": line_style(index), "markevery": dots}
    (drawn,) = ax.plot(*line, marker="o", markersize=2.5, **how)
    return drawn


def _with_rr(name: str, curve: CmcData) -> str:
    return name if curve.rr is None else f"{name} (RR {near_all(curve.rr)})"


def _recognition_rate(ax: Axes, curve: CmcData, shade: str, *, labelled: bool) -> list[Artist]:
    """The dot at rank 1, and its value when the curve stands alone."""
    if curve.rr_point is None or curve.rr is None:
        return []
    artists = spot(ax, curve.rr_point, shade)
    if labelled:
        artists.append(note_text(ax, *curve.rr_point, f"RR {near_all(curve.rr)}", side=SIDES[1], color=shade))
    return artists


def _level_names(ax: Axes, data: DirRanksData) -> list[Artist]:
    """The FPIR of each line, where it reaches the right side of the axes."""
    low, high = data.y_axis.limits
    ends = [(float(line.y[-1]) - low) / (high - low) for _, line in data.lines]
    gap = LINE_HEIGHT * ax.figure.dpi / ax.get_window_extent().height
    return [
        plain_text(ax, BESIDE, at, _level_name(fpirs), va="center", fontsize=SMALL, color=_shade(fpirs))
        for at, (fpirs, _) in zip(spread(ends, gap), data.lines, strict=True)
    ]


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


def _level_name(fpirs: Sequence[float]) -> str:
    """What the strictest of several levels promises, and up to which the line is the same.

    >>> _level_name([0.01]), _level_name([0.0, 0.01]), _level_name([1.0])
    ('FPIR ≤ 0.01', 'FPIR 0 to 0.01', 'any FPIR')
    """
    first, last = (f"{fpir:.4g}" for fpir in (fpirs[0], fpirs[-1]))
    if first != last:
        return spoken(say("figure.fpir_range", first=first, last=last))
    return {"0": "FPIR = 0", "1": spoken(say("figure.any_fpir"))}.get(first, f"FPIR ≤ {first}")


def _shade(fpirs: Sequence[float]) -> str:
    """The colour of a line by the FPIR it keeps."""
    return RAMP[bisect(FPIRS, fpirs[0])]
