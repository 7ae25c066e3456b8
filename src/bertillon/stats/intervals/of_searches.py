"""What is known of the intervals of 1:N searches besides resampling: proportions, and bounds where errors are few.

Holds `SearchIntervals`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.measures.area import AreaUnderRoc
from bertillon.measures.base import Measure, Result
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.identification import IDENTIFICATION
from bertillon.measures.identification.area import OpenArea
from bertillon.measures.identification.equal import OpenEqualErrorRate
from bertillon.measures.identification.ranks import CumulativeMatchScore, RankSummary
from bertillon.measures.identification.rates import SearchRate
from bertillon.measures.operating_point import THRESHOLD
from bertillon.measures.plans import Target
from bertillon.stats.dependence.correlation import MATED, PersonSharing
from bertillon.stats.dependence.shared_people import rate_by_subject
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.few_errors import at_target, bound_of_separated, separated
from bertillon.stats.intervals.fixed_rates import independent
from bertillon.stats.intervals.ranges import Range, range_of
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.searches import SearchResampler
from bertillon.trials.search_set import SearchSet

FloatArray = NDArray[np.float64]
Wrong = NDArray[np.bool_]


class _SearchRates:
    """False alarm and miss rates of searches; whether an enrolled search is missed depends on the measure."""

    def __init__(self, searches: SearchSet, measure: SearchRate) -> None:
        self.searches, self.measure = searches, measure

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        wrong = _missed(self.searches, self.measure, threshold) if mated else _alarms(self.searches, threshold)
        return _interval(self.searches, wrong, level, enrolled=mated)

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        subjects = self.searches.probe_subject
        if subjects is None:
            return None
        rows = self.searches.enrolled == mated
        return rate_by_subject(subjects[rows], np.zeros(int(rows.sum()), dtype=bool)).sharing, MATED


class SearchIntervals:
    """Intervals of identification."""

    def __init__(self, searches: SearchSet) -> None:
        self.searches = searches

    def range_of(self, measure: Measure) -> Range:
        """The ends that its definition names."""
        return range_of(measure, IDENTIFICATION)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """CMS and RR, the median rank, and rates at a fixed threshold."""
        if isinstance(measure, CumulativeMatchScore):
            missed = self.searches.ranks(measure.ties) > (measure.k or 1)
            return _interval(self.searches, missed, level, enrolled=True).complement
        if isinstance(measure, RankSummary) and measure.name == "MedianRank":
            return self._median(self.searches.ranks(measure.ties), level)
        if not isinstance(measure, SearchRate) or measure.point.key != THRESHOLD:
            return None
        return self._at(measure, measure.point.target, level)

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """A rate at a target with few errors, or any measure of searches without errors."""
        assert isinstance(resampler, SearchResampler)
        if isinstance(measure, SearchRate):
            return self._at_target(measure, result, resampler, level)
        if isinstance(measure, OpenEqualErrorRate | OpenArea):
            return self._separated(measure, result, resampler, level)
        if isinstance(measure, RankSummary):
            return self._all_first(measure, result, level)
        return None

    def _median(self, ranks: FloatArray, level: float) -> Interval:
        """The ranks that one half of all mates may reach, from the intervals of the shares that do."""
        steps = np.append(np.unique(ranks), math.inf)

        def share(index: int) -> Interval:
            return _interval(self.searches, ranks > steps[index], level, enrolled=True).complement

        indices, any_share = range(steps.size - 1), share(0)
        if math.isnan(any_share.low):
            return any_share
        low = bisect_left(indices, True, key=lambda index: share(index).high >= 0.5)
        high = bisect_left(indices, True, key=lambda index: share(index).low >= 0.5)
        return replace(any_share, low=float(steps[low]), high=float(steps[high]), reason=None)

    def _at(self, measure: SearchRate, threshold: float, level: float) -> Interval:
        """The interval of a rate, the threshold taken as given."""
        if measure.kind == "FPIR":
            return _interval(self.searches, _alarms(self.searches, threshold), level, enrolled=False)
        error = _interval(self.searches, _missed(self.searches, measure, threshold), level, enrolled=True)
        return error.complement if measure.kind == "DIR" else error

    def _at_target(
        self, measure: SearchRate, result: Result, resampler: SearchResampler, level: float
    ) -> Interval | None:
        if result.threshold is None:
            return None
        if measure.kind in ("Missed", "Misidentified"):
            return self._at(measure, result.threshold, level) if result.value in (0.0, 1.0) else None
        point = measure.point
        target = Target(point.key, point.target, mated=point.key != "FPIR", success=point.key == "DIR")
        curve = resampler.tally.watch_list(measure.k, measure.ties, measure.by)
        value = 1.0 - result.value if measure.kind == "DIR" else result.value
        rates = _SearchRates(self.searches, measure)
        interval = at_target(target, (value, result.threshold), curve, rates, level)
        return interval.complement if interval is not None and measure.kind == "DIR" else interval

    def _separated(
        self, measure: OpenEqualErrorRate | OpenArea, result: Result, resampler: SearchResampler, level: float
    ) -> Interval | None:
        curve = resampler.tally.watch_list(1, measure.ties)
        gap = separated(curve)
        if gap is None:
            return None
        threshold = self.searches.rule.restore(gap)
        alarms = _interval(self.searches, _alarms(self.searches, threshold), level, enrolled=False)
        missed = _interval(self.searches, self.searches.ranks(measure.ties) > 1, level, enrolled=True)
        if math.isnan(alarms.high) or math.isnan(missed.high):
            return None
        twin = AreaUnderRoc() if isinstance(measure, OpenArea) else EqualErrorRate(measure.definition)
        worst = bound_of_separated(twin, alarms.high, missed.high, self.searches.rule)
        assert worst is not None
        low, high = sorted((result.value, worst))
        return Interval.bounded((low, high), say("method.bounds_searches"), missed, say("reason.searches_separated"))

    def _all_first(self, measure: RankSummary, result: Result, level: float) -> Interval | None:
        """Every mate is first: how much worse it may be if as many are last as the bound allows."""
        ranks = self.searches.ranks(measure.ties)
        if not (ranks == 1.0).all():
            return None
        missed = _interval(self.searches, ranks > 1.0, level, enrolled=True)
        last, share = float(self.searches.gallery_size), missed.high
        worst = {
            "MeanRank": 1.0 + share * (last - 1.0),
            "MRR": 1.0 - share * (1.0 - 1.0 / last),
            "AUC": last - share * (last - 1.0),
            "nAUC": 1.0 - share * (last - 1.0) / last,
        }[measure.name]
        low, high = sorted((result.value, worst))
        return replace(missed, low=low, high=high, reason=say("reason.all_first"))


def _alarms(searches: SearchSet, threshold: float) -> Wrong:
    """Which non-enrolled searches have a candidate that passes."""
    return np.asarray(searches.rule.accepts(searches.top_score[~searches.enrolled], threshold))


def _missed(searches: SearchSet, measure: SearchRate, threshold: float) -> Wrong:
    """Which enrolled searches go wrong in the way the measure counts."""
    top = searches.rule.accepts(searches.top_score[searches.enrolled], threshold)
    if measure.kind == "Missed":
        return np.asarray(~top)
    by_mate = searches.rule.accepts(searches.mate_score[searches.enrolled], threshold)
    passes = by_mate if measure.by == "mate" else top
    identified = passes & (searches.ranks(measure.ties) <= measure.k)
    return np.asarray(top & ~identified if measure.kind == "Misidentified" else ~identified)


def _interval(searches: SearchSet, wrong: Wrong, level: float, *, enrolled: bool) -> Interval:
    subjects = searches.probe_subject
    if subjects is None:
        return independent(int(np.count_nonzero(wrong)), wrong.size, level)
    return rate_by_subject(subjects[searches.enrolled == enrolled], wrong).interval(level)
