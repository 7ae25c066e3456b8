"""Comparisons counted while they are made: templates to exact rates without ever holding the scores.

The mated comparisons come first, since they are few and say where the non-mated ones must be told apart (see `cells`);
then the others pass through in tiles. A symmetric matcher in all-against-all makes each pair once and counts it twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counts.cells import CellCounter, Grid
from bertillon.counts.tally import Tally
from bertillon.engine.progress import Progress, Silent
from bertillon.engine.tiling import TILE, tiles
from bertillon.engine.workers import each_on_its_own, one_thread_of_algebra
from bertillon.errors import InputError
from bertillon.protocol.pair_list import PairList
from bertillon.protocol.pairing import AllAgainstAll
from bertillon.rule import AcceptRule
from bertillon.trials.comparing import Comparing
from bertillon.trials.score_set import Failures

MATED_CELLS = 1 << 12  # in a block of several people
SAMPLE = 100_000  # non-mated scores kept for drawing their distribution


@dataclass(frozen=True, slots=True, eq=False)
class CountedScores:
    """What is left of comparisons that were counted and not kept: a tally, the mated scores, a sample of the others."""

    tally: Tally
    mated: NDArray[Any]
    sample: NDArray[Any]  # of the non-mated scores, spread over all tiles
    thresholds: tuple[float, ...]  # asked for before counting; only these are exact between mated scores
    name: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def rule(self) -> AcceptRule:
        return self.tally.rule

    @property
    def failures(self) -> Failures:
        return self.tally.failures

    def with_enrolments(self, failed: int, attempted: int) -> CountedScores:
        """The same counts, and how many people could not be enrolled."""
        failures = replace(self.failures, enrolments=failed, enrolment_attempts=attempted)
        return replace(self, tally=replace(self.tally, failures=failures))


def count_comparisons(
    comparing: Comparing, thresholds: Sequence[float] = (), *, tile: int = TILE, progress: Progress | None = None
) -> CountedScores:
    """Make every comparison of the protocol and count it; `thresholds` are those at which rates will be asked for."""
    if comparing.pairing.multiple or isinstance(comparing.pairing, PairList):
        raise InputError("only single templates, all against all or probes against a gallery, are counted in tiles")
    with one_thread_of_algebra():  # the products are small
        mated = _mated_scores(comparing)
    known = mated[~np.isnan(mated)]
    counter = CellCounter(Grid.around(known, comparing.rule, thresholds=thresholds))
    sample = _count_others(comparing, counter, tile, progress or Silent())
    return CountedScores(
        counter.tally(known, mated.size - known.size),
        known,
        sample,
        tuple(thresholds),
        comparing.name,
        (*comparing.words, f"Counted in tiles of {tile} x {tile}; thresholds are mated scores or steps between them."),
    )


def _mated_scores(comparing: Comparing) -> NDArray[Any]:
    """The scores of everybody with themselves, person after person; NaN is a failed comparison."""
    rows, columns = comparing.pairs.rows, comparing.pairs.columns
    row_order, column_order = np.argsort(rows, kind="stable"), np.argsort(columns, kind="stable")
    people = np.intersect1d(rows, columns)
    (top, bottom), (left, right) = (
        (np.searchsorted(owners[order], people, "left"), np.searchsorted(owners[order], people, "right"))
        for owners, order in ((rows, row_order), (columns, column_order))
    )
    found = [np.empty(0, dtype=comparing.probes.dtype)]
    for first, last in _groups((bottom - top) * (right - left), together=not comparing.matcher.threaded):
        down = np.concatenate([row_order[top[i] : bottom[i]] for i in range(first, last)])
        across = np.concatenate([column_order[left[i] : right[i]] for i in range(first, last)])
        block = comparing.matcher.block(comparing.probes.take(down), comparing.gallery.take(across))
        own = rows[down][:, None] == columns[across][None, :]
        found.append(block[own & ~comparing.pairing.ignored(down, across)])
    return np.concatenate(found)


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


def _count_others(comparing: Comparing, counter: CellCounter, size: int, progress: Progress) -> NDArray[Any]:
    """Count the non-mated comparisons tile by tile; what is returned is a sample of them.

    Where both orders of a pair count and give the same score, tiles left of the diagonal are not made: those right
    of it count twice.
    """
    once = isinstance(comparing.pairing, AllAgainstAll) and comparing.pairing.unique
    triangle = isinstance(comparing.pairing, AllAgainstAll) and (once or comparing.matcher.symmetric)
    work = list(tiles(comparing.rows.size, comparing.columns.size, size=size, triangle=triangle))
    progress.begin(sum(tile.size for tile in work), "comparing")
    share = max(1, SAMPLE // max(1, len(work)))
    sample: list[NDArray[Any]] = [np.empty(0, dtype=comparing.probes.dtype)] * len(work)

    def count(worker: CellCounter, place: int) -> None:
        tile = work[place]
        block = comparing.matcher.block(comparing.probes[tile.rows], comparing.gallery[tile.columns])
        owners = comparing.pairs.rows[tile.rows], comparing.pairs.columns[tile.columns]
        if once and tile.on_diagonal:
            _count_half(worker, block, *owners, place)
        else:
            worker.add(block, *owners, twice=triangle and not once and not tile.on_diagonal, place=place)
        sample[place] = _sampled(block, *owners, share)
        progress.advance(tile.size)

    for worker in each_on_its_own(count, len(work), lambda: CellCounter(counter.grid)):
        counter.merge(worker)
    return np.concatenate(sample)


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
