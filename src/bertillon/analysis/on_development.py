"""Thresholds fixed on development scores and judged on those of an evaluation.

Holds `judge`, which makes a `DevelopmentResult`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bertillon.analysis.development import FixedThreshold, apply_threshold, expected_performance_curve
from bertillon.core.errors import InputError
from bertillon.evaluation import ScoreEvaluation
from bertillon.trials.score_set import ScoreSet


@dataclass(frozen=True, slots=True)
class DevelopmentResult:
    """Thresholds found on development scores, and what they give on the scores of an evaluation."""

    evaluation: ScoreEvaluation
    development: ScoreSet
    thresholds: tuple[FixedThreshold, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The thresholds and the expected performance curve, for JSON."""
        curve = expected_performance_curve(self.development, _scores(self.evaluation), level=self.level)
        return {
            "name": self.development.name,
            "thresholds": [threshold.to_dict() for threshold in self.thresholds],
            "expected_performance_curve": curve.to_dict(),
        }


def judge(development: ScoreSet, evaluation: ScoreEvaluation, *, level: float) -> DevelopmentResult:
    """Fix the thresholds of the EER and of every rate asked for on the development scores, and apply them."""
    scores = _scores(evaluation)
    thresholds = (apply_threshold(development, scores, criterion, level=level) for criterion in _criteria(evaluation))
    return DevelopmentResult(evaluation, development, tuple(thresholds), level)


def _criteria(evaluation: ScoreEvaluation) -> list[str]:
    """The measures that pick a threshold by a rate, and the EER before them."""
    at_rates = [str(measure) for measure in evaluation.measures if measure.at_target]
    return list(dict.fromkeys(["EER", *at_rates]))


def _scores(evaluation: ScoreEvaluation) -> ScoreSet:
    if evaluation.trials.form != "whole":
        raise InputError(f"{evaluation.name}: --dev needs every score, and these were counted and not kept")
    return evaluation.trials
