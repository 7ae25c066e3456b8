"""Bands around curves: the interval of the curve at every place of a grid.

Conventions: a curve is a row of measures, one a place: FNMR@FMR=x for a DET, CMS@k for a CMC. A pointwise band is made
of the intervals of these measures, those that any table shows. A simultaneous band is made of the same intervals at a
higher level, found from the same resamples: so high that the stated share of resampled curves stays between the ends
everywhere. How far a curve strays is its largest |t|: distance from the estimate by standard error, both of
arcsin(sqrt(rate)), whose spread hardly depends on the rate; values that are no rates are taken as they are. Where the
true curve can only rise, or only fall, the ends of a simultaneous band do so as well: they hold it everywhere, so an
end at one place is an end at the next.

Holds `band_of`, the band of a curve by its name; `band_along` with its `SampledCurve`, `whole_level`, `band_kind` and
`rates_grid`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import KINDS, Band, Kind
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure, Result
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.of_measures import at_once, nothing_to_resample
from bertillon.stats.intervals.of_resamples import ResampledIntervals
from bertillon.stats.kinds import Statistics, statistics_of
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.settings import Settings
from bertillon.trials.protocol import Countable

FloatArray = NDArray[np.float64]

STEPS_OF_LOG, STEPS_OF_RATE = 61, 40  # of the usual grid of rates
SUREST = 1.0 - 1e-9  # no interval is asked to be surer


@dataclass(frozen=True, slots=True, eq=False)
class SampledCurve:
    """A curve as measures, one a place, with their results in the user's units."""

    places: FloatArray
    measures: Sequence[Measure]
    results: Sequence[Result]
    rises: int = 0  # 1 where the true curve can only rise along the places, -1 where it can only fall

    @classmethod
    def of(cls, trials: Countable, places: ArrayLike, measures: Sequence[Measure], rises: int = 0) -> SampledCurve:
        """The curve of some trials, counted once."""
        tally = trials.count(Needs.of(measures))
        results = [measure.of(tally).restored(trials.rule) for measure in measures]
        return cls(np.asarray(places, dtype=np.float64), measures, results, rises)


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
    measures = [curves[curve].at(x) for x in curves[curve].grid]
    return band_along(
        SampledCurve.of(trials, curves[curve].grid, measures, curves[curve].rises),
        statistics,
        statistics.resampler(measures, alone=True),
        settings=asked,
        kind=kind,
    )


def band_along(
    curve: SampledCurve, statistics: Statistics, resampler: Resampler, *, settings: Settings, kind: Kind
) -> Band:
    """The band of a curve, from trials that are counted."""
    band_kind(kind)
    resampled: ResampledIntervals | None = None
    level = settings.level
    if kind == "simultaneous" and resampler.n_units > 1:
        resampled = ResampledIntervals.of(resampler, curve.measures, settings)
        shares = all(statistics.range_of(measure).high == 1.0 for measure in curve.measures)
        level = whole_level(resampled.drawn.values, resampled.drawn.estimate, level, shares=shares)
        resampled = replace(resampled, settings=replace(settings, level=level))
    intervals = [
        _without_resamples(statistics, resampler, pair, method=settings.method, level=level) for pair in _pairs(curve)
    ]
    if None in intervals and resampler.n_units > 1:
        resampled = resampled or ResampledIntervals.of(resampler, curve.measures, settings)
    ends = [
        interval or _from_resamples(resampled, pair, column, statistics) or nothing_to_resample(resampler, level)
        for column, (interval, pair) in enumerate(zip(intervals, _pairs(curve), strict=True))
    ]
    low, high = np.array([interval.low for interval in ends]), np.array([interval.high for interval in ends])
    if kind == "simultaneous":
        low, high = _in_order(low, high, curve.rises)
    return Band(curve.places, low, high, level=settings.level, kind=kind)


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


def _pairs(curve: SampledCurve) -> list[tuple[Measure, Result]]:
    return list(zip(curve.measures, curve.results, strict=True))


def _without_resamples(
    statistics: Statistics, resampler: Resampler, pair: tuple[Measure, Result], *, method: str, level: float
) -> Interval | None:
    """What needs no resamples, or cannot be had from them: a formula, a bound, nothing at all."""
    interval = at_once(statistics, *pair, method=method, level=level)
    return statistics.not_resampled(*pair, resampler, level) if interval is None else interval


def _from_resamples(
    resampled: ResampledIntervals | None, pair: tuple[Measure, Result], column: int, statistics: Statistics
) -> Interval | None:
    measure, result = pair
    return None if resampled is None else resampled.interval(column, result, statistics.range_of(measure))


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
