"""Scores of comparisons: their distributions, both errors by threshold, and scores by quality.

Conventions: scores and thresholds are in the user's units. Scores that are left off the axis are counted and said;
names carry the numbers of the data; where only a sample was kept it is said. Scores are read in place, never copied.
What stems from mated comparisons (mated scores, FNMR) is blue, what stems from non-mated ones (non-mated scores, FMR)
is vermilion. Densities have no ticks: their heights mean nothing by themselves. By quality, comparisons are put in
order and cut into parts of equally many; each part shows the median of its scores and the range that holds nine in ten
of them, at its median quality. Equal qualities stay together, and mated and non-mated comparisons are cut apart.

Holds `rates_panel`; `Distribution` with `score_distribution` and `distribution_panel`; `quality_panel`;
`threshold_rule`, a threshold with its label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, readable, row_at, say, spoken
from bertillon.counting.curves.error_curve import Band, ErrorCurve
from bertillon.counting.error_counts import Scores
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, Limits, ends_of, known, score_axis
from bertillon.views.figures.compose import band_notes, shade_of
from bertillon.views.figures.errors import POINTS, System
from bertillon.views.figures.score_range import (
    IntArray,
    ScoreRange,
    axis_over,
    bin_counts,
    bin_edges,
    count_infinite,
    density_of,
    no_scores,
    readable_range,
)

HEADROOM = 1.3  # above the densities, for the threshold's label
ERROR_RATES = (-0.02, 1.25)  # limits
RATE_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
TOP_ROW = 1.15  # above the highest rate and the names of the curves
TOP = 0.99  # of the height of the axes, where the label of a threshold begins
BESIDE = 0.35  # of the width, for a text beside a line
PARTS, FEWEST = 20, 20  # parts at most, comparisons in each at least
TAILS = (5.0, 50.0, 95.0)  # percent

SCORE = say("figure.score")
RATES = Axis("", 0.0, 1.0)  # where bands of rates lie


def rates_panel(system: System, *, fmr_band: Band | None = None, fnmr_band: Band | None = None) -> chart.Panel:
    """FMR and FNMR as the threshold moves, and where they meet; their bands are by threshold."""
    counts = system.curve.counts
    label = say("figure.threshold", sign=system.scores.rule.sign)
    axis = axis_over(label, readable_range(system.scores, system.curve))
    thin = system.curve.thin(POINTS)
    threshold, rows = _threshold_rows(thin, axis.limits)
    missing = [spoken(message) for message in no_scores(system.curve.counts)]
    shades = [None if band is None or missing else shade_of(band, axis, RATES) for band in (fmr_band, fnmr_band)]
    marks: list[chart.Mark] = []
    if counts.n_nonmated:
        marks += _rate("FMR (FAR)", chart.staircase(threshold, thin.fmr[rows]), chart.NONMATED, shades[0])
    if counts.n_mated:
        marks += _rate("FNMR (FRR)", chart.staircase(threshold, thin.fnmr[rows]), chart.MATED, shades[1])
    at, eer = known(system.threshold), known(system.eer)
    if at is not None and eer is not None and axis.shows(at) and not missing:
        rate = system.eer_text or chart.percent_label(eer)
        text = f" {spoken(say('figure.eer_at', eer=rate, threshold=readable(at, 4)))} "
        side = chart.Side(0.0, 0.0, _side(axis.share(at), prefer_right=True), "baseline")
        marks += [
            chart.Rule("x", at, chart.Pen("quiet", ":", 0.9, 1.5)),
            chart.Spot(at, eer),
            chart.Label(text, at, TOP_ROW, (side,), rim=False),
        ]
    return chart.Panel(
        axis,
        Axis(spoken(say("figure.error_rate")), *ERROR_RATES, ticks=RATE_TICKS),
        tuple(marks),
        title=system.name,
        notes=(*band_notes(shades), *(missing or _beyond_note(system, axis))),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Densities of both classes on common bins: the area of a class is the share of its scores that is shown."""

    name: str
    edges: FloatArray
    mated: FloatArray
    nonmated: FloatArray
    n_mated: int
    n_nonmated: int
    axis: Axis
    counts: tuple[IntArray, IntArray]  # mated and non-mated scores in each bin
    accepts_above: bool
    threshold: float | None = None
    notes: tuple[str, ...] = ()
    of: tuple[int, int] = (0, 0)  # mated and non-mated comparisons of the data, of which scores were kept


def score_distribution(system: System, bins: int | None = None) -> Distribution:
    """Histogram densities of mated and non-mated scores; `bins` are chosen by the sizes of the classes when None."""
    if bins is not None and bins < 1:
        raise InputError(f"{bins} bins; expected 1 or more")
    scores = system.scores
    shown = readable_range(scores, system.curve)
    edges = bin_edges(scores, shown, bins)
    axis = axis_over(SCORE, ScoreRange(float(edges[0]), float(edges[-1]), shown.linear))
    data = int(system.curve.counts.n_mated), int(system.curve.counts.n_nonmated)
    mated, nonmated = bin_counts(scores.mated, edges), bin_counts(scores.nonmated, edges)
    return Distribution(
        system.name,
        edges,
        density_of(mated, scores.mated.size, edges, shown.linear),
        density_of(nonmated, scores.nonmated.size, edges, shown.linear),
        scores.mated.size,
        scores.nonmated.size,
        axis,
        (mated, nonmated),
        accepts_above=scores.rule.sign == ">=",
        threshold=system.threshold if axis.shows(system.threshold) else None,
        notes=(
            *map(spoken, no_scores(system.curve.counts)),
            *_sample_notes(scores, data),
            *_left_out_notes(scores, int(mated.sum() + nonmated.sum())),
            *([spoken(say("figure.bent", linear=readable(shown.linear, 2)))] if shown.linear else []),
            *_beyond_note(system, axis),
        ),
        of=data,
    )


def distribution_panel(data: Distribution) -> chart.Panel:
    """Densities of mated and non-mated scores, the threshold between them and the accepted side."""
    classes = (
        (data.nonmated, data.of[1], "nonmated", chart.NONMATED),
        (data.mated, data.of[0], "mated", chart.MATED),
    )
    marks: list[chart.Mark] = []
    for density, size, kind, colour in classes:
        if density.size:
            name = chart.sized(say(f"figure.{kind}"), size)
            marks += [
                chart.Bars(name, data.edges, density, chart.Pen(colour), fill=0.35),
                chart.Bars("", data.edges, density, chart.Pen(colour, width=1.2)),
            ]
    if data.threshold is not None:
        value = f"t = {readable(data.threshold, 4)} (EER)"
        marks += threshold_rule(data.axis, data.threshold, value, accepts_above=data.accepts_above)
    return chart.Panel(
        data.axis,
        density_axis([data.mated, data.nonmated], HEADROOM),
        tuple(marks),
        title=data.name,
        notes=data.notes,
        legend="above",
    )


def density_axis(densities: Sequence[FloatArray], headroom: float) -> Axis:
    """From 0 to some way above the highest density."""
    highest = max((float(density.max()) for density in densities if density.size), default=0.0) or 1.0
    return Axis(spoken(say("attacks.density")), 0.0, headroom * highest, unit="density")


def threshold_rule(axis: Axis, at: float, value: str, *, accepts_above: bool, room: float = BESIDE) -> list[chart.Mark]:
    """An upright line at a threshold, with its value and an arrow to the accepted side."""
    accepted = spoken(say("figure.accepted"))
    arrow = f" {accepted} → " if accepts_above else f" ← {accepted} "
    side = chart.Side(0.0, 0.0, _side(axis.share(at), prefer_right=accepts_above, room=room), "top")
    label = chart.Label(f"{arrow}\n {value} ", at, TOP, (side,), frame="y share", rim=False)
    return [chart.Rule("x", at, chart.Pen("ink", "--", 1.2)), label]


def quality_panel(system: System, mated: ArrayLike, nonmated: ArrayLike) -> chart.Panel:
    """Scores by the quality of each comparison, given in the order of the scores, and the threshold between them."""
    classes = (
        ("figure.quality.mated", chart.MATED, mated, system.scores.mated, "mated"),
        ("figure.nonmated", chart.NONMATED, nonmated, system.scores.nonmated, "non-mated"),
    )
    lines = [_by_quality(name, colour, _checked(given, own, kind), own) for name, colour, given, own, kind in classes]
    marks: list[chart.Mark] = [*lines]
    if system.threshold is not None and math.isfinite(system.threshold):
        label, side = f"t = {readable(system.threshold, 4)} (EER)", chart.Side(0.0, 0.0, "right", "bottom")
        marks.append(chart.Rule("y", system.threshold, chart.Pen("ink", "--", 1.0)))
        marks.append(chart.Label(label, 1.0, system.threshold, (side,), frame="x share", rim=False))
    shades = [line.shade for line in lines if line.shade is not None]
    return chart.Panel(
        score_axis(say("figure.quality"), ends_of(*(shade.x for shade in shades))),
        score_axis(SCORE, ends_of(*(end for shade in shades for end in (shade.low, shade.high)))),
        tuple(marks),
        title=system.name,
        notes=tuple(band_notes(shades)),
        legend="above",
    )


def _rate(name: str, line: chart.Path, colour: int, shade: chart.ShadedBand | None) -> list[chart.Mark]:
    """A rate by threshold, named at its higher end."""
    at = 0 if line.y[0] >= line.y[-1] else -1
    align = "left" if line.x[at] == line.x.min() else "right"
    side = chart.Side(0.0, 2.0, align, "bottom")
    return [
        chart.Line(name, *line, colour, shade=shade),
        chart.Label(name, float(line.x[at]), float(line.y[at]), (side,), colour),
    ]


def _side(across: float, *, prefer_right: bool, room: float = BESIDE) -> str:
    """Where a text beside an upright line goes: the side preferred, if there is room for it."""
    right = across < 1.0 - room if prefer_right else across < room
    return "left" if right else "right"  # a text to the right of a line is aligned by its left end


def _threshold_rows(curve: ErrorCurve, limits: Limits) -> tuple[FloatArray, NDArray[np.intp]]:
    """Thresholds within the limits and at their ends, and the row of the curve that holds at each."""
    low, high = np.sort(curve.rule.orient(np.array(limits)))
    oriented, rows = rows_between(curve.counts.threshold, low, high)
    return curve.rule.orient(oriented) + 0.0, rows


def rows_between(known: FloatArray, low: float, high: float) -> tuple[FloatArray, NDArray[np.intp]]:
    """The known thresholds between two others, these at the ends, and the row that holds at each."""
    threshold = np.concatenate([[low], known[(known > low) & (known < high)], [high]])
    return threshold, row_at(known, threshold)


def _sample_notes(scores: Scores, data: tuple[int, int]) -> list[str]:
    """Of how many scores a class is drawn, where not all were kept."""
    kept = {"mated": scores.mated.size, "nonmated": scores.nonmated.size}
    sampled = [(kind, n) for (kind, n), whole in zip(kept.items(), data, strict=True) if 0 < n < whole]
    return [spoken(say("figure.sampled", kind=say(f"figure.{kind}"), n=n)) for kind, n in sampled]


def _left_out_notes(scores: Scores, shown: int) -> list[str]:
    infinite = count_infinite(scores.mated) + count_infinite(scores.nonmated)
    notes = {"infinite": infinite, "far_off": scores.size - infinite - shown}
    return [spoken(say(f"figure.not_shown.{kind}", n=n)) for kind, n in notes.items() if n]


def _beyond_note(system: System, axis: Axis) -> list[str]:
    threshold = known(system.threshold)
    if threshold is None or axis.shows(threshold):
        return []
    return [spoken(say("figure.eer_off_axis", threshold=readable(threshold, 4)))]


def _checked(values: ArrayLike, scores: NDArray[Any], kind: str) -> FloatArray:
    quality = np.asarray(values, dtype=np.float64)
    if quality.shape != scores.shape:
        raise InputError(
            f"{quality.size:,} qualities for {scores.size:,} {kind} scores; expected one each "
            "(a comparison that failed has no score: leave out its quality)"
        )
    if not np.isfinite(quality).all():
        raise InputError(f"a {kind} quality is {quality[~np.isfinite(quality)][0]}; expected numbers")
    return quality


def _by_quality(name: str, colour: int, quality: FloatArray, scores: NDArray[Any]) -> chart.Line:
    """The median of the scores in each part, within the range of most of them."""
    order = np.argsort(quality, kind="stable")
    quality, scores = quality[order], scores[order]
    count = max(min(PARTS, quality.size // FEWEST), 1)
    begin = quality[(np.arange(count) * quality.size) // count] if quality.size else quality
    starts = np.unique(np.searchsorted(quality, begin))  # a part among equal qualities begins before them all
    parts = [part for part in np.split(np.arange(quality.size), starts[1:]) if part.size]
    x = np.array([np.median(quality[part]) for part in parts])
    low, median, high = np.array([np.percentile(scores[part], TAILS) for part in parts]).reshape(-1, 3).T
    shade = chart.ShadedBand(x, low, high, spoken(say("figure.quality.shown")))
    return chart.Line(spoken(say(name)), x, median, colour, dots=True, shade=shade, pen=chart.Pen(colour, dot=2.5))
