"""Which of the comparisons that are counted are also kept, with the two people behind each.

An interval must know whose comparisons they were, since those that share people go together. Of up to 4 million
non-mated comparisons all are kept. Of more, two parts are, which need no more memory however many there are: of the
highest (FMR up to about 0.001) all, or each with the same chance where they are more than a million; and of all places
about a quarter of a million, drawn evenly, or where pairs of groups are told apart so many for each, up to two million.
What is kept of a tile depends on the tile alone, so it is the same whoever does it.

Conventions: people are numbers. A pair that counts both ways is kept once. `above` is an oriented score.

Holds `Keeping` (what is kept), `Kept` (comparisons with their people) and `KeptByPiece` (those of a job's pieces).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import IntArray
from bertillon.counting.limits import LIMITS
from bertillon.matching.comparing import Comparing


@dataclass(frozen=True, slots=True)
class Keeping:
    """From a score up each comparison is kept with a chance; besides, a share of all places is drawn."""

    above: float
    chance: float
    share: float

    @classmethod
    def of(cls, comparing: Comparing, made: int, *, parts: int = 1) -> Keeping:
        """As many as intervals need, where so many comparisons are made, and told apart in so many parts."""
        if made <= LIMITS.kept_comparisons:
            return cls(-math.inf, 1.0, 0.0)
        drawn = max(LIMITS.sampled_comparisons, min(parts * LIMITS.sampled_comparisons, LIMITS.kept_comparisons // 2))
        highest = LIMITS.tail_comparisons / (LIMITS.tail_share * made)
        return cls(_start_of_highest(comparing, made), min(1.0, highest), min(1.0, drawn / made))

    @property
    def words(self) -> str:
        """For a person to compare."""
        return f"from {self.above!r} up {self.chance!r}, of all {self.share!r}"

    def thin(self, positions: IntArray, rng: np.random.Generator) -> IntArray:
        """Those of the highest scores that are kept."""
        return positions if self.chance == 1.0 else positions[rng.random(positions.size) < self.chance]

    def draw(self, size: int, rng: np.random.Generator) -> IntArray:
        """Some places of a block, whatever stands there."""
        drawn: IntArray = rng.choice(size, int(size * self.share + rng.random()), replace=False, shuffle=False)
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Comparisons that were kept: their two people and their score."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[Any]

    @classmethod
    def joined(cls, parts: Sequence[Kept], dtype: np.dtype[Any]) -> Kept:
        """Several as one."""
        if len(parts) == 1:
            return parts[0]
        nobody = np.empty(0, dtype=np.int32)
        return cls(
            np.concatenate([nobody, *(part.first for part in parts)]),
            np.concatenate([nobody, *(part.second for part in parts)]),
            np.concatenate([np.empty(0, dtype=dtype), *(part.score for part in parts)]),
        )

    def __getitem__(self, chosen: Any) -> Kept:
        return Kept(self.first[chosen], self.second[chosen], self.score[chosen])

    def __len__(self) -> int:
        return int(self.score.size)


class KeptByPiece:
    """Comparisons kept of some pieces of work, which come in any order and are read in that of the pieces."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.parts: dict[int, Kept] = {}

    def whole(self) -> Kept:
        """Those of all pieces."""
        return Kept.joined([self.parts[piece] for piece in sorted(self.parts)], self.dtype)

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        whole = self.whole()
        lengths = [(piece, len(self.parts[piece])) for piece in sorted(self.parts)]
        return {
            f"{name}_of": np.array(lengths, dtype=np.int64).reshape(-1, 2),
            f"{name}_people": np.stack([whole.first, whole.second]),
            f"{name}_scores": whole.score,
        }

    def fill(self, arrays: Any, name: str) -> None:
        """Take over what `to_arrays` gave."""
        first, second = arrays[f"{name}_people"]
        whole = Kept(first, second, arrays[f"{name}_scores"])
        pieces, lengths = arrays[f"{name}_of"].T
        begins = np.cumsum(lengths) - lengths
        for piece, begin, length in zip(pieces.tolist(), begins.tolist(), lengths.tolist(), strict=True):
            self.parts[piece] = whole[begin : begin + length]


def _start_of_highest(comparing: Comparing, made: int) -> float:
    """About where the highest scores begin, from some templates of either side, drawn at random."""
    rng = np.random.default_rng(0)
    side = max(2, int(math.sqrt(min(LIMITS.tail_sample, made // LIMITS.tail_sample_one_in))))
    rows, columns = (
        rng.choice(owners.size, min(side, owners.size), replace=False)
        for owners in (comparing.pairs.rows, comparing.pairs.columns)
    )
    block = comparing.matcher.block(comparing.probes.take(rows), comparing.gallery.take(columns))
    others = block[comparing.pairs.rows[rows][:, None] != comparing.pairs.columns[columns][None, :]]
    known = comparing.rule.orient(others[~np.isnan(others)])
    rank = known.size - 1 - int(LIMITS.tail_share * known.size)
    return float(np.partition(known, rank)[rank]) if known.size else math.inf
