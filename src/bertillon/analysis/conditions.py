"""Any measure under each condition of the trials: pooled, the mean with equal weights, the worst, and differences.

Trials are comparisons, searches (by the condition of their probe), predictions, or those of another package.

    own threshold      a measure that picks a threshold (EER, FNMR@FMR=0.001) picks one in each condition anew
    global threshold   both error rates of each condition at the threshold that all trials together give: FNMR and FMR,
                       of searches FNIR and FPIR, of classifiers FNR and FPR

A system in use has one threshold, so the rates at the global one are what its users meet; the own ones say how well it
could do if it knew the condition.

Conventions: what is said of one condition is what an evaluation of its trials alone says, intervals too. For means
and differences people are drawn once for all conditions, since the same people may stand in several: that a difference
has an interval of its own, not that of independent samples. Trials that belong to nobody are drawn one by one. All
searches are in the same gallery.
The worst condition is looked for in the data, so its interval is made of those of all: below the highest of lower ends
at a level that holds for all of them together (Bonferroni), and up to the highest of the upper ends. Where resamples
cannot tell, errors being too few, there is a reason in place of an interval.

Holds `by_condition` with its `ConditionResults`, made of `Evaluation`s, `ConditionDifference` and `Worst`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import Message, say, text_of
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.counting import Failures
from bertillon.evaluation import AnyEvaluation, evaluate, plain, usual_measures
from bertillon.measures import Measure, better
from bertillon.measures.base import Result
from bertillon.measures.registry import measure_set_of
from bertillon.stats.at_threshold import Measured
from bertillon.stats.ends import Range, ResampledIntervals
from bertillon.stats.interval import Interval, Settings
from bertillon.stats.kinds import Statistics, statistics_of
from bertillon.trials import TrialConditions, conditions_of_values
from bertillon.trials.protocol import Trials, require_trials

MOST_PAIRED = 6  # conditions, of which every two are set against each other; of more each against the first
AT_GLOBAL = {  # both error rates at a threshold, by kind of trial
    "verification": ("FNMR", "FMR"),
    "identification": ("FNIR", "FPIR"),
    "classification": ("FNR", "FPR"),
}
FAILURES = ("failed", "failed_enrolled", "failed_nonenrolled")  # numbers of trials that have no row, where kept so
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ConditionDifference:
    """A measure in the second condition less that in the first, the same people drawn for both."""

    measure: str
    first: str
    second: str
    value: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ends = plain([self.interval.low, self.interval.high])
        about = {"measure": self.measure, "first": self.first, "second": self.second, "difference": plain(self.value)}
        about |= {"interval": None if math.isnan(self.interval.low) else ends, "level": self.interval.level}
        about |= self.interval.side_record
        return about | {"method": str(self.interval.method), "reason": text_of(self.interval.reason)}


@dataclass(frozen=True, slots=True)
class Worst:
    """The condition in which a measure is worst, and where its worst value lies."""

    condition: str
    measured: Measured


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConditionResults(Finding):
    """Measures under each condition, of all trials, and between conditions."""

    pooled: AnyEvaluation
    by: tuple[str, ...]
    conditions: tuple[AnyEvaluation, ...]  # each named by its condition
    asked: tuple[str, ...]  # the measures; `at_global` are further ones
    at_global: Mapping[str, tuple[float, str, str]]  # of a measure: the threshold it picks of all, and both rates there
    means: Mapping[str, Measured]
    worst: Mapping[str, Worst]
    differences: tuple[ConditionDifference, ...]
    people: tuple[int | None, ...]
    notes: tuple[Message, ...] = ()

    @property
    def name(self) -> str:
        """The system's."""
        return self.pooled.name

    @property
    def level(self) -> float:
        """The confidence of the intervals."""
        return (self.pooled.settings or Settings()).level

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions."""
        return tuple(each.name for each in self.conditions)

    @property
    def every(self) -> tuple[str, ...]:
        """All measures, also those at global thresholds."""
        return tuple(self.pooled.results)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        each = [
            {"condition": one.name, "counts": one.counts, "people": people, "measures": one.to_dict()["measures"]}
            for one, people in zip(self.conditions, self.people, strict=True)
        ]
        at_global = {
            name: {"threshold": threshold, "measures": list(rates)}
            for name, (threshold, *rates) in self.at_global.items()
        }
        means = {name: mean.to_dict() for name, mean in self.means.items()}
        worst = {name: {"condition": one.condition, **one.measured.to_dict()} for name, one in self.worst.items()}
        whole = {"name": self.name, "by": list(self.by), "level": self.level, "conditions": each}
        whole |= {"pooled": self.pooled.to_dict()["measures"], "at_global_threshold": at_global}
        whole |= {"equal_weight_mean": means, "worst": worst}
        made: dict[str, Any] = plain(whole | {"differences": [one.to_dict() for one in self.differences]})
        return made | {"notes": [str(note) for note in self.notes]}

    def to_frame(self) -> pl.DataFrame:
        """One row a measure of a condition; then those of all, means and the worst."""
        rows = [
            {"condition": one.name, "kind": kind, "measure": name, **_columns(result, one.intervals[name])}
            for kind, every in (("condition", self.conditions), ("pooled", (self.pooled,)))
            for one in every
            for name, result in one.results.items()
        ]
        beside = [("", "equal-weight mean", name, mean) for name, mean in self.means.items()]
        beside += [(one.condition, "worst", name, one.measured) for name, one in self.worst.items()]
        rows += [
            {"condition": condition, "kind": kind, "measure": name, **_columns(one.result, one.interval)}
            for condition, kind, name, one in beside
        ]
        kinds = {"threshold": pl.Float64, "errors": pl.Int64, "trials": pl.Int64, "reason": pl.String}
        return pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None)


def _columns(result: Result, interval: Interval) -> dict[str, Any]:
    numbers = {"value": result.value, "low": interval.low, "high": interval.high, "threshold": result.threshold}
    counts = {"errors": result.errors, "trials": result.trials}
    return numbers | counts | {"reason": text_of(result.reason or interval.reason)}


def by_condition(
    trials: Trials,
    by: Mapping[str, ArrayLike] | TrialConditions,
    measures: Sequence[str | Measure] | str | None = None,
    *,
    settings: Settings | None = None,
) -> ConditionResults:
    """Measures under each condition, pooled, their mean with equal weights, the worst, and their differences.

    Parameters
    ----------
    trials
        Comparisons, searches or predictions, best with their subjects.
    by
        A column of values for all trials (of comparisons the mated ones first): `{"light": [...]}`; bins of numbers by
        their name, `{"years:0,2,5,10": [...]}`; two columns are crossed.
    measures
        Names of measures; the usual ones by default.
    settings
        How intervals are made.

    Returns
    -------
    ConditionResults
        The results of every condition and between them.

    Examples
    --------
    >>> import bertillon as bt
    >>> scores = bt.ScoreSet([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.6, 0.3])
    >>> found = bt.analysis.by_condition(scores, {"light": ["day", "day", "night", "night"] * 2}, ["EER"])
    >>> {one.name: one["EER"].value for one in found.conditions}, found.worst["EER"].condition
    ({'day': 0.0, 'night': 0.5}, 'night')
    >>> searches = bt.SearchSet.from_ranks([1, 1, 1, 4], gallery_size=10)
    >>> found = bt.analysis.by_condition(searches, {"light": ["day", "day", "night", "night"]}, ["RR"])
    >>> {one.name: one["RR"].value for one in found.conditions}
    {'day': 1.0, 'night': 0.5}
    """
    require_trials(trials)
    conditions = by if isinstance(by, TrialConditions) else conditions_of_values(by)
    conditions.require_fit(trials)
    wanted = usual_measures(trials) if measures is None else [measures] if isinstance(measures, str) else measures
    asked = measure_set_of(trials.kind).parse_all(wanted)
    chosen = settings or Settings()
    at_global, every = _with_global(evaluate(trials, asked), asked)
    parts, notes = _parts(trials, conditions)
    how: dict[str, Any] = {"level": chosen.level, "resamples": chosen.resamples, "seed": chosen.seed}
    how |= {"method": chosen.method, "sides": chosen.sides, "by_group": chosen.by_group}
    evaluated = tuple(evaluate(part, every).with_intervals(**how) for part in parts)
    joint = _Joint(trials, conditions, evaluated, every, chosen)
    return ConditionResults(
        evaluate(trials, every).with_intervals(**how),
        conditions.by,
        evaluated,
        tuple(map(str, asked)),
        at_global,
        {str(measure): joint.mean(measure) for measure in every},
        {str(measure): worst for measure in every if (worst := joint.worst(measure, how)) is not None},
        tuple(joint.difference(measure, *pair) for measure in asked for pair in _pairs(len(parts))),
        tuple(statistics_of(part, chosen).people for part in parts),
        notes,
    )


def _with_global(
    whole: AnyEvaluation, asked: Sequence[Measure]
) -> tuple[dict[str, tuple[float, str, str]], list[Measure]]:
    """The thresholds that measures pick of all trials, with both rates there; and all measures, these rates too."""
    at_global: dict[str, tuple[float, str, str]] = {}
    kinds, measures = AT_GLOBAL.get(whole.kind), whole.measure_set
    for name, result in whole.results.items() if kinds else ():
        if kinds and result.threshold is not None and math.isfinite(result.threshold):
            rejected, accepted = (str(measures.parse(f"{kind}@t={result.threshold!r}")) for kind in kinds)
            at_global[name] = (result.threshold, rejected, accepted)
    rates = measures.parse_all([rate for one in at_global.values() for rate in one[1:]])
    return at_global, list(dict.fromkeys([*asked, *rates]))


def _parts(trials: Trials, conditions: TrialConditions) -> tuple[list[Any], tuple[Message, ...]]:
    """The trials of each condition, with those that failed where it is known which."""
    parts = []
    for place, name in enumerate(conditions.names):
        lost = (0, 0) if conditions.failed is None else conditions.failed[place].tolist()
        part: Any = trials.select(conditions.rows(place))
        messages = {field: () for field in ("notes", "warnings") if hasattr(part, field)}
        if hasattr(part, "failures"):
            failed: dict[str, Any] = {"failures": Failures(mated=lost[0], nonmated=lost[1])}
        else:
            known = dict(zip(FAILURES, (sum(lost), *lost), strict=True))
            failed = {field.name: known[field.name] for field in fields(part) if field.name in FAILURES}
        parts.append(replace(part, name=name, **messages, **failed))
    unknown = trials.failed if conditions.failed is None else 0
    return parts, (say("condition.failed", n=unknown),) if unknown else ()


def _pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2)) if n <= MOST_PAIRED else [(0, other) for other in range(1, n)]


@dataclass(frozen=True, slots=True)
class _Contrast:
    """A weighted sum of a measure over conditions."""

    measure: int
    weights: tuple[float, ...]

    def over(self, values: FloatArray) -> FloatArray:
        """Of values (conditions, resamples, measures)."""
        terms = [w * values[place, :, self.measure] for place, w in enumerate(self.weights) if w]
        return np.asarray(np.sum(terms, axis=0))


class _Joint:
    """What is said of several conditions together."""

    def __init__(
        self,
        trials: Trials,
        conditions: TrialConditions,
        evaluated: Sequence[AnyEvaluation],
        measures: Sequence[Measure],
        settings: Settings,
    ) -> None:
        self.trials, self.conditions, self.evaluated = trials, conditions, evaluated
        self.measures, self.settings = list(measures), settings
        n = len(evaluated)
        self.contrasts = [_Contrast(place, (1.0 / n,) * n) for place in range(len(measures))]
        for first, second in _pairs(n):
            weights = tuple(float(place == second) - float(place == first) for place in range(n))
            self.contrasts += [_Contrast(place, weights) for place in range(len(measures))]

    def mean(self, measure: Measure) -> Measured:
        """Every condition with the same weight."""
        place, n = self.measures.index(measure), len(self.evaluated)
        return self._of(measure, _Contrast(place, (1.0 / n,) * n), self._statistics.range_of(measure))

    def difference(self, measure: Measure, first: int, second: int) -> ConditionDifference:
        """The second condition less the first."""
        weights = tuple(float(place == second) - float(place == first) for place in range(len(self.evaluated)))
        values = self._statistics.range_of(measure)
        width = values.high - values.low
        found = self._of(measure, _Contrast(self.measures.index(measure), weights), Range(-width, width))
        names = self.conditions.names
        return ConditionDifference(str(measure), names[first], names[second], found.value, found.interval)

    def worst(self, measure: Measure, how: Mapping[str, Any]) -> Worst | None:
        """The condition that is worst; None where nobody says which way is better, or a value is undefined."""
        name, lower = str(measure), better(measure) < 0
        values = [each.results[name].value for each in self.evaluated]
        if not better(measure) or any(map(math.isnan, values)):
            return None
        place = int(np.argmax(values) if lower else np.argmin(values))
        ends = [each.intervals[name] for each in self.evaluated]
        stricter = [each.intervals[name] for each in self._at_stricter_level(how)]
        own, n = ends[place], len(values)
        if any(math.isnan(interval.low) for interval in (*ends, *stricter)):
            why = next((interval.reason for interval in ends if math.isnan(interval.low)), None)
            interval = Interval.undefined(why or say("reason.one_undefined"), own.level)
        else:
            if lower:
                lowest, highest = max(one.low for one in stricter), max(one.high for one in ends)
            else:
                lowest, highest = min(one.low for one in ends), min(one.high for one in stricter)
            lowest, highest = min(lowest, values[place]), max(highest, values[place])
            method = say("method.over_conditions", n=n)
            interval = replace(own, low=lowest, high=highest, method=method, threshold=None, claim="at least")
        return Worst(self.conditions.names[place], Measured(self.evaluated[place].results[name], interval))

    def _at_stricter_level(self, how: Mapping[str, Any]) -> Sequence[AnyEvaluation]:
        """The same at a level that holds for all conditions together."""
        if self._stricter is None:
            level = 1.0 - (1.0 - self.settings.level) / len(self.evaluated)
            self._stricter = [each.with_intervals(**{**how, "level": level}) for each in self.evaluated]
        return self._stricter

    _stricter: Sequence[AnyEvaluation] | None = None

    @cached_property
    def _statistics(self) -> Statistics:
        return statistics_of(self.trials, self.settings.two_sided)

    def _of(self, measure: Measure, contrast: _Contrast, allowed: Range) -> Measured:
        """The value and the interval of a contrast."""
        name, level = str(measure), self.settings.level
        used = [each for each, weight in zip(self.evaluated, contrast.weights, strict=True) if weight]
        for each in used:
            result = each.results[name]
            if math.isnan(result.value):
                reason = say("condition.undefined_in", condition=each.name, reason=result.reason or "NaN")
                return Measured(Result.undefined(reason), Interval.undefined(reason, level))
        value = math.fsum(
            weight * each.results[name].value
            for each, weight in zip(self.evaluated, contrast.weights, strict=True)
            if weight
        )
        for each in used:
            few = statistics_of(each.trials, self.settings.two_sided).untestable(measure, each.results[name])
            if few is not None:
                reason = say("condition.undefined_in", condition=each.name, reason=few)
                return Measured(Result(value), Interval.undefined(reason, level))
        if self._drawn is None:
            why = say("condition.one_class" if self._one_class else "condition.one_unit")
            return Measured(Result(value), Interval.undefined(why, level))
        interval = self._drawn.interval(contrast, Result(value), allowed)  # type: ignore[arg-type]
        if self.settings.sides != "both":
            interval = interval.one_sided(self.settings.sides, level, allowed.low, allowed.high)
        return Measured(Result(value), interval.by_people(self._statistics.people))

    @cached_property
    def _one_class(self) -> bool:
        """Has a condition comparisons of one class only? Searches and samples are drawn all the same."""
        return any(not each.counts.get(kind, 1) for each in self.evaluated for kind in ("mated", "nonmated"))

    @cached_property
    def _drawn(self) -> ResampledIntervals | None:
        """All contrasts over one draw of people; None where there is nothing to draw."""
        if self._one_class:
            return None
        rows = [self.conditions.rows(place) for place in range(len(self.evaluated))]
        resampler = statistics_of(self.trials, self.settings).of_parts(rows, self.measures)
        if resampler is None:
            return None
        contrasts: list[Any] = self.contrasts
        return ResampledIntervals.of(resampler, contrasts, self.settings.two_sided)
