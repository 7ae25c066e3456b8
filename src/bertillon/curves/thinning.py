"""Fewer points of the same curve, with a bound on what is lost.

Both errors are monotone along the curve. Points are kept at equal steps of the path travelled in log10 FMR, log10 FNMR
and, ten times as heavy, in the plain rates; so between two kept points neither error moves by more than one step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.error_counts import ErrorCounts

LINEAR_WEIGHT = 10.0


def thinned(counts: ErrorCounts, points: int) -> ErrorCounts:
    """At most `points` of the curve's points, first and last included; a curve that is short enough as it is."""
    if len(counts) <= points or points < 2:
        return counts
    travelled = _path(counts.false_match, counts.n_nonmated) + _path(counts.false_nonmatch, counts.n_mated)
    steps = np.linspace(0.0, travelled[-1], points)
    kept = np.unique(np.append(np.searchsorted(travelled, steps[:-1]), len(counts) - 1))
    return replace(
        counts,
        threshold=counts.threshold[kept],
        false_match=counts.false_match[kept],
        false_nonmatch=counts.false_nonmatch[kept],
        complete=False,
    )


def _path(errors: NDArray[np.int64], trials: int) -> NDArray[np.float64]:
    """How far a rate has moved from the first point, on log and linear axes together; zero errors sit at a half."""
    if not trials:
        return np.zeros(errors.shape)
    rate: NDArray[np.float64] = errors / trials
    logs: NDArray[np.float64] = np.log10(np.maximum(rate, 0.5 / trials))
    moved: NDArray[np.float64] = np.abs(logs - logs[0]) + LINEAR_WEIGHT * np.abs(rate - rate[0])
    return moved
