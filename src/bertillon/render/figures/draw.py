"""ROC and DET curves on given axes.

Conventions: every function takes axes and coordinates (from `data`), draws, and returns the artists it made. Nothing
else is touched. The faint lines are: equal errors, guessing (ROC only), and the smallest rate the trials could show.

Holds `draw_roc`, `draw_roc_log`, `draw_det_normal` and `draw_det_log`; `dress` and `noted` set an axis up, `draw_line`,
`floors`, `spot`, `notes_of` and `draw_notes` are for curves of other kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from bertillon.core.messages import say, spoken
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.labels import SIDES, NamedCurve, name_curves, note_text, plain_text, title
from bertillon.render.figures.style import FAINT, QUIET, colour, line_style
from bertillon.views.figures.axis import Axis, joined
from bertillon.views.figures.data import CurveData, equal_line
from bertillon.views.figures.names import percent_label, shown_names
from bertillon.views.figures.shapes import Curve, Point

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

TINY = 7.0
MOST_NOTES = 3
NEAR_EDGE = 0.78  # of the width
SEEN = say("figure.smallest")


def draw_roc(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """ROC curves on linear axes."""
    guess = ax.plot([0, 1], [0, 1], color=FAINT, linewidth=1.0, linestyle=":", zorder=1.5)
    return [*guess, *_draw(ax, curves, ("roc", "linear"))]


def draw_roc_log(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """ROC curves with a log FMR axis, for systems with few false matches."""
    return _draw(ax, curves, ("roc", "log"))


def draw_det_normal(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """DET curves on normal-deviate axes, where normal scores give straight lines."""
    return _draw(ax, curves, ("det", "normal"))


def draw_det_log(ax: Axes, curves: Sequence[CurveData]) -> list[Artist]:
    """DET curves on log axes."""
    return _draw(ax, curves, ("det", "log"))


def _draw(ax: Axes, curves: Sequence[CurveData], wanted: tuple[str, str]) -> list[Artist]:
    _check(curves, wanted)
    x_axis, y_axis = joined([c.x_axis for c in curves]), joined([c.y_axis for c in curves])
    names = shown_names([curve.name for curve in curves])
    notes = notes_of(curves, names)
    empty = not any(curve.line.x.size for curve in curves)
    dress(ax, x_axis if empty else noted(x_axis, [*band_notes(c.band for c in curves), *notes]), "x")
    dress(ax, y_axis, "y")
    faint = ax.plot(*equal_line(curves[0].kind, x_axis, y_axis), color=FAINT, linewidth=1.0, zorder=1.5)
    there = [(i, curve) for i, curve in enumerate(curves) if curve.line.x.size]
    named = [NamedCurve(names[i], colour(i), curve, draw_line(ax, curve, i), _eer_text(curve)) for i, curve in there]
    artists: list[Artist] = [
        *faint,
        *floors(ax, [curve for _, curve in there]),
        *(named_curve.line for named_curve in named),
    ]
    artists += [fill for i, curve in there for fill in draw_ribbon(ax, curve.band, colour(i))]
    if len(curves) == 1:
        artists += title(ax, names[0], above_note=curves[0].x_axis.floor is not None)
    for i, curve in there:
        artists += _eer(ax, curve, colour(i), labelled=len(curves) == 1)
    if named and len(curves) > 1:
        artists += name_curves(ax, named)
    return artists + draw_notes(ax, notes) if empty else artists


def dress(ax: Axes, axis: Axis, which: Literal["x", "y"]) -> None:
    """Scale, limits, ticks and label of one axis."""
    from matplotlib.ticker import NullFormatter

    one = ax.xaxis if which == "x" else ax.yaxis
    one.label.set_parse_math(False)  # notes hold the names of systems
    if axis.scale == "log":
        ax.set(**{f"{which}scale": "log"})
        one.set_minor_formatter(NullFormatter())
    if axis.ticks:
        one.set_ticks(axis.ticks, labels=axis.tick_labels)
    ax.set(**{f"{which}lim": axis.limits, f"{which}label": axis.label})


def noted(axis: Axis, notes: Sequence[str]) -> Axis:
    """The axis with what is missing or left out written under its label."""
    return replace(axis, label="\n".join((axis.label, *notes)))


def floors(ax: Axes, curves: Sequence[Curve]) -> list[Artist]:
    """Faint lines at 1/N and 1 - 1/N, each place once, and what they mean."""
    upright = {at for curve in curves for at in (curve.x_axis.floor, curve.x_axis.ceiling) if at is not None}
    level = {at for curve in curves for at in (curve.y_axis.floor, curve.y_axis.ceiling) if at is not None}
    how: dict[str, Any] = {"color": FAINT, "linewidth": 0.9, "linestyle": (0, (4, 2)), "zorder": 1.5}
    artists: list[Artist] = [ax.axvline(at, **how) for at in sorted(upright)]
    artists += [ax.axhline(at, **how) for at in sorted(level)]
    if artists:
        artists.append(plain_text(ax, 1.0, 1.01, spoken(SEEN), ha="right", va="bottom", color=QUIET, fontsize=TINY))
    return artists


def draw_line(ax: Axes, curve: Curve, index: int) -> Line2D:
    """The line of a curve in the style of its place in the list."""
    (line,) = ax.plot(*curve.line, color=colour(index), linestyle=line_style(index))
    return line


def spot(ax: Axes, point: Point, shade: str) -> list[Artist]:
    """A dot on a curve that names a number."""
    return list(ax.plot([point.x], [point.y], "o", color=shade, markersize=5, markeredgecolor="white", zorder=3))


def notes_of(curves: Sequence[Curve], names: Sequence[str]) -> list[str]:
    """Why curves are not there, in a few lines."""
    if len(curves) == 1:
        return [curves[0].note] if curves[0].note else []
    notes = [f"{name}: {curve.note}" for name, curve in zip(names, curves, strict=True) if curve.note]
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], spoken(say("figure.more_systems", n=more))] if more > 0 else notes


def draw_notes(ax: Axes, notes: Sequence[str]) -> list[Artist]:
    """Why there is no curve at all, in the middle of the axes."""
    text = "\n".join(notes)
    return [plain_text(ax, 0.5, 0.5, text, ha="center", va="center", color=QUIET, backgroundcolor="white")]


def _check(curves: Sequence[CurveData], wanted: tuple[str, str]) -> None:
    if not curves:
        raise ValueError("no curves to draw; expected at least one")
    for curve in curves:
        found = curve.kind, curve.x_axis.scale
        if found != wanted:
            raise ValueError(f"coordinates are of {' '.join(found)} axes; expected {' '.join(wanted)}")


def _eer_text(curve: CurveData) -> str:
    return "" if curve.eer is None else f"{curve.eer_name} {percent_label(curve.eer)}"


def _eer(ax: Axes, curve: CurveData, shade: str, *, labelled: bool) -> list[Artist]:
    """The EER point, the chord it lies on, and its value when the curve stands alone."""
    point, chord = curve.eer_point, curve.chord
    artists: list[Artist] = []
    if chord is not None:
        artists += ax.plot(*chord, color=shade, linewidth=1.0, linestyle=":")
    if point is None:
        return artists
    artists += spot(ax, point, shade)
    if labelled:
        side = SIDES[_free_side(ax, point, below=curve.kind == "roc")]
        artists.append(note_text(ax, point.x, point.y, _eer_text(curve), side=side, color=shade))
    return artists


def _free_side(ax: Axes, point: Point, *, below: bool) -> int:
    """Which of the sides of the EER point is free: away from the better corner, or in it near the right edge."""
    across = ax.transAxes.inverted().transform(ax.transData.transform(point))[0]
    return (3 if below else 2) if across > NEAR_EDGE else (1 if below else 0)
