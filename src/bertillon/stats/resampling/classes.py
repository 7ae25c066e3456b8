"""Resamples of predictions: sample by sample, or by the groups they belong to.

Conventions: a sample counts as often as it, or its group, was taken, times its own weight. Two classifiers over the
same samples get the same weights. Where nothing is set beside them (`alone`) cells are drawn instead of samples, which
is the same in law and takes no time for each sample.

Holds `ClassResampler` and `known_groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.id_codes import codes_of
from bertillon.counting.tally import Need
from bertillon.measures.base import Measure
from bertillon.stats.resampling.class_cells import ClassCells, cells_for
from bertillon.stats.resampling.rows import RowResampler
from bertillon.stats.resampling.weights import Draw, Purpose, weights_of
from bertillon.stats.settings import Settings
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

Count = Callable[[ClassCells], IntArray]

ROWS = say("unit.samples_independent")
GROUPS = say("unit.groups")


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
        return (_numbered_groups(self.trials), GROUPS) if self._by_group else (None, ROWS)

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        return self._read(measures, lambda part: np.bincount(part.cell, minlength=part.n))

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        rows = [self._read(measures, self._draw(draw.single(resample))) for resample in draw.resamples]
        return np.array(rows).reshape(len(draw.resamples), len(measures), 2)

    def _draw(self, draw: Draw) -> Count:
        """How often each cell is taken in a draw of one resample."""
        if self._alone and draw.scheme == "multinomial":
            return lambda part: _drawn(part, next(draw.streams(Purpose.CELLS)))
        weights = weights_of(self.n_units, draw)[0][self.units]
        return lambda part: np.bincount(part.cell, weights, minlength=part.n).astype(np.int64)

    def _read(self, measures: Sequence[Measure], count: Count) -> FloatArray:
        """Value and threshold of some of the measures that the cells were made for."""
        seen = np.full((len(measures), 2), np.nan)
        for part in self._parts:
            asked = [(column, measure) for column, measure in enumerate(measures) if measure in part.measures]
            counts = count(part) if asked else np.empty(0)
            tallies: dict[bool, ClassTally] = {}
            for column, measure in asked:
                copied = Need.EQUAL_SAMPLES in measure.needs
                if copied not in tallies:
                    tallies[copied] = part.under(counts, copied=copied)
                result = measure.of(tallies[copied])
                seen[column] = result.value, np.nan if result.threshold is None else result.threshold
        return seen


def _drawn(part: ClassCells, rng: np.random.Generator) -> IntArray:
    totals = np.bincount(part.cell, minlength=part.n)
    return np.asarray(rng.multinomial(part.cell.size, totals / part.cell.size))


def known_groups(predictions: Predictions) -> NDArray[Any]:
    """The group of every sample, as it was named."""
    if predictions.groups is None:
        raise InputError("intervals by group need to know the group of every sample; give groups=")
    return np.asarray(predictions.groups)


def _numbered_groups(predictions: Predictions) -> NDArray[Any]:
    numbered = codes_of([known_groups(predictions)])
    if numbered is None:
        raise InputError("intervals by group need the group of every sample, and some are missing")
    return np.asarray(numbered.codes[0])
