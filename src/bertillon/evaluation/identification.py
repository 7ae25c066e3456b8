"""Evaluate 1:N searches: search set to answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bertillon.counting.curves.search_curves import RankCurve, WatchListCurve
from bertillon.counting.search_tally import SearchTally
from bertillon.counting.tally import Needs
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification import IDENTIFICATION
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings
from bertillon.trials.search_set import SearchSet

CLOSED_SET_MEASURES = ("RR", "CMS@5", "CMS@10", "MeanRank", "nAUC")
OPEN_SET_MEASURES = ("DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "EERopen", "AUCopen")


@dataclass(frozen=True, eq=False, repr=False)
class SearchEvaluation(BaseEvaluation):
    """The answers for one system: read them by name, as in `evaluation["DIR@FPIR=0.01,k=1"].value`."""

    searches: SearchSet
    results: Mapping[str, Result]
    tally: SearchTally
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None

    @property
    def trials(self) -> SearchSet:
        """What was evaluated."""
        return self.searches

    @property
    def cmc(self) -> RankCurve:
        """Cumulative match characteristic."""
        return RankCurve.of(self.tally)

    @property
    def watch_list(self) -> WatchListCurve:
        """Watch-list ROC at rank 1."""
        return WatchListCurve.of(self.tally)


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
    tally = searches.count(Needs.of(asked))
    results = {str(measure): measure.of(tally).restored(searches.rule) for measure in asked}
    return SearchEvaluation(searches, results, tally)
