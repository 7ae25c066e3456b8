"""The loops that count searches, and nothing else: plain ones for few scores, those for the compiler for many.

Conventions: those of `search_blocks`. A block has a probe a row. Loops that go `across` take a block whose probes are
its columns, so that both directions of one block of comparisons can be counted without turning it round.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import FloatArray, IntArray

Array = NDArray[Any]
Counts = tuple[IntArray, IntArray, FloatArray]  # of each probe: others that are better and equal, and the best of them
CHUNK = 256  # candidates looked over at a time
NOBODY = -1


def walk_people(scores: Array, begins: IntArray, least: bool, fused: Array) -> None:
    """The greatest score, or the least, of the columns from each beginning to the next, NaN passed over."""
    for i in range(scores.shape[0]):
        row = scores[i]
        for person in range(begins.size - 1):
            best = row[begins[person]]
            for j in range(begins[person] + 1, begins[person + 1]):
                score = row[j]
                stays = best <= score if least else best >= score
                best = best if stays or score != score else score
            fused[i, person] = best


def count_plain(
    scores: Array, owner: IntArray, own: IntArray, mate: FloatArray, counts: Counts, slot: IntArray, kept: FloatArray
) -> None:
    """Add the candidates of a block, each probe's own person left out; rows of `kept` stay in order, best first."""
    better, equal, top = counts
    others = np.where(owner[None, :] == own[:, None], np.nan, scores)
    better += (others > mate[:, None]).sum(axis=1)
    equal += (others == mate[:, None]).sum(axis=1)
    with np.errstate(invalid="ignore"):
        np.fmax(top, np.fmax.reduce(others, axis=1), out=top)
    keeps = np.flatnonzero(slot != NOBODY)
    if keeps.size and kept.shape[1]:
        pool = -np.concatenate([kept[slot[keeps]], others[keeps]], axis=1)  # NaN comes last
        best = np.partition(pool, kept.shape[1] - 1, axis=1)[:, : kept.shape[1]]
        kept[slot[keeps]] = -np.sort(best, axis=1)


def walk(
    scores: Array, owner: IntArray, own: IntArray, mate: FloatArray, counts: Counts, slot: IntArray, kept: FloatArray
) -> None:
    """The same in one walk over the block, for the compiler."""
    (better, equal, top), last, nothing = counts, kept.shape[1] - 1, np.empty(0)
    for i in range(scores.shape[0]):
        row, mine, mark, best = scores[i], own[i], mate[i], top[i]
        keeps = slot[i] >= 0 and last >= 0
        others = kept[slot[i]] if keeps else nothing
        floor = others[last] if keeps else np.inf  # NaN while there is room
        for begin in range(0, row.size, CHUNK):
            some = row[begin : begin + CHUNK]
            worst = min(best, floor) if best == best and floor == floor else -np.inf
            limit = mark if mark < worst else worst  # who is below it is nobody of note
            news = 0
            for j in range(some.size):  # most chunks hold none
                news += some[j] >= limit
            if not news:
                continue
            for j in range(some.size):
                score = some[j]
                if not score >= limit or owner[begin + j] == mine:
                    continue
                better[i] += score > mark
                equal[i] += score == mark
                best = best if best >= score else score
                if keeps and not floor >= score:
                    rank = last
                    while rank > 0 and not others[rank - 1] >= score:
                        others[rank] = others[rank - 1]
                        rank -= 1
                    others[rank] = score
                    floor = others[last]
        top[i] = best


def count_reached(
    block: Array, owner: IntArray, own: IntArray, scores: FloatArray, seen: IntArray, reached: IntArray
) -> None:
    """Add every score of others to the row's count of those that reach so many mates."""
    for row in np.flatnonzero(seen):
        others = block[row][(owner != own[row]) & (block[row] >= scores[row, 0])]
        ranks = np.searchsorted(scores[row, : seen[row]], others, side="right")
        reached[row] += np.bincount(ranks, minlength=reached.shape[1])


def walk_reached(
    block: Array, owner: IntArray, own: IntArray, scores: FloatArray, seen: IntArray, reached: IntArray
) -> None:
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


def walk_people_across(scores: Array, begins: IntArray, fused: Array) -> None:
    """The greatest score of the rows from each beginning to the next, of each column; NaN passed over."""
    for person in range(begins.size - 1):
        best = fused[person]
        best[:] = scores[begins[person]]
        for i in range(begins[person] + 1, begins[person + 1]):
            row = scores[i]
            for j in range(row.size):
                best[j] = best[j] if best[j] >= row[j] or row[j] != row[j] else row[j]


def walk_reached_across(
    block: Array, owner: IntArray, own: IntArray, scores: FloatArray, seen: IntArray, lowest: Array, reached: IntArray
) -> None:
    """What `walk_reached` does for probes that are columns; `lowest` is each one's first score, in the block's type."""
    for i in range(block.shape[0]):
        row, mine = block[i], owner[i]
        for begin in range(0, row.size, CHUNK):
            some, least = row[begin : begin + CHUNK], lowest[begin : begin + CHUNK]
            news = 0
            for j in range(some.size):  # most chunks reach nobody
                news += some[j] >= least[j]
            if not news:
                continue
            for j in range(begin, begin + some.size):
                score = row[j]
                if not score >= lowest[j] or own[j] == mine:
                    continue
                rank = 1
                while rank < seen[j] and scores[j, rank] <= score:
                    rank += 1
                reached[j, rank] += 1
