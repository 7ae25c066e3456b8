"""Evaluate trials of any kind: `evaluate`, the one composer of counting, curves and measures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, overload

from bertillon.core.errors import InputError
from bertillon.measures.base import Measure
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet

if TYPE_CHECKING:
    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tiles.counted_scores import CountedScores
    from bertillon.evaluation.classification import ClassEvaluation
    from bertillon.evaluation.from_curve import CurveEvaluation
    from bertillon.evaluation.identification import SearchEvaluation
    from bertillon.evaluation.streams import StreamEvaluation
    from bertillon.evaluation.verification import Evaluation
    from bertillon.trials.score_stream import ScoreStream


Asked = Iterable[str | Measure] | str | Measure | None


@overload
def evaluate(trials: RateCurve, measures: Asked = None) -> CurveEvaluation: ...
@overload
def evaluate(trials: SearchSet, measures: Asked = None) -> SearchEvaluation: ...
@overload
def evaluate(trials: Predictions, measures: Asked = None) -> ClassEvaluation: ...
@overload
def evaluate(trials: ScoreCounts, measures: Asked = None) -> StreamEvaluation: ...
@overload
def evaluate(trials: ScoreSet | CountedScores | ScoreStream, measures: Asked = None) -> Evaluation: ...
@overload
def evaluate(trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts, measures: Asked = None) -> Evaluation: ...
def evaluate(
    trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts | SearchSet | Predictions | RateCurve,
    measures: Asked = None,
) -> Evaluation | SearchEvaluation | ClassEvaluation | CurveEvaluation:
    """Answer the measures about the trials of one system; the usual ones of the mode where none are named.

    >>> e = evaluate(ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    if isinstance(trials, SearchSet):
        from bertillon.evaluation.identification import evaluate_searches

        return evaluate_searches(trials, measures)
    if isinstance(trials, Predictions):
        from bertillon.evaluation.classification import evaluate_predictions

        return evaluate_predictions(trials, measures)
    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.evaluation.verification import DEFAULT_MEASURES, evaluate_scores

    if isinstance(trials, RateCurve):
        from bertillon.evaluation.from_curve import evaluate_curve

        return evaluate_curve(trials, [measures] if isinstance(measures, str | Measure) else measures)
    named = DEFAULT_MEASURES if measures is None else measures
    asked = [named] if isinstance(named, str | Measure) else named
    return evaluate_scores(trials, asked) if isinstance(trials, ScoreSet) else _evaluate_counted(trials, asked)


def _evaluate_counted(
    trials: CountedScores | ScoreStream | ScoreCounts, measures: Iterable[str | Measure]
) -> Evaluation:
    """Scores that are not, or no longer, held in memory."""
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tiles.counted_scores import CountedScores
    from bertillon.evaluation.streams import StreamedScores, evaluate_counts, evaluate_stream, evaluate_streamed
    from bertillon.evaluation.verification import evaluate_counted
    from bertillon.trials.score_stream import ScoreStream

    if isinstance(trials, ScoreStream):
        return evaluate_stream(trials, measures)
    if isinstance(trials, ScoreCounts):
        return evaluate_counts(trials, measures)
    if isinstance(trials, StreamedScores):
        return evaluate_streamed(trials, measures)
    if isinstance(trials, CountedScores):
        return evaluate_counted(trials, measures)
    raise InputError(
        f"a {type(trials).__name__} cannot be evaluated; expected trials: ScoreSet(mated, nonmated) for comparisons, "
        "a SearchSet for searches, or Predictions"
    )
