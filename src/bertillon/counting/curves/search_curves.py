"""Curves of searches: the watch-list ROC, the whole surface DIR(t, k), and the cumulative match characteristic (CMC).

Conventions: a watch-list curve runs from the most permissive threshold to the strictest; the last rejects everything.
Thresholds leave in the user's own units. Of a CMC k runs from 1 to the size of the gallery; it ends below 1 where mates
are no candidates at all (failed comparisons, lists that end early).

Holds `WatchListCurve`, `detection_table`, `RankCurve`, the tie rules by name (`TIES`) and the ways of detecting
(`DETECTED_BY`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.counting.curves.error_curve import ByThreshold
from bertillon.counting.error_counts import FloatArray, IntArray

if TYPE_CHECKING:
    from bertillon.counting.search_tally import SearchTally

TIES = ("pessimistic", "optimistic", "mean")  # how the mate is ranked among others just as alike
DETECTED_BY = ("mate", "top")  # what must pass where an enrolled search is detected


@dataclass(frozen=True, slots=True, eq=False)
class WatchListCurve(ByThreshold):
    """False alarms and detections at rank k along ever stricter thresholds.

    Of its `counts` a false match is a false alarm, a false non-match an enrolled search that is not detected.

    >>> from bertillon.trials.search_set import SearchSet
    >>> searches = SearchSet([1, 0], [0.9, 0], [0, 0], [0, 0], [0.9, 0.4], [0.1, 0.4], gallery_size=2)
    >>> from bertillon.counting.search_tally import SearchTally
    >>> curve = SearchTally(searches).watch_list_curve
    >>> curve.threshold.tolist(), curve.fpir.tolist(), curve.dir.tolist()
    ([0.4, 0.9, inf], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    """

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


def detection_table(
    tally: SearchTally,
    ranks: Sequence[int] = (1, 5, 10, 20),
    *,
    points: int = 200,
    ties: str = TIES[0],
    by: str = DETECTED_BY[0],
) -> pl.DataFrame:
    """The surface DIR(t, k): one row a rank and threshold, with counts and rates; at most so many points a rank."""
    curves = [WatchListCurve.of(tally, k, ties, by).thin(points) for k in ranks]
    tables = [curve.to_frame().insert_column(0, pl.lit(curve.k).alias("k").cast(pl.Int64)) for curve in curves]
    return pl.concat(tables)


@dataclass(frozen=True, slots=True, eq=False)
class RankCurve:
    """Enrolled searches whose mate has rank k or better.

    >>> from bertillon.trials.search_set import SearchSet
    >>> from bertillon.counting.search_tally import SearchTally
    >>> curve = SearchTally(SearchSet.from_ranks([1, 1, 3, 2], gallery_size=3)).cmc
    >>> curve.k.tolist(), curve.counts.tolist(), curve.rates.tolist()
    ([1, 2, 3], [2, 3, 4], [0.5, 0.75, 1.0])
    """

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
