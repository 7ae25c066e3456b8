"""What to expect in use: errors among so many attempts, at each operating point of an evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.analysis.forecast import forecast
from bertillon.evaluation import Evaluation


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
        far, frr = _system_rates(evaluation, result.threshold)
        errors = forecast(far, frr, genuine=genuine, impostor=impostor)
        expected.append(Expected(name, result.threshold, far, frr, errors.false_accepts, errors.false_rejects))
    return expected


def _system_rates(evaluation: Evaluation, threshold: float) -> tuple[float, float]:
    counted, failures = evaluation.outcomes(threshold), evaluation.scores.failures
    impostors = evaluation.counts["nonmated"] + failures.nonmated
    genuine = evaluation.counts["mated"] + failures.mated
    return counted.false_match / impostors, (counted.false_nonmatch + failures.mated) / genuine
