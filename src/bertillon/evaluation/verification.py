"""Evaluate 1:1 comparisons: score set to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.outcomes import Outcomes, outcomes, outcomes_on
from bertillon.counting.ranking import wins_from_curve
from bertillon.counting.tally import Needs, count_errors
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.known import KnownCells, result_of
from bertillon.measures.registry import VERIFICATION
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

    @property
    def trials(self) -> ScoreSet | CountedScores:
        """What was evaluated."""
        return self.scores

    @property
    def looks_reversed(self) -> bool:
        """Non-mated scores look more alike than mated ones: AUC below one half."""
        counts = self.curve.counts
        wins = wins_from_curve(counts.false_match, counts.false_nonmatch, counts.n_mated)
        return 2 * wins.won + wins.tied < wins.pairs

    @property
    def kept(self) -> ScoreSet:
        """The scores, or what was kept of them: the mated ones and a sample of the others."""
        if self.scores.form == "whole":
            return self.scores
        return ScoreSet(self.scores.mated, self.scores.sample, rule=self.rule, name=self.name)

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at a threshold; counted directly where the scores were kept."""
        if self.scores.form == "whole":
            return outcomes(self.scores, threshold)
        return outcomes_on(self.curve.counts, self.rule, threshold)


def evaluate_counted(counted: CountedScores, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Answer measures about comparisons that were counted and not kept."""
    asked = VERIFICATION.parse_all(measures)
    known = KnownCells(counted.tally, counted.thresholds)
    results = {str(measure): result_of(measure.on(known)).restored(counted.rule) for measure in asked}
    return Evaluation(counted, results, ErrorCurve(counted.tally.outline, counted.rule))


def evaluate_scores(scores: ScoreSet, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Answer measures of verification about a score set, counting each thing once."""
    asked = VERIFICATION.parse_all(measures)
    tally = scores.count(Needs.of(asked))
    results = {str(measure): measure.of(tally).restored(scores.rule) for measure in asked}
    return Evaluation(scores, results, ErrorCurve(tally.outline, scores.rule))


def error_curve(scores: ScoreSet) -> ErrorCurve:
    """The whole exact curve, at every distinct threshold whatever the size."""
    return ErrorCurve(count_errors(scores), scores.rule)
