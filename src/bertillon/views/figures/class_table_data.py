"""Coordinates of the reliability diagram and the confusion matrix.

Conventions: probabilities are counted in bins of equal width, as in ECE; empty bins have no point. Rows of a confusion
matrix are true classes; a cell's rate is its share of the row, NaN where the class never occurs. Up to twenty classes
every cell is shown with its count; more are a map of rates, of very many classes a map of blocks of neighbouring ones,
with the pairs taken for each other most often.

Holds `ReliabilityData` with `reliability_data`, `ConfusionData` with `confusion_data`, and `most_confused`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.counting.classes.confusion import Confusion, Label
from bertillon.counting.curves.class_curves import reliability
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.classification.probability import BINS
from bertillon.stats.proportion import proportions
from bertillon.views.figures.axis import Axis, rate_axis
from bertillon.views.figures.class_choice import decimal
from bertillon.views.figures.names import shortened
from bertillon.views.figures.shapes import EMPTY, NOTHING, FloatArray, Line, Ribbon

MOST_CELLS = 20  # classes, each cell with its count
MOST_MAPPED_CLASSES = 200  # classes, each cell with its own place on the map
MOST_CONFUSED = 10  # pairs of classes named beside a map
LONGEST_CLASS = 14  # characters

PROMISED, CAME_TRUE = say("figure.promised"), say("figure.came_true")
PROMISED_OF_SEVERAL, CAME_TRUE_OF_SEVERAL = say("figure.promised.several"), say("figure.came_true.several")


@dataclass(frozen=True, slots=True, eq=False)
class ReliabilityData:
    """What came true against what was promised, and how many samples stand behind each bin."""

    name: str
    line: Line
    edges: FloatArray
    counts: FloatArray  # of every bin, or its weight
    ends: tuple[FloatArray, FloatArray] | None  # of the intervals of the points; None for weights
    ece: float
    x_axis: Axis
    y_axis: Axis
    weighted: bool = False
    note: str = ""
    band: Ribbon | None = None

    @property
    def fact(self) -> str:
        return f"ECE {decimal(self.ece)}"


class ConfusedPair(NamedTuple):
    """How often one class was taken for another."""

    true: str
    predicted: str
    times: float
    rate: float
    row: int  # of the map
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionData:
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

    @property
    def detailed(self) -> bool:
        """Are there so few classes that each cell holds its count?"""
        return len(self.classes) <= MOST_CELLS


def reliability_data(evaluation: ClassEvaluation) -> ReliabilityData:
    """The reliability diagram of probabilities, in ten bins."""
    words = (PROMISED, CAME_TRUE) if evaluation.trials.is_binary else (PROMISED_OF_SEVERAL, CAME_TRUE_OF_SEVERAL)
    axes = rate_axis(words[0], "linear", 0), rate_axis(words[1], "linear", 0)
    if why := evaluation.tally.why_not_probable:
        return ReliabilityData(evaluation.name, EMPTY, NOTHING, NOTHING, None, math.nan, *axes, note=spoken(why))
    bins, weighted = evaluation.tally.bins(BINS), evaluation.trials.weights is not None
    found, filled = reliability(bins), bins.filled
    return ReliabilityData(
        evaluation.name,
        Line(found.mean, found.observed),
        np.append(bins.low, bins.high[-1]),
        bins.count,
        None if weighted else proportions(bins.positives[filled], bins.count[filled]),
        evaluation["ECE"].value,
        *axes,
        weighted=weighted,
    )


def confusion_data(evaluation: ClassEvaluation) -> ConfusionData:
    """The decisions of a classifier against the truth."""
    confusion = evaluation.tally.confusion
    assert confusion is not None
    classes = tuple(str(label) for label in confusion.classes)
    block = -(-len(classes) // MOST_MAPPED_CLASSES)
    counts = _blocks(confusion, block)
    support = counts.sum(axis=1)
    rates = np.full(counts.shape, np.nan)
    np.divide(counts, support[:, None], out=rates, where=support[:, None] > 0)
    return ConfusionData(
        evaluation.name,
        classes,
        counts,
        rates,
        support,
        spoken(say("figure.accuracy", value=decimal(evaluation["Accuracy"].value))),
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


def _how(confusion: Confusion, positive: Label | None) -> str:
    """How it was decided, in a few words."""
    if confusion.threshold is None:
        return spoken(confusion.how)
    name, threshold = shortened(str(positive), LONGEST_CLASS), readable(confusion.threshold, 4)
    return spoken(say("figure.from_threshold", label=name, threshold=threshold))


def _blocks(confusion: Confusion, block: int) -> NDArray[Any]:
    """The matrix, or the sums of its square blocks."""
    side = -(-len(confusion.classes) // block)
    table = np.zeros((side, side), dtype=confusion.count.dtype)
    np.add.at(table, (confusion.row // block, confusion.column // block), confusion.count)
    return table
