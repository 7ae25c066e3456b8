"""The interval of every measure of every mode.

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

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.tiles.counted_scores import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.stats.interval import Interval
from bertillon.stats.intervals.of_plans import ModeIntervals
from bertillon.stats.intervals.of_resamples import ResampledIntervals
from bertillon.stats.resampling.resampled import Resampler, Trials, resampler_of
from bertillon.stats.settings import Settings
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet


def intervals_of(
    trials: Trials, measures: Sequence[Measure], results: Mapping[str, Result], settings: Settings | None = None
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
    mode = _mode(trials, asked)
    known = {str(m): at_once(mode, m, results[str(m)], method=asked.method, level=asked.level) for m in measures}
    intervals = {name: interval for name, interval in known.items() if interval is not None}
    rest = [measure for measure in measures if str(measure) not in intervals]
    if rest:
        intervals |= _by_resampling(mode, trials, rest, results, asked)
    return {str(measure): intervals[str(measure)] for measure in measures}


def at_once(mode: ModeIntervals, measure: Measure, result: Result, *, method: str, level: float) -> Interval | None:
    """The interval that needs no trials to be counted: a formula, or none because there is no value; else None."""
    if math.isnan(result.value):
        return Interval.undefined(result.reason or say("reason.value_undefined"), level)
    return mode.by_formula(measure, result, level) if method == "auto" else None


def nothing_to_resample(resampler: Resampler, level: float) -> Interval:
    """Why there is no interval where resampling is the only way and there is one unit, or none."""
    reason = say("reason.units_to_resample", unit=resampler.unit, n=resampler.n_units)
    return Interval.undefined(reason, level)


def _mode(trials: Trials, settings: Settings) -> ModeIntervals:
    if settings.by_group and not isinstance(trials, Predictions):
        raise InputError("by_group is for predictions; comparisons and searches are resampled by subject as it is")
    if isinstance(trials, ScoreSet | CountedScores):
        from bertillon.stats.intervals.of_scores import ScoreIntervals

        return ScoreIntervals(trials)
    if isinstance(trials, SearchSet):
        from bertillon.stats.intervals.of_searches import SearchIntervals

        return SearchIntervals(trials)
    from bertillon.stats.intervals.of_classes import ClassIntervals

    return ClassIntervals(trials, by_group=settings.by_group)


def _by_resampling(
    mode: ModeIntervals, trials: Trials, measures: Sequence[Measure], results: Mapping[str, Result], settings: Settings
) -> dict[str, Interval]:
    resampler = resampler_of(trials, measures, settings, alone=True)
    bounds = {str(m): mode.not_resampled(m, results[str(m)], resampler, settings.level) for m in measures}
    intervals = {name: interval for name, interval in bounds.items() if interval is not None}
    rest = [measure for measure in measures if str(measure) not in intervals]
    if resampler.n_units < 2:
        return intervals | {str(measure): nothing_to_resample(resampler, settings.level) for measure in rest}
    if rest:
        seen = ResampledIntervals.of(resampler, rest, settings)
        intervals |= {str(m): seen.interval(i, results[str(m)], mode.range_of(m)) for i, m in enumerate(rest)}
    return intervals
