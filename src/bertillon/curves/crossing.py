"""Where FMR meets FNMR: the two neighbouring thresholds around the equal error rate.

Holds `crossing` and what it gives, `Crossing`.
"""

from __future__ import annotations

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
    """The crossing on the straight lines between neighbouring thresholds, compared in whole numbers."""
    gap = false_nonmatch * n_nonmated - false_match * n_mated  # the sign of FNMR - FMR, which only grows
    before = max(int(np.searchsorted(gap, 0, side="right")) - 1, 0)
    if gap[before] == 0 or before == gap.size - 1:  # a part of a curve may end before the crossing
        return Crossing(before, before, 0.0)
    after = before + 1
    return Crossing(before, after, float(-gap[before] / (gap[after] - gap[before])))
