"""Searches counted while blocks of scores stream by, so that no gallery has to fit in memory.

Conventions: a block holds the scores of some probes (rows) with some gallery templates (columns). The probes come in
fixed groups, *tiles*: two blocks have the same rows or none in common. Blocks come in any order and each cell comes
once. Scores are oriented here: higher means more alike. NaN is no score.

A rank can only be counted once the mate's score is known. Until every mate of a tile has gone by its scores are held
back, which takes at most the rows of the tile times the people of the gallery; where the mates' scores are given
beforehand nothing is held. Of a person whose templates are spread over blocks the part seen so far is kept.

Average precision ranks templates, not people: the mean, over the mate's templates, of the share of mates in the list
down to each; others win ties, and a template of the mate without a score adds 0. It depends on how many templates of
others reach each score of the mate's own, so that once these are known every score of a block is counted and let go.

Holds `SearchCounter` with its `Counted`, `Gallery`, `FUSIONS`, the ways to make one score of several templates, and
`PrecisionCounter`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.engine.compiling import compiled_late
from bertillon.trials.limits import LIMITS
from bertillon.trials.search_loops import NOBODY, count_plain, count_reached, walk, walk_people, walk_reached

Array = NDArray[Any]
FUSIONS = ("best", "mean", "max", "min", "none")


class PrecisionCounter:
    """Counts for some probes; `own` is each one's person in the gallery, `mates` how many templates it may meet."""

    def __init__(self, own: IntArray, mates: IntArray, *, compiled: bool = False) -> None:
        self.own, self.mates, self.compiled = own, mates, compiled
        most = int(mates.max(initial=0))
        self.scores = np.full((own.size, most), np.nan)  # of each probe's mates, in ascending order once all are in
        self.seen = np.zeros(own.size, dtype=np.int64)
        self.reached = np.zeros((own.size, most + 1), dtype=np.int64)  # others by how many mates they reach
        self.ordered = False

    def note(self, owner: IntArray, block: Array) -> None:
        """Take in the scores of mates that a block holds."""
        order = np.argsort(owner, kind="stable")
        begin, end = (np.searchsorted(owner, self.own, side=side, sorter=order) for side in ("left", "right"))
        rows = np.repeat(np.arange(self.own.size), end - begin)
        if not rows.size:
            return
        columns = order[np.arange(rows.size) - np.searchsorted(rows, rows) + begin[rows]]
        known = ~np.isnan(block[rows, columns])
        rows, columns = rows[known], columns[known]
        first = np.searchsorted(rows, rows)  # rows ascend: the place of each cell within its row
        self.scores[rows, self.seen[rows] + np.arange(rows.size) - first] = block[rows, columns]
        self.seen += np.bincount(rows, minlength=self.own.size)

    def count(self, owner: IntArray, block: Array) -> None:
        """Count the others of a block; every mate has been noted."""
        if not self.ordered:
            self.scores, self.ordered = np.sort(self.scores, axis=1), True  # NaN comes last
        (compiled_late(walk_reached) if self.compiled else count_reached)(
            block, owner, self.own, self.scores, self.seen, self.reached
        )

    def finish(self) -> FloatArray:
        """The average precision of each probe; NaN without mates."""
        if not self.ordered:
            self.scores = np.sort(self.scores, axis=1)
        ahead = np.cumsum(self.reached[:, ::-1], axis=1)[:, ::-1][:, 1:]  # others that reach mate j, in ascending order
        better = self.seen[:, None] - 1 - np.arange(self.scores.shape[1])[None, :]  # mates before it in the list
        share = np.where(better >= 0, (better + 1) / np.maximum(ahead + better + 1, 1), 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(self.mates > 0, share.sum(axis=1) / self.mates, np.nan))


@dataclass(frozen=True, slots=True, eq=False)
class Gallery:
    """Who owns each column: people are numbered from 0."""

    owner: IntArray
    templates: IntArray  # of each person

    @property
    def people(self) -> int:
        return int(self.templates.size)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What was counted of each probe, oriented. `kept` are the best others of the probes asked for, best first."""

    mate: FloatArray
    better: IntArray
    equal: IntArray
    top_other: FloatArray
    kept: FloatArray
    precision: FloatArray | None = None  # average precision over templates; NaN where it was not counted


class Fusion:
    """One score of several templates of a person, in parts that can be put together later.

    Parts are an array (p, rows, people): the extreme so far, or the sum and the number of scores behind a mean.
    """

    def __init__(self, how: str, rule: AcceptRule, *, compiled: bool = False) -> None:
        self.least = how == (
            "max" if rule is AcceptRule.DISTANCE else "min"
        )  # the extreme asked for is the least alike
        self.extreme = np.fmin if self.least else np.fmax  # both pass over NaN
        self.mean, self.compiled = how == "mean", compiled

    def start(self, scores: Array, first: IntArray) -> Array:
        """Parts of the people whose columns begin at `first`."""
        with np.errstate(invalid="ignore"):
            if self.mean:
                there = ~np.isnan(scores)
                total = np.add.reduceat(np.where(there, scores, 0.0).astype(np.float64), first, axis=1)
                return np.stack([total, np.add.reduceat(there.astype(np.float64), first, axis=1)])
            if first.size == scores.shape[1]:
                return scores[None]
            if not self.compiled:
                return np.asarray(self.extreme.reduceat(scores, first, axis=1))[None]
        fused = np.empty((1, scores.shape[0], first.size), dtype=scores.dtype)
        compiled_late(walk_people)(scores, np.append(first, scores.shape[1]), self.least, fused[0])
        return fused

    def merge(self, left: Array, right: Array) -> Array:
        """Two parts of the same people put together."""
        with np.errstate(invalid="ignore"):
            return np.asarray(left + right if self.mean else self.extreme(left, right))

    def finish(self, parts: Array) -> Array:
        """The scores; NaN where a person has none."""
        if not self.mean:
            return np.asarray(parts[0])
        with np.errstate(invalid="ignore"):  # 0 of 0 templates
            return np.asarray(parts[0] / parts[1])


@dataclass(slots=True, eq=False)
class _Tile:
    """Some probes on their way through the gallery."""

    rows: IntArray
    own: IntArray  # the person each probe is of
    to_come: NDArray[np.bool_]  # gallery columns
    waiting: set[int]  # mates still to be seen in full
    partial: dict[int, Array] = field(default_factory=dict)
    left: dict[int, int] = field(default_factory=dict)  # templates to come of people seen in part
    held: list[tuple[IntArray, Array]] = field(default_factory=list)
    precision: PrecisionCounter | None = None
    whole: list[tuple[IntArray, Array]] = field(default_factory=list)  # held for it: scores before they are fused


class SearchCounter:
    """Counts searches from blocks; `own` is the number of each probe's person in the gallery, or NOBODY."""

    def __init__(
        self,
        own: IntArray,
        gallery: Gallery,
        *,
        rule: AcceptRule,
        fusion: str = "best",
        keep: NDArray[np.bool_] | None = None,
        kept: int = 0,
        mate_scores: ArrayLike | None = None,
        own_cell: IntArray | None = None,
        compiled: bool | None = None,
        precision: bool = False,
    ) -> None:
        """`own_cell` is the column where each probe meets itself, which is no comparison; `compiled` says whether to
        count in compiled loops, where that is not to be judged by the number of scores; `precision` asks for the
        average precision of lists of templates, which needs the mates' own scores and not only their fused one."""
        if fusion not in FUSIONS:
            raise InputError(f"fusion is {fusion!r}; expected {', '.join(FUSIONS)}")
        self.own, self.gallery, self.rule = own, gallery, rule
        self.compiled = own.size * gallery.owner.size >= LIMITS.search_compiled_from if compiled is None else compiled
        self.by_template, self.fusion = fusion == "none", Fusion(fusion, rule, compiled=self.compiled)
        self.own_cell = own_cell
        self.mates_known = mate_scores is not None
        self.precision = precision and not self.mates_known
        self.average_precision = np.full(own.size, np.nan)
        self.mate = self._known_mates(mate_scores)
        self.better, self.equal = np.zeros((2, own.size), dtype=np.int64)
        self.top_other = np.full(own.size, np.nan)
        keep = np.zeros(own.size, bool) if keep is None else keep
        self.slot = np.where(keep, np.cumsum(keep) - 1, NOBODY)
        self.kept = np.full((int(keep.sum()), kept), np.nan)
        self.tile_of = np.full(own.size, NOBODY)
        self.tiles: list[_Tile | None] = []  # None once all columns have gone by
        self.lock = threading.Lock()  # blocks of different probes may come from different threads

    def add(self, rows: ArrayLike, columns: ArrayLike, scores: ArrayLike) -> None:
        """Take in the scores of some probes with some gallery templates."""
        probes, seen, block = self._checked(rows, columns, scores)
        if not probes.size:
            return
        with self.lock:
            tile = self._tile(probes)
        self._see(tile, seen)
        owner = self.gallery.owner[seen]
        if self.own_cell is not None:
            block = _without_cells(block, self.own_cell[probes], seen)
        if tile.precision is not None:
            tile.precision.note(owner, block)
            tile.whole.append((owner, block))
        people, fused = self._whole_people(tile, owner, block)
        if not self.mates_known:
            self._note_mates(tile, people, fused)
        tile.held.append((owner, block) if self.by_template else (people, fused))
        if not tile.waiting:
            for held in tile.held:
                self._count(tile, *held)
            tile.held.clear()
            if tile.precision is not None:
                for whole in tile.whole:
                    tile.precision.count(*whole)
                tile.whole.clear()
        if not tile.to_come.any():
            if tile.precision is not None:
                self.average_precision[tile.rows] = tile.precision.finish()
            self.tiles[int(self.tile_of[probes[0]])] = None

    def finish(self) -> Counted:
        """What was counted, once every probe has met the whole gallery."""
        columns = self.gallery.owner.size
        unmet = np.flatnonzero(self.tile_of == NOBODY)
        if unmet.size and columns:
            raise InputError(f"probe {unmet[0]:,} has met none of {columns:,} gallery templates; blocks are missing")
        for tile in filter(None, self.tiles):
            met = columns - int(tile.to_come.sum())
            raise InputError(
                f"probe {tile.rows[0]:,} has met {met:,} of {columns:,} gallery templates; blocks are missing"
            )
        return self.counted

    @property
    def counted(self) -> Counted:
        """What was counted so far: at first nothing of anybody."""
        return Counted(self.mate, self.better, self.equal, self.top_other, self.kept, self.average_precision)

    def _known_mates(self, mate_scores: ArrayLike | None) -> FloatArray:
        if mate_scores is None:
            return np.full(self.own.size, np.nan)
        mates = np.array(self.rule.orient(np.asarray(mate_scores, dtype=np.float64)))
        if mates.shape != self.own.shape:
            raise InputError(
                f"{mates.size:,} mate scores for {self.own.size:,} probes; expected one each, NaN for none"
            )
        return np.where(self.own == NOBODY, np.nan, mates)

    def _checked(self, rows: ArrayLike, columns: ArrayLike, scores: ArrayLike) -> tuple[IntArray, IntArray, Array]:
        probes, seen = np.asarray(rows, dtype=np.int64).ravel(), np.asarray(columns, dtype=np.int64).ravel()
        block = np.asarray(scores)
        if block.shape != (probes.size, seen.size):
            raise InputError(
                f"a block of {probes.size} probes and {seen.size} gallery templates has shape {block.shape}"
            )
        if block.dtype not in (np.float32, np.float64):
            block = block.astype(np.float64)
        for name, numbers, size in (("probe", probes, self.own.size), ("gallery", seen, self.gallery.owner.size)):
            if numbers.size and (numbers.min() < 0 or numbers.max() >= size):
                raise InputError(f"a block has {name} row {numbers.max():,} of {size:,}; expected 0 to {size - 1:,}")
        return probes, seen, self.rule.orient(block)

    def _tile(self, rows: IntArray) -> _Tile:
        known = np.unique(self.tile_of[rows])
        if known.size == 1 and known[0] == NOBODY:
            own = self.own[rows]
            waiting = set() if self.mates_known else set(own[own != NOBODY].tolist())
            self.tile_of[rows] = len(self.tiles)
            tile = _Tile(rows, own, np.ones(self.gallery.owner.size, bool), waiting)
            tile.precision = self._precision(own) if self.precision else None
            self.tiles.append(tile)
        elif known.size != 1 or not self._same_rows(int(known[0]), rows):
            raise InputError(
                "blocks overlap in their probes; give all blocks of a group of probes with the same probes, in the "
                "same order, and each cell once"
            )
        known_tile = self.tiles[int(self.tile_of[rows[0]])]
        assert known_tile is not None
        return known_tile

    def _precision(self, own: IntArray) -> PrecisionCounter:
        templates = self.gallery.templates[own] if self.gallery.people else np.zeros(own.size, dtype=np.int64)
        mates = np.where(own == NOBODY, 0, templates - (self.own_cell is not None))
        return PrecisionCounter(own, mates, compiled=self.compiled)

    def _same_rows(self, number: int, rows: IntArray) -> bool:
        tile = self.tiles[number] if number != NOBODY else None
        return tile is not None and np.array_equal(tile.rows, rows)

    def _see(self, tile: _Tile, columns: IntArray) -> None:
        twice = not (np.diff(columns) > 0).all() and np.unique(columns).size < columns.size
        if twice or not tile.to_come[columns].all():
            raise InputError(f"probe {tile.rows[0]:,} meets a gallery template twice; give each cell once")
        tile.to_come[columns] = False

    def _whole_people(self, tile: _Tile, owner: IntArray, block: Array) -> tuple[IntArray, Array]:
        """The fused scores of the people of whom the last template came with this block."""
        if (self.gallery.templates[owner] == 1).all():
            return owner, block
        if (np.diff(owner) < 0).any():
            order = np.argsort(owner, kind="stable")
            owner, block = owner[order], block[:, order]
        people, first, here = np.unique(owner, return_index=True, return_counts=True)
        if not people.size:
            return people, block
        parts = self.fusion.start(block, first)
        whole = here == self.gallery.templates[people]
        if whole.all():
            return people, self.fusion.finish(parts)
        ended = [column for column in np.flatnonzero(~whole) if self._add_part(tile, people, here, parts, int(column))]
        late = [tile.partial.pop(int(people[column])) for column in ended]
        together = np.concatenate([parts[:, :, whole], *(part[:, :, None] for part in late)], axis=2)
        return np.concatenate([people[whole], people[ended]]), self.fusion.finish(together)

    def _add_part(self, tile: _Tile, people: IntArray, here: IntArray, parts: Array, column: int) -> bool:
        """Add what a block holds of a person seen in part; True when that was the last of it."""
        person, part = int(people[column]), parts[:, :, column]
        before = tile.partial.get(person)
        tile.partial[person] = part.copy() if before is None else self.fusion.merge(before, part)
        tile.left[person] = tile.left.get(person, int(self.gallery.templates[person])) - int(here[column])
        return tile.left[person] == 0

    def _note_mates(self, tile: _Tile, people: IntArray, fused: Array) -> None:
        if not people.size:
            return
        order = np.argsort(people)
        column = order[np.minimum(np.searchsorted(people, tile.own, sorter=order), people.size - 1)]
        row = np.flatnonzero(people[column] == tile.own)
        self.mate[tile.rows[row]] = fused[row, column[row]]
        waiting = np.fromiter(tile.waiting, dtype=np.int64, count=len(tile.waiting))
        tile.waiting.difference_update(waiting[np.isin(waiting, people)].tolist())

    def _count(self, tile: _Tile, owner: IntArray, scores: Array) -> None:
        if not owner.size:
            return
        rows, slot = tile.rows, self.slot[tile.rows]
        counts = self.better[rows], self.equal[rows], self.top_other[rows]
        count = compiled_late(walk) if self.compiled else count_plain
        count(scores, owner, tile.own, self.mate[rows], counts, slot, self.kept)
        self.better[rows], self.equal[rows], self.top_other[rows] = counts


def _without_cells(block: Array, cell: IntArray, columns: IntArray) -> Array:
    """The block with NaN where a row meets its cell."""
    rows = np.flatnonzero(np.isin(cell, columns))
    if not rows.size:
        return block
    cleared, order = block.copy(), np.argsort(columns)
    cleared[rows, order[np.searchsorted(columns, cell[rows], sorter=order)]] = np.nan
    return cleared
