"""The first pass over a stream: every score counted once.

Holds `first_pass`, what it finds (`FirstPass` with a `ClassCount` for each class), and `KeyCollector`, what may
be asked to keep some of the scores on the way (`keeping.Keeper`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.limits import LIMITS
from bertillon.counting.moments import NO_SCORES, Moments
from bertillon.counting.scores import Failures, Streamed
from bertillon.counting.streams.bins import Bins, BinTable
from bertillon.counting.streams.walk import Block, SourceCount, Walk
from bertillon.engine.jobs import Progress

Visit = Callable[[Block], Any]


class KeyCollector(Protocol):
    """KeyCollector what it chooses of the scores on the way."""

    def gather(self, block: Block) -> Any:
        """What is to be kept of a block; called on several threads."""

    def take(self, gathered: list[tuple[Block, Any]], bins: Callable[[], tuple[Bins, Bins]]) -> None:
        """What was gathered in a round, and the bins of all scores of both classes that were read until then."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassCount:
    """What was counted of one class."""

    bins: Bins
    moments: Moments
    kept: NDArray[Any] | None  # all scores in their order, where they are few
    visited: tuple[Any, ...]  # what was found in each block, in order


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """What is known of a stream that was walked once."""

    mated: ClassCount
    nonmated: ClassCount
    dtype: np.dtype[Any]
    failures: Failures
    sources: tuple[SourceCount, ...]
    total: SourceCount

    def scores(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """All mated and all non-mated scores, where they are few enough to be kept."""
        mated, nonmated = self.mated.kept, self.nonmated.kept
        if mated is None or nonmated is None or mated.size + nonmated.size > LIMITS.kept_scores:
            return None
        # one without scores has no type
        return mated.astype(self.dtype, copy=False), nonmated.astype(self.dtype, copy=False)


def first_pass(
    stream: Streamed,
    *,
    visit: Visit | None = None,
    keeping: KeyCollector | None = None,
    each: bool = False,
    progress: Progress | None = None,
) -> FirstPass:
    """Walk a stream once; `visit` sees every block, on some thread.

    Few scores are kept as they are; with `each` also those of one class that are few, whatever the other has.
    """
    walk = Walk(stream, progress=progress)
    tables = _Tables(stream.rule.factor)
    classes = {mated: _Class() for mated in (True, False)}

    def count(block: Block) -> tuple[Moments, Any, Any]:
        from bertillon.counting.kernels import block_moments

        tables.add(block)
        gathered = keeping.gather(block) if keeping else None
        return Moments(*block_moments(block.scores)), visit(block) if visit else None, gathered

    for counted in walk.rounds(count, ahead=keeping is None):  # what is kept depends on the bins of whole rounds
        for block, (moments, visited, _) in counted:
            classes[block.mated].add(block, moments, visited)
        if not each and sum(scores.moments.n for scores in classes.values()) > LIMITS.kept_scores:
            classes[True].kept = classes[False].kept = None
        if keeping:
            keeping.take([(block, gathered) for block, (_, _, gathered) in counted], lambda: tables.bins(walk.waiting))
    mated, nonmated = tables.bins()
    return FirstPass(
        mated=classes[True].counted(mated),
        nonmated=classes[False].counted(nonmated),
        dtype=walk.dtype or np.dtype(np.float64),
        failures=walk.failures,
        sources=tuple(walk.sources.values()),
        total=walk.total,
    )


class _Class:
    """One class of scores as it is counted."""

    def __init__(self) -> None:
        self.moments = NO_SCORES
        self.visited: list[Any] = []
        self.kept: list[NDArray[Any]] | None = []

    def add(self, block: Block, moments: Moments, visited: Any) -> None:
        self.moments = self.moments.merge(moments)
        self.visited.append(visited)
        if self.kept is not None:
            self.kept.append(block.scores)
        if self.moments.n > LIMITS.kept_scores:
            self.kept = None

    def counted(self, bins: Bins) -> ClassCount:
        kept = None if self.kept is None else np.concatenate(self.kept) if self.kept else np.empty(0)
        return ClassCount(bins, self.moments, kept, tuple(self.visited))


class _Tables:
    """A table of bins for each class and each worker, made when it is first needed."""

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self._free: dict[bool, SimpleQueue[BinTable]] = {mated: SimpleQueue() for mated in (True, False)}
        self._all: dict[bool, list[BinTable]] = {mated: [] for mated in (True, False)}

    def add(self, block: Block) -> None:
        try:
            table = self._free[block.mated].get_nowait()
        except Empty:
            table = BinTable(block.scores.dtype)
            self._all[block.mated].append(table)
        table.add(block.scores, self._sign)
        self._free[block.mated].put(table)

    def bins(self, waiting: Sequence[Block] = ()) -> tuple[Bins, Bins]:
        """Filled bins, mated and non-mated, with those of blocks that wait to be counted.

        A class of fewer scores than a block waits until the end; where answers lie is not known without it.
        """
        tables = self._all
        if waiting:
            others = _Tables(self._sign)
            for block in waiting:
                others.add(block)
            tables = {kind: [*self._all[kind], *others._all[kind]] for kind in (True, False)}
        mated, nonmated = (Bins.merged([table.bins for table in tables[kind]]) for kind in (True, False))
        return mated, nonmated
