"""Measures read again and again from resampled counts.

Conventions: a resample is a set of weights of units (see `weights` and `units`), counted in the cells between cuts (see
`counting.weighted`), never a copy of scores. Every measure is read by its own `of`, from a tally of weighted
counts. Row b of the values belongs to resample b whatever the number of threads; the same seed over the same units
gives the same resamples, so values of two systems can be set against each other row by row.

Non-mated comparisons are shared by two people. Weights that are products of two let the chance of single pairs count
three times (Owen 2007): with S what people cause and P what pairs do, the variance of the values is S + 3 P where it
should be S + P. `pair_values` show P alone.

Holds `resampled_on` and its `Resampled`; `left_out` and its `JackknifeValues`; and `Resampler`, what each kind of
trials must be able to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message
from bertillon.counting.slices import on_threads
from bertillon.measures.base import Measure
from bertillon.stats.limits import LIMITS
from bertillon.stats.resampling.weights import LEAVE_ONE_OUT, SIGNS, Draw, groups_left_out
from bertillon.stats.settings import Settings

FloatArray = NDArray[np.float64]

WEIGHTS = 1 << 25  # of the units of resamples that are counted together
PAIR_RESAMPLES = 400  # enough to know a variance to 7 %


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Values of measures over resamples, one column a measure.

    `pair_values` are values over resamples in which only what two units have to themselves varies, not the units: how
    much of the spread of `values` is the chance of single pairs. None where no comparison is shared by two units.
    """

    values: FloatArray  # (resamples, measures); NaN where a resample leaves a measure undefined
    thresholds: FloatArray  # the same, in the user's units; NaN for a measure without one
    estimate: FloatArray  # (measures,) of the data as they are, read from the same counts
    unit: Message
    n_units: int
    naive: bool = False
    pair_values: FloatArray | None = None
    pair_thresholds: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JackknifeValues:
    """Values of measures with one unit of a sample left out, and how many units give the same."""

    values: FloatArray  # (units, measures)
    times: FloatArray


class Resampler(Protocol):
    """Trials counted once, so that measures can be read under any weights: (resamples, measures, 2).

    The last axis holds the value and the threshold in the user's units.
    """

    @property
    def n_units(self) -> int: ...
    @property
    def unit(self) -> Message: ...
    @property
    def naive(self) -> bool: ...
    @property
    def clustered(self) -> bool:
        """Are units known that hold several trials each?"""

    @property
    def threaded(self) -> bool:
        """Is most of the work done by compiled loops, so that threads help?"""

    @property
    def two_way(self) -> bool:
        """Are trials shared by two units?"""

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        """The data as they are: (measures, 2)."""

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        """The resamples of a draw; of the scheme "signs", where trials are shared by two units, pairs vary alone."""

    def rows_left_out(self, measures: Sequence[Measure]) -> list[JackknifeValues] | None:
        """One row left out at a time, kind by kind; None where units can be left out as in a resample."""


def resampled_on(resampler: Resampler, measures: Sequence[Measure], settings: Settings) -> Resampled:
    """The measures over resamples of trials that are counted already."""
    seen = _read(resampler, measures, Draw(range(settings.resamples), settings.seed, settings.scheme))
    pairs = None
    if resampler.two_way:
        few = min(settings.resamples, PAIR_RESAMPLES)
        pairs = _read(resampler, measures, Draw(range(few), settings.seed, SIGNS))
    return Resampled(
        values=seen[:, :, 0],
        thresholds=seen[:, :, 1],
        estimate=resampler.read_once(measures)[:, 0],
        unit=resampler.unit,
        n_units=resampler.n_units,
        naive=resampler.naive,
        pair_values=None if pairs is None else pairs[:, :, 0],
        pair_thresholds=None if pairs is None else pairs[:, :, 1],
    )


def left_out(resampler: Resampler, measures: Sequence[Measure]) -> list[JackknifeValues]:
    """Values with one unit left out at a time, or one group of them where there are many."""
    rows = resampler.rows_left_out(measures)
    if rows is not None:
        return rows
    each = Draw(range(groups_left_out(resampler.n_units)), 0, LEAVE_ONE_OUT)
    values = _read(resampler, measures, each)[:, :, 0]
    return [JackknifeValues(values, np.ones(values.shape[0]))]


def _read(resampler: Resampler, measures: Sequence[Measure], draw: Draw) -> FloatArray:
    """What is read in blocks of resamples, whose size does not depend on the number of threads."""
    size = max(1, min(LIMITS.resamples_together, WEIGHTS // max(resampler.n_units, 1)))
    every = draw.resamples
    blocks = [replace(draw, resamples=every[begin : begin + size]) for begin in range(0, len(every), size)]

    def read(block: Draw) -> FloatArray:
        return resampler.read_block(measures, block)

    parts = on_threads(read, blocks) if resampler.threaded else [read(block) for block in blocks]
    return np.concatenate([np.empty((0, len(measures), 2)), *parts])
