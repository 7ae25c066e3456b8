"""What is known of a measure where scores were not kept: exact, enclosed, or the reason why there is no number.

Conventions: counts are exact at every row of a tally; what may be hidden is the curve from one row to the next. A
measure whose answer lies elsewhere (`Measure.seek`) is exact. Where it may lie between two rows, a measure that is
never better on a worse curve (`Measure.monotone`) is asked of the best and of the worst curve the counts allow: the
truth is between. The value given is that of the worst curve, so a threshold given with it keeps its promise.

    KnownSpans   streams and counts of scores: spans of scores that are told apart, or only counted
    KnownCells   tiles of comparisons: non-mated scores counted between mated ones, and at thresholds named beforehand
    KnownRates   a listed curve: rates at some thresholds, and no number of comparisons

Holds these, their base `Known`, and `Visit`, by which a measure sees every score of a stream.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Need, Tally, wins_from_curve
from bertillon.measures.base import Answer, Enclosed, Exact, Measure, Result
from bertillon.measures.operating_point import bin_at

if TYPE_CHECKING:
    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.streams.spans import Spans


@dataclass(frozen=True, slots=True)
class Visit:
    """What a measure takes from every block of scores while a stream is walked, and how that adds up."""

    name: str  # of the result; measures whose visits have one name share them
    take: Callable[[NDArray[Any], bool], Any]  # from the scores of a block, mated or not; called on several threads
    add_up: Callable[[Sequence[Any], Sequence[Any]], Result]  # what was taken from mated and non-mated blocks, in order


class Known(ABC):
    """What was kept of scores."""

    tally: Tally
    seen: Mapping[str, Result] = MappingProxyType({})  # by name, what was found while every score was seen
    not_kept: ClassVar[Message] = say("reason.scores_not_kept")  # said of a measure that reads every score
    not_in_memory: ClassVar[Message] = not_kept  # and of one that follows a tool which holds them all

    @abstractmethod
    def ask(self, measure: Measure) -> Answer:
        """What is known of a measure by what it says of itself."""

    def shown(self, result: Result) -> Result:
        """A result with its threshold in the user's units."""
        return result.restored(self.tally.rule)


@dataclass(frozen=True, eq=False)
class KnownSpans(Known):
    """Counts at the beginnings of spans; the curves that enclose the truth are made when they are needed."""

    tally: Tally
    spans: Spans
    dtype: DTypeLike
    seen: Mapping[str, Result] = field(default_factory=dict)
    not_in_memory: ClassVar[Message] = say("reason.peer_needs_scores")

    def ask(self, measure: Measure) -> Answer:
        if str(measure) in self.seen:
            return Exact(self.seen[str(measure)])
        if Need.SCORES in measure.needs:
            return measure.unfit(self.tally) or self.not_kept
        if _is_settled(measure, self.tally, self.spans.known):
            return Exact(measure.of(self.tally))
        return self._enclosed(measure) if measure.monotone else say("reason.counted_together")

    def _enclosed(self, measure: Measure) -> Exact | Enclosed:
        every = Need.EVERY_THRESHOLD in measure.needs
        good, bad = (measure.of(self._on(_distinct(curve) if every else curve)) for curve in self._best_and_worst)
        if math.isnan(good.value) or math.isnan(bad.value):
            return Exact(bad if math.isnan(bad.value) else good)
        return Enclosed(bad, (min(good.value, bad.value), max(good.value, bad.value)))

    @cached_property
    def _best_and_worst(self) -> tuple[BinaryCounts, BinaryCounts]:
        return self.spans.enclosing(self.dtype, self.tally.failures)

    def _on(self, curve: BinaryCounts) -> Tally:
        wins = wins_from_curve(curve.false_match, curve.false_nonmatch, curve.n_mated)
        return replace(self.tally, errors=curve, wins=wins)


@dataclass(frozen=True, eq=False)
class KnownCells(Known):
    """Counts at mated scores, between them, and at thresholds named before the comparisons were counted.

    Between two mated scores FNMR stays and FMR falls, so that the best and the worst curve have the same points: what
    is never better on a worse curve is exact.
    """

    tally: Tally
    named: tuple[float, ...]  # in the user's units

    def ask(self, measure: Measure) -> Answer:
        if Need.SCORES in measure.needs:
            return self.not_kept
        if not set(measure.thresholds) <= set(self.named):
            return say("reason.threshold_not_named")
        if measure.fixed_between_mated or _is_settled(measure, self.tally, self._distinguished(measure)):
            return Exact(measure.of(self.tally))
        return say("reason.nonmated_together")

    def _distinguished(self, measure: Measure) -> NDArray[np.bool_]:
        """Rows of mated scores, each in a cell of its own, and those of bins that are read at a threshold only."""
        errors = self.tally.errors
        known = errors.complete | (np.diff(errors.false_nonmatch) > 0)
        if measure.thresholds and known.size:
            known[bin_at(errors.threshold, [*measure.thresholds, *np.negative(measure.thresholds)])] = True
        return known


class KnownRates(Known):
    """The points of a listed curve as shares of one comparison of each kind, as measures of rates can read them."""

    not_kept = not_in_memory = say("reason.curve_only")

    def __init__(self, curve: RateCurve) -> None:
        self.curve, self.tally = curve, curve.count()

    def ask(self, measure: Measure) -> Answer:
        listed = () if self.curve.threshold is None else self.curve.threshold
        unlisted = [threshold for threshold in measure.thresholds if threshold not in listed]
        return say("reason.threshold_unlisted", t=unlisted[0]) if unlisted else measure.of_rates(self)

    def read(self, measure: Measure) -> Exact:
        """What a measure of rates reads at the listed points."""
        return Exact(measure.of(self.tally))

    def shown(self, result: Result) -> Result:
        """Without counts, and with a threshold in the user's units if any is listed."""
        bare = replace(result, errors=None, trials=None)
        return replace(bare, threshold=None) if result.reason or self.curve.threshold is None else super().shown(bare)


def _is_settled(measure: Measure, tally: Tally, told_apart: NDArray[np.bool_]) -> bool:
    """Is all known that a measure reads, where these rows hide nothing up to the next one?"""
    if Need.EVERY_THRESHOLD in measure.needs and not told_apart.all():
        return False
    if Need.WINS in measure.needs and tally.wins is None:
        return False
    rows = measure.seek(tally.errors)
    return bool(told_apart[rows[(rows >= 0) & (rows < told_apart.size)]].all())


def _distinct(curve: BinaryCounts) -> BinaryCounts:
    """A curve without rows that say what the next one says: a span of one class has a corner at one of its ends."""
    changed = np.append((np.diff(curve.false_match) != 0) | (np.diff(curve.false_nonmatch) != 0), True)
    return replace(curve.at(changed), complete=curve.complete)
