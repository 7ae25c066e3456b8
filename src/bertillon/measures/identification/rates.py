"""Rates of the outcomes of searches at an operating point.

    FPIR           non-enrolled searches with a candidate / non-enrolled searches (false alarm rate)
    DIR            enrolled searches whose mate passes at rank k or better / enrolled searches (TPIR)
    FNIR           1 - DIR
    Missed         enrolled searches in which nobody passes / enrolled searches
    Misidentified  enrolled searches in which somebody passes, but not the mate at rank 1 / enrolled searches

`Missed` and `Misidentified` split FNIR at k = 1, which is the same whether the mate's score must pass or the top one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification.common import (
    RANK,
    RANKED_POINTS,
    Miss,
    NobodyPasses,
    OthersPass,
    SearchOperatingPoint,
    missing,
    rank_of,
    variant_of,
    words_of,
)
from bertillon.measures.operating_point import THRESHOLD
from bertillon.measures.plans import Alike, AtTarget, AtThreshold, IntervalPlan, Resample, Target
from bertillon.measures.registry import IDENTIFICATION, Definition, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.search_tally import DETECTED_BY, TIES, SearchTally

POINT_KEYS = {
    "DIR": ("t", "FPIR"),
    "FNIR": ("t", "FPIR"),
    "FPIR": ("t", "DIR", "FNIR"),
    "Missed": ("t", "FPIR"),
    "Misidentified": ("t", "FPIR"),
}
_OUTCOMES = {"Missed": NobodyPasses, "Misidentified": OthersPass}  # the others: the search is missed


@dataclass(frozen=True, slots=True)
class SearchRate(Measure):
    """A rate at an operating point, such as DIR@FPIR=0.01,k=1."""

    kind: str
    point: SearchOperatingPoint
    k: int = 1
    by: str = DETECTED_BY[0]
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> SearchRate:
        reject_extras(spelling, at=tuple(spelling.at))
        point, rank = SearchOperatingPoint.of(spelling, POINT_KEYS[spelling.name])
        ranked = spelling.name in RANKED_POINTS or point.key in RANKED_POINTS
        if rank is not None and not ranked:
            raise InputError(f"{spelling}: {spelling.name}@{point.key} does not depend on a rank; leave k out")
        by = DETECTED_BY if ranked else DETECTED_BY[:1]
        ties = TIES if ranked or spelling.name == "Misidentified" else TIES[:1]
        return cls(spelling.name, point, rank_of(spelling, rank), *words_of(spelling, by, ties))

    @property
    def spelling(self) -> Spelling:
        ranked = self.kind in RANKED_POINTS or self.point.key in RANKED_POINTS
        at: Mapping[str, float] = {**self.point.at, **({RANK: self.k} if ranked else {})}
        return Spelling(self.kind, variant_of([self.by, self.ties], DETECTED_BY, TIES), at=at)

    def of(self, tally: SearchTally) -> Result:
        of_enrolled = self.kind != "FPIR"
        reason = missing(
            tally,
            enrolled=of_enrolled or self.point.key in RANKED_POINTS,
            nonenrolled=not of_enrolled or self.point.key == "FPIR",
        )
        if reason:
            return Result.undefined(reason)
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
            return AtThreshold(target, mated, success, outcome)
        if result.threshold is None:
            return Resample()
        if self.kind in _OUTCOMES:
            return Alike(AtThreshold(result.threshold, mated, outcome=outcome))
        return AtTarget(Target(key, target, mated=key != "FPIR", success=key == "DIR"), success, outcome)

    def _errors(self, tally: SearchTally, row: int) -> int:
        counts = tally.watch_list(self.k, self.ties, self.by)
        if self.kind == "FPIR":
            return int(counts.false_match[row])
        silent = int(tally.top_score_errors().false_nonmatch[row])
        if self.kind == "Missed":
            return silent
        return int(counts.false_nonmatch[row]) - (silent if self.kind == "Misidentified" else 0)


def _register(name: str, summary: str, formula: str, example: str, *synonyms: str, iso: str = "") -> None:
    reference = "ISO/IEC 19795-1" if iso else "Phillips, Grother and Micheals 2005"
    IDENTIFICATION.register(
        Definition(
            name,
            SearchRate.build,
            summary,
            example,
            formula,
            synonyms,
            "rate",
            iso,
            reference,
            better="higher" if name == "DIR" else "lower",
        )
    )


_register(
    "DIR",
    "detection and identification rate (variants top; optimistic, mean)",
    "#{enrolled: mate passes t, rank <= k} / #{enrolled}",
    "DIR@FPIR=0.01,k=1",
    "TPIR",
    iso="true-positive identification rate",
)
_register(
    "FNIR",
    "false negative identification rate",
    "1 - DIR",
    "FNIR@FPIR=0.01,k=1",
    "FRR",
    iso="false-negative identification rate",
)
_register(
    "FPIR",
    "false positive identification rate (false alarms)",
    "#{non-enrolled: top passes t} / #{non-enrolled}",
    "FPIR@t=0.5",
    "FAR",
    "false-alarm-rate",
    iso="false-positive identification rate",
)
_register("Missed", "enrolled searches without any candidate", "#{enrolled: top < t} / #{enrolled}", "Missed@FPIR=0.01")
_register(
    "Misidentified",
    "enrolled searches in which others pass, and not the mate at rank 1",
    "FNIR(t, 1) - Missed(t)",
    "Misidentified@FPIR=0.01",
)
