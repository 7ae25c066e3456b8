"""Resamples of trials: who is taken how often, and what measures say then.

Conventions: a resample is a set of weights of units, never a copy of scores: one row a resample, one column a unit.
Every row is drawn from a stream of its own, found from the seed and the number of the resample, so that row b is the
same on any number of threads. Units stand in ascending order of their ids, so two systems over the same people get the
same weights, and their values can be set against each other row by row.

    multinomial         as many units as there are, drawn with replacement
    double-or-nothing   a unit counts twice or not at all, by the toss of a coin
    halves              the same, of trials that belong to nobody too, which the others draw with replacement
    leave-one-out       resample b leaves out unit b and nothing else (the jackknife); of many units a group of them
    signs               +1 or -1 by the toss of a coin; products of two signs vary by pair of units, not by unit

Non-mated comparisons are shared by two people. Weights that are products of two let the chance of single pairs count
three times (Owen 2007): with S what people cause and P what pairs do, the variance of the values is S + 3 P where it
should be S + P. `pair_values` show P alone.

Holds `Draw` (which resamples, and how), `weights_of` and `Purpose`, what random numbers are for; `resampled_on` and its
`Resampled`, `left_out` and its `JackknifeValues`; `Resampler`, what each kind of trials must be able to do; and
`RowResampler`, which needs nothing but `select` and `count` of the trials. `PartsResampler` draws the same people for
several parts of the trials of one system, such as conditions or groups, and reads `OverParts`, such as a difference of
two: people are numbered once for all parts, so that a draw gives everybody the same weight in each of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.keys import codes_of
from bertillon.counting.tally import Needs
from bertillon.engine.workers import on_threads
from bertillon.measures.base import Measure
from bertillon.stats.interval import LIMITS, Settings

Weights = NDArray[np.int16]

MOST_GROUPS = 200
LEAVE_ONE_OUT, SIGNS, HALVES = "leave-one-out", "signs", "halves"
_Take = Callable[[int, int, np.random.Generator], NDArray[Any]]  # of so many units, in a resample
WEIGHTS = 1 << 25  # of the units of resamples that are counted together
PAIR_RESAMPLES = 400  # enough to know a variance to 7 %


class Purpose(IntEnum):
    """What random numbers are for; those of two purposes are independent."""

    UNITS = 0  # drawn with replacement
    COINS = 1  # of double or nothing
    SIGNS = 2
    SAMPLES = 3  # of a subject that was drawn
    MATED_ROWS = 4  # comparisons that belong to nobody
    NONMATED_ROWS = 5
    FAILURES = 6
    CELLS = 7  # of predictions
    BINS = 8  # of probabilities, and what comes true in them
    HALVES = 9  # of the scores of a class


@dataclass(frozen=True, slots=True)
class Draw:
    """Some resamples; the same draw gives the same weights anywhere.

    Parameters
    ----------
    resamples
        Which of them, by number.
    seed
        Of what is random.
    scheme
        How units are taken, one of `SCHEMES`.
    """

    resamples: range
    seed: int
    scheme: str = "multinomial"

    @property
    def at_random(self) -> bool:
        """Does chance decide who is taken?"""
        return self.scheme != LEAVE_ONE_OUT

    def single(self, resample: int) -> Draw:
        """The same of one resample alone."""
        return replace(self, resamples=range(resample, resample + 1))

    def streams(self, purpose: Purpose) -> Iterator[np.random.Generator]:
        """The random numbers of each resample, one after the other: each is spent before the next is asked for."""
        source = np.random.Philox(key=self.seed)
        drawn, state = np.random.Generator(source), source.state
        for resample in self.resamples:
            state["state"]["counter"][:] = (0, 0, resample, purpose)
            source.state = state
            yield drawn


def weights_of(n: int, draw: Draw) -> Weights:
    """The weights of n units: one row a resample.

    >>> weights_of(4, Draw(range(2), seed=1)).sum(axis=1).tolist()
    [4, 4]
    """
    if draw.scheme not in _DRAW:
        raise InputError(f"scheme of weights is {draw.scheme!r}; expected one of {', '.join(SCHEMES)}")
    weights = np.zeros((len(draw.resamples), n), dtype=np.int16)
    take, purpose = _DRAW[draw.scheme]
    for row, resample, drawn in zip(weights, draw.resamples, draw.streams(purpose), strict=True):
        row[:] = take(n, resample, drawn) if n else 0
    return weights


def subject_weights(n_subjects: int, resamples: int, *, seed: int, scheme: str = "multinomial") -> Weights:
    """The weights of so many resamples from the first on."""
    return weights_of(n_subjects, Draw(range(resamples), seed, scheme))


def groups_left_out(n: int) -> int:
    """How many resamples leave out one unit each, or one group of units where there are many."""
    return min(n, MOST_GROUPS)


_DRAW: dict[str, tuple[_Take, Purpose]] = {
    "multinomial": (lambda n, _, drawn: np.bincount(drawn.integers(n, size=n), minlength=n), Purpose.UNITS),
    "double-or-nothing": (lambda n, _, drawn: 2 * drawn.integers(2, size=n), Purpose.COINS),
    HALVES: (lambda n, _, drawn: 2 * drawn.integers(2, size=n), Purpose.COINS),
    LEAVE_ONE_OUT: (lambda n, resample, _: np.arange(n) % groups_left_out(n) != resample, Purpose.UNITS),
    SIGNS: (lambda n, _, drawn: 2 * drawn.integers(2, size=n) - 1, Purpose.SIGNS),
}
SCHEMES = tuple(_DRAW)


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


class Resampler(ABC):
    """Trials counted once, so that measures can be read under any weights: (resamples, measures, 2).

    The last axis holds the value and the threshold in the user's units.
    """

    n_units: int
    unit: Message
    naive: bool
    clustered: bool  # units are known that hold several trials each
    two_way: bool = False  # trials are shared by two units
    threaded: bool = False  # most of the work is done by compiled loops, so that threads help

    @abstractmethod
    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        """The data as they are: (measures, 2)."""

    @abstractmethod
    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        """The resamples of a draw; of the scheme "signs", where trials are shared by two units, pairs vary alone."""

    def rows_left_out(self, measures: Sequence[Measure]) -> list[JackknifeValues] | None:
        """One row left out at a time, kind by kind; None where units can be left out as in a resample."""
        return None


def resampled_on(
    resampler: Resampler, measures: Sequence[Measure], settings: Settings, *, scheme: str = ""
) -> Resampled:
    """The measures over resamples of trials that are counted already; by the scheme of the settings unless given."""
    seen = _read(resampler, measures, Draw(range(settings.resamples), settings.seed, scheme or settings.scheme))
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


class RowResampler(Resampler):
    """Trials of any kind with the unit of each: all trials of one id where they have `units`, else each by itself."""

    along: Callable[[Any], FloatArray] | None = None  # reads all measures, the places of one curve, from a tally

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

    def drawn_with(self, whole: RowResampler, rows: NDArray[np.bool_]) -> Self:
        """These trials as some rows of others, whose units they are drawn by."""
        self.n_units, self.units = whole.n_units, whole.units[rows]
        return self

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        return self.read(measures, np.ones(self.units.size, dtype=np.int64))

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        weights = weights_of(self.n_units, draw)
        rows = [self.read(measures, own.astype(np.int64)[self.units]) for own in weights]
        return np.array(rows).reshape(len(draw.resamples), len(measures), 2)

    def read(self, measures: Sequence[Measure], weights: IntArray) -> FloatArray:
        """Value and threshold of each measure where every trial was taken so often."""
        tally, rule = self.tally(measures, weights), self.trials.rule
        seen = np.full((len(measures), 2), np.nan)
        if self.along is not None:
            seen[:, 0] = self.along(tally)
            return seen
        for column, measure in enumerate(measures):
            result = measure.of(tally)
            seen[column] = result.value, np.nan if result.threshold is None else rule.restore(result.threshold)
        return seen

    def tally(self, measures: Sequence[Measure], weights: IntArray) -> Any:
        """The trials counted where each was taken so often."""
        taken = self.trials.select(np.repeat(np.arange(weights.size), weights))
        return taken.count(Needs.of(measures))


class OverParts(Protocol):
    """A number made of the measures of several parts."""

    def over(self, values: FloatArray) -> FloatArray:
        """Of values (parts, resamples, measures) one number a resample."""


@dataclass(frozen=True, slots=True)
class WholeUnits:
    """Whom all parts are drawn by: how many, what they are called, and whether each stands for many trials."""

    n: int
    name: Message
    naive: bool
    clustered: bool


class PartsResampler(Resampler):
    """The trials of all parts; reads `OverParts` in place of measures."""

    def __init__(self, parts: Sequence[Resampler], measures: Sequence[Measure], units: WholeUnits) -> None:
        self.parts, self.measures = parts, measures
        self.n_units, self.unit, self.naive, self.clustered = units.n, units.name, units.naive, units.clustered
        self.two_way = any(part.two_way for part in parts)
        self.threaded = any(part.threaded for part in parts)

    def read_once(self, measures: Sequence[Any]) -> FloatArray:
        seen = np.stack([part.read_once(self.measures) for part in self.parts])
        read: FloatArray = _read_over(measures, seen[:, None])[0]
        return read

    def read_block(self, measures: Sequence[Any], draw: Draw) -> FloatArray:
        return _read_over(measures, np.stack([part.read_block(self.measures, draw) for part in self.parts]))


def _read_over(asked: Sequence[OverParts], seen: FloatArray) -> FloatArray:
    """From (parts, resamples, measures, 2) to (resamples, asked, 2); none of them has a threshold."""
    made = np.full((seen.shape[1], len(asked), 2), np.nan)
    for column, each in enumerate(asked):
        made[:, column, 0] = each.over(seen[..., 0])
    return made
