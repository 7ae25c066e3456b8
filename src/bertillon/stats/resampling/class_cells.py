"""Predictions merged into cells: samples that no measure asked for tells apart are one row with a weight.

    decisions   true and decided class: for measures that read the confusion matrix alone
    scores      true class, decided class and the cell of the score: for two classes of which one is positive
    rows        every sample by itself: for probabilities of several classes

Conventions: samples of different weights are never merged. A merged score is the mean of its cell and class.

Holds `ClassCells` and `cells_for`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.refining import Seek
from bertillon.counting.tally import Need
from bertillon.counting.weighted import cells_of, cuts_of
from bertillon.measures.base import Measure
from bertillon.trials.class_tally import HALF, ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet

FINE = 0.01  # cells are measured one after the other, so there are fewer of them
BINS = np.linspace(0.0, 1.0, 11)  # edges that probabilities are binned at, and the half that decides


@dataclass(frozen=True, eq=False)
class ClassCells:
    """One row a cell, the cell of each sample, and the measures that can be read from them."""

    tally: ClassTally  # of the cells
    cell: NDArray[Any]  # of each sample
    measures: tuple[Measure, ...]

    @property
    def seeks(self) -> list[Seek]:
        """Where on the curve answers lie."""
        return [measure.seek for measure in self.measures]

    @property
    def n(self) -> int:
        """How many cells."""
        return self.tally.predictions.size

    def under(self, counts: NDArray[Any], *, copied: bool) -> ClassTally:
        """The tally when each cell was taken so often; `copied` for measures that know no weights."""
        predictions = self.tally.predictions
        if copied:
            taken = replace(predictions, groups=None).select(np.repeat(np.arange(self.n), counts))
            return ClassTally(taken, self.seeks, whole=True)
        own = counts.astype(np.float64)
        return _Weighted(self.tally, own if predictions.weights is None else own * predictions.weights)


class _Weighted(ClassTally):
    """The same samples under other weights: what each of them says is read once."""

    def __init__(self, plain: ClassTally, weights: FloatArray) -> None:
        super().__init__(replace(plain.predictions, weights=weights))
        self._plain = plain

    @property
    def rows(self) -> Any:
        return self._plain.rows

    @property
    def matrix(self) -> Any:
        return self._plain.matrix


def cells_for(predictions: Predictions, measures: Sequence[Measure]) -> list[ClassCells]:
    """The fewest cells from which each of the measures can be read."""
    tally = ClassTally(predictions)
    decided = [measure for measure in measures if Need.DECISIONS in measure.needs] if _decides(predictions) else []
    parts = [_decisions(tally, decided)] if decided else []
    rest = [measure for measure in measures if measure not in decided]
    if rest and predictions.positive is not None and predictions.positive_scores is not None:
        parts.append(_scores(predictions, rest))
    elif rest:
        parts.append(ClassCells(tally, np.arange(predictions.size), tuple(rest)))
    return parts


def _decides(predictions: Predictions) -> bool:
    return predictions.predicted is not None or predictions.probabilities is not None


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
    _, first, cell = np.unique(together, return_index=True, return_inverse=True)
    return cell, first
