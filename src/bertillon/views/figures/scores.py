"""Both errors of comparisons by threshold, and scores by quality.

Conventions: scores and thresholds are in the user's units. Scores are read in place, never copied. What stems from
mated comparisons (mated scores, FNMR) is blue, what stems from non-mated ones (non-mated scores, FMR) is vermilion. By
quality, comparisons are put in order and cut into parts of equally many; each part shows the median of its scores and
the range that holds nine in ten of them, at its median quality. Equal qualities stay together, and mated and non-mated
comparisons are cut apart.

Holds `rates_panel`, `quality_panel` and `rows_between`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, readable, row_at, say, spoken
from bertillon.counting.curves.error_curve import Band, ErrorCurve
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, Limits, ends_of, known, score_axis
from bertillon.views.figures.compose import band_notes, shade_of
from bertillon.views.figures.distribution import SCORE, axis_over, beyond_note, label_side, no_scores, readable_range
from bertillon.views.figures.errors import POINTS, System

ERROR_RATES = (-0.02, 1.25)  # limits
RATE_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
TOP_ROW = 1.15  # above the highest rate and the names of the curves
PARTS, FEWEST = 20, 20  # parts at most, comparisons in each at least
TAILS = (5.0, 50.0, 95.0)  # percent

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
        side = chart.Side(0.0, 0.0, label_side(axis.share(at), prefer_right=True), "baseline")
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
        notes=(*band_notes(shades), *(missing or beyond_note(system, axis))),
    )


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


def _threshold_rows(curve: ErrorCurve, limits: Limits) -> tuple[FloatArray, NDArray[np.intp]]:
    """Thresholds within the limits and at their ends, and the row of the curve that holds at each."""
    low, high = np.sort(curve.rule.orient(np.array(limits)))
    oriented, rows = rows_between(curve.counts.threshold, low, high)
    return curve.rule.orient(oriented) + 0.0, rows


def rows_between(known: FloatArray, low: float, high: float) -> tuple[FloatArray, NDArray[np.intp]]:
    """The known thresholds between two others, these at the ends, and the row that holds at each."""
    threshold = np.concatenate([[low], known[(known > low) & (known < high)], [high]])
    return threshold, row_at(known, threshold)


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
