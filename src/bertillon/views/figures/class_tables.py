"""Tables of classifiers as pictures: the reliability diagram with its counts, and the confusion matrix.

Conventions: probabilities are counted in bins of equal width, as in ECE; empty bins have no point. Rows of a confusion
matrix are true classes; a cell's rate is its share of the row, NaN where the class never occurs. Up to twenty classes
every cell is shown with its count; more are a map of rates, of very many classes a map of blocks of neighbouring ones,
with the pairs taken for each other most often.

Holds `Reliability` with `reliability_of`, `reliability_panel`, `counts_panel`, `reliability_chart` and
`calibration_chart`; `ConfusionTable` with `confusion_table`, `most_confused`, `confusion_panel` and `confusion_chart`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core import readable, say, spoken
from bertillon.counting import Band, Confusion, reliability
from bertillon.counting.classes.confusion import Label as ClassLabel
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.classification.probability import BINS
from bertillon.stats.interval import LEVEL, proportions
from bertillon.views.figures import chart, compose
from bertillon.views.figures.axis import Axis, FloatArray, rate_axis
from bertillon.views.figures.class_curves import GUESS, MOST_LARGE, large
from bertillon.views.figures.decisions import PAGE, has_probabilities

MOST_CELLS = 20  # classes, each cell with its count
MOST_MAPPED_CLASSES = 200  # classes, each cell with its own place on the map
MOST_CONFUSED = 10  # pairs of classes named beside a map
LONGEST_CLASS, LONGEST_ON_MAP = 14, 10  # characters
MOST_TICKS = 10  # on a map
ROOMY = 10  # classes: cells with room for a digit more
EDGE = 0.93  # of the columns of a map: numbers beyond stand on the left
BESIDE_MAP = 1.03  # of its width
FAR_APART = 20.0  # times: counts on a log axis
COUNTS = 1.0  # inches for the counts under a reliability diagram
HEIGHTS = (3.2, 1.0)
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
CELL = (0.8, 0.36)  # inches of a cell of a confusion matrix: of two classes, and of as many as are shown one by one
AROUND = (1.5, 1.2)  # inches for names beside and under a matrix
SMALLEST_MATRIX = 2.8  # inches
MAP = (7.2, 4.6)  # inches of a map of many classes, with the list beside it

PROMISED, CAME_TRUE = say("figure.promised"), say("figure.came_true")
PROMISED_OF_SEVERAL, CAME_TRUE_OF_SEVERAL = say("figure.promised.several"), say("figure.came_true.several")


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """What came true against what was promised, and how many samples stand behind each bin."""

    curve: compose.Curve
    edges: FloatArray
    counts: FloatArray  # of every bin, or its weight
    ends: chart.ShadedBand | None = None  # intervals of the points; None for weights
    weighted: bool = False


def reliability_of(evaluation: ClassEvaluation, band: Band | None = None) -> Reliability:
    """The reliability diagram of probabilities, in ten bins."""
    labels = (PROMISED, CAME_TRUE) if evaluation.trials.is_binary else (PROMISED_OF_SEVERAL, CAME_TRUE_OF_SEVERAL)
    axes = rate_axis(labels[0], "linear", 0), rate_axis(labels[1], "linear", 0)
    if why := evaluation.tally.why_not_probable:
        return Reliability(
            compose.Curve(evaluation.name, chart.EMPTY, *axes, note=spoken(why)), chart.NOTHING, chart.NOTHING
        )
    bins, weighted = evaluation.tally.bins(BINS), evaluation.trials.weights is not None
    points, filled, ece = reliability(bins), bins.filled, evaluation["ECE"].value
    curve = compose.Curve(
        evaluation.name, chart.Path(points.mean, points.observed), *axes, f"ECE {chart.decimal(ece)}", ece, dots=True
    )
    ends = proportions(bins.positives[filled], bins.count[filled])
    return Reliability(
        compose.banded(curve, band),
        np.append(bins.low, bins.high[-1]),
        bins.count,
        None if weighted else chart.ShadedBand(points.mean, *ends, "", apart=True),
        weighted,
    )


def reliability_panel(diagrams: Sequence[Reliability]) -> chart.Panel:
    """What came true against what was promised; on the diagonal probabilities mean what they say.

    The points of a single diagram have their intervals, where no band shows them.
    """
    curves = [diagram.curve for diagram in diagrams]
    if len(curves) == 1 and diagrams[0].ends is not None and curves[0].band is None:
        fact = spoken(say("figure.bars", fact=curves[0].fact, level=f"{100 * LEVEL:g}"))
        curves = [replace(curves[0], band=diagrams[0].ends, fact=fact)]
    return compose.together(curves, guides=[GUESS], sides=())


def counts_panel(diagrams: Sequence[Reliability]) -> chart.Panel:
    """How many samples stand behind each point of reliability diagrams."""
    curves = [diagram.curve for diagram in diagrams]
    there = [(i, diagram) for i, diagram in enumerate(diagrams) if diagram.counts.size]
    counts = np.concatenate([diagram.counts[diagram.counts > 0] for _, diagram in there] or [np.ones(1)])
    log = bool(counts.max() > FAR_APART * counts.min())
    low, high = (0.5 * counts.min(), 2.0 * counts.max()) if log else (0.0, 1.1 * counts.max())
    what = "weight" if any(diagram.weighted for _, diagram in there) else "samples"
    notes = compose.missing_notes(curves, chart.shown_names([curve.name for curve in curves])) if there else []
    return chart.Panel(
        curves[0].x_axis,
        Axis(spoken(say(f"figure.{what}")), float(low), float(high), "log" if log else "linear", "number"),
        tuple(
            chart.Bars("", diagram.edges, diagram.counts, chart.Pen(i), 0.5 if len(diagrams) == 1 else 0.0, float(low))
            for i, diagram in there
        ),
        notes=(*compose.band_notes(curve.band for curve in curves), *notes),
    )


def reliability_chart(systems: Sequence[compose.Drawn]) -> chart.Chart:
    """All classifiers in one diagram, over their counts."""
    diagrams = [reliability_of(system.evaluation, system.bands.get("reliability")) for system in systems]
    width, height = compose.alone(reliability_panel(diagrams), len(systems)).size
    return chart.Chart(_over_counts(diagrams), (width, height + COUNTS), heights=HEIGHTS)


def calibration_chart(before: ClassEvaluation, after: ClassEvaluation) -> chart.Chart:
    """Reliability before and after calibration, side by side; only one of them where the other has no probabilities."""
    titles = {spoken(say("figure.before")): before, spoken(say("figure.after")): after}
    diagrams = {
        title: reliability_of(evaluation) for title, evaluation in titles.items() if has_probabilities(evaluation)
    }
    panels = [
        panel
        for title, diagram in diagrams.items()
        for panel in _over_counts([replace(diagram, curve=replace(diagram.curve, name=title))])
    ]
    width = PAGE if len(diagrams) > 1 else chart.SIZE[0]
    size = width, chart.SIZE[1] + COUNTS
    return chart.Chart(tuple(panels), size, len(diagrams), chart.shortened(before.name), HEIGHTS)


class ConfusedPair(NamedTuple):
    """How often one class was taken for another."""

    true: str
    predicted: str
    times: float
    rate: float
    row: int  # of the map
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionTable:
    """A confusion matrix: every cell, or for many classes a map of rates with `block` classes to a cell."""

    name: str
    classes: tuple[str, ...]
    counts: NDArray[Any]
    rates: FloatArray
    support: NDArray[Any]  # of each row
    fact: str
    how: str
    block: int = 1
    confused: tuple[ConfusedPair, ...] = ()  # most often first


def confusion_table(evaluation: ClassEvaluation) -> ConfusionTable:
    """The decisions of a classifier against the truth."""
    confusion = evaluation.tally.confusion
    assert confusion is not None
    classes = tuple(str(label) for label in confusion.classes)
    block = -(-len(classes) // MOST_MAPPED_CLASSES)
    counts = _blocks(confusion, block)
    support = counts.sum(axis=1)
    rates = np.full(counts.shape, np.nan)
    np.divide(counts, support[:, None], out=rates, where=support[:, None] > 0)
    return ConfusionTable(
        evaluation.name,
        classes,
        counts,
        rates,
        support,
        spoken(say("figure.accuracy", value=chart.decimal(evaluation["Accuracy"].value))),
        _how(confusion, evaluation.trials.positive),
        block,
        tuple(most_confused(confusion, MOST_CONFUSED, block=block)),
    )


def most_confused(confusion: Confusion, most: int, *, block: int = 1) -> list[ConfusedPair]:
    """The pairs of different classes with the highest counts, of equal counts those with the highest rates."""
    wrong = np.flatnonzero((confusion.row != confusion.column) & (confusion.count > 0))
    row, column, count = confusion.row[wrong], confusion.column[wrong], confusion.count[wrong]
    rate = count / confusion.true_sums[row]
    order = np.lexsort((column, row, -rate, -count))[:most]
    names = confusion.classes
    return [
        ConfusedPair(str(names[r]), str(names[c]), n.item(), float(share), int(r) // block, int(c) // block)
        for r, c, n, share in zip(row[order], column[order], count[order], rate[order], strict=True)
    ]


def confusion_chart(systems: Sequence[compose.Drawn]) -> chart.Chart:
    """A matrix for each classifier that decides."""
    shown, note = compose.those_with(systems, has_decisions, needed="decided")
    tables = [confusion_table(system.evaluation) for system in shown[:MOST_LARGE]]
    sides = [_matrix_size(len(table.classes)) for table in tables]
    size = max(width for width, _ in sides), max(height for _, height in sides)
    return large([confusion_panel(table) for table in tables], size, every=len(shown), note=note)


def has_decisions(system: compose.Drawn) -> bool:
    """Was anything decided?"""
    tally = system.evaluation.tally
    return tally.confusion is not None and tally.weight > 0


def confusion_panel(data: ConfusionTable) -> chart.Panel:
    """How often each true class was called each class."""
    last = len(data.rates) - 0.5
    return chart.Panel(
        Axis(spoken(say("figure.predicted_class")), -0.5, last),
        Axis(spoken(say("figure.true_class")), last, -0.5),
        (_cells(data),) if len(data.classes) <= MOST_CELLS else tuple(_map(data)),
        title=data.name,
        fact=data.fact,
        notes=(spoken(say("figure.decided", how=data.how)),),
        long=True,
    )


def _over_counts(diagrams: Sequence[Reliability]) -> tuple[chart.Panel, chart.Panel]:
    """A reliability diagram over its counts, whose axis is that of both."""
    upper = reliability_panel(diagrams)
    bare = replace(upper.x, label="", ticks=TICKS, tick_labels=("",) * len(TICKS))
    return replace(upper, x=bare, notes=()), counts_panel(diagrams)


def _cells(data: ConfusionTable) -> chart.Cells:
    """Every cell with its count and its share of the row."""
    names = tuple(chart.shortened(name, LONGEST_CLASS) for name in data.classes)
    many = len(names)
    texts = tuple(
        tuple(f"{_amount(n)}\n{_percent(float(rate), many)}" if n else "" for n, rate in zip(*row, strict=True))
        for row in zip(data.counts, data.rates, strict=True)
    )
    rows = tuple(f"{name} ({_amount(n)})" for name, n in zip(names, data.support, strict=True))
    longest = max(len(_amount(data.counts.max())), len("88.8 %"))
    return chart.Cells(data.rates, names, rows, texts, longest)


def _map(data: ConfusionTable) -> list[chart.Mark]:
    """The rates of many classes by colour alone, and the pairs most often confused, numbered and listed."""
    step = -(-len(data.rates) // MOST_TICKS)
    names = tuple(
        "" if index % step else chart.shortened(data.classes[index * data.block], LONGEST_ON_MAP)
        for index in range(len(data.rates))
    )
    marks: list[chart.Mark] = [chart.Cells(data.rates, names, names, scale=spoken(say("figure.share_of_class")))]
    left, right = chart.Side(-4.0, 3.0, "right", "bottom"), chart.Side(4.0, 3.0, "left", "bottom")
    for number, pair in enumerate(data.confused, 1):
        side = left if pair.column > EDGE * (len(data.rates) - 0.5) else right
        marks.append(chart.Spot(pair.column, pair.row, chart.NONMATED, "circle"))
        marks.append(chart.Label(str(number), pair.column, pair.row, (side,), chart.NONMATED, "tiny"))
    return [
        *marks,
        chart.Label(_listing(data), BESIDE_MAP, 1.0, (chart.Side(0.0, 0.0, "left", "top"),), frame="share", rim=False),
    ]


def _listing(data: ConfusionTable) -> str:
    lines = [
        f"{number}  {chart.shortened(pair.true, LONGEST_CLASS)} → {chart.shortened(pair.predicted, LONGEST_CLASS)}: "
        f"{_amount(pair.times)} ({chart.percent_label(pair.rate)})"
        for number, pair in enumerate(data.confused, 1)
    ]
    listing = [spoken(say("figure.confused")), *lines] if lines else [spoken(say("figure.no_confusion"))]
    if data.block > 1:
        listing.append("\n" + spoken(say("figure.block", n=data.block)))
    return "\n".join(listing)


def _matrix_size(classes: int) -> chart.Size:
    """Inches of a confusion matrix: cells get smaller the more there are."""
    if classes > MOST_CELLS:
        return MAP
    cell = CELL[0] + (CELL[1] - CELL[0]) * min((classes - 2) / (MOST_CELLS - 2), 1.0)
    side = max(classes * cell, SMALLEST_MATRIX)
    return side + AROUND[0], side + AROUND[1]


def _how(confusion: Confusion, positive: ClassLabel | None) -> str:
    """How it was decided, in a few words."""
    if confusion.threshold is None:
        return spoken(confusion.how)
    name, threshold = chart.shortened(str(positive), LONGEST_CLASS), readable(confusion.threshold, 4)
    return spoken(say("figure.from_threshold", label=name, threshold=threshold))


def _blocks(confusion: Confusion, block: int) -> NDArray[Any]:
    """The matrix, or the sums of its square blocks."""
    side = -(-len(confusion.classes) // block)
    table = np.zeros((side, side), dtype=confusion.count.dtype)
    np.add.at(table, (confusion.row // block, confusion.column // block), confusion.count)
    return table


def _amount(count: Any) -> str:
    """A count, or a weight to four digits."""
    return spoken(say("number.count", x=int(count))) if isinstance(count, int | np.integer) else f"{count:.4g}"


def _percent(rate: float, classes: int) -> str:
    """A rate in a cell: whole percents in small ones, never rounded to none or all.

    >>> _percent(0.125, 2), _percent(0.125, 20), _percent(0.001, 20), _percent(0.9999, 2)
    ('12.5 %', '12 %', '< 1 %', '> 99.9 %')
    """
    digits = 1 if classes <= ROOMY else 0
    shown, step = f"{100 * rate:.{digits}f}", 10**-digits
    if rate > 0.0 and float(shown) == 0.0:
        return f"< {step:g} %"
    if rate < 1.0 and float(shown) == 100.0:
        return f"> {100 - step:g} %"
    return f"{shown} %"
