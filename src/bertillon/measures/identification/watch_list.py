"""What a watch list is measured by: rates at an operating point, candidates returned, and the whole curve.

    FPIR           non-enrolled searches with a candidate / non-enrolled searches (false alarm rate)
    DIR            enrolled searches whose mate passes at rank k or better / enrolled searches (TPIR)
    FNIR           1 - DIR
    Missed         enrolled searches in which nobody passes / enrolled searches
    Misidentified  enrolled searches in which somebody passes, but not the mate at rank 1 / enrolled searches
    SEL            candidates that pass in non-enrolled searches / those searches; at least FPIR, and it may exceed 1
    EERopen        where FPIR = 1 - DIR(t, 1) on straight lines between neighbouring thresholds; [nearest]: the mean of
                   both at the threshold where they are closest
    AUCopen        ∫ DIR(t, 1) dFPIR, trapezoids between neighbouring thresholds: the share of (enrolled, non-enrolled)
                   pairs of searches in which the mate is at rank 1 and more alike than the top of the non-enrolled
                   one, ties half

`Missed` and `Misidentified` split FNIR at k = 1, which is the same whether the mate's score must pass or the top one.
Only the best candidates of each search are kept; where as many as were kept pass, more may have, and SEL is undefined
rather than too low.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import Failures
from bertillon.counting.tally import Tally, wins_from_curve
from bertillon.measures.area import AreaUnderRoc
from bertillon.measures.base import CurveMeasure, Result, Spelling, reject_extras
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.identification.common import (
    RANK,
    RANKED_POINTS,
    Miss,
    NobodyPasses,
    OthersPass,
    missing,
    rank_of,
    search_point,
    variant_of,
    words_of,
)
from bertillon.measures.operating_point import THRESHOLD, OperatingPoint, Target
from bertillon.measures.plans import Alike, AtTarget, AtThreshold, IntervalPlan, NoInterval, Resample
from bertillon.measures.registry import POSITIVE, SHARE, Definition
from bertillon.trials.search_tally import DETECTED_BY, TIES, SearchTally

POINT_KEYS = {
    "DIR": ("t", "FPIR"),
    "FNIR": ("t", "FPIR"),
    "FPIR": ("t", "DIR", "FNIR"),
    "Missed": ("t", "FPIR"),
    "Misidentified": ("t", "FPIR"),
}
EQUAL = ("interpolated", "nearest")
_OUTCOMES = {"Missed": NobodyPasses, "Misidentified": OthersPass}  # the others: the search is missed


@dataclass(frozen=True, slots=True)
class SearchRate(CurveMeasure):
    """A rate at an operating point, such as DIR@FPIR=0.01,k=1."""

    kind: str
    point: OperatingPoint
    k: int = 1
    by: str = DETECTED_BY[0]
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        reject_extras(spelling, at=None)
        point, rank = search_point(spelling, POINT_KEYS[spelling.name])
        ranked = spelling.name in RANKED_POINTS or point.key in RANKED_POINTS
        if rank is not None and not ranked:
            raise InputError(f"{spelling}: {spelling.name}@{point.key} does not depend on a rank; leave k out")
        by = DETECTED_BY if ranked else DETECTED_BY[:1]
        ties = TIES if ranked or spelling.name == "Misidentified" else TIES[:1]
        return cls(spelling.name, point, rank_of(spelling, rank), *words_of(spelling, by, ties))

    @property
    def spelling(self) -> Spelling:
        ranked = self.kind in RANKED_POINTS or self.point.key in RANKED_POINTS
        at = {**self.point.at, **({RANK: self.k} if ranked else {})}
        return Spelling(self.kind, variant_of([self.by, self.ties], DETECTED_BY, TIES), at=at)

    @property
    def target(self) -> Target | None:
        return self.point.promise

    def unfit(self, tally: SearchTally) -> Message | None:
        enrolled = self.kind != "FPIR" or self.point.key in RANKED_POINTS
        return missing(tally, enrolled=enrolled, nonenrolled="FPIR" in (self.kind, self.point.key))

    def read(self, tally: SearchTally) -> Result:
        of_enrolled = self.kind != "FPIR"
        counts = tally.watch_list(self.k, self.ties, self.by)
        curve_point = self.point.find(counts, tally.rule)
        if curve_point is None:
            return Result.undefined(self.point.unreachable)
        threshold = self.point.shown(curve_point, counts, tally.rule)
        errors = self._errors(tally, curve_point.row)
        result = Result.share(errors, tally.n_enrolled if of_enrolled else tally.n_nonenrolled, threshold)
        if self.kind != "DIR":
            return result
        return Result((tally.n_enrolled - errors) / tally.n_enrolled, threshold, errors, tally.n_enrolled)

    def interval(self, result: Result) -> IntervalPlan:
        mated, success = self.kind != "FPIR", self.kind == "DIR"
        outcome = _OUTCOMES.get(self.kind, Miss)(self.k, self.by, self.ties)
        key, target = self.point.key, self.point.target
        if key == THRESHOLD:
            return AtThreshold(target, mated, success=success, outcome=outcome)
        if result.threshold is None:
            return Resample()
        if self.kind == "Misidentified":  # which does not fall or rise along thresholds
            return Alike(AtThreshold(result.threshold, mated, outcome=outcome))
        promised = Target(key, target, mated=key != "FPIR", success=key == "DIR")
        return AtTarget(promised, success=success, outcome=outcome)

    def _errors(self, tally: SearchTally, row: int) -> int:
        counts = tally.watch_list(self.k, self.ties, self.by)
        if self.kind == "FPIR":
            return int(counts.false_match[row])
        silent = int(tally.top_score_errors().false_nonmatch[row])
        if self.kind == "Missed":
            return silent
        return int(counts.false_nonmatch[row]) - (silent if self.kind == "Misidentified" else 0)


@dataclass(frozen=True, slots=True)
class Selectivity(CurveMeasure):
    """Mean number of candidates of a non-enrolled search."""

    point: OperatingPoint

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        spelling.variant_among(("all",), at=None)
        point, rank = search_point(spelling, ("t", "FPIR"))
        if rank is not None:
            raise InputError(f"{spelling}: SEL does not depend on a rank; leave k out")
        return cls(point)

    @property
    def spelling(self) -> Spelling:
        return Spelling("SEL", at=self.point.at)

    @property
    def target(self) -> Target | None:
        return self.point.promise

    def unfit(self, tally: SearchTally) -> Message | None:
        return missing(tally, enrolled=False, nonenrolled=True)

    def interval(self, result: Result) -> IntervalPlan:
        return Resample() if self.point.key == THRESHOLD else NoInterval(say("reason.selectivity_at_target"))

    def read(self, tally: SearchTally) -> Result:
        counts = tally.watch_list()
        curve_point = self.point.find(counts, tally.rule)
        assert curve_point is not None  # a threshold, or an FPIR that rejecting all keeps
        threshold = self.point.shown(curve_point, counts, tally.rule)
        if self.point.key == "FPIR" and curve_point.row == len(counts) - 1:
            return Result(0.0, threshold)  # everything is rejected, infinite scores too
        returned = tally.returned(threshold)
        if returned is None:
            return Result.undefined(say("reason.candidates_not_kept"))
        if returned.cut_off:
            assert tally.searches.others is not None
            kept = tally.searches.others.shape[1]
            return Result.undefined(say("reason.candidates_cut_off", n=returned.cut_off, kept=kept))
        return Result(returned.candidates / tally.n_nonenrolled, threshold)


class _WholeWatchList(CurveMeasure):
    """A number of the whole curve, which takes searches of both kinds."""

    def unfit(self, tally: SearchTally) -> Message | None:
        return missing(tally, enrolled=True, nonenrolled=True)


@dataclass(frozen=True, slots=True)
class OpenEqualErrorRate(_WholeWatchList):
    """The rate at which false alarms and misses at rank 1 are equally frequent."""

    definition: str = EQUAL[0]
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        reject_extras(spelling)
        return cls(*words_of(spelling, EQUAL, TIES))

    @property
    def spelling(self) -> Spelling:
        return Spelling("EERopen", variant_of([self.definition, self.ties], EQUAL, TIES))

    def read(self, tally: SearchTally) -> Result:
        counts = tally.watch_list(1, self.ties)
        alarms, misses = int(counts.false_match[0]) * counts.n_mated, int(counts.false_nonmatch[0]) * counts.n_nonmated
        if alarms < misses:  # at the most permissive threshold: empty candidate lists may keep FPIR below FNIR
            return Result.undefined(say("reason.never_equal"))
        return EqualErrorRate(self.definition).of(Tally(counts, counts, tally.rule, Failures()))

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(EqualErrorRate(self.definition), Miss(ties=self.ties))


@dataclass(frozen=True, slots=True)
class OpenArea(_WholeWatchList):
    """The whole area under (FPIR, DIR at rank 1)."""

    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        reject_extras(spelling)
        return cls(*words_of(spelling, TIES))

    @property
    def spelling(self) -> Spelling:
        return Spelling("AUCopen", variant_of([self.ties], TIES))

    def read(self, tally: SearchTally) -> Result:
        counts = tally.watch_list(1, self.ties)
        wins = wins_from_curve(counts.false_match, counts.false_nonmatch, counts.n_mated)
        silent = counts.n_nonmated - int(counts.false_match[0])  # lists that came back empty lose to any mate
        detected = counts.n_mated - int(counts.false_nonmatch[0])
        return Result((2 * wins.won + wins.tied + 2 * silent * detected) / (2 * counts.n_mated * counts.n_nonmated))

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(AreaUnderRoc(), Miss(ties=self.ties))


_RATE = partial(Definition, unit="rate", reference="ISO/IEC 19795-1", better="lower")
_SPLIT = partial(_RATE, reference="Phillips, Grother and Micheals 2005")
_FOUND = "detection and identification rate (variants top; optimistic, mean)", "DIR@FPIR=0.01,k=1"
_PASSES = "#{enrolled: mate passes t, rank <= k} / #{enrolled}"
_NOT_FOUND = "false negative identification rate", "FNIR@FPIR=0.01,k=1", "1 - DIR", ("FRR", "FNR")
_ALARMS = "false positive identification rate (false alarms)", "FPIR@t=0.5"
_ALARMED = "#{non-enrolled: top passes t} / #{non-enrolled}"
_MISSED = "enrolled searches without any candidate", "Missed@FPIR=0.01", "#{enrolled: top < t} / #{enrolled}"
_MISTAKEN = "enrolled searches in which others pass, and not the mate at rank 1", "Misidentified@FPIR=0.01"
_RETURNED = "selectivity: candidates a non-enrolled search returns", "SEL@FPIR=0.01"
_CANDIDATES = "#{candidates >= t, non-enrolled} / #{non-enrolled}"
_EQUAL = "open-set equal error rate (variants nearest; optimistic, mean)", "EERopen", "FPIR(t) = 1 - DIR(t, 1)"
_AREA = "area under the watch-list ROC (variants optimistic, mean)", "AUCopen", "∫ DIR(t, 1) dFPIR(t)"
_POSITIVE_RATE = "false-positive identification rate"
_SEL = partial(_RATE, unit="number", iso="selectivity", ends=POSITIVE)
_DIR = partial(_RATE, iso="true-positive identification rate", better="higher")
_EER = partial(_RATE, reference="ISO/IEC 19795-1 (FPIR and FNIR)")
_WATCH = partial(Definition, reference="Phillips, Grother and Micheals 2005 (watch list)", better="higher", ends=SHARE)
DEFINITIONS = (
    _DIR("DIR", SearchRate.build, *_FOUND, _PASSES, ("TPIR", "TPR", "recall")),
    _RATE("FNIR", SearchRate.build, *_NOT_FOUND, iso="false-negative identification rate"),
    _RATE("FPIR", SearchRate.build, *_ALARMS, _ALARMED, ("FAR", "false-alarm-rate", "FPR"), iso=_POSITIVE_RATE),
    _SPLIT("Missed", SearchRate.build, *_MISSED),
    _SPLIT("Misidentified", SearchRate.build, *_MISTAKEN, "FNIR(t, 1) - Missed(t)"),
    _SEL("SEL", Selectivity.build, *_RETURNED, _CANDIDATES, ("selectivity",)),
    _EER("EERopen", OpenEqualErrorRate.build, *_EQUAL, ("EER", "equal-error-rate")),
    _WATCH("AUCopen", OpenArea.build, *_AREA, ("AUC-DIR",)),
)
