"""Evaluate trials: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for. Thresholds in an evaluation are in the user's
units. Every evaluation carries a signature from which it can be repeated.

Holds `evaluate` and `error_curve`, and one module a mode: `verification` with its `Evaluation`, `identification` with
its `SearchEvaluation`, `classification` with its `ClassEvaluation`. `answers` is what they share; `templates` makes
trials of templates; `streams` evaluates scores that are not held in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import overload

from bertillon.counts.comparisons import CountedScores
from bertillon.counts.stream_counts import ScoreCounts
from bertillon.evaluation.classification import ClassEvaluation, evaluate_predictions
from bertillon.evaluation.identification import SearchEvaluation, evaluate_searches
from bertillon.evaluation.streams import StreamedScores, evaluate_counts, evaluate_stream, evaluate_streamed
from bertillon.evaluation.verification import (
    DEFAULT_MEASURES,
    Evaluation,
    error_curve,
    evaluate_counted,
    evaluate_scores,
)
from bertillon.measures.base import Measure
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.score_stream import ScoreStream
from bertillon.trials.search_set import SearchSet

__all__ = ["DEFAULT_MEASURES", "ClassEvaluation", "Evaluation", "SearchEvaluation", "error_curve", "evaluate"]

Asked = Iterable[str | Measure] | str | Measure | None


@overload
def evaluate(trials: SearchSet, measures: Asked = None) -> SearchEvaluation: ...
@overload
def evaluate(trials: Predictions, measures: Asked = None) -> ClassEvaluation: ...
@overload
def evaluate(trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts, measures: Asked = None) -> Evaluation: ...
def evaluate(
    trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts | SearchSet | Predictions, measures: Asked = None
) -> Evaluation | SearchEvaluation | ClassEvaluation:
    """Answer the measures about the trials of one system; the usual ones of the mode where none are named.

    >>> e = evaluate(ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    asked = [measures] if isinstance(measures, str | Measure) else measures
    if isinstance(trials, SearchSet):
        return evaluate_searches(trials, asked)
    if isinstance(trials, Predictions):
        return evaluate_predictions(trials, asked)
    asked = DEFAULT_MEASURES if asked is None else asked
    if isinstance(trials, ScoreStream):
        return evaluate_stream(trials, asked)
    if isinstance(trials, ScoreCounts):
        return evaluate_counts(trials, asked)
    if isinstance(trials, StreamedScores):
        return evaluate_streamed(trials, asked)
    if isinstance(trials, CountedScores):
        return evaluate_counted(trials, asked)
    return evaluate_scores(trials, asked)
