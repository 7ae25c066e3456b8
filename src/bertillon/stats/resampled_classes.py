"""Resamples of predictions: sample by sample or by group, those that no measure tells apart merged into cells.

    decisions   true and decided class: for measures that read the confusion matrix alone
    scores      true class, decided class and the cell of the score: for two classes of which one is positive
    rows        every sample by itself: for probabilities of several classes

Conventions: samples of different weights are never merged. A merged score is the mean of its cell and class. A sample
counts as often as it, or its group, was taken, times its own weight. Two classifiers over the same samples get the same
weights. Where nothing is set beside them (`alone`) cells are drawn instead of samples, which is the same in law and
takes no time for each sample.

Holds `ClassCells` and `cells_for`; `ClassResampler` and `known_groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.keys import codes_of
from bertillon.counting.tally import Need
from bertillon.counting.weighted import cells_of, cuts_of
from bertillon.measures.base import Measure
from bertillon.stats.interval import Settings
from bertillon.stats.resampling import Draw, Purpose, RowResampler, weights_of
from bertillon.trials.class_tally import HALF, ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet

FINE = 0.01  # cells are measured one after the other, so there are fewer of them
BINS = np.linspace(0.0, 1.0, 11)  # edges that probabilities are binned at, and the half that decides
ROWS = say("unit.samples_independent")
GROUPS = say("unit.groups")


@dataclass(frozen=True, eq=False)
class ClassCells:
    """One row a cell, the cell of each sample, and the measures that can be read from them."""

    tally: ClassTally  # of the cells
    cell: NDArray[Any]  # of each sample
    measures: tuple[Measure, ...]

    @property
    def n(self) -> int:
        """How many cells."""
        return self.tally.predictions.size

    @cached_property
    def totals(self) -> IntArray:
        """How many samples each holds."""
        return np.bincount(self.cell, minlength=self.n)

    def under(self, counts: NDArray[Any], *, copied: bool) -> ClassTally:
        """The tally when each cell was taken so often; `copied` for measures that know no weights."""
        predictions = self.tally.predictions
        if copied:
            taken = replace(predictions, groups=None).select(np.repeat(np.arange(self.n), counts))
            return ClassTally(taken, [measure.seek for measure in self.measures], whole=True)
        taken_by = counts.astype(np.float64)
        weights = taken_by if predictions.weights is None else taken_by * predictions.weights
        return ClassTally(replace(predictions, weights=weights), read=self.tally)


def cells_for(predictions: Predictions, measures: Sequence[Measure]) -> list[ClassCells]:
    """The fewest cells from which each of the measures can be read."""
    tally = ClassTally(predictions)
    decides = predictions.predicted is not None or predictions.probabilities is not None
    decided = [measure for measure in measures if decides and Need.DECISIONS in measure.needs]
    parts = [_decisions(tally, decided)] if decided else []
    rest = [measure for measure in measures if measure not in decided]
    if rest and predictions.positive is not None and predictions.positive_scores is not None:
        parts.append(_scores(predictions, rest))
    elif rest:
        parts.append(ClassCells(tally, np.arange(predictions.size), tuple(rest)))
    return parts


def _decisions(tally: ClassTally, measures: Sequence[Measure]) -> ClassCells:
    predictions = tally.predictions
    decided = predictions.predicted
    if decided is None and predictions.positive is not None:
        other = 1 - predictions.positive_code
        accepted = AcceptRule.SIMILARITY.accepts(predictions.probability_of(predictions.positive_code), HALF)
        decided = np.where(accepted, predictions.positive_code, other)
    elif decided is None:
        decided = tally.rows.best
    cell, first = _merged([predictions.truth, decided], predictions.weights)
    small = Predictions(
        predictions.truth[first],
        predictions.classes,
        predictions.positive,
        predicted=np.asarray(decided)[first],
        weights=None if predictions.weights is None else predictions.weights[first],
    )
    return ClassCells(ClassTally(small), cell, tuple(measures))


def _scores(predictions: Predictions, measures: Sequence[Measure]) -> ClassCells:
    scores = predictions.positive_scores
    assert scores is not None
    own = predictions.truth == predictions.positive_code
    given = [threshold for measure in measures for threshold in measure.thresholds]
    edges = [*given, *(BINS if predictions.probabilities is not None else ())]
    cuts = cuts_of(ScoreSet(scores[own], scores[~own]), edges, fine=FINE)
    columns = [predictions.truth, cells_of(scores, AcceptRule.SIMILARITY, cuts)]
    columns += [] if predictions.predicted is None else [predictions.predicted]
    cell, first = _merged(columns, predictions.weights)
    held = np.bincount(cell)
    mean = scores[first] + np.bincount(cell, scores - scores[first][cell]) / held
    small = replace(
        predictions.select(first),
        scores=None if predictions.scores is None else mean,
        probabilities=None if predictions.probabilities is None else np.clip(mean, 0.0, 1.0),
        logits=None,
        groups=None,
    )
    return ClassCells(ClassTally(small), cell, tuple(measures))


def _merged(columns: Sequence[NDArray[Any]], weights: FloatArray | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """The cell of each row, and one row of each cell."""
    keys = list(columns) if weights is None else [*columns, np.unique(weights, return_inverse=True)[1]]
    together = np.zeros(columns[0].size, dtype=np.int64)
    for column in keys:
        together = together * (int(column.max(initial=0)) + 1) + column
        together = np.unique(together, return_inverse=True)[1]  # small again, so that no product overflows
    return together, np.unique(together, return_index=True)[1]


Count = Callable[[ClassCells], IntArray]


class ClassResampler(RowResampler):
    """Predictions merged into cells, each sample with its unit."""

    def __init__(
        self, predictions: Predictions, measures: Sequence[Measure], settings: Settings, *, alone: bool = False
    ) -> None:
        self._by_group = settings.by_group
        super().__init__(predictions, settings.scheme)
        self._alone = alone and self.naive
        self._parts = cells_for(predictions, measures)

    def named_units(self) -> tuple[NDArray[Any] | None, Message]:
        """The groups, where these are asked for."""
        if not self._by_group:
            return None, ROWS
        numbered = codes_of([known_groups(self.trials)])
        if numbered is None:
            raise InputError("intervals by group need the group of every sample, and some are missing")
        return numbered.codes[0], GROUPS

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        return self._read(measures, lambda part: part.totals)

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        rows = [self._read(measures, self._draw(draw.single(resample))) for resample in draw.resamples]
        return np.array(rows).reshape(len(draw.resamples), len(measures), 2)

    def _draw(self, draw: Draw) -> Count:
        """How often each cell is taken in a draw of one resample."""
        if self._alone and draw.scheme == "multinomial":
            return lambda part: next(draw.streams(Purpose.CELLS)).multinomial(
                part.cell.size, part.totals / part.cell.size
            )
        weights = weights_of(self.n_units, draw)[0][self.units]
        return lambda part: np.bincount(part.cell, weights, minlength=part.n).astype(np.int64)

    def _read(self, measures: Sequence[Measure], count: Count) -> FloatArray:
        """Value and threshold of some of the measures that the cells were made for."""
        seen = np.full((len(measures), 2), np.nan)
        if self.along is not None:
            [part] = self._parts
            seen[:, 0] = self.along(part.under(count(part), copied=False))
            return seen
        for part in self._parts:
            asked = [(column, measure) for column, measure in enumerate(measures) if measure in part.measures]
            if not asked:
                continue
            counts = count(part)
            tallies: dict[bool, ClassTally] = {}
            for column, measure in asked:
                copied = Need.EQUAL_SAMPLES in measure.needs
                if copied not in tallies:
                    tallies[copied] = part.under(counts, copied=copied)
                result = measure.of(tallies[copied])
                seen[column] = result.value, np.nan if result.threshold is None else result.threshold
        return seen


def known_groups(predictions: Predictions) -> NDArray[Any]:
    """The group of every sample, as it was named."""
    if predictions.groups is None:
        raise InputError("intervals by group need to know the group of every sample; give groups=")
    return np.asarray(predictions.groups)
