"""A matrix of comparisons cut into rectangles that fit in cache, and these gathered into pieces of work.

Conventions: where the matrix is symmetric only what stands on and right of the diagonal is made (`triangle`). A piece
is a square of tiles; there are never so many pieces that listing them is work of its own.

Holds `Tile`, `tiles`, `pieces` and `pieces_between`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bertillon.engine.jobs import LIMITS

TILE = 1024


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows and columns of one rectangle."""

    rows: slice
    columns: slice

    @property
    def size(self) -> int:
        """Comparisons in the rectangle."""
        return int((self.rows.stop - self.rows.start) * (self.columns.stop - self.columns.start))

    @property
    def on_diagonal(self) -> bool:
        """Its rows and columns are the same templates."""
        return self.rows == self.columns

    def cut(self, size: int, *, triangle: bool = False) -> Iterator[Tile]:
        """The smaller tiles it is made of, row by row."""
        for top in range(self.rows.start, self.rows.stop, size):
            for left in range(top if triangle and self.on_diagonal else self.columns.start, self.columns.stop, size):
                rows = slice(top, min(top + size, self.rows.stop))
                yield Tile(rows, slice(left, min(left + size, self.columns.stop)))


def tiles(n_rows: int, n_columns: int, *, size: int = TILE, triangle: bool = False) -> Iterator[Tile]:
    """Rectangles of at most size x size that cover the matrix once; only on and right of the diagonal if `triangle`.

    >>> [(t.rows.start, t.columns.start) for t in tiles(4, 4, size=2, triangle=True)]
    [(0, 0), (0, 2), (2, 2)]
    """
    return Tile(slice(0, n_rows), slice(0, n_columns)).cut(size, triangle=triangle)


def pieces(n_rows: int, n_columns: int, *, size: int = TILE, triangle: bool = False) -> list[Tile]:
    """The tiles, or squares of 2 x 2, 4 x 4, ... of them where there would be too many to list.

    >>> len(pieces(1_000_000, 1_000_000, triangle=True))
    30135
    """
    while -(-n_rows // size) * -(-n_columns // size) > LIMITS.max_pieces * (2 if triangle else 1):
        size *= 2
    return list(tiles(n_rows, n_columns, size=size, triangle=triangle))


def pieces_between(
    row_borders: Sequence[int], column_borders: Sequence[int], *, size: int = TILE, triangle: bool = False
) -> list[Tile]:
    """The pieces where none may lie across a border; borders go from 0 to the number of rows, or of columns.

    With `triangle` the borders of both sides are the same.

    >>> [(t.rows.start, t.columns.start) for t in pieces_between([0, 1, 3], [0, 1, 3], size=2, triangle=True)]
    [(0, 0), (0, 1), (1, 1)]
    """
    parts = [
        Tile(slice(top, bottom), slice(left, right))
        for top, bottom in pairwise(row_borders)
        for left, right in pairwise(column_borders)
        if bottom > top and right > left and not (triangle and left < top)
    ]

    def number() -> int:
        return sum(
            -(-(part.rows.stop - part.rows.start) // size) * -(-(part.columns.stop - part.columns.start) // size)
            for part in parts
        )

    while number() > max(LIMITS.max_pieces, len(parts)):
        size *= 2
    return [piece for part in parts for piece in part.cut(size, triangle=triangle)]
