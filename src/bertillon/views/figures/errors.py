"""ROC and DET: both errors of comparisons against each other.

Conventions: curves are staircases, since between two neighbouring thresholds no other pair of rates can be had: at a
wanted FMR the drawn FNMR is that of the nearest threshold at least as strict. Curves are thinned to what can be seen.
The faint lines are: equal errors, guessing (ROC on linear axes only), and the smallest rate the trials could show. The
EER is marked; where it lies off the staircase (tied scores), a dotted chord joins the two thresholds around it.

Holds `System` with `system_of`; `roc_curve` and `det_curve`, `error_curve_on` (any two errors on given axes),
`errors_panel` and `equal_line`; `in_percent`, a label, and `rate_text`, a rate in words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, Text, chained, say, spoken
from bertillon.counting import Band, BinaryCounts, ErrorCurve, crossing, thinned
from bertillon.counting.error_counts import Scores
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures import Result
from bertillon.stats import Interval
from bertillon.trials.score_set import kept_of
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, known, placed, rate_axis
from bertillon.views.figures.compose import FAINT_LINE, Curve, banded, together
from bertillon.views.figures.distribution import no_scores
from bertillon.views.numbers import Estimate, Unit, shown

POINTS = 2000
CHORD_POINTS, EQUAL_POINTS = 50, 500
GOOD, DET_END = 0.4, 0.5  # a curve with both errors below 40 % somewhere is drawn up to 50 %
NEAR_EDGE = 0.78  # of the width

FMR, FNMR, TMR = say("figure.FMR"), say("figure.FNMR"), say("figure.TMR")
DIAGONAL = chart.Path(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
NO_BANDS: Mapping[str, Band] = {}

Kind = Literal["roc", "det"]
Axes = tuple[Axis, Axis]


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """What is drawn of one system: its curve, its scores, its EER with the threshold, and its band, where known."""

    name: str
    curve: ErrorCurve
    scores: Scores
    threshold: float | None = None
    eer: float | None = None
    band: Band | None = None  # of the FNMR by FMR
    eer_text: str = ""  # with the digits that its interval supports, as everywhere


def system_of(evaluation: ScoreEvaluation, bands: Mapping[str, Band] = NO_BANDS) -> System:
    """The curve, the scores that were kept and the EER, which is worked out where nobody asked for it."""
    eer, scores = evaluation["EER"], kept_of(evaluation.trials)
    band, text = bands.get("det"), rate_text(eer, evaluation.intervals.get("EER"))
    return System(evaluation.name, evaluation.tally.curve, scores, eer.threshold, eer.value, band, text)


def rate_text(rate: Result, interval: Interval | None) -> str:
    """A rate with the digits that its interval supports, as tables show it; nothing without an interval."""
    return "" if interval is None else spoken(shown(Estimate(rate, interval), Unit.RATE))


def roc_curve(system: System, scale: Literal["linear", "log"] = "linear") -> Curve:
    """True match rate against false match rate; `scale` is that of the FMR axis."""
    counts = system.curve.counts
    axes = rate_axis(FMR, scale, counts.n_nonmated), rate_axis(TMR, "linear", counts.n_mated)
    curve = error_curve_on(
        axes, counts, "roc", name=system.name, eer=system.eer, eer_text=system.eer_text, note=_note(system)
    )
    return banded(curve, None if system.band is None else system.band.complement)


def det_curve(system: System, scale: Literal["normal", "log"] = "normal") -> Curve:
    """False non-match rate against false match rate, both on normal-deviate or on log axes."""
    counts = system.curve.counts
    upper = DET_END if scale == "normal" and _gets_good(system.curve) else 1.0
    labels = [in_percent(label) if scale == "normal" else label for label in (FMR, FNMR)]
    axes = rate_axis(labels[0], scale, counts.n_nonmated, upper), rate_axis(labels[1], scale, counts.n_mated, upper)
    curve = error_curve_on(
        axes, counts, "det", name=system.name, eer=system.eer, eer_text=system.eer_text, note=_note(system)
    )
    return banded(curve, system.band)


def error_curve_on(
    axes: Axes,
    counts: BinaryCounts,
    kind: Kind,
    *,
    name: str,
    eer: float | None,
    note: str = "",
    eer_name: str = "EER",
    eer_text: str = "",
) -> Curve:
    """The curve of two errors on given axes; empty where a note says why there is none."""
    if note:
        return Curve(name, chart.EMPTY, *axes, note=note)
    thin, eer = thinned(counts, POINTS), known(eer)
    chord, equal = _chord(counts, eer), chart.Path(np.array([eer]), np.array([eer]))
    fact = "" if eer is None else f"{eer_name} {eer_text or chart.percent_label(eer)}"
    return Curve(
        name,
        chart.staircase(*_put(counts, kind, axes, chart.Path(thin.fmr, thin.fnmr))),
        *axes,
        fact,
        eer,
        None if eer is None else chart.Point(*(float(at[0]) for at in _put(counts, kind, axes, equal))),
        fact,
        second=None if chord is None or chord.x.size < 2 else _put(counts, kind, axes, chord),
    )


def errors_panel(curves: Sequence[Curve], kind: Kind) -> chart.Panel:
    """Curves of two errors on the same axes, with the line of equal errors."""
    panel = together(
        curves, sides=(_side(curves[0], kind),) if curves else (), size="normal", named=False, headed=False
    )
    faint: list[chart.Mark] = [chart.Line("", *equal_line(kind, panel.x, panel.y), pen=FAINT_LINE)]
    if kind == "roc" and panel.x.scale == "linear":
        faint.insert(0, chart.Line("", *DIAGONAL, chart.GUIDE))
    return replace(panel, marks=(*faint, *panel.marks))


def equal_line(kind: Kind, x_axis: Axis, y_axis: Axis) -> chart.Path:
    """Where FMR and FNMR are equal."""
    if kind == "det":
        ends = np.array([min(x_axis.low, y_axis.low), max(x_axis.high, y_axis.high)])
        return chart.Path(ends, ends)
    rates = np.linspace(max(x_axis.low, 0.0), 1.0, EQUAL_POINTS)
    return chart.Path(rates, 1.0 - rates)


def in_percent(rate: Text) -> Message:
    """The label of an axis whose ticks are in percent."""
    return say("figure.in_percent", rate=rate)


def _note(system: System) -> str:
    return spoken(chained(no_scores(system.curve.counts)))


def _side(curve: Curve, kind: Kind) -> chart.Side:
    """Which side of the EER point is free: away from the better corner, or in it near the right edge."""
    right = curve.point is not None and curve.x_axis.share(curve.point.x) > NEAR_EDGE
    return chart.SIDES[{"roc": (1, 3), "det": (0, 2)}[kind][right]]


def _put(counts: BinaryCounts, kind: Kind, axes: Axes, rates: chart.Path) -> chart.Path:
    """FMR and FNMR as coordinates of a ROC or DET."""
    upward = rates.y if kind == "det" else 1.0 - rates.y
    return chart.Path(placed(rates.x, counts.n_nonmated, axes[0].scale), placed(upward, counts.n_mated, axes[1].scale))


def _chord(counts: BinaryCounts, eer: float | None) -> chart.Path | None:
    """Rates between the two thresholds around the EER; None where the staircase goes through it anyway."""
    if eer is None or not counts.complete:
        return None
    before, after, share = crossing(counts.false_match, counts.false_nonmatch, counts.n_mated, counts.n_nonmated)
    (fmr, fmr_after), (fnmr, fnmr_after) = (rate[[before, after]] for rate in (counts.fmr, counts.fnmr))
    crossed = fmr + share * (fmr_after - fmr)
    if fmr == fmr_after or fnmr == fnmr_after or not math.isclose(crossed, eer, rel_tol=1e-6):
        return None
    chord = chart.Path(np.linspace(fmr, fmr_after, CHORD_POINTS), np.linspace(fnmr, fnmr_after, CHORD_POINTS))
    seen = _seen(chord.x, counts.n_nonmated) & _seen(chord.y, counts.n_mated)
    return chart.Path(chord.x[seen], chord.y[seen])


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
