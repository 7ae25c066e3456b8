"""Evaluate trials of any kind: `evaluate`, the one composer of counting, curves and measures.

Conventions: trials say what they are (see `bertillon.trials.protocol`), and what answers about them is found by that:
by their kind and, where these are comparisons, by how much of them is there. It is imported when the first of such
trials is met, so that comparisons never wait for classifiers. Of a kind that has nothing of its own, such as one of
another package, the trials are counted, and their measures read the tally.

Holds `evaluate`, and `TrialsEvaluation` with `evaluate_trials` for kinds without anything of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from bertillon.core.errors import InputError
from bertillon.counting.tally import Needs
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import measure_set_of
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings
from bertillon.trials.protocol import Countable

if TYPE_CHECKING:
    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tiles.counted_scores import CountedScores
    from bertillon.evaluation.classification import ClassEvaluation
    from bertillon.evaluation.from_curve import CurveEvaluation
    from bertillon.evaluation.identification import SearchEvaluation
    from bertillon.evaluation.streams import StreamEvaluation
    from bertillon.evaluation.verification import Evaluation
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.score_set import ScoreSet
    from bertillon.trials.score_stream import ScoreStream
    from bertillon.trials.search_set import SearchSet


Asked = Iterable[str | Measure] | str | Measure | None

_EVALUATORS = {  # by kind and form: the module of this room that evaluates such trials, and its function
    ("verification", "whole"): ("verification", "evaluate_scores"),
    ("verification", "counted"): ("verification", "evaluate_counted"),
    ("verification", "streamed"): ("streams", "evaluate_streamed"),
    ("verification", "stream"): ("streams", "evaluate_stream"),
    ("verification", "counts"): ("streams", "evaluate_counts"),
    ("identification", "whole"): ("identification", "evaluate_searches"),
    ("classification", "whole"): ("classification", "evaluate_predictions"),
    ("curve", "whole"): ("from_curve", "evaluate_curve"),
}


@dataclass(frozen=True, eq=False, repr=False)
class TrialsEvaluation(BaseEvaluation):
    """The answers about trials of any kind: read them by name, as in `evaluation["EER"].value`."""

    counted: Countable
    results: Mapping[str, Result]
    tally: Any  # what the measures read
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None

    @property
    def trials(self) -> Countable:
        """What was evaluated."""
        return self.counted


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
@overload
def evaluate(trials: Countable, measures: Asked = None) -> BaseEvaluation: ...
def evaluate(trials: Any, measures: Asked = None) -> BaseEvaluation:
    """Answer the measures about the trials of one system; the usual ones of the mode where none are named.

    >>> import bertillon as bt
    >>> e = evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    if not hasattr(trials, "kind") or not hasattr(trials, "form"):
        raise InputError(
            f"a {type(trials).__name__} cannot be evaluated; expected trials: ScoreSet(mated, nonmated) for "
            "comparisons, a SearchSet for searches, or Predictions"
        )
    module, name = _EVALUATORS.get((trials.kind, trials.form), ("evaluating", "evaluate_trials"))
    evaluator: Callable[..., BaseEvaluation] = getattr(import_module(f"bertillon.evaluation.{module}"), name)
    if measures is None:
        return evaluator(trials)
    return evaluator(trials, [measures] if isinstance(measures, str | Measure) else measures)


def evaluate_trials(trials: Countable, measures: Iterable[str | Measure] | None = None) -> TrialsEvaluation:
    """Answer measures about trials of any kind, counting them once; all that the kind has where none are named."""
    known = measure_set_of(trials.kind)
    examples = (definition.example for definition in known.definitions.values())
    asked = known.parse_all(examples if measures is None else measures)
    tally = trials.count(Needs.of(asked))
    return TrialsEvaluation(trials, {str(measure): measure.of(tally).restored(trials.rule) for measure in asked}, tally)
