"""Where the line of scores is cut, so that scores can be counted over and over under changing weights.

Conventions: cuts are oriented scores and ascend. Cell c holds the scores from cut c up to, not including, cut c + 1; no
score lies below the first cut. Where there are few distinct scores each of them is a cut, and counts at the cuts are
the whole exact curve. Otherwise cuts are close where errors are few: between two neighbours the number of mated scores
below, or of non-mated scores above, changes by a small share of itself, or by a score or two.

Holds `cuts_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.scores import Scores
from bertillon.counting.slices import distinct

FINE = 0.0025
COARSE = 0.02  # the share on the side where a class makes no errors


def cuts_of(scores: Scores, thresholds: Sequence[float] = (), *, fine: float = FINE) -> FloatArray:
    """Cuts for a set of scores; `thresholds`, in the user's units, are cuts too where they lie among the scores.

    `fine` is the share by which a number of errors may change from cut to cut.

    >>> from bertillon.trials.score_set import ScoreSet
    >>> cuts_of(ScoreSet([3.0, 2.0], [1.0, 2.0])).tolist()
    [1.0, 2.0, 3.0]
    """
    mated, nonmated = (scores.rule.orient(kind) for kind in (scores.mated, scores.nonmated))
    few = _few_distinct(mated, nonmated)
    if few is not None:
        return few
    asked = scores.rule.orient(np.asarray(thresholds, dtype=np.float64))
    lowest = min(float(kind.min()) for kind in (mated, nonmated) if kind.size)
    above = np.nextafter(_near_top(nonmated, fine), np.inf)  # a threshold that keeps an FMR lies right above a score
    placed = [-_near_top(-mated, fine), _near_top(mated, COARSE), above]
    placed += [-_near_top(-nonmated, COARSE), asked[asked > lowest], np.array([lowest])]
    return np.unique(np.concatenate(placed) + 0.0)  # one spelling of zero


def _few_distinct(mated: NDArray[Any], nonmated: NDArray[Any]) -> FloatArray | None:
    """Every distinct score, or None where there are many."""
    parts = []
    for kind in (mated, nonmated):
        if kind.size > 16 * LIMITS.exact_cuts and np.unique(kind[: 4 * LIMITS.exact_cuts]).size > LIMITS.exact_cuts:
            return None
        parts.append(_distinct(kind))
    together: FloatArray = np.unique(np.concatenate(parts).astype(np.float64) + 0.0)
    return together if together.size <= LIMITS.exact_cuts else None


def _distinct(scores: NDArray[Any]) -> NDArray[Any]:
    return np.unique(scores) if scores.size <= 100_000 else distinct(scores)


def _near_top(scores: NDArray[Any], step: float) -> FloatArray:
    """Scores whose ranks from the top grow by a share at a time, as far as the median."""
    if scores.size <= LIMITS.cut_sample:
        return _at_growing_ranks(np.sort(scores)[::-1], step, scores.size // 2 + 1)
    chosen = np.random.default_rng(0).integers(scores.size, size=LIMITS.cut_sample)
    sample = np.sort(scores[chosen])[::-1]
    top = np.sort(scores[scores > sample[LIMITS.cut_tail]])[::-1]
    below = _at_growing_ranks(sample, step, LIMITS.cut_sample // 2)
    return np.concatenate([_at_growing_ranks(top, step, top.size), below[below <= sample[LIMITS.cut_tail]]])


def _at_growing_ranks(descending: NDArray[Any], step: float, last: int) -> FloatArray:
    """The scores at ranks 0, 1, 2, ... that grow by a share of themselves once that is more than one."""
    last = min(last, descending.size)
    growing = np.expm1(np.arange(int(np.log1p(step * last) / np.log1p(step)) + 2) * np.log1p(step)) / step
    ranks = np.unique(np.minimum(growing, last - 1).astype(np.int64))
    return np.asarray(descending[ranks[ranks >= 0]], dtype=np.float64)
