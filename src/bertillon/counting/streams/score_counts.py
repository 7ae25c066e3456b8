"""Scores counted once and not kept, so that counts of several sources, days or machines can be added.

What is left of each class are keys that can be told apart, with how often each occurred, and bins of scores that are
only counted; number, failures, mean and spread, and a hash of the scores. A bin belongs to one or the other, for both
classes alike. The counts of a thousand sources added are the counts of all their scores counted at once, except that a
bin is told apart only where each source does so, and that means and variances may differ in the last digits.

Every key is kept until they become too many. Then bins are let go: first those farthest from where the questions find
their answers so far, measured in scores that lie between. A bin that was let go is only counted from then on. While
scores come in no particular order the answers hardly move once many have come, so the bins that hold them in the end
were never let go; otherwise they are known within the bin. The tails, where FMR or FNMR is small, are kept whole as
long as they hold few enough.

Holds `ScoreCounts`, `CountedClass`, `count_once`, `add_up` and `require_new`; `Keeper`, which chooses the keys,
`bins_near_answers` and `TAIL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.counting.error_counts import BinaryCounts, Failures, IntArray, Streamed
from bertillon.counting.keys import bits_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.refining import Seek
from bertillon.counting.streams.spans import Bins, BinTable, KeyCounts, Spans, bin_numbers, shift_of
from bertillon.counting.streams.walk import Block, FirstPass, SourceCount, first_pass
from bertillon.counting.tally import NO_SCORES, Moments
from bertillon.engine.jobs import Progress

TAIL = 0.002  # rates up to here belong to the tails: twice the 0.001 that is promised, so that parts can be merged

TwoBins = Callable[[], tuple[Bins, Bins]]


class Keeper:
    """Keeps the keys of the bins in which the answers seem to lie, in one pass."""

    def __init__(self, seeks: Sequence[Seek], sign: int) -> None:
        self._seeks, self._sign = seeks, sign
        self._flag = np.ones(1 << LIMITS.streams.stream_bin_bits, dtype=np.uint8)  # only ever goes from 1 to 0
        self._kept = {mated: KeyCounts.none() for mated in (True, False)}
        self._pending: dict[bool, list[KeyCounts]] = {mated: [] for mated in (True, False)}
        self._waiting = 0  # keys that are pending

    def gather(self, block: Block) -> KeyCounts:
        """The keys of a block that are to be kept; called on several threads."""
        from bertillon.counting.kernels import gather_flagged

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
        if self._waiting > LIMITS.streams.pending_keys:
            self._waiting = 0
            if sum(len(self.kept(kind, dtype)) for kind in (True, False)) > LIMITS.streams.kept_keys:
                self._drop_far_bins(*bins(), dtype)

    def drop_bins(self, numbers: IntArray) -> None:
        """Let go of bins of which others kept nothing."""
        self._flag[numbers] = 0

    def finish(self, bins: TwoBins, dtype: np.dtype[Any]) -> tuple[KeyCounts, KeyCounts]:
        """The keys that are kept in the end, mated and non-mated: no more than there were after bins were let go."""
        if sum(len(self.kept(kind, dtype)) for kind in (True, False)) > 3 * LIMITS.streams.kept_keys // 4:
            self._drop_far_bins(*bins(), dtype)
        return self._kept[True], self._kept[False]

    def kept(self, mated: bool, dtype: np.dtype[Any]) -> KeyCounts:
        """The keys of one class in the bins that were never let go."""
        new, self._pending[mated] = KeyCounts.merged(self._pending[mated]), []
        wanted = [keys.flagged(self._flag, shift_of(dtype)) for keys in (self._kept[mated], new)]
        self._kept[mated] = KeyCounts.merged(wanted)
        return self._kept[mated]

    def _drop_far_bins(self, mated: Bins, nonmated: Bins, dtype: np.dtype[Any]) -> None:
        spans, most = Spans.of_bins(mated, nonmated), LIMITS.streams.kept_keys // 4
        outline = spans.errors(dtype, Failures())
        self.drop_bins(_far_bins(spans, outline, self._kept.values(), self._seeks, most, dtype))
        for kind in (True, False):
            self.kept(kind, dtype)


def _far_bins(
    spans: Spans,
    outline: BinaryCounts,
    kept: Iterable[KeyCounts],
    seeks: Sequence[Seek],
    most: int,
    dtype: np.dtype[Any],
) -> IntArray:
    """The bins to let go of, where about so many keys of those that are kept may stay besides the tails."""
    number = bin_numbers(spans.first, dtype)
    own = np.concatenate([bin_numbers(keys.key, dtype) for keys in kept])
    held = np.bincount(np.searchsorted(number, own), minlength=number.size)
    near = bins_near_answers(outline, spans.size, held, seeks, keys=most, tail=LIMITS.streams.kept_keys // 2)
    return number[~near]


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


@dataclass(frozen=True, slots=True, eq=False)
class CountedClass:
    """One class: keys that are told apart, bins that are not, mean and spread."""

    keys: KeyCounts
    bins: Bins
    moments: Moments

    def binned(self, numbers: IntArray, dtype: np.dtype[Any]) -> CountedClass:
        """The same, with these bins not told apart."""
        chosen = np.isin(bin_numbers(self.keys.key, dtype), numbers)
        bins = Bins.merged([self.bins, Bins.of_keys(self.keys[chosen], dtype)])
        return replace(self, keys=self.keys[~chosen], bins=bins)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCounts:
    """Scores of one system, counted; counts of the same rule and type can be merged and stored."""

    __repr__ = short_repr

    mated: CountedClass
    nonmated: CountedClass
    dtype: np.dtype[Any]
    rule: AcceptRule
    failures: Failures
    sources: tuple[SourceCount, ...]
    name: str = ""
    notes: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()

    kind: ClassVar[Literal["verification"]] = "verification"
    form: ClassVar[Literal["counts"]] = "counts"

    @classmethod
    def of(cls, first: FirstPass, keeper: Keeper, stream: Streamed) -> ScoreCounts:
        """What a pass counted, and what was kept in it."""
        classes = (first.mated, first.nonmated)
        kept = keeper.finish(lambda: (first.mated.bins, first.nonmated.bins), first.dtype)
        mated, nonmated = (
            _class(count.bins, keys, count.moments, first.dtype) for count, keys in zip(classes, kept, strict=True)
        )
        about = (stream.name, stream.notes, stream.warnings)
        return cls(mated, nonmated, first.dtype, stream.rule, first.failures, first.sources, *about)

    def with_enrolments(self, failed: int, attempted: int) -> ScoreCounts:
        """The same counts, and how many people could not be enrolled."""
        return replace(self, failures=replace(self.failures, enrolments=failed, enrolment_attempts=attempted))

    @property
    def total(self) -> SourceCount:
        """All sources together."""
        return SourceCount.together(self.sources)

    @property
    def spans(self) -> Spans:
        """The line of scores as far as it is known: a span a key, and a span a bin."""
        bins = Spans.of_bins(self.mated.bins, self.nonmated.bins)
        return Spans.joined(bins, Spans.of_keys(self.mated.keys, self.nonmated.keys))

    @property
    def outline(self) -> Spans:
        """The line of scores with a span a bin."""
        mated, nonmated = (
            Bins.merged([counted.bins, Bins.of_keys(counted.keys, self.dtype)])
            for counted in (self.mated, self.nonmated)
        )
        return Spans.of_bins(mated, nonmated)

    def trimmed(self, seeks: Sequence[Seek], *, keys: int) -> ScoreCounts:
        """The same with about so many keys besides the tails, those nearest to the answers of the questions."""
        spans, classes = self.outline, (self.mated, self.nonmated)
        outline = spans.errors(self.dtype, self.failures)
        far = _far_bins(spans, outline, (counted.keys for counted in classes), seeks, keys, self.dtype)
        mated, nonmated = (counted.binned(far, self.dtype) for counted in classes)
        return replace(self, mated=mated, nonmated=nonmated)


def count_once(
    stream: Streamed,
    seeks: Sequence[Seek],
    *,
    visit: Callable[[Any], Any] | None = None,
    progress: Progress | None = None,
) -> tuple[ScoreCounts, FirstPass]:
    """Count a stream in one pass; the scores near what `seeks` look for are told apart as far as memory allows."""
    keeper = Keeper(seeks, stream.rule.factor)
    first = first_pass(stream, visit=visit, keeping=keeper, progress=progress)
    return ScoreCounts.of(first, keeper, stream), first


def _class(bins: Bins, keys: KeyCounts, moments: Moments, dtype: np.dtype[Any]) -> CountedClass:
    """Keys of bins in which they account for every score; the other bins as they are."""
    of_keys = Bins.of_keys(keys, dtype)
    row = np.searchsorted(bins.number, of_keys.number)
    whole = of_keys.number[bins.count[row] == of_keys.count]
    bins = bins[~np.isin(bins.number, whole)]
    return CountedClass(keys[np.isin(bin_numbers(keys.key, dtype), whole)], bins, moments)


def add_up(parts: Iterable[ScoreCounts], seeks: Sequence[Seek], *, repeats: bool = False) -> ScoreCounts:
    """All parts together, told apart near what `seeks` look for; the same source twice is refused unless `repeats`."""
    merger: _Merger | None = None
    for part in _of_one_type(parts):
        merger = merger or _Merger(part, seeks, repeats=repeats)
        merger.add(part)
    if merger is None:
        raise InputError("no counts were given; expected at least one")
    return merger.counts


def _of_one_type(parts: Iterable[ScoreCounts]) -> Iterator[ScoreCounts]:
    """The parts in their order; those without scores, which have no type of their own, in that of the others."""
    dtype: np.dtype[Any] | None = None
    empty: list[ScoreCounts] = []  # that came before all scores
    for part in parts:
        if not part.mated.moments.n + part.nonmated.moments.n:
            if dtype is None:
                empty.append(part)
            else:
                yield replace(part, dtype=dtype)
            continue
        if dtype is None:
            dtype = part.dtype
            yield from (replace(earlier, dtype=dtype) for earlier in empty)
            empty = []
        yield part
    yield from empty


class _Merger:
    """Adds one part after the other, and holds none of them."""

    def __init__(self, first: ScoreCounts, seeks: Sequence[Seek], *, repeats: bool) -> None:
        self._first, self._repeats = first, repeats
        self._keeper = Keeper(seeks, first.rule.factor)
        self._tables = [BinTable(first.dtype) for _ in range(2)]
        self._moments = [NO_SCORES, NO_SCORES]
        self._failures = Failures()
        self._sources: list[SourceCount] = []
        self._seen: dict[str, str] = {}  # fingerprints of the sources
        self._texts: dict[str, dict[Text, None]] = {"notes": {}, "warnings": {}}

    def add(self, part: ScoreCounts) -> None:
        """One part more."""
        self._require_alike(part)
        if not self._repeats:
            require_new(part.sources, self._seen, part.name)
        for kind, counted in enumerate((part.mated, part.nonmated)):
            self._tables[kind].add_bins(counted.bins)
            self._tables[kind].add_keys(counted.keys.key, counted.keys.times)
            self._moments[kind] = self._moments[kind].merge(counted.moments)
            self._keeper.drop_bins(counted.bins.number)
        for kind, counted in enumerate((part.mated, part.nonmated)):
            self._keeper.add(kind == 0, counted.keys, self._bins, part.dtype)
        names = ("mated", "nonmated", "enrolments", "enrolment_attempts")
        self._failures = Failures(*(getattr(self._failures, name) + getattr(part.failures, name) for name in names))
        self._sources += part.sources
        for name, texts in self._texts.items():
            texts.update(dict.fromkeys(getattr(part, name)))

    @property
    def counts(self) -> ScoreCounts:
        """All parts so far."""
        dtype = self._first.dtype
        kept = self._keeper.finish(self._bins, dtype)
        mated, nonmated = (
            _class(bins, keys, moments, dtype)
            for bins, keys, moments in zip(self._bins(), kept, self._moments, strict=True)
        )
        texts = {name: tuple(lines) for name, lines in self._texts.items()}
        whole = replace(self._first, mated=mated, nonmated=nonmated, failures=self._failures, **texts)  # type: ignore[arg-type]
        return replace(whole, sources=tuple(self._sources))

    def _bins(self) -> tuple[Bins, Bins]:
        return self._tables[0].bins, self._tables[1].bins

    def _require_alike(self, part: ScoreCounts) -> None:
        first = self._first
        for what, expected, value in (
            ("rule", first.rule.value, part.rule.value),
            ("type of scores", first.dtype.name, part.dtype.name),
        ):
            if expected != value:
                raise InputError(
                    f"{part.name}: its {what} is {value}, that of {first.name} is {expected}; only counts of one "
                    f"{what} can be merged: count the scores again"
                )


def require_new(sources: Iterable[SourceCount], seen: dict[str, str], where: str = "") -> None:
    """Refuse a source whose scores were counted before; `seen` remembers them by their fingerprints."""
    for source in sources:
        here = f"{source.name or 'a stream'}{f' (in {where})' if where else ''}"
        if source.scores and source.fingerprint in seen:
            raise InputError(
                f"{here}: holds the same scores as {seen[source.fingerprint]}; each source is counted once: leave one "
                "of them out, or allow it with --allow-repeats (repeats=True)"
            )
        seen[source.fingerprint] = here
