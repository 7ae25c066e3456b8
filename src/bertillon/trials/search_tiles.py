"""Verification and searches from one walk: the tiles of all against all, counted for both while they are made.

A symmetric matcher makes each pair of templates once. Verification counts a tile twice; a search of every row template
goes through its columns, and one of every column template through its rows. A rank can only be counted once the mate's
score is known, so mates come first: where templates stand person by person they lie in the tiles on the diagonal.

Conventions: those of `search_blocks` and of `counting.tiles`. People whose templates lie in two tiles are told apart
as `divided`: as candidates they are left out of the tiles and counted on their own, since their best template is known
from both only. Scores are those of verification, which differ from those of `search` by what products of matrices of
another shape round away.

Holds `compare_and_search` and `can_be_together`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.tally import CountedScores
from bertillon.counting.tiles.comparisons import count_and_visit, is_triangle
from bertillon.counting.tiles.people import each_pair_once
from bertillon.engine.compiling import compiled_late
from bertillon.engine.jobs import TILE, Progress, Tile
from bertillon.engine.workers import available_cores, single_blas_thread
from bertillon.matching.base import Prepared
from bertillon.matching.comparing import Comparing, block_of
from bertillon.trials.limits import LIMITS
from bertillon.trials.search_blocks import Counted, PrecisionCounter
from bertillon.trials.search_job import search_plan, with_template_rows
from bertillon.trials.search_loops import (
    NOBODY,
    walk,
    walk_people,
    walk_people_across,
    walk_reached,
    walk_reached_across,
)
from bertillon.trials.search_set import SearchSet
from bertillon.trials.searches import KEPT, searches_counted

Array = NDArray[Any]


def can_be_together(comparing: Comparing) -> bool:
    """Are the comparisons the same both ways, templates in the order of people, and the results not too large?"""
    owner = comparing.pairs.columns
    if not is_triangle(comparing) or each_pair_once(comparing.pairing) or comparing.fusion != "best":
        return False
    in_order = int((np.diff(owner) != 0).sum()) == int(owner.max(initial=0))
    return in_order and 8 * KEPT * owner.size * (available_cores() + 1) <= LIMITS.together_bytes


def compare_and_search(
    comparing: Comparing, thresholds: Sequence[float] = (), *, tile: int = TILE, progress: Progress | None = None
) -> tuple[CountedScores, SearchSet]:
    """The comparisons of a plan that `can_be_together`, counted, and every template's searches."""
    with single_blas_thread():
        mates = Mates.of(comparing, tile)
        near = _within_strips(comparing, mates, tile)
    visits = partial(TileSearches, mates, near)
    scores, searched = count_and_visit(comparing, thresholds, visits, tile=tile, progress=progress)
    searched.merge(near)
    searches = searches_counted(search_plan(comparing), searched.counted(), comparing.name)
    return scores, with_template_rows(searches, comparing)


@dataclass(frozen=True, eq=False)
class Mates:
    """Whose each template is, and its oriented scores with its mates; those of a strip are known once it is noted."""

    own: IntArray
    divided: NDArray[np.bool_]  # people
    number: IntArray  # of mates
    scores: FloatArray  # with each, in ascending order, NaN last
    seen: IntArray  # how many are no NaN
    best: FloatArray
    lowest: Array  # infinite where there is none
    similar: bool  # scores are oriented as they are

    @classmethod
    def of(cls, comparing: Comparing, tile: int) -> Mates:
        """Those of people who are divided, the only ones that no strip holds."""
        own = np.cumsum(np.diff(comparing.pairs.columns, prepend=comparing.pairs.columns[:1]) != 0)
        templates, n = np.bincount(own), own.size
        ends = np.cumsum(templates)
        divided = (ends - templates) // tile != (ends - 1) // tile
        number = templates[own] - 1
        scores = np.full((n, int(number.max(initial=0))), np.nan)
        lowest = np.full(n, np.inf, dtype=comparing.probes.dtype)
        similar = comparing.rule is AcceptRule.SIMILARITY
        made = cls(own, divided, number, scores, np.zeros(n, dtype=np.int64), np.full(n, np.nan), lowest, similar)
        for end, size in zip(ends[divided].tolist(), templates[divided].tolist(), strict=True):
            rows = slice(end - size, end)
            made.note(rows, _block(comparing, rows), np.ones(size, dtype=np.bool_))
        return made

    def note(self, rows: slice, block: Array, chosen: NDArray[np.bool_]) -> None:
        """Take in the mates that a block of some templates with themselves holds, of the rows that are chosen."""
        counter = PrecisionCounter(self.own[rows], self.number[rows])
        counter.note(self.own[rows], block)
        place = np.arange(rows.start, rows.stop)[chosen]
        scores = np.sort(counter.scores[chosen], axis=1)  # NaN comes last
        self.scores[place, : scores.shape[1]], self.seen[place] = scores, counter.seen[chosen]
        some = place[self.seen[place] > 0]
        if some.size:
            self.best[some], self.lowest[some] = self.scores[some, self.seen[some] - 1], self.scores[some, 0]


class TileSearches:
    """What is counted of every template's searches over some tiles."""

    def __init__(self, mates: Mates, near: TileSearches | None = None) -> None:
        """What was found `near`, which will be merged in the end, says who is nobody of note: most are passed over."""
        n, width = mates.own.size, min(KEPT, mates.divided.size)
        self.mates = mates
        self.better, self.equal = np.zeros((2, n), dtype=np.int64)
        self.top: FloatArray = np.full(n, np.nan) if near is None else near.top.copy()
        self.kept: FloatArray = np.full((n, width), np.nan)
        if near is not None:
            self.kept[:] = near.kept[:, -1:]
        self.reached = np.zeros((n, mates.scores.shape[1] + 1), dtype=np.int64)

    def add(self, block: Array, tile: Tile) -> None:
        """Both directions of a tile; those on the diagonal were counted with the mates."""
        if tile.on_diagonal:
            return
        scores = block if self.mates.similar else -block
        self.search(tile.rows, tile.columns, scores)
        people, begins = self._people(tile.rows)
        fused = np.empty((people.size, scores.shape[1]), dtype=scores.dtype)
        compiled_late(walk_people_across)(scores, begins, fused)
        fused[self.mates.divided[people]] = np.nan
        self.count(tile.columns, people, np.ascontiguousarray(fused.T))
        if self.mates.scores.shape[1]:
            own, columns = self.mates.own, tile.columns
            known = self.mates.scores[columns], self.mates.seen[columns], self.mates.lowest[columns]
            compiled_late(walk_reached_across)(scores, own[tile.rows], own[columns], *known, self.reached[columns])

    def search(self, rows: slice, columns: slice, scores: Array) -> None:
        """The templates of some rows go through those of some columns."""
        people, begins = self._people(columns)
        fused = np.empty((scores.shape[0], people.size), dtype=scores.dtype)
        compiled_late(walk_people)(scores, begins, False, fused)
        fused[:, self.mates.divided[people]] = np.nan
        self.count(rows, people, fused)
        if self.mates.scores.shape[1]:
            own, known = self.mates.own, (self.mates.scores[rows], self.mates.seen[rows])
            compiled_late(walk_reached)(scores, own[columns], own[rows], *known, self.reached[rows])

    def count(self, rows: slice, people: IntArray, fused: Array) -> None:
        """Candidates of the templates of some rows."""
        counts, slot = (self.better[rows], self.equal[rows], self.top[rows]), np.arange(rows.start, rows.stop)
        compiled_late(walk)(fused, people, self.mates.own[rows], self.mates.best[rows], counts, slot, self.kept)

    def _people(self, part: slice) -> tuple[IntArray, IntArray]:
        """The people of some templates in their order, and where each begins and the last one ends."""
        own = self.mates.own[part]
        begins = np.flatnonzero(np.diff(own, prepend=NOBODY))
        return own[begins], np.append(begins, own.size)

    def merge(self, other: TileSearches) -> None:
        """Add what was found in other tiles."""
        self.better += other.better
        self.equal += other.equal
        self.reached += other.reached
        np.fmax(self.top, other.top, out=self.top)
        width = self.kept.shape[1]
        for rows in _strips(len(self.kept), TILE):  # best first, NaN last
            both = np.concatenate([self.kept[rows], other.kept[rows]], axis=1)
            self.kept[rows] = -np.sort(-both, axis=1)[:, :width]

    def counted(self) -> Counted:
        """The same once all tiles have gone by."""
        mates = self.mates
        precision = PrecisionCounter(mates.own, mates.number)
        precision.scores, precision.seen, precision.reached = mates.scores, mates.seen, self.reached
        return Counted(mates.best, self.better, self.equal, self.top, self.kept, precision.finish())


def _within_strips(comparing: Comparing, mates: Mates, tile: int) -> TileSearches:
    """Mates noted, and searches counted within the tiles on the diagonal and for people who are divided."""
    found, apart = TileSearches(mates), np.flatnonzero(mates.divided[mates.own])
    people, begins = np.unique(mates.own[apart], return_index=True)
    for rows in _strips(mates.own.size, tile):
        block = _block(comparing, rows)
        mates.note(rows, block, ~mates.divided[mates.own[rows]])
        found.search(rows, rows, block)
        if apart.size:
            others = _compared(comparing, rows, comparing.gallery.take(apart))
            fused = np.fmax.reduceat(comparing.rule.orient(others), begins, axis=1)
            found.count(rows, people, fused)
    return found


def _block(comparing: Comparing, rows: slice) -> Array:
    """Some templates with themselves, oriented, none with itself.

    The probes are a copy: a product of an array with itself is rounded in another way than that of two.
    """
    block = _compared(comparing, rows, comparing.gallery[rows])
    np.fill_diagonal(block, np.nan)
    return np.asarray(comparing.rule.orient(block))


def _compared(comparing: Comparing, rows: slice, gallery: Prepared) -> Array:
    return block_of(comparing.matcher, comparing.probes.take(np.arange(rows.start, rows.stop)), gallery)


def _strips(n: int, size: int) -> Iterator[slice]:
    return (slice(begin, min(begin + size, n)) for begin in range(0, n, size))
