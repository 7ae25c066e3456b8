"""Everything counted about a set of searches, and the curves made of it: watch-list ROC, DIR(t, k) and CMC.

Conventions: scores are oriented and a score equal to the threshold passes. Candidate thresholds are the distinct top
scores of all searches and mate scores of the enrolled, plus one that rejects all; no count changes between two of them.
A watch list is kept as `BinaryCounts`: a false match is a non-enrolled search whose top score passes (false alarm), a
false non-match an enrolled search that is not detected. Which are detected depends on

    k      the mate's rank must be k or better, ties broken as `ties` says
    by     "mate": the mate's own score must pass (ISO/IEC 19795-1); "top": the best score of the search must

A watch-list curve runs from the most permissive threshold to the strictest; the last rejects everything. Thresholds
leave in the user's own units. Of a CMC k runs from 1 to the size of the gallery; it ends below 1 where mates are no
candidates at all (failed comparisons, lists that end early).

Holds `SearchTally`, `Returned`, `WatchListCurve`, `detection_table`, `RankCurve`, the tie rules
by name (`TIES`) and the ways of detecting (`DETECTED_BY`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, unknown
from bertillon.core.lazy import pl
from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.core.showing import short_repr
from bertillon.counting.curves.error_curve import ByThreshold
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.tally import Needs

if TYPE_CHECKING:
    from bertillon.trials.search_set import SearchSet

TIES = ("pessimistic", "optimistic", "mean")  # how the mate is ranked among others just as alike
DETECTED_BY = ("mate", "top")  # what must pass where an enrolled search is detected
ANY_RANK = math.inf


@dataclass(frozen=True, slots=True, eq=False)
class WatchListCurve(ByThreshold):
    """False alarms and detections at rank k along ever stricter thresholds.

    Of its `counts` a false match is a false alarm, a false non-match an enrolled search that is not detected.

    >>> from bertillon.trials.search_set import SearchSet
    >>> searches = SearchSet([1, 0], [0.9, 0], [0, 0], [0, 0], [0.9, 0.4], [0.1, 0.4], gallery_size=2)
    >>> from bertillon.trials.search_tally import SearchTally
    >>> curve = SearchTally(searches).watch_list_curve
    >>> curve.threshold.tolist(), curve.fpir.tolist(), curve.dir.tolist()
    ([0.4, 0.9, inf], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    """

    __repr__ = short_repr

    k: int = 1
    ties: str = TIES[0]
    by: str = DETECTED_BY[0]

    @classmethod
    def of(cls, tally: SearchTally, k: int = 1, ties: str = TIES[0], by: str = DETECTED_BY[0]) -> WatchListCurve:
        """The curve of a set of searches."""
        return cls(tally.watch_list(k, ties, by), tally.rule, k, ties, by)

    @property
    def false_positives(self) -> IntArray:
        """Non-enrolled searches with a candidate."""
        return self.counts.false_match

    @property
    def detections(self) -> IntArray:
        """Enrolled searches detected and identified at rank k."""
        return self.counts.n_mated - self.counts.false_nonmatch

    @property
    def fpir(self) -> FloatArray:
        """False positive identification rate; NaN without non-enrolled searches."""
        return self.counts.fmr

    @property
    def dir(self) -> FloatArray:
        """Detection and identification rate; NaN without enrolled searches."""
        trials = self.counts.n_mated
        return self.detections / trials if trials else np.full(len(self), np.nan)

    @property
    def fnir(self) -> FloatArray:
        """False negative identification rate, 1 - DIR."""
        return self.counts.fnmr

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold: threshold, counts and rates."""
        return pl.DataFrame(
            {
                "threshold": self.threshold,
                "false_positives": self.false_positives,
                "detections": self.detections,
                "fpir": self.fpir,
                "dir": self.dir,
            }
        )


def detection_table(tally: SearchTally, ranks: Sequence[int] = (1, 5, 10, 20), points: int = 200) -> pl.DataFrame:
    """The surface DIR(t, k): one row a rank and threshold, with counts and rates; at most so many points a rank."""
    curves = [WatchListCurve.of(tally, k).thin(points) for k in ranks]
    tables = [curve.to_frame().insert_column(0, pl.lit(curve.k).alias("k").cast(pl.Int64)) for curve in curves]
    return pl.concat(tables)


@dataclass(frozen=True, slots=True, eq=False)
class RankCurve:
    """Enrolled searches whose mate has rank k or better.

    >>> from bertillon.trials.search_set import SearchSet
    >>> from bertillon.trials.search_tally import SearchTally
    >>> curve = SearchTally(SearchSet.from_ranks([1, 1, 3, 2], gallery_size=3)).cmc
    >>> curve.k.tolist(), curve.counts.tolist(), curve.rates.tolist()
    ([1, 2, 3], [2, 3, 4], [0.5, 0.75, 1.0])
    """

    __repr__ = short_repr

    counts: NDArray[np.int64]
    n_enrolled: int
    ties: str = TIES[0]

    @classmethod
    def of(cls, tally: SearchTally, ties: str = TIES[0]) -> RankCurve:
        """The curve of a set of searches."""
        return cls(tally.cumulative_matches(ties), tally.n_enrolled, ties)

    def __len__(self) -> int:
        return int(self.counts.size)

    @property
    def k(self) -> NDArray[np.int64]:
        """Ranks from 1 to the size of the gallery."""
        return np.arange(1, len(self) + 1)

    @property
    def rates(self) -> NDArray[np.float64]:
        """CMS(k): the share of enrolled searches; NaN without any."""
        if not self.n_enrolled:
            return np.full(self.counts.shape, np.nan)
        return self.counts / self.n_enrolled

    def thin(self) -> RankCurve:
        """The curve up to the rank from which it rises no more."""
        last = int(np.searchsorted(self.counts, self.counts[-1])) + 1 if len(self) else 0
        return RankCurve(self.counts[:last], self.n_enrolled, self.ties)

    def to_frame(self) -> pl.DataFrame:
        """One row a rank: k, count and CMS."""
        return pl.DataFrame({"k": self.k, "count": self.counts, "cms": self.rates})


class Returned(NamedTuple):
    """Candidates returned by all non-enrolled searches, and of how many searches more may have been than were kept."""

    candidates: int
    cut_off: int


class SearchTally:
    """Counts of one set of searches, each counted when first asked for."""

    def __init__(self, searches: SearchSet) -> None:
        self.searches = searches
        self.rule: AcceptRule = searches.rule
        self.n_enrolled, self.n_nonenrolled = searches.n_enrolled, searches.n_nonenrolled
        self.gallery_size = searches.gallery_size
        self._watch_lists: dict[tuple[float, str, str], BinaryCounts] = {}

    @cached_property
    def threshold(self) -> FloatArray:
        """Candidate thresholds, ascending; the last rejects all."""
        mates = self.rule.orient(self.searches.mate_score)
        tops = self.rule.orient(self.searches.top_score)
        scores = np.concatenate([mates, tops]) + 0.0  # one spelling of zero
        return np.append(np.unique(scores[~np.isnan(scores)]), np.inf)

    def watch_list(self, k: float = 1, ties: str = TIES[0], by: str = DETECTED_BY[0]) -> BinaryCounts:
        """False alarms and misses at every candidate threshold."""
        asked = (k, ties, by)
        if asked not in self._watch_lists:
            missed = self.n_enrolled - self._detected(*asked)
            self._watch_lists[asked] = BinaryCounts(
                self.threshold, self._alarms, missed, self.n_enrolled, self.n_nonenrolled
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

    @cached_property
    def _alarms(self) -> IntArray:
        """Searches of others that pass each threshold, the same whatever is detected."""
        return self._passing(self.rule.orient(self.searches.top_score[~self.searches.enrolled]))

    def _detected(self, k: float, ties: str, by: str) -> IntArray:
        """Enrolled searches whose mate has rank k or better, and in which what must pass does, at each threshold."""
        if by not in DETECTED_BY:
            raise InputError(unknown("way of detecting", by, DETECTED_BY))
        scores = self.searches.mate_score if by == DETECTED_BY[0] else self.searches.top_score
        return self._passing(self.rule.orient(scores[self.searches.enrolled][self.searches.ranks(ties) <= k]))

    def _passing(self, scores: FloatArray) -> IntArray:
        """How many of the scores pass each threshold: none the last, and those that are NaN never."""
        known = np.sort(scores[~np.isnan(scores)])
        return np.append(known.size - count_rejected(known, self.threshold[:-1]), 0)
