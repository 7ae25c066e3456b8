"""One pass over a stream: batches of any size in, blocks of one class and one size out; the first counts every score.

Blocks are cut after every 2**20 scores of a class, wherever batches end, so nothing that is added up block by block
depends on the batches, and it is added in the order in which a set in memory would add it. What came from where is
counted on the way, with a hash of it that does not depend on its order.

Holds `Walk`, `Block` and `SourceCount`; `first_pass` and what it finds, `FirstPass` with a `ClassCount` for each
class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.counting.error_counts import Failures, Scores, Streamed
from bertillon.counting.keys import bits_of, fingerprint_text, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.streams.spans import Bins, BinTable
from bertillon.counting.tally import NO_SCORES, Moments
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.engine.workers import available_cores

if TYPE_CHECKING:
    from bertillon.counting.streams.score_counts import Keeper

Found = TypeVar("Found")

ROUND = 4  # blocks worked on before the next are cut


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Scores of one class."""

    mated: bool
    scores: NDArray[Any]


Visit = Callable[[Block], Any]


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What one source gave: how many scores of each class, how many failed, and sums of their scrambled keys."""

    name: str = ""
    mated: int = 0
    nonmated: int = 0
    failed_mated: int = 0
    failed_nonmated: int = 0
    mated_mix: int = 0
    nonmated_mix: int = 0

    @classmethod
    def together(cls, sources: Iterable[SourceCount], name: str = "") -> SourceCount:
        """All sources as one.

        >>> together = SourceCount.together([SourceCount("monday", 1, 2), SourceCount("tuesday", 3, 4)])
        >>> together.name, together.mated, together.nonmated
        ('', 4, 6)
        """
        whole = cls(name)
        for source in sources:
            whole = whole.plus(source)
        return whole

    def plus(self, other: SourceCount) -> SourceCount:
        """Both together, under the first one's name."""
        numbers = ("mated", "nonmated", "failed_mated", "failed_nonmated", "mated_mix", "nonmated_mix")
        return SourceCount(self.name, *((getattr(self, name) + getattr(other, name)) % 2**64 for name in numbers))

    @property
    def scores(self) -> int:
        """Scores of both classes."""
        return self.mated + self.nonmated

    @property
    def fingerprint(self) -> str:
        """A short name for the scores, the same as that of a set in memory."""
        return fingerprint_text((self.mated_mix, self.mated), (self.nonmated_mix, self.nonmated))


class Walk:
    """One pass over a stream; what it counted is complete when the pass is over."""

    def __init__(
        self,
        stream: Streamed,
        *,
        number: int = 1,
        dtype: np.dtype[Any] | None = None,
        expected: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.stream, self.dtype = stream, dtype
        self._expected = stream.expected if expected is None else expected
        self.sources: dict[str, SourceCount] = {}
        self._cutters = {True: _Cutter(), False: _Cutter()}
        self._unworked: list[Block] = []
        self._what = "counting" if number == 1 else "recounting"
        self._progress = progress or NoProgress()

    @property
    def total(self) -> SourceCount:
        """All sources together."""
        return SourceCount.together(self.sources.values(), self.stream.name)

    @property
    def failures(self) -> Failures:
        """Failed comparisons of the batches, besides those the stream knew of."""
        known, total = self.stream.failures, self.total
        return replace(known, mated=known.mated + total.failed_mated, nonmated=known.nonmated + total.failed_nonmated)

    @property
    def waiting(self) -> list[Block]:
        """Scores that were read and are not yet worked on when a round is looked at (without `ahead`)."""
        held = [Block(mated, part) for mated, cutter in self._cutters.items() for part in cutter.rest()]
        return [*self._unworked, *held]

    def rounds(self, work: Callable[[Block], Found], *, ahead: bool = True) -> Iterator[list[tuple[Block, Found]]]:
        """What the work finds in each block, in order; a round is as many blocks whatever the number of cores.

        While a round is worked on the next is read, and with `ahead` already worked on while this one is looked at.
        """
        begun: list[tuple[Block, Future[Found]]] = []
        with ThreadPoolExecutor(available_cores()) as pool:
            for blocks in self._in_rounds():
                results = [(block, future.result()) for block, future in begun]
                if not ahead and results:
                    self._unworked = blocks
                    yield results
                begun = [(block, pool.submit(work, block)) for block in blocks]
                if ahead and results:
                    yield results
            if begun:
                self._unworked = []
                yield [(block, future.result()) for block, future in begun]

    def _in_rounds(self) -> Iterator[list[Block]]:
        waiting: list[Block] = []
        for block in self._blocks():
            waiting.append(block)
            if len(waiting) == ROUND:
                yield waiting
                waiting = []
        if waiting:
            yield waiting

    def _blocks(self) -> Iterator[Block]:
        self._progress.begin(self._expected or 0, self._what)
        for batch in self.stream:
            self._count(batch)
            for mated, scores in ((True, batch.mated), (False, batch.nonmated)):
                if scores.size:
                    yield from (Block(mated, part) for part in self._cutters[mated].add(self._typed(scores)))
            self._progress.advance(batch.size)
        ends = [Block(mated, part) for mated, cutter in self._cutters.items() for part in cutter.rest()]
        self._cutters = {}
        yield from ends

    def _typed(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Scores in the type of the first ones that came."""
        if self.dtype is None:
            self.dtype = scores.dtype
        if scores.dtype.itemsize > self.dtype.itemsize:
            raise InputError(
                f"{self.stream.name or 'the stream'}: a batch of {scores.dtype} scores after batches of {self.dtype}; "
                f"expected one type throughout: give {scores.dtype} from the first batch on"
            )
        return np.ascontiguousarray(scores, dtype=self.dtype)

    def _count(self, batch: Scores) -> None:
        mixes = (_mixed(self._typed(scores)) if scores.size else 0 for scores in (batch.mated, batch.nonmated))
        failed = batch.failures
        here = SourceCount(batch.name, batch.mated.size, batch.nonmated.size, failed.mated, failed.nonmated, *mixes)
        before = self.sources.get(batch.name)
        self.sources[batch.name] = before.plus(here) if before else here


class _Cutter:
    """Arrays of any size to blocks of one size, copied, since whoever gave them may use the memory again."""

    def __init__(self) -> None:
        self._block: NDArray[Any] = np.empty(0)
        self._held = 0

    def add(self, scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
        """The blocks these scores fill."""
        size = LIMITS.memory.block_scores
        while scores.size:
            if not self._held:
                self._block = np.empty(size, dtype=scores.dtype)
            taken = min(scores.size, size - self._held)
            self._block[self._held : self._held + taken] = scores[:taken]
            self._held += taken
            scores = scores[taken:]
            if self._held == size:
                self._held = 0
                yield self._block

    def rest(self) -> Iterator[NDArray[Any]]:
        """What is left at the end."""
        if self._held:
            yield self._block[: self._held]


def _mixed(scores: NDArray[Any]) -> int:
    from bertillon.counting.kernels import mix_keys

    return int(mix_keys(bits_of(scores), lowest(scores.dtype), 1))


class ClassCount:
    """What was counted of one class."""

    def __init__(self) -> None:
        self.bins, self.moments = Bins.merged([]), NO_SCORES
        self.visited: list[Any] = []  # what was found in each block, in order
        self.kept: NDArray[Any] | None = None  # all scores in their order, where they are few
        self.blocks: list[NDArray[Any]] | None = []  # until the pass is over

    def add(self, block: Block, moments: Moments, visited: Any) -> None:
        """One block more."""
        self.moments = self.moments.merge(moments)
        self.visited.append(visited)
        if self.blocks is not None:
            self.blocks.append(block.scores)
        if self.moments.n > LIMITS.streams.kept_scores:
            self.blocks = None

    def finish(self, bins: Bins) -> ClassCount:
        """The pass is over, and these are the bins of all scores."""
        self.bins = bins
        if self.blocks is not None:
            self.kept, self.blocks = np.concatenate(self.blocks) if self.blocks else np.empty(0), None
        return self


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
        if mated is None or nonmated is None or mated.size + nonmated.size > LIMITS.streams.kept_scores:
            return None
        # one without scores has no type
        return mated.astype(self.dtype, copy=False), nonmated.astype(self.dtype, copy=False)


def first_pass(
    stream: Streamed,
    *,
    visit: Visit | None = None,
    keeping: Keeper | None = None,
    each: bool = False,
    progress: Progress | None = None,
) -> FirstPass:
    """Walk a stream once; `visit` sees every block, on some thread.

    Few scores are kept as they are; with `each` also those of one class that are few, whatever the other has.
    """
    walk = Walk(stream, progress=progress)
    tables = _Tables(stream.rule.factor)
    classes = {mated: ClassCount() for mated in (True, False)}

    def count(block: Block) -> tuple[Moments, Any, Any]:
        from bertillon.counting.kernels import block_moments

        tables.add(block)
        gathered = keeping.gather(block) if keeping else None
        return Moments(*block_moments(block.scores)), visit(block) if visit else None, gathered

    for counted in walk.rounds(count, ahead=keeping is None):  # what is kept depends on the bins of whole rounds
        for block, (moments, visited, _) in counted:
            classes[block.mated].add(block, moments, visited)
        if not each and sum(scores.moments.n for scores in classes.values()) > LIMITS.streams.kept_scores:
            classes[True].blocks = classes[False].blocks = None
        if keeping:
            keeping.take([(block, gathered) for block, (_, _, gathered) in counted], lambda: tables.bins(walk.waiting))
    mated, nonmated = tables.bins()
    return FirstPass(
        mated=classes[True].finish(mated),
        nonmated=classes[False].finish(nonmated),
        dtype=walk.dtype or np.dtype(np.float64),
        failures=walk.failures,
        sources=tuple(walk.sources.values()),
        total=walk.total,
    )


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
