"""Evaluate 1:N searches: search set to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.rank_curve import RankCurve
from bertillon.counting.curves.watch_list import WatchListCurve
from bertillon.counting.search_tally import SearchTally, search_fingerprint
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification import IDENTIFICATION
from bertillon.measures.registry import MeasureSet
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings
from bertillon.trials.search_set import SearchSet

CLOSED_SET_MEASURES = ("RR", "CMS@5", "CMS@10", "MeanRank", "nAUC")
OPEN_SET_MEASURES = ("DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "EERopen", "AUCopen")
FUSIONS = ("best", "mean", "max", "min", "none")  # those with words of their own


@dataclass(frozen=True, eq=False, repr=False)
class SearchEvaluation(BaseEvaluation):
    """The answers for one system: read them by name, as in `evaluation["DIR@FPIR=0.01,k=1"].value`."""

    searches: SearchSet
    results: Mapping[str, Result]
    tally: SearchTally
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None
    measure_set: ClassVar[MeasureSet] = IDENTIFICATION

    @property
    def name(self) -> str:
        """The system's name."""
        return self.searches.name

    @property
    def trials(self) -> SearchSet:
        """What was evaluated."""
        return self.searches

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold passes."""
        return self.searches.rule

    @property
    def cmc(self) -> RankCurve:
        """Cumulative match characteristic."""
        return RankCurve.of(self.tally)

    @property
    def watch_list(self) -> WatchListCurve:
        """Watch-list ROC at rank 1."""
        return WatchListCurve.of(self.tally)

    @property
    def curves(self) -> tuple[str, ...]:
        """The CMC, and the watch list where somebody is not enrolled and scores are known."""
        if not self.tally.n_enrolled:
            return ()
        return ("cmc", "watch-list") if self.tally.n_nonenrolled and self.searches.scored else ("cmc",)

    @property
    def counts(self) -> dict[str, int]:
        """How many searches of each kind, how many failed, and how many people are in the gallery."""
        return {
            "enrolled": self.tally.n_enrolled,
            "nonenrolled": self.tally.n_nonenrolled,
            "failed": self.searches.failed,
            "gallery": self.tally.gallery_size,
        }

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return {
            "rule": say("signature.rule.pass", sign=self.rule.sign),
            "thresholds": say("signature.thresholds.searches"),
            "targets": say("signature.targets.at_most"),
            "dir": say("signature.dir.passes"),
            "ties": say("signature.ties.pessimistic"),
            "fusion": _fusion(self.searches.fusion),
            "failed": say("signature.failed.left_out"),
            "eer": say("signature.eer.interpolated"),
            "data": search_fingerprint(self.searches),
        }


def _fusion(name: str) -> Text:
    return say(f"signature.fusion.{name}") if name in FUSIONS else name


def default_measures(searches: SearchSet) -> tuple[str, ...]:
    """The closed-set measures, and the open-set ones where there are non-enrolled searches."""
    return (*CLOSED_SET_MEASURES, *OPEN_SET_MEASURES) if searches.n_nonenrolled else CLOSED_SET_MEASURES


def evaluate_searches(
    searches: SearchSet, measures: Iterable[str | Measure] | str | Measure | None = None
) -> SearchEvaluation:
    """Answer measures of identification about a set of searches; the usual ones where none are named.

    >>> evaluation = evaluate_searches(SearchSet.from_ranks([1, 1, 2, 5], gallery_size=10))
    >>> evaluation["RR"].value, evaluation["CMS@5"].value, evaluation["MeanRank"].value
    (0.5, 1.0, 2.25)
    """
    named = default_measures(searches) if measures is None else measures
    asked = IDENTIFICATION.parse_all([named] if isinstance(named, str | Measure) else named)
    tally = SearchTally(searches)
    results = {str(measure): measure.of(tally).restored(searches.rule) for measure in asked}
    return SearchEvaluation(searches, results, tally)
