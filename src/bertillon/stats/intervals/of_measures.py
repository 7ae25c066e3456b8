"""The interval of every measure of every kind of trial.

Conventions: with the method "auto" a proportion at a fixed threshold or rank has a formula (see `fixed_rates`), and
everything else is resampled by subject and given Student's ends (see `limits`), which cover the truth of simulated
people as often as they say. Any other method is used for all measures alike. Where resamples cannot say anything,
because errors are too few or there are none, the interval is made of bounds and its `reason` says so (see
`few_errors`); where that is not possible either it is NaN with a reason.

Holds `intervals_of`, with `at_once` and `nothing_to_resample`, which bands use as well.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bertillon.core.messages import say
from bertillon.measures.base import Measure, Result
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.of_resamples import ResampledIntervals
from bertillon.stats.kinds import Statistics, statistics_of
from bertillon.stats.resampling.resampled import Resampler
from bertillon.stats.settings import Settings
from bertillon.trials.protocol import Countable


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
    statistics = statistics_of(trials, asked)
    known = {str(m): at_once(statistics, m, results[str(m)], method=asked.method, level=asked.level) for m in measures}
    intervals = {name: interval for name, interval in known.items() if interval is not None}
    rest = [measure for measure in measures if str(measure) not in intervals]
    if rest:
        intervals |= _by_resampling(statistics, rest, results)
    return {str(measure): intervals[str(measure)] for measure in measures}


def at_once(statistics: Statistics, measure: Measure, result: Result, *, method: str, level: float) -> Interval | None:
    """The interval that needs no trials to be counted: a formula, or none because there is no value; else None."""
    if math.isnan(result.value):
        return Interval.undefined(result.reason or say("reason.value_undefined"), level)
    return statistics.by_formula(measure, result, level) if method == "auto" else None


def nothing_to_resample(resampler: Resampler, level: float) -> Interval:
    """Why there is no interval where resampling is the only way and there is one unit, or none."""
    reason = say("reason.units_to_resample", unit=resampler.unit, n=resampler.n_units)
    return Interval.undefined(reason, level)


def _by_resampling(
    statistics: Statistics, measures: Sequence[Measure], results: Mapping[str, Result]
) -> dict[str, Interval]:
    resampler, settings = statistics.resampler(measures, alone=True), statistics.settings
    bounds = {str(m): statistics.not_resampled(m, results[str(m)], resampler, settings.level) for m in measures}
    intervals = {name: interval for name, interval in bounds.items() if interval is not None}
    rest = [measure for measure in measures if str(measure) not in intervals]
    if resampler.n_units < 2:
        return intervals | {str(measure): nothing_to_resample(resampler, settings.level) for measure in rest}
    if rest:
        seen = ResampledIntervals.of(resampler, rest, settings)
        intervals |= {str(m): seen.interval(i, results[str(m)], statistics.range_of(m)) for i, m in enumerate(rest)}
    return intervals
