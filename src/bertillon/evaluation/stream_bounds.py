"""Answers from scores that are partly only counted: exact where the counts allow it, else within stated bounds.

A span of scores that is only counted hides the curve between its ends. A measure whose answer lies elsewhere is exact.
Where it may lie inside, the measure is asked of the best and of the worst curve the counts allow: the truth is between.
The value given is that of the worst curve, so a threshold given with it keeps its promise. Measures that can be better
on a worse curve (a rate nearest to a target, the numbers of other tools) are undefined then.

Holds `MeasureBounds`, `Answer`, `in_words` and `between`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule, readable
from bertillon.counting.error_counts import ErrorCounts
from bertillon.counting.ranking import wins_from_curve
from bertillon.counting.streams.spans import Spans
from bertillon.counting.tally import Need, Tally
from bertillon.measures.base import Measure, Result, missing_class
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.llr import CalibrationLoss, LlrCost
from bertillon.measures.operating_point import THRESHOLD, MeasureAtPoint
from bertillon.measures.peers import PeerEqualErrorRate, PeerRate
from bertillon.measures.rates import KINDS, GeneralizedRate, OutcomeCount, Rate, is_of_mated


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, and the least and the greatest value the counts allow where it is not exact."""

    result: Result
    bounds: tuple[float, float] | None = None


class MeasureBounds:
    """Asks measures of counts at the beginnings of spans; the curves that enclose the truth are made when needed."""

    def __init__(self, tally: Tally, spans: Spans, dtype: DTypeLike) -> None:
        self._tally, self._spans, self._dtype = tally, spans, dtype

    def answer(self, measure: Measure) -> Answer:
        """The number of a measure, and its bounds where it is not exact."""
        if isinstance(measure, PeerEqualErrorRate | PeerRate):
            return Answer(Result.undefined(say("reason.peer_needs_scores")))
        if Need.SCORES in measure.needs:
            return Answer(_without_scores(measure, self._tally))
        if _is_exact(measure, self._tally, self._spans):
            return Answer(measure.of(self._tally))
        if not _is_enclosed(measure):
            return Answer(Result.undefined(say("reason.counted_together")))
        every = Need.EVERY_THRESHOLD in measure.needs
        good, bad = (measure.of(_on(_distinct(curve) if every else curve, self._tally)) for curve in self._enclosing)
        if math.isnan(good.value) or math.isnan(bad.value):
            return Answer(bad if math.isnan(bad.value) else good)
        return Answer(bad, (min(good.value, bad.value), max(good.value, bad.value)))

    @cached_property
    def _enclosing(self) -> tuple[ErrorCounts, ErrorCounts]:
        return self._spans.enclosing(self._dtype, self._tally.failures)


def _without_scores(measure: Measure, tally: Tally) -> Result:
    """Why there is no answer: for the same reason as with all scores, or because they were not kept."""
    unfit = isinstance(measure, LlrCost | CalibrationLoss) and tally.rule is AcceptRule.DISTANCE
    if unfit or missing_class(tally):
        return measure.of(tally)
    return Result.undefined(say("reason.scores_not_kept"))


def _is_exact(measure: Measure, tally: Tally, spans: Spans) -> bool:
    if Need.EVERY_THRESHOLD in measure.needs:
        return tally.errors.complete
    if Need.WINS in measure.needs:
        return tally.wins is not None
    rows = measure.seek(tally.errors)
    return bool(spans.known[rows[(rows >= 0) & (rows < len(spans))]].all())


def _is_enclosed(measure: Measure) -> bool:
    """Is a measure on a worse curve never better? Of those of other packages nobody knows."""
    if not type(measure).__module__.startswith("bertillon."):
        return False
    if isinstance(measure, EqualErrorRate):
        return measure.definition == "interpolated"
    if not isinstance(measure, MeasureAtPoint) or measure.point.key == THRESHOLD:
        return True
    if measure.point.how == "nearest" or not isinstance(measure, Rate | OutcomeCount | GeneralizedRate):
        return False
    return is_of_mated(measure) is not KINDS[measure.point.key].mated  # of its own class a rate only nears the target


def _distinct(curve: ErrorCounts) -> ErrorCounts:
    """A curve without rows that say what the next one says: a span of one class has a corner at one of its ends."""
    changed = np.append((np.diff(curve.false_match) != 0) | (np.diff(curve.false_nonmatch) != 0), True)
    return replace(
        curve,
        threshold=curve.threshold[changed],
        false_match=curve.false_match[changed],
        false_nonmatch=curve.false_nonmatch[changed],
    )


def _on(curve: ErrorCounts, tally: Tally) -> Tally:
    wins = wins_from_curve(curve.false_match, curve.false_nonmatch, curve.n_mated)
    return replace(tally, errors=curve, wins=wins)


def in_words(bounds: Mapping[str, tuple[float, float]]) -> Message | None:
    """The bounds of the measures that have some."""
    shown = [
        say("reading.bounds_of", name=name, range=between(*ends)) for name, ends in bounds.items() if ends[0] < ends[1]
    ]
    return say("reading.bounds", bounds=shown) if shown else None


def between(low: float, high: float) -> Message:
    """Two bounds, rounded outwards, so that what is said is as certain as what is known.

    >>> str(between(0.25, 0.5)), str(between(0.98313264, 0.98316041))
    ('0.25 to 0.5', '0.983132 to 0.983161')
    """
    ends = (Context(6, how).create_decimal(end) for end, how in ((low, ROUND_FLOOR), (high, ROUND_CEILING)))
    least, greatest = (readable(float(end)) for end in ends)
    return say("reason.between", low=least, high=greatest)
