"""The compiled loops of the running best, and nothing else: the best scores of a gallery by its pieces.

Conventions: scores are oriented; NaN passes no comparison. A cell is a piece of the gallery in one draw. Loops release
the interpreter lock so that strips of rows run on threads, and fill the arrays they are given last.

Holds `walk_best`, `walk_histogram` and `walk_mates` for `running_best`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]
CHUNK = 128  # scores that are looked at together


@compiled()
def take_in(score: Any, group: Any, cell: Any, top: Array, whose: Array, next_: Array) -> None:
    """A score above the second best of a cell: the best, and the best of the other groups."""
    if score > top[cell]:
        if whose[cell] != group:
            next_[cell], whose[cell] = top[cell], group
        top[cell] = score
    elif whose[cell] != group:
        next_[cell] = score


@compiled()
def walk_best(block: Array, who: Any, lists: Any, found: Any) -> None:
    """Take in a block of scores, those with oneself left out."""
    own, owner, groups = who
    columns, cells, by_column, large = lists
    best, group, second = found
    for i in range(block.shape[0]):
        row, mine, top, whose, next_ = block[i], own[i], best[i], group[i], second[i]
        for k in range(columns.size):
            j, cell = columns[k], cells[k]
            score = row[j]
            if score > next_[cell] and owner[j] != mine:
                take_in(score, groups[j], cell, top, whose, next_)
        if not large.size:
            continue
        stale, limit = True, next_[large[0]]
        for begin in range(0, row.size, CHUNK):
            if stale:  # something came in since
                limit = next_[large[0]]
                for cell in large:
                    limit = min(limit, next_[cell])
            some = row[begin : begin + CHUNK]
            news = 0
            for j in range(some.size):  # most chunks hold none
                news += some[j] > limit
            stale = news > 0
            if not stale:
                continue
            for j in range(begin, begin + some.size):
                score = row[j]
                if not score > limit or owner[j] == mine:
                    continue
                for draw in range(by_column.shape[1]):
                    cell = by_column[j, draw]
                    if cell >= 0 and score > next_[cell]:
                        take_in(score, groups[j], cell, top, whose, next_)


@compiled()
def walk_histogram(block: Array, bins: Any, counts: Any) -> None:
    """Count the scores of every so many rows; those beyond the ends in the outermost bins."""
    low, scale, step, thresholds = bins
    histogram, passing = counts
    last = histogram.size - 1
    places = np.empty(block.shape[1], dtype=np.int32)
    for i in range(0, block.shape[0], step):
        row, failed = block[i], 0
        for j in range(row.size):  # without branches, several at once
            place = (row[j] - low) * scale
            place = place if place > 0.0 else 0.0  # also NaN
            places[j] = np.int32(place if place < last else last)
            failed += row[j] != row[j]
        for j in range(row.size):
            histogram[np.uint32(places[j])] += 1
        histogram[0] -= failed
        for t in range(thresholds.size):
            reached = 0
            for j in range(row.size):
                reached += row[j] >= thresholds[t]
            passing[t] += reached


@compiled()
def walk_mates(block: Array, who: Any, mate: Array, bins: Any, counts: Any) -> None:
    """Keep the best score with oneself, and take such scores out of what was counted."""
    own, own_cell, columns, begins, start = who
    low, scale, step, thresholds = bins
    histogram, passing = counts
    last = histogram.size - 1
    for i in range(block.shape[0]):
        if own[i] < 0:
            continue
        for k in range(begins[own[i]], begins[own[i] + 1]):
            j = columns[k] - start
            if j < 0 or j >= block.shape[1]:
                continue
            score = block[i, j]
            if score != score:
                continue
            if i % step == 0:
                place = (score - low) * scale
                histogram[0 if place < 0 else last if place > last else int(place)] -= 1
                for t in range(thresholds.size):
                    passing[t] -= score >= thresholds[t]
            if columns[k] != own_cell[i] and not mate[i] >= score:
                mate[i] = score
