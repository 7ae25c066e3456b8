"""Everything counted about a set of searches: integers behind watch lists and rank curves.

Conventions: scores are oriented and a score equal to the threshold passes. Candidate thresholds are the distinct top
scores of all searches and mate scores of the enrolled, plus one that rejects all; no count changes between two of them.
A watch list is kept as `BinaryCounts`: a false match is a non-enrolled search whose top score passes (false alarm), a
false non-match an enrolled search that is not detected. Which are detected depends on

    k      the mate's rank must be k or better, ties broken as `ties` says
    by     "mate": the mate's own score must pass (ISO/IEC 19795-1); "top": the best score of the search must

Holds `SearchTally`, `search_fingerprint`, what they read of searches (`Searches`), and the tie rules by name (`TIES`).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.core.spelling import unknown
from bertillon.counting.curves.search_curves import DETECTED_BY as DETECTED_BY
from bertillon.counting.curves.search_curves import TIES as TIES
from bertillon.counting.curves.search_curves import RankCurve, WatchListCurve
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.fingerprint import fingerprint
from bertillon.counting.tally import Needs

ANY_RANK = math.inf


class Searches(Protocol):
    """What is counted of searches, one a row; `SearchSet` of `trials` says what each column holds."""

    @property
    def enrolled(self) -> NDArray[np.bool_]: ...

    @property
    def mate_score(self) -> FloatArray: ...

    @property
    def n_better(self) -> IntArray: ...

    @property
    def n_equal(self) -> IntArray: ...

    @property
    def top_score(self) -> FloatArray: ...

    @property
    def top_other(self) -> FloatArray: ...

    @property
    def others(self) -> FloatArray | None: ...

    @property
    def average_precision(self) -> FloatArray | None: ...

    @property
    def gallery_size(self) -> int: ...

    @property
    def rule(self) -> AcceptRule: ...

    @property
    def name(self) -> str: ...

    @property
    def n_enrolled(self) -> int: ...

    @property
    def n_nonenrolled(self) -> int: ...

    @property
    def scored(self) -> bool: ...

    def ranks(self, ties: str = TIES[0]) -> FloatArray: ...


class Returned(NamedTuple):
    """Candidates returned by all non-enrolled searches, and of how many searches more may have been than were kept."""

    candidates: int
    cut_off: int


class SearchTally:
    """Counts of one set of searches, each counted when first asked for."""

    def __init__(self, searches: Searches) -> None:
        self.searches = searches
        self.rule: AcceptRule = searches.rule
        self.n_enrolled, self.n_nonenrolled = searches.n_enrolled, searches.n_nonenrolled
        self.gallery_size = searches.gallery_size
        self._watch_lists: dict[tuple[float, str, str], BinaryCounts] = {}

    @cached_property
    def threshold(self) -> FloatArray:
        """Candidate thresholds, ascending; the last rejects all."""
        mates = self._oriented(self.searches.mate_score)
        tops = self._oriented(self.searches.top_score)
        scores = np.concatenate([mates, tops]) + 0.0  # one spelling of zero
        return np.append(np.unique(scores[~np.isnan(scores)]), np.inf)

    def watch_list(self, k: float = 1, ties: str = TIES[0], by: str = DETECTED_BY[0]) -> BinaryCounts:
        """False alarms and misses at every candidate threshold."""
        asked = (k, ties, by)
        if asked not in self._watch_lists:
            alarms = self._passing(self._oriented(self.searches.top_score[~self.searches.enrolled]))
            detected = self._passing(self._detection_scores(k, ties, by))
            self._watch_lists[asked] = BinaryCounts(
                self.threshold, alarms, self.n_enrolled - detected, self.n_enrolled, self.n_nonenrolled
            )
        return self._watch_lists[asked]

    @property
    def cmc(self) -> RankCurve:
        """Cumulative match characteristic."""
        return RankCurve.of(self)

    @property
    def watch_list_curve(self) -> WatchListCurve:
        """Watch-list ROC at rank 1."""
        return WatchListCurve.of(self)

    def holds(self, needs: Needs) -> bool:
        """Whatever is needed can be counted."""
        return True

    def top_score_errors(self) -> BinaryCounts:
        """The same where an enrolled search is missed only if its top score does not pass, whoever that is."""
        return self.watch_list(ANY_RANK, TIES[0], DETECTED_BY[1])

    def cumulative_matches(self, ties: str = TIES[0]) -> IntArray:
        """Enrolled searches whose mate has rank k or better, for k from 1 to the size of the gallery."""
        ranks = self.searches.ranks(ties)
        here = np.ceil(ranks[np.isfinite(ranks)]).astype(np.int64)
        return np.cumsum(np.bincount(here, minlength=self.gallery_size + 1))[1:]

    def returned(self, threshold: float) -> Returned | None:
        """Candidates that pass an oriented threshold in non-enrolled searches; None where none were kept."""
        others = self.searches.others
        if others is None or not others.shape[1]:
            return None
        passing = self.rule.accepts(others, self.rule.restore(threshold)).sum(axis=1)
        more = self.gallery_size > others.shape[1]
        return Returned(int(passing.sum()), int((passing == others.shape[1]).sum()) if more else 0)

    def _detection_scores(self, k: float, ties: str, by: str) -> NDArray[np.float64]:
        """What must pass in each enrolled search whose mate has rank k or better."""
        if by not in DETECTED_BY:
            raise InputError(unknown("way of detecting", by, DETECTED_BY))
        scores = self.searches.mate_score if by == DETECTED_BY[0] else self.searches.top_score
        return self._oriented(scores[self.searches.enrolled][self.searches.ranks(ties) <= k])

    def _passing(self, scores: FloatArray) -> IntArray:
        """How many of the scores pass each threshold: none the last, and those that are NaN never."""
        known = np.sort(scores[~np.isnan(scores)])
        return np.append(known.size - count_rejected(known, self.threshold[:-1]), 0)

    def _oriented(self, scores: FloatArray) -> FloatArray:
        return self.rule.orient(scores)


def search_fingerprint(searches: Searches) -> str:
    """A short name for the data: the same for the same searches in any order."""
    columns = (searches.mate_score, searches.n_better, searches.n_equal, searches.top_score, searches.top_other)
    table = np.stack(columns)
    table = np.where(np.isnan(table), np.inf, table)  # one spelling of NaN
    return fingerprint(table[:, searches.enrolled].ravel(), table[:, ~searches.enrolled].ravel())
