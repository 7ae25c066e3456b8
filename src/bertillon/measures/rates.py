"""Rates and counts of the outcomes of comparisons at an operating point.

    FMR   false matches / non-mated comparisons          FAR   the same, failed comparisons counted as attempts
    FNMR  false non-matches / mated comparisons          FRR   the same, failed comparisons counted as rejections
    TMR = 1 - FNMR, TNMR = 1 - FMR                       GAR = 1 - FRR, GRR = 1 - FAR
    HTER  mean of FMR and FNMR                           FM, FNM, TM, TNM  the counts themselves
    ZeroFMR   lowest FNMR at FMR = 0; the threshold lies strictly beyond the best non-mated score
    ZeroFNMR  lowest FMR at FNMR = 0
    FMR10, FMR100, FMR1000, FMR10000   lowest FNMR for FMR <= 1/10, 1/100, ... (FVC's names)

How often the system gives no score at all, and rates of a whole system in which that counts:

    FTA    failed comparisons / attempted comparisons (NaN in the data, or stated)
    FTE    failed enrolments / attempted enrolments (stated with the data)
    GFAR   FMR (1 - FTA) (1 - FTE), one attempt a transaction
    GFRR   FTE + (1 - FTE) FRR

`FAR(fta=0.02)`, `FRR(fta=0.02)`, `GFAR(fta=,fte=)` and `GFRR(fta=,fte=)` take the rates of failures from outside the
data. `FNMR[bob]@FMR=x` and `TMR[bob]@FMR=x` read the rate as another tool does (see peers).

Holds `Kind` (a share of the four outcomes, in any mode), `Rate`, `HalfTotalErrorRate`, `OutcomeCount`, `FailureRate`
and `GeneralizedRate`; `sum_of_rates`, the plan of whatever weighs both rates at a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts, CurvePoint
from bertillon.counting.tally import Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import (
    NO_MATED,
    NO_NONMATED,
    BlockValues,
    CurveMeasure,
    Exact,
    Measure,
    NamedMeasure,
    Result,
    Spelling,
    missing_class,
)
from bertillon.measures.known import KnownRates
from bertillon.measures.operating_point import HOW, THRESHOLD, ErrorsAtPoint, OperatingPoint, Target
from bertillon.measures.peers import PEERS, RATES, PeerRate
from bertillon.measures.plans import (
    AtTarget,
    AtThreshold,
    BothRates,
    Failed,
    Follows,
    IntervalPlan,
    OfDecisions,
    PairedTest,
    Proportion,
    Resample,
)
from bertillon.measures.registry import Definition


@dataclass(frozen=True, slots=True)
class Kind:
    """A share of outcomes: mated comparisons, or positives, are accepted (tp) or not (fn), all others too (fp, tn).

    Both modes have their table of kinds by name: `KINDS` for comparisons, and that of `classification.decisions`.
    """

    summary: str
    formula: str
    synonyms: tuple[str, ...]
    part: str  # the outcome that is counted
    whole: str  # the outcomes it is a share of
    failed_count: bool = False  # failed comparisons are trials too (and, for the mated, rejections)

    @property
    def wrong(self) -> bool:
        """Does it count errors, or successes?"""
        return self.part in ERRORS

    @property
    def mated(self) -> bool | None:
        """Is it a share of the mated comparisons (positives), or of the others? None where it mixes both."""
        return {"tp fn": True, "tn fp": False}.get(self.whole)

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

    def plan(self, point: OperatingPoint, kinds: Mapping[str, Kind]) -> AtTarget | None:
        """The interval of a rate of one class where a rate of the other keeps a promise; None for other rates."""
        of = kinds.get(point.key)
        if of is None or None in (of.mated, self.mated) or of.mated == self.mated:
            return None
        strict = point.how == HOW[0]
        return AtTarget(Target(point.key, point.target, bool(of.mated), not of.wrong, strict), success=not self.wrong)


ERRORS = ("fp", "fn")
KINDS = {
    "FMR": Kind("false match rate", "#{non-mated accepted} / #{non-mated}", ("FPR", "fall-out"), "fp", "tn fp"),
    "FNMR": Kind("false non-match rate", "#{mated rejected} / #{mated}", ("FNR", "miss-rate"), "fn", "tp fn"),
    "TMR": Kind("true match rate", "1 - FNMR", ("TPR", "recall", "sensitivity", "hit-rate"), "tp", "tp fn"),
    "TNMR": Kind("true non-match rate", "1 - FMR", ("TNR", "specificity"), "tn", "tn fp"),
    "FAR": Kind("false accept rate", "FMR (1 - FTA)", ("false-accept-rate",), "fp", "tn fp", True),
    "FRR": Kind("false reject rate", "FTA + FNMR (1 - FTA)", ("false-reject-rate",), "fn", "tp fn", True),
    "GAR": Kind("genuine accept rate", "1 - FRR", ("TAR", "CAR"), "tp", "tp fn", True),
    "GRR": Kind("genuine reject rate", "1 - FAR", ("TRR", "CRR"), "tn", "tn fp", True),
}
SCORED = {"FAR": "FMR", "FRR": "FNMR", "GAR": "TMR", "GRR": "TNMR"}  # the rate of comparisons that gave a score


@dataclass(frozen=True, slots=True)
class Rate(ErrorsAtPoint, CurveMeasure):
    """A rate at an operating point, such as FNMR@FMR=0.001; `name` where that has a name of its own."""

    kind: str
    point: OperatingPoint
    fta: float | None = None
    name: str = ""

    @classmethod
    def build(cls, spelling: Spelling) -> Rate:
        options = ("fta",) if KINDS[spelling.name].failed_count else ()
        how, fta = spelling.variant_among(HOW, options=options, at=None), share_of(spelling, "fta")
        return cls(spelling.name, OperatingPoint.of(spelling, how), fta)

    @property
    def spelling(self) -> Spelling:
        if self.name:
            return Spelling(self.name)
        variant = "" if self.point.how == HOW[0] else self.point.how
        options = {} if self.fta is None else {"fta": self.fta}
        return Spelling(self.kind, variant, options, self.at)

    def read(self, tally: Tally) -> Result:
        counts = tally.errors
        curve_point = self.point.find(counts, tally.rule)
        if curve_point is None:
            return Result.undefined(self.point.unreachable)
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
        return bool(KINDS[self.kind].mated)

    @property
    def counts_failures(self) -> bool:
        return KINDS[self.kind].failed_count or self.point.counts_failures

    @property
    def paired_test(self) -> PairedTest | None:
        fixed = self.point.key == THRESHOLD and not KINDS[self.kind].failed_count
        return OfDecisions(self.point.target, self.mated) if fixed else None

    def interval(self, result: Result) -> IntervalPlan:
        kind = KINDS[self.kind]
        if kind.failed_count:
            return self._with_failures(Rate(SCORED[self.kind], self.point))
        if self.point.key == THRESHOLD:
            return AtThreshold(self.point.target, self.mated, success=not kind.wrong)
        return kind.plan(self.point, KINDS) or Resample()

    def _with_failures(self, base: Rate) -> Follows:
        """As the rate of comparisons that gave a score; a failed comparison is a rejection."""
        add = KINDS[self.kind].part in ("fn", "tn")
        if self.fta is not None:
            return Follows(base, 1.0 - self.fta, self.fta if add else 0.0)
        return Follows(base, failed=Failed.MATED if self.mated else Failed.NONMATED, add=add)

    def unfit(self, tally: Tally) -> Message | None:
        if self.point.key != THRESHOLD:
            return missing_class(tally)
        if self.mated:
            return None if tally.errors.n_mated else NO_MATED
        return None if tally.errors.n_nonmated else NO_NONMATED

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
class HalfTotalErrorRate(ErrorsAtPoint, CurveMeasure, NamedMeasure):
    """Mean of FMR and FNMR at an operating point."""

    point: OperatingPoint
    rates_alone: ClassVar[bool] = True
    name = "HTER"

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        return cls(OperatingPoint.of(spelling, spelling.variant_among(HOW[:1], at=None)))

    def read(self, tally: Tally) -> Result:
        return self.of_both_rates(tally, lambda fmr, fnmr: (fmr + fnmr) / 2)

    def interval(self, result: Result) -> IntervalPlan:
        return sum_of_rates(self.point, 0.5, 0.5)


def sum_of_rates(point: OperatingPoint, on_fmr: float, on_fnmr: float) -> IntervalPlan:
    """The interval of a weighted sum of FMR and FNMR: at a threshold of both, at a target of the one that is free."""
    if point.key == THRESHOLD:
        return BothRates(on_fmr, on_fnmr)
    target = point.target if KINDS[point.key].wrong else 1.0 - point.target
    if point.of_nonmated:
        return Follows(Rate("FNMR", point), on_fnmr, on_target=on_fmr, target=target)
    return Follows(Rate("FMR", point), on_fmr, on_target=on_fnmr, target=target)


@dataclass(frozen=True, slots=True)
class OutcomeCount(ErrorsAtPoint, NamedMeasure):
    """The number of comparisons with one outcome at a threshold."""

    name: str
    point: OperatingPoint

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        return cls(spelling.name, OperatingPoint.of(spelling, spelling.variant_among(HOW[:1], at=None)))

    def of(self, tally: Tally) -> Result:
        kind = OUTCOMES[self.name][0]
        rate = Rate(kind, self.point).of(tally)
        if rate.errors is None or rate.trials is None:
            return rate
        return Result(rate.errors if KINDS[kind].wrong else rate.trials - rate.errors, rate.threshold)

    @property
    def mated(self) -> bool:
        return bool(KINDS[OUTCOMES[self.name][0]].mated)

    def interval(self, result: Result) -> IntervalPlan:
        return Follows(Rate(OUTCOMES[self.name][0], self.point), counted=True)


OUTCOMES = {
    "FM": ("FMR", "false matches (non-mated accepted)", ("FA", "FP")),
    "FNM": ("FNMR", "false non-matches (mated rejected)", ("FR", "FN")),
    "TM": ("TMR", "true matches (mated accepted)", ("GA", "TP")),
    "TNM": ("TNMR", "true non-matches (non-mated rejected)", ("GR", "TN")),
}
NAMED_POINTS = {  # what it costs to make no error of one kind on these data, and the points of FVC
    "ZeroFMR": Rate("FNMR", OperatingPoint("FMR", 0.0), name="ZeroFMR"),
    "ZeroFNMR": Rate("FMR", OperatingPoint("FNMR", 0.0), name="ZeroFNMR"),
    **{f"FMR{n}": Rate("FNMR", OperatingPoint("FMR", 1 / n), name=f"FMR{n}") for n in (10, 100, 1000, 10000)},
}


def share_of(spelling: Spelling, option: str) -> float | None:
    """An option that is a share, None where it is not given."""
    value = spelling.options.get(option)
    if value is not None and not 0.0 <= value <= 1.0:
        raise InputError(f"{spelling}: {option} is {value}; expected a share from 0 to 1")
    return value


@dataclass(frozen=True, slots=True)
class FailureRate(NamedMeasure):
    """Share of attempts that failed before a score."""

    name: str

    def of(self, tally: Tally) -> Result:
        failures = tally.failures
        if self.name == "FTA":
            failed = failures.comparisons
            attempts = tally.errors.n_mated + tally.errors.n_nonmated + failed
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
class GeneralizedRate(ErrorsAtPoint, NamedMeasure):
    """FAR or FRR of a whole system: failures to acquire and to enrol counted in, one attempt a transaction."""

    name: str
    point: OperatingPoint
    fta: float | None
    fte: float | None
    counts_failures = counts_enrolments = True

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        how = spelling.variant_among(HOW[:1], options=("fta", "fte"), at=None)
        fta, fte = share_of(spelling, "fta"), share_of(spelling, "fte")
        return cls(spelling.name, OperatingPoint.of(spelling, how), fta, fte)

    @property
    def options(self) -> dict[str, float]:
        return {key: value for key, value in (("fta", self.fta), ("fte", self.fte)) if value is not None}

    def of(self, tally: Tally) -> Result:
        system = self._system.of(tally)
        fte = FailureRate("FTE").of(tally).value if self.fte is None else self.fte
        if math.isnan(fte):
            return Result.undefined(say("reason.unknown_fte"))
        value = system.value * (1 - fte) + (fte if self.mated else 0.0)
        return Result(value, system.threshold, reason=system.reason)

    @property
    def _system(self) -> Rate:
        """The same without failures to enrol."""
        return Rate("FRR" if self.mated else "FAR", self.point, self.fta)

    def interval(self, result: Result) -> IntervalPlan:
        if self.fte is None:
            return Follows(self._system, failed=Failed.ENROLMENTS, add=self.mated)
        return Follows(self._system, 1.0 - self.fte, self.fte if self.mated else 0.0)

    @property
    def mated(self) -> bool:
        return self.name == "GFRR"


def _build_rate(spelling: Spelling) -> Measure:
    options, variants = tuple(spelling.options), (*HOW, *PEERS)
    by_peer = spelling.name in RATES and spelling.variant_among(variants, options=options, at=None) in PEERS
    return PeerRate.build(spelling) if by_peer else Rate.build(spelling)


def _build_named(spelling: Spelling) -> Rate:
    spelling.variant_among(HOW[:1])
    return NAMED_POINTS[spelling.name]


_ISO = "ISO/IEC 19795-1"


def _of_kind(name: str, kind: Kind) -> Definition:
    better: Literal["lower", "higher"] = "lower" if kind.wrong else "higher"
    example = f"{name}@FMR=0.001" if name in ("FNMR", "TMR") else f"{name}@t=0.5"
    iso = kind.summary if kind.wrong else ""  # the standard names the errors only
    about = kind.summary, example, kind.formula, kind.synonyms
    return Definition(name, _build_rate, *about, "rate", iso, _ISO, better=better)


def _of_outcome(name: str, rate: str, summary: str, synonyms: tuple[str, ...]) -> Definition:
    about = summary, f"{name}@t=0.5", f"#{{{summary.split('(')[1][:-1]}}}", synonyms
    better = _of_kind(rate, KINDS[rate]).better
    return Definition(name, OutcomeCount.build, *about, "count", reference=_ISO, better=better)


def _of_point(name: str, rate: Rate) -> Definition:
    summary = f"lowest {rate.kind} with {rate.point.key} at most {rate.point.target:g}"
    synonyms = {"ZeroFMR": ("ZeroFAR",), "ZeroFNMR": ("ZeroFRR",)}.get(name, ())
    about = summary, name, str(replace(rate, name="")), synonyms
    return Definition(name, _build_named, *about, "rate", reference="Maio et al. 2002", better="lower")


_HTER = partial(Definition, unit="rate", reference="Bengio and Mariéthoz 2004", better="lower")
DEFINITIONS = (
    *(_of_kind(name, kind) for name, kind in KINDS.items()),
    _HTER("HTER", HalfTotalErrorRate.build, "half total error rate", "HTER@t=0.5", "(FMR + FNMR) / 2"),
    *(_of_outcome(name, *about) for name, about in OUTCOMES.items()),
)
POINT_DEFINITIONS = tuple(_of_point(name, rate) for name, rate in NAMED_POINTS.items())


def _of_failures(name: str, summary: str, formula: str, synonyms: tuple[str, ...] = ()) -> Definition:
    build, example = (FailureRate.build, name) if synonyms else (GeneralizedRate.build, f"{name}@t=0.5")
    iso = f"{synonyms[0]} rate" if synonyms else summary
    about = summary, example, formula, synonyms
    return Definition(name, build, *about, "rate", iso, _ISO, better="lower")


FAILURES = (
    _of_failures("FTA", "failure to acquire rate", "failed / attempted comparisons", ("failure-to-acquire",)),
    _of_failures("FTE", "failure to enrol rate", "failed / attempted enrolments", ("failure-to-enrol",)),
)
GENERALIZED = (
    _of_failures("GFAR", "generalized false accept rate", "FMR (1 - FTA) (1 - FTE)"),
    _of_failures("GFRR", "generalized false reject rate", "FTE + (1 - FTE) FRR"),
)
