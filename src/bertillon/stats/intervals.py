"""The interval of every measure, and the band of every curve, of any kind of trial.

Conventions: with the method "auto" a proportion at a fixed threshold or rank has a formula, and everything else is
resampled by subject and given Student's ends (see `ends`), which cover the truth of simulated people as often as they
say. Any other method is used for all measures alike. Where resamples cannot say anything, because errors are too few or
there are none, the interval is made of bounds and its `reason` says so (see `few_errors`); where that is not possible
either it is NaN with a reason. A bound of one side is an end of the interval with equal tails that leaves twice as much
outside: 95 % below an upper bound are 90 % between two ends.

A curve is a row of measures, one a place: FNMR@FMR=x for a DET, CMS@k for a CMC. A pointwise band is made of the
intervals of these measures, those that any table shows. A simultaneous band is made of the same intervals at a higher
level, found from the same resamples: so high that the stated share of resampled curves stays between the ends
everywhere. How far a curve strays is its largest |t|: distance from the estimate by standard error, both of
arcsin(sqrt(rate)), whose spread hardly depends on the rate; values that are no rates are taken as they are. Where the
true curve can only rise, or only fall, the ends of a simultaneous band do so as well: they hold it everywhere, so an
end at one place is an end at the next.

Holds `intervals_of`; `band_of`, the band of a curve by its name; `band_along`, that of a row of measures,
`whole_level`, `band_kind` and `rates_grid`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.curves.error_curve import KINDS, Band, Kind
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import Follows
from bertillon.stats.ends import ResampledIntervals
from bertillon.stats.interval import Interval, Settings
from bertillon.stats.kinds import Statistics, statistics_of
from bertillon.stats.resampling import Resampler, RowResampler
from bertillon.trials.protocol import Countable

STEPS_OF_LOG, STEPS_OF_RATE = 61, 40  # of the usual grid of rates
SUREST = 1.0 - 1e-9  # no interval is asked to be surer


def intervals_of(
    trials: Countable, measures: Sequence[Measure], results: Mapping[str, Result], settings: Settings | None = None
) -> dict[str, Interval]:
    """The interval of each measure, whose results were evaluated on the same trials.

    >>> from bertillon.evaluation import evaluate
    >>> from bertillon.trials.simulate import simulate
    >>> scores = simulate("subjects", subjects=50, mated=500, nonmated=5000, rng=2).scores
    >>> e = evaluate(scores, ["EER"])
    >>> found = intervals_of(scores, e.measure_set.parse_all(e), e.results, Settings(resamples=200))["EER"]
    >>> found.holds(e["EER"].value), found.holds(0.1587), str(found.method)
    (True, True, "subjects resampled 200 times, Student's t")
    """
    asked = settings or Settings()
    statistics = statistics_of(trials, asked.two_sided)
    pairs = [(measure, results[str(measure)]) for measure in measures]
    found, people = _with_bases(statistics, pairs, statistics.settings.level), statistics.people
    if asked.sides != "both":
        allowed = [statistics.range_of(measure) for measure in measures]
        ends = zip(found, allowed, strict=True)
        found = [own.one_sided(asked.sides, asked.level, values.low, values.high) for own, values in ends]
    return {str(measure): own.by_people(people) for measure, own in zip(measures, found, strict=True)}


def band_of(trials: Countable, curve: str, *, settings: Settings | None = None, kind: Kind = "pointwise") -> Band:
    """The band of a curve of any kind of trial, by its name: one with a way of its own, or one of the measure set."""
    asked = settings or Settings()
    statistics = statistics_of(trials, asked)
    curves = statistics.measure_set.curves
    if curve in statistics.bands:
        return statistics.bands[curve](trials, settings=asked, kind=kind)
    if curve not in curves:
        known = ", ".join((*statistics.bands, *curves)) or "none"
        raise InputError(f"curve {curve!r} of {trials.kind} has no band; expected one of {known}")
    grid = curves[curve].grid
    return band_along(statistics, grid, [curves[curve].at(x) for x in grid], kind, rises=curves[curve].rises)


def band_along(
    statistics: Statistics,
    places: ArrayLike,
    measures: Sequence[Measure],
    kind: Kind,
    *,
    rises: int = 0,
    along: Callable[[Any], FloatArray] | None = None,
) -> Band:
    """The band of a curve made of measures, one a place.

    The true curve can only rise along the places (`rises` 1), only fall (-1), or do either (0). `along` reads all
    measures from the tally of a resample at once.
    """
    band_kind(kind)
    trials, settings, seen = statistics.trials, statistics.settings, None
    resampler, level = statistics.resampler(measures, alone=True), settings.level
    if along is not None:
        assert isinstance(resampler, RowResampler)
        resampler.along = along
    tally = trials.count(Needs.of(measures))
    pairs = [(measure, measure.of(tally).restored(trials.rule)) for measure in measures]
    if kind == "simultaneous" and resampler.n_units > 1:
        seen = ResampledIntervals.of(resampler, measures, settings)
        shares = all(statistics.range_of(measure).high == 1.0 for measure in measures)
        level = whole_level(seen.drawn.values, seen.drawn.estimate, level, shares=shares)
        seen = replace(seen, settings=replace(settings, level=level))
    ends = _each(statistics, pairs, level, resampler, seen)
    low, high = np.array([interval.low for interval in ends]), np.array([interval.high for interval in ends])
    if kind == "simultaneous":
        low, high = _in_order(low, high, rises)
    return Band(np.asarray(places, dtype=np.float64), low, high, level=settings.level, kind=kind)


def _with_bases(statistics: Statistics, pairs: Sequence[tuple[Measure, Result]], level: float) -> list[Interval]:
    """One interval a measure; of one that follows from another the interval of the other, mapped."""
    plans = [None if math.isnan(result.value) else measure.interval(result) for measure, result in pairs]
    bases = list(dict.fromkeys(plan.base for plan in plans if isinstance(plan, Follows)))
    if not bases:
        return _each(statistics, pairs, level)
    tally, rule = statistics.trials.count(Needs.of(bases)), statistics.trials.rule
    read = [(base, base.of(tally).restored(rule)) for base in bases]
    others = [pair for pair, plan in zip(pairs, plans, strict=True) if not isinstance(plan, Follows)]
    ends = iter(_with_bases(statistics, [*read, *others], level))
    of_base = {base: (result, next(ends)) for base, result in read}
    return [
        statistics.follow(plan, result.value, *of_base[plan.base]) if isinstance(plan, Follows) else next(ends)
        for (_, result), plan in zip(pairs, plans, strict=True)
    ]


def _each(
    statistics: Statistics,
    pairs: Sequence[tuple[Measure, Result]],
    level: float,
    resampler: Resampler | None = None,
    seen: ResampledIntervals | None = None,
) -> list[Interval]:
    """One interval a measure: a formula, a bound where errors are few, resamples for the rest.

    Trials are counted for the measures without a formula, unless a resampler of the whole curve is given; all of its
    measures are resampled together, unless they were `seen` already.
    """
    known = [_at_once(statistics, *pair, level) for pair in pairs]
    if None not in known:
        return [interval for interval in known if interval is not None]
    rest = [pair for pair, interval in zip(pairs, known, strict=True) if interval is None]
    counted = resampler or statistics.resampler([measure for measure, _ in rest], alone=True)
    bounds = iter([statistics.not_resampled(*pair, counted, level) for pair in rest])
    known = [next(bounds) if interval is None else interval for interval in known]
    if counted.n_units < 2:
        nothing = Interval.undefined(say("reason.units_to_resample", unit=counted.unit, n=counted.n_units), level)
        return [interval or nothing for interval in known]
    asked = [m for (m, _), interval in zip(pairs, known, strict=True) if resampler is not None or interval is None]
    intervals = []
    for pair, interval in zip(pairs, known, strict=True):
        if interval is None:
            seen = seen or ResampledIntervals.of(counted, asked, statistics.settings)
            interval = seen.interval(*pair, statistics.range_of(pair[0]))
        intervals.append(interval)
    return intervals


def _at_once(statistics: Statistics, measure: Measure, result: Result, level: float) -> Interval | None:
    """The interval that needs no trials to be counted: a formula, or none because there is no value; else None."""
    if math.isnan(result.value):
        return Interval.undefined(result.reason or say("reason.value_undefined"), level)
    return statistics.by_formula(measure, result, level) if statistics.settings.method == "auto" else None


def whole_level(values: FloatArray, estimate: FloatArray, level: float, *, shares: bool = True) -> float:
    """The level of intervals that together hold a share `level` of resampled curves, one a row, everywhere.

    `shares` where the values are of trials, 0 to 1.

    >>> rng = np.random.default_rng(1)
    >>> alone, twice = rng.normal(0.5, 0.01, (4000, 1)), rng.normal(0.5, 0.01, (4000, 2))
    >>> [round(whole_level(rows, np.full(rows.shape[1], 0.5), 0.95), 2) for rows in (alone, twice)]
    [0.95, 0.98]
    """
    from scipy.special import ndtr

    apart = _straight(values) - _straight(estimate) if shares else values - estimate
    known = np.isfinite(apart)
    apart = np.where(known, apart, 0.0)
    times = np.maximum(known.sum(axis=0), 1)
    spread = np.sqrt(np.square(apart - apart.sum(axis=0) / times).sum(axis=0, where=known) / times)
    varies = spread > 1e-12
    if not varies.any():
        return level
    largest = np.max(np.abs(apart[:, varies]) / spread[varies], axis=1)
    return min(max(level, 2.0 * float(ndtr(np.quantile(largest, level))) - 1.0), SUREST)


def band_kind(kind: str) -> None:
    """Refuse a kind of band that is not known."""
    if kind not in KINDS:
        raise InputError(f"kind of band is {kind!r}; expected {' or '.join(KINDS)}")


def rates_grid(grid: ArrayLike | None, trials: int, name: str) -> FloatArray:
    """The rates given, checked, or the usual ones: from one in all trials up to 1, fine on log and on linear axes."""
    if grid is None:
        logs = np.geomspace(1.0 / trials, 1.0, STEPS_OF_LOG)
        return np.unique(np.concatenate([logs, np.arange(1, STEPS_OF_RATE) / STEPS_OF_RATE]))
    try:
        rates = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"grid of {name} is {grid!r}; expected a list of rates, 0 to 1") from None
    if rates.ndim != 1 or not rates.size or not ((rates >= 0.0) & (rates <= 1.0)).all():
        raise InputError(f"grid of {name} holds what is not a rate, or nothing; expected a list of numbers, 0 to 1")
    return np.unique(rates)


def _in_order(low: FloatArray, high: FloatArray, rises: int) -> tuple[FloatArray, FloatArray]:
    """Ends that only rise (1) or only fall (-1), each taken from the places that say most of it."""
    if not rises:
        return low, high
    lows, highs = (low, high) if rises > 0 else (low[::-1], high[::-1])
    lows, highs = np.fmax.accumulate(lows), np.fmin.accumulate(highs[::-1])[::-1]
    lows, highs = (lows, highs) if rises > 0 else (lows[::-1], highs[::-1])
    kept = (lows <= highs) & ~np.isnan(low)  # ends that would cross stay as they are
    return np.where(kept, lows, low), np.where(kept, highs, high)


def _straight(rates: FloatArray) -> FloatArray:
    return np.arcsin(np.sqrt(np.clip(rates, 0.0, 1.0)))
