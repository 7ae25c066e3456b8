"""How well a ranking puts positives first: the whole curve of precision and recall, the top of a list, grades.

AP                 sum of (R_k - R_k+1) P_k over distinct thresholds: no interpolation
AP[interpolated]   P_k replaced by the highest precision at that recall or more (PASCAL VOC 2010, all points)
AP[voc11]          the mean of that precision at recall 0, 0.1 ... 1 (PASCAL VOC 2007)
AP[macro], [micro], [weighted]   over classes, each against the rest by its own probability
MAP                mean of AP over groups (queries); groups without positives are left out
P@k      share of positives among the k highest scores
R@k      share of all positives found there
AP@k     sum over the list of precision at each positive, by min(positives, k)
NDCG@k   discounted gain 1/log2(place + 1) of the positives, by that of the best possible list
Top@k    share of samples whose true class is among its k most probable classes

Conventions: samples with equal scores have no order, so P, R, AP and NDCG are expected values over all their orders
(McSherry and Najork 2008); only whole counts have an error count. [grouped] is the mean over groups (queries), those
without positives left out except for P. Top@k is pessimistic: a class as probable as the true one stands before it.

`graded_ndcg` ranks documents that are more or less relevant. A grade is 0 or more, 0 being not relevant; its gain is
the grade itself (linear) or 2^grade - 1 (exponential). Predictions know positives only; with grades, MAP, P@k and AP@k
are asked of `relevance >= the lowest grade that counts`.

Holds `AveragePrecision`, `MeanAveragePrecision`, `TopList` with its `RankedPositions`, `TopClasses`, `graded_ndcg`, and
what is read of groups: `group_rows` and `group_trials`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError, unknown
from bertillon.core.messages import say
from bertillon.counting.classes.one_vs_rest import BinaryTrials, areas_of, binary_trials, sweep
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.keys import rows_of_groups
from bertillon.counting.tally import Need
from bertillon.measures.base import (
    BARE,
    NO_POSITIVES,
    NOWHERE,
    ClassMeasure,
    Measure,
    NamedMeasure,
    Result,
    Spelling,
    reject_extras,
)
from bertillon.measures.classification.decisions import AVERAGES
from bertillon.measures.plans import IntervalPlan, Judged, NoInterval, Overfitted, OverGroups, Proportion, Resample
from bertillon.measures.registry import SHARE, Definition
from bertillon.trials.class_tally import ClassTally

VARIANTS = ("plain", "interpolated", "voc11", *AVERAGES)
HULLS = ("interpolated", "voc11")  # the largest precision from each recall on, which follows the luck of the data
GAINS = ("linear", "exponential")
NO_GROUPS = say("reason.no_groups")
NO_WEIGHTS = say("reason.weights_unused")


@dataclass(frozen=True, slots=True)
class AveragePrecision(ClassMeasure, NamedMeasure):
    """Average precision of the positive class, or over classes."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    variant: str = ""
    name = "AP"

    @classmethod
    def build(cls, spelling: Spelling) -> Measure:
        """The measure behind AP, or behind AP@10 of a top list."""
        if spelling.at:
            return TopList.build(spelling)
        return cls(spelling.written_variant(VARIANTS))

    def of(self, tally: ClassTally) -> Result:
        if self.variant in AVERAGES:
            return self._several(tally)
        reason = tally.why_not_scored or (None if tally.trials.mated_total else NO_POSITIVES)
        if reason:
            several = tally.predictions.n_classes > 2 and tally.predictions.probabilities is not None
            return Result.undefined(say("reason.name_average", why=reason, example="AP[macro]") if several else reason)
        areas = tally.areas
        return Result({"": areas.step, "interpolated": areas.interpolated, "voc11": areas.eleven_point}[self.variant])

    def for_classes(self, classes: int, average: str) -> AveragePrecision:
        return self if classes == 2 or self.variant in AVERAGES else AveragePrecision(average)

    def interval(self, result: Result) -> IntervalPlan:
        plan = Resample(self, Judged.RANKING, by_class=True)
        return Overfitted(plan, above=True) if self.variant in HULLS else plan

    def _several(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        if self.variant == "micro":
            return Result(tally.pooled_areas.step)
        total = tally.class_totals
        codes = np.flatnonzero(total).tolist()
        each = [areas_of(tally.one_vs_rest(code)).step for code in codes]
        return Result(float(np.average(each, weights=total[codes] if self.variant == "weighted" else None)))


@dataclass(frozen=True, slots=True)
class MeanAveragePrecision(NamedMeasure, ClassMeasure):
    """Mean over groups of each group's average precision."""

    name: str = "MAP"

    def of(self, tally: ClassTally) -> Result:
        if tally.why_not_scored:
            return Result.undefined(tally.why_not_scored)
        if tally.predictions.groups is None:
            return Result.undefined(NO_GROUPS)
        each = [areas_of(trials).step for trials in group_trials(tally) if trials.mated_total]
        return Result(float(np.mean(each))) if each else Result.undefined(say("reason.no_group_positives"))

    def interval(self, result: Result) -> IntervalPlan:
        return OverGroups(AveragePrecision())


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
        return cls(spelling.name, _k(spelling), spelling.written_variant(("plain", "grouped"), at=None))

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
        if self.name != "P":
            return NoInterval(say("reason.one_list"))
        return Resample() if result.errors is None else Proportion(success=True)

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

    @classmethod
    def build(cls, spelling: Spelling) -> TopClasses:
        """The measure behind a spelling such as Top@5."""
        spelling.variant_among(at=None)
        return cls(_k(spelling))

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


def group_rows(tally: ClassTally) -> list[NDArray[np.int64]]:
    """The places of the samples of each group of predictions that have groups."""
    assert tally.predictions.groups is not None
    return rows_of_groups(tally.predictions.groups)


def group_trials(tally: ClassTally) -> Iterator[BinaryTrials]:
    """The positive class against the other, group by group, of scored predictions that have groups."""
    predictions, scores = tally.predictions, tally.predictions.positive_scores
    assert scores is not None
    for chosen in group_rows(tally):
        weights = None if predictions.weights is None else predictions.weights[chosen]
        yield binary_trials(scores[chosen], predictions.truth[chosen], predictions.positive_code, weights=weights)


def graded_ndcg(
    relevance: ArrayLike,
    scores: ArrayLike,
    k: int | None = None,
    *,
    groups: ArrayLike | None = None,
    gain: str = GAINS[0],
) -> Result:
    """Normalised discounted cumulative gain of the k highest scores (of all without k), the mean over groups.

    >>> round(graded_ndcg([3, 2, 0, 1], [0.9, 0.7, 0.8, 0.1], 3).value, 3)
    0.84
    """
    grades, ranked = _column(relevance, "relevance"), _column(scores, "scores")
    _check(grades, ranked, k, gain)
    gains = grades if gain == GAINS[0] else np.exp2(grades) - 1.0
    values = [_of_list(gains[rows], ranked[rows], k) for rows in _rows(groups, grades.size)]
    known = [value for value in values if value is not None]
    return Result(float(np.mean(known))) if known else Result.undefined(say("reason.nothing_relevant"))


def _of_list(gains: FloatArray, scores: FloatArray, k: int | None) -> float | None:
    """The gain of one list over that of the best one; None where nothing is relevant."""
    length = gains.size if k is None else min(k, gains.size)
    discount = np.zeros(gains.size)
    discount[:length] = 1.0 / np.log2(np.arange(length) + 2.0)
    best = float(np.sort(gains)[::-1] @ discount)
    if not best:
        return None
    _, tie, size = np.unique(-scores, return_inverse=True, return_counts=True)
    shared = np.add.reduceat(discount, np.cumsum(size) - size) / size  # each of the tied has each of their places
    return float(gains @ shared[tie]) / best


def _rows(groups: ArrayLike | None, size: int) -> list[NDArray[np.intp]]:
    if groups is None:
        return [np.arange(size)]
    array = np.asarray(groups)
    if array.shape != (size,):
        raise InputError(f"groups have shape {array.shape}; expected one a document, {size:,}")
    return rows_of_groups(array)


def _column(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}; expected one number a document") from None
    if array.ndim != 1 or not array.size:
        raise InputError(f"{what} have shape {array.shape}; expected one number a document")
    return array


def _check(grades: FloatArray, scores: FloatArray, k: int | None, gain: str) -> None:
    if grades.size != scores.size:
        raise InputError(f"{scores.size:,} scores for {grades.size:,} grades; expected one each")
    for what, wrong in (("relevance", ~((grades >= 0) & np.isfinite(grades))), ("scores", np.isnan(scores))):
        if wrong.any():
            row = int(np.argmax(wrong))
            value = (grades if what == "relevance" else scores)[row]
            expected = "a finite number, 0 or more" if what == "relevance" else "a number"
            raise InputError(f"{what}: row {row + 1:,} is {value:g}; expected {expected}")
    if k is not None and (k != int(k) or k < 1):
        raise InputError(f"the length of the list is {k:g}; expected a whole number, 1 or more")
    if gain not in GAINS:
        raise InputError(unknown("gain", gain, GAINS))


_MANNING, _GAIN = "Manning, Raghavan and Schütze 2008", "Järvelin and Kekäläinen 2002"
_HIGHER = partial(Definition, better="higher", ends=SHARE)
_OF_LIST = partial(Definition, unit="rate", better="higher")
_AP = (
    "average precision (interpolated, voc11; macro, micro, weighted; AP@10 of a top list)",
    "AP",
    "Σ (R_k - R_k-1) P_k",
)
_AREA, _VOC = ("AUPRC", "PR-AUC", "AUC-PR", "average-precision"), f"{_MANNING}; Everingham et al. 2010 (voc11)"
_MAP = "mean average precision over groups (queries)", "MAP", "mean of AP", ("mean-AP",)
_P = "precision of the k highest scores", "P@10", "positives in top k / k"
_R = "recall of the k highest scores", "R@10", "positives in top k / P"
_NDCG = "discounted gain of the k highest scores", "NDCG@10", "DCG@k / best DCG@k"
_TOP = (
    "true class among the k most probable",
    "Top@5",
    "#{rank of the true class <= k} / n",
    ("topk", "top-k-accuracy", "CMS", "CMC"),
)
DEFINITIONS = (
    _OF_LIST("P", TopList.build, *_P, reference=_MANNING),
    _OF_LIST("R", TopList.build, *_R, reference=_MANNING),
    _HIGHER("NDCG", TopList.build, *_NDCG, reference=_GAIN),
    _OF_LIST("Top", TopClasses.build, *_TOP, reference="Russakovsky et al. 2015"),
    _HIGHER("AP", AveragePrecision.build, *_AP, _AREA, reference=_VOC),
    _HIGHER("MAP", MeanAveragePrecision.build, *_MAP, reference=_MANNING),
)
