"""Coordinates, ticks and labels of every figure; drawing only puts them on paper.

Conventions: curves are staircases, since between two neighbouring thresholds no other pair of rates can be had: at a
wanted FMR the drawn FNMR is that of the nearest threshold at least as strict. Curves are thinned to what can be seen.
Thresholds and scores stay in the user's units. Inputs are never modified.

Holds `System`, and for each figure a function and what it returns: `roc_data` and `det_data` (`CurveData`),
`rates_data` (`RatesData`), `distribution_data` (`DistributionData`). `curve_data` makes a curve of any two errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, chained, say, spoken
from bertillon.core.rule import readable, row_at
from bertillon.counting.curves.error_curve import Band, ErrorCurve, crossing, thinned
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.scores import Scores
from bertillon.views.figures.axis import Axis, Limits, padded, placed, rate_axis
from bertillon.views.figures.bands import banded, ribbon
from bertillon.views.figures.ranges import bin_edges, count_infinite, shown_range
from bertillon.views.figures.shapes import EMPTY, NOTHING, FloatArray, Line, Point, Ribbon, staircase

IntArray = NDArray[np.int64]

POINTS = 2000
CHORD_POINTS = 50
GOOD, DET_END = 0.4, 0.5  # a curve with both errors below 40 % somewhere is drawn up to 50 %

FMR, FNMR, TMR = say("figure.FMR"), say("figure.FNMR"), say("figure.TMR")
SCORE = say("figure.score")
RATES = Axis("", "linear", (0.0, 1.0))  # where bands of rates lie

Kind = Literal["roc", "det"]


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """What is drawn of one system: its curve, its scores, its EER with the threshold, and its band, where known."""

    name: str
    curve: ErrorCurve
    scores: Scores
    threshold: float | None = None
    eer: float | None = None
    band: Band | None = None  # of the FNMR by FMR


@dataclass(frozen=True, slots=True, eq=False)
class CurveData:
    """A ROC or DET curve. Without a class of scores the line is empty and the note says why.

    `chord` joins the two thresholds around the EER where the interpolated EER lies off the staircase (tied scores).
    """

    name: str
    kind: Kind
    line: Line
    x_axis: Axis
    y_axis: Axis
    eer: float | None = None
    eer_point: Point | None = None
    chord: Line | None = None
    note: str = ""
    eer_name: str = "EER"
    band: Ribbon | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RatesData:
    """FMR and FNMR by threshold; the line of a class without scores is empty."""

    name: str
    fmr: Line
    fnmr: Line
    axis: Axis
    eer_point: Point | None = None
    notes: tuple[str, ...] = ()
    fmr_band: Ribbon | None = None
    fnmr_band: Ribbon | None = None


@dataclass(frozen=True, slots=True, eq=False)
class DistributionData:
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


def roc_data(system: System, scale: Literal["linear", "log"] = "linear") -> CurveData:
    """True match rate against false match rate; `scale` is that of the FMR axis."""
    counts = system.curve.counts
    axes = rate_axis(FMR, scale, counts.n_nonmated), rate_axis(TMR, "linear", counts.n_mated)
    curve = curve_data(system.name, counts, axes, "roc", eer=system.eer, note=spoken(chained(_empty_notes(system))))
    return banded(curve, None if system.band is None else system.band.complement)


def det_data(system: System, scale: Literal["normal", "log"] = "normal") -> CurveData:
    """False non-match rate against false match rate, both on normal-deviate or on log axes."""
    counts = system.curve.counts
    upper = DET_END if scale == "normal" and _gets_good(system.curve) else 1.0
    axes = (
        rate_axis(in_percent(FMR) if scale == "normal" else FMR, scale, counts.n_nonmated, upper),
        rate_axis(in_percent(FNMR) if scale == "normal" else FNMR, scale, counts.n_mated, upper),
    )
    curve = curve_data(system.name, counts, axes, "det", eer=system.eer, note=spoken(chained(_empty_notes(system))))
    return banded(curve, system.band)


def in_percent(rate: Text) -> Message:
    """The label of an axis whose ticks are in percent."""
    return say("figure.in_percent", rate=rate)


def rates_data(system: System, *, fmr_band: Band | None = None, fnmr_band: Band | None = None) -> RatesData:
    """FMR and FNMR as the threshold moves; their bands are by threshold."""
    counts = system.curve.counts
    limits = padded(shown_range(system.scores, system.curve).widened().ends)
    thin = system.curve.thin(POINTS)
    threshold, rows = _threshold_rows(thin, limits)
    notes = tuple(map(spoken, _empty_notes(system)))
    axis = Axis(spoken(say("figure.threshold", sign=system.scores.rule.sign)), "linear", limits)
    shades = [None if band is None or notes else ribbon(band, axis, RATES) for band in (fmr_band, fnmr_band)]
    return RatesData(
        system.name,
        staircase(threshold, thin.fmr[rows]) if counts.n_nonmated else EMPTY,
        staircase(threshold, thin.fnmr[rows]) if counts.n_mated else EMPTY,
        axis,
        None if notes else _threshold_point(system, limits),
        notes or _beyond_note(system, limits),
        *shades,
    )


def distribution_data(system: System, bins: int | None = None) -> DistributionData:
    """Histogram densities of mated and non-mated scores; `bins` are chosen by the sizes of the classes when None."""
    if bins is not None and bins < 1:
        raise InputError(f"{bins} bins; expected 1 or more")
    scores = system.scores
    edges = bin_edges(scores, shown_range(scores, system.curve), bins)
    limits = padded((float(edges[0]), float(edges[-1])))
    shown = _within(system.threshold, limits)
    mated, nonmated = _counted(scores.mated, edges), _counted(scores.nonmated, edges)
    return DistributionData(
        system.name,
        edges,
        _density(mated, scores.mated.size, edges),
        _density(nonmated, scores.nonmated.size, edges),
        scores.mated.size,
        scores.nonmated.size,
        Axis(spoken(SCORE), "linear", limits),
        (mated, nonmated),
        accepts_above=scores.rule.sign == ">=",
        threshold=system.threshold if shown else None,
        notes=(
            *map(spoken, _empty_notes(system)),
            *_left_out_notes(scores, int(mated.sum() + nonmated.sum())),
            *_beyond_note(system, limits),
        ),
    )


def equal_line(kind: Kind, x_axis: Axis, y_axis: Axis) -> Line:
    """Where FMR and FNMR are equal."""
    if kind == "det":
        ends = np.array([min(x_axis.limits[0], y_axis.limits[0]), max(x_axis.limits[1], y_axis.limits[1])])
        return Line(ends, ends)
    rates = np.linspace(max(x_axis.limits[0], 0.0), 1.0, 500)
    return Line(rates, 1.0 - rates)


def curve_data(
    name: str, counts: BinaryCounts, axes: tuple[Axis, Axis], kind: Kind = "roc", *, eer: float | None, note: str = ""
) -> CurveData:
    """The curve of two errors on given axes; empty where a note says why there is none."""
    if note:
        return CurveData(name, kind, EMPTY, *axes, note=note)
    thin, eer = thinned(counts, POINTS), _known(eer)
    spot, chord = None, _chord(counts, eer)
    if eer is not None:
        at = _put(counts, kind, axes, Line(np.array([eer]), np.array([eer])))
        spot = Point(float(at.x[0]), float(at.y[0]))
    return CurveData(
        name,
        kind,
        staircase(*_put(counts, kind, axes, Line(thin.fmr, thin.fnmr))),
        *axes,
        eer,
        spot,
        None if chord is None or chord.x.size < 2 else _put(counts, kind, axes, chord),
    )


def _put(counts: BinaryCounts, kind: Kind, axes: tuple[Axis, Axis], rates: Line) -> Line:
    """FMR and FNMR as coordinates of a ROC or DET."""
    upward = rates.y if kind == "det" else 1.0 - rates.y
    return Line(placed(rates.x, counts.n_nonmated, axes[0].scale), placed(upward, counts.n_mated, axes[1].scale))


def _chord(counts: BinaryCounts, eer: float | None) -> Line | None:
    """Rates between the two thresholds around the EER; None where the staircase goes through it anyway."""
    if eer is None or not counts.complete:
        return None
    before, after, share = crossing(counts.false_match, counts.false_nonmatch, counts.n_mated, counts.n_nonmated)
    (fmr, fmr_after), (fnmr, fnmr_after) = (rate[[before, after]] for rate in (counts.fmr, counts.fnmr))
    crossed = fmr + share * (fmr_after - fmr)
    if fmr == fmr_after or fnmr == fnmr_after or not math.isclose(crossed, eer, rel_tol=1e-6):
        return None
    chord = Line(np.linspace(fmr, fmr_after, CHORD_POINTS), np.linspace(fnmr, fnmr_after, CHORD_POINTS))
    seen = _seen(chord.x, counts.n_nonmated) & _seen(chord.y, counts.n_mated)
    return Line(chord.x[seen], chord.y[seen])


def _seen(rates: FloatArray, trials: int) -> NDArray[np.bool_]:
    """Which rates every axis shows where they are."""
    return (rates >= 0.5 / trials) & (rates <= 1.0 - 0.5 / trials)


def _gets_good(curve: ErrorCurve) -> bool:
    """Is there a threshold with both errors low?"""
    counts = curve.counts
    if not (counts.n_mated and counts.n_nonmated):
        return True
    worse = np.maximum(placed(curve.fmr, counts.n_nonmated, "log"), placed(curve.fnmr, counts.n_mated, "log"))
    return bool(worse.min() <= GOOD)


def _threshold_rows(curve: ErrorCurve, limits: Limits) -> tuple[FloatArray, NDArray[np.intp]]:
    """Thresholds within the limits and at their ends, and the row of the curve that holds at each."""
    low, high = np.sort(curve.rule.orient(np.array(limits)))
    known = curve.counts.threshold
    oriented = np.concatenate([[low], known[(known > low) & (known < high)], [high]])
    rows = row_at(known, oriented)
    return curve.rule.orient(oriented) + 0.0, rows


def _threshold_point(system: System, limits: Limits) -> Point | None:
    threshold, eer = _known(system.threshold), _known(system.eer)
    if threshold is None or eer is None or not _within(threshold, limits):
        return None
    return Point(threshold, eer)


def _counted(scores: NDArray[Any], edges: FloatArray) -> IntArray:
    """Scores in each bin; numpy reads equal bins block by block and passes over what lies outside."""
    ends = float(edges[0]), float(edges[-1])
    return np.histogram(scores, bins=edges.size - 1, range=ends)[0].astype(np.int64)


def _density(counted: IntArray, trials: int, edges: FloatArray) -> FloatArray:
    return counted / (trials * np.diff(edges)) if trials else NOTHING


def _empty_notes(system: System) -> list[Message]:
    counts = system.curve.counts
    sizes = {"mated": counts.n_mated, "nonmated": counts.n_nonmated}
    return [say(f"figure.no_scores.{kind}") for kind, size in sizes.items() if not size]


def _left_out_notes(scores: Scores, shown: int) -> tuple[str, ...]:
    infinite = count_infinite(scores.mated) + count_infinite(scores.nonmated)
    beyond = scores.size - infinite - shown
    notes = {"infinite": infinite, "far_off": beyond}
    return tuple(spoken(say(f"figure.not_shown.{kind}", n=n)) for kind, n in notes.items() if n)


def _beyond_note(system: System, limits: Limits) -> tuple[str, ...]:
    threshold = _known(system.threshold)
    if threshold is None or _within(threshold, limits):
        return ()
    return (spoken(say("figure.eer_off_axis", threshold=readable(threshold, 4))),)


def _within(value: float | None, limits: Limits) -> bool:
    return value is not None and limits[0] <= value <= limits[1]


def _known(value: float | None) -> float | None:
    """The value; None where it is not a number."""
    return None if value is None or math.isnan(value) else value
