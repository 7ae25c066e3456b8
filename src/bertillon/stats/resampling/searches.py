"""Resamples of 1:N searches: by the person who is searched for, the gallery staying as it is.

Conventions: all searches of a person are taken together, as an enrolled one and as a stranger; where nobody knows whose
probes they are each search is a unit. Intervals are about other probes in this gallery, not about other galleries. A
threshold at which no weighted search has its top or its mate is no threshold of the resample.

Holds `SearchResampler` and `WeightedSearches`, a tally under weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.id_codes import codes_of
from bertillon.measures.base import Measure
from bertillon.stats.resampling.rows import RowResampler
from bertillon.stats.resampling.units import SUBJECTS
from bertillon.trials.search_set import SearchSet
from bertillon.trials.search_tally import DETECTED_BY, TIES, Returned, SearchTally

PROBES = say("unit.probes")


class SearchResampler(RowResampler):
    """Searches with their units, each score at its place among the thresholds."""

    def __init__(self, searches: SearchSet, scheme: str = "multinomial") -> None:
        super().__init__(searches, scheme)
        self.searches = searches
        self.counted = SearchTally(searches)
        self._detection: dict[tuple[float, str, str], IntArray] = {}

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

    def detection_position(self, k: float, ties: str, by: str) -> IntArray:
        """The same for what must pass in each enrolled search; -1 where the mate's rank is above k."""
        asked = (k, ties, by)
        if asked not in self._detection:
            positions = (self.mate_position if by == DETECTED_BY[0] else self.top_position)[self.searches.enrolled]
            self._detection[asked] = np.where(self.searches.ranks(ties) <= k, positions, -1)
        return self._detection[asked]

    def tally(self, measures: Sequence[Measure], weights: IntArray) -> WeightedSearches:
        """The searches counted where each was taken so often."""
        return WeightedSearches(self, weights)

    def _positions(self, scores: FloatArray) -> IntArray:
        oriented = self.searches.rule.orient(scores) + 0.0
        return np.where(np.isnan(oriented), -1, np.searchsorted(self.counted.threshold[:-1], oriented))


class _ResampledSearches:
    """What measures read of the searches themselves, each as often as it was taken."""

    def __init__(self, searches: SearchSet, times: IntArray) -> None:
        self._searches, self._times = searches, times
        self.scored, self.others = searches.scored, searches.others

    @property
    def enrolled(self) -> NDArray[np.bool_]:
        return np.ones(int(self._times.sum()), dtype=bool)

    @property
    def average_precision(self) -> FloatArray | None:
        precision = self._searches.average_precision
        return None if precision is None else np.repeat(precision[self._searches.enrolled], self._times)

    def ranks(self, ties: str = TIES[0]) -> FloatArray:
        return np.repeat(self._searches.ranks(ties), self._times)


class WeightedSearches(SearchTally):
    """Counts of searches that were taken several times or not at all."""

    def __init__(self, resampler: SearchResampler, weights: IntArray) -> None:
        self._resampler, self._weights = resampler, weights
        enrolled = resampler.searches.enrolled
        self._own, self._others = weights[enrolled], weights[~enrolled]
        self.searches = _ResampledSearches(resampler.searches, self._own)  # type: ignore[assignment]
        self.rule: AcceptRule = resampler.searches.rule
        self.n_enrolled, self.n_nonenrolled = int(self._own.sum()), int(self._others.sum())
        self.gallery_size = resampler.searches.gallery_size
        self._watch_lists: dict[tuple[float, str, str], BinaryCounts] = {}

    @cached_property
    def _told(self) -> IntArray:
        """Thresholds at which a weighted search has its top or its mate, and the one that rejects all."""
        size = self._resampler.counted.threshold.size
        there = np.zeros(size, dtype=bool)
        taken = self._weights > 0
        for positions in (self._resampler.top_position, self._resampler.mate_position):
            there[positions[taken & (positions >= 0)]] = True
        there[-1] = True
        return np.flatnonzero(there)

    @cached_property
    def threshold(self) -> FloatArray:
        return self._resampler.counted.threshold[self._told]

    def watch_list(self, k: float = 1, ties: str = TIES[0], by: str = DETECTED_BY[0]) -> BinaryCounts:
        asked = (k, ties, by)
        if asked not in self._watch_lists:
            resampler = self._resampler
            alarms = self._reaching(resampler.top_position[~resampler.searches.enrolled], self._others)
            detected = self._reaching(resampler.detection_position(k, ties, by), self._own)
            self._watch_lists[asked] = BinaryCounts(
                self.threshold, alarms, self.n_enrolled - detected, self.n_enrolled, self.n_nonenrolled
            )
        return self._watch_lists[asked]

    def within(self, ties: str = TIES[0]) -> IntArray:
        ranks = self._resampler.searches.ranks(ties)
        known = np.isfinite(ranks)
        here = np.ceil(ranks[known]).astype(np.int64)
        counts = np.bincount(here, self._own[known], minlength=self.gallery_size + 1)
        return np.cumsum(counts)[1:].astype(np.int64)

    def returned(self, threshold: float) -> Returned | None:
        others = self._resampler.searches.others
        if others is None or not others.shape[1]:
            return None
        passing = self.rule.accepts(others, self.rule.restore(threshold)).sum(axis=1)
        cut_off = (passing == others.shape[1]) & (self.gallery_size > others.shape[1])
        return Returned(int(passing @ self._others), int(cut_off @ self._others))

    def _reaching(self, positions: IntArray, weights: IntArray) -> IntArray:
        """Weight of the searches that pass each threshold."""
        passes = positions >= 0
        here = np.bincount(positions[passes], weights[passes], minlength=self._resampler.counted.threshold.size)
        return np.cumsum(here[::-1])[::-1][self._told].astype(np.int64)
