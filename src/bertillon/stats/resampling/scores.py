"""Resamples of 1:1 comparisons.

Conventions: failed comparisons carry no ids; their numbers vary by chance alone (Poisson). Comparisons that were
counted belong to people as far as these were kept (see `sources`), else they are taken one by one, as if
independent.

Holds `ScoreResampler`, and `read`, what measures say of a block of resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.limits import LIMITS as COUNTING_LIMITS
from bertillon.counting.scores import Failures
from bertillon.counting.tally import CountedScores, Need
from bertillon.counting.weighted import CellClass, CurveBlock, WeightedCells, cells_of, cuts_of
from bertillon.measures.base import Measure
from bertillon.stats.limits import LIMITS
from bertillon.stats.resampling.resampled import JackknifeValues
from bertillon.stats.resampling.sources import KeptPairSource, RowSource, Source, UnitSource
from bertillon.stats.resampling.units import Pairs, Units, units_of, units_of_counted
from bertillon.stats.resampling.weights import SIGNS, Draw, Purpose
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    from bertillon.counting.tiles.people import ComparedPeople

_NOBODY = np.empty((0, 0), dtype=np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreResampler:
    """A score set cut into cells, each score with its units."""

    cuts: FloatArray
    mated: Source
    nonmated: Source
    cells: tuple[CellClass, CellClass]
    units: Units
    rule: AcceptRule
    failures: Failures

    @classmethod
    def of(cls, scores: ScoreSet | CountedScores, measures: Sequence[Measure], scheme: str) -> ScoreResampler:
        """Cut the scores so that the measures can be read."""
        if scores.form != "whole":
            units = units_of_counted(scores, scheme)
            if scores.people is None:
                return cls._of_rows(scores, units)
            return cls._of_people(scores, scores.people, units)
        cuts = cuts_of(scores, [threshold for measure in measures for threshold in measure.thresholds])
        units = units_of(scores, scheme)
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

    @property
    def n_units(self) -> int:
        return self.units.n

    @property
    def unit(self) -> Message:
        return self.units.name

    @property
    def naive(self) -> bool:
        return self.units.naive

    @property
    def clustered(self) -> bool:
        return self.units.mated is not None or self.units.nonmated is not None

    @property
    def threaded(self) -> bool:
        return sum(int(cells.totals.sum()) for cells in self.cells) > COUNTING_LIMITS.weigh_in_numpy_up_to

    @property
    def two_way(self) -> bool:
        return self.units.two_way and self.units.samples is None

    @property
    def curve(self) -> BinaryCounts:
        """The errors of the data as they are, at the cuts."""
        return self._as_it_is.tally(0).errors

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
            parts = []
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
