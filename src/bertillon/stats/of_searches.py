"""What statistics know of 1:N searches: how they are resampled, their proportions, bounds and bands.

Conventions: all searches of a person are taken together, as an enrolled one and as a stranger; where nobody knows whose
probes they are each search is a unit. Intervals and bands are about other probes in this gallery, not about other
galleries. A threshold at which no weighted search has its top or its mate is no threshold of the resample.

Holds `cmc_band` and `watch_list_band`; `SearchStatistics`; `SearchResampler` and `WeightedSearches`, a tally under
weights.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.keys import codes_of
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification.common import Miss, Unranked
from bertillon.measures.identification.ranks import CumulativeMatchScore
from bertillon.measures.identification.watch_list import SearchRate
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.plans import AllFirst, AtThreshold, Median, Proportion
from bertillon.stats.at_threshold import count_distinct
from bertillon.stats.dependent_rate import MATED, PersonSharing
from bertillon.stats.interval import Interval, Settings
from bertillon.stats.intervals import band_along, rates_grid
from bertillon.stats.kinds import Statistics, register_statistics, statistics_of
from bertillon.stats.resampling import Resampler, RowResampler
from bertillon.stats.shared_people import interval_by_subject, rate_by_subject
from bertillon.stats.units import SUBJECTS
from bertillon.trials.search_set import SearchSet
from bertillon.trials.search_tally import DETECTED_BY, TIES, Returned, SearchTally

PROBES = say("unit.probes")
THREADS_FROM = 20_000  # searches; of fewer too little is done in numpy for threads to help
FIRST_RANKS, MORE_RANKS = 20, 40  # each of the first, then at equal steps of the logarithm


def cmc_band(
    searches: SearchSet, ranks: ArrayLike | None = None, *, settings: Settings | None = None, kind: Kind = "pointwise"
) -> Band:
    """The band of the identification rate by rank (CMS).

    >>> band = cmc_band(SearchSet.from_ranks([1] * 90 + [2] * 10, gallery_size=50), [1, 2])
    >>> band.low.round(3).tolist(), band.high.round(3).tolist()
    ([0.824, 0.964], [0.951, 1.0])
    """
    statistics = statistics_of(searches, settings or Settings())
    _require(searches, searches.n_enrolled, "enrolled searches, so no CMC")
    places = _ranks(ranks, searches.gallery_size)
    rows = np.minimum(places, searches.gallery_size) - 1

    def along(tally: SearchTally) -> FloatArray:
        return tally.cumulative_matches()[rows] / tally.n_enrolled if tally.n_enrolled else np.full(rows.size, np.nan)

    measures = [CumulativeMatchScore(rank) for rank in places.tolist()]
    return band_along(statistics, places, measures, kind, rises=1, along=along)


def watch_list_band(
    searches: SearchSet,
    grid: ArrayLike | None = None,
    *,
    k: int = 1,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of the detection and identification rate at rank k over a grid of false alarm rates (FPIR)."""
    statistics = statistics_of(searches, settings or Settings())
    _require(searches, searches.n_enrolled, "enrolled searches, so no watch list")
    _require(searches, searches.n_nonenrolled, "non-enrolled searches, so no watch list")
    _require(searches, searches.scored, "scores, so no watch list")
    rates = rates_grid(grid, searches.n_nonenrolled, "false alarm rates")

    def along(tally: SearchTally) -> FloatArray:
        if not tally.n_enrolled or not tally.n_nonenrolled:
            return np.full(rates.size, np.nan)
        counts = tally.watch_list(k)
        return np.asarray(1.0 - counts.fnmr[np.searchsorted(-counts.fmr, -rates)])

    measures = [SearchRate("DIR", OperatingPoint("FPIR", rate), k) for rate in rates.tolist()]
    return band_along(statistics, rates, measures, kind, rises=1, along=along)


def _ranks(asked: ArrayLike | None, size: int) -> NDArray[np.int64]:
    if asked is None:
        far = np.geomspace(min(FIRST_RANKS, size), size, MORE_RANKS)
        return np.unique(np.concatenate([np.arange(1, min(FIRST_RANKS, size) + 1), np.rint(far)]).astype(np.int64))
    ranks = np.asarray(asked)
    if ranks.ndim != 1 or not ranks.size or ranks.dtype.kind not in "iu" or ranks.min() < 1:
        raise InputError(f"ranks are {asked!r}; expected a list of whole numbers, 1 or more")
    return np.unique(ranks.astype(np.int64))


def _require(searches: SearchSet, there: object, what: str) -> None:
    if not there:
        raise InputError(f"{searches.name or 'searches'}: no {what} and no band")


class _SearchRates:
    """False alarm and miss rates of searches; whether an enrolled search is missed is what the outcome says."""

    def __init__(self, searches: SearchSet, outcome: Miss) -> None:
        self.searches, self.outcome = searches, outcome

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        wrong, subjects = self._wrong(threshold, mated=mated), self.searches.probe_subject
        return interval_by_subject(
            None if subjects is None else subjects[self.searches.enrolled == mated], wrong, level
        )

    def counts(self, threshold: float, *, mated: bool) -> tuple[int, int]:
        wrong = self._wrong(threshold, mated=mated)
        return int(np.count_nonzero(wrong)), wrong.size

    def distinct(self, low: float, high: float) -> int | None:
        return count_distinct(low, high, self.searches.mate_score, self.searches.top_score)

    @property
    def pooled(self) -> None:
        """No sum of both rates is asked of searches."""

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        subjects = self.searches.probe_subject
        if subjects is None:
            return None
        rows = self.searches.enrolled == mated
        return rate_by_subject(subjects[rows], np.zeros(int(rows.sum()), dtype=bool)).sharing, MATED

    def _wrong(self, threshold: float, *, mated: bool) -> NDArray[np.bool_]:
        """Which enrolled searches miss, or which others have a candidate that passes."""
        searches = self.searches
        if mated:
            return self.outcome.wrong(searches, threshold)
        return np.asarray(searches.rule.accepts(searches.top_score[~searches.enrolled], threshold))


class SearchStatistics(Statistics):
    """Statistics of identification."""

    bands: ClassVar = {"cmc": cmc_band, "watch-list": watch_list_band}
    of_worst = say("method.bounds_searches"), say("reason.searches_separated")

    @property
    def people(self) -> int | None:
        subjects = self.trials.probe_subject
        return None if subjects is None else np.unique(np.asarray(subjects)).size

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> SearchResampler:
        return SearchResampler(self.trials, self.settings.scheme)

    def rates(self, outcome: Hashable) -> _SearchRates:
        assert isinstance(outcome, Miss)
        return _SearchRates(self.trials, outcome)

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
        steps = np.append(np.unique(unranked.ranks(self.trials)), math.inf)

        def share(index: int) -> Interval:
            beyond = replace(unranked, k=float(steps[index]))
            return self.rates(beyond).interval(math.nan, mated=True, level=level).complement

        indices, any_share = range(steps.size - 1), share(0)
        if math.isnan(any_share.low):
            return any_share
        low = bisect_left(indices, True, key=lambda index: share(index).high >= 0.5)
        high = bisect_left(indices, True, key=lambda index: share(index).low >= 0.5)
        return replace(any_share, low=float(steps[low]), high=float(steps[high]), reason=None, claim="at least")

    def _all_first(self, plan: AllFirst, value: float, level: float) -> Interval | None:
        """Every mate is first: how much worse it may be if as many are last as the bound allows; else resampled."""
        rates = self.rates(plan.outcome)
        if rates.outcome.wrong(self.trials, math.nan).any():
            return None if plan.reason is None else Interval.undefined(plan.reason, level)
        missed = rates.interval(math.nan, mated=True, level=level)
        low, high = sorted((value, plan.worst(missed.high, float(self.trials.gallery_size))))
        return replace(missed, low=low, high=high, reason=say("reason.all_first"))


@dataclass(frozen=True, slots=True)
class _Passing:
    """Searches in the order in which they cease to pass, sorted once for all resamples."""

    order: IntArray
    first: IntArray  # in this order, of those that still pass each threshold

    @classmethod
    def of(cls, positions: IntArray, thresholds: int) -> _Passing:
        """From where each stands among the thresholds; those at -1 never pass."""
        order = np.argsort(positions, kind="stable")[np.count_nonzero(positions < 0) :]
        return cls(order, np.searchsorted(positions[order], np.arange(thresholds)))

    def weight(self, weights: IntArray, thresholds: IntArray) -> IntArray:
        """The weight of those that pass, at each of some thresholds."""
        rejected = np.concatenate([[0], np.cumsum(weights[self.order])])
        return np.asarray(rejected[-1] - rejected[self.first[thresholds]])


class SearchResampler(RowResampler):
    """Searches with their units, each score at its place among the thresholds."""

    def __init__(self, searches: SearchSet, scheme: str = "multinomial") -> None:
        super().__init__(searches, scheme)
        self.searches = searches
        self.counted = SearchTally(searches)
        self.scored = searches.scored
        self.threaded = len(searches) > THREADS_FROM
        self.ranks, self.rank, self.detected = cache(searches.ranks), cache(self._rank), cache(self._detected)

    def named_units(self) -> tuple[NDArray[Any] | None, Message]:
        """The people who are searched for, where all of them are known."""
        people = self.trials.probe_subject
        known = None if people is None else codes_of([people])
        return (None, PROBES) if known is None else (known.codes[0], SUBJECTS)

    @cached_property
    def top_position(self) -> IntArray:
        """Where each search's top score stands among the thresholds; -1 where the list came back empty."""
        return self._positions(self.searches.top_score)

    @cached_property
    def mate_position(self) -> IntArray:
        return self._positions(self.searches.mate_score)

    @cached_property
    def alarms(self) -> _Passing:
        """Searches of others by their top scores."""
        return _Passing.of(self.top_position[~self.searches.enrolled], self.counted.threshold.size)

    def _detected(self, k: float, ties: str, by: str) -> _Passing:
        """Searches of the enrolled by what must pass in each; never where the mate's rank is above k."""
        positions = (self.mate_position if by == DETECTED_BY[0] else self.top_position)[self.searches.enrolled]
        return _Passing.of(np.where(self.ranks(ties) <= k, positions, -1), self.counted.threshold.size)

    def _rank(self, ties: str) -> IntArray:
        """The first rank that holds each mate; beyond the gallery where it is not known."""
        ranks = self.ranks(ties)
        return np.ceil(np.where(np.isfinite(ranks), ranks, self.searches.gallery_size + 1)).astype(np.int64)

    def tally(self, measures: Sequence[Measure], weights: IntArray) -> WeightedSearches:
        """The searches counted where each was taken so often."""
        return WeightedSearches(self, weights)

    def _positions(self, scores: FloatArray) -> IntArray:
        oriented = self.searches.rule.orient(scores) + 0.0
        return np.where(np.isnan(oriented), -1, np.searchsorted(self.counted.threshold[:-1], oriented))


class _ResampledSearches:
    """What measures read of the searches themselves, each as often as it was taken."""

    def __init__(self, resampler: SearchResampler, times: IntArray) -> None:
        self._resampler, self._searches, self._times = resampler, resampler.searches, times
        self.scored, self.others = resampler.scored, resampler.searches.others

    @property
    def enrolled(self) -> NDArray[np.bool_]:
        return np.ones(int(self._times.sum()), dtype=bool)

    @property
    def average_precision(self) -> FloatArray | None:
        precision = self._searches.average_precision
        return None if precision is None else np.repeat(precision[self._searches.enrolled], self._times)

    def ranks(self, ties: str = TIES[0]) -> FloatArray:
        return np.repeat(self._resampler.ranks(ties), self._times)


class WeightedSearches(SearchTally):
    """Counts of searches that were taken several times or not at all."""

    def __init__(self, resampler: SearchResampler, weights: IntArray) -> None:
        self._resampler, self._weights = resampler, weights
        enrolled = resampler.searches.enrolled
        self._own, self._others = weights[enrolled], weights[~enrolled]
        self.searches = _ResampledSearches(resampler, self._own)  # type: ignore[assignment]
        self.rule: AcceptRule = resampler.searches.rule
        self.n_enrolled, self.n_nonenrolled = int(self._own.sum()), int(self._others.sum())
        self.gallery_size = resampler.searches.gallery_size
        self._watch_lists: dict[tuple[float, str, str], BinaryCounts] = {}

    @cached_property
    def _occupied(self) -> IntArray:
        """Thresholds at which a weighted search has its top or its mate, and the one that rejects all."""
        there = np.zeros(self._resampler.counted.threshold.size, dtype=bool)
        there[-1] = True
        taken = self._weights > 0
        for positions in (self._resampler.top_position, self._resampler.mate_position):
            there[positions[taken]] = True  # -1 is the last
        return np.flatnonzero(there)

    @cached_property
    def threshold(self) -> FloatArray:
        return self._resampler.counted.threshold[self._occupied]

    @cached_property
    def _alarms(self) -> IntArray:
        return self._resampler.alarms.weight(self._others, self._occupied)

    def _detected(self, k: float, ties: str, by: str) -> IntArray:
        return self._resampler.detected(k, ties, by).weight(self._own, self._occupied)

    def cumulative_matches(self, ties: str = TIES[0]) -> IntArray:
        counts = np.bincount(self._resampler.rank(ties), self._own, minlength=self.gallery_size + 1)
        return np.cumsum(counts)[1 : self.gallery_size + 1].astype(np.int64)

    def returned(self, threshold: float) -> Returned | None:
        others = self._resampler.searches.others
        if others is None or not others.shape[1]:
            return None
        passing = self.rule.accepts(others, self.rule.restore(threshold)).sum(axis=1)
        cut_off = (passing == others.shape[1]) & (self.gallery_size > others.shape[1])
        return Returned(int(passing @ self._others), int(cut_off @ self._others))


register_statistics("identification", SearchStatistics)
