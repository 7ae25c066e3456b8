"""What statistics know of predictions besides resampling: proportions, means over groups, bounds, bands.

Conventions: samples are taken as independent, or by group where the settings say so. Weighted samples count as
(sum w)^2 / sum w^2 independent ones (Kish) wherever a formula asks how many there are.

Precision is held at a recall: that of the strictest threshold with at least the recall. It is uncertain twice: by the
samples that are accepted, and by the threshold, which the positives fix. Where few of these lie on one side of it, the
numbers of misses that are compatible with the recall say between which thresholds it lies (see `few_errors`); precision
does not move one way along them, so the least and the largest count. Both uncertainties are put together as distances
from the value.

A bin of a reliability diagram is a proportion with a formula of its own; a simultaneous band over m bins has intervals
of level^(1/m) each (Sidak), which is exact for independent bins and enough for dependent ones.

Holds `pr_band`, `class_det_band` and `reliability_band`; `ClassStatistics`; `PrecisionAtRecall` and `kish`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.classes.one_vs_rest import sweep
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.counting.tally import count_errors
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification.decisions import ClassRate
from bertillon.measures.classification.probability import BINS
from bertillon.measures.classification.ranking import group_rows
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.plans import (
    AtTarget,
    BothRates,
    Judged,
    NoInterval,
    OfPositives,
    OverBins,
    OverGroups,
    Resample,
)
from bertillon.stats.dependent_rate import MATED
from bertillon.stats.ends import Range, range_of, student
from bertillon.stats.few_errors import FEW, RULE_OF_3, compatible_errors, joint_ends
from bertillon.stats.interval import BY_NAME, LIMITS, Interval, Settings, independent, proportions
from bertillon.stats.intervals import band_along, band_kind, rates_grid
from bertillon.stats.kinds import Statistics, register_statistics, statistics_of
from bertillon.stats.of_scores import RatesOfScores, det_band, roc_band
from bertillon.stats.over_bins import interval_over_bins
from bertillon.stats.resampled_classes import ClassResampler, known_groups
from bertillon.stats.resampling import LEAVE_ONE_OUT, Draw, Resampler, groups_left_out
from bertillon.stats.shared_people import rate_by_subject
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet, TrialIds

GROUPS = 50  # of samples, left out one at a time instead
BOUNDS = say("reason.threshold_bounds_or_no_error")
STEPS = 50  # of the usual grid of recalls
STEPS_OF_SHARE = 1001  # at which a function of the share of positives is looked at


def pr_band(
    predictions: Predictions,
    grid: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of precision over a grid of recalls; the usual grid leaves three positives out at either end.

    >>> truth, scores = [1] * 40 + [0] * 60, [*range(30, 70), *range(60)]
    >>> band = pr_band(Predictions.from_scores(truth, scores), [0.5], settings=Settings(resamples=200))
    >>> bool(band.low[0] < 20 / 30 < band.high[0])
    True
    """
    _require_ranked(predictions)
    least = min(RULE_OF_3 / int(np.count_nonzero(_own(predictions))), 0.5)
    usual = np.unique(np.linspace(least, 1.0 - least, STEPS))
    recalls = usual if grid is None else rates_grid(grid, 1, "recalls")

    def precision(curve: BinaryCounts) -> FloatArray:
        rows = np.searchsorted(-curve.recall, -recalls, side="right") - 1
        return np.asarray(curve.precision[np.maximum(rows, 0)])

    measures = [ClassRate("Precision", point=OperatingPoint("Recall", recall)) for recall in recalls.tolist()]
    statistics = statistics_of(predictions, settings or Settings())
    return band_along(statistics, recalls, measures, kind, along=_swept(precision, recalls.size))


def class_det_band(predictions: Predictions, grid: ArrayLike | None = None, *, settings: Settings, kind: Kind) -> Band:
    """The band of the false negative rate over a grid of false positive rates."""
    _require_ranked(predictions)
    if predictions.weights is None:
        asked = replace(settings, by_group=False)  # groups are the subjects of these scores
        return det_band(_as_scores(predictions, by_group=settings.by_group), grid, settings=asked, kind=kind)
    rates = rates_grid(grid, int(np.count_nonzero(~_own(predictions))), "false positive rates")

    def misses(curve: BinaryCounts) -> FloatArray:
        rows = np.searchsorted(-curve.fpr, -rates)
        return np.asarray(1.0 - curve.recall[np.minimum(rows, len(curve) - 1)])

    measures = [ClassRate("FNR", point=OperatingPoint("FPR", rate)) for rate in rates.tolist()]
    statistics = statistics_of(predictions, settings)
    return band_along(statistics, rates, measures, kind, rises=-1, along=_swept(misses, rates.size))


def reliability_band(
    predictions: Predictions, bins: int = BINS, *, settings: Settings | None = None, kind: Kind = "pointwise"
) -> Band:
    """The band of the share that came true in each filled bin of equal width, at its mean probability."""
    asked = settings or Settings()
    band_kind(kind)
    tally = ClassTally(predictions)
    if tally.why_not_probable:
        raise InputError(f"no band of reliability: {tally.why_not_probable}")
    promised, hit = _judged(tally)
    weights = np.ones(hit.size) if predictions.weights is None else predictions.weights
    bin_index = np.clip(np.searchsorted(np.linspace(0.0, 1.0, bins + 1), promised) - 1, 0, bins - 1)
    count, squares = (np.bincount(bin_index, w, minlength=bins).astype(np.float64) for w in (weights, weights**2))
    filled = np.flatnonzero(count > 0)
    level = asked.level ** (1.0 / filled.size) if kind == "simultaneous" else asked.level
    if asked.by_group:
        low, high = _by_group(known_groups(predictions), hit, [bin_index == filled_bin for filled_bin in filled], level)
    else:
        effective = kish(count, squares)[filled]
        share = np.bincount(bin_index, weights * hit, minlength=bins)[filled] / count[filled]
        low, high = proportions(np.minimum(share, 1.0) * effective, effective, level=level)
    mean = np.bincount(bin_index, weights * promised, minlength=bins)[filled] / count[filled]
    return Band(mean, low, high, level=asked.level, kind=kind)


def _swept(along: Callable[[BinaryCounts], FloatArray], places: int) -> Callable[[ClassTally], FloatArray]:
    """A curve at all its places from one sweep over the thresholds of a resample; NaN where a class is missing."""

    def read(tally: ClassTally) -> FloatArray:
        curve = tally.points
        return along(curve) if curve.n_mated and curve.n_nonmated else np.full(places, np.nan)

    return read


def _require_ranked(predictions: Predictions) -> None:
    why_not = ClassTally(predictions).why_not_ranked
    if why_not:
        raise InputError(f"no curve and no band: {why_not}")


def _own(predictions: Predictions) -> NDArray[np.bool_]:
    """Which samples are of the positive class."""
    return np.asarray(predictions.truth == predictions.positive_code)


def _as_scores(predictions: Predictions, *, by_group: bool = False) -> ScoreSet:
    """Positives as mated scores, the others as non-mated ones, each of its group."""
    scores, own = predictions.positive_scores, _own(predictions)
    assert scores is not None
    groups = known_groups(predictions) if by_group else None
    ids = [None if groups is None else TrialIds(probe_subject=groups[kind]) for kind in (own, ~own)]
    return ScoreSet(scores[own], scores[~own], mated_ids=ids[0], nonmated_ids=ids[1], name=predictions.name)


def _judged(tally: ClassTally) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The probability of the positive class, or of the favourite, of every sample; and whether it came true."""
    predictions = tally.predictions
    if predictions.positive is not None:
        return np.asarray(predictions.probability_of(predictions.positive_code)), _own(predictions)
    return tally.rows.top, tally.rows.best == predictions.truth


def _by_group(
    groups: NDArray[Any], hit: NDArray[np.bool_], bins: Sequence[NDArray[np.bool_]], level: float
) -> tuple[FloatArray, FloatArray]:
    intervals = [rate_by_subject(groups[chosen], hit[chosen]).interval(level) for chosen in bins]
    return np.array([interval.low for interval in intervals]), np.array([interval.high for interval in intervals])


class ClassStatistics(Statistics):
    """Statistics of classification."""

    bands: ClassVar = {
        "roc": roc_band,
        "det": class_det_band,
        "precision-recall": pr_band,
        "reliability": reliability_band,
    }
    groupable = True
    of_worst = say("method.bounds_classes"), say("reason.no_error_bound")
    trials: Predictions

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> ClassResampler:
        return ClassResampler(self.trials, measures, self.settings, alone=alone)

    @property
    def people(self) -> int | None:
        return len(self.groups) if self.settings.by_group else None

    @property
    def groups(self) -> list[NDArray[Any]]:
        return group_rows(ClassTally(self.trials))

    def rates(self, outcome: Hashable) -> RatesOfScores:
        return RatesOfScores(self._score_set)

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts:
        return self._curve

    def range_of(self, measure: Measure) -> Range:
        return range_of(measure, self.measure_set, several=self.trials.positive is None)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The same of samples that are taken one by one, and what knows of groups."""
        plan = measure.interval(result)
        if isinstance(plan, OverBins):
            return self._over_bins(plan, result, level)
        if isinstance(plan, OfPositives):
            return self._of_positives(plan, level)
        if self.settings.by_group and not isinstance(plan, OverGroups | BothRates):
            return None
        return super().by_formula(measure, result, level)

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same of equal samples one by one; precision at a recall; and what takes too long to resample."""
        match measure.interval(result):
            case Resample(by_class=True) if self.trials.positive is None:
                return self._heavy(measure, result, resampler, level)
            case OverBins(resample=Resample(by_class=True)) if self.trials.positive is None:
                return self._heavy(measure, result, resampler, level)
            case AtTarget(target, outcome=Judged.ACCEPTED):
                return self._precision.bounds(target.value, result, level)
            case NoInterval():
                pass
            case _ if self.trials.weights is not None or self.settings.by_group:
                return None
        return super().not_resampled(measure, result, resampler, level)

    def both_rates(self, plan: BothRates, result: Result, level: float) -> Interval | None:
        """The same of equal samples."""
        return None if self.trials.weights is not None else super().both_rates(plan, result, level)

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The worst value that bounds on both error rates allow where no error was made."""
        if plan.worst is None or self.trials.positive is None or not self._clean(plan.outcome):
            return None
        worst = plan.worst.of(ClassTally(self._worst(level))).value
        own = Interval(result.value, worst, level, BY_NAME["clopper-pearson"], naive=True)
        return self.bounded(result.value, worst, own)

    def _of_positives(self, plan: OfPositives, level: float) -> Interval | None:
        """A function of the share of positives among equal samples of two classes that are taken one by one."""
        if self.trials.positive is None or self.trials.weights is not None or self.settings.by_group:
            return None
        share = independent(int(np.count_nonzero(_own(self.trials))), self.trials.size, level)
        values = [plan.value(own) for own in np.linspace(share.low, share.high, STEPS_OF_SHARE).tolist()]
        return replace(share, low=min(values), high=max(values))

    def _over_bins(self, plan: OverBins, result: Result, level: float) -> Interval:
        """A calibration error of equal samples that are taken one by one."""
        if self.trials.weights is not None or self.settings.by_group:
            grouped = self.trials.weights is None
            return Interval.undefined(say("reason.bins_grouped" if grouped else "reason.bins_weighted"), level)
        tally, classes, asked = ClassTally(self.trials), self.trials.n_classes, replace(self.settings, level=level)
        if not plan.by_class or (plan.added and self.trials.positive is not None):
            return interval_over_bins(plan, [tally.bins(plan.bins, mass=plan.mass)], result.value, asked)
        codes = range(1 if classes == 2 else classes)  # of two classes each is as far off as the other
        sets, each = [tally.bins(plan.bins, code=code) for code in codes], 1.0 / len(codes)
        return interval_over_bins(plan, sets, result.value, asked, each=classes * each if plan.added else each)

    def _heavy(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """Groups of samples left out one at a time: the jackknife."""
        work = self.trials.size * self.trials.n_classes
        if work <= LIMITS.resampled_probabilities:
            return None
        if work > LIMITS.jackknifed_probabilities:
            return Interval.undefined(say("reason.too_many_probabilities", n=work), level)
        groups = groups_left_out(resampler.n_units)
        some = range(0, groups, -(-groups // GROUPS))
        without = resampler.read_block([measure], Draw(some, 0, LEAVE_ONE_OUT))[:, 0, 0]
        error = math.sqrt((groups - 1) * float(np.var(without)))
        ends = student(result.value, error, self.range_of(measure), level=level, degrees=without.size - 1)
        return Interval(*ends, level, say("method.jackknife", n=without.size), naive=resampler.naive)

    def _clean(self, outcome: Hashable) -> bool:
        """Was no error made, of decisions or of the ranking?"""
        if outcome is Judged.RANKING:
            return self._curve.clean is not None
        return outcome is Judged.DECISIONS and self._without_errors

    @cached_property
    def _without_errors(self) -> bool:
        confusion = ClassTally(self.trials).confusion
        return confusion is not None and bool(confusion.right.sum() == confusion.total)

    def _worst(self, level: float) -> Predictions:
        """Two classes in which as many go wrong as the bounds allow, those furthest to the wrong side."""
        own = _own(self.trials)
        totals = int(np.count_nonzero(own)), int(np.count_nonzero(~own))
        missed, alarmed = (n * independent(0, n, level).high if n else 0.0 for n in totals)
        truth = np.array([0, 1, 0, 1])
        weights = np.array([alarmed, totals[0] - missed, totals[1] - alarmed, missed])
        scores = np.array([1.0, 0.75, 0.25, 0.0])
        return Predictions(truth, (0, 1), 1, predicted=(scores > 0.5).astype(int), scores=scores, weights=weights)

    @cached_property
    def _precision(self) -> PrecisionAtRecall:
        return PrecisionAtRecall(self.trials, by_group=self.settings.by_group)

    @cached_property
    def _curve(self) -> BinaryCounts:
        return count_errors(self._score_set)

    @cached_property
    def _score_set(self) -> ScoreSet:
        return _as_scores(self.trials, by_group=self.settings.by_group)


class PrecisionAtRecall:
    """What is known of Precision@Recall=y besides resampling, at any number of recalls."""

    def __init__(self, predictions: Predictions, *, by_group: bool = False) -> None:
        self.predictions = predictions
        self.groups = known_groups(predictions) if by_group else None
        self.own = _own(predictions)
        self.sweep: BinaryCounts = sweep(ClassTally(predictions).trials)

    def bounds(self, recall: float, result: Result, level: float) -> Interval | None:
        """The interval where positives on one side of the threshold, or errors above it, are too few; else None."""
        assert result.threshold is not None
        clean = result.value in (0.0, 1.0)
        if self.predictions.weights is not None:
            return self._accepted(result.threshold, level) if clean else None
        positives, share = int(np.count_nonzero(self.own)), self._share(1.0 - recall)
        if min(recall, 1.0 - recall) * positives * share >= FEW and not clean:
            return None
        ends = self._between_thresholds(recall, positives, share, level)
        own = self._accepted(result.threshold, level)
        if math.isnan(own.low):
            return own
        low, high = joint_ends(result.value, (own.low, ends[0]), (own.high, ends[1]))
        return replace(own, low=low, high=high, reason=BOUNDS, claim="at least")

    def _accepted(self, threshold: float, level: float) -> Interval:
        """The interval of the precision of what passes a threshold that is given."""
        scores = self.predictions.positive_scores
        assert scores is not None
        chosen = np.asarray(AcceptRule.SIMILARITY.accepts(scores, threshold))
        if self.groups is not None:
            return rate_by_subject(self.groups[chosen], ~self.own[chosen]).interval(level).complement
        weights = np.ones(chosen.size) if self.predictions.weights is None else self.predictions.weights
        whole, squares = float(weights[chosen].sum()), float((weights[chosen] ** 2).sum())
        effective = float(kish(np.array(whole), np.array(squares)))
        share = min(float(weights[chosen & self.own].sum()) / whole, 1.0) if whole else 0.0
        return independent(share * effective, effective, level)

    def _between_thresholds(self, recall: float, positives: int, share: float, level: float) -> tuple[float, float]:
        """The least and the largest precision at thresholds that may have this recall."""
        least, most = compatible_errors(1.0 - recall, positives, share, level)
        if most == positives and recall * positives * share < RULE_OF_3:
            return 0.0, 1.0  # so strict a threshold accepts nobody that was seen
        missed = positives - self.sweep.tp
        unknown = least == 0 and (1.0 - recall) * positives * share < RULE_OF_3
        rows = (missed <= most) & (missed >= (0 if unknown else least)) & (self.sweep.accepted > 0)
        seen = self.sweep.precision[rows]
        if not seen.size:
            return 0.0, 1.0
        low = min(float(seen.min()), positives / self.sweep.total) if unknown else float(seen.min())
        return low, float(seen.max())

    def _share(self, miss_rate: float) -> float:
        """Which part of the positives counts as independent."""
        if self.groups is None:
            return 1.0
        ids = self.groups[self.own]
        return 1.0 / rate_by_subject(ids, np.zeros(ids.size, dtype=bool)).sharing.design_effect(miss_rate, MATED)


def kish(weight: FloatArray, squares: FloatArray) -> FloatArray:
    """How many samples of one weight are worth the same: (sum w)^2 / sum w^2; 0 where there are none.

    >>> kish(np.array([4.0, 0.0]), np.array([8.0, 0.0])).tolist()
    [2.0, 0.0]
    """
    return np.asarray(np.divide(weight**2, squares, out=np.zeros_like(weight), where=squares > 0))


register_statistics("classification", ClassStatistics)
