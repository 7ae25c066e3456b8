"""The rates of searches in drawn galleries, and how sure they are.

Conventions: those of `gallery_size`. Thresholds are oriented here and in the user's units where they leave.

Holds `GalleryRates`, which makes a `GalleryPoint` for a size and threshold and an `Extrapolated` beyond the sizes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Text, say, text_of
from bertillon.core.rule import AcceptRule, passes
from bertillon.evaluation import plain
from bertillon.measures.base import Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.dependent_rate import NONMATED, DependentRate, PersonSharing
from bertillon.stats.ends import LEAST_FREEDOM
from bertillon.stats.interval import MIRRORED, Interval, tail_of
from bertillon.trials.drawn_galleries import DrawnGalleries

LEAST_PARTS = 2
ROUNDING = 1e-9
FIT_SIZES = 3  # two for a line, and one to check it
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GalleryPoint:
    """The rates at one size and threshold; `target` is the FPIR that the threshold was chosen for, or None."""

    size: int
    target: float | None
    threshold: float  # in the user's units
    threshold_interval: Interval | None  # where it was chosen
    fpir: Measured
    fnir: Measured
    dir: Measured
    model: float  # the FPIR of independent comparisons
    draws: tuple[float, ...]  # the FPIR in each draw

    @property
    def spread(self) -> float:
        """The standard deviation of the FPIR over draws; NaN of one."""
        if len(self.draws) < 2:
            return math.nan
        return float(np.std(self.draws, ddof=1)) if max(self.draws) > min(self.draws) else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ends = self.threshold_interval
        known = ends is not None and not math.isnan(ends.low)
        values: dict[str, Any] = plain(
            {
                "size": self.size,
                "target_fpir": self.target,
                "threshold": self.threshold,
                "threshold_interval": [ends.low, ends.high] if ends is not None and known else None,
                "fpir": self.fpir.to_dict(),
                "fnir": self.fnir.to_dict(),
                "dir": self.dir.to_dict(),
                "model_fpir": self.model,
                "draws": list(self.draws),
                "spread": self.spread,
            }
        )
        return values


@dataclass(frozen=True, slots=True, eq=False)
class Extrapolated:
    """The FPIR that a straight line gives at a size beyond those measured.

    Parameters
    ----------
    size, threshold
        Where it is read.
    fpir, interval
        What the line gives; NaN has a `reason`.
    slope
        Of the line, 1 for independent people.
    predicted, measured
        At the largest measured size: from the smaller ones, and what it was.
    holds
        The prediction lies in the interval of what was measured.
    reason
        Why there is no line.
    """

    size: int
    threshold: float
    fpir: float
    interval: Interval
    slope: float
    predicted: float
    measured: float
    holds: bool
    reason: Text | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ends = None if math.isnan(self.interval.low) else [self.interval.low, self.interval.high]
        values = {name: getattr(self, name) for name in ("size", "threshold", "fpir", "slope", "predicted")}
        more = {"measured": self.measured, "holds": self.holds, "reason": text_of(self.reason)}
        made: dict[str, Any] = plain({**values, "interval": ends, "level": self.interval.level, **more})
        made |= self.interval.side_record
        return made


class _Errors(NamedTuple):
    """Errors of trials, of all and without each group of people, in so many draws of the same searches."""

    errors: int
    trials: int
    errors_left: Array
    trials_left: Array
    draws: int = 1

    @property
    def rate(self) -> float:
        return self.errors / self.trials if self.trials else math.nan

    @property
    def left(self) -> Array:
        """The rate without each group."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.errors_left / self.trials_left)


class GalleryRates:
    """The rates of drawn galleries at oriented thresholds, whole and without each group of people."""

    def __init__(self, drawn: DrawnGalleries, level: float, side: str, *, intervals: bool = True) -> None:
        self.intervals = intervals
        self.drawn, self.level, self.side = drawn, level, side
        self.counted, self.part, self.parts = drawn.counted, drawn.part, drawn.parts
        self.has_mate = ~np.isnan(drawn.counted.mate)
        self.mate = drawn.counted.mate[self.has_mate]
        self.in_part, self.mated_in_part = (
            np.bincount(part, minlength=self.parts) for part in (self.part, self.part[self.has_mate])
        )

    def point(
        self, i: int, threshold: float, target: float | None = None, ends: Interval | None = None
    ) -> GalleryPoint:
        """The rates at one size."""
        size, fmr = self.drawn.sizes[i], self.counted.share_passing(threshold)
        false_alarms = self.measured(self.false_alarms(i, threshold), self.drawn.person)
        enrolled = self.drawn.person[self.has_mate]
        return GalleryPoint(
            size,
            target,
            float(self.drawn.rule.restore(threshold)),
            ends,
            false_alarms,
            self.measured(self.misses(threshold), enrolled),
            self.measured(self.detections(i, threshold), enrolled),
            -math.expm1(size * self.drawn.templates * math.log1p(-fmr)) if fmr < 1.0 else 1.0,
            tuple(passes(self.counted.others.score[i], threshold).mean(axis=1).tolist()),
        )

    def false_alarms(self, i: int, threshold: float) -> _Errors:
        """Searches with a candidate that passes; without a group some have none left."""
        best = self.counted.others
        passing = passes(best.score[i], threshold)
        lost = passing & ~passes(best.second[i], threshold)
        return self._without(passing, -1, lost, best.group[i], self.part, self.in_part)

    def misses(self, threshold: float) -> _Errors:
        """Mates that do not pass, the same in every draw."""
        missed = ~passes(self.mate, threshold)[None]
        nobody = np.zeros_like(missed)
        return self._without(missed, 0, nobody, missed, self.part[self.has_mate], self.mated_in_part)

    def detections(self, i: int, threshold: float) -> _Errors:
        """Mates that pass and are ahead of everybody else; without a group some move ahead."""
        score, group, second = (array[i][:, self.has_mate] for array in self.counted.rivals)
        passing = passes(self.mate, threshold)
        ahead = passing & (self.mate > score)
        gained = passing & (self.mate > second) & ~ahead
        return self._without(ahead, 1, gained, group, self.part[self.has_mate], self.mated_in_part)

    def _without(self, errors: Array, by: int, turned: Array, group: Array, part: Array, in_part: Array) -> _Errors:
        """Errors of all draws; where a group neither searches nor is enrolled, those turn that rest on it."""
        own = np.bincount(part, weights=errors.sum(axis=0), minlength=self.parts)
        turning = np.bincount(group[turned & (group != part)], minlength=self.parts)
        number, draws, total = int(errors.sum()), len(errors), int(in_part.sum())
        return _Errors(number, draws * total, number - own + by * turning, draws * (total - in_part), draws)

    def measured(self, counts: _Errors, person: Array, *, always: bool = False) -> Measured:
        """The rate with its interval, from the rate without each group; `person` is that of each search."""
        errors, trials = counts.errors, counts.trials
        if not trials:
            return Measured(Result.share(0, 0), Interval.undefined(say("reason.no_mates_searched"), self.level))
        result = Result(errors / trials, None, errors, trials)
        if not self.intervals and not always:
            return Measured(result, Interval.undefined(say("reason.not_asked"), self.level))
        variance, carriers = _jackknife(counts.left)
        searches = np.bincount(person)
        people = int(np.count_nonzero(searches))
        if people < LEAST_PARTS or math.isnan(variance):
            return Measured(result, Interval.undefined(say("reason.one_subject"), self.level))
        if errors in (0, trials):  # the draws repeat the same searches
            errors, trials = errors // counts.draws, trials // counts.draws
        sharing = PersonSharing(trials, int((searches**2).sum()) - person.size)
        rate = DependentRate(errors, trials, people, "subject", variance, carriers, people, sharing, NONMATED)
        return Measured(result, rate.interval(self.level, self.side))

    def targeted(self, i: int, target: float) -> GalleryPoint:
        """The most permissive threshold that keeps the FPIR, with the rates there."""
        best = self.counted.others
        whole, known = best.score[i].ravel(), self.known
        threshold = _above(whole, target, whole.size, known)
        if not self.intervals:
            return self.point(i, threshold, target)
        keep = max(2 * math.ceil(target * whole.size) + self.drawn.draws * int(self.in_part.max(initial=1)), 1)
        top = best.score[i] >= _highest(whole, min(keep, whole.size) - 1)
        score, second, group = best.score[i][top], best.second[i][top], best.group[i][top]
        part = np.broadcast_to(self.part, best.score[i].shape)[top]
        found = []
        for left_out in range(self.parts):
            kept = part != left_out
            scores = np.where(group == left_out, second, score)[kept]
            n = self.drawn.draws * (self.part.size - int(self.in_part[left_out]))
            found.append(_above(scores, target, n, known))
        return self.point(i, threshold, target, self._ends(threshold, np.array(found)))

    @cached_property
    def known(self) -> Array:
        """The scores that a threshold may be, the same for all sizes: best ones of others and mates."""
        return np.unique(np.concatenate([self.counted.others.score.ravel(), self.mate]))

    def _ends(self, threshold: float, found: Array) -> Interval:
        """The interval of a threshold, from those without each group."""
        variance, carriers = _jackknife(found)
        if not math.isfinite(variance) or not math.isfinite(threshold) or self.parts < LEAST_PARTS:
            return Interval.undefined(say("reason.no_threshold_interval"), self.level)
        half = self._quantile(carriers) * math.sqrt(variance)
        low = -math.inf if self.side == "upper" else threshold - half
        high = math.inf if self.side == "lower" else threshold + half
        ends = sorted(float(self.drawn.rule.restore(end)) for end in (low, high))
        similar = self.drawn.rule is AcceptRule.SIMILARITY  # of a distance the strictest threshold is the lowest
        side = self.side if similar else MIRRORED[self.side]
        method = say("method.people_in_groups", n=self.parts)
        known = Interval(ends[0], ends[1], self.level, method, side=side)
        return known.by_people(np.unique(self.drawn.person).size)

    def extrapolated(self, size: int, threshold: float) -> Extrapolated:
        """The line through the two largest sizes, and what that through the two below says of the largest."""
        counts = [self.false_alarms(i, threshold) for i in range(len(self.drawn.sizes))][-FIT_SIZES:]
        rates, left = np.array([each.rate for each in counts]), np.array([each.left for each in counts])
        x, at = np.log(self.drawn.sizes[-FIT_SIZES:]), math.log(size)
        shown, largest = (
            float(self.drawn.rule.restore(threshold)),
            self.measured(counts[-1], self.drawn.person, always=True),
        )
        nan, known = math.nan, ((rates > 0.0) & (rates < 1.0)).all()
        with np.errstate(divide="ignore", invalid="ignore"):
            others = np.array([_line(x[1:], _cloglog(column[1:]), at)[0] for column in left.T])
        variance, carriers = _jackknife(others)
        if not known or math.isnan(variance):  # an extrapolation whose uncertainty is unknown is not shown
            why = say("reason.unsure_line") if known else say("reason.no_line", n=FIT_SIZES)
            return Extrapolated(
                size, shown, nan, Interval.undefined(why, self.level), nan, nan, largest.value, False, why
            )
        y = _cloglog(rates)
        value, slope = _line(x[1:], y[1:], at)
        predicted, _ = _line(x[:2], y[:2], float(x[2]))
        missed = (y[2] - predicted) * (at - x[2]) / (x[2] - x[1])
        half = self._quantile(carriers) * math.sqrt(variance + missed**2)
        low = 0.0 if self.side == "upper" else _rate(value - half)
        high = 1.0 if self.side == "lower" else _rate(value + half)
        interval = Interval(low, high, self.level, say("method.extrapolated"), claim="rough", side=self.side)
        holds = largest.interval.low <= _rate(predicted) <= largest.interval.high
        return Extrapolated(size, shown, _rate(value), interval, slope, _rate(predicted), largest.value, holds)

    def _quantile(self, carriers: float) -> float:
        from scipy.special import stdtrit

        freedom = min(max(carriers, LEAST_FREEDOM), max(self.parts - 1, 1))
        return -float(stdtrit(freedom, tail_of(self.level, self.side)))


def _jackknife(left: Array) -> tuple[float, float]:
    """The variance of a number, from its values without each group, and how many groups carry it."""
    if left.size < LEAST_PARTS or not np.isfinite(left).all():
        return math.nan, 0.0
    squares = (left - left.mean()) ** 2
    total = float(squares.sum())
    carriers = total**2 / float((squares**2).sum()) if total > 0.0 else 0.0
    return (left.size - 1) / left.size * total, carriers


def _above(scores: Array, target: float, trials: int, known: Array) -> float:
    """The least known score that at most the target's share of the trials reach; infinite where none is."""
    allowed = math.floor(target * trials * (1.0 + ROUNDING))
    if allowed >= scores.size:
        return float(known[0]) if known.size else math.inf
    place = int(np.searchsorted(known, _highest(scores, allowed), side="right"))
    return float(known[place]) if place < known.size else math.inf


def _highest(scores: Array, place: int) -> Any:
    """The score at a place from the highest, which is 0."""
    ascending = scores.size - 1 - place
    return np.partition(scores, ascending)[ascending]


def _line(x: Array, y: Array, at: float) -> tuple[float, float]:
    """The straight line through two places, elsewhere, and its slope."""
    slope = float((y[1] - y[0]) / (x[1] - x[0]))
    return float(y[1]) + slope * (at - float(x[1])), slope


def _cloglog(rate: Array) -> Array:
    return np.asarray(np.log(-np.log1p(-rate)))


def _rate(value: float) -> float:
    return -math.expm1(-math.exp(min(value, 700.0)))
