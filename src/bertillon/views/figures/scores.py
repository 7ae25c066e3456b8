"""Scores of comparisons: their distributions, both errors by threshold, and scores by quality.

Conventions: scores and thresholds are in the user's units. All finite scores are shown, unless a few of them lie so far
out that the rest would shrink to a line; what is left off is counted and said. Scores are read in place, never copied.
What stems from mated comparisons (mated scores, FNMR) is blue, what stems from non-mated ones (non-mated scores, FMR)
is vermilion. Densities have no ticks: their heights mean nothing by themselves. By quality, comparisons are put in
order and cut into parts of equally many; each part shows the median of its scores and the range that holds nine in ten
of them, at its median quality. Equal qualities stay together, and mated and non-mated comparisons are cut apart.

Holds `ScoreRange`, `shown_range`, `bin_edges`, `bin_counts` and `density_of` (which scores are shown, and how many);
`rates_panel`; `Distribution` with `score_distribution` and `distribution_panel`; `quality_panel`; `threshold_rule`, a
threshold with its label.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, readable, row_at, say, spoken
from bertillon.counting.curves.error_curve import Band, ErrorCurve
from bertillon.counting.error_counts import Scores
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, Limits, ends_of, padded, score_axis
from bertillon.views.figures.compose import band_notes, shade_of
from bertillon.views.figures.errors import POINTS, System, known

IntArray = NDArray[np.int64]

TAIL = 0.0005  # of each class at each end may lie outside the axis ...
FAR_OUT = 10.0  # ... when all scores span this many times the range of the rest
BLOCK = 1 << 20
LARGEST = 1e100  # a longer axis cannot be drawn
SMALLEST_SPAN = 1e-100
LOOKED_AT = 1000  # scores, to see whether they are whole numbers
FEWEST_BINS, MOST_BINS = 10, 60
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


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The range of scores on an axis, ends included."""

    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest."""
        return self.low, self.high

    @property
    def is_point(self) -> bool:
        """Is there nothing between the ends?"""
        span = self.high - self.low
        return span < SMALLEST_SPAN or span < 1e-9 * max(abs(self.low), abs(self.high))

    def widened(self) -> ScoreRange:
        """The range itself, or room around a single value."""
        if not self.is_point:
            return self
        room = 0.5 * max(1.0, abs(self.low))
        return ScoreRange(self.low - room, self.high + room)


def shown_range(scores: Scores, curve: ErrorCurve) -> ScoreRange:
    """The finite scores of both classes, without the very few that lie far out; 0 to 1 when there are none."""
    ends = [end for kind in (scores.mated, scores.nonmated) for end in _finite_ends(kind)]
    if not ends:
        return ScoreRange(0.0, 1.0)
    low, high = (min(max(end, -LARGEST), LARGEST) for end in (min(ends), max(ends)))
    bulk = _bulk(curve, low, high)
    if bulk.is_point or high - low <= FAR_OUT * (bulk.high - bulk.low):
        return ScoreRange(low, high)
    room = (bulk.high - bulk.low) / 2
    return ScoreRange(max(low, bulk.low - room), min(high, bulk.high + room))


def bin_edges(scores: Scores, shown: ScoreRange, bins: int | None) -> FloatArray:
    """Edges of equal bins over the shown range; whole numbers get bins centred on whole numbers."""
    wanted = bins or _usual_bins(scores)
    if _whole(scores.mated) and _whole(scores.nonmated):
        return _whole_edges(math.floor(shown.low), math.ceil(shown.high), wanted)
    shown = shown.widened()
    return np.linspace(shown.low, shown.high, wanted + 1)


def count_infinite(scores: NDArray[Any]) -> int:
    """How many of the scores are infinite."""
    if scores.size == 0 or (math.isfinite(scores.min()) and math.isfinite(scores.max())):
        return 0
    return sum(int(np.count_nonzero(np.isinf(block))) for block in _blocks(scores))


def _finite_ends(scores: NDArray[Any]) -> tuple[float, ...]:
    """Lowest and highest finite score; nothing where there is none."""
    if scores.size == 0:
        return ()
    low, high = float(scores.min()), float(scores.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    finite = (block[np.isfinite(block)] for block in _blocks(scores))
    return tuple(float(end) for block in finite if block.size for end in (block.min(), block.max()))


def _bulk(curve: ErrorCurve, low: float, high: float) -> ScoreRange:
    """Between the outer quantiles of the two classes, read off the curve."""
    counts = curve.counts
    ends: list[float] = []
    for below, trials in (
        (counts.false_nonmatch, counts.n_mated),
        (counts.n_nonmated - counts.false_match, counts.n_nonmated),
    ):
        if trials:
            first = max(int(np.searchsorted(below, TAIL * trials, side="right")) - 1, 0)
            last = min(int(np.searchsorted(below, (1.0 - TAIL) * trials)), len(counts) - 1)
            ends += [curve.rule.restore(counts.threshold[row]) for row in (first, last)]
    inside = [min(max(end, low), high) for end in ends]
    return ScoreRange(min(inside), max(inside))


def _usual_bins(scores: Scores) -> int:
    """Enough bins to show a shape, few enough that the smaller class fills them."""
    sizes = [size for size in (scores.mated.size, scores.nonmated.size) if size]
    wanted = round(3 * math.cbrt(min(sizes, default=1)))
    return min(max(wanted, FEWEST_BINS), MOST_BINS)


def _whole(scores: NDArray[Any]) -> bool:
    some = scores[:LOOKED_AT]
    some = some[np.isfinite(some)]
    return bool(np.all((some == np.rint(some)) & (np.abs(some) < 2**31)))


def _whole_edges(low: int, high: int, bins: int) -> FloatArray:
    width = max(math.ceil((high - low + 1) / bins), 1)
    count = math.ceil((high - low + 1) / width)
    spare = 1 if count == 1 else 0  # room around a single bar
    return low - 0.5 + float(width) * np.arange(-spare, count + 1 + spare, dtype=np.float64)


def _blocks(scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (scores[start : start + BLOCK] for start in range(0, scores.size, BLOCK))


def rates_panel(system: System, *, fmr_band: Band | None = None, fnmr_band: Band | None = None) -> chart.Panel:
    """FMR and FNMR as the threshold moves, and where they meet; their bands are by threshold."""
    counts = system.curve.counts
    axis = score_axis(
        say("figure.threshold", sign=system.scores.rule.sign),
        padded(shown_range(system.scores, system.curve).widened().ends),
    )
    thin = system.curve.thin(POINTS)
    threshold, rows = _threshold_rows(thin, axis.limits)
    missing = [spoken(message) for message in system.missing]
    shades = [None if band is None or missing else shade_of(band, axis, RATES) for band in (fmr_band, fnmr_band)]
    marks: list[chart.Mark] = []
    if counts.n_nonmated:
        marks += _rate("FMR (FAR)", chart.staircase(threshold, thin.fmr[rows]), chart.NONMATED, shades[0])
    if counts.n_mated:
        marks += _rate("FNMR (FRR)", chart.staircase(threshold, thin.fnmr[rows]), chart.MATED, shades[1])
    at, eer = known(system.threshold), known(system.eer)
    if at is not None and eer is not None and axis.shows(at) and not missing:
        text = f" {spoken(say('figure.eer_at', eer=chart.percent_label(eer), threshold=readable(at, 4)))} "
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


def score_distribution(system: System, bins: int | None = None) -> Distribution:
    """Histogram densities of mated and non-mated scores; `bins` are chosen by the sizes of the classes when None."""
    if bins is not None and bins < 1:
        raise InputError(f"{bins} bins; expected 1 or more")
    scores = system.scores
    edges = bin_edges(scores, shown_range(scores, system.curve), bins)
    axis = score_axis(SCORE, padded((float(edges[0]), float(edges[-1]))))
    mated, nonmated = bin_counts(scores.mated, edges), bin_counts(scores.nonmated, edges)
    return Distribution(
        system.name,
        edges,
        density_of(mated, scores.mated.size, edges),
        density_of(nonmated, scores.nonmated.size, edges),
        scores.mated.size,
        scores.nonmated.size,
        axis,
        (mated, nonmated),
        accepts_above=scores.rule.sign == ">=",
        threshold=system.threshold if axis.shows(system.threshold) else None,
        notes=(
            *map(spoken, system.missing),
            *_left_out_notes(scores, int(mated.sum() + nonmated.sum())),
            *_beyond_note(system, axis),
        ),
    )


def distribution_panel(data: Distribution) -> chart.Panel:
    """Densities of mated and non-mated scores, the threshold between them and the accepted side."""
    classes = (
        (data.nonmated, data.n_nonmated, "nonmated", chart.NONMATED),
        (data.mated, data.n_mated, "mated", chart.MATED),
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


def bin_counts(scores: NDArray[Any], edges: FloatArray) -> IntArray:
    """Scores in each bin; numpy reads equal bins block by block and passes over what lies outside."""
    ends = float(edges[0]), float(edges[-1])
    return np.histogram(scores, bins=edges.size - 1, range=ends)[0].astype(np.int64)


def density_of(counts: IntArray, trials: int, edges: FloatArray) -> FloatArray:
    """Its area is the share of the scores that is shown; empty without scores."""
    return counts / (trials * np.diff(edges)) if trials else chart.NOTHING


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
