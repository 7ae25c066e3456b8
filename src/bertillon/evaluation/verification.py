"""Evaluate 1:1 comparisons: score set to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.fingerprint import fingerprint
from bertillon.counting.outcomes import Outcomes, outcomes, outcomes_on
from bertillon.counting.ranking import wins_from_curve
from bertillon.counting.tally import Need, count_errors, take_tally
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.operating_point import THRESHOLD, MeasureAtPoint
from bertillon.measures.peers import PeerEqualErrorRate, PeerRate
from bertillon.measures.rates import KINDS, GeneralizedRate, OutcomeCount, Rate, is_of_mated
from bertillon.measures.registry import VERIFICATION, MeasureSet
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    from bertillon.counting.tiles.counted_scores import CountedScores

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


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(BaseEvaluation):
    """The answers for one system: read them by name, as in `evaluation["EER"].value`."""

    scores: ScoreSet | CountedScores
    results: Mapping[str, Result]
    curve: ErrorCurve  # every threshold; where there are more than a million scores, an outline exact at each point
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None
    measure_set: ClassVar[MeasureSet] = VERIFICATION

    @property
    def name(self) -> str:
        """The system's name."""
        return self.scores.name

    @property
    def trials(self) -> ScoreSet | CountedScores:
        """What was evaluated."""
        return self.scores

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted."""
        return self.scores.rule

    @property
    def looks_reversed(self) -> bool:
        """Non-mated scores look more alike than mated ones: AUC below one half."""
        counts = self.curve.counts
        wins = wins_from_curve(counts.false_match, counts.false_nonmatch, counts.n_mated)
        return 2 * wins.won + wins.tied < wins.pairs

    @property
    def counts(self) -> dict[str, int]:
        """How many comparisons of each kind, and how many failed."""
        counts = self.curve.counts
        return {
            "mated": counts.n_mated,
            "nonmated": counts.n_nonmated,
            "failed": self.scores.failures.comparisons,
        }

    @property
    def curves(self) -> tuple[str, ...]:
        """ROC and DET, where there are scores of both kinds."""
        return ("roc", "det") if self.curve.counts.n_mated and self.curve.counts.n_nonmated else ()

    @property
    def kept(self) -> ScoreSet:
        """The scores, or what was kept of them: the mated ones and a sample of the others."""
        if isinstance(self.scores, ScoreSet):
            return self.scores
        return ScoreSet(self.scores.mated, self.scores.sample, rule=self.rule, name=self.name)

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at a threshold; counted directly where the scores were kept."""
        if isinstance(self.scores, ScoreSet):
            return outcomes(self.scores, threshold)
        return outcomes_on(self.curve.counts, self.rule, threshold)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return {
            "rule": say("signature.rule.accept", sign=self.rule.sign),
            "thresholds": say("signature.thresholds.scores"),
            "targets": say("signature.targets.at_most"),
            "eer": say("signature.eer.interpolated"),
            "data": self._fingerprint(),
            **({} if isinstance(self.scores, ScoreSet) or not self.scores.tile else {"tile": self.scores.tile}),
        }

    def _fingerprint(self) -> Text:
        if isinstance(self.scores, ScoreSet):
            return fingerprint(self.scores.mated, self.scores.nonmated)
        return say("signature.data.sampled", data=fingerprint(self.scores.mated, self.scores.sample))


def evaluate_counted(counted: CountedScores, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Answer measures about comparisons that were counted and not kept."""
    asked = VERIFICATION.parse_all(measures)
    results = {str(m): _of_counted(m, counted).restored(counted.rule) for m in asked}
    return Evaluation(counted, results, ErrorCurve(counted.tally.outline, counted.rule))


def _of_counted(measure: Measure, counted: CountedScores) -> Result:
    if Need.SCORES in measure.needs or isinstance(measure, PeerRate | PeerEqualErrorRate):
        return Result.undefined(say("reason.scores_not_kept"))
    if _lies_between(measure):
        return Result.undefined(say("reason.nonmated_together"))
    if not set(measure.thresholds) <= set(counted.thresholds):
        return Result.undefined(say("reason.threshold_not_named"))
    return measure.of(counted.tally)


def _lies_between(measure: Measure) -> bool:
    """May it matter which of the non-mated scores between two mated ones is the threshold?

    Between them FNMR stays and FMR falls. So a mated rate, the crossing of both or a least cost is known from the
    counts between mated scores; how near to an FMR one can come is not. Of the measures of other packages nobody knows.
    """
    if not type(measure).__module__.startswith("bertillon."):
        return True
    if isinstance(measure, EqualErrorRate):
        return measure.definition != "interpolated"
    if not isinstance(measure, MeasureAtPoint) or measure.point.key == THRESHOLD:
        return False
    if measure.point.how == "nearest":
        return True
    mated = isinstance(measure, Rate | OutcomeCount | GeneralizedRate) and is_of_mated(measure)
    return not (mated or KINDS[measure.point.key].mated)


def evaluate_scores(scores: ScoreSet, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Answer measures of verification about a score set, counting each thing once."""
    asked = VERIFICATION.parse_all(measures)
    needs: set[Need] = set().union(*(measure.needs for measure in asked))
    tally = take_tally(scores, [measure.seek for measure in asked], needs)
    results = {str(measure): measure.of(tally).restored(scores.rule) for measure in asked}
    return Evaluation(scores, results, ErrorCurve(tally.outline, scores.rule))


def error_curve(scores: ScoreSet) -> ErrorCurve:
    """The whole exact curve, at every distinct threshold whatever the size."""
    return ErrorCurve(count_errors(scores), scores.rule)
