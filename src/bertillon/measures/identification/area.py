"""The area under the watch-list ROC.

AUCopen   ∫ DIR(t, 1) dFPIR, trapezoids between neighbouring thresholds: the share of (enrolled, non-enrolled) pairs of
          searches in which the mate is at rank 1 and more alike than the top of the non-enrolled one, ties half
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.counting.summaries import wins_from_curve
from bertillon.measures.area import AreaUnderRoc
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification.common import Miss, missing, variant_of, words_of
from bertillon.measures.plans import IntervalPlan, Resample
from bertillon.measures.registry import IDENTIFICATION, SHARE, Definition, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.search_tally import TIES, SearchTally


@dataclass(frozen=True, slots=True)
class OpenArea(Measure):
    """The whole area under (FPIR, DIR at rank 1)."""

    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> OpenArea:
        reject_extras(spelling)
        return cls(*words_of(spelling, TIES))

    @property
    def spelling(self) -> Spelling:
        return Spelling("AUCopen", variant_of([self.ties], TIES))

    def of(self, tally: SearchTally) -> Result:
        reason = missing(tally, enrolled=True, nonenrolled=True)
        if reason:
            return Result.undefined(reason)
        counts = tally.watch_list(1, self.ties)
        wins = wins_from_curve(counts.false_match, counts.false_nonmatch, counts.n_mated)
        silent = counts.n_nonmated - int(counts.false_match[0])  # lists that came back empty lose to any mate
        detected = counts.n_mated - int(counts.false_nonmatch[0])
        return Result((2 * wins.won + wins.tied + 2 * silent * detected) / (2 * counts.n_mated * counts.n_nonmated))

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(AreaUnderRoc(), Miss(ties=self.ties))


IDENTIFICATION.register(
    Definition(
        "AUCopen",
        OpenArea.build,
        "area under the watch-list ROC (variants optimistic, mean)",
        "AUCopen",
        "∫ DIR(t, 1) dFPIR(t)",
        ("AUC-DIR",),
        reference="Phillips, Grother and Micheals 2005 (watch list)",
        better="higher",
        ends=SHARE,
    )
)
