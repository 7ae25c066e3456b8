"""Closed-set measures: of enrolled searches only, without a threshold.

CMS@k      share of searches whose mate has rank k or better; RR = CMS@1
AUC        sum of CMS(k) for k from 1 to the size G of the gallery; nAUC = AUC / G
MeanRank, MedianRank   of the mates' ranks; undefined where a mate has none
MRR        mean of 1 / rank, a mate without a rank counting 0
mAP        mean average precision over templates, several a person; ties pessimistic
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.measures.base import BARE, CurveMeasure, NamedMeasure, Result, Spelling, reject_extras
from bertillon.measures.identification.common import RANK, Unranked, missing, rank_of, variant_of, words_of
from bertillon.measures.plans import AllFirst, IntervalPlan, Median, Proportion
from bertillon.measures.registry import POSITIVE, SHARE, Definition
from bertillon.trials.search_tally import TIES, SearchTally

FEW_LAST = say("reason.few_last_ranks")


class _ClosedSet(CurveMeasure):
    """A measure of enrolled searches, with or without scores."""

    def unfit(self, tally: SearchTally) -> Message | None:
        return missing(tally, enrolled=True, nonenrolled=False, scores=False)


@dataclass(frozen=True, slots=True)
class CumulativeMatchScore(_ClosedSet):
    """The share of mates found at rank k or better; without k, the recognition rate."""

    k: int | None = None
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        if spelling.name == "RR":
            reject_extras(spelling)
            return cls(None, *words_of(spelling, TIES))
        reject_extras(spelling, at=(BARE, RANK, "rank"))
        if len(spelling.at) != 1:
            raise InputError(f"{spelling}: expected one rank, as in CMS@5")
        return cls(rank_of(spelling, next(iter(spelling.at.values()))), *words_of(spelling, TIES))

    @property
    def spelling(self) -> Spelling:
        name, at = ("RR", {}) if self.k is None else ("CMS", {BARE: float(self.k)})
        return Spelling(name, variant_of([self.ties], TIES), at=at)

    def read(self, tally: SearchTally) -> Result:
        hits = int((tally.searches.ranks(self.ties) <= (self.k or 1)).sum())
        return Result(hits / tally.n_enrolled, None, tally.n_enrolled - hits, tally.n_enrolled)

    def interval(self, result: Result) -> IntervalPlan:
        return Proportion(success=True, outcome=Unranked(self.k or 1, ties=self.ties))


@dataclass(frozen=True, slots=True)
class RankSummary(_ClosedSet):
    """One number of all ranks."""

    name: str
    ties: str = TIES[0]

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        reject_extras(spelling)
        return cls(spelling.name, *words_of(spelling, TIES))

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, variant_of([self.ties], TIES))

    def read(self, tally: SearchTally) -> Result:
        ranks = tally.searches.ranks(self.ties)
        if self.name == "MRR":
            return Result(float(np.mean(1.0 / ranks)))
        value = float(np.mean(ranks) if self.name == "MeanRank" else np.median(ranks))
        if math.isinf(value):
            lost = int(np.isinf(ranks).sum())
            return Result.undefined(say("reason.unranked_mates", lost=lost, mates=ranks.size))
        return Result(value)

    def interval(self, result: Result) -> IntervalPlan:
        unranked = Unranked(ties=self.ties)
        if self.name == "MedianRank":
            return Median(unranked)
        return AllFirst(unranked, self.with_last, None if self.name == "MRR" else FEW_LAST)

    def with_last(self, share: float, last: float) -> float:
        """The value where a share of the mates has the last rank and all others are first."""
        return 1.0 - share * (1.0 - 1.0 / last) if self.name == "MRR" else 1.0 + share * (last - 1.0)


class RankArea(RankSummary):
    """The area under the rank curve: sum of CMS(k), or its share of the best possible."""

    __slots__ = ()

    def read(self, tally: SearchTally) -> Result:
        total = int(tally.cumulative_matches(self.ties).sum())
        return Result(total / tally.n_enrolled / (tally.gallery_size if self.name == "nAUC" else 1))

    def with_last(self, share: float, last: float) -> float:
        return 1.0 - share * (last - 1.0) / last if self.name == "nAUC" else last - share * (last - 1.0)


@dataclass(frozen=True, slots=True)
class MeanAveragePrecision(_ClosedSet, NamedMeasure):
    """Mean over enrolled searches of the average precision of their lists of templates."""

    name = "mAP"

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        spelling.variant_among(TIES[:1])
        return cls()

    def read(self, tally: SearchTally) -> Result:
        precision = tally.searches.average_precision
        if precision is None:
            return Result.undefined(say("reason.needs_matrix"))
        return Result(float(np.mean(precision[tally.searches.enrolled])))


_TIES, _FERET = "variants optimistic, mean", "Phillips et al. 2000"
_SHARE = partial(Definition, unit="rate", reference=_FERET, better="higher")
_HIGHER = partial(Definition, reference=f"{_FERET} (CMC)", better="higher")
_LOWER = partial(Definition, reference=f"{_FERET} (CMC)", better="lower")
_CMC, _SCORE = "cumulative match characteristic", f"cumulative match score at rank k ({_TIES})"
_AREA, _OF_BEST = f"area under the CMC ({_TIES})", f"area under the CMC over its greatest ({_TIES})"
_FIRST = f"recognition rate, rank 1 ({_TIES})", "RR", "CMS(1)", ("recognition-rate", "rank-1")
_MEAN, _MEDIAN = (f"{how} rank of the mates ({_TIES})" for how in ("mean", "median"))
_INVERSE = f"mean reciprocal rank ({_TIES})", "MRR", "mean 1 / rank"
_PRECISION = "mean average precision over templates", "mAP", "mean AP"
_MANNING = "Manning, Raghavan and Schütze 2008"
DEFINITIONS = (
    _SHARE(
        "CMS",
        CumulativeMatchScore.build,
        _SCORE,
        "CMS@5",
        "#{enrolled: rank <= k} / #{enrolled}",
        ("CMC", "Top", "topk", "rank"),
        iso=_CMC,
    ),
    _SHARE("RR", CumulativeMatchScore.build, *_FIRST),
    _HIGHER("AUC", RankArea.build, _AREA, "AUC", "Σ CMS(k), k = 1 to G", ("AUC-CMC",), ends=POSITIVE),
    _HIGHER("nAUC", RankArea.build, _OF_BEST, "nAUC", "AUC / G", ends=SHARE),
    _LOWER("MeanRank", RankSummary.build, _MEAN, "MeanRank", "mean rank", ends=(1.0, math.inf)),
    _LOWER("MedianRank", RankSummary.build, _MEDIAN, "MedianRank", "median rank", ends=POSITIVE),
    _HIGHER("MRR", RankSummary.build, *_INVERSE, reference="Voorhees 1999", ends=SHARE),
    _HIGHER("mAP", MeanAveragePrecision.build, *_PRECISION, reference=_MANNING, ends=SHARE),
)
