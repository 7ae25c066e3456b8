"""Evaluate trials of any kind, the one composer of counting, curves and measures; and the answers about one system.

Conventions: trials say what they are (see `bertillon.trials.protocol`), and they are counted once for all measures
asked for. Comparisons that are not held are walked or added up first; what does so is found by kind and form, and
imported when the first of such trials is met, so that comparisons never wait for classifiers. What is no trials yet
(arrays, labels, tables) becomes such in `inputs`.

Answers are read by any name of a measure. Those asked for at first are the `results`, which are shown, written and have
intervals; one asked for later is answered from the counts at hand, or from trials counted again, and changes nothing.
Where scores were not kept the answer says why it is not known. Curves and tables of one kind of trial belong to its
tally (`evaluation.tally.cmc`, `evaluation.tally.confusion`).

A curve is named as its figure is (see `Evaluation.curves`), or as the measure set of another kind of trial names it.

Holds `evaluate`; `Evaluation` and the names of its types by kind of trial.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar, overload

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, record, say
from bertillon.core.rule import AcceptRule, readable
from bertillon.core.showing import Finding
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.tally import Needs
from bertillon.evaluation.estimate import Estimate
from bertillon.evaluation.record import evaluation_record
from bertillon.evaluation.usual import usual_measures
from bertillon.measures.base import Answer, Enclosed, Exact, Measure, Result, Spelling, result_of
from bertillon.measures.known import Known, KnownCells, KnownRates, KnownSpans
from bertillon.measures.registry import MeasureSet, measure_set_of
from bertillon.stats.interval import LEVEL, Interval, Settings
from bertillon.stats.intervals import band_of, intervals_of

if TYPE_CHECKING:
    import polars as pl

    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tally import CountedScores, Tally
    from bertillon.engine.jobs import Progress
    from bertillon.evaluation.streams import StreamedScores
    from bertillon.trials.class_tally import ClassTally
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.protocol import Countable
    from bertillon.trials.score_set import ScoreSet, ScoreStream
    from bertillon.trials.search_set import SearchSet
    from bertillon.trials.search_tally import SearchTally

_COUNTED_FIRST = {  # by kind and form: what makes trials that can be counted of those that are not held
    ("verification", "stream"): ("bertillon.evaluation.streams", "count_stream"),
    ("verification", "counts"): ("bertillon.evaluation.streams", "count_stream"),
}

TrialsT = TypeVar("TrialsT", covariant=True)
TallyT = TypeVar("TallyT", covariant=True)

AnyEvaluation: TypeAlias = "Evaluation[Any, Any]"
ScoreEvaluation: TypeAlias = "Evaluation[ScoreSet | CountedScores, Tally]"
StreamEvaluation: TypeAlias = "Evaluation[StreamedScores, Tally]"
CurveEvaluation: TypeAlias = "Evaluation[RateCurve, Tally]"
SearchEvaluation: TypeAlias = "Evaluation[SearchSet, SearchTally]"
ClassEvaluation: TypeAlias = "Evaluation[Predictions, ClassTally]"

Asked: TypeAlias = Iterable[str | Measure] | str | Measure | None
Scores: TypeAlias = Any  # what holds numbers: lists, arrays, columns of pandas and polars, torch tensors
Labels: TypeAlias = Any  # 1/0, True/False, "genuine"/"impostor" and the like, one for each score
DataFrame: TypeAlias = Any  # of pandas or polars


@overload
def evaluate(trials: RateCurve, measures: Asked = None) -> CurveEvaluation: ...
@overload
def evaluate(trials: SearchSet, measures: Asked = None) -> SearchEvaluation: ...
@overload
def evaluate(trials: Predictions, measures: Asked = None) -> ClassEvaluation: ...
@overload
def evaluate(trials: ScoreSet, measures: Asked = None) -> Evaluation[ScoreSet, Tally]: ...
@overload
def evaluate(trials: ScoreCounts, measures: Asked = None) -> StreamEvaluation: ...
@overload
def evaluate(
    trials: ScoreSet | CountedScores | ScoreStream | ScoreCounts,
    measures: Asked = None,
    *,
    progress: Progress | None = None,
) -> ScoreEvaluation: ...
@overload
def evaluate(
    genuine: Scores, impostor: Scores, /, *, measures: Asked = None, distance: bool = False, name: str = ""
) -> Evaluation[ScoreSet, Tally]: ...
@overload
def evaluate(
    *, y_true: Labels, y_score: Scores, measures: Asked = None, distance: bool = False, name: str = ""
) -> Evaluation[ScoreSet, Tally]: ...
@overload
def evaluate(
    *, y_true: Labels, y_pred: Labels, y_prob: Scores | None = None, measures: Asked = None, name: str = ""
) -> ClassEvaluation: ...
@overload
def evaluate(*, y_true: Labels, y_prob: Scores, measures: Asked = None, name: str = "") -> ClassEvaluation: ...
@overload
def evaluate(
    frame: DataFrame, /, *, score: str, label: str, measures: Asked = None, distance: bool = False, name: str = ""
) -> Evaluation[ScoreSet, Tally]: ...
@overload
def evaluate(trials: Countable, measures: Asked = None) -> AnyEvaluation: ...
def evaluate(
    *given: Any, trials: Any = None, measures: Asked = None, progress: Progress | None = None, **named: Any
) -> AnyEvaluation:
    """Answer the measures about one system; the usual ones of the mode where none are named.

    Parameters
    ----------
    *given
        Genuine and impostor scores: `evaluate(genuine, impostor)`; or a pandas or polars table, with `score` and
        `label`; or trials, such as a `ScoreSet`, a `SearchSet` or `Predictions`, and perhaps the measures.
    trials
        The trials, where they are given by name.
    measures
        Names of measures, such as "EER" or "FNMR@FMR=0.001", or a list of them.
    progress
        Watches how a stream is walked.
    **named
        `y_true` with `y_score` (one score for each comparison), with `y_prob` (probabilities of a classifier) or with
        `y_pred` (its labels); `score` and `label`, the names of columns; `distance=True` where lower scores mean more
        alike; `name`, what the system is called.

    Returns
    -------
    Evaluation
        Its answers by name; a measure that was not asked for is computed when it is read.

    Examples
    --------
    >>> import bertillon as bt
    >>> e = bt.evaluate([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    >>> e["EER"].value, e["FRR@FAR=0.2"].threshold
    (0.25, 0.6)
    >>> bt.evaluate(y_true=[1, 1, 0, 0], y_score=[0.9, 0.4, 0.5, 0.1], name="ours")["AUC"].value
    0.75
    """
    given = given if trials is None else (trials, *given)
    if given and hasattr(given[0], "kind") and hasattr(given[0], "form") and not named and len(given) <= 2:
        system, asked_for = given[0], given[1] if len(given) > 1 else measures
    else:
        from bertillon.evaluation.inputs import trials_from

        system, asked_for = trials_from(given, named), measures
    wanted = usual_measures(system) if asked_for is None else asked_for
    asked = measure_set_of(system.kind).parse_all([wanted] if isinstance(wanted, str | Measure) else wanted)
    if (system.kind, system.form) in _COUNTED_FIRST:
        module, function = _COUNTED_FIRST[system.kind, system.form]
        system = getattr(import_module(module), function)(system, asked, progress)
    return Evaluation.of(system, system.count(Needs.of(asked)), asked)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Finding, Generic[TrialsT, TallyT]):
    """The answers for one system: read them by name, as in `evaluation["EER"].value`.

    `intervals` say how sure each of them is, once asked for by `with_intervals`, and `settings` how they were found.

    Parameters
    ----------
    trials, tally, measures, results, intervals, settings, bounds
        What was evaluated, counted, asked and answered, and how sure it is.

    Examples
    --------
    >>> import bertillon as bt
    >>> evaluation = bt.evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.5]), "EER")
    >>> evaluation["FRR@FAR=0.1"].value, list(evaluation)
    (0.25, ['EER'])
    """

    trials: TrialsT  # what was evaluated
    tally: TallyT  # what was counted of it, which the measures read
    measures: tuple[Measure, ...]  # those that were asked for
    results: Mapping[str, Result]  # their answers, by their canonical names
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of values that are known within them only
    _further: dict[str, Result] = field(default_factory=dict, init=False)  # answers to measures asked for later

    @classmethod
    def of(cls, trials: Any, tally: Any, measures: Sequence[Measure]) -> Self:
        """The answers to measures for which the trials were counted."""
        known, found = _known_of(trials), cls(trials, tally, tuple(measures), {})
        answers = {str(measure): _answer(measure, tally, known, found.rule) for measure in measures}
        bounds = {name: answer.bounds for name, answer in answers.items() if isinstance(answer, Enclosed)}
        results = {name: result_of(answer) for name, answer in answers.items()}
        loose = [_bounded("reading.bounds_of", ends, name=name) for name, ends in bounds.items() if ends[0] < ends[1]]
        if loose:
            trials = replace(trials, notes=(*trials.notes, say("reading.bounds", bounds=loose)))
        return replace(found, trials=trials, results=results, bounds=bounds)

    @property
    def kind(self) -> str:
        """What was tried: "verification", "identification", "classification", "curve", or a kind of another package."""
        return str(self._about.kind)

    @property
    def measure_set(self) -> MeasureSet:
        """The measures of this kind of trial."""
        return measure_set_of(self.kind)

    @property
    def name(self) -> str:
        """The system's name."""
        return str(self._about.name)

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted; of a listed curve without thresholds it does not matter."""
        return self._about.rule or AcceptRule.SIMILARITY

    @property
    def counts(self) -> dict[str, int]:
        """How many trials of each kind, and how many failed."""
        return dict(self._about.counts)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to; from the tally where that depends on what was decided."""
        return dict((self.tally if hasattr(self.tally, "definitions") else self._about).definitions)

    @property
    def curves(self) -> tuple[str, ...]:
        """The curves that these trials have, by the names of their figures."""
        return tuple((self.tally if hasattr(self.tally, "curves") else self._about).curves)

    def __getitem__(self, measure: str | Measure) -> Estimate:
        name = measure if isinstance(measure, str) and measure in self.results else ""  # most ask by the canonical name
        if not name:
            asked = self.measure_set.parse(measure)
            name = str(asked)
            if name not in self.results and name not in self._further:
                self._further[name] = self._answered(asked)
        result = self.results[name] if name in self.results else self._further[name]
        known = self.measure_set.canonical_name(
            Spelling.read(name).name
        )  # a measure may be handed in, and not registered
        unit = self.measure_set.unit_of(name) if known else "number"
        return Estimate.of(result, name, unit, self.intervals.get(name))

    def __repr__(self) -> str:
        """The answers, a line each, and not the trials."""
        of = f" of {self.name}" if self.name else ""
        counts = ", ".join(f"{number:,} {kind}" for kind, number in self.counts.items() if number or kind != "failed")
        seen = getattr(self.tally, "looks_reversed", False)
        hint = [f"! {say(f'advice.direction.{self.rule.value}.short')}"] if seen else []
        return "\n  ".join([f"<{type(self).__name__}{of}: {counts}", *(str(self[name]) for name in self), *hint]) + ">"

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def with_intervals(
        self,
        *,
        level: float = LEVEL,
        resamples: int = 1000,
        seed: int = 0,
        method: str = "auto",
        by_group: bool = False,
        sides: str = "both",
    ) -> Self:
        """The same answers, and how sure each of them is; by subject where it is known whose the trials are.

        Predictions are taken one by one, or `by_group`; a value only bounded has none. With `sides` "upper" or "lower"
        each is a bound of one side, which has all of the confidence.

        >>> import bertillon as bt
        >>> evaluation = bt.evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.5]), "FNMR@t=0.5").with_intervals()
        >>> interval = evaluation.intervals["FNMR@t=0.5"]
        >>> interval.holds(0.25), interval.naive
        (True, True)
        """
        self._require_trials("there are no intervals")
        settings = Settings(level, resamples, seed, method, by_group, sides)
        intervals = dict(intervals_of(self._resampled, self.measures, self.results, settings))
        loose = {of: _bounded("reason.within_bounds", ends) for of, ends in self.bounds.items() if ends[0] < ends[1]}
        intervals |= {name: Interval.undefined(reason, level) for name, reason in loose.items()}
        return replace(self, intervals=intervals, settings=settings)

    def band(self, curve: str, *, kind: Kind = "pointwise") -> Band:
        """How sure a curve is: roc, det; cmc, watch-list; precision-recall, reliability. With the intervals' settings.

        >>> import bertillon as bt
        >>> evaluation = bt.evaluate(bt.SearchSet.from_ranks([1, 1, 1, 2, 3], gallery_size=10), "RR")
        >>> evaluation.band("cmc").high.tolist()[2:]
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        """
        self._require_trials(f"{curve} has no band")
        return band_of(self._resampled, curve, settings=self.settings, kind=kind)

    @property
    def signature(self) -> dict[str, Any]:
        """What one needs to know to get the same numbers again; what is words is a message."""
        return {"version": __version__, **self.definitions, "intervals": self._interval_settings()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined number is None with its reason, an infinity is "inf"."""
        return evaluation_record(self)

    def to_json(self) -> str:
        """The same as strict JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: name, value, threshold, errors, trials, reason, and its interval where there is one."""
        import polars as pl

        columns = {"value": pl.Float64, "threshold": pl.Float64, "errors": pl.Int64, "trials": pl.Int64, "reason": str}
        ends = {"low": pl.Float64, "high": pl.Float64, "level": pl.Float64, "method": str} if self.intervals else {}
        rows = [
            {"name": name, **record(result), **{end: record(getattr(self.intervals[name], end)) for end in ends}}
            for name, result in self.results.items()
        ]
        return pl.DataFrame(rows, schema={"name": str, **columns, **ends})

    @property
    def _about(self) -> Any:
        """The trials, of whatever kind."""
        return self.trials

    @cached_property
    def _known(self) -> Known | None:
        return _known_of(self.trials)

    @property
    def _resampled(self) -> Any:
        """The trials as they are resampled: a stream at no more thresholds than its answers need."""
        return self._about.at_fewer_thresholds(self.measures) if self._about.form == "streamed" else self.trials

    def _answered(self, measure: Measure) -> Result:
        """The answer to a further measure; trials that are held are counted again where the tally lacks something."""
        tally: Any = self.tally
        needs = Needs.of([measure])
        if self._known is None and not (hasattr(tally, "holds") and tally.holds(needs)):
            tally = self._about.count(needs)
        answer = _answer(measure, tally, self._known, self.rule)
        if isinstance(answer, Enclosed) and answer.bounds[0] < answer.bounds[1]:
            return replace(answer.result, reason=_bounded("reason.within_bounds", answer.bounds))
        return result_of(answer)

    def _require_trials(self, lacking: str) -> None:
        """Without the number of comparisons nobody knows how sure a rate is."""
        if self.kind == "curve":
            raise InputError(f"{self.name}: holds a curve, not scores, so {lacking}; give the scores")

    def _interval_settings(self) -> Message:
        if self.settings is None:
            return say("signature.intervals.none")
        by_group, side = (asked := asdict(self.settings)).pop("by_group"), asked.pop("sides")
        said = say("signature.intervals.settings", **asked)
        said = say("signature.intervals.by_group", settings=said) if by_group else said
        return said if side == "both" else say(f"signature.intervals.{side}", settings=said)


def _known_of(trials: Any) -> Known | None:
    """What is known of trials that were not kept; None where all of them are held."""
    match trials.kind, trials.form:
        case "verification", "counted":
            return KnownCells(trials.tally, trials.thresholds)
        case "verification", "streamed":
            return KnownSpans(trials.tally, trials.spans, trials.dtype, trials.visited)
        case "curve", _:
            return KnownRates(trials)
    return None


def _answer(measure: Measure, tally: Any, known: Known | None, rule: AcceptRule) -> Answer:
    """What the counts say, with its threshold in the user's units."""
    if known is None:
        return Exact(measure.of(tally).restored(rule))
    answer = measure.on(known)
    return answer if isinstance(answer, Message) else replace(answer, result=known.shown(answer.result))


def _bounded(key: str, ends: tuple[float, float], **values: Any) -> Message:
    """A message about two bounds, rounded outwards, so that what is said is as certain as what is known.

    >>> str(_bounded("reason.within_bounds", (0.98313264, 0.98316041)))
    'known only within bounds, 0.983132 to 0.983161'
    """
    rounded = (Context(6, how).create_decimal(end) for end, how in zip(ends, (ROUND_FLOOR, ROUND_CEILING), strict=True))
    low, high = (readable(float(end)) for end in rounded)
    return say(key, range=say("reason.between", low=low, high=high), **values)
