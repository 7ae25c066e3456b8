"""The non-mated comparisons of a protocol as a job of tiles: made, counted into cells and let go.

Conventions: a piece is a tile or, where there are very many, a square of tiles; pieces are numbered row by row. Where
both orders of a pair count and give the same score, tiles left of the diagonal are not made: those right of it count
twice. Of every piece a few scores are kept as a sample. What is counted is the same in whichever order and wherever
the pieces are done.

Holds `TileJob` and `TileCounts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.counts.cells import CellCounter, Grid
from bertillon.counts.error_counts import IntArray
from bertillon.counts.moments import Moments
from bertillon.engine.checkpoint import digest_of
from bertillon.engine.tiling import Tile, pieces
from bertillon.matchers.base import Matcher, Prepared, digest_of_sides
from bertillon.protocol.pairing import AllAgainstAll
from bertillon.trials.comparing import Comparing

SAMPLE = 100_000  # non-mated scores kept for drawing their distribution


class TileCounts(CellCounter):
    """Cells counted over some pieces, and a sample of each."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self.samples: dict[int, NDArray[Any]] = {}  # by piece

    def merge(self, other: CellCounter) -> None:
        super().merge(other)
        if isinstance(other, TileCounts):
            self.samples |= other.samples

    @property
    def sample(self) -> NDArray[Any]:
        """The samples of all pieces, in the order of the pieces."""
        return np.concatenate([np.empty(0, self.grid.dtype), *(self.samples[piece] for piece in sorted(self.samples))])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        moments = [(place, one.n, one.mean, one.squares) for place, one in self.sums.items()]
        lengths = [(piece, self.samples[piece].size) for piece in sorted(self.samples)]
        return {
            "cells": self.cells,
            "failed": np.array([self.failed], dtype=np.int64),
            "moments": np.array(moments, dtype=np.float64).reshape(-1, 4),
            "sampled": np.array(lengths, dtype=np.int64).reshape(-1, 2),
            "samples": self.sample,
        }

    @classmethod
    def from_arrays(cls, grid: Grid, arrays: Mapping[str, NDArray[Any]]) -> TileCounts:
        """What `to_arrays` gave."""
        made = cls(grid)
        made.cells = arrays["cells"].copy()
        made.failed = int(arrays["failed"][0])
        made.sums = {
            int(place): Moments(int(n), mean, squares) for place, n, mean, squares in arrays["moments"].tolist()
        }
        pieces, lengths = arrays["sampled"].T
        ends = np.cumsum(lengths)
        made.samples = dict(zip(pieces.tolist(), np.split(arrays["samples"], ends[:-1]), strict=False))
        return made


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

    @classmethod
    def of(cls, comparing: Comparing, grid: Grid, *, tile: int) -> TileJob:
        """The comparisons of a plan."""
        once = isinstance(comparing.pairing, AllAgainstAll) and comparing.pairing.unique
        triangle = isinstance(comparing.pairing, AllAgainstAll) and (once or comparing.matcher.symmetric)
        owners = comparing.pairs.rows, comparing.pairs.columns
        return cls(comparing.matcher, comparing.probes, comparing.gallery, *owners, grid, tile, once, triangle)

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
        }

    @cached_property
    def pieces(self) -> list[Tile]:
        """The pieces of the work, each a tile or a square of tiles."""
        return pieces(self.row_owner.size, self.column_owner.size, size=self.tile, triangle=self.triangle)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Comparisons in each piece."""
        sizes = [
            sum(tile.size for tile in self._tiles(piece)) if piece.on_diagonal else piece.size for piece in self.pieces
        ]
        return np.array(sizes, dtype=np.int64)

    def begin(self) -> TileCounts:
        """Nothing counted yet."""
        return TileCounts(self.grid)

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> TileCounts:
        """What a file kept."""
        return TileCounts.from_arrays(self.grid, arrays)

    def do(self, found: TileCounts, piece: int) -> None:
        """Make the comparisons of a piece and count them."""
        sample = [np.empty(0, dtype=self.grid.dtype)]
        made = list(self._tiles(self.pieces[piece]))
        share = max(1, SAMPLE // len(self.pieces))
        for number, tile in enumerate(made):
            owners = self.row_owner[tile.rows], self.column_owner[tile.columns]
            block = self.matcher.block(self.probes[tile.rows], self.gallery[tile.columns])
            if self.once and tile.on_diagonal:
                _count_half(found, block, *owners, piece)
            else:
                found.add(block, *owners, twice=self.triangle and not self.once and not tile.on_diagonal, place=piece)
            wanted = share * (number + 1) // len(made) - share * number // len(made)  # so that they add up to it
            sample += [_sampled(block, *owners, wanted)] if wanted else []
        found.samples[piece] = np.concatenate(sample)

    def _tiles(self, piece: Tile) -> Iterator[Tile]:
        return piece.cut(self.tile, triangle=self.triangle)


def _count_half(
    counter: CellCounter, block: NDArray[Any], row_owner: NDArray[Any], column_owner: NDArray[Any], place: int
) -> None:
    """Count only what stands right of the diagonal, a row at a time."""
    for i in range(len(block) - 1):
        counter.add(block[i : i + 1, i + 1 :], row_owner[i : i + 1], column_owner[i + 1 :], place=place)


def _sampled(block: NDArray[Any], row_owner: NDArray[Any], column_owner: NDArray[Any], share: int) -> NDArray[Any]:
    """Scores at equal steps through a block, those of one owner and failed ones left out."""
    step = max(1, block.size // share)
    places = np.arange(step // 2, block.size, step)
    down, across = np.divmod(places, block.shape[1])
    scores: NDArray[Any] = block[down, across]
    kept: NDArray[Any] = scores[(row_owner[down] != column_owner[across]) & ~np.isnan(scores)]
    return kept
