"""Parts of the trials of one system, such as conditions or groups, under the same draws of people.

Conventions: people are numbered once for all parts, so that a draw gives everybody the same weight in each of them.
What is read of a resample is a function of the measures of all parts, such as a difference between two. Trials that
belong to nobody are units by themselves. `Statistics.of_parts` makes the parts of a kind of trial.

Holds `PartsResampler` and `OverParts`, what it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bertillon.core.messages import Message
from bertillon.counting.error_counts import FloatArray
from bertillon.measures.base import Measure
from bertillon.stats.resampling import Draw, Resampler


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
