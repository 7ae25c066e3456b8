"""Resamples of 1:1 comparisons.

Conventions: failed comparisons carry no ids; their numbers vary by chance alone (Poisson). Comparisons that were
counted and not kept are taken one by one, as if independent.

Holds `ScorePlan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.comparisons import CountedScores
from bertillon.counts.cuts import cuts_of
from bertillon.counts.error_counts import ErrorCounts, FloatArray, IntArray
from bertillon.counts.tally import Need
from bertillon.counts.weighted_cells import SMALL, WeightedCells, cells_of
from bertillon.measures.base import Measure
from bertillon.rule import AcceptRule
from bertillon.trials.score_set import Failures, ScoreSet
from bertillon.uncertainty.cell_tally import CellClass, CellCurves
from bertillon.uncertainty.reading import read
from bertillon.uncertainty.resampling import BLOCK, LeftOut
from bertillon.uncertainty.units import Pairs, Units, units_of
from bertillon.uncertainty.weights import Weights, stream, streams

_NOBODY = np.empty((0, 0), dtype=np.int16)
COUNTED = "comparisons taken as independent (they were counted, not kept)"


class Source(Protocol):
    """Scores of one kind, ready to be counted under weights."""

    def counts(self, resamples: range, seed: int, weights: Weights, *, drawn: bool) -> IntArray:
        """Weighted scores by cell (rows) and resample (columns); rows without units only vary where they are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class ByUnits:
    """Scores that belong to units."""

    cells: WeightedCells

    def counts(self, resamples: range, seed: int, weights: Weights, *, drawn: bool) -> IntArray:
        return self.cells.counts(weights)


@dataclass(frozen=True, slots=True, eq=False)
class ByRows:
    """Scores drawn one by one: a multinomial over the cells."""

    totals: IntArray
    purpose: int

    def counts(self, resamples: range, seed: int, weights: Weights, *, drawn: bool) -> IntArray:
        n = int(self.totals.sum())
        if not n or not drawn:
            return np.broadcast_to(self.totals[:, None], (self.totals.size, len(resamples)))
        share = self.totals / n
        return np.array([one.multinomial(n, share) for one in streams(seed, resamples, self.purpose)]).T


@dataclass(frozen=True, slots=True, eq=False)
class ScorePlan:
    """A score set cut into cells, each score with its units."""

    cuts: FloatArray
    mated: Source
    nonmated: Source
    cells: tuple[CellClass, CellClass]
    units: Units
    rule: AcceptRule
    failures: Failures

    @classmethod
    def of(cls, scores: ScoreSet | CountedScores, measures: Sequence[Measure], scheme: str) -> ScorePlan:
        """Cut the scores so that the measures can be read."""
        if isinstance(scores, CountedScores):
            return cls._of_counted(scores)
        cuts = cuts_of(scores, [threshold for measure in measures for threshold in measure.thresholds])
        units = units_of(scores, scheme)
        kinds = (scores.mated, scores.nonmated)
        places = [cells_of(kind, scores.rule, cuts) for kind in kinds]
        means = any(measure.needs & {Need.MOMENTS, Need.SCORES} for measure in measures)
        mated, nonmated = (
            CellClass.of(kind, place, cuts, scores.rule)
            if means
            else CellClass.between(np.bincount(place, minlength=cuts.size), cuts, scores.rule)
            for kind, place in zip(kinds, places, strict=True)
        )
        return cls(
            cuts,
            _source(places[0], units.mated, cuts.size, 4),
            _source(places[1], units.nonmated, cuts.size, 5),
            (mated, nonmated),
            units,
            scores.rule,
            scores.failures,
        )

    @classmethod
    def _of_counted(cls, counted: CountedScores) -> ScorePlan:
        errors = counted.tally.errors
        before = (
            errors.false_nonmatch[0],
            errors.n_nonmated - errors.false_match[0],
        )  # a curve may begin in the middle
        cuts = np.append([-np.inf] if any(before) else [], errors.threshold[:-1])
        mated = np.append(before[:1] if any(before) else [], np.diff(errors.false_nonmatch)).astype(np.int64)
        nonmated = np.append(before[1:] if any(before) else [], -np.diff(errors.false_match)).astype(np.int64)
        cells = [CellClass.between(kind, cuts, counted.rule) for kind in (mated, nonmated)]
        units = Units(max(errors.n_mated, errors.n_nonmated), None, None, COUNTED, naive=True)
        sources = ByRows(mated, 4), ByRows(nonmated, 5)
        return cls(cuts, *sources, (cells[0], cells[1]), units, counted.rule, counted.failures)

    @property
    def n_units(self) -> int:
        return self.units.n

    @property
    def unit(self) -> str:
        return self.units.words

    @property
    def naive(self) -> bool:
        return self.units.naive

    @property
    def clustered(self) -> bool:
        return self.units.mated is not None or self.units.nonmated is not None

    @property
    def threaded(self) -> bool:
        return sum(int(cells.totals.sum()) for cells in self.cells) > SMALL

    @property
    def two_way(self) -> bool:
        return self.units.two_way and self.units.samples is None

    @property
    def curve(self) -> ErrorCounts:
        """The errors of the data as they are, at the cuts."""
        own, others = (cells.totals[:, None] for cells in self.cells)
        return self._curves(own, others, [self.failures]).tally(0).errors

    def read_once(self, measures: Sequence[Measure]) -> FloatArray:
        own, others = (cells.totals[:, None] for cells in self.cells)
        return np.asarray(read(measures, self._curves(own, others, [self.failures]))[0])

    def read_block(self, measures: Sequence[Measure], first: int, last: int, seed: int, scheme: str) -> FloatArray:
        weights = self.units.table(first, last, seed, scheme) if self.clustered else _NOBODY
        these, drawn = range(first, last), scheme != "leave-one-out"
        sources = (self.mated, self.nonmated)
        mated, nonmated = (source.counts(these, seed, weights, drawn=drawn) for source in sources)
        failures = [self._failures(resample, seed) if drawn else self.failures for resample in these]
        return read(measures, self._curves(mated, nonmated, failures))

    def read_pair_block(self, measures: Sequence[Measure], first: int, last: int, seed: int) -> FloatArray:
        """Pairs of units count twice or not at all, each pair by itself.

        The signs of two units are equal or not. Products of signs are independent for any two pairs, also for pairs
        that share a unit, so 1 + product varies from pair to pair while no unit's weight does.
        """
        signs = self.units.table(first, last, seed, "signs")
        mated, nonmated = _together(self.mated, self.cells[0], signs), _together(self.nonmated, self.cells[1], signs)
        return read(measures, self._curves(mated, nonmated, [self.failures] * (last - first)))

    def rows_left_out(self, measures: Sequence[Measure]) -> list[LeftOut] | None:
        """One score left out at a time: those of one cell give the same values."""
        if self.clustered:
            return None
        found = []
        for side in (0, 1):
            held = np.flatnonzero(self.cells[side].totals)
            parts = []
            for begin in range(0, held.size, BLOCK):
                some = held[begin : begin + BLOCK]
                kinds = [np.repeat(cells.totals[:, None], some.size, axis=1) for cells in self.cells]
                kinds[side][some, np.arange(some.size)] -= 1
                parts.append(read(measures, self._curves(kinds[0], kinds[1], [self.failures] * some.size))[:, :, 0])
            found.append(LeftOut(np.concatenate(parts), self.cells[side].totals[held].astype(np.float64)))
        return found

    def _curves(self, mated: IntArray, nonmated: IntArray, failures: Sequence[Failures]) -> CellCurves:
        return CellCurves(self.cuts, mated, nonmated, self.cells, self.rule, failures)

    def _failures(self, resample: int, seed: int) -> Failures:
        given = self.failures
        if not given.comparisons:
            return given
        mated, nonmated = stream(seed, resample, 6).poisson([given.mated, given.nonmated]).tolist()
        return replace(given, mated=mated, nonmated=nonmated)


def _together(source: Source, cells: CellClass, signs: Weights) -> IntArray:
    """1 + the product of the two signs for each score of two units, 1 for any other."""
    whole = np.broadcast_to(cells.totals[:, None], (cells.totals.size, signs.shape[1]))
    if not isinstance(source, ByUnits):
        return whole
    two = source.cells.shared(signs.shape[0] - 1)
    return whole if two is None else whole + two.counts(signs)


def _source(cells: NDArray[np.int32], pairs: Pairs | None, n_cells: int, purpose: int) -> Source:
    if pairs is None:
        return ByRows(np.bincount(cells, minlength=n_cells), purpose)
    return ByUnits(WeightedCells.of(cells, pairs.first, pairs.second, n_cells))
