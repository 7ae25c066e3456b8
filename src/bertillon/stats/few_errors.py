"""Intervals where errors are too few to resample: bounds instead of a spread that is not there.

A rate at a target (FNMR where FMR = x) is uncertain twice: by the trials it is counted in, and by the threshold. With
a handful of errors at the target no resample sees how far the threshold may lie off. The numbers of errors that are
compatible with the target (Clopper-Pearson, trials made fewer by what sharing people costs) say between which
thresholds it lies; both uncertainties are then put together as distances from the value (MOVER, Zou and Donner 2008).
Where fewer than three errors are expected (the rule of 3) the threshold has no end, and the rate there is 1.

Scores with few different values leave few thresholds that may have the target, and resamples jump from one to the next.
The interval is then as wide as those of the rate at each of these thresholds together, whether errors are few or not.

Scores that do not overlap make no error anywhere. The worst curve that two bounds on FMR and FNMR allow at the gap
between them gives the other end of any measure read off the curve. Where a measure is fitted to the curve and errors of
a kind are few where both rates meet, half samples do not know what was not seen, and the upper end is that of such a
curve too.

Holds `at_target`, `between_ties` and `area_to_target`; `compatible_errors` and `joint_ends`;
`few_at_crossing` and `worst_curve`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, Failures, FloatArray, IntArray
from bertillon.counting.tally import Tally, wins_from_curve
from bertillon.measures.operating_point import Target
from bertillon.measures.plans import AreaToTarget
from bertillon.stats.dependent_rate import PersonSharing
from bertillon.stats.interval import Interval, proportions, put_together

if TYPE_CHECKING:
    from bertillon.stats.at_threshold import Pooled

RULE_OF_3 = 3.0  # errors expected at a target, below which there may be none at it
FEW = 5.0  # errors expected at a target, below which resamples say too little of its threshold
FEW_AT_ANY = 16.0  # the same where some are made at any threshold: of 10, 4 of them failures, resamples hold 90 %
FEW_THRESHOLDS = 10  # that may have a target: resamples jump from one to the next
FEW_OF_AREA = 60.0  # the same of an area up to a target, which rests on fewer still: 84 to 92 % of resampled ends hold
PLACES = 16  # targets at which rates are looked at for an area up to the last of them
TRIED = 64  # numbers of errors looked at together
_MANY = 1_000_000  # trials of each kind of a curve made of two bounds


class Rates(Protocol):
    """Error rates of two kinds of trials at a threshold."""

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        """Of the misses (mated) or false matches at a threshold in the user's units."""

    def counts(self, threshold: float, *, mated: bool) -> tuple[int, int]:
        """Errors and trials at a threshold."""

    def distinct(self, low: float, high: float) -> int | None:
        """How many different scores lie between two thresholds, these counted in; None where scores were not kept."""

    @property
    def pooled(self) -> Pooled | None:
        """The scores of both classes in order; None where they were not kept or are too many."""

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        """How trials share people and the correlation of scores to assume; None where nobody knows."""


def at_target(
    target: Target, reading: tuple[float, float], curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float
) -> Interval | None:
    """The interval of the other error rate at a target, found with its threshold; None where errors are enough."""
    trials = curve.n_mated if target.mated else curve.n_nonmated
    enough = target.error * trials >= _enough(target, curve) and 0.0 < reading[0] < 1.0
    return None if enough else _bounded(target, reading, curve, rates, rule, level)


def _enough(target: Target, curve: BinaryCounts) -> float:
    """How many errors must be expected: more where some are made at any threshold, and so tell nothing of it.

    Such are comparisons that failed, where a target counts them, and searches whose mate has too late a rank.
    """
    return FEW_AT_ANY if target.mated and curve.false_nonmatch[0] > 0 else FEW


def between_ties(target: Target, curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float) -> Interval | None:
    """From the intervals at every threshold that may have the target, where ties leave few of them; else None."""
    trials = curve.n_mated if target.mated else curve.n_nonmated
    expected = target.error * trials
    spread = math.sqrt(expected * (1.0 - target.error))
    near = math.ceil(expected - spread), int(expected + spread)  # all of them compatible
    if len(_rows_that_may_meet(curve, near, target)) > FEW_THRESHOLDS:
        return None
    errors = compatible_errors(target.error, trials, effective_share(rates, target), level)
    return _over_ties(target, errors, curve, rates, rule, level)


def _over_ties(
    target: Target, errors: tuple[int, int], curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float
) -> Interval | None:
    """From the intervals at every threshold with compatible numbers of errors, where these are few; else None."""
    rows = _rows_that_may_meet(curve, errors, target)
    ends = [float(rule.restore(float(curve.threshold[row]))) for row in rows]
    finite = [end for end in ends if math.isfinite(end)]
    if not finite or len(ends) >= FEW_THRESHOLDS:
        return None
    distinct = rates.distinct(min(finite), max(finite))
    if distinct is None or distinct > len(finite):
        return None
    found = [rates.interval(threshold, mated=not target.mated, level=level) for threshold in finite]
    low, high = min(interval.low for interval in found), max(interval.high for interval in found)
    high = high if len(finite) == len(ends) else 1.0  # nobody passes
    return Interval.bounded((low, high), say("method.bounds_threshold"), found[0], say("reason.coarse_scores"))


def _rows_that_may_meet(curve: BinaryCounts, errors: tuple[int, int], target: Target) -> range:
    """The rows that may be the last to keep a promise: their errors are not too many, those of the next not too few.

    Where it need not be kept, also the row that just breaks it.
    """
    (least, most), loose = errors, int(not target.strict)
    if target.mated:
        last = int(np.searchsorted(curve.false_nonmatch, most, side="right")) - 1
        first = max(int(np.searchsorted(curve.false_nonmatch, least)) - 1, 0)
        return range(first, min(last + loose, len(curve) - 1) + 1)
    first = max(int(np.searchsorted(-curve.false_match, -most)) - loose, 0)
    return range(first, min(int(np.searchsorted(-curve.false_match, -least, side="right")), len(curve) - 1) + 1)


def _bounded(
    target: Target, reading: tuple[float, float], curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float
) -> Interval:
    """From the thresholds that may have the target, and the rate's own interval.

    Targets below one error in all trials are read at the same threshold: the bounds are those of one error.
    """
    value, threshold = reading
    trials = curve.n_mated if target.mated else curve.n_nonmated
    expected, share = target.error * trials, effective_share(rates, target)
    errors = compatible_errors(min(max(target.error, 1.0 / (trials * share)), 1.0), trials, share, level)
    unknown = errors[0] == 0 and expected * share < RULE_OF_3
    own = rates.interval(threshold, mated=not target.mated, level=level)
    if math.isnan(own.low):
        return own
    ties = _over_ties(target, errors, curve, rates, rule, level)
    if ties is None:
        ends = [_rate_allowing(curve, most, of_mated=target.mated) for most in reversed(errors)]
        low, high = joint_ends(value, (own.low, ends[0]), (own.high, ends[1]))
    else:
        low, high = min(ties.low, own.low), max(ties.high, own.high)
    reason = own.reason if ties is None else ties.reason
    if expected < _enough(target, curve):
        reason = say("reason.too_few_errors", point=target.key, target=target.value, expected=expected)
    return Interval.bounded((low, 1.0 if unknown else high), say("method.bounds_threshold"), own, reason)


def area_to_target(
    plan: AreaToTarget, curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float
) -> Interval | None:
    """The interval of an area up to a target; None where errors there are enough to be resampled.

    A rate at one target says little of that at another: the ends are means of the ends of the rates at targets below.
    """
    target = plan.target
    if target.error * curve.n_nonmated * effective_share(rates, target) >= FEW_OF_AREA:
        return None
    places = [replace(target, value=target.value * step / PLACES) for step in range(1, PLACES + 1)]
    found = [_at_place(place, curve, rates, rule, level) for place in places]
    if any(math.isnan(interval.low) for interval in found):
        return found[0]
    heights = [[1.0 - end for end in ends] for ends in zip(*((i.high, i.low) for i in found), strict=True)]
    low, high = (plan.value_of(target.value * _mean_height(own)) for own in heights)
    return replace(found[-1], low=low, high=high)


def _at_place(target: Target, curve: BinaryCounts, rates: Rates, rule: AcceptRule, level: float) -> Interval:
    row = int(np.searchsorted(-curve.fmr, -target.error))
    reading = float(curve.fnmr[row]), float(rule.restore(float(curve.threshold[row])))
    return _bounded(target, reading, curve, rates, rule, level)


def _mean_height(heights: Sequence[float]) -> float:
    """The mean of a curve from 0 on by trapezoids; before the first place it is as high as there."""
    return float(np.trapezoid([heights[0], *heights], dx=1.0 / len(heights)))


def compatible_errors(target: float, trials: int, share: float, level: float) -> tuple[int, int]:
    """The fewest and the most errors that do not speak against a rate, only a share of the trials being independent.

    >>> compatible_errors(0.01, 1000, 1.0, 0.95)
    (4, 17)
    """
    beyond = min(trials, int(4.0 * target * trials + 60.0 / share)) + 1

    def ends(errors: IntArray) -> tuple[FloatArray, FloatArray]:
        return proportions(share * errors, share * trials, level=level)

    least = _first(beyond, lambda errors: ends(errors)[1] >= target)
    most = _first(beyond, lambda errors: ~(ends(errors)[0] <= target)) - 1
    return (least, most) if least <= most else (0, 0)


def _first(beyond: int, holds: Callable[[IntArray], NDArray[np.bool_]]) -> int:
    """The first number of which something holds that holds of all greater ones too; `beyond` where there is none.

    >>> _first(1000, lambda numbers: numbers >= 317), _first(1000, lambda numbers: numbers > 999)
    (317, 1000)
    """
    low, high = 0, beyond
    while low < high:
        tried = np.unique(np.linspace(low, high - 1, TRIED).astype(np.int64))
        held = np.append(holds(tried), True)
        place = int(np.argmax(held))
        low, high = int(tried[place - 1]) + 1 if place else low, int(np.append(tried, high)[place])
    return low


def effective_share(rates: Rates, target: Target) -> float:
    """Which part of the trials counts as independent at such a rate."""
    shared = rates.sharing(mated=target.mated)
    return 1.0 if shared is None else 1.0 / shared[0].design_effect(target.error, shared[1])


def _rate_allowing(curve: BinaryCounts, errors: int, *, of_mated: bool) -> float:
    """The other error rate where at most so many errors of one kind are made."""
    if of_mated:
        return float(curve.fmr[max(int(np.searchsorted(curve.false_nonmatch, errors, side="right")) - 1, 0)])
    return float(curve.fnmr[int(np.searchsorted(-curve.false_match, -errors))])


def joint_ends(value: float, lows: Iterable[float], highs: Iterable[float]) -> tuple[float, float]:
    """The ends of a share that is uncertain in several ways, from those of each; one beyond the value is no bound."""
    return put_together(value, (max(value - low, 0.0) for low in lows), (max(high - value, 0.0) for high in highs))


def few_at_crossing(curve: BinaryCounts) -> float | None:
    """The oriented threshold at which both rates are about equal, where errors of a kind are few there; else None."""
    if not curve.n_mated or not curve.n_nonmated:
        return None
    row = min(int(np.argmax(curve.fnmr >= curve.fmr)), len(curve) - 1)
    errors = min(int(curve.false_match[row]), int(curve.false_nonmatch[row]))
    return float(curve.threshold[row]) if errors < FEW else None


def worst_curve(fmr: float, fnmr: float, rule: AcceptRule) -> Tally:
    """The curve that is nowhere better than it must be to pass through two rates.

    >>> from bertillon.measures.registry import parse
    >>> tally = worst_curve(0.01, 0.03, AcceptRule.SIMILARITY)
    >>> [round(parse(name).of(tally).value, 4) for name in ("EER", "AUC")]
    [0.03, 0.9603]
    """
    matches, rejections = math.ceil(_MANY * fmr), math.ceil(_MANY * fnmr)
    false_match = np.array([_MANY, _MANY, matches, matches, 0])
    false_nonmatch = np.array([0, rejections, rejections, _MANY, _MANY])
    changed = np.append((np.diff(false_match) != 0) | (np.diff(false_nonmatch) != 0), True)
    threshold = np.array([0.0, 1.0, 2.0, 3.0, np.inf])
    counts = BinaryCounts(threshold[changed], false_match[changed], false_nonmatch[changed], _MANY, _MANY)
    wins = wins_from_curve(counts.false_match, counts.false_nonmatch, _MANY)
    return Tally(counts, counts, rule, Failures(), wins=wins)
