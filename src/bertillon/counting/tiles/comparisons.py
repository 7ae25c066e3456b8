"""Comparisons counted while they are made: templates to exact rates without ever holding the scores.

The mated comparisons come first, since they are few and say where the non-mated ones must be told apart (see `cells`);
then the others pass through in tiles, a job for any engine. A symmetric matcher in all-against-all makes each pair once
and counts it twice.

Conventions: a piece is a tile or, where there are very many, a square of tiles; pieces are numbered row by row. Where
both orders of a pair count and give the same score, tiles left of the diagonal are not made: those right of it count
twice. Some comparisons are kept with their people (see `people`). What is counted and kept is the same in whichever
order and wherever the pieces are done. Where groups of people are told apart, templates stand in the order of their
groups and no tile lies across a border, so that each belongs to one pair of groups and is counted like any other.

Holds `count_comparisons` and `count_and_visit`, which shows every tile to somebody else too; the `TileJob` they run,
`TileCounts`, `Visit` and `Borders`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.error_counts import IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.tally import CountedScores
from bertillon.counting.tiles.cells import CellCounter, Grid
from bertillon.counting.tiles.groups import PairCells, pairs_of, require_room
from bertillon.counting.tiles.people import ComparedPeople, Keeping, Kept, KeptByPiece, each_pair_once, people_of
from bertillon.engine.jobs import (
    RUNNING,
    TILE,
    Checkpoint,
    Progress,
    Running,
    Tile,
    digest_of,
    pieces,
    pieces_between,
    run_job,
)
from bertillon.engine.workers import single_blas_thread
from bertillon.matching.base import Matcher, Prepared, digest_of_sides
from bertillon.matching.comparing import Comparing
from bertillon.matching.groups import GroupsLike, groups_from
from bertillon.matching.protocol.pairing import AllAgainstAll, PairList

LAYOUT = "2"  # of the arrays in a checkpoint: another one cannot be gone on with
MATED_CELLS = 1 << 12  # in a block of several people


class Visit(Protocol):
    """Somebody who looks at the tiles that one worker counts."""

    def add(self, block: NDArray[Any], tile: Tile) -> None:
        """Look at the scores of a tile, those beyond their ends put there."""

    def merge(self, other: Any) -> None:
        """Add what another worker's visit found."""


Visited = TypeVar("Visited", bound=Visit)


@RUNNING
def count_comparisons(
    comparing: Comparing,
    thresholds: Sequence[float] = (),
    *,
    groups: GroupsLike | None = None,
    tile: int = TILE,
    **running: Unpack[Running],
) -> CountedScores:
    """Make every comparison of the protocol and count it; `thresholds` are those at which rates will be asked for.

    With `groups` (the group of each person, or of each template) non-mated comparisons are also counted by pairs of
    groups, in the same pass. The tiles are done by `engine`, the threads of this machine where none is named. What is
    finished is kept in the folder `checkpoint`, and a run that was cut off goes on from there.
    """
    return _counted(comparing, thresholds, groups, tile, running)[0]


def count_and_visit(
    comparing: Comparing,
    thresholds: Sequence[float],
    visits: Callable[[], Visited],
    *,
    tile: int = TILE,
    progress: Progress | None = None,
) -> tuple[CountedScores, Visited]:
    """The same, every tile shown to a visit of the worker who made it; and what all visits found together."""
    running: Running = {"progress": progress, "engine": None, "checkpoint": None}
    return _counted(comparing, thresholds, None, tile, running, visits)


def _counted(
    comparing: Comparing,
    thresholds: Sequence[float],
    groups: GroupsLike | None,
    tile: int,
    running: Running,
    visits: Callable[[], Visit] | None = None,
) -> tuple[CountedScores, Any]:
    if comparing.pairing.multiple or isinstance(comparing.pairing, PairList):
        raise InputError("only single templates, all against all or probes against a gallery, are counted in tiles")
    coded = None if groups is None else _group_codes(comparing, groups)
    with single_blas_thread():  # the products are small
        mated, owner = _mated_scores(comparing)
        keeping = Keeping.of(comparing, _made(comparing), parts=1 if coded is None else pairs_of(coded[0].size))
    known, owner = mated[~np.isnan(mated)], owner[~np.isnan(mated)]
    grid = Grid.around(known, comparing.rule, thresholds=thresholds, keep_from=keeping.above)
    if coded is not None:
        require_room(grid, coded[1].size, coded[0].size)
    job = TileJob.of(comparing, grid, keeping, tile=tile, groups=None if coded is None else coded[1])
    job = replace(job, visits=visits)
    folder = running["checkpoint"]
    kept = Checkpoint(folder, "comparisons", job.identity) if folder is not None else None
    counted = run_job(job, "comparing", engine=running["engine"], progress=running["progress"], checkpoint=kept)
    people = _people(comparing, owner, counted, keeping)
    how = say("protocol.tiles", tile=tile)
    scores = CountedScores(
        tally=counted.together().tally(known, mated.size - known.size),
        mated=known,
        sample=counted.sample,
        thresholds=tuple(thresholds),
        name=comparing.name,
        notes=(*comparing.words, how, people.note),
        warnings=kept.warnings if kept else (),
        tile=tile,
        people=people,
        groups=None if coded is None else counted.pairs.finished(coded[0].tolist(), coded[1]),
    )
    return scores, counted.visit


def _group_codes(comparing: Comparing, groups: GroupsLike) -> tuple[NDArray[np.str_], IntArray]:
    """The names of the groups, and the group of each person by number.

    Templates are put in the order of their groups, which must not change what is compared with what.
    """
    if each_pair_once(comparing.pairing) and not comparing.matcher.symmetric:
        raise InputError(
            f"{comparing.matcher.name} does not give the same score both ways, and each pair is to be compared one "
            "way only, that of the templates' order; groups put them in another: compare both ways, or keep the scores"
        )
    return np.unique(groups_from(groups, comparing.templates).of(people_of(comparing)), return_inverse=True)


def _made(comparing: Comparing) -> int:
    """How many non-mated comparisons are made; those that are the same both ways are made once."""
    both_ways = is_triangle(comparing) and not each_pair_once(comparing.pairing)
    return comparing.counts.nonmated // (2 if both_ways else 1)


def _people(comparing: Comparing, mated: NDArray[Any], counted: TileCounts, keeping: Keeping) -> ComparedPeople:
    others = counted.highest.whole(), counted.drawn.whole(), counted.pairs.failed_with.sum(axis=0)
    times = comparing.counts.nonmated // max(_made(comparing), 1)
    return ComparedPeople.of(comparing, mated, others=others, keeping=keeping, times=max(times, 1))


def _mated_scores(comparing: Comparing) -> tuple[NDArray[Any], NDArray[Any]]:
    """The scores of everybody with themselves, person after person, and whose (by number); NaN is a failed one."""
    rows, columns = comparing.pairs.rows, comparing.pairs.columns
    people = np.intersect1d(rows, columns)
    (down_by, tops), (across_by, lefts) = (_by_person(owners, people) for owners in (rows, columns))
    one_side = comparing.probes is comparing.gallery and np.array_equal(down_by, across_by)
    scores, owner = [np.empty(0, dtype=comparing.probes.dtype)], [np.empty(0, dtype=np.int64)]
    for first, last in _groups(np.diff(tops) * np.diff(lefts), together=not comparing.matcher.threaded):
        down, across = down_by[tops[first] : tops[last]], across_by[lefts[first] : lefts[last]]
        some = comparing.probes.take(down)
        block = comparing.matcher.block(some, some if one_side else comparing.gallery.take(across))
        own = (rows[down][:, None] == columns[across]) & ~comparing.pairing.ignored(down, across)
        scores.append(block[own])
        owner.append(rows[down].repeat(own.sum(axis=1)))
    return np.concatenate(scores), np.concatenate(owner)


def _by_person(owners: IntArray, people: IntArray) -> tuple[IntArray, IntArray]:
    """The templates of these people, person after person, and where each person's begin and the last one's end."""
    order = np.argsort(owners, kind="stable")
    order = order[np.isin(owners[order], people)]
    return order, np.append(np.searchsorted(owners[order], people), order.size)


def _groups(cells: NDArray[np.int64], *, together: bool) -> Iterator[tuple[int, int]]:
    """People whose templates are compared in one block, as ranges.

    One product of a few dozen templates costs no more than one of two or three, so matchers that rest on products take
    several people `together` and throw away what is not mated; to the others every comparison is dear.
    """
    first, sides = 0, np.sqrt(cells)
    while first < cells.size:
        last, side = first + 1, float(sides[first])
        while together and last < cells.size and (side + sides[last]) ** 2 <= MATED_CELLS:
            side += float(sides[last])
            last += 1
        yield first, last
        first = last


class TileCounts:
    """Cells of each pair of groups over some pieces, and who stood behind some of the comparisons.

    Where nobody asked for groups all people are in one.
    """

    def __init__(self, grid: Grid, people: int, groups: int = 1, visit: Visit | None = None) -> None:
        self.grid, self.visit = grid, visit
        self.pairs = PairCells(grid, people, groups)
        self.highest, self.drawn = KeptByPiece(grid.dtype), KeptByPiece(grid.dtype)

    def merge(self, other: TileCounts) -> None:
        """Add what another worker counted."""
        self.pairs.merge(other.pairs)
        self.highest.parts |= other.highest.parts
        self.drawn.parts |= other.drawn.parts
        if self.visit is not None:
            self.visit.merge(other.visit)

    def together(self) -> CellCounter:
        """The cells of all pairs added up."""
        total = CellCounter(self.grid)
        for counter in self.pairs.counters.values():
            total.merge(counter)
        return total

    @property
    def sample(self) -> NDArray[Any]:
        """Some scores from everywhere, in the order of the pieces."""
        scores = (self.drawn if self.grid.keep_from > -np.inf else self.highest).whole().score
        return scores[:: max(1, -(-scores.size // LIMITS.tiles.drawn_scores))].copy()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        return {**self.highest.to_arrays("highest"), **self.drawn.to_arrays("drawn"), **self.pairs.to_arrays()}


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
        return _group_at(self.rows, tile.rows.start), _group_at(self.columns, tile.columns.start)


def _group_at(borders: tuple[int, ...], start: int) -> int:
    return int(np.searchsorted(borders, start, side="right")) - 1


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
    visits: Callable[[], Visit] | None = None  # on this machine, and where nothing is kept on disk

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
            "layout": LAYOUT,
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
        groups = self.borders.groups if self.borders is not None else 1
        return TileCounts(self.grid, self.people, groups, None if self.visits is None else self.visits())

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> TileCounts:
        """What a file kept."""
        made = self.begin()
        made.pairs.fill(arrays)
        made.highest.fill(arrays, "highest")
        made.drawn.fill(arrays, "drawn")
        return made

    def do(self, result: TileCounts, piece: int) -> None:
        """Make the comparisons of a piece, count them all and keep some."""
        highest, drawn, counter = list[Kept](), list[Kept](), result.pairs.counter(*self._groups_of(self.pieces[piece]))
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
            if result.visit is not None:
                result.visit.add(block, tile)
        result.highest.parts[piece] = Kept.joined(highest, self.grid.dtype)
        result.drawn.parts[piece] = Kept.joined(drawn, self.grid.dtype)

    def _groups_of(self, tile: Tile) -> tuple[int, int]:
        """The groups of a tile's rows and of its columns."""
        return (0, 0) if self.borders is None else self.borders.pair_of(tile)

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
        from bertillon.counting.cell_kernels import pick_others

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
        of_columns, of_rows = (result.pairs.failed_with[group] for group in self._groups_of(tile))  # whom they met
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
