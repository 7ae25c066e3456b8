"""Rates and costs of classifiers by threshold, on given axes.

Conventions: as in `draw`. Rates are named to the right of the axes, with their values where the classifier decides.
Costs are shown up to a little more than that of always deciding the same; what is dearer runs out of the axes.

Holds `draw_thresholds` and `draw_costs`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.render.figures.bands import band_notes, draw_ribbon
from bertillon.render.figures.class_draw import UPPER_RIGHT, headed, in_lines, names_with_facts, shared
from bertillon.render.figures.draw import TINY, draw_line, draw_notes, dress, noted, notes_of, spot
from bertillon.render.figures.labels import NamedCurve, Side, free_note, name_curves, note_text, plain_text
from bertillon.render.figures.search_draw import BESIDE, LINE_HEIGHT, spread
from bertillon.render.figures.style import FAINT, INK, PALETTE, QUIET, SMALL, colour
from bertillon.views.figures.axis import Axis, joined
from bertillon.views.figures.class_choice import decimal
from bertillon.views.figures.class_threshold_data import CostData, Rate, ThresholdData
from bertillon.views.figures.shapes import Point

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

RATES = (-0.03, 1.03)  # limits
SHADES = {"Precision": PALETTE[1], "Recall": PALETTE[0], "F1": PALETTE[6], "Specificity": PALETTE[2]}
ALWAYS = say("figure.always")


def draw_thresholds(ax: Axes, data: ThresholdData) -> list[Artist]:
    """Precision, recall, F1 and specificity by threshold, and where the classifier decides."""
    dress(ax, noted(data.axis, [*shared("positive", [data.positive]), *data.notes]), "x")
    dress(ax, Axis(spoken(say("figure.rate")), "linear", RATES), "y")
    artists = headed(ax, data.name, "" if data.threshold is None else data.words)
    for rate in data.rates:
        artists += ax.plot(*rate.line, color=SHADES[rate.name])
    if data.threshold is not None:
        artists.append(ax.axvline(data.threshold, color=INK, linewidth=0.9, linestyle="--", zorder=1.7))
        for rate in data.rates:
            if not math.isnan(rate.value):
                artists += spot(ax, Point(data.threshold, rate.value), SHADES[rate.name])
    return artists + _rate_names(ax, data)


def draw_costs(ax: Axes, curves: Sequence[CostData]) -> list[Artist]:
    """The mean cost by threshold, its least value and that of the decisions."""
    if not curves:
        raise ValueError("no curves to draw; expected at least one")
    names = names_with_facts(curves)
    there = [(i, curve) for i, curve in enumerate(curves) if curve.line.x.size]
    missing = notes_of(curves, names)
    dress(ax, noted(joined([curve.x_axis for curve in curves]), [*_about(curves), *missing] if there else []), "x")
    dress(ax, joined([curve.y_axis for _, curve in there] or [curves[0].y_axis]), "y")
    lines = {i: draw_line(ax, curve, i) for i, curve in there}
    guides = [*_trivial(ax, curves), *_bayes(ax, curves)]
    artists: list[Artist] = [*lines.values(), *guides]
    for i, curve in there:
        artists += draw_ribbon(ax, curve.band, colour(i))
        artists += _least_and_decided(ax, curve, colour(i))
    if len(curves) == 1:
        artists += headed(ax, names[0], _least_cost_text(curves[0]))
    if not there:
        return artists + draw_notes(ax, missing)
    if len(curves) == 1:
        return artists + _decided_name(ax, curves[0], lines[0], guides)
    named = [NamedCurve(f"{names[i]} ({_least_cost_text(curve)})", colour(i), curve, lines[i]) for i, curve in there]
    return artists + name_curves(ax, named)


def _rate_names(ax: Axes, data: ThresholdData) -> list[Artist]:
    """The rates where they reach the right side of the axes, with their values at the threshold."""
    low, high = RATES
    rates = sorted(data.rates, key=_end)
    gap = LINE_HEIGHT * ax.figure.dpi / ax.get_window_extent().height
    places = spread([(_end(rate) - low) / (high - low) for rate in rates], gap)
    return [
        plain_text(ax, BESIDE, at, _rate_name(rate, data), va="center", fontsize=SMALL, color=SHADES[rate.name])
        for at, rate in zip(places, rates, strict=True)
    ]


def _end(rate: Rate) -> float:
    """The last value of a rate; precision has none where nothing is accepted."""
    known = rate.line.y[np.isfinite(rate.line.y)]
    return float(known[-1]) if known.size else 0.0


def _rate_name(rate: Rate, data: ThresholdData) -> str:
    return (
        rate.name if data.threshold is None else f"{rate.name} {decimal(rate.value) or spoken(say('page.undefined'))}"
    )


def _about(curves: Sequence[CostData]) -> list[str]:
    about = shared("positive", (curve.positive for curve in curves)) + shared(
        "prices", (curve.prices for curve in curves)
    )
    marks = [spoken(say("figure.dots_least")), spoken(say("figure.rings"))] if len(curves) > 1 else []
    return in_lines([*about, *marks, *band_notes(curve.band for curve in curves)])


def _least_and_decided(ax: Axes, curve: CostData, shade: str) -> list[Artist]:
    """A dot at the least cost, a ring at that of the decisions."""
    artists = spot(ax, curve.least, shade) if curve.least is not None else []
    if curve.decided is not None:
        artists += ax.plot(
            *([value] for value in curve.decided), "o", color=shade, markersize=6, markerfacecolor="white"
        )
    return artists


def _decided_name(ax: Axes, curve: CostData, line: Line2D, guides: Sequence[Artist]) -> list[Artist]:
    """The cost of the decisions of a single curve, away from the names of the guides."""
    from matplotlib.text import Annotation

    if curve.decided is None:
        return []
    text = spoken(say("figure.cost_at", cost=f"{curve.decided.y:.3g}", where=curve.decided_words))
    texts = [guide for guide in guides if isinstance(guide, Annotation)]
    how: dict[str, Any] = {"lines": [line], "texts": texts, "sides": UPPER_RIGHT}
    return [free_note(ax, *curve.decided, text, **how, color=colour(0), fontsize=SMALL)]


def _least_cost_text(curve: CostData) -> str:
    return (
        ""
        if curve.least is None
        else spoken(say("figure.least", cost=f"{curve.least.y:.3g}", threshold=f"{curve.least.x:.3g}"))
    )


def _trivial(ax: Axes, curves: Sequence[CostData]) -> list[Artist]:
    """What it costs to decide always the same, named where that is one number."""
    levels = sorted({curve.trivial for curve in curves if not math.isnan(curve.trivial)})
    artists: list[Artist] = [ax.axhline(at, color=FAINT, linewidth=1.0, linestyle=":", zorder=1.5) for at in levels]
    if len(levels) == 1:
        side = Side(-2.0, 2.0, "right", "bottom")
        artists.append(
            note_text(
                ax, ax.get_xlim()[1], levels[0], spoken(ALWAYS), side=side, color=QUIET, fontsize=TINY, zorder=1.6
            )
        )
    return artists


def _bayes(ax: Axes, curves: Sequence[CostData]) -> list[Artist]:
    """The threshold that calibrated probabilities ask for."""
    places = sorted({curve.bayes for curve in curves if curve.bayes is not None})
    artists: list[Artist] = [ax.axvline(at, color=QUIET, linewidth=0.9, linestyle=":", zorder=1.5) for at in places]
    if len(places) == 1:
        side = Side(3.0, -2.0, "left", "top") if places[0] < 0.5 else Side(-3.0, -2.0, "right", "top")
        top = ax.get_ylim()[1]
        text = spoken(say("figure.bayes", threshold=f"{places[0]:.3g}"))
        artists.append(note_text(ax, places[0], top, text, side=side, color=QUIET, fontsize=TINY, zorder=1.6))
    return artists
