"""The non-mated comparisons of a protocol as a job of tiles: made, counted into cells and let go.

Conventions: a piece is a tile or, where there are very many, a square of tiles; pieces are numbered row by row. Where
both orders of a pair count and give the same score, tiles left of the diagonal are not made: those right of it count
twice. Some comparisons are kept with their people (see `keeping`). What is counted and kept is the same in whichever
order and wherever the pieces are done. Where groups of people are told apart, templates stand in the order of their
groups and no tile lies across a border, so that each belongs to one pair of groups and is counted like any other.

Holds `TileJob`, `TileCounts` and `Borders`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.counting.error_counts import IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.moments import Moments
from bertillon.counting.tiles.cells import CellCounter, Grid
from bertillon.counting.tiles.group_cells import PairCells
from bertillon.counting.tiles.keeping import Keeping, Kept, KeptByPiece
from bertillon.counting.tiles.people import each_pair_once
from bertillon.engine.checkpoint import digest_of
from bertillon.engine.jobs import Tile, pieces, pieces_between
from bertillon.matching.base import Matcher, Prepared, digest_of_sides
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import AllAgainstAll


class TileCounts(CellCounter):
    """Cells counted over some pieces, and who stood behind some of the comparisons.

    With groups everything is counted in `pairs`, and nothing here until it is added up.
    """

    def __init__(self, grid: Grid, people: int, groups: int = 0) -> None:
        super().__init__(grid)
        self.highest = KeptByPiece(grid.dtype)
        self.drawn = KeptByPiece(grid.dtype)
        self.failed_of = np.zeros(people, dtype=np.int64)  # failed comparisons of each person
        self.pairs = PairCells(grid, people, groups) if groups else None

    def merge(self, other: CellCounter) -> None:
        super().merge(other)
        if isinstance(other, TileCounts):
            self.highest.parts |= other.highest.parts
            self.drawn.parts |= other.drawn.parts
            self.failed_of += other.failed_of
            if self.pairs is not None and other.pairs is not None:
                self.pairs.merge(other.pairs)

    def added_up(self) -> TileCounts:
        """The same with the pairs of groups added up, where there are any."""
        if self.pairs is not None:
            for counter in self.pairs.counters.values():
                CellCounter.merge(self, counter)
            self.failed_of += self.pairs.failed_with.sum(axis=0)
        return self

    @property
    def sample(self) -> NDArray[Any]:
        """Some scores from everywhere, in the order of the pieces."""
        scores = (self.drawn if self.grid.keep_from > -np.inf else self.highest).whole().score
        return scores[:: max(1, -(-scores.size // LIMITS.drawn_scores))].copy()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        moments = [(piece, part.n, part.mean, part.squares) for piece, part in self.sums.items()]
        return {
            "cells": self.cells,
            "failed": np.array([self.failed], dtype=np.int64),
            "failed_of": self.failed_of,
            "moments": np.array(moments, dtype=np.float64).reshape(-1, 4),
            **self.highest.to_arrays("highest"),
            **self.drawn.to_arrays("drawn"),
            **(self.pairs.to_arrays() if self.pairs is not None else {}),
        }

    @classmethod
    def from_arrays(cls, grid: Grid, arrays: Mapping[str, NDArray[Any]]) -> TileCounts:
        """What `to_arrays` gave."""
        made = cls(grid, arrays["failed_of"].size)
        made.pairs = PairCells.from_arrays(grid, arrays)
        made.cells, made.failed_of = arrays["cells"].copy(), arrays["failed_of"].copy()
        made.failed = int(arrays["failed"][0])
        made.sums = {
            int(piece): Moments(int(n), mean, squares) for piece, n, mean, squares in arrays["moments"].tolist()
        }
        made.highest.fill(arrays, "highest")
        made.drawn.fill(arrays, "drawn")
        return made


@dataclass(frozen=True, eq=False)
class Borders:
    """Templates in the order of their groups: the group of each person, and where each group's templates begin."""

    of_person: IntArray
    groups: int
    rows: tuple[int, ...]  # from 0 to their number
    columns: tuple[int, ...]

    @property
    def words(self) -> str:
        """For a person to compare."""
        return f"{self.groups:,} of {self.of_person.size:,} people, {digest_of([self.of_person])}"

    def pair_of(self, tile: Tile) -> tuple[int, int]:
        """The groups of a tile's rows and of its columns."""
        starts = (self.rows, tile.rows.start), (self.columns, tile.columns.start)
        row, column = (int(np.searchsorted(borders, start, side="right")) - 1 for borders, start in starts)
        return row, column


@dataclass(frozen=True, eq=False)
class TileJob:
    """Everything needed to make and count the tiles, and no more: it is sent to other machines."""

    matcher: Matcher
    probes: Prepared
    gallery: Prepared
    row_owner: IntArray
    column_owner: IntArray
    grid: Grid
    tile: int
    once: bool  # every pair stands once, whichever way round
    triangle: bool  # tiles left of the diagonal are not made
    keeping: Keeping
    borders: Borders | None = None  # between groups of people; None where nobody asked for them

    @classmethod
    def of(
        cls, comparing: Comparing, grid: Grid, keeping: Keeping, *, tile: int, groups: IntArray | None = None
    ) -> TileJob:
        """The comparisons of a plan; `groups` are those of the people, by number."""
        owners = comparing.pairs.rows, comparing.pairs.columns
        sides = comparing.probes, comparing.gallery
        borders = None
        if groups is not None:
            sides, owners, borders = _in_order_of_groups(sides, owners, groups)
        once, triangle = each_pair_once(comparing.pairing), is_triangle(comparing)
        return cls(comparing.matcher, *sides, *owners, grid, tile, once, triangle, keeping, borders)

    @property
    def identity(self) -> dict[str, str]:
        """What a checkpoint belongs to, in words a person can compare."""
        rows, columns = len(self.probes), len(self.gallery)
        return {
            "version": __version__,
            "comparisons": f"{rows:,} x {columns:,} templates in tiles of {self.tile} x {self.tile}",
            "matcher": repr(self.matcher),
            "pairs": "once" if self.once else "both ways" if self.triangle else "all",
            "templates": digest_of_sides(self.probes, self.gallery, self.row_owner, self.column_owner),
            "mated scores and thresholds": digest_of([self.grid.cuts]),
            "kept comparisons": self.keeping.words,
            **({} if self.borders is None else {"groups": self.borders.words}),
        }

    @cached_property
    def pieces(self) -> list[Tile]:
        """The pieces of the work, each a tile or a square of tiles."""
        if self.borders is not None:
            sides = self.borders.rows, self.borders.columns
            return pieces_between(*sides, size=self.tile, triangle=self.triangle)
        return pieces(self.row_owner.size, self.column_owner.size, size=self.tile, triangle=self.triangle)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Comparisons in each piece."""
        sizes = [
            sum(tile.size for tile in self._tiles(piece)) if piece.on_diagonal else piece.size for piece in self.pieces
        ]
        return np.array(sizes, dtype=np.int64)

    @cached_property
    def people(self) -> int:
        """How many people there are."""
        return 1 + int(max(self.row_owner.max(initial=-1), self.column_owner.max(initial=-1)))

    def begin(self) -> TileCounts:
        """Nothing counted yet."""
        return TileCounts(self.grid, self.people, self.borders.groups if self.borders is not None else 0)

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> TileCounts:
        """What a file kept."""
        return TileCounts.from_arrays(self.grid, arrays)

    def do(self, result: TileCounts, piece: int) -> None:
        """Make the comparisons of a piece, count them all and keep some."""
        highest, drawn, counter = list[Kept](), list[Kept](), self._counter(result, piece)
        for number, tile in enumerate(self._tiles(self.pieces[piece])):
            block = self.matcher.raw_block(self.probes[tile.rows], self.gallery[tile.columns])
            before = counter.failed
            positions = self._count(counter, block, tile, piece)
            if counter.failed > before:
                self._note_failed(result, block, tile)
            rng = np.random.default_rng([piece, number])
            highest.append(self._kept(block, tile, self.keeping.thin(positions, rng)))
            if self.keeping.share:
                drawn.append(self._kept(block, tile, self.keeping.draw(block.size, rng)))
        result.highest.parts[piece] = Kept.joined(highest, self.grid.dtype)
        result.drawn.parts[piece] = Kept.joined(drawn, self.grid.dtype)

    def _counter(self, result: TileCounts, piece: int) -> CellCounter:
        """Where the comparisons of a piece are counted."""
        if self.borders is None or result.pairs is None:
            return result
        return result.pairs.counter(*self.borders.pair_of(self.pieces[piece]))

    def _tiles(self, piece: Tile) -> Iterator[Tile]:
        return piece.cut(self.tile, triangle=self.triangle)

    def _both_ways(self, tile: Tile) -> bool:
        """Do the comparisons of a tile count both ways?"""
        return self.triangle and not self.once and not tile.on_diagonal

    def _count(self, counter: CellCounter, block: NDArray[Any], tile: Tile, piece: int) -> IntArray:
        """Count a tile; the places in it of the highest scores."""
        rows, columns = self.row_owner[tile.rows], self.column_owner[tile.columns]
        half = self.once and tile.on_diagonal
        ends, twice = self.matcher.ends, self._both_ways(tile)
        return counter.add(block, rows, columns, ends=ends, twice=twice, right_of_diagonal=half, piece=piece)

    def _kept(self, block: NDArray[Any], tile: Tile, positions: IntArray) -> Kept:
        """The non-mated comparisons at some places of a tile, each pair once."""
        from bertillon.counting.tiles.cell_kernels import pick_others

        people, scores = np.empty((2, positions.size), dtype=np.int32), np.empty(positions.size, dtype=block.dtype)
        owners = self.row_owner[tile.rows], self.column_owner[tile.columns]
        n = pick_others(block, positions, owners, self.triangle and tile.on_diagonal, people, scores)
        return Kept(people[0, :n], people[1, :n], scores[:n])

    def _note_failed(self, result: TileCounts, block: NDArray[Any], tile: Tile) -> None:
        """Whose non-mated comparisons failed."""
        rows, columns = self.row_owner[tile.rows], self.column_owner[tile.columns]
        failed = np.isnan(block) & (rows[:, None] != columns[None, :])
        if self.once and tile.on_diagonal:
            failed = np.triu(failed)
        weight = 2 if self._both_ways(tile) else 1
        of_rows = of_columns = result.failed_of
        if self.borders is not None and result.pairs is not None:  # whom they were compared with decides
            of_columns, of_rows = (result.pairs.failed_with[group] for group in self.borders.pair_of(tile))
        np.add.at(of_rows, rows, weight * failed.sum(axis=1))
        np.add.at(of_columns, columns, weight * failed.sum(axis=0))


def _in_order_of_groups(
    sides: tuple[Prepared, Prepared], owners: tuple[IntArray, IntArray], of_person: IntArray
) -> tuple[tuple[Prepared, Prepared], tuple[IntArray, IntArray], Borders]:
    """Templates and their owners with the groups one after the other; a side that is the other stays so."""
    n = 1 + int(of_person.max(initial=-1))
    probes, rows, row_borders = _ordered(sides[0], owners[0], of_person, n)
    if sides[0] is sides[1] and np.array_equal(*owners):
        return (probes, probes), (rows, rows), Borders(of_person, n, row_borders, row_borders)
    gallery, columns, column_borders = _ordered(sides[1], owners[1], of_person, n)
    return (probes, gallery), (rows, columns), Borders(of_person, n, row_borders, column_borders)


def _ordered(side: Prepared, owners: IntArray, of_person: IntArray, n: int) -> tuple[Prepared, IntArray, Any]:
    group = of_person[owners]
    borders = (0, *np.cumsum(np.bincount(group, minlength=n)).tolist())
    order = np.argsort(group, kind="stable")
    if (order[1:] > order[:-1]).all():  # they stand so already: nothing is copied
        return side, owners, borders
    return side.take(order), owners[order], borders


def is_triangle(comparing: Comparing) -> bool:
    """Is half of the matrix enough, the other half being the same or none of it?"""
    if not isinstance(comparing.pairing, AllAgainstAll):
        return False
    return comparing.pairing.unique or comparing.matcher.symmetric
