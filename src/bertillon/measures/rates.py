"""Rates and counts of the outcomes of verification at an operating point.

    FMR   false matches / non-mated comparisons          FAR   the same, failed comparisons counted as attempts
    FNMR  false non-matches / mated comparisons          FRR   the same, failed comparisons counted as rejections
    TMR = 1 - FNMR, TNMR = 1 - FMR                       GAR = 1 - FRR, GRR = 1 - FAR
    HTER  mean of FMR and FNMR                           FM, FNM, TM, TNM  the counts themselves

`FAR(fta=0.02)` and `FRR(fta=0.02)` take the failure-to-acquire rate from outside the data, and
`GFAR(fta=,fte=)`, `GFRR(fta=,fte=)` add failures to enrol (one attempt a transaction). `FNMR[bob]@FMR=x` and
`TMR[bob]@FMR=x` read the rate as another tool does (see peers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import NO_MATED, NO_NONMATED, BlockValues, Measure, Result, missing_class
from bertillon.measures.known import Exact, KnownRates
from bertillon.measures.operating_point import HOW, THRESHOLD, CurvePoint, MeasureAtPoint, OperatingPoint
from bertillon.measures.peers import PEERS, RATES, PeerRate
from bertillon.measures.plans import AtTarget, AtThreshold, IntervalPlan, OfDecisions, PairedTest, Resample, Target
from bertillon.measures.registry import Definition, one_of, register, reject_extras
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the four outcomes as a share of its trials."""

    summary: str
    formula: str
    synonyms: tuple[str, ...]
    mated: bool  # of the mated comparisons, or of the others
    wrong: bool  # counts the errors, or the successes
    failed_count: bool  # failed comparisons are trials too (and, for the mated, rejections)

    def count(self, counts: BinaryCounts, row: int) -> tuple[int, int]:
        """Errors, out of how many trials."""
        errors = int(counts.false_nonmatch[row] if self.mated else counts.false_match[row])
        trials = counts.n_mated if self.mated else counts.n_nonmated
        if self.failed_count:
            trials += counts.failed_mated if self.mated else counts.failed_nonmated
            errors += counts.failed_mated if self.mated else 0
        return errors, trials

    def value(self, errors: float, trials: int) -> float:
        """The rate behind so many errors."""
        return (errors if self.wrong else trials - errors) / trials


KINDS = {
    "FMR": Kind("false match rate", "#{non-mated accepted} / #{non-mated}", ("FPR", "fall-out"), False, True, False),
    "FNMR": Kind("false non-match rate", "#{mated rejected} / #{mated}", ("FNR", "miss-rate"), True, True, False),
    "TMR": Kind("true match rate", "1 - FNMR", ("TPR", "recall", "sensitivity", "hit-rate"), True, False, False),
    "TNMR": Kind("true non-match rate", "1 - FMR", ("TNR", "specificity"), False, False, False),
    "FAR": Kind("false accept rate", "FMR (1 - FTA)", ("false-accept-rate",), False, True, True),
    "FRR": Kind("false reject rate", "FTA + FNMR (1 - FTA)", ("false-reject-rate",), True, True, True),
    "GAR": Kind("genuine accept rate", "1 - FRR", ("TAR", "CAR"), True, False, True),
    "GRR": Kind("genuine reject rate", "1 - FAR", ("TRR", "CRR"), False, False, True),
}


@dataclass(frozen=True, slots=True)
class Rate(MeasureAtPoint):
    """A rate at an operating point, such as FNMR@FMR=0.001."""

    kind: str
    point: OperatingPoint
    fta: float | None = None

    @classmethod
    def build(cls, spelling: Spelling) -> Rate:
        options = ("fta",) if KINDS[spelling.name].failed_count else ()
        reject_extras(spelling, options=options, at=tuple(spelling.at))
        fta = spelling.options.get("fta")
        _check_share(spelling, "fta", fta)
        return cls(spelling.name, OperatingPoint.of(spelling, one_of(spelling, HOW)), fta)

    @property
    def spelling(self) -> Spelling:
        variant = "" if self.point.how == HOW[0] else self.point.how
        options = {} if self.fta is None else {"fta": self.fta}
        return Spelling(self.kind, variant, options, {self.point.key: self.point.target})

    def of(self, tally: Tally) -> Result:
        reason = self._undefined(tally)
        if reason:
            return Result.undefined(reason)
        counts = tally.errors
        curve_point = self.point.find(counts, tally.rule)
        if curve_point is None:
            return Result.undefined(say("reason.unreachable", point=self.point.key, target=self.point.target))
        threshold = self.point.shown(curve_point, counts, tally.rule)
        if curve_point.share or self.fta is not None:
            return Result(self._interpolated(counts, curve_point), threshold)
        errors, trials = KINDS[self.kind].count(counts, curve_point.row)
        return Result(KINDS[self.kind].value(errors, trials), threshold, errors, trials)

    def of_block(self, block: CurveBlock) -> BlockValues:
        if self.fta is not None or self.point.how != HOW[0]:
            return Measure.of_block(self, block)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._in_block(block)

    def _in_block(self, block: CurveBlock) -> BlockValues:
        kind = KINDS[self.kind]
        rows, threshold = self.point.rows_in(block)
        errors = block.at(block.false_nonmatch if kind.mated else block.false_match, np.clip(rows, 0, block.cuts.size))
        trials = block.n_mated if kind.mated else block.n_nonmated
        defined = (trials > 0) if self.point.key == THRESHOLD else (block.n_mated > 0) & (block.n_nonmated > 0)
        if kind.failed_count:
            failed_mated, failed_nonmated = block.failed
            trials = trials + (failed_mated if kind.mated else failed_nonmated)
            errors = errors + (failed_mated if kind.mated else 0)
        value = (errors if kind.wrong else trials - errors) / trials
        defined &= rows >= 0
        return np.where(defined, value, np.nan), np.where(defined, threshold, np.nan)

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        if self.fta is not None:
            return rates.not_kept
        kind, point, counts = KINDS[self.kind], self.point, rates.tally.errors
        curve_point = point.find(counts, rates.tally.rule)
        if curve_point is None:
            return say("reason.point_unreachable", point=point.key, target=point.target)
        error = curve_point.between(rates.curve.fnmr if kind.mated else rates.curve.fmr)
        threshold = point.shown(curve_point, counts, rates.tally.rule)
        return Exact(Result(error if kind.wrong else 1.0 - error, threshold))

    @property
    def mated(self) -> bool:
        return KINDS[self.kind].mated

    @property
    def counts_failures(self) -> bool:
        return KINDS[self.kind].failed_count or self.point.counts_failures

    @property
    def paired_test(self) -> PairedTest | None:
        fixed = self.point.key == THRESHOLD and not KINDS[self.kind].failed_count
        return OfDecisions(self.point.target, self.mated) if fixed else None

    def interval(self, result: Result) -> IntervalPlan:
        kind, point = KINDS[self.kind], self.point
        if self.fta is not None:
            return Resample()
        if point.key == THRESHOLD:
            return AtThreshold(point.target, kind.mated, not kind.wrong, failures=kind.failed_count)
        of = KINDS[point.key]
        if of.mated == kind.mated:
            return Resample()
        return AtTarget(Target(point.key, point.target, of.mated, not of.wrong), not kind.wrong)

    def _undefined(self, tally: Tally) -> Message | None:
        if self.point.key != "t":
            return missing_class(tally)
        if KINDS[self.kind].mated:
            return None if tally.n_mated else NO_MATED
        return None if tally.n_nonmated else NO_NONMATED

    def _interpolated(self, counts: BinaryCounts, curve_point: CurvePoint) -> float:
        def value(row: int) -> float:
            if self.fta is None:
                return KINDS[self.kind].value(*KINDS[self.kind].count(counts, row))
            fmr, fnmr = float(counts.fmr[row]), float(counts.fnmr[row])
            error = self.fta + fnmr * (1 - self.fta) if KINDS[self.kind].mated else fmr * (1 - self.fta)
            return error if KINDS[self.kind].wrong else 1 - error

        first = value(curve_point.row)
        return first + curve_point.share * (value(curve_point.next_row) - first) if curve_point.share else first


@dataclass(frozen=True, slots=True)
class HalfTotalErrorRate(MeasureAtPoint):
    """Mean of FMR and FNMR at an operating point."""

    point: OperatingPoint
    rates_alone: ClassVar[bool] = True

    @classmethod
    def build(cls, spelling: Spelling) -> HalfTotalErrorRate:
        reject_extras(spelling, at=tuple(spelling.at))
        return cls(OperatingPoint.of(spelling, one_of(spelling, HOW[:1])))

    @property
    def spelling(self) -> Spelling:
        return Spelling("HTER", at={self.point.key: self.point.target})

    def of(self, tally: Tally) -> Result:
        return self.of_both_rates(tally, lambda fmr, fnmr: (fmr + fnmr) / 2)


@dataclass(frozen=True, slots=True)
class OutcomeCount(MeasureAtPoint):
    """The number of comparisons with one outcome at a threshold."""

    outcome: str
    point: OperatingPoint

    @classmethod
    def build(cls, spelling: Spelling) -> OutcomeCount:
        reject_extras(spelling, at=tuple(spelling.at))
        return cls(spelling.name, OperatingPoint.of(spelling, one_of(spelling, HOW[:1])))

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.outcome, at={self.point.key: self.point.target})

    def of(self, tally: Tally) -> Result:
        name = OUTCOMES[self.outcome][0]
        rate = Rate(name, self.point).of(tally)
        if rate.errors is None or rate.trials is None:
            return rate
        return Result(rate.errors if KINDS[name].wrong else rate.trials - rate.errors, rate.threshold)

    @property
    def mated(self) -> bool:
        return KINDS[OUTCOMES[self.outcome][0]].mated

    def interval(self, result: Result) -> IntervalPlan:
        if self.point.key != THRESHOLD:
            return Resample(self)
        kind = KINDS[OUTCOMES[self.outcome][0]]
        return AtThreshold(self.point.target, kind.mated, not kind.wrong, counted=True)


OUTCOMES = {
    "FM": ("FMR", "false matches (non-mated accepted)", ("FA", "FP")),
    "FNM": ("FNMR", "false non-matches (mated rejected)", ("FR", "FN")),
    "TM": ("TMR", "true matches (mated accepted)", ("GA", "TP")),
    "TNM": ("TNMR", "true non-matches (non-mated rejected)", ("GR", "TN")),
}


@dataclass(frozen=True, slots=True)
class GeneralizedRate(MeasureAtPoint):
    """FAR or FRR of a whole system: failures to acquire and to enrol counted in, one attempt a transaction."""

    kind: str
    point: OperatingPoint
    fta: float | None
    fte: float | None

    @classmethod
    def build(cls, spelling: Spelling) -> GeneralizedRate:
        reject_extras(spelling, options=("fta", "fte"), at=tuple(spelling.at))
        fta, fte = spelling.options.get("fta"), spelling.options.get("fte")
        _check_share(spelling, "fta", fta)
        _check_share(spelling, "fte", fte)
        return cls(spelling.name, OperatingPoint.of(spelling, one_of(spelling, HOW[:1])), fta, fte)

    @property
    def spelling(self) -> Spelling:
        failure_rates = {"fta": self.fta, "fte": self.fte}
        options = {key: value for key, value in failure_rates.items() if value is not None}
        return Spelling(self.kind, options=options, at={self.point.key: self.point.target})

    def of(self, tally: Tally) -> Result:
        system = Rate("FAR" if self.kind == "GFAR" else "FRR", self.point, self.fta).of(tally)
        fte = self.fte if self.fte is not None else _measured_fte(tally)
        if fte is None:
            return Result.undefined(say("reason.unknown_fte"))
        value = system.value * (1 - fte) + (fte if self.kind == "GFRR" else 0.0)
        return Result(value, system.threshold, reason=system.reason)

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


def _check_share(spelling: Spelling, name: str, value: float | None) -> None:
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"{spelling}: {name} is {value}; expected a share from 0 to 1")


def _build_rate(spelling: Spelling) -> Measure:
    by_peer = spelling.name in RATES and one_of(spelling, (*HOW, *PEERS)) in PEERS
    return PeerRate.build(spelling) if by_peer else Rate.build(spelling)


_SUCCESSES = (*(name for name, kind in KINDS.items() if not kind.wrong), "TM", "TNM")


def _register(
    name: str,
    build: Callable[[Spelling], Measure],
    summary: str,
    formula: str,
    *synonyms: str,
    iso: str = "",
    reference: str = "ISO/IEC 19795-1",
) -> None:
    example = f"{name}@FMR=0.001" if name in ("FNMR", "TMR") else f"{name}@t=0.5"
    unit: Literal["rate", "count"] = "count" if name in OUTCOMES else "rate"
    better: Literal["lower", "higher"] = "higher" if name in _SUCCESSES else "lower"
    register(Definition(name, build, summary, example, formula, synonyms, unit, iso, reference, better=better))


for _name, _kind in KINDS.items():
    _iso = _kind.summary if _kind.wrong else ""  # the standard names the errors only
    _register(_name, _build_rate, _kind.summary, _kind.formula, *_kind.synonyms, iso=_iso)
_HTER = "Bengio and Mariéthoz 2004"
_register("HTER", HalfTotalErrorRate.build, "half total error rate", "(FMR + FNMR) / 2", reference=_HTER)
for _name, (_rate, _summary, _synonyms) in OUTCOMES.items():
    _register(_name, OutcomeCount.build, _summary, f"#{{{_summary.split('(')[1][:-1]}}}", *_synonyms)
for _name, _summary, _formula in (
    ("GFAR", "generalized false accept rate", "FMR (1 - FTA) (1 - FTE)"),
    ("GFRR", "generalized false reject rate", "FTE + (1 - FTE) FRR"),
):
    _register(_name, GeneralizedRate.build, _summary, _formula, iso=_summary)
