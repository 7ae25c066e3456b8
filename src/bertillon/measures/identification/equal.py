"""The equal error rate of a watch list: where FPIR = 1 - DIR(t, 1), with its threshold.

EERopen            interpolated: where straight lines between neighbouring thresholds make both equal
EERopen[nearest]   mean of both at the threshold where they are closest
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.messages import say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally
from bertillon.measures.base import Measure, Result
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.identification.common import Miss, missing, variant_of, words_of
from bertillon.measures.plans import IntervalPlan, Resample
from bertillon.measures.registry import IDENTIFICATION, Definition, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.search_tally import TIES, SearchTally

DEFINITIONS = ("interpolated", "nearest")


@dataclass(frozen=True, slots=True)
class OpenEqualErrorRate(Measure):
    """The rate at which false alarms and misses at rank 1 are equally frequent."""

    definition: str = DEFINITIONS[0]
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> OpenEqualErrorRate:
        reject_extras(spelling)
        return cls(*words_of(spelling, DEFINITIONS, TIES))

    @property
    def spelling(self) -> Spelling:
        return Spelling("EERopen", variant_of([self.definition, self.ties], DEFINITIONS, TIES))

    def of(self, tally: SearchTally) -> Result:
        reason = missing(tally, enrolled=True, nonenrolled=True)
        if reason:
            return Result.undefined(reason)
        counts = tally.watch_list(1, self.ties)
        if not _meet(counts):
            return Result.undefined(say("reason.never_equal"))
        return EqualErrorRate(self.definition).of(Tally(counts, counts, tally.rule, Failures()))

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(EqualErrorRate(self.definition), Miss(ties=self.ties))


def _meet(counts: BinaryCounts) -> bool:
    """Is FPIR at least FNIR at the most permissive threshold? Empty candidate lists may keep it below."""
    return int(counts.false_match[0]) * counts.n_mated >= int(counts.false_nonmatch[0]) * counts.n_nonmated


IDENTIFICATION.register(
    Definition(
        "EERopen",
        OpenEqualErrorRate.build,
        "open-set equal error rate (variants nearest; optimistic, mean)",
        "EERopen",
        "FPIR(t) = 1 - DIR(t, 1)",
        ("EER", "equal-error-rate"),
        "rate",
        reference="ISO/IEC 19795-1 (FPIR and FNIR)",
        better="lower",
    )
)
