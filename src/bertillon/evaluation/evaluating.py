"""Evaluate trials of any kind: `evaluate`, the one composer of counting, curves and measures.

Conventions: trials say what they are (see `bertillon.trials.protocol`), and they are counted once for all measures
asked for. Comparisons that are not held are walked or added up first; what does so is found by kind and form, and
imported when the first of such trials is met, so that comparisons never wait for classifiers. Of a kind without usual
measures, such as one of another package, all measures are asked.

Holds `evaluate`, `usual_measures`, `error_curve`, and `LIMITS`: up to which size scores and counts are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.tally import Needs, Tally, count_errors
from bertillon.engine.jobs import Progress
from bertillon.evaluation.evaluation import (
    AnyEvaluation,
    ClassEvaluation,
    CurveEvaluation,
    Evaluation,
    ScoreEvaluation,
    SearchEvaluation,
    StreamEvaluation,
)
from bertillon.measures.base import Measure
from bertillon.measures.registry import measure_set_of
from bertillon.trials.protocol import Countable
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tally import CountedScores
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.score_set import ScoreStream
    from bertillon.trials.search_set import SearchSet

DEFAULT_MEASURES = (
    "EER",
    "FNMR@FMR=0.01",
    "FNMR@FMR=0.001",
    "FNMR@FMR=0.0001",
    "ZeroFMR",
    "ZeroFNMR",
    "AUC",
    "dprime",
    "dprime[sum]",
)
CURVE_MEASURES = ("EER", "EER[nearest]", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR", "ZeroFNMR", "minHTER", "AUC")
CLOSED_SET_MEASURES = ("RR", "CMS@5", "CMS@10", "MeanRank", "nAUC")
OPEN_SET_MEASURES = ("DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "EERopen", "AUCopen")
USUAL_MEASURES = {  # of kinds of which the same is asked whatever the trials hold
    "verification": DEFAULT_MEASURES,
    "curve": CURVE_MEASURES,
    "attacks": ("IAPAR@FMR=0.001", "RIAPAR@FMR=0.001", "APNRR"),
    "attack-detection": ("BPCER10", "BPCER20", "BPCER100", "APNRR", "BPNRR"),
}

Asked = Iterable[str | Measure] | str | Measure | None

_COUNTED_FIRST = {  # by kind and form: what makes trials that can be counted of those that are not held
    ("verification", "stream"): ("bertillon.evaluation.streams", "count_stream"),
    ("verification", "counts"): ("bertillon.evaluation.streams", "count_stream"),
}


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    keys_in_file: int = 1 << 15  # told apart besides the tails, or a hundredth of the scores where that is more
    kept_comparisons: int = 20_000_000  # comparisons; their scores and ids fit in memory


LIMITS = Limits()


@overload
def evaluate(trials: RateCurve, measures: Asked = None) -> CurveEvaluation: ...
@overload
def evaluate(trials: SearchSet, measures: Asked = None) -> SearchEvaluation: ...
@overload
def evaluate(trials: Predictions, measures: Asked = None) -> ClassEvaluation: ...
@overload
def evaluate(trials: ScoreSet, measures: Asked = None) -> Evaluation[ScoreSet, Tally]: ...
@overload
def evaluate(trials: ScoreCounts, measures: Asked = None) -> StreamEvaluation: ...
@overload
def evaluate(
    trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts,
    measures: Asked = None,
    *,
    progress: Progress | None = None,
) -> ScoreEvaluation: ...
@overload
def evaluate(trials: Countable, measures: Asked = None) -> AnyEvaluation: ...
def evaluate(trials: Any, measures: Asked = None, *, progress: Progress | None = None) -> AnyEvaluation:
    """Answer the measures about the trials of one system; the usual ones of the mode where none are named.

    `progress` watches how a stream is walked.

    >>> import bertillon as bt
    >>> e = evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    if not hasattr(trials, "kind") or not hasattr(trials, "form"):
        raise InputError(
            f"a {type(trials).__name__} cannot be evaluated; expected trials: ScoreSet(mated, nonmated) for "
            "comparisons, a SearchSet for searches, Predictions, SystemAttacks or DetectorAttacks"
        )
    named = usual_measures(trials) if measures is None else measures
    asked = measure_set_of(trials.kind).parse_all([named] if isinstance(named, str | Measure) else named)
    if (trials.kind, trials.form) in _COUNTED_FIRST:
        module, name = _COUNTED_FIRST[trials.kind, trials.form]
        count: Callable[..., Countable] = getattr(import_module(module), name)
        trials = count(trials, asked, progress)
    return Evaluation.of(trials, trials.count(Needs.of(asked)), asked)


def usual_measures(trials: Any) -> tuple[str, ...]:
    """What is asked about trials where no measure is named."""
    if trials.kind in USUAL_MEASURES:
        return USUAL_MEASURES[trials.kind]
    if trials.kind == "identification":
        return (*CLOSED_SET_MEASURES, *OPEN_SET_MEASURES) if trials.n_nonenrolled else CLOSED_SET_MEASURES
    if trials.kind == "classification":
        from bertillon.evaluation.classification import class_measures

        return class_measures(trials)
    return tuple(definition.example for definition in measure_set_of(trials.kind).definitions.values())


def error_curve(scores: ScoreSet) -> ErrorCurve:
    """The whole exact curve, at every distinct threshold whatever the size."""
    return ErrorCurve(count_errors(scores), scores.rule)
