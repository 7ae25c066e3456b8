"""Where FMR meets FNMR: the two neighbouring thresholds around the equal error rate.

Holds `crossing` and what it gives, `Crossing`.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Crossing(NamedTuple):
    """Rows of the last threshold with FMR >= FNMR and of the next, and how far between them the rates are equal."""

    before: int
    after: int
    share: float


def crossing(
    false_match: NDArray[np.int64], false_nonmatch: NDArray[np.int64], n_mated: int, n_nonmated: int
) -> Crossing:
    """The crossing on the straight lines between neighbouring thresholds, compared in whole numbers.

    They are Python's, row by row where one is looked at: of 1e12 comparisons the products do not fit in 64 bits.
    """

    def gap(row: int) -> int:
        """The sign of FNMR - FMR, which only grows."""
        return int(false_nonmatch[row]) * int(n_nonmated) - int(false_match[row]) * int(n_mated)

    before = max(bisect_right(range(false_match.size), 0, key=gap) - 1, 0)
    here = gap(before)
    if here == 0 or before == false_match.size - 1:  # a part of a curve may end before the crossing
        return Crossing(before, before, 0.0)
    return Crossing(before, before + 1, -here / (gap(before + 1) - here))
