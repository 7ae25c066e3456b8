"""What statistics know of each kind of trial: how it is resampled, its intervals by formula, its bands, its tests.

A measure says which interval fits it (see `measures.plans`). What a plan takes is the same for comparisons, searches
and predictions: error rates at a threshold, with the interval that sharing people allows (`Rates`), and the curve of
both errors. `Statistics` is what holds for trials of any kind, with nothing asked of them but `select` and `count`, and
`units` where trials belong together: plans that need rates by threshold are resampled. A kind that knows more says so
in a class of its own, which is registered under the kind.

Holds `Statistics`, `statistics_of` and `register_statistics`; and `resampled`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import Registry
from bertillon.core.messages import Message, say
from bertillon.counting.curves.error_curve import Band
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.keys import rows_of_groups
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure, Result
from bertillon.measures.operating_point import Target
from bertillon.measures.plans import (
    Alike,
    AreaToTarget,
    AtTarget,
    AtThreshold,
    BothRates,
    Follows,
    NoInterval,
    Overfitted,
    OverGroups,
    Proportion,
    Resample,
)
from bertillon.measures.registry import KIND_GROUP, MeasureSet, measure_set_of
from bertillon.stats.at_threshold import SumOfRates
from bertillon.stats.ends import Range, ResampledIntervals, range_of, student
from bertillon.stats.few_errors import (
    FEW,
    Rates,
    area_to_target,
    at_target,
    between_ties,
    effective_share,
    few_at_crossing,
    worst_curve,
)
from bertillon.stats.interval import Interval, Settings, independent
from bertillon.stats.resampling import PartsResampler, Resampled, Resampler, RowResampler, WholeUnits, resampled_on
from bertillon.stats.shared_people import rate_by_subject
from bertillon.trials.protocol import Countable

if TYPE_CHECKING:
    from bertillon.stats.paired_tests import Check

FEW_AT_BEST = 12  # errors of a kind at a best threshold, to compare systems: with 8 of them 12 % of tests erred
LEAST_TO_FIT = 100  # people, to compare by what is fitted to scores: of 15 and 30 people 11 to 13 % of tests erred

_OURS = {  # imported when the first of such trials is met, so that comparisons never wait for classifiers
    "verification": "bertillon.stats.of_scores",
    "identification": "bertillon.stats.of_searches",
    "classification": "bertillon.stats.of_classes",
    "attacks": "bertillon.stats.of_attacks",
    "attack-detection": "bertillon.stats.of_attacks",
}
_KINDS: Registry[type[Statistics]] = Registry("statistics of a kind of trial", KIND_GROUP)


class Statistics:
    """What statistics know of the trials of one system, of any kind."""

    of_worst: ClassVar[tuple[Message, Message]] = say("method.bounds_scores"), say("reason.scores_separated")
    bands: ClassVar[Mapping[str, Callable[..., Band]]] = MappingProxyType({})  # of curves that are not in the set
    groupable: ClassVar[bool] = False  # by the settings' `by_group`

    def __init__(self, trials: Any, settings: Settings) -> None:
        if settings.by_group and not self.groupable:
            raise InputError("by_group is for predictions; comparisons and searches are resampled by subject as it is")
        self.trials, self.settings = trials, settings

    @property
    def measure_set(self) -> MeasureSet:
        """The measures of such trials."""
        return measure_set_of(self.trials.kind)

    @property
    def people(self) -> int | None:
        """How many units stand behind the trials; None where each trial is taken by itself."""
        return len(self.groups) or None

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> Resampler:
        """The trials counted so that these measures can be read; `alone` where no other system is set beside them."""
        return RowResampler(self.trials, self.settings.scheme)

    def of_parts(self, rows: Sequence[NDArray[np.bool_]], measures: Sequence[Measure]) -> PartsResampler | None:
        """Some of the trials each, by their rows, under the same draws of all units; None where there is one unit only.

        A measure may be undefined in a part, which then has no value in any resample.
        """
        whole = self.resampler(measures)
        if not isinstance(whole, RowResampler) or whole.n_units < 2:
            return None
        parts: list[Resampler] = []
        for chosen in rows:
            own = type(self)(self.trials.select(chosen), self.settings).resampler(measures)
            assert isinstance(own, RowResampler)
            parts.append(own.drawn_with(whole, chosen))
        return PartsResampler(
            parts, measures, WholeUnits(whole.n_units, whole.unit, whole.naive, clustered=whole.clustered)
        )

    def alike(self, other: Any) -> tuple[Any, Any, Message | None]:
        """These and other trials, aligned, so that their units get the same weights; what they are if that is new."""
        return self.trials, other, None

    def checks(self, other: Any, measures: Sequence[Measure], *, paired: bool) -> tuple[Check, ...]:
        """The classical tests of these against other trials that apply."""
        return ()

    def untestable(self, measure: Measure, result: Result) -> Message | None:
        """Why resamples cannot tell systems apart by a measure, errors or people being too few; None where they can."""
        match measure.interval(result):
            case Follows(base):
                return self.untestable(base, result)
            case AtTarget(target, outcome=outcome):
                return self._few_at_target(target, outcome)
            case AreaToTarget(target):
                return self._few_at_target(target, None)
            case BothRates(best=True):
                return self._few_at_best(result)
            case Overfitted() if self.people is not None and self.people < LEAST_TO_FIT:
                return say("reason.few_to_test", n=self.people, least=LEAST_TO_FIT)
        return None

    def _few_at_target(self, target: Target, outcome: Hashable) -> Message | None:
        rates = self.rates(outcome)
        if rates is None:
            return None
        expected = target.error * rates.counts(math.inf, mated=target.mated)[1] * effective_share(rates, target)
        if expected >= FEW:
            return None
        return say("reason.too_few_to_test", point=target.key, target=target.value, expected=expected)

    def _few_at_best(self, result: Result) -> Message | None:
        rates, threshold = self.rates(None), result.threshold
        if rates is None or threshold is None:
            return None
        errors = min(rates.counts(threshold, mated=mated)[0] for mated in (False, True))
        return say("reason.too_few_at_best", n=errors) if errors < FEW_AT_BEST else None

    def rates(self, outcome: Hashable) -> Rates | None:
        """Error rates at a threshold, with their intervals; None where such trials have none."""
        return None

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts | None:
        """The errors at every threshold; None where such an outcome has no curve."""
        return None

    @property
    def groups(self) -> list[NDArray[Any]]:
        """The rows of each unit; none where every trial is one."""
        units = getattr(self.trials, "units", None)
        return [] if units is None else rows_of_groups(np.asarray(units))

    def range_of(self, measure: Measure) -> Range:
        """Between which ends the values of the measure lie for such trials."""
        return range_of(measure, self.measure_set)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The interval of a proportion, or of a mean over groups; None for a measure that must be resampled."""
        match measure.interval(result):
            case Proportion() as plan:
                error = self.of_trials(plan, result, level)
                return error.complement if error is not None and plan.success else error
            case AtThreshold() as plan:
                return self.at_threshold(plan, level)
            case BothRates() as plan:
                found = self.both_rates(plan, result, level)
                return self.with_threshold(measure, result, found) if found is not None and plan.best else found
            case OverGroups() as plan:
                return self._over_groups(plan, measure, result, level)
        return None

    def not_resampled(self, measure: Measure, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The interval where resampling is not the way, because errors are too few; None where it is."""
        match measure.interval(result):
            case NoInterval(reason):
                return Interval.undefined(reason, level)
            case (Resample() as plan) | Proportion(resample=plan):
                return self.without_errors(plan, result, resampler, level)
            case Overfitted() as fitted:
                bounds = self.without_errors(fitted.resample, result, resampler, level)
                if bounds is not None or self.settings.method != "auto" or resampler.n_units < 2:
                    return bounds
                return self._overfitted(fitted, measure, result, resampler, level)
            case AtTarget() as plan if result.threshold is not None:
                return self._at_target(plan, (result.value, result.threshold), resampler, level)
            case AreaToTarget() as plan:
                area = self._area_to_target(plan, result, resampler, level)
                return area or self.without_errors(plan.resample, result, resampler, level)
            case BothRates() as plan if result.value == float(plan.success):  # no error was made
                return self.both_rates(plan, result, level)
            case Alike(rate) if result.value in (0.0, 1.0):  # the threshold taken as given
                return self.at_threshold(rate, level)
        return None

    def of_trials(self, plan: Proportion, result: Result, level: float) -> Interval | None:
        """Of the share of errors, whatever the threshold; None where units say that it must be resampled.

        The outcome, where there is one, is asked which of the trials are wrong.
        """
        units = getattr(self.trials, "units", None)
        if units is not None:
            wrong = plan.outcome(self.trials) if callable(plan.outcome) else None
            if wrong is None:
                return None
            rate = rate_by_subject(np.asarray(units), np.asarray(wrong))
            return rate.of_units(getattr(self.trials, "unit", "unit")).interval(level)
        assert result.errors is not None
        assert result.trials is not None
        return independent(result.errors, result.trials, level)

    def at_threshold(self, plan: AtThreshold, level: float) -> Interval | None:
        """The interval of a rate at a threshold that is given."""
        rates = self.rates(plan.outcome)
        if rates is None:
            return None
        error = rates.interval(plan.threshold, mated=plan.mated, level=level)
        return error.complement if plan.success else error

    def with_threshold(self, measure: Measure, result: Result, found: Interval) -> Interval:
        """The interval of a least sum with that of its threshold, where this can be had."""
        return found

    def both_rates(self, plan: BothRates, result: Result, level: float) -> Interval | None:
        """The interval of a sum of both error rates at the threshold of the result, from theirs."""
        rates, threshold = self.rates(None), result.threshold
        if rates is None or threshold is None:
            return None
        value, summed = 1.0 - result.value if plan.success else result.value, SumOfRates(plan, rates, level)
        if plan.best:
            interval = summed.at_best(threshold, value, self.trials.rule, self.settings.seed)
        else:
            interval = summed.at(threshold, value)
        if not value and not math.isnan(interval.low):
            interval = replace(interval, reason=self.of_worst[1], claim="at least")
        return interval.complement if plan.success else interval

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """Bounds from the worst curve, where no error is made at some threshold."""
        curve = None if plan.worst is None else self.curve(plan.outcome, resampler)
        gap = None if curve is None else curve.clean
        return None if gap is None else self._from_worst(plan, result, gap, level)

    def _from_worst(self, plan: Resample, result: Result, oriented: float, level: float) -> Interval | None:
        """Bounds from the worst curve through the rates at an oriented threshold."""
        rates, threshold = self.rates(plan.outcome), self.trials.rule.restore(oriented)
        if rates is None or plan.worst is None:
            return None
        fmr, fnmr = (rates.interval(threshold, mated=mated, level=level) for mated in (False, True))
        if math.isnan(fmr.high) or math.isnan(fnmr.high):
            return None
        worst = plan.worst.of(worst_curve(fmr.high, fnmr.high, self.trials.rule)).value
        return None if math.isnan(worst) else self.bounded(result.value, worst, replace(fnmr, naive=fmr.naive))

    def _overfitted(
        self, plan: Overfitted, measure: Measure, result: Result, resampler: Resampler, level: float
    ) -> Interval:
        """Half samples and their bias; where errors of a kind are few, up to the worst curve through them."""
        asked, allowed = replace(self.settings, level=level), self.range_of(measure)
        found = ResampledIntervals.overfitted(resampler, measure, result, allowed, asked, above=plan.above)
        curve = None if plan.above or plan.resample.worst is None else self.curve(plan.resample.outcome, resampler)
        few = None if curve is None else few_at_crossing(curve)
        worst = None if few is None else self._from_worst(plan.resample, result, few, level)
        return found if worst is None else replace(found, high=max(found.high, worst.high))

    def bounded(self, value: float, worst: float, own: Interval) -> Interval:
        """From the value to the worst that bounds, each found as `own` was, allow."""
        low, high = sorted((value, worst))
        return Interval.bounded((low, high), self.of_worst[0], own, self.of_worst[1])

    def _at_target(
        self, plan: AtTarget, reading: tuple[float, float], resampler: Resampler, level: float
    ) -> Interval | None:
        """A rate at a target, where errors are few."""
        value, threshold = reading
        curve, rates = self.curve(plan.outcome, resampler), self.rates(plan.outcome)
        if curve is None or rates is None:
            return None
        error, target, rule = 1.0 - value if plan.success else value, plan.target, self.trials.rule
        curve = self.attempts(target, curve)
        interval = at_target(target, (error, threshold), curve, rates, rule, level)
        if interval is None and self.settings.method == "auto":
            interval = between_ties(target, curve, rates, rule, level)
        return interval.complement if interval is not None and plan.success else interval

    def attempts(self, target: Target, curve: BinaryCounts) -> BinaryCounts:
        """The curve of all trials that a target is about, also of those that failed."""
        return curve

    def _area_to_target(
        self, plan: AreaToTarget, result: Result, resampler: Resampler, level: float
    ) -> Interval | None:
        """An area up to a target, where errors are few."""
        curve, rates = self.curve(None, resampler), self.rates(None)
        if curve is None or rates is None:
            return None
        found = area_to_target(plan, curve, rates, self.trials.rule, level)
        if found is None or math.isnan(found.low):
            return found
        return replace(found, low=min(found.low, result.value), high=max(found.high, result.value))

    def follow(self, plan: Follows, value: float, base: Result, interval: Interval) -> Interval:
        """The interval of a value that follows from another, from that of the other."""
        low, high = (plan.shift + plan.scale * end for end in (interval.low, interval.high))
        if plan.on_target:
            read = value - (plan.shift + plan.scale * base.value)  # what the rate adds that the target is about
            low, high = low + read, high + max(read, plan.on_target * plan.target)
        return replace(interval, low=low, high=high)

    def _over_groups(self, plan: OverGroups, measure: Measure, result: Result, level: float) -> Interval | None:
        """Student's interval of a mean over groups, which are taken as independent; None where there are none."""
        groups, needs = self.groups, Needs.of([plan.each])
        if not groups:
            return None
        each = [plan.each.of(self.trials.select(rows).count(needs)).value for rows in groups]
        known = np.array([value for value in each if not math.isnan(value)])
        if known.size < 2 or not np.ptp(known):
            return Interval.undefined(say("reason.groups_alike"), level)
        error = float(np.std(known, ddof=1)) / math.sqrt(known.size)
        allowed = replace(self.range_of(measure), rate=False)
        low, high = student(result.value, error, allowed, level=level, degrees=known.size - 1)
        return Interval(low, high, level, say("method.mean_over_groups", n=known.size))


def register_statistics(kind: str, statistics: type[Statistics]) -> None:
    """Say what is known of a kind of trial besides resampling its units."""
    _KINDS.add(kind, statistics, statistics.__module__)
    _class_of.cache_clear()


def statistics_of(trials: Countable, settings: Settings) -> Statistics:
    """What statistics know of some trials, by their kind."""
    return _class_of(trials.kind)(trials, settings)


@cache
def _class_of(kind: str) -> type[Statistics]:
    """The class of a kind, looked for once."""
    if kind in _OURS:
        import_module(_OURS[kind])
    return _KINDS.get(kind, Statistics)


def resampled(trials: Countable, measures: Sequence[Measure], settings: Settings | None = None) -> Resampled:
    """The measures over resamples of the trials.

    >>> from bertillon.measures.registry import parse
    >>> from bertillon.trials.simulate import simulate
    >>> scores = simulate("subjects", subjects=20, mated=100, nonmated=400, rng=1).scores
    >>> found = resampled(scores, [parse("EER"), parse("AUC")], Settings(resamples=50))
    >>> found.values.shape, str(found.unit), found.n_units
    ((50, 2), 'subjects', 20)
    """
    asked = settings or Settings()
    return resampled_on(statistics_of(trials, asked).resampler(measures), measures, asked)
