"""Resamples of 1:1 comparisons: scores of each kind in cells, counted under the weights of a resample.

    UnitSource       each score belongs to units: it counts as often as they were taken
    RowSource        scores belong to nobody: they are drawn one by one
    KeptPairSource   scores were counted and some of them kept with their people. A cell counts as often as those kept
                     of it: its number is known, times their mean weight. Cells of which few were kept share one mean
                     with neighbours

Conventions: `counts` are those of weighted scores, a row a cell and a column a resample. Under `pair_counts` pairs of
units count twice or not at all, each pair by itself: the signs of two units are equal or not. Products of signs are
independent for any two pairs, also for pairs that share a unit, so 1 + product varies from pair to pair while no unit's
weight does. Failed comparisons carry no ids; their numbers vary by chance alone (Poisson).

Holds `ScoreResampler`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, Failures, FloatArray, IntArray
from bertillon.counting.limits import LIMITS as COUNTING_LIMITS
from bertillon.counting.tally import CountedScores, Need
from bertillon.counting.weighted import CellClass, CurveBlock, WeightedCells, cells_of, cuts_of
from bertillon.measures.base import Measure
from bertillon.stats.interval import LIMITS
from bertillon.stats.resampling import HALVES, SIGNS, Draw, JackknifeValues, Purpose, Resampler, Weights
from bertillon.stats.units import Pairs, Units
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    from bertillon.counting.tiles.people import ComparedPeople

ROWS_PER_CELL = 8  # with fewer, drawing the rows is faster than drawing each cell's number of them
FEW = 100  # comparisons kept, that at least make a mean
_NOBODY = np.empty((0, 0), dtype=np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class UnitSource:
    """Scores that belong to units."""

    cells: WeightedCells

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        return self.cells.counts(weights)

    def pair_counts(self, signs: Weights) -> IntArray:
        whole = _as_they_are(self.cells.totals, signs.shape[1])
        two = self.cells.shared(signs.shape[0] - 1)
        return whole if two is None else whole + two.counts(signs)


@dataclass(frozen=True, slots=True, eq=False)
class RowSource:
    """Scores drawn one by one, which makes a multinomial over the cells."""

    totals: IntArray
    purpose: Purpose

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        n = int(self.totals.sum())
        if not n or not draw.at_random:
            return _as_they_are(self.totals, len(draw.resamples))
        drawers = draw.streams(self.purpose)
        if draw.scheme == HALVES:
            return np.array([2 * stream.binomial(self.totals, 0.5) for stream in drawers]).T
        if n < ROWS_PER_CELL * self.totals.size:
            cell = np.repeat(np.arange(self.totals.size), self.totals)
            rows = (cell[stream.integers(n, size=n)] for stream in drawers)
            return np.array([np.bincount(these, minlength=self.totals.size) for these in rows]).T
        share = self.totals / n
        return np.array([stream.multinomial(n, share) for stream in drawers]).T

    def pair_counts(self, signs: Weights) -> IntArray:
        return _as_they_are(self.totals, signs.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class KeptPairSource:
    """Counted scores that belong to two people each, some of whom are known."""

    totals: IntArray  # of each cell
    group: IntArray  # of each cell: cells that share one mean weight
    kept: WeightedCells  # by group

    @classmethod
    def of(cls, people: ComparedPeople, cells: NDArray[np.int32], totals: IntArray, first_above: int) -> KeptPairSource:
        """From the cell of each comparison kept; those from `first_above` on are kept with one chance."""
        seen = np.bincount(cells, minlength=totals.size)
        if people.complete:
            group = np.arange(totals.size)
        else:
            below = _grouped(seen[:first_above])
            above = _grouped(seen[first_above:][::-1])[::-1]  # from the top, where errors are few
            group = np.concatenate([below, above + 1 + below.max(initial=-1)])
        n = 1 + int(group.max(initial=-1))
        return cls(totals, group, WeightedCells.of(group[cells], people.kept.first, people.kept.second, n))

    def counts(self, weights: Weights, draw: Draw) -> IntArray:
        counts = self._products(weights)
        nobody = (self.kept.totals[self.group] == 0) & (self.totals > 0)  # none of its people is known: taken as it is
        counts[nobody] = self.totals[nobody, None]
        return counts

    def pair_counts(self, signs: Weights) -> IntArray:
        return np.asarray(self.totals[:, None] + self._products(signs))

    def _products(self, weights: Weights) -> IntArray:
        """Each cell's number times the mean product of weights in its group, 0 where nobody is known."""
        known = np.maximum(self.kept.totals, 1)[:, None]
        mean = self.kept.counts(weights) / known
        return np.asarray(np.rint(self.totals[:, None] * mean[self.group]), dtype=np.int64)


Source = UnitSource | RowSource | KeptPairSource


def _grouped(seen: IntArray) -> IntArray:
    """Neighbouring cells in groups of which enough were kept."""
    before = np.cumsum(seen) - seen
    return np.asarray(np.minimum(before // FEW, max(int(seen.sum()) - 1, 0) // FEW), dtype=np.int64)


def _as_they_are(totals: IntArray, resamples: int) -> IntArray:
    return np.broadcast_to(totals[:, None], (totals.size, resamples))


@dataclass(eq=False)
class ScoreResampler(Resampler):
    """A score set cut into cells, each score with its units."""

    cuts: FloatArray
    mated: Source
    nonmated: Source
    cells: tuple[CellClass, CellClass]
    units: Units
    rule: AcceptRule
    failures: Failures

    @classmethod
    def of(cls, scores: ScoreSet | CountedScores, measures: Sequence[Measure], units: Units) -> ScoreResampler:
        """Cut the scores so that the measures can be read."""
        if scores.form != "whole":
            if scores.people is None:
                return cls._of_rows(scores, units)
            return cls._of_people(scores, scores.people, units)
        cuts = cuts_of(scores, [threshold for measure in measures for threshold in measure.thresholds])
        kinds = (scores.mated, scores.nonmated)
        cells_by_kind = [cells_of(kind, scores.rule, cuts) for kind in kinds]
        means = any(measure.needs & {Need.MOMENTS, Need.SCORES} for measure in measures)
        mated, nonmated = (
            CellClass.of(kind, cells, cuts, scores.rule)
            if means
            else CellClass.between(np.bincount(cells, minlength=cuts.size), cuts, scores.rule)
            for kind, cells in zip(kinds, cells_by_kind, strict=True)
        )
        return cls(
            cuts,
            _source(cells_by_kind[0], units.mated, cuts.size, Purpose.MATED_ROWS),
            _source(cells_by_kind[1], units.nonmated, cuts.size, Purpose.NONMATED_ROWS),
            (mated, nonmated),
            units,
            scores.rule,
            scores.failures,
        )

    @classmethod
    def _of_people(cls, counted: CountedScores, people: ComparedPeople, units: Units) -> ScoreResampler:
        """Counted scores cut as they are in memory where all were kept, else where their errors are known."""
        rule, known = counted.rule, ScoreSet(counted.mated, people.kept.score, rule=counted.rule)
        cuts, totals = cuts_of(known, counted.thresholds), None
        if not people.complete:
            cuts, totals = _known_cuts(counted.tally.errors, np.append(cuts, people.above))
        places = [cells_of(scores, rule, cuts) for scores in (counted.mated, people.kept.score)]
        if totals is None:
            totals = people.times * np.bincount(places[1], minlength=cuts.size)
        mated = CellClass.of(counted.mated, places[0], cuts, rule)
        others = KeptPairSource.of(people, places[1], totals, int(np.searchsorted(cuts, people.above)))
        sources = _source(places[0], units.mated, cuts.size, Purpose.MATED_ROWS), others
        nonmated = CellClass.between(totals, cuts, rule).known_from(people.kept.score, places[1], cuts, rule)
        return cls(cuts, *sources, (mated, nonmated), units, rule, counted.failures)

    @classmethod
    def _of_rows(cls, counted: CountedScores, units: Units) -> ScoreResampler:
        errors = counted.tally.errors
        before = (
            errors.false_nonmatch[0],
            errors.n_nonmated - errors.false_match[0],
        )  # a curve may begin in the middle
        cuts = np.append([-np.inf] if any(before) else [], errors.threshold[:-1])
        mated = np.append(before[:1] if any(before) else [], np.diff(errors.false_nonmatch)).astype(np.int64)
        nonmated = np.append(before[1:] if any(before) else [], -np.diff(errors.false_match)).astype(np.int64)
        cells = [CellClass.between(kind, cuts, counted.rule) for kind in (mated, nonmated)]
        sources = RowSource(mated, Purpose.MATED_ROWS), RowSource(nonmated, Purpose.NONMATED_ROWS)
        return cls(cuts, *sources, (cells[0], cells[1]), units, counted.rule, counted.failures)

    def __post_init__(self) -> None:
        units = self.units
        self.n_units, self.unit, self.naive = units.n, units.name, units.naive
        self.clustered = units.mated is not None or units.nonmated is not None
        self.two_way = units.two_way and units.samples is None
        held = sum(int(cells.totals.sum()) for cells in self.cells)
        self.threaded = held > COUNTING_LIMITS.weights.weigh_in_numpy_up_to

    @cached_property
    def curve(self) -> BinaryCounts:
        """The errors of the data as they are, at the cuts."""
        return self._as_it_is.errors(0)

    @property
    def _as_it_is(self) -> CurveBlock:
        own, others = (cells.totals[:, None] for cells in self.cells)
        return self._block(own, others, [self.failures])

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        return np.asarray(read(measures, self._as_it_is)[0])

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        weights = self.units.table(draw) if self.clustered else _NOBODY
        if draw.scheme == SIGNS:
            mated, nonmated = (source.pair_counts(weights) for source in (self.mated, self.nonmated))
        else:
            mated, nonmated = (source.counts(weights, draw) for source in (self.mated, self.nonmated))
        return read(measures, self._block(mated, nonmated, self._failures(draw)))

    def rows_left_out(self, measures: Sequence[Measure]) -> list[JackknifeValues] | None:
        """One score left out at a time: those of one cell give the same values."""
        if self.clustered:
            return None
        samples = []
        for side in (0, 1):
            held = np.flatnonzero(self.cells[side].totals)
            parts = [np.empty((0, len(measures)))]  # of an empty class nothing is left out
            size = LIMITS.resamples_together
            for begin in range(0, held.size, size):
                some = held[begin : begin + size]
                kinds = [np.repeat(cells.totals[:, None], some.size, axis=1) for cells in self.cells]
                kinds[side][some, np.arange(some.size)] -= 1
                parts.append(read(measures, self._block(kinds[0], kinds[1], [self.failures] * some.size))[:, :, 0])
            samples.append(JackknifeValues(np.concatenate(parts), self.cells[side].totals[held].astype(np.float64)))
        return samples

    def _block(self, mated: IntArray, nonmated: IntArray, failures: Sequence[Failures]) -> CurveBlock:
        return CurveBlock(self.cuts, mated, nonmated, self.cells, self.rule, failures)

    def _failures(self, draw: Draw) -> list[Failures]:
        """One a resample."""
        failures = self.failures
        if not failures.comparisons or not draw.at_random or draw.scheme == SIGNS:
            return [failures] * len(draw.resamples)
        drawn = (rng.poisson([failures.mated, failures.nonmated]).tolist() for rng in draw.streams(Purpose.FAILURES))
        return [replace(failures, mated=mated, nonmated=nonmated) for mated, nonmated in drawn]


def read(measures: Sequence[Measure], block: CurveBlock) -> FloatArray:
    """Value and threshold (user's units) of each measure in each resample: (resamples, measures, 2)."""
    seen = np.empty((block.size, len(measures), 2))
    begin = 0
    for part in block.parts(LIMITS.cells_together):
        rows = slice(begin, begin + part.size)
        for column, measure in enumerate(measures):
            values, thresholds = measure.of_block(part)
            seen[rows, column, 0] = values
            seen[rows, column, 1] = block.rule.factor * thresholds + 0.0
        begin += part.size
    return seen


def _known_cuts(errors: BinaryCounts, wanted: FloatArray) -> tuple[FloatArray, IntArray]:
    """The thresholds of a curve next to those wanted, and the non-mated scores from each to the next."""
    rows = np.clip(np.searchsorted(errors.threshold, wanted, side="right") - 1, 0, max(len(errors) - 2, 0))
    rows = np.unique(np.append(rows, 0))
    return errors.threshold[rows], -np.diff(np.append(errors.false_match[rows], 0)).astype(np.int64)


def _source(cells: NDArray[np.int32], pairs: Pairs | None, n_cells: int, purpose: Purpose) -> Source:
    if pairs is None:
        return RowSource(np.bincount(cells, minlength=n_cells), purpose)
    return UnitSource(WeightedCells.of(cells, pairs.first, pairs.second, n_cells))
