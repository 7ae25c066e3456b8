"""What to expect in use: errors among so many attempts, and the least cost over ranges of costs and priors.

Holds `forecasts`, a list of `Expected` for every operating point of an evaluation, from `attempt_rates` (FAR and FRR)
and `forecast`; and `cost_sweep`, the best threshold under each assumption. Only vertices of the ROC's convex hull can
be best, so each combination looks at a few points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.curves.hull import hull
from bertillon.counting.scores import Failures
from bertillon.evaluation import Evaluation
from bertillon.measures.cost import Weights


@dataclass(frozen=True, slots=True)
class Expected:
    """Rates at one operating point, failures counted in, and the errors to expect from them."""

    point: str
    threshold: float
    far: float
    frr: float
    false_accepts: float
    false_rejects: float


def forecasts(evaluation: Evaluation, *, genuine: float = 0.0, impostor: float = 0.0) -> list[Expected]:
    """One forecast for every measure that has a finite threshold."""
    expected = []
    for name, result in evaluation.results.items():
        if result.threshold is None or not math.isfinite(result.threshold):
            continue
        counted = evaluation.outcomes(result.threshold)
        far, frr = attempt_rates(
            counted.false_match, counted.false_nonmatch, counts=evaluation.counts, failures=evaluation.scores.failures
        )
        errors = forecast(far, frr, genuine=genuine, impostor=impostor)
        expected.append(Expected(name, result.threshold, far, frr, errors.false_accepts, errors.false_rejects))
    return expected


def attempt_rates(
    false_match: float, false_nonmatch: float, *, counts: Mapping[str, int], failures: Failures
) -> tuple[float, float]:
    """FAR and FRR: a failed comparison is an attempt that was not accepted."""
    impostors, genuine = counts["nonmated"] + failures.nonmated, counts["mated"] + failures.mated
    return false_match / impostors, (false_nonmatch + failures.mated) / genuine


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected false accepts and false rejects among so many attempts."""

    false_accepts: float
    false_rejects: float


def forecast(far: float, frr: float, *, genuine: float, impostor: float) -> Forecast:
    """Expected errors when `genuine` and `impostor` attempts are made at these rates.

    >>> forecast(0.01, 0.05, genuine=10, impostor=90)
    Forecast(false_accepts=0.9, false_rejects=0.5)
    """
    for name, attempts in (("genuine", genuine), ("impostor", impostor)):
        if not 0.0 <= attempts < math.inf:
            raise InputError(f"{name} attempts: {attempts}; expected a number, 0 or more")
    return Forecast(far * impostor, frr * genuine)


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
