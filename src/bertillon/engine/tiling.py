"""A matrix of comparisons cut into rectangles that fit in cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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


def tiles(n_rows: int, n_columns: int, *, size: int = TILE, triangle: bool = False) -> Iterator[Tile]:
    """Rectangles of at most size x size that cover the matrix once; only on and right of the diagonal if `triangle`.

    >>> [(t.rows.start, t.columns.start) for t in tiles(4, 4, size=2, triangle=True)]
    [(0, 0), (0, 2), (2, 2)]
    """
    for top in range(0, n_rows, size):
        for left in range(top if triangle else 0, n_columns, size):
            yield Tile(slice(top, min(top + size, n_rows)), slice(left, min(left + size, n_columns)))
