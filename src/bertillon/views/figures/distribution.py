"""The distribution of scores: which of them are shown, on which axis and in which bins, and how it is drawn.

Conventions: all finite scores are shown, unless a few of them lie so far out that the rest would shrink to a line.
Where one class would still be squeezed into a corner, as ratios are, the axis is bent: scores up to `linear` lie evenly
on it, those beyond by their logarithm (it shows asinh(score / linear)). Bins are of one width on the axis; those of
whole numbers lie between them. Densities have no ticks: their heights mean nothing by themselves. Scores that are left
off the axis are counted and said; where only a sample was kept it is said.

Holds `ScoreRange` with `shown_range`, on an even axis, and `readable_range`; `axis_over`, `bin_edges`, `bin_counts`,
`density_of` and `count_infinite`; `Distribution` with `score_distribution` and `distribution_panel`; `threshold_rule`,
a threshold with its label; `no_scores`, the classes without any.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, readable
from bertillon.core.messages import Message, Text, say, spoken
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.error_counts import BinaryCounts, Scores
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, bent, bent_axis, known, padded, score_axis, unbent

if TYPE_CHECKING:
    from bertillon.views.figures.errors import System

IntArray = NDArray[np.int64]

TAIL = 0.0005  # of each class at each end may lie outside the axis ...
FAR_OUT = 10.0  # ... when all scores span this many times the range of the rest
BLOCK = 1 << 20
LARGEST = 1e100  # a longer axis cannot be drawn
SMALLEST_SPAN = 1e-100
LOOKED_AT = 1000  # scores, to see whether they are whole numbers
FEWEST_BINS, MOST_BINS = 10, 60
MIDDLE = 0.1  # of each class at each end is not its middle,
SQUEEZED = 0.04  # ... which has to span so much of an even axis,
OPEN = 0.1  # ... or so much of a bent one
HEADROOM = 1.3  # above the densities, for the threshold's label
TOP = 0.99  # of the height of the axes, where the label of a threshold begins
BESIDE = 0.35  # of the width, for a text beside a line

SCORE = say("figure.score")


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The range of scores on an axis, ends included; up to `linear` they lie evenly, or all of them where it is 0."""

    low: float
    high: float
    linear: float = 0.0

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

    def share(self, low: float, high: float) -> float:
        """How much of the axis lies between two scores."""
        a, b, c, d = bent(np.array([low, high, self.low, self.high]), self.linear).tolist()
        return float((b - a) / (d - c))


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


def readable_range(scores: Scores, curve: ErrorCurve) -> ScoreRange:
    """The same, on a bent axis where an even one would squeeze the middle of a class and a bent one shows both."""
    even = shown_range(scores, curve)
    middles = [ends for ends in _between(curve, MIDDLE) if ends[0] < ends[1]]
    if even.is_point or not middles:
        return even
    narrow = min(middles, key=lambda ends: even.share(*ends))
    if even.share(*narrow) >= SQUEEZED:
        return even
    whole = [end for kind in (scores.mated, scores.nonmated) for end in _finite_ends(kind)]
    low, high = max(min(whole), -LARGEST), min(max(whole), LARGEST)
    ranges = [ScoreRange(low, high, abs(end)) for end in narrow if SMALLEST_SPAN < abs(end) < LARGEST]
    best = max(ranges, key=lambda one: min(one.share(*ends) for ends in middles), default=even)
    return best if min(best.share(*ends) for ends in middles) >= OPEN else even


def axis_over(label: Text, shown: ScoreRange) -> Axis:
    """The axis of a range, with a little room at both ends."""
    wide = shown.widened()
    if not wide.linear:
        return score_axis(label, padded(wide.ends))
    low, high = padded((float(bent(wide.low, wide.linear)), float(bent(wide.high, wide.linear))))
    ends = float(unbent(low, wide.linear)), float(unbent(high, wide.linear))
    return bent_axis(spoken(label), ends, wide.linear)


def bin_edges(scores: Scores, shown: ScoreRange, bins: int | None) -> FloatArray:
    """Edges of bins that are equal on the axis; whole numbers get bins centred on whole numbers."""
    wanted = bins or _usual_bins(scores)
    if shown.linear:
        low, high = bent(np.array(shown.ends), shown.linear).tolist()
        edges = unbent(np.linspace(low, high, wanted + 1), shown.linear)
        edges[[0, -1]] = shown.ends  # where scores lie; a bent end that is bent back may be off by a rounding
        halves: FloatArray = np.append(np.unique(np.floor(edges[:-1]) - 0.5), edges[-1] + 0.5)
        return halves if _whole(scores.mated) and _whole(scores.nonmated) else edges
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
    """Between the outer quantiles of the two classes."""
    inside = [min(max(end, low), high) for ends in _between(curve, TAIL) for end in ends]
    return ScoreRange(min(inside), max(inside))


def _between(curve: ErrorCurve, tail: float) -> list[tuple[float, float]]:
    """The scores of each class between which all but its tails lie, read off the curve."""
    counts = curve.counts
    ends: list[tuple[float, float]] = []
    for below, trials in (
        (counts.false_nonmatch, counts.n_mated),
        (counts.n_nonmated - counts.false_match, counts.n_nonmated),
    ):
        if trials:
            first = max(int(np.searchsorted(below, tail * trials, side="right")) - 1, 0)
            last = min(int(np.searchsorted(below, (1.0 - tail) * trials)), len(counts) - 1)
            low, high = sorted(float(curve.rule.restore(counts.threshold[row])) for row in (first, last))
            ends.append((low, high))
    return ends


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


def bin_counts(scores: NDArray[Any], edges: FloatArray) -> IntArray:
    """Scores in each bin; numpy reads equal bins block by block and passes over what lies outside."""
    widths = np.diff(edges)
    if np.ptp(widths) > 1e-6 * widths.max():
        return np.histogram(scores, bins=edges)[0].astype(np.int64)
    ends = float(edges[0]), float(edges[-1])
    return np.histogram(scores, bins=edges.size - 1, range=ends)[0].astype(np.int64)


def density_of(counts: IntArray, trials: int, edges: FloatArray, linear: float = 0.0) -> FloatArray:
    """Its area, on the axis as it is drawn, is the share of the scores that is shown; empty without scores."""
    return counts / (trials * np.diff(bent(edges, linear))) if trials else chart.NOTHING


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
            *beyond_note(system, axis),
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
    side = chart.Side(0.0, 0.0, label_side(axis.share(at), prefer_right=accepts_above, room=room), "top")
    label = chart.Label(f"{arrow}\n {value} ", at, TOP, (side,), frame="y share", rim=False)
    return [chart.Rule("x", at, chart.Pen("ink", "--", 1.2)), label]


def label_side(across: float, *, prefer_right: bool, room: float = BESIDE) -> str:
    """Where a text beside an upright line goes: the side preferred, if there is room for it."""
    right = across < 1.0 - room if prefer_right else across < room
    return "left" if right else "right"  # a text to the right of a line is aligned by its left end


def _sample_notes(scores: Scores, data: tuple[int, int]) -> list[str]:
    """Of how many scores a class is drawn, where not all were kept."""
    kept = {"mated": scores.mated.size, "nonmated": scores.nonmated.size}
    sampled = [(kind, n) for (kind, n), whole in zip(kept.items(), data, strict=True) if 0 < n < whole]
    return [spoken(say("figure.sampled", kind=say(f"figure.{kind}"), n=n)) for kind, n in sampled]


def _left_out_notes(scores: Scores, shown: int) -> list[str]:
    infinite = count_infinite(scores.mated) + count_infinite(scores.nonmated)
    notes = {"infinite": infinite, "far_off": scores.size - infinite - shown}
    return [spoken(say(f"figure.not_shown.{kind}", n=n)) for kind, n in notes.items() if n]


def beyond_note(system: System, axis: Axis) -> list[str]:
    threshold = known(system.threshold)
    if threshold is None or axis.shows(threshold):
        return []
    return [spoken(say("figure.eer_off_axis", threshold=readable(threshold, 4)))]


def no_scores(counts: BinaryCounts) -> list[Message]:
    """Which classes of scores there are none of."""
    sizes = {"mated": counts.n_mated, "nonmated": counts.n_nonmated}
    return [say(f"figure.no_scores.{kind}") for kind, size in sizes.items() if not size]
