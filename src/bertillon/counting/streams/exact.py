"""A stream counted exactly in a few passes, in memory that does not grow with it.

The first pass counts all scores into fixed bins; the errors at the first score of each bin are exact. Each question is
then asked of those errors (`seek`): in which bins may the answer lie? The next pass looks into these bins only: where
few scores lie in them their keys are gathered, else they are counted again in finer bins. That is repeated until no
question finds its answer in a bin that hides something. Two passes are the rule, three where scores crowd together.

Whatever else must be seen of every score is visited in the second pass. A source that gives other scores in a later
pass than in the first is refused.

Holds `refine` and `Refined`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.error_counts import IntArray, Streamed
from bertillon.counting.keys import bits_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.refining import HIGHEST_KEY, LOWEST_KEY, Seek, rows_sought
from bertillon.counting.streams.spans import KeyCounts, Spans, bin_numbers, shift_of
from bertillon.counting.streams.walk import Block, FirstPass, SourceCount, Visit, Walk
from bertillon.counting.tally import Rivals, Wins
from bertillon.engine.jobs import Progress

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """Spans in which every question finds its answer, and what else was found on the way."""

    spans: Spans
    passes: int
    wins: Wins | None  # where they were asked for and the smaller class is small enough to be kept
    mated: tuple[Any, ...]  # what the visit found in each block of this class
    nonmated: tuple[Any, ...]


def refine(
    stream: Streamed,
    first: FirstPass,
    seeks: Sequence[Seek],
    *,
    wins: bool,
    visit: Visit | None = None,
    progress: Progress | None = None,
) -> Refined:
    """Walk the stream again until the spans hold every answer exactly."""
    spans = Spans.of_bins(first.mated.bins, first.nonmated.bins)
    contest = _WinCounter.of(first, stream.rule.factor) if wins and not spans.known.all() else None
    visited: dict[bool, list[Any]] = {True: [], False: []}
    passes = 1
    while (wanted := _hiding(spans, first, seeks)).size or (passes == 1 and (contest or visit)):
        passes += 1
        look = _RangeCounter(spans[wanted], first.dtype, stream.rule.factor)
        walk = Walk(stream, number=passes, dtype=first.dtype, expected=first.total.scores, progress=progress)
        for results in walk.rounds(_work(look, contest, visit) if passes == 2 else look.gather):
            for block, seen in results:
                visited[block.mated] += [seen] if passes == 2 else []
        _require_unchanged(first, walk)
        spans = Spans.joined(spans[np.delete(np.arange(len(spans)), wanted)], look.finer())
    counted = contest.wins if contest else None
    return Refined(spans, passes, counted, tuple(visited[True]), tuple(visited[False]))


def _hiding(spans: Spans, first: FirstPass, seeks: Sequence[Seek]) -> IntArray:
    """The spans that hide something in which some question may find its answer."""
    return np.flatnonzero(rows_sought(spans.errors(first.dtype, first.failures), seeks) & ~spans.known)


def _work(look: _RangeCounter, contest: _WinCounter | None, visit: Visit | None) -> Callable[[Block], Any]:
    """All that is done with a block of the second pass."""

    def work(block: Block) -> Any:
        look.gather(block)
        if contest:
            contest.count(block)
        return visit(block) if visit else None

    return work


def _require_unchanged(first: FirstPass, walk: Walk) -> None:
    """A later pass must have come by the very scores of the first."""
    if walk.total == first.total:
        return
    known = {source.name: source for source in first.sources}
    changed = [name for name in known | walk.sources if known.get(name) != walk.sources.get(name)]
    before, now = (sources.get(changed[0], SourceCount()) for sources in (known, walk.sources))
    raise InputError(
        f"{changed[0] or first.total.name or 'the stream'}: gave {before.mated:,} mated and {before.nonmated:,} "
        f"non-mated scores at first, and {now.mated:,} and {now.nonmated:,} (or other ones) when it was read again; it "
        "must not change while it is counted. What can be read once only is passed as an iterator, or counted in one "
        "pass (bertillon count)"
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Ranges:
    """Spans to look into: gathered where `start` is -1, else counted in bins of 2**shift keys from row `start` on."""

    first: IntArray
    last: IntArray
    start: IntArray
    shift: IntArray
    rows: int

    @classmethod
    def of(cls, spans: Spans) -> _Ranges:
        size = spans.size
        order = np.argsort(size, kind="stable")
        gathered = np.zeros(size.size, dtype=bool)
        gathered[order] = np.cumsum(size[order]) <= LIMITS.streams.gathered_keys
        crowded = np.flatnonzero(~gathered)
        start, shift, rows = np.full(size.size, -1), np.zeros(size.size, dtype=np.int64), 0
        bits = max(1, (LIMITS.streams.finer_bins // max(1, crowded.size)).bit_length() - 1)
        for span in crowded:
            width = int(spans.last[span] - spans.first[span])
            shift[span] = max(0, width.bit_length() - bits)
            start[span] = rows
            rows += (width >> int(shift[span])) + 1
        return cls(spans.first, spans.last, start, shift, rows)

    def table(self) -> IntArray:
        """A table of so many empty bins."""
        table = np.zeros((self.rows, 3), dtype=np.int64)
        table[:, 1], table[:, 2] = HIGHEST_KEY, LOWEST_KEY
        return table


class _RangeCounter:
    """One look into some spans: all their scores are gathered, or counted more finely."""

    def __init__(self, spans: Spans, dtype: DTypeLike, sign: int) -> None:
        self._dtype, self._sign, self._ranges = dtype, sign, _Ranges.of(spans)
        self._flag = np.zeros(1 << LIMITS.streams.stream_bin_bits, dtype=np.uint8)
        self._flag[bin_numbers(spans.first, dtype)] = 1
        self._tables: dict[bool, SimpleQueue[IntArray]] = {True: SimpleQueue(), False: SimpleQueue()}
        self._keys: dict[bool, SimpleQueue[IntArray]] = {True: SimpleQueue(), False: SimpleQueue()}

    def gather(self, block: Block) -> None:
        """Look through a block; on several threads at once."""
        from bertillon.counting.kernels import count_ranges, gather_flagged

        if not self._ranges.first.size:
            return
        gathered = np.empty(block.scores.size, dtype=np.int64)
        bits, low = bits_of(block.scores), lowest(self._dtype)
        n = gather_flagged(bits, low, self._sign, shift_of(self._dtype), self._flag, gathered)
        try:
            table = self._tables[block.mated].get_nowait()
        except Empty:
            table = self._ranges.table()
        r = self._ranges
        moved = count_ranges(gathered[:n], r.first, r.last, r.start, r.shift, table)
        self._tables[block.mated].put(table)
        self._keys[block.mated].put(gathered[:moved].copy())

    def finer(self) -> Spans:
        """What was found, in spans of one key and of finer bins."""
        keys = [
            KeyCounts.of(np.concatenate([np.empty(0, np.int64), *_all(self._keys[kind])])) for kind in (True, False)
        ]
        tables = [_added(self._ranges.table(), _all(self._tables[kind])) for kind in (True, False)]
        mated, nonmated = (table[:, 0] for table in tables)
        filled = np.flatnonzero(mated + nonmated)
        first = np.minimum(tables[0][:, 1], tables[1][:, 1])
        last = np.maximum(tables[0][:, 2], tables[1][:, 2])
        return Spans.joined(Spans.of_keys(*keys), Spans(first, last, mated, nonmated)[filled])


def _all(queue: SimpleQueue[Item]) -> list[Item]:
    return [queue.get_nowait() for _ in range(queue.qsize())]


def _added(total: IntArray, tables: Sequence[IntArray]) -> IntArray:
    for table in tables:
        total[:, 0] += table[:, 0]
        np.minimum(total[:, 1], table[:, 1], out=total[:, 1])
        np.maximum(total[:, 2], table[:, 2], out=total[:, 2])
    return total


class _WinCounter:
    """Wins of the mated over the non-mated scores: the smaller class is kept in order, the larger comes in blocks."""

    def __init__(self, rivals: Rivals, *, mated: bool, pairs: int) -> None:
        self._rivals, self._mated, self._pairs = rivals, mated, pairs  # `mated`: the rivals are the mated scores
        self._found: SimpleQueue[tuple[int, int]] = SimpleQueue()

    @classmethod
    def of(cls, first: FirstPass, sign: int) -> _WinCounter | None:
        """The contest of the classes, or None where neither is small enough to be kept."""
        mated = first.total.mated <= first.total.nonmated
        kept: NDArray[Any] | None = (first.mated if mated else first.nonmated).kept
        pairs = first.total.mated * first.total.nonmated
        return cls(Rivals.of(kept, sign), mated=mated, pairs=pairs) if kept is not None and pairs else None

    def count(self, block: Block) -> None:
        """Count the pairs a block of the larger class wins; on several threads at once."""
        if block.mated is not self._mated:
            self._found.put(self._rivals.beaten_by(block.scores))

    @property
    def wins(self) -> Wins:
        """What was counted; the mated win what the non-mated lose."""
        counted = _all(self._found)
        won, tied = sum(won for won, _ in counted), sum(tied for _, tied in counted)
        return Wins(self._pairs - won - tied if self._mated else won, tied, self._pairs)
