"""Comparisons counted while they are made: templates to exact rates without ever holding the scores.

The mated comparisons come first, since they are few and say where the non-mated ones must be told apart (see `cells`);
then the others pass through in tiles. A symmetric matcher in all-against-all makes each pair once and counts it twice.

Holds `count_comparisons`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.error_counts import IntArray
from bertillon.counting.tiles.cells import Grid
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.counting.tiles.group_cells import pairs_of, require_room
from bertillon.counting.tiles.keeping import Keeping
from bertillon.counting.tiles.people import ComparedPeople, each_pair_once, people_of
from bertillon.counting.tiles.tile_job import TileCounts, TileJob, is_triangle
from bertillon.engine.checkpoint import Checkpoint
from bertillon.engine.jobs import TILE, Engine, Progress, run_job
from bertillon.engine.workers import single_blas_thread
from bertillon.matching.comparing import Comparing
from bertillon.matching.groups import GroupsLike, groups_from
from bertillon.matching.protocol.pair_list import PairList

MATED_CELLS = 1 << 12  # in a block of several people


def count_comparisons(
    comparing: Comparing,
    thresholds: Sequence[float] = (),
    *,
    groups: GroupsLike | None = None,
    tile: int = TILE,
    engine: Engine | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> CountedScores:
    """Make every comparison of the protocol and count it; `thresholds` are those at which rates will be asked for.

    With `groups` (the group of each person, or of each template) non-mated comparisons are also counted by pairs of
    groups, in the same pass. The tiles are done by `engine`, the threads of this machine where none is named. What is
    finished is kept in the folder `checkpoint`, and a run that was cut off goes on from there.
    """
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
    kept = Checkpoint(checkpoint, "comparisons", job.identity) if checkpoint is not None else None
    counted = run_job(job, "comparing", engine=engine, progress=progress, checkpoint=kept).added_up()
    people = _people(comparing, owner, counted, keeping)
    how = say("protocol.tiles", tile=tile)
    return CountedScores(
        tally=counted.tally(known, mated.size - known.size),
        mated=known,
        sample=counted.sample,
        thresholds=tuple(thresholds),
        name=comparing.name,
        notes=(*comparing.words, how, people.note),
        warnings=kept.warnings if kept else (),
        tile=tile,
        people=people,
        groups=counted.pairs.finished(coded[0].tolist(), coded[1]) if coded is not None and counted.pairs else None,
    )


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
    others = counted.highest.whole(), counted.drawn.whole(), counted.failed_of
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
