"""What stands at the top: of all samples ranked by score, or of a sample's ranked classes.

P@k      share of positives among the k highest scores
R@k      share of all positives found there
AP@k     sum over the list of precision at each positive, by min(positives, k)
NDCG@k   discounted gain 1/log2(place + 1) of the positives, by that of the best possible list
Top@k    share of samples whose true class is among its k most probable classes

Conventions: samples with equal scores have no order, so P, R, AP and NDCG are expected values over all their orders
(McSherry and Najork 2008); only whole counts have an error count. [grouped] is the mean over groups (queries), those
without positives left out except for P. Top@k is pessimistic: a class as probable as the true one stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.classes.one_vs_rest import sweep
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.tally import Need
from bertillon.measures.base import NOWHERE, Result
from bertillon.measures.classification.base import NO_GROUPS, NO_WEIGHTS, ClassMeasure, group_trials, variant_of
from bertillon.measures.plans import Alike, IntervalPlan, OverGroups, Proportion, Resample
from bertillon.measures.registry import CLASSIFICATION, SHARE, Definition, reject_extras
from bertillon.measures.spelling import BARE, Spelling
from bertillon.trials.class_tally import NO_POSITIVES, ClassTally


@dataclass(frozen=True, slots=True, eq=False)
class RankedPositions:
    """The first places of a ranked list: what may be expected at each."""

    positive: FloatArray  # probability that a positive stands there
    precision: FloatArray  # expected (positives so far / place), where it is one
    positives: float  # in the whole list

    @classmethod
    def of(cls, sweep: BinaryCounts, k: int) -> RankedPositions:
        """The first k places, from the strict end of a sweep; ties share theirs."""
        seen, positives = sweep.accepted[::-1], sweep.tp[::-1]
        position = np.arange(1, min(k, int(seen[-1])) + 1)
        group = np.searchsorted(seen, position)  # the row at which the place is filled
        before, hits_before = seen[group - 1], positives[group - 1]
        size, hits = seen[group] - before, positives[group] - hits_before
        share = hits / size
        others = np.where(size > 1, (hits - 1) / np.maximum(size - 1, 1), 0.0)  # of a tied sample, if this one is one
        precision = (hits_before + 1 + (position - before - 1) * others) / position
        return cls(share, precision, sweep.n_mated)


@dataclass(frozen=True, slots=True)
class TopList(ClassMeasure):
    """A number about the k highest scores."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EQUAL_SAMPLES})
    name: str
    k: int
    variant: str = ""

    @classmethod
    def build(cls, spelling: Spelling) -> TopList:
        """The measure behind a spelling such as P@10."""
        return cls(spelling.name, _k(spelling), variant_of(spelling, ("plain", "grouped")))

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, self.variant, at={BARE: self.k})

    def seek(self, outline: BinaryCounts) -> IntArray:
        if self.variant:
            return NOWHERE
        reached = int(np.count_nonzero(outline.accepted >= self.k))
        return np.arange(max(reached - 1, 0), max(len(outline) - 1, 0))

    def of(self, tally: ClassTally) -> Result:
        reason = tally.why_not_scored or (NO_WEIGHTS if tally.predictions.weights is not None else None)
        if reason:
            return Result.undefined(reason)
        if self.variant:
            return self._grouped(tally)
        if self.name != "P" and not tally.trials.mated.size:
            return Result.undefined(NO_POSITIVES)
        return self._of_list(RankedPositions.of(tally.points, self.k))

    def interval(self, result: Result) -> IntervalPlan:
        if self.variant:
            return OverGroups(TopList(self.name, self.k))
        return Alike(self.k, say("reason.top_all_alike")) if self.name == "P" else Resample()

    def _of_list(self, places: RankedPositions) -> Result:
        hits = float(places.positive.sum())
        if self.name == "P":
            whole = hits == round(hits)
            return Result(hits / self.k, None, self.k - round(hits) if whole else None, self.k if whole else None)
        if self.name == "R":
            return Result(hits / places.positives)
        best = min(int(places.positives), self.k)
        if self.name == "AP":
            return Result(float((places.positive * places.precision).sum()) / best)
        gain = 1.0 / np.log2(np.arange(places.positive.size) + 2.0)
        return Result(float(places.positive @ gain) / float(gain[:best].sum()))

    def _grouped(self, tally: ClassTally) -> Result:
        if tally.predictions.groups is None:
            return Result.undefined(NO_GROUPS)
        values = [
            self._of_list(RankedPositions.of(sweep(trials), self.k)).value
            for trials in group_trials(tally)
            if self.name == "P" or trials.mated.size
        ]
        return Result(float(np.mean(values))) if values else Result.undefined(say("reason.no_group_positives"))


@dataclass(frozen=True, slots=True)
class TopClasses(ClassMeasure):
    """Share of samples whose true class is among the k most probable."""

    k: int

    @property
    def spelling(self) -> Spelling:
        return Spelling("Top", at={BARE: self.k})

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        hit = tally.rows.rank <= self.k
        if tally.predictions.weights is not None:
            return Result(float(np.average(hit, weights=tally.predictions.weights)))
        return Result(float(hit.mean()), None, int(hit.size - hit.sum()), int(hit.size))

    def for_classes(self, classes: int, average: str) -> TopClasses | None:
        return self if self.k < classes else None

    def interval(self, result: Result) -> IntervalPlan:
        return Resample() if result.errors is None else Proportion(success=True)


def _k(spelling: Spelling) -> int:
    reject_extras(spelling, at=(BARE, "k"))
    if len(spelling.at) != 1:
        raise InputError(f"{spelling}: expected the length of the list, as in {spelling.name}@10")
    (k,) = spelling.at.values()
    if k != int(k) or k < 1:
        raise InputError(f"{spelling}: the length of the list is {k:g}; expected a whole number, 1 or more")
    return int(k)


def _build_classes(spelling: Spelling) -> TopClasses:
    variant_of(spelling, ("plain",))
    return TopClasses(_k(spelling))


for _definition in (
    Definition(
        "P",
        TopList.build,
        "precision of the k highest scores",
        "P@10",
        "positives in top k / k",
        unit="rate",
        reference="Manning, Raghavan and Schütze 2008",
        better="higher",
    ),
    Definition(
        "R",
        TopList.build,
        "recall of the k highest scores",
        "R@10",
        "positives in top k / P",
        unit="rate",
        reference="Manning, Raghavan and Schütze 2008",
        better="higher",
    ),
    Definition(
        "NDCG",
        TopList.build,
        "discounted gain of the k highest scores",
        "NDCG@10",
        "DCG@k / best DCG@k",
        reference="Järvelin and Kekäläinen 2002",
        better="higher",
        ends=SHARE,
    ),
    Definition(
        "Top",
        _build_classes,
        "true class among the k most probable",
        "Top@5",
        "#{rank of the true class <= k} / n",
        ("topk",),
        "rate",
        reference="Russakovsky et al. 2015",
        better="higher",
    ),
):
    CLASSIFICATION.register(_definition)
