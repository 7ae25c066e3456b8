"""Scores counted once and not kept, so that counts of several sources, days or machines can be added.

What is left of each class are keys that can be told apart, with how often each occurred, and bins of scores that are
only counted; number, failures, mean and spread, and a hash of the scores. A bin belongs to one or the other, for both
classes alike. The counts of a thousand sources added are the counts of all their scores counted at once, except that a
bin is told apart only where each source does so, and that means and variances may differ in the last digits.

Holds `ScoreCounts`, `CountedClass`, `count_once`, `add_up` and `require_new`.
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
from bertillon.counting.error_counts import IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.moments import NO_SCORES, Moments
from bertillon.counting.refining import Seek
from bertillon.counting.scores import Failures, Streamed
from bertillon.counting.streams.bins import Bins, BinTable, bin_numbers
from bertillon.counting.streams.distinct_keys import KeyCounts
from bertillon.counting.streams.first import FirstPass, first_pass
from bertillon.counting.streams.keeping import Keeper, bins_near_answers
from bertillon.counting.streams.spans import Spans
from bertillon.counting.streams.walk import SourceCount
from bertillon.engine.jobs import Progress


@dataclass(frozen=True, slots=True, eq=False)
class CountedClass:
    """One class: keys that are told apart, bins that are not, mean and spread."""

    keys: KeyCounts
    bins: Bins
    moments: Moments

    def binned(self, chosen: NDArray[np.bool_], dtype: np.dtype[Any]) -> CountedClass:
        """The same, with the chosen keys in bins."""
        bins = Bins.merged([self.bins, Bins.of_keys(*_both(self.keys[chosen]), dtype)])
        return replace(self, keys=self.keys[~chosen], bins=bins)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreCounts:
    """Scores of one system, counted; counts of the same rule and type can be merged and stored."""

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
            Bins.merged([counted.bins, Bins.of_keys(*_both(counted.keys), self.dtype)])
            for counted in (self.mated, self.nonmated)
        )
        return Spans.of_bins(mated, nonmated)

    def trimmed(self, seeks: Sequence[Seek], *, keys: int) -> ScoreCounts:
        """The same with about so many keys besides the tails, those nearest to the answers of the questions."""
        spans = self.outline
        number = bin_numbers(spans.first, self.dtype)
        own = [bin_numbers(counted.keys.key, self.dtype) for counted in (self.mated, self.nonmated)]
        held = np.bincount(np.searchsorted(number, np.concatenate(own)), minlength=number.size)
        kept = bins_near_answers(
            spans.errors(self.dtype, self.failures), spans.size, held, seeks, keys=keys, tail=LIMITS.kept_keys // 2
        )
        return self._binned(number[~kept])

    def _binned(self, numbers: IntArray) -> ScoreCounts:
        """The same with these bins told apart in neither class."""
        mated, nonmated = (
            counted.binned(np.isin(bin_numbers(counted.keys.key, self.dtype), numbers), self.dtype)
            for counted in (self.mated, self.nonmated)
        )
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
    of_keys = Bins.of_keys(*_both(keys), dtype)
    row = np.searchsorted(bins.number, of_keys.number)
    whole = of_keys.number[bins.count[row] == of_keys.count]
    bins = bins[~np.isin(bins.number, whole)]
    return CountedClass(keys[np.isin(bin_numbers(keys.key, dtype), whole)], bins, moments)


def _both(keys: KeyCounts) -> tuple[IntArray, IntArray]:
    return keys.key, keys.times


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
