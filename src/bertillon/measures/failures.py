"""How often the system gives no score at all, and rates of a whole system in which that counts.

FTA    failed comparisons / attempted comparisons (NaN in the data, or stated)
FTE    failed enrolments / attempted enrolments (stated with the data)
GFAR   FMR (1 - FTA) (1 - FTE), one attempt a transaction
GFRR   FTE + (1 - FTE) FRR

`GFAR(fta=,fte=)` and `GFRR(fta=,fte=)` take the rates of failures from outside the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.messages import say
from bertillon.counting.tally import Tally
from bertillon.measures.base import NamedMeasure, Result, Spelling
from bertillon.measures.operating_point import HOW, ErrorsAtPoint, OperatingPoint
from bertillon.measures.plans import Failed, Follows, IntervalPlan, Proportion
from bertillon.measures.rates import Rate, share_of
from bertillon.measures.registry import Definition


@dataclass(frozen=True, slots=True)
class FailureRate(NamedMeasure):
    """Share of attempts that failed before a score."""

    name: str

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


@dataclass(frozen=True, slots=True)
class GeneralizedRate(ErrorsAtPoint):
    """FAR or FRR of a whole system: failures to acquire and to enrol counted in, one attempt a transaction."""

    kind: str
    point: OperatingPoint
    fta: float | None
    fte: float | None

    @classmethod
    def build(cls, spelling: Spelling) -> GeneralizedRate:
        how = spelling.pick(HOW[:1], options=("fta", "fte"), at=None)
        fta, fte = share_of(spelling, "fta"), share_of(spelling, "fte")
        return cls(spelling.name, OperatingPoint.of(spelling, how), fta, fte)

    @property
    def spelling(self) -> Spelling:
        failure_rates = {"fta": self.fta, "fte": self.fte}
        options = {key: value for key, value in failure_rates.items() if value is not None}
        return Spelling(self.kind, options=options, at=self.at)

    def of(self, tally: Tally) -> Result:
        system = self._system.of(tally)
        fte = self.fte if self.fte is not None else _measured_fte(tally)
        if fte is None:
            return Result.undefined(say("reason.unknown_fte"))
        value = system.value * (1 - fte) + (fte if self.kind == "GFRR" else 0.0)
        return Result(value, system.threshold, reason=system.reason)

    @property
    def _system(self) -> Rate:
        """The same without failures to enrol."""
        return Rate("FAR" if self.kind == "GFAR" else "FRR", self.point, self.fta)

    def interval(self, result: Result) -> IntervalPlan:
        if self.fte is None:
            return Follows(self._system, failed=Failed.ENROLMENTS, add=self.mated)
        return Follows(self._system, 1.0 - self.fte, self.fte if self.mated else 0.0)

    @property
    def mated(self) -> bool:
        return self.kind == "GFRR"

    @property
    def counts_failures(self) -> bool:
        return True

    @property
    def counts_enrolments(self) -> bool:
        return True


def _measured_fte(tally: Tally) -> float | None:
    attempts = tally.failures.enrolment_attempts
    return tally.failures.enrolments / attempts if attempts else None


def _define(name: str, summary: str, formula: str, synonyms: tuple[str, ...] = ()) -> Definition:
    build, example = (FailureRate.build, name) if synonyms else (GeneralizedRate.build, f"{name}@t=0.5")
    iso = f"{synonyms[0]} rate" if synonyms else summary
    about = summary, example, formula, synonyms
    return Definition(name, build, *about, "rate", iso, "ISO/IEC 19795-1", better="lower")


DEFINITIONS = (
    _define("FTA", "failure to acquire rate", "failed / attempted comparisons", ("failure-to-acquire",)),
    _define("FTE", "failure to enrol rate", "failed / attempted enrolments", ("failure-to-enrol",)),
)
GENERALIZED = (
    _define("GFAR", "generalized false accept rate", "FMR (1 - FTA) (1 - FTE)"),
    _define("GFRR", "generalized false reject rate", "FTE + (1 - FTE) FRR"),
)
