"""Fewer points of the same curve, with a bound on what is lost.

Points are kept at equal steps of the path travelled along the curve, ends included. Both errors are monotone along an
error curve: there the path is that in log10 FMR, log10 FNMR and, ten times as heavy, in the plain rates; so between two
kept points neither error moves by more than one step. On other curves the path is that in their two coordinates.

Holds `thinned` (error counts) and `thinned_rows` (any two coordinates).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import BinaryCounts, FloatArray

LINEAR_WEIGHT = 10.0


def thinned(counts: BinaryCounts, points: int) -> BinaryCounts:
    """At most `points` of the curve's points, first and last included; a curve that is short enough as it is."""
    if len(counts) <= points or points < 2:
        return counts
    travelled = _path(counts.false_match, counts.n_nonmated) + _path(counts.false_nonmatch, counts.n_mated)
    return counts.at(_at_equal_steps(travelled, points))


def thinned_rows(x: FloatArray, y: FloatArray, points: int) -> NDArray[np.int64]:
    """Places of at most `points` points at equal steps along the path of a curve, ends included."""
    if x.size <= points or points < 2:
        return np.arange(x.size)
    moved = np.abs(np.diff(np.nan_to_num(x))) + np.abs(np.diff(np.nan_to_num(y)))
    return _at_equal_steps(np.concatenate([[0.0], np.cumsum(moved)]), points)


def _at_equal_steps(travelled: FloatArray, points: int) -> NDArray[np.int64]:
    """The first place at or past each of so many equal steps of the way, and the last place."""
    steps = np.linspace(0.0, travelled[-1], points)
    return np.unique(np.append(np.searchsorted(travelled, steps[:-1]), travelled.size - 1))


def _path(errors: NDArray[np.int64], trials: int) -> FloatArray:
    """How far a rate has moved from the first point, on log and linear axes together; zero errors sit at a half."""
    if not trials:
        return np.zeros(errors.shape)
    rate: FloatArray = errors / trials
    logs: FloatArray = np.log10(np.maximum(rate, 0.5 / trials))
    moved: FloatArray = np.abs(logs - logs[0]) + LINEAR_WEIGHT * np.abs(rate - rate[0])
    return moved
