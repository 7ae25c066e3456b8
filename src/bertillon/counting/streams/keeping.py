"""What is kept of scores that pass by once: those near the answers, as keys that can be told apart.

Everything is kept until it becomes too much. Then bins are let go: first those farthest from where the questions find
their answers so far, measured in scores that lie between. A bin that was let go is only counted from then on. While
scores come in no particular order the answers hardly move once many have come, so the bins that hold them in the end
were never let go; otherwise they are known within the bin.

The tails, where FMR or FNMR is small, are kept whole as long as they hold few enough.

Holds `Keeper`, `bins_near_answers` and `TAIL`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.keys import bits_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.refining import Seek
from bertillon.counting.scores import Failures
from bertillon.counting.streams.bins import Bins, bin_numbers, shift_of
from bertillon.counting.streams.distinct_keys import KeyCounts
from bertillon.counting.streams.spans import Spans
from bertillon.counting.streams.walk import Block

TAIL = 0.002  # rates up to here belong to the tails: twice the 0.001 that is promised, so that parts can be merged

TwoBins = Callable[[], tuple[Bins, Bins]]


class Keeper:
    """KeyCollector the keys of the bins in which the answers seem to lie, in one pass."""

    def __init__(self, seeks: Sequence[Seek], sign: int) -> None:
        self._seeks, self._sign = seeks, sign
        self._flag = np.ones(1 << LIMITS.stream_bin_bits, dtype=np.uint8)  # only ever goes from 1 to 0
        self._kept = {mated: KeyCounts.none() for mated in (True, False)}
        self._pending: dict[bool, list[KeyCounts]] = {mated: [] for mated in (True, False)}
        self._waiting = 0  # keys that are pending

    def gather(self, block: Block) -> KeyCounts:
        """The keys of a block that are to be kept; called on several threads."""
        from bertillon.counting.streams.kernels import gather_flagged

        dtype = block.scores.dtype
        gathered = np.empty(block.scores.size, dtype=np.int64)
        n = gather_flagged(bits_of(block.scores), lowest(dtype), self._sign, shift_of(dtype), self._flag, gathered)
        return KeyCounts.of(gathered[:n])

    def take(self, gathered: list[tuple[Block, KeyCounts]], bins: TwoBins) -> None:
        """Keep what was gathered in a round; let go of some of it where that is too much."""
        for block, keys in gathered:
            self.add(block.mated, keys, bins, block.scores.dtype)

    def add(self, mated: bool, keys: KeyCounts, bins: TwoBins, dtype: np.dtype[Any]) -> None:
        """Keep keys of one class; `bins` are those of both classes as they are then."""
        wanted = keys.flagged(self._flag, shift_of(dtype))
        self._pending[mated].append(wanted)
        self._waiting += len(wanted)
        if self._waiting > LIMITS.pending_keys:
            self._waiting = 0
            if sum(len(self.kept(kind, dtype)) for kind in (True, False)) > LIMITS.kept_keys:
                self._drop_far_bins(*bins(), dtype)

    def drop_bins(self, numbers: IntArray) -> None:
        """Let go of bins of which others kept nothing."""
        self._flag[numbers] = 0

    def finish(self, bins: TwoBins, dtype: np.dtype[Any]) -> tuple[KeyCounts, KeyCounts]:
        """The keys that are kept in the end, mated and non-mated: no more than there were after bins were let go."""
        if sum(len(self.kept(kind, dtype)) for kind in (True, False)) > 3 * LIMITS.kept_keys // 4:
            self._drop_far_bins(*bins(), dtype)
        return self._kept[True], self._kept[False]

    def kept(self, mated: bool, dtype: np.dtype[Any]) -> KeyCounts:
        """The keys of one class in the bins that were never let go."""
        new, self._pending[mated] = KeyCounts.merged(self._pending[mated]), []
        wanted = [keys.flagged(self._flag, shift_of(dtype)) for keys in (self._kept[mated], new)]
        self._kept[mated] = KeyCounts.merged(wanted)
        return self._kept[mated]

    def _drop_far_bins(self, mated: Bins, nonmated: Bins, dtype: np.dtype[Any]) -> None:
        spans = Spans.of_bins(mated, nonmated)
        number = bin_numbers(spans.first, dtype)
        own = np.concatenate([bin_numbers(keys.key, dtype) for keys in self._kept.values()])
        held = np.bincount(np.searchsorted(number, own), minlength=number.size)
        outline = spans.errors(dtype, Failures())
        most = LIMITS.kept_keys
        kept = bins_near_answers(outline, spans.size, held, self._seeks, keys=most // 4, tail=most // 2)
        self._flag[number[~kept]] = 0
        for kind in (True, False):
            self.kept(kind, dtype)


def bins_near_answers(
    outline: BinaryCounts, size: IntArray, held: IntArray, seeks: Sequence[Seek], *, keys: int, tail: int
) -> NDArray[np.bool_]:
    """The bins to keep, of those at the rows of an outline: `size` scores lie in each, `held` keys are kept of it.

    The tail of small FMR, in which most mated scores lie, is kept if it holds no more than `tail` keys, that of small
    FNMR if it holds no more than `keys`; of the other bins those nearest to the answers, up to `keys`.
    """
    kept = np.zeros(size.size, dtype=bool)
    for rate, most in ((outline.fmr, tail), (outline.fnmr, keys)):
        if held[rate[:-1] <= TAIL].sum() <= most:
            kept |= rate[:-1] <= TAIL
    distance = _distance(size, np.concatenate([seek(outline) for seek in seeks]))
    order = np.lexsort((held, distance))  # of bins equally near, those with few keys first
    kept[order[np.cumsum(np.where(kept[order], 0, held[order])) <= keys]] = True
    return kept


def _distance(size: IntArray, rows: IntArray) -> IntArray:
    """How many scores lie between each bin and the nearest of these; all bins are equally near to none."""
    if not rows.size:
        return np.zeros_like(size)
    answers = np.unique(np.clip(rows, 0, size.size - 1))
    before = np.append(0, np.cumsum(size))
    row = np.arange(size.size)
    after = np.searchsorted(answers, row)
    right = before[answers[np.minimum(after, answers.size - 1)]] - before[row + 1]
    left = before[row] - before[answers[np.maximum(after - 1, 0)] + 1]
    far = np.int64(2**62)
    right, left = np.where(after < answers.size, right, far), np.where(after > 0, left, far)
    return np.maximum(np.minimum(left, right), 0)
