"""Evaluate trials: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for. Thresholds in an evaluation are in the user's
units. Every evaluation carries a signature from which it can be repeated.

Holds `evaluate` and `error_curve`, and one module a mode: `verification` with its `Evaluation`. `answers` is what
they share.
"""

from __future__ import annotations

from collections.abc import Iterable

from bertillon.evaluation.verification import DEFAULT_MEASURES, Evaluation, error_curve, evaluate_scores
from bertillon.measures.base import Measure
from bertillon.trials.score_set import ScoreSet

__all__ = ["DEFAULT_MEASURES", "Evaluation", "error_curve", "evaluate"]


def evaluate(trials: ScoreSet, measures: Iterable[str | Measure] | str | Measure = DEFAULT_MEASURES) -> Evaluation:
    """Answer the measures about the trials of one system.

    >>> e = evaluate(ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    return evaluate_scores(trials, [measures] if isinstance(measures, str | Measure) else measures)
