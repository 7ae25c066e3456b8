"""The least expected cost and its threshold, over ranges of costs and priors.

Only vertices of the ROC's convex hull can be best, so each combination looks at a few points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import ErrorCurve, hull
from bertillon.measures.cost import Weights


@dataclass(frozen=True, slots=True)
class CostPoint:
    """The best that can be done under one assumption."""

    cost_ratio: float  # of one false accept to one false reject
    impostor: float
    cost: float  # in units of one false reject
    threshold: float
    fmr: float
    fnmr: float
    likelihood_ratio: float  # that a score must reach at the best threshold


def cost_sweep(curve: ErrorCurve, cost_ratios: Sequence[float], *, impostors: Sequence[float]) -> list[CostPoint]:
    """The best threshold for every cost ratio C_FA / C_FR with every prior of impostors.

    >>> import bertillon as bt
    >>> curve = bt.error_curve(bt.ScoreSet([0.4, 0.6, 0.8], [0.1, 0.5]))
    >>> [(p.threshold, p.cost) for p in cost_sweep(curve, [0.1, 100], impostors=[0.5])]
    [(0.4, 0.025), (0.6, 0.16666666666666666)]
    """
    if not curve.counts.n_mated or not curve.counts.n_nonmated:
        raise InputError("costs need both mated and non-mated scores")
    rows = hull(curve.counts).row
    return [_best(curve, rows, Weights(ratio, 1.0, prior)) for ratio, prior in product(cost_ratios, impostors)]


def _best(curve: ErrorCurve, rows: np.ndarray, weights: Weights) -> CostPoint:
    fmr, fnmr = curve.fmr[rows], curve.fnmr[rows]
    best = int(np.argmin(weights.on_fmr * fmr + weights.on_fnmr * fnmr))
    return CostPoint(
        weights.cfa,
        weights.impostor,
        weights.expected(float(fmr[best]), float(fnmr[best])),
        float(curve.threshold[rows[best]]),
        float(fmr[best]),
        float(fnmr[best]),
        weights.likelihood_ratio,
    )
