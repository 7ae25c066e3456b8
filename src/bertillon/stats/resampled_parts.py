"""Parts of one score set, such as conditions or groups, under the same draws of people.

Conventions: people are numbered once for all parts, so that a draw gives everybody the same weight in each of them.
What is read of a resample is a function of the measures of all parts, such as a difference between two. Comparisons
that belong to nobody are units by themselves.

Holds `PartsResampler` and `OverParts`, what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray
from bertillon.measures.base import Measure
from bertillon.stats.interval import Settings
from bertillon.stats.kinds import statistics_of
from bertillon.stats.resampled_scores import ScoreResampler
from bertillon.stats.resampling import Draw, Resampler
from bertillon.stats.units import Pairs, Units, units_of
from bertillon.trials.score_set import ScoreSet


class OverParts(Protocol):
    """A number made of the measures of several parts."""

    def over(self, values: FloatArray) -> FloatArray:
        """Of values (parts, resamples, measures) one number a resample."""


class PartsResampler(Resampler):
    """The comparisons of all parts; reads `OverParts` in place of measures."""

    def __init__(self, parts: Sequence[ScoreResampler], measures: Sequence[Measure], units: Units) -> None:
        self.parts, self.measures = parts, measures
        self.n_units, self.unit, self.naive = units.n, units.name, units.naive
        self.clustered, self.two_way = True, any(part.two_way for part in parts)
        self.threaded = any(part.threaded for part in parts)

    @classmethod
    def of(
        cls, scores: ScoreSet, rows: Sequence[NDArray[np.bool_]], measures: Sequence[Measure], settings: Settings
    ) -> PartsResampler | None:
        """Parts by their rows, the mated comparisons first; None where there is one unit only."""
        units = _units(scores, settings)
        if units.n < 2:
            return None
        n_mated = scores.mated.size
        made = []
        for chosen in rows:
            mated, nonmated = _chosen(units.mated, chosen[:n_mated]), _chosen(units.nonmated, chosen[n_mated:])
            own = replace(units, mated=mated, nonmated=nonmated)
            made.append(ScoreResampler.of(scores.select(chosen), measures, own))
        return cls(made, measures, units)

    def read_once(self, measures: Sequence[Any]) -> FloatArray:
        seen = np.stack([part.read_once(self.measures) for part in self.parts])
        read: FloatArray = _read(measures, seen[:, None])[0]
        return read

    def read_block(self, measures: Sequence[Any], draw: Draw) -> FloatArray:
        return _read(measures, np.stack([part.read_block(self.measures, draw) for part in self.parts]))


def _read(asked: Sequence[OverParts], seen: FloatArray) -> FloatArray:
    """From (parts, resamples, measures, 2) to (resamples, asked, 2); none of them has a threshold."""
    made = np.full((seen.shape[1], len(asked), 2), np.nan)
    for column, one in enumerate(asked):
        made[:, column, 0] = one.over(seen[..., 0])
    return made


def _units(scores: ScoreSet, settings: Settings) -> Units:
    """Whose the comparisons are; those of nobody are units by themselves, which no parts share."""
    known = units_of(scores, "two-stage" if settings.scheme == "two-stage" else "multinomial")
    if known.mated is not None and known.nonmated is not None:
        return known
    named, _, _ = statistics_of(scores, settings).alike(scores)
    return replace(units_of(named), name=known.name, naive=True)


def _chosen(pairs: Pairs | None, rows: NDArray[np.bool_]) -> Pairs | None:
    return None if pairs is None else Pairs(pairs.first[rows], pairs.second[rows])
