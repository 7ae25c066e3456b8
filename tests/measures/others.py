"""Measures as another package would write them: nobody knows them by class, name or module.

Holds `LargestMean` (never better on a worse curve), `CrossingGap` (sought at one place), `ErrorsAt` (at a threshold
that is given), `MeanErrors` (of every threshold), `ShareAboveOne` (sees every score), and `others`, one of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import bertillon as bt
from bertillon.counting import BinaryCounts, Need, Tally, crossing
from bertillon.measures import Measure, Result, Spelling, Visit, bin_at, missing_class


@dataclass(frozen=True, slots=True)
class LargestMean(Measure):
    """The largest geometric mean of the two rates of success."""

    needs = frozenset({Need.EVERY_THRESHOLD})
    monotone = True
    rates_alone = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("LargestMean")

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        return Result(float(np.sqrt((1 - tally.errors.fnmr) * (1 - tally.errors.fmr)).max()))


@dataclass(frozen=True, slots=True)
class CrossingGap(Measure):
    """How far FMR and FNMR are apart at the last threshold with FMR >= FNMR."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("CrossingGap")

    def seek(self, outline: BinaryCounts) -> np.ndarray:
        return np.array([_crossing(outline)]) if outline.n_mated and outline.n_nonmated else np.array([0])

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        row = _crossing(tally.errors)
        return Result(abs(float(tally.errors.fmr[row] - tally.errors.fnmr[row])), float(tally.errors.threshold[row]))


@dataclass(frozen=True, slots=True)
class ErrorsAt(Measure):
    """The product of FMR and FNMR at a threshold."""

    t: float

    @property
    def spelling(self) -> Spelling:
        return Spelling("ErrorsAt", at={"t": self.t})

    @property
    def thresholds(self) -> tuple[float, ...]:
        return (self.t,)

    def seek(self, outline: BinaryCounts) -> np.ndarray:
        return bin_at(outline.threshold, [self.t, -self.t])

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        row = int(np.searchsorted(tally.errors.threshold, tally.rule.orient(self.t)))
        return Result(float(tally.errors.fmr[row] * tally.errors.fnmr[row]))


@dataclass(frozen=True, slots=True)
class MeanErrors(Measure):
    """The mean of FMR over the thresholds."""

    needs = frozenset({Need.EVERY_THRESHOLD})

    @property
    def spelling(self) -> Spelling:
        return Spelling("MeanErrors")

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        return Result.undefined(reason) if reason else Result(float(tally.errors.fmr.mean()))


@dataclass(frozen=True, slots=True)
class ShareAboveOne(Measure):
    """Mated scores above 1 for each non-mated score."""

    needs = frozenset({Need.SCORES})

    @property
    def spelling(self) -> Spelling:
        return Spelling("ShareAboveOne")

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        return _added([_above_one(tally.scores.mated, True)], [_above_one(tally.scores.nonmated, False)])

    def visit(self, rule: bt.AcceptRule, ends: tuple[float, float] | None) -> Visit:
        return Visit(str(self), _above_one, _added)


def _crossing(counts: BinaryCounts) -> int:
    return crossing(counts.false_match, counts.false_nonmatch, counts.n_mated, counts.n_nonmated).row


def _above_one(scores: np.ndarray, mated: bool) -> int:
    return int(np.count_nonzero(scores > 1)) if mated else scores.size


def _added(mated: Sequence[Any], nonmated: Sequence[Any]) -> Result:
    return Result(sum(mated) / sum(nonmated))


def others(t: float) -> list[Measure]:
    """One of each."""
    return [LargestMean(), CrossingGap(), ErrorsAt(t), MeanErrors(), ShareAboveOne()]
