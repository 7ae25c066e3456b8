"""The people behind counted comparisons: which comparisons are kept with them, and how often who met whom.

An interval must know whose comparisons they were, since those that share people go together. Of up to 4 million
non-mated comparisons all are kept. Of more, two parts are, which need no more memory however many there are: of the
highest (FMR up to about 0.001) all, or each with the same chance where they are more than a million; and of all places
about a quarter of a million, drawn evenly, or where pairs of groups are told apart so many for each, up to two million.
What is kept of a tile depends on the tile alone, so it is the same whoever does it.

Conventions: people are numbered from 0 in ascending order of their ids. Person a with p_a probes and g_a gallery
templates meets person b in p_a g_b + p_b g_a comparisons, or half of that where every pair of templates stands once. A
pair that counts both ways is kept once; a comparison that was kept stands for `times` (2 where it counts both ways)
divided by the chance that it was kept. `above` is an oriented score.

Holds `Keeping` (what is kept), `Kept` (comparisons with their people), `KeptByPiece` (those of a job's pieces),
`PlannedComparisons`, `ComparedPeople`, `people_of` and `each_pair_once`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.limits import LIMITS
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import AllAgainstAll, Pairing


@dataclass(frozen=True, slots=True)
class Keeping:
    """From a score up each comparison is kept with a chance; besides, a share of all places is drawn."""

    above: float
    chance: float
    share: float

    @classmethod
    def of(cls, comparing: Comparing, made: int, *, parts: int = 1) -> Keeping:
        """As many as intervals need, where so many comparisons are made, and told apart in so many parts."""
        if made <= LIMITS.tiles.kept_comparisons:
            return cls(-math.inf, 1.0, 0.0)
        drawn = max(
            LIMITS.tiles.sampled_comparisons,
            min(parts * LIMITS.tiles.sampled_comparisons, LIMITS.tiles.kept_comparisons // 2),
        )
        highest = LIMITS.tiles.tail_comparisons / (LIMITS.tiles.tail_share * made)
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
        return np.asarray(rng.choice(size, int(size * self.share + rng.random()), replace=False, shuffle=False))


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Comparisons that were kept: their two people, or the rows of their templates, and their score."""

    first: NDArray[Any]
    second: NDArray[Any]
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
    side = max(2, int(math.sqrt(min(LIMITS.tiles.tail_sample, made // LIMITS.tiles.tail_sample_one_in))))
    rows, columns = (
        rng.choice(owners.size, min(side, owners.size), replace=False)
        for owners in (comparing.pairs.rows, comparing.pairs.columns)
    )
    block = comparing.matcher.block(comparing.probes.take(rows), comparing.gallery.take(columns))
    others = block[comparing.pairs.rows[rows][:, None] != comparing.pairs.columns[columns][None, :]]
    known = comparing.rule.orient(others[~np.isnan(others)])
    rank = known.size - 1 - int(LIMITS.tiles.tail_share * known.size)
    return float(np.partition(known, rank)[rank]) if known.size else math.inf


@dataclass(frozen=True, eq=False)
class PlannedComparisons:
    """How often people were compared, from how many templates they have on either side."""

    probes: IntArray
    references: IntArray
    once: bool

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.probes.size)

    @cached_property
    def of_person(self) -> IntArray:
        """Non-mated comparisons of each person.

        >>> PlannedComparisons(np.array([1, 2]), np.array([1, 2]), once=False).of_person.tolist()
        [4, 4]
        """
        ways = self.probes * (self.references.sum() - self.references)
        ways = ways + self.references * (self.probes.sum() - self.probes)
        return np.asarray(ways // self._halves)

    def of_pair(self, first: NDArray[Any], second: NDArray[Any]) -> IntArray:
        """Comparisons of two people, pair by pair."""
        ways = self.probes[first] * self.references[second] + self.probes[second] * self.references[first]
        return np.asarray(ways // self._halves)

    @cached_property
    def squares_of_pairs(self) -> int:
        """The sum over all pairs of people of their comparisons squared."""
        some = (self.probes > 0) | (self.references > 0)
        probes, references = (side[some].astype(object) for side in (self.probes, self.references))  # without end
        own, same = int((probes**2 * references**2).sum()), int((probes * references).sum())
        ways = int((probes**2).sum()) * int((references**2).sum()) - own + same**2 - own
        return ways // self._halves**2

    @cached_property
    def disjoint_pairs(self) -> int:
        """How many pairs of people, at least, share nobody.

        Pairs can be dealt into rounds in which nobody stands twice, one round more than the busiest person has partners
        (Vizing); the fullest of the rounds has its share of the pairs or more.
        """
        on_left, on_right = self.probes > 0, self.references > 0
        left, right, both = (int(side.sum()) for side in (on_left, on_right, on_left & on_right))
        pairs = left * right - both - both * (both - 1) // 2
        partners = np.where(on_left, right, 0) + np.where(on_right & ~on_left, left, 0)
        partners = np.where(on_left & on_right, left + right - both - 1, partners)
        busiest = int(partners.max(initial=0))
        return math.ceil(pairs / (busiest + 1))

    @property
    def _halves(self) -> int:
        return 2 if self.once else 1


@dataclass(frozen=True, eq=False)
class ComparedPeople:
    """Everything that intervals ask about the people behind counted comparisons."""

    ids: NDArray[Any]  # by number
    mated: NDArray[Any]  # whose each mated score is
    planned: PlannedComparisons
    failed: IntArray  # non-mated comparisons of each person that gave no score
    kept: Kept
    chance: FloatArray  # of each of these to be kept
    times: int
    above: float  # an oriented score, from which on all were kept with one chance

    @classmethod
    def of(
        cls,
        comparing: Comparing,
        mated: IntArray,
        *,
        others: tuple[Kept, Kept, IntArray],
        keeping: Keeping,
        times: int,
    ) -> ComparedPeople:
        """From whose the mated scores are, and the `others`: those kept, drawn, and failed."""
        highest, drawn, failed = others
        pairs, n = comparing.pairs, failed.size
        rest = drawn[~comparing.rule.accepts(drawn.score, comparing.rule.restore(keeping.above))]
        kept = Kept.joined([highest, rest], highest.score.dtype)
        chance = np.repeat([keeping.chance, keeping.share], [len(highest), len(rest)])
        sides = [np.bincount(owners, minlength=n) for owners in (pairs.rows, pairs.columns)]
        planned = PlannedComparisons(sides[0], sides[1], each_pair_once(comparing.pairing))
        return cls(people_of(comparing), mated, planned, failed, kept, chance, times, keeping.above)

    @property
    def complete(self) -> bool:
        """Were all comparisons kept?"""
        return self.above == -math.inf

    @property
    def note(self) -> Message:
        """What was kept, for the notes."""
        if self.complete:
            return say("protocol.people_kept")
        return say("protocol.people_kept_partly", n=len(self.kept))


def people_of(comparing: Comparing) -> NDArray[Any]:
    """The ids of the people compared, by number."""
    pairs = comparing.pairs
    n = 1 + int(max(pairs.rows.max(initial=-1), pairs.columns.max(initial=-1)))
    ids = np.empty(n, dtype=comparing.templates.subject.dtype)
    for owners, templates in ((pairs.rows, comparing.rows), (pairs.columns, comparing.columns)):
        ids[owners] = comparing.templates.subject[templates]
    return ids


def each_pair_once(pairing: Pairing) -> bool:
    """Does every pair of templates stand once, whichever way round?"""
    return isinstance(pairing, AllAgainstAll) and pairing.unique
