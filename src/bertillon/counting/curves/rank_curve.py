"""The cumulative match characteristic (CMC): how often the mate is among the first k candidates.

Conventions: k runs from 1 to the size of the gallery. The curve ends below 1 where mates are no candidates at all
(failed comparisons, lists that end early).

Holds `RankCurve`, and the tie rules by name (`TIES`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl

if TYPE_CHECKING:
    from bertillon.counting.search_tally import SearchTally

TIES = ("pessimistic", "optimistic", "mean")  # how the mate is ranked among others just as alike


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
