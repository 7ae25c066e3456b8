"""The mated pairs of a protocol, found from the owners alone: a few even where the matrix is vast.

Holds `mated_pairs`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import AllAgainstAll

IntArray = NDArray[np.int64]


def mated_pairs(comparing: Comparing) -> tuple[IntArray, IntArray]:
    """Rows and columns of every mated comparison, row after row."""
    owners, others = comparing.pairs.rows, comparing.pairs.columns
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], owners, side) for side in ("left", "right"))
    number = last - first
    rows = np.repeat(np.arange(owners.size), number)
    within = np.arange(rows.size) - np.repeat(np.cumsum(number) - number, number)
    columns = order[np.repeat(first, number) + within]
    if isinstance(comparing.pairing, AllAgainstAll):
        stands = rows < columns if comparing.pairing.unique else rows != columns
        rows, columns = rows[stands], columns[stands]
    return rows, columns
