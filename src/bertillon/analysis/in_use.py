"""What to expect in use: errors among so many attempts, at each operating point of an evaluation.

Holds `forecasts`, a list of `Expected`, and `attempt_rates` (FAR and FRR).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bertillon.analysis.forecast import forecast
from bertillon.counting.scores import Failures
from bertillon.evaluation import ScoreEvaluation


@dataclass(frozen=True, slots=True)
class Expected:
    """Rates at one operating point, failures counted in, and the errors to expect from them."""

    point: str
    threshold: float
    far: float
    frr: float
    false_accepts: float
    false_rejects: float


def forecasts(evaluation: ScoreEvaluation, *, genuine: float = 0.0, impostor: float = 0.0) -> list[Expected]:
    """One forecast for every measure that has a finite threshold."""
    expected = []
    for name, result in evaluation.results.items():
        if result.threshold is None or not math.isfinite(result.threshold):
            continue
        counted = evaluation.trials.outcomes(result.threshold)
        far, frr = attempt_rates(
            counted.false_match, counted.false_nonmatch, counts=evaluation.counts, failures=evaluation.trials.failures
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
