"""Curves of classifiers on given axes.

Conventions: as in `draw`. Faint lines are what chance, always deciding the same, or the best imaginable classifier
would give. The number a curve is known by (AUC, AP ...) stands with its name, or above the axes of a single curve. Dots
are the decisions as they were made; under the axis stands what holds for all curves.

Holds `draw_class_roc`, `draw_class_det`, `draw_precision_recall`, `draw_gain`, `draw_lift`, `draw_risk_coverage`,
`draw_cost_curve` and `draw_one_vs_rest`; `headed`, `names_with_facts`, `in_lines` and `shared` are for figures of other
kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.draw import (
    TINY,
    draw_det_normal,
    draw_line,
    draw_notes,
    dress,
    floors,
    noted,
    notes_of,
    spot,
)
from bertillon.render.figures.labels import SIDES, NamedCurve, Side, free_note, name_curves, note_text, title
from bertillon.render.figures.style import FAINT, QUIET, SMALL, colour
from bertillon.views.figures.axis import joined
from bertillon.views.figures.class_data import ClassCurve, OneVsRest, SeveralKind
from bertillon.views.figures.data import CurveData
from bertillon.views.figures.names import LONGEST, percent_label, shortened, shown_names
from bertillon.views.figures.shapes import Curve, Line

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

ISO_F = (0.2, 0.4, 0.6, 0.8)
ISO_POINTS = 500
LIST = 1.1  # of the width of the axes
TITLE_GAP = 6.0  # points
NAME_LENGTHS = (LONGEST, 22, 16, 10)  # characters
NEAR_TOP = 0.9
HEAD_ROOM = 0.2  # of the width of the axes between a name and a fact
FEW = 3  # curves
LONGEST_CLASS, LONGEST_WITH_FACT, LONGEST_LINE = 16, 22, 44  # characters
ABOVE, BELOW = Side(0.0, 7.0, "center", "bottom"), Side(0.0, -7.0, "center", "top")
UPPER_RIGHT, LOWER_RIGHT, LOWER_LEFT, UPPER_LEFT = (
    (*(SIDES[place] for place in places), ABOVE, BELOW)
    for places in ((0, 3, 1, 2), (1, 2, 0, 3), (2, 1, 3, 0), (3, 0, 2, 1))
)
DIAGONAL = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
TRIANGLE = Line(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0]))


def draw_class_roc(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """ROC curves with their AUC, above chance."""
    return [*_faint(ax, DIAGONAL), *_draw(ax, curves, LOWER_RIGHT)]


def draw_class_det(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """DET curves on normal-deviate axes, with their EER."""
    return draw_det_normal(ax, curves)


def draw_precision_recall(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """Precision against recall with AP, over lines of equal F1 and the prevalence, which is what guessing gets."""
    return [*_equal_f(ax), *_prevalence(ax, curves), *_draw(ax, curves, LOWER_LEFT)]


def draw_gain(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """Share of positives found by share taken, between chance and the best there is."""
    best = {curve.level: curve.second for curve in curves if curve.second is not None}
    faint = [artist for line in (DIAGONAL, *best.values()) for artist in _faint(ax, line)]
    return [*faint, *_draw(ax, curves, LOWER_RIGHT)]


def draw_lift(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """Lift by share taken, over chance."""
    chance = ax.axhline(1.0, color=FAINT, linewidth=1.0, linestyle=":", zorder=1.5)
    return [chance, *_draw(ax, curves, UPPER_RIGHT)]


def draw_risk_coverage(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """Risk by coverage, with the risk of deciding everything."""
    return _draw(ax, curves, UPPER_LEFT)


def draw_cost_curve(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """Least expected cost by probability cost, below the triangle of always deciding the same.

    Of a few curves the cost of the decisions is dotted.
    """
    seconds = [(i, curve.second) for i, curve in enumerate(curves) if curve.second is not None and len(curves) <= FEW]
    artists = _faint(ax, TRIANGLE)
    for i, line in seconds:
        artists += ax.plot(*line, color=colour(i), linewidth=0.9, linestyle=":", zorder=1.8)
    return [*artists, *_draw(ax, curves, UPPER_RIGHT)]


def draw_one_vs_rest(ax: Axes, data: OneVsRest, *, kind: SeveralKind) -> list[Artist]:
    """ROC, or precision and recall, of every class against the rest; the classes are listed beside the axes."""
    faint = _faint(ax, DIAGONAL) if kind == "roc" else _equal_f(ax)
    _dress(ax, data.curves, [data.words] if data.words else [])
    lines = [draw_line(ax, curve, i) for i, curve in enumerate(data.curves)]
    seen = floors(ax, data.curves)
    return [*faint, *seen, *lines, *title(ax, data.name, above_note=bool(seen)), _list(ax, data.curves, lines)]


def headed(ax: Axes, name: str, fact: str) -> list[Artist]:
    """A name above the axes and a fact on their right side; the name is cut where both have no room."""
    if not fact:
        return title(ax, name)
    how: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right", "va": "bottom"}
    right = ax.annotate(fact, (1.0, 1.0), xytext=(0.0, TITLE_GAP), fontsize=SMALL, parse_math=False, **how)
    left: list[Artist] = []
    for longest in NAME_LENGTHS:
        left = title(ax, shortened(name, longest))
        gap = HEAD_ROOM * ax.get_window_extent().width  # the axes still change when ticks and labels find their places
        if not left or left[0].get_window_extent().x1 + gap < right.get_window_extent().x0:
            break
    return [right, *left]


def names_with_facts(curves: Sequence[Curve]) -> list[str]:
    """Names that leave room for a fact beside each."""
    names = shown_names([curve.name for curve in curves])
    return names if len(names) == 1 else [shortened(name, LONGEST_WITH_FACT) for name in names]


def in_lines(parts: Sequence[str]) -> list[str]:
    """Words one after the other, in lines that fit under a figure.

    >>> in_lines(["positive: yes", "dots: t = 0.5", "a long explanation of what is dotted"])
    ['positive: yes; dots: t = 0.5', 'a long explanation of what is dotted']
    """
    lines: list[str] = []
    for word in parts:
        if lines and len(lines[-1]) + len(word) <= LONGEST_LINE:
            lines[-1] += f"; {word}"
        else:
            lines.append(word)
    return lines


def shared(heading: str, names: Iterable[str]) -> list[str]:
    """What is the same for all curves of a figure, by the id of the words before it; nothing where it differs.

    >>> shared("positive", ["yes", "yes"]), shared("positive", ["yes", "no"]), shared("positive", [""])
    (['positive: yes'], [], [])
    """
    different = sorted({name for name in names if name})
    return [spoken(say(f"figure.about.{heading}", what=shortened(different[0])))] if len(different) == 1 else []


def _draw(ax: Axes, curves: Sequence[ClassCurve], sides: Sequence[Side]) -> list[Artist]:
    """Curves with their names and points; the point of a single curve is named on one of the sides."""
    if not curves:
        raise ValueError("no curves to draw; expected at least one")
    names = names_with_facts(curves)
    missing = notes_of(curves, names)
    there = [(i, curve) for i, curve in enumerate(curves) if curve.line.x.size]
    _dress(ax, curves, [*_about(curves), *missing] if there else [])
    lines = {i: draw_line(ax, curve, i) for i, curve in there}
    artists: list[Artist] = [*lines.values()]
    for i, curve in there:
        artists += draw_ribbon(ax, curve.band, colour(i))
        artists += spot(ax, curve.point, colour(i)) if curve.point is not None else []
    if len(curves) == 1:
        artists += headed(ax, names[0], curves[0].fact)
    if not there:
        return artists + draw_notes(ax, missing)
    if len(curves) == 1:
        return artists + _point_name(ax, curves[0], lines[0], sides)
    named = [NamedCurve(f"{names[i]} ({curve.fact})", colour(i), curve, lines[i]) for i, curve in there]
    return artists + name_curves(ax, named)


def _dress(ax: Axes, curves: Sequence[ClassCurve], notes: Sequence[str]) -> None:
    dress(ax, noted(joined([curve.x_axis for curve in curves]), notes), "x")
    dress(ax, joined([curve.y_axis for curve in curves]), "y")


def _about(curves: Sequence[ClassCurve]) -> list[str]:
    """What holds for all curves."""
    positive = shared("positive", (curve.positive for curve in curves))
    dots = shared("dots", (curve.point_words for curve in curves)) if len(curves) > 1 else []
    dotted = shared("dotted", (curve.second_words for curve in curves)) if len(curves) <= FEW else []
    return in_lines([*positive, *dots, *dotted, *band_notes(curve.band for curve in curves)])


def _point_name(ax: Axes, curve: ClassCurve, line: Line2D, sides: Sequence[Side]) -> list[Artist]:
    """What the point of a single curve is."""
    if curve.point is None:
        return []
    text = f"{curve.point_words}: {curve.point_fact}" if curve.point_fact else curve.point_words
    how: dict[str, Any] = {"sides": sides, "color": colour(0), "fontsize": SMALL}
    return [free_note(ax, *curve.point, text, lines=[line], **how)]


def _faint(ax: Axes, line: Line) -> list[Artist]:
    return list(ax.plot(*line, color=FAINT, linewidth=1.0, linestyle=":", zorder=1.5))


def _equal_f(ax: Axes) -> list[Artist]:
    """Lines of equal F1, named where they leave the axes."""
    from matplotlib.collections import LineCollection

    recalls = [np.linspace(f / (2.0 - f), 1.0, ISO_POINTS) for f in ISO_F]  # below, no precision is enough
    paths = [np.column_stack([r, f * r / (2.0 * r - f)]) for r, f in zip(recalls, ISO_F, strict=True)]
    # one collection and no single lines: a legend keeps away from lines, and may well cover these
    lines = ax.add_collection(LineCollection(paths, colors=FAINT, linewidths=0.8, zorder=1.4), autolim=False)
    side = Side(6.0, 0.0, "left", "center")
    names = [note_text(ax, 1.0, f / (2.0 - f), f"F1 {f:g}", side=side, color=QUIET, fontsize=TINY) for f in ISO_F]
    return [lines, *names]


def _prevalence(ax: Axes, curves: Sequence[ClassCurve]) -> list[Artist]:
    """What guessing gets: a line for each share of positives, named where there is but one."""
    levels = sorted({curve.level for curve in curves if curve.level is not None})
    artists: list[Artist] = [ax.axhline(at, color=QUIET, linewidth=1.0, linestyle=":", zorder=1.6) for at in levels]
    if len(levels) == 1:
        side = Side(0.0, -2.0, "left", "top") if levels[0] > NEAR_TOP else Side(0.0, 2.0, "left", "bottom")
        text = spoken(say("figure.prevalence", share=percent_label(levels[0])))
        artists.append(note_text(ax, 0.0, levels[0], text, side=side, color=QUIET, fontsize=TINY))
    return artists


def _list(ax: Axes, curves: Sequence[ClassCurve], lines: Sequence[Line2D]) -> Legend:
    """Classes and their numbers beside the axes."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (LIST, 1.0), "borderaxespad": 0.0}
    # the texts are put in afterwards: older drawing libraries leave out labels that begin with an underscore
    legend = ax.legend(lines, ["class"] * len(lines), fontsize=SMALL, **place)
    for text, curve in zip(legend.get_texts(), curves, strict=True):
        text.set_parse_math(False)
        text.set_text(f"{shortened(curve.name, LONGEST_CLASS)} ({curve.fact})")
    return legend
