"""How often the system gives no score at all.

FTA   failed comparisons / attempted comparisons (NaN in the data, or stated)
FTE   failed enrolments / attempted enrolments (stated with the data)
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.messages import say
from bertillon.counting.tally import Tally
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import IntervalPlan, Proportion
from bertillon.measures.registry import Definition, register, reject_all_but_name
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class FailureRate(Measure):
    """Share of attempts that failed before a score."""

    name: str

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name)

    def of(self, tally: Tally) -> Result:
        failures = tally.failures
        if self.name == "FTA":
            failed, attempts = failures.comparisons, tally.n_mated + tally.n_nonmated + failures.comparisons
        else:
            failed, attempts = failures.enrolments, failures.enrolment_attempts
        if not attempts:
            return Result.undefined(say("reason.no_enrolments") if self.name == "FTE" else say("reason.no_comparisons"))
        return Result.share(failed, attempts)

    @property
    def counts_failures(self) -> bool:
        return self.name == "FTA"

    @property
    def counts_enrolments(self) -> bool:
        return self.name == "FTE"

    def interval(self, result: Result) -> IntervalPlan:
        return Proportion()


def _build(spelling: Spelling) -> FailureRate:
    reject_all_but_name(spelling)
    return FailureRate(spelling.name)


for _name, _summary, _formula, _synonym in (
    ("FTA", "failure to acquire rate", "failed / attempted comparisons", "failure-to-acquire"),
    ("FTE", "failure to enrol rate", "failed / attempted enrolments", "failure-to-enrol"),
):
    _iso = f"{_synonym} rate"
    _standard = "ISO/IEC 19795-1"
    register(Definition(_name, _build, _summary, _name, _formula, (_synonym,), "rate", _iso, _standard, better="lower"))
