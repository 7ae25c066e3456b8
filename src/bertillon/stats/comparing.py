"""Two and more systems set against each other, measure by measure.

Conventions: every later system is compared with the first, or every pair with each other. Systems over the same trials
are aligned (see `trials.aligning`) and resampled with the same weights, by subject where subjects are known and trial
by trial where not; systems over different trials are resampled each by itself, with seeds of their own, and it is said.
Values are those of the trials compared; where some were left out because one system failed, what counts failures in
(FRR) is undefined, since the two would be rates of different trials. There is no p value where a measure rests on too
few errors of one of the systems, at a target or at the best threshold, nor where people are fewer than 15. p values are
adjusted for all pairs and measures together: Holm's correction keeps the chance of one false alarm or more at the level
of one test. What is said of a margin is not adjusted, since each such statement is about one pair and one measure.

A difference is the second system's value less the first's. Both are resampled with the same weights (or,
unpaired, with weights of their own). How far the differences of B resamples stray from the difference d itself gives

    interval   of level 1 - a: d plus and minus the k-th largest |d* - d|, k = floor(a (B + 1))
    p          two-sided, (1 + #) / (B + 1), # the resamples with |d* - d| >= |d|

so that p <= a exactly where the interval leaves 0 out. The symmetric interval is taken because it keeps its level where
the percentile interval does not: with 30 subjects, equal systems and AUC the latter finds a difference one time in
seven. Few units make a bootstrap too sure of itself; strays are widened by sqrt(n / (n - 1)) and from normal to
Student's t of n - 1. Weights of two subjects multiplied make the chance of single comparisons look three times as large
as it is; what is too much is taken off (see `ends`).

A margin is the largest difference that does not matter. Systems are equivalent when the interval of level 1 - 2a lies
within it on both sides (two one-sided tests), and the second is not worse by more than the margin when that interval
lies within it on the worse side.

Holds `compare_systems` and its `Versus`, one pair of systems with its `Difference`s; `difference_of`, `check_margin`
and `holm`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import NormalDist

import numpy as np

from bertillon.core.arguments import NUMBER, require
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.core.showing import Finding
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import better, measure_set_of
from bertillon.stats.ends import standard_error, student_quantile
from bertillon.stats.interval import LEAST_PEOPLE, Interval, Settings
from bertillon.stats.kinds import resampled, statistics_of
from bertillon.stats.paired_tests import Check
from bertillon.stats.resampling import Resampled
from bertillon.trials.aligning import Aligned, align
from bertillon.trials.protocol import Trials

POWER = 0.8  # the chance of seeing a difference that is there
FEWEST_DEFINED = 0.5  # of the resamples must give a number
SAME_TWICE = say("reason.same_in_resamples")
UNLIKE = say("reason.unlike_failures")
OTHER_SEED = 0x9E3779B97F4A7C15  # added to the seed of the second of two unpaired systems


@dataclass(frozen=True, slots=True)
class Difference:
    """Two systems in one measure."""

    measure: str
    first: str
    second: str
    first_value: float
    second_value: float
    interval: Interval  # of the difference
    p: float = math.nan  # two-sided
    adjusted_p: float = math.nan  # for all the tests made beside this one (Holm)
    error: float = math.nan  # the standard error of the difference
    better: int = 0  # 1 where more is better, -1 where less is, 0 where nobody knows
    margin: float | None = None
    within: Interval | None = None  # of level 1 - 2a, which is held against the margin
    shown_as: str = "number"  # the unit of the measure: rate, number or count
    n_units: int = 0  # how many of what was resampled
    tests: int = 1  # made beside each other, this one counted
    reason: Text | None = None  # why there is no p, or what to know of it

    @property
    def difference(self) -> float:
        """Second less first."""
        return self.second_value - self.first_value

    @property
    def same_twice(self) -> bool:
        """Both gave the same number in all resamples."""
        return self.reason == SAME_TWICE

    @property
    def significant(self) -> bool:
        """The p value, adjusted for the other tests, is at most 1 - level."""
        return self.adjusted_p <= _alpha(self.interval.level)

    @property
    def gain(self) -> int:
        """1 where the second is significantly better, -1 where it is worse, 0 where neither or nobody knows."""
        return int(np.sign(self.difference * self.better)) if self.significant else 0

    @property
    def equivalent(self) -> bool:
        """The two differ by less than the margin, whichever is better."""
        if self.margin is None or self.within is None:
            return False
        return self.within.low > -self.margin and self.within.high < self.margin

    @property
    def not_worse(self) -> bool:
        """The second is not worse by the margin or more."""
        if self.margin is None or self.within is None or not self.better:
            return False
        return self.within.low > -self.margin if self.better > 0 else self.within.high < self.margin

    @property
    def detectable(self) -> float:
        """The least true difference that a test of this size, made beside the others, sees four times in five."""
        normal = NormalDist()
        reach = normal.inv_cdf(1.0 - _alpha(self.interval.level) / 2.0 / self.tests) + normal.inv_cdf(POWER)
        return reach * self.error

    @property
    def units_for_margin(self) -> int | None:
        """How many units would show two equal systems to be equivalent, four times in five; None if so many would do.

        The standard error is taken to fall with the root of the number of units.
        """
        if self.margin is None or not self.n_units or not self.error > 0.0:
            return None
        normal = NormalDist()
        reach = normal.inv_cdf(1.0 - _alpha(self.interval.level)) + normal.inv_cdf((1.0 + POWER) / 2.0)
        times = (reach * self.error / self.margin) ** 2
        return math.ceil(times * self.n_units) if times > 1.0 else None

    @property
    def verdict(self) -> str:
        """What can be said of the second system, in a word or two."""
        if math.isnan(self.p):
            return "undefined"
        if self.equivalent:
            return "equivalent"
        if self.gain > 0:
            return "better"
        if self.not_worse:
            return "not worse"
        if self.gain < 0:
            return "worse"
        return "different" if self.significant else "not distinguishable"

    def undefined(self, reason: Text) -> Difference:
        """The same without interval and p, and why."""
        nothing = Interval.undefined(reason, self.interval.level)
        return replace(self, interval=nothing, within=None, p=math.nan, error=math.nan, reason=reason)

    def untested(self, reason: Message) -> Difference:
        """The same without p and without a verdict, and why; the interval stays, and is rough."""
        rough = replace(self.interval, claim="rough")
        return replace(self, interval=rough, within=None, p=math.nan, reason=reason)


def difference_of(asked: Difference, drawn: FloatArray, pairs: FloatArray | None, settings: Settings) -> Difference:
    """The difference completed from the differences of resamples; `pairs` as in `Resampled.pair_values`."""
    known = drawn[np.isfinite(drawn)]
    if math.isnan(asked.difference):
        return asked.undefined(asked.reason or say("reason.undefined_in_one"))
    if asked.n_units < 2:
        return asked.undefined(say("reason.units_of_difference", n=asked.n_units))
    if known.size < FEWEST_DEFINED * drawn.size:
        return asked.undefined(say("reason.rarely_defined", known=known.size, resamples=drawn.size))
    if not known.any() and not asked.difference:
        sure = replace(asked.interval, low=0.0, high=0.0)
        return replace(asked, interval=sure, within=sure, p=1.0, error=0.0, reason=SAME_TWICE)
    if np.ptp(known) == 0.0:
        return asked.undefined(say("reason.difference_never_changes"))
    strays = _widened(_less_pair_noise(known, pairs), asked.n_units, settings.level) - asked.difference
    within = None if asked.margin is None else _interval(asked, strays, round(2.0 * settings.level - 1.0, 12))
    return replace(
        asked,
        interval=_interval(asked, strays, settings.level),
        within=within,
        p=(1 + int((np.abs(strays) >= abs(asked.difference)).sum())) / (strays.size + 1),
        error=float(np.std(strays, ddof=1)),
        reason=None if known.size == drawn.size else say("reason.resamples_undefined", n=drawn.size - known.size),
    )


def check_margin(margin: float | None, level: float) -> None:
    """A margin is a positive number, and leaves room for an interval of level 1 - 2a."""
    if margin is None:
        return
    require(margin, NUMBER, "margin", "a number above 0")
    if not 0.0 < margin < math.inf:
        raise InputError(f"margin is {margin}; expected a number above 0; for a rate 0.002 means 0.2 points")
    if level <= 0.5:
        raise InputError(f"level is {level}; with a margin it must be above 0.5")


def _less_pair_noise(drawn: FloatArray, pairs: FloatArray | None) -> FloatArray:
    """The resampled differences, their spread without what pairs are counted too often."""
    if pairs is None or not np.isfinite(pairs).any():
        return drawn
    middle = float(drawn.mean())
    return middle + standard_error(drawn, pairs[np.isfinite(pairs)]) / float(drawn.std()) * (drawn - middle)


def _widened(drawn: FloatArray, units: int, level: float) -> FloatArray:
    """The same as wide as so few units make it."""
    tail = (1.0 - level) / 2.0
    wider = student_quantile(tail, units - 1) / student_quantile(tail, math.inf)
    factor = math.sqrt(units / (units - 1)) * wider
    middle = float(drawn.mean())
    return middle + factor * (drawn - middle)


def _interval(asked: Difference, strays: FloatArray, level: float) -> Interval:
    """The difference and the k-th largest stray on both sides."""
    k = math.floor(round(_alpha(level) * (strays.size + 1), 9))
    if k < 1:
        needed = math.ceil(round(1.0 / _alpha(level), 9)) - 1
        raise InputError(f"{strays.size:,} resamples say nothing of level {level:g}; expected {needed:,} or more")
    reach = float(np.partition(np.abs(strays), strays.size - k)[strays.size - k])
    low, high = asked.difference - reach, asked.difference + reach
    if asked.shown_as == "rate":
        low, high = max(-1.0, low), min(1.0, high)
    return replace(asked.interval, low=low, high=high, level=level)


def _alpha(level: float) -> float:
    return round(1.0 - level, 12)  # so that 1 - 0.95 is 0.05


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Versus(Finding):
    """Two systems and their differences."""

    first: str
    second: str
    differences: tuple[Difference, ...]
    trials: int  # both have; 0 where they are not paired
    how: Text  # their trials were brought together; "" where they are not paired
    unit: Message  # what was resampled
    n_units: int
    paired: bool = True
    naive: bool = False  # trials were taken as independent though nobody knows that they are
    identical: bool = False  # every score is the same in both, and whatever else a measure reads
    notes: tuple[Text, ...] = ()
    checks: tuple[Check, ...] = ()  # classical tests of the same


def compare_systems(
    systems: Sequence[Trials],
    measures: Iterable[str | Measure],
    *,
    settings: Settings | None = None,
    margin: float | None = None,
    by: Sequence[str] | None = None,
    paired: bool = True,
    every_pair: bool = False,
) -> list[Versus]:
    """Every later system against the first, or every pair, in each of the measures.

    >>> from bertillon.trials.score_set import ScoreSet
    >>> a, b = ScoreSet([3, 4, 5, 6], [0, 1, 2, 4]), ScoreSet([3, 4, 5, 6], [0, 1, 2, 4])
    >>> [found] = compare_systems([a, b], ["EER"])
    >>> found.differences[0].difference, found.differences[0].p, found.identical
    (0.0, 1.0, True)
    """
    chosen = settings or Settings()
    if chosen.sides != "both":
        raise InputError("sides: differences have two-sided intervals; for a question of one side give a margin")
    check_margin(margin, chosen.level)
    if len(systems) < 2:
        raise InputError(f"{len(systems)} system to compare; expected two or more")
    asked = measure_set_of(systems[0].kind).parse_all(measures)
    pairs = combinations(systems, 2) if every_pair else ((systems[0], other) for other in systems[1:])
    comparisons = [_versus(_together(first, second, by, paired), asked, chosen, margin) for first, second in pairs]
    return _adjusted(comparisons)


def _together(first: Trials, second: Trials, by: Sequence[str] | None, paired: bool) -> Aligned[Trials]:
    if paired:
        return align(first, second, by=by)
    if (first.kind, first.form) != (second.kind, second.form):
        raise InputError("systems of different kinds cannot be compared; expected comparisons, searches or predictions")
    return Aligned(first, second, "")


def _versus(both: Aligned[Trials], measures: Sequence[Measure], settings: Settings, margin: float | None) -> Versus:
    paired, statistics = bool(both.how), statistics_of(both.first, settings)
    drawn = _draw(both, measures, settings)
    names = both.first.name or "first", both.second.name or "second"
    values = [_results(both, system, measures) for system in (both.first, both.second)]
    method = say("method.paired_bootstrap" if paired else "method.unpaired_bootstrap", unit=drawn.unit)
    differences = []
    for column, (measure, first, second) in enumerate(zip(measures, *values, strict=True)):
        asked = Difference(
            str(measure),
            *names,
            first.value,
            second.value,
            Interval(math.nan, math.nan, settings.level, method, naive=drawn.naive),
            better=better(measure),
            margin=margin,
            shown_as=measure_set_of(both.first.kind).unit_of(str(measure)),
            n_units=drawn.n_units,
            reason=_reason(names, first, second),
        )
        alone = None if drawn.pair_values is None else drawn.pair_values[:, column]
        found = difference_of(asked, drawn.values[:, column], alone, settings)
        differences.append(_where_tested(found, _too_few(both, measure, (first, second), settings), drawn))
    return Versus(
        *names,
        tuple(differences),
        trials=both.trials if paired else 0,
        how=both.how,
        unit=drawn.unit,
        n_units=drawn.n_units,
        paired=paired,
        naive=drawn.naive,
        identical=paired and both.first.same_as(both.second),
        notes=(*both.notes, *_few(drawn)),
        checks=statistics.checks(both.second, measures, paired=paired),
    )


def _too_few(
    both: Aligned[Trials], measure: Measure, results: tuple[Result, Result], settings: Settings
) -> Message | None:
    """Why one of the systems makes too few errors for a test."""
    for system, result in zip((both.first, both.second), results, strict=True):
        if math.isnan(result.value):
            return None
        reason = statistics_of(system, settings).untestable(measure, result.restored(system.rule))
        if reason is not None:
            return reason
    return None


def _where_tested(found: Difference, too_few: Message | None, drawn: Resampled) -> Difference:
    """The same without a verdict where errors or people are too few for one."""
    if math.isnan(found.p) or found.same_twice:
        return found
    if too_few is not None:
        return found.undefined(too_few)
    return found.untested(say("reason.few_to_test", n=drawn.n_units, least=LEAST_PEOPLE)) if _few(drawn) else found


def _draw(both: Aligned[Trials], measures: Sequence[Measure], settings: Settings) -> Resampled:
    """Differences of both systems resampled with the same weights; where they are not paired, each by itself."""
    first, second, unit, other = both.first, both.second, None, settings
    if both.how:
        first, second, unit = statistics_of(first, settings).alike(second)
    else:
        other = replace(settings, seed=(settings.seed + OTHER_SEED) % 2**64)
    one, two = resampled(first, measures, settings), resampled(second, measures, other)
    values = two.values - one.values
    return Resampled(
        values=values,
        thresholds=np.full_like(values, np.nan),  # of two systems, which have none in common
        estimate=two.estimate - one.estimate,
        unit=unit or (one.unit if one.unit == two.unit else say("unit.both", first=one.unit, second=two.unit)),
        n_units=min(one.n_units, two.n_units),
        naive=unit is not None or one.naive or two.naive,
        pair_values=None if one.pair_values is None or two.pair_values is None else two.pair_values - one.pair_values,
    )


def _results(both: Aligned[Trials], trials: Trials, measures: Sequence[Measure]) -> list[Result]:
    """The measures as they are, but those that count failures in where scores for what failed were left out."""
    tally = trials.count(Needs.of(measures))
    unlike = (both.first.failed or both.second.failed) and (both.only_first or both.only_second)
    return [Result.undefined(UNLIKE) if unlike and m.counts_failures else m.of(tally) for m in measures]


def _reason(names: tuple[str, str], first: Result, second: Result) -> Text | None:
    """Why a value is not defined."""
    if first.reason == second.reason == UNLIKE:
        return UNLIKE
    each = zip(names, (first, second), strict=True)
    reasons = [say("reason.of_system", name=name, why=r.reason or "") for name, r in each if math.isnan(r.value)]
    if len(reasons) == 2:
        return say("reason.of_both", first=reasons[0], second=reasons[1])
    return reasons[0] if reasons else None


def _few(drawn: Resampled) -> tuple[Message, ...]:
    if drawn.naive or not 2 <= drawn.n_units < LEAST_PEOPLE:
        return ()
    return (say("pairing.few_units", n=drawn.n_units, unit=drawn.unit, least=LEAST_PEOPLE),)


def _adjusted(comparisons: Sequence[Versus]) -> list[Versus]:
    """The p values adjusted for all tests made."""
    known = [difference.p for versus in comparisons for difference in versus.differences]
    tests = sum(not math.isnan(p) for p in known)
    p_values = iter(holm(known))
    return [
        replace(
            versus,
            differences=tuple(
                replace(difference, adjusted_p=next(p_values), tests=tests) for difference in versus.differences
            ),
        )
        for versus in comparisons
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values adjusted for each other, in the order given; NaN was no test and stays NaN.

    >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    known = sorted((p, index) for index, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[index] = highest
    return adjusted
