"""Evaluate trials: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for. Thresholds in an evaluation are in the user's
units. Every evaluation carries a signature from which it can be repeated. What a kind of trials needs is imported when
the first of them is met, so that comparisons never wait for classifiers.

Holds `evaluate`, and one module a question:

    verification     score sets and counted comparisons -> `Evaluation`; `error_curve`
    from_curve       listed error rates, without scores -> `CurveEvaluation`
    identification   searches -> `SearchEvaluation`; `indexed`: what an approximate index of the gallery loses
    classification   predictions -> `ClassEvaluation`; `deciding`: under a rule that decides; `class_sections`: the
                     measures of the whole report; `class_groups`: group by group
    streams          scores that are not held in memory -> `StreamEvaluation`; with `stream_visits` and `stream_bounds`
    templates        templates -> trials of each mode; `repeated`: one protocol over many random partitions
    answers          what every evaluation has: results by name, intervals, signature, and the ways out to dict and JSON
    bands            the bands of an evaluation's curves
    in_use           errors to expect among so many attempts; `on_development`: thresholds fixed on other scores;
                     `on_samples`: errors by discarded quality, and who causes them
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

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
    from bertillon.evaluation.verification import DEFAULT_MEASURES, Evaluation, error_curve
    from bertillon.trials.score_stream import ScoreStream

__all__ = ["DEFAULT_MEASURES", "ClassEvaluation", "Evaluation", "SearchEvaluation", "error_curve", "evaluate"]

_HOME = {
    "ClassEvaluation": "classification",
    "DEFAULT_MEASURES": "verification",
    "Evaluation": "verification",
    "SearchEvaluation": "identification",
    "error_curve": "verification",
}

Asked = Iterable[str | Measure] | str | Measure | None


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


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
