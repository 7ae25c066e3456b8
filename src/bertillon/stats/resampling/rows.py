"""Resamples of trials of any kind: whole units taken again and again, and what is left counted as if it were all.

Conventions: a unit is all trials of one id where trials have `units`, else each trial by itself, as if independent. Two
systems over the same units get the same weights.

Holds `RowResampler`, which needs nothing but `select` and `count` of the trials, and on which those of searches and of
predictions are built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.id_codes import codes_of
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure
from bertillon.stats.resampling.resampled import JackknifeValues
from bertillon.stats.resampling.weights import Draw, weights_of


class RowResampler:
    """Trials with the unit of each of them."""

    two_way = threaded = False

    def __init__(self, trials: Any, scheme: str = "multinomial") -> None:
        if scheme == "two-stage":
            raise InputError("two-stage resampling is known for 1:1 comparisons only; choose another method")
        self.trials = trials
        ids, self.unit = self.named_units()
        self.naive = ids is None
        self.clustered = not self.naive
        self.n_units = trials.n_trials if ids is None else int(ids.max(initial=-1)) + 1
        self.units: IntArray = np.arange(trials.n_trials) if ids is None else ids

    def named_units(self) -> tuple[NDArray[Any] | None, Message]:
        """The number of each trial's unit, in ascending order of their ids; None where each is one by itself."""
        if not hasattr(self.trials, "select"):
            raise InputError(f"trials of kind {self.trials.kind} cannot be resampled; expected trials with `select`")
        ids = getattr(self.trials, "units", None)
        if ids is None:
            return None, say("unit.trials_independent")
        numbered = codes_of([np.asarray(ids)])
        if numbered is None:
            raise InputError(f"{self.trials.name or 'trials'}: some units have no id; expected one of every trial")
        return numbered.codes[0], say("unit.trials_by", unit=getattr(self.trials, "unit", "unit"))

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        """The data as they are."""
        return self.read(measures, np.ones(self.units.size, dtype=np.int64))

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        """One resample after the other."""
        weights = weights_of(self.n_units, draw)
        rows = [self.read(measures, own.astype(np.int64)[self.units]) for own in weights]
        return np.array(rows).reshape(len(draw.resamples), len(measures), 2)

    def rows_left_out(self, measures: Sequence[Measure]) -> list[JackknifeValues] | None:
        """Units are left out as in a resample."""
        return None

    def read(self, measures: Sequence[Measure], weights: IntArray) -> FloatArray:
        """Value and threshold of each measure where every trial was taken so often."""
        tally, rule = self.tally(measures, weights), self.trials.rule
        seen = np.full((len(measures), 2), np.nan)
        for column, measure in enumerate(measures):
            result = measure.of(tally)
            seen[column] = result.value, np.nan if result.threshold is None else rule.restore(result.threshold)
        return seen

    def tally(self, measures: Sequence[Measure], weights: IntArray) -> Any:
        """The trials counted where each was taken so often."""
        taken = self.trials.select(np.repeat(np.arange(weights.size), weights))
        return taken.count(Needs.of(measures))
