"""Average precision of searches, counted while blocks of scores stream by.

Conventions: those of `search_blocks`; scores are oriented. A list ranks templates, not people. The average precision of
a search is the mean, over the mate's templates, of the share of mates in the list down to each; others win ties, and a
template of the mate without a score adds 0. It depends on how many templates of others reach each score of the mate's
own, so that once these are known every score of a block is counted and let go.

Holds `PrecisionCounter`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled_late

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class PrecisionCounter:
    """Counts for some probes; `own` is each one's person in the gallery, `mates` how many templates it may meet."""

    def __init__(self, own: IntArray, mates: IntArray, *, compiled: bool = False) -> None:
        self.own, self.mates, self.compiled = own, mates, compiled
        most = int(mates.max(initial=0))
        self.scores = np.full((own.size, most), np.nan)  # of each probe's mates, in ascending order once all are in
        self.seen = np.zeros(own.size, dtype=np.int64)
        self.reached = np.zeros((own.size, most + 1), dtype=np.int64)  # others by how many mates they reach
        self.ordered = False

    def note(self, owner: IntArray, block: Array) -> None:
        """Take in the scores of mates that a block holds."""
        rows, columns = np.nonzero(owner[None, :] == self.own[:, None])
        if not rows.size:
            return
        known = ~np.isnan(block[rows, columns])
        rows, columns = rows[known], columns[known]
        first = np.searchsorted(rows, rows)  # rows ascend: the place of each cell within its row
        self.scores[rows, self.seen[rows] + np.arange(rows.size) - first] = block[rows, columns]
        self.seen += np.bincount(rows, minlength=self.own.size)

    def count(self, owner: IntArray, block: Array) -> None:
        """Count the others of a block; every mate has been noted."""
        if not self.ordered:
            self.scores, self.ordered = np.sort(self.scores, axis=1), True  # NaN comes last
        (compiled_late(walk) if self.compiled else count_plain)(
            block, owner, self.own, self.scores, self.seen, self.reached
        )

    def finish(self) -> FloatArray:
        """The average precision of each probe; NaN without mates."""
        if not self.ordered:
            self.scores = np.sort(self.scores, axis=1)
        ahead = np.cumsum(self.reached[:, ::-1], axis=1)[:, ::-1][:, 1:]  # others that reach mate j, in ascending order
        better = self.seen[:, None] - 1 - np.arange(self.scores.shape[1])[None, :]  # mates before it in the list
        share = np.where(better >= 0, (better + 1) / np.maximum(ahead + better + 1, 1), 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(self.mates > 0, share.sum(axis=1) / self.mates, np.nan))


def count_plain(
    block: Array, owner: IntArray, own: IntArray, scores: FloatArray, seen: IntArray, reached: IntArray
) -> None:
    """Add every score of others to the row's count of those that reach so many mates."""
    for row in np.flatnonzero(seen):
        others = block[row][(owner != own[row]) & (block[row] >= scores[row, 0])]
        ranks = np.searchsorted(scores[row, : seen[row]], others, side="right")
        reached[row] += np.bincount(ranks, minlength=reached.shape[1])


def walk(block: Array, owner: IntArray, own: IntArray, scores: FloatArray, seen: IntArray, reached: IntArray) -> None:
    """The same in one walk over the block, for the compiler."""
    for i in range(block.shape[0]):
        number = seen[i]
        if number == 0:
            continue
        row, mine, lowest = block[i], own[i], scores[i, 0]
        for j in range(row.size):
            score = row[j]
            if not score >= lowest or owner[j] == mine:
                continue
            low, high = 1, number  # the first mate it does not reach lies between them
            while low < high:
                middle = (low + high) // 2
                if scores[i, middle] <= score:
                    low = middle + 1
                else:
                    high = middle
            reached[i, low] += 1
