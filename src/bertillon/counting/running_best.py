"""The best score of each search among the first N people of a gallery, for many N and many orders, from one walk.

Conventions: scores are oriented, higher is more alike; NaN is no score. People stand in the gallery in an order of
each draw, and the person who searches is left out: the first N *others* are the first N + 1 people where that person is
among the first N, so that galleries of one draw are nested. `others` are the best of the first N others, what a search
of somebody who is not enrolled meets; `rivals` are the best of the first N - 1, what a mate in a gallery of N meets.

Each is kept with the group of people it is of and with the best of the other groups, so that it is known what is left
when a group is taken away. The line of the gallery is cut at N - 1, N and N + 1 of each size. A score is looked at for
each piece of it only where it may change one: pieces of few people list their columns, and for the others a score must
pass the least of their second best.

Holds `GalleryOrders` and `SearchWalk`, `count_best` and `BestAmong`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import LazyPackage
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.engine.workers import run_workers

Array = NDArray[Any]
loops = LazyPackage("bertillon.counting.best_kernels")  # which loads the compiler
NOBODY = -1
COLUMNS, ROWS = 2048, 256  # of a tile
FEW = 16  # a piece with fewer than one in so many templates lists them
BINS = 1 << 13
ROOM = 0.5  # beyond the scores of the pilot, of their range
PILOT = 64  # rows
SAMPLED = 2048  # searches, at least, whose comparisons are in the histogram


@dataclass(frozen=True, eq=False)
class GalleryOrders:
    """Where each person of a gallery stands in each draw, and which sizes are read.

    >>> GalleryOrders(np.array([[2, 0, 1]]), (1, 2)).cuts.tolist()
    [1, 2, 3]
    """

    position: IntArray  # (draws, people)
    sizes: tuple[int, ...]  # ascending

    @property
    def cuts(self) -> IntArray:
        """Where the order of a gallery is cut."""
        sizes = np.array(self.sizes, dtype=np.int64)
        return np.setdiff1d(np.concatenate([sizes - 1, sizes, sizes + 1]), [0])

    @property
    def piece(self) -> IntArray:
        """The piece that each person is in, in each draw; after the last cut the number of cuts."""
        return np.searchsorted(self.cuts, self.position, side="right")


class Best(NamedTuple):
    """The best scores by size, draw and search, whose group they are of, and the best of the other groups."""

    score: Array
    group: NDArray[np.int16]
    second: Array

    def without(self, group: int) -> Array:
        """What is left of the best scores where a group is not in the gallery."""
        return np.where(self.group == group, self.second, self.score)


@dataclass(frozen=True, eq=False)
class BestAmong:
    """What was counted of the searches of some probes in galleries of some sizes."""

    others: Best
    rivals: Best
    mate: Array  # of each search; NaN without one
    tried: NDArray[np.bool_]  # searches that met a score, with others or with a mate
    edges: FloatArray  # of the histogram of comparisons with others
    histogram: IntArray  # of every search, or where there are very many of every so many
    passing: dict[float, int]  # of the same comparisons, at thresholds asked for

    def of(self, chosen: NDArray[np.bool_]) -> BestAmong:
        """Of some of the searches."""
        others, rivals = (Best(*(array[:, :, chosen] for array in best)) for best in (self.others, self.rivals))
        return BestAmong(
            others, rivals, self.mate[chosen], self.tried[chosen], self.edges, self.histogram, self.passing
        )

    def share_passing(self, threshold: float) -> float:
        """The share of comparisons with others that reach a score; where it was not asked for, between edges as if
        scores lay even there."""
        ahead = np.append(np.cumsum(self.histogram[::-1])[::-1], 0)
        passing = self.passing.get(threshold, float(np.interp(threshold, self.edges, ahead)))
        return passing / max(int(ahead[0]), 1)


class SearchWalk(NamedTuple):
    """Who is compared: `own` is the person of each row or NOBODY, `owner` that of each column, `own_cell` the column
    that is the row itself or NOBODY; `group` is that of each person of the gallery."""

    own: IntArray
    owner: IntArray
    own_cell: IntArray
    group: IntArray


class _Counts(NamedTuple):
    """What one worker counts of comparisons with others; all else is in arrays that the workers share."""

    histogram: IntArray
    passing: IntArray


Block = Callable[[slice, slice], Array]


def count_best(
    block: Block, walk: SearchWalk, orders: GalleryOrders, *, thresholds: Sequence[float] = (), threaded: bool = True
) -> BestAmong:
    """Walk through all comparisons once; `block` makes the oriented scores of some rows with some columns.

    `thresholds` are oriented ones at which comparisons are counted exactly.

    >>> scores = np.array([[0.9, 0.2, 0.4]])
    >>> walk = SearchWalk(np.array([0]), np.arange(3), np.array([NOBODY]), np.arange(3))
    >>> found = count_best(lambda rows, columns: scores[rows, columns], walk, GalleryOrders(np.arange(3)[None], (1, 2)))
    >>> found.others.score.ravel().tolist(), found.mate.tolist()
    ([0.2, 0.4], [0.9])
    """
    counting = _Counting(block, walk, orders, np.array(thresholds, dtype=np.float64))
    pieces = [slice(begin, min(begin + ROWS, walk.own.size)) for begin in range(0, walk.own.size, ROWS)]

    def work(counts: _Counts, piece: int) -> None:
        counting.strip(pieces[piece], counts)

    if threaded:
        counts = run_workers(work, len(pieces), counting.start)
    else:
        counts = [counting.start()]
        for piece in range(len(pieces)):
            work(counts[0], piece)
    return counting.finish(counts)


class _Counting:
    """The walk of all workers: what is the same for every strip of rows."""

    def __init__(self, block: Block, walk: SearchWalk, orders: GalleryOrders, thresholds: FloatArray) -> None:
        self.block, self.walk, self.orders, self.thresholds = block, walk, orders, thresholds
        self.cuts, draws = orders.cuts, len(orders.position)
        self.cells = draws * self.cuts.size
        pilot = np.asarray(block(slice(0, min(PILOT, walk.own.size)), slice(0, COLUMNS)))  # on one thread: it compiles
        self.ends, dtype = _range_of(pilot), pilot.dtype
        self.bins = self.ends[0], BINS / (self.ends[1] - self.ends[0]), max(1, walk.own.size // SAMPLED), thresholds
        self.groups = walk.group[walk.owner].astype(np.int16)
        self.tiles = list(self._tiles())
        columns = np.argsort(walk.owner, kind="stable")
        self.own_columns, self.own_begins = columns, np.searchsorted(walk.owner[columns], np.arange(self._people + 1))
        shape = (len(orders.sizes), draws, walk.own.size)
        self.others, self.rivals = (
            Best(np.empty(shape, dtype), np.empty(shape, np.int16), np.empty(shape, dtype)) for _ in range(2)
        )
        self.mate = np.full(walk.own.size, np.nan, dtype=dtype)
        self.tried = np.zeros(walk.own.size, dtype=np.bool_)

    @property
    def _people(self) -> int:
        return int(self.orders.position.shape[1])

    def start(self) -> _Counts:
        return _Counts(np.zeros(BINS, dtype=np.int64), np.zeros(self.thresholds.size, dtype=np.int64))

    def _tiles(self) -> list[tuple[slice, tuple[Array, ...]]]:
        """Columns some at a time: those that pieces of few templates list, each with its cell, and the cells of all
        others by column, NOBODY where there is none."""
        owner, piece, cuts = self.walk.owner, self.orders.piece, self.cuts.size
        small = _small_pieces(piece, owner, cuts)
        first_cell = np.arange(len(piece))[:, None] * cuts
        large = np.unique((first_cell + np.arange(cuts))[~small])
        made: list[tuple[slice, tuple[Array, ...]]] = []
        for begin in range(0, owner.size, COLUMNS):
            part = slice(begin, min(begin + COLUMNS, owner.size))
            pieces = piece[:, owner[part]]  # (draws, columns)
            there = pieces < cuts
            listed = there & small[np.arange(len(piece))[:, None], np.minimum(pieces, cuts - 1)]
            cell = first_cell + pieces
            draw, column = np.nonzero(listed)
            by_column = np.ascontiguousarray(np.where(there & ~listed, cell, NOBODY).T)
            made.append((part, (column, cell[draw, column], by_column, large)))
        return made

    def strip(self, rows: slice, counts: _Counts) -> None:
        """All comparisons of some probes."""
        walk, size = self.walk, rows.stop - rows.start
        best = np.full((size, self.cells), -np.inf, dtype=self.mate.dtype)
        second, group = best.copy(), np.full((size, self.cells), NOBODY, dtype=np.int16)
        for part, lists in self.tiles:
            block = np.asarray(self.block(rows, part))
            who = walk.own[rows], walk.owner[part], self.groups[part]
            loops.walk_best(block, who, lists, (best, group, second))
            loops.walk_histogram(block, self.bins, counts)
            own = walk.own[rows], walk.own_cell[rows], self.own_columns, self.own_begins, part.start
            loops.walk_mates(block, own, self.mate[rows], self.bins, counts)
        self.tried[rows] = (best > -np.inf).any(axis=1) | ~np.isnan(self.mate[rows])
        self._read(rows, best, group, second)

    def _read(self, rows: slice, best: Array, group: Array, second: Array) -> None:
        """The best up to each cut, and of these the ones that each size asks for."""
        draws, cuts = len(self.orders.position), self.cuts.size
        shape = (rows.stop - rows.start, draws, cuts)
        so_far = _running(*(each.reshape(shape) for each in (best, group, second)))
        own = self.walk.own[rows]
        place = np.where(own == NOBODY, self._people + 1, self.orders.position[:, own])  # (draws, rows)
        for i, size in enumerate(self.orders.sizes):
            inside = (place < size).astype(np.int64)
            for kept, wanted in ((self.others, size + inside), (self.rivals, size - 1 + inside)):
                at = np.searchsorted(self.cuts, wanted, side="right").T[:, :, None]  # 0 is nobody
                for array, values in zip(kept, so_far, strict=True):
                    array[i, :, rows] = np.take_along_axis(values, at, axis=2)[:, :, 0].T

    def finish(self, counts: Sequence[_Counts]) -> BestAmong:
        """What all workers found."""
        histogram, passing = (np.sum(each, axis=0) for each in zip(*counts, strict=True))
        at = dict(zip(self.thresholds.tolist(), passing.tolist(), strict=True))
        edges = np.linspace(*self.ends, BINS + 1)
        return BestAmong(self.others, self.rivals, self.mate, self.tried, edges, histogram, at)


def _range_of(pilot: Array) -> tuple[float, float]:
    finite = pilot[np.isfinite(pilot)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    room = ROOM * (high - low) or max(abs(high), 1.0)
    return low - room, high + room


def _small_pieces(piece: IntArray, owner: IntArray, cuts: int) -> NDArray[np.bool_]:
    """Which pieces of each draw hold few of the templates."""
    number = np.stack([np.bincount(own[owner], minlength=cuts + 1)[:cuts] for own in piece])
    return np.asarray(number * FEW < owner.size)


def _running(best: Array, group: Array, second: Array) -> tuple[Array, Array, Array]:
    """Pieces put together from the first on; before the first there is nobody."""
    shape = (*best.shape[:2], best.shape[2] + 1)
    tops, groups, seconds = np.full(shape, -np.inf, best.dtype), np.full(shape, NOBODY, np.int16), None
    seconds = tops.copy()
    for i in range(best.shape[2]):
        one, other = (tops[..., i], groups[..., i], seconds[..., i]), (best[..., i], group[..., i], second[..., i])
        ahead = other[0] > one[0]
        tops[..., i + 1] = np.where(ahead, other[0], one[0])
        groups[..., i + 1] = np.where(ahead, other[1], one[1])
        loser = np.where(one[1] == other[1], -np.inf, np.where(ahead, one[0], other[0]))
        seconds[..., i + 1] = np.maximum(np.maximum(one[2], other[2]), loser)
    return tops, groups, seconds
