"""What statistics know of 1:N searches besides resampling: proportions, and bounds where errors are few.

Holds `SearchStatistics`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification.common import Miss, Unranked
from bertillon.measures.plans import AllFirst, AtThreshold, Median, Proportion
from bertillon.stats.bands.searches import cmc_band, watch_list_band
from bertillon.stats.dependence.correlation import MATED, PersonSharing
from bertillon.stats.dependence.shared_people import rate_by_subject
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.fixed_rates import independent
from bertillon.stats.kinds import Statistics, register_statistics
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.resampling.searches import SearchResampler
from bertillon.stats.settings import Settings
from bertillon.trials.search_set import SearchSet


class _SearchRates:
    """False alarm and miss rates of searches; whether an enrolled search is missed is what the outcome says."""

    def __init__(self, searches: SearchSet, outcome: Miss) -> None:
        self.searches, self.outcome = searches, outcome

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        wrong = self.outcome.wrong(self.searches, threshold) if mated else self._alarms(threshold)
        subjects = self.searches.probe_subject
        if subjects is None:
            return independent(int(np.count_nonzero(wrong)), wrong.size, level)
        return rate_by_subject(subjects[self.searches.enrolled == mated], wrong).interval(level)

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        subjects = self.searches.probe_subject
        if subjects is None:
            return None
        rows = self.searches.enrolled == mated
        return rate_by_subject(subjects[rows], np.zeros(int(rows.sum()), dtype=bool)).sharing, MATED

    def _alarms(self, threshold: float) -> NDArray[np.bool_]:
        """Which non-enrolled searches have a candidate that passes."""
        searches = self.searches
        return np.asarray(searches.rule.accepts(searches.top_score[~searches.enrolled], threshold))


class SearchStatistics(Statistics):
    """Statistics of identification."""

    bands: ClassVar = {"cmc": cmc_band, "watch-list": watch_list_band}
    of_worst = say("method.bounds_searches"), say("reason.searches_separated")

    def __init__(self, searches: SearchSet, settings: Settings) -> None:
        super().__init__(searches, settings)
        self.searches = searches

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> SearchResampler:
        return SearchResampler(self.searches, self.settings.scheme)

    def rates(self, outcome: Hashable) -> _SearchRates:
        assert isinstance(outcome, Miss)
        return _SearchRates(self.searches, outcome)

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts | None:
        assert isinstance(resampler, SearchResampler)
        return outcome.curve(resampler.counted) if isinstance(outcome, Miss) else None

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The same, and the median rank."""
        plan = measure.interval(result)
        if isinstance(plan, Median):
            return self._median(plan, level)
        return super().by_formula(measure, result, level)

    def of_trials(self, plan: Proportion, result: Result, level: float) -> Interval | None:
        """By the person who is searched for, where the outcome says which searches are wrong."""
        if plan.outcome is None:
            return super().of_trials(plan, result, level)
        return self.rates(plan.outcome).interval(math.nan, mated=True, level=level)

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same, and where no resample differs: ranks that are all first, searches that all go one way."""
        match measure.interval(result):
            case AllFirst() as plan:
                return self._all_first(plan, result.value, level)
            case AtThreshold() as plan if result.value in (0.0, 1.0):
                return self.at_threshold(plan, level)
        return super().not_resampled(measure, result, resampler, level)

    def _median(self, plan: Median, level: float) -> Interval:
        """The ranks that one half of all mates may reach, from the intervals of the shares that do."""
        unranked = plan.outcome
        assert isinstance(unranked, Unranked)
        steps = np.append(np.unique(unranked.ranks(self.searches)), math.inf)

        def share(index: int) -> Interval:
            beyond = replace(unranked, k=float(steps[index]))
            return self.rates(beyond).interval(math.nan, mated=True, level=level).complement

        indices, any_share = range(steps.size - 1), share(0)
        if math.isnan(any_share.low):
            return any_share
        low = bisect_left(indices, True, key=lambda index: share(index).high >= 0.5)
        high = bisect_left(indices, True, key=lambda index: share(index).low >= 0.5)
        return replace(any_share, low=float(steps[low]), high=float(steps[high]), reason=None)

    def _all_first(self, plan: AllFirst, value: float, level: float) -> Interval | None:
        """Every mate is first: how much worse it may be if as many are last as the bound allows."""
        rates = self.rates(plan.outcome)
        if rates.outcome.wrong(self.searches, math.nan).any():
            return None
        missed = rates.interval(math.nan, mated=True, level=level)
        low, high = sorted((value, plan.worst(missed.high, float(self.searches.gallery_size))))
        return replace(missed, low=low, high=high, reason=say("reason.all_first"))


register_statistics("identification", SearchStatistics)
