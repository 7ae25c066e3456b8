"""The answers about the trials of one system: one class for comparisons, searches, predictions and any other kind.

Conventions: answers are read by any name of a measure. Those asked for at first are the `results`, which are shown,
written and have intervals; a measure asked for later is answered from the counts at hand, or from trials that are held
and counted again, and changes nothing. Where scores were not kept the answer says why it is not known. Curves and
tables of one kind of trial belong to its tally (`evaluation.tally.cmc`, `evaluation.tally.confusion`).

A curve is named as its figure is (see `Evaluation.curves`): roc and det; cmc and watch-list; precision-recall and
reliability; or as the measure set of another kind of trial names it.

Holds `Evaluation`, the names of its types by kind of trial (`ScoreEvaluation`, `SearchEvaluation`, `ClassEvaluation`,
...), the bands of its curves (`bands_of`, `Bands`, `each_of`), what analyses ask of it (`kept_scores`, `not_kept`,
`eer_threshold`), and `plain` for JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias, TypeVar

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, record, say
from bertillon.core.rule import AcceptRule, readable
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.tally import Needs
from bertillon.measures.base import Measure, Result
from bertillon.measures.known import Answer, Enclosed, Exact, Known, KnownCells, KnownRates, KnownSpans, result_of
from bertillon.measures.registry import MeasureSet, measure_set_of
from bertillon.stats.interval import LEVEL, Interval, Settings
from bertillon.stats.intervals import band_of, intervals_of

if TYPE_CHECKING:
    import polars as pl

    from bertillon.counting.curves.rate_curve import RateCurve
    from bertillon.counting.tally import CountedScores, Tally
    from bertillon.evaluation.streams import StreamedScores
    from bertillon.trials.class_tally import ClassTally
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.score_set import ScoreSet
    from bertillon.trials.search_set import SearchSet
    from bertillon.trials.search_tally import SearchTally

SCHEMA = 1  # of the JSON that is written; it is described in docs/schema

TrialsT = TypeVar("TrialsT", covariant=True)
TallyT = TypeVar("TallyT", covariant=True)

AnyEvaluation: TypeAlias = "Evaluation[Any, Any]"
ScoreEvaluation: TypeAlias = "Evaluation[ScoreSet | CountedScores, Tally]"
StreamEvaluation: TypeAlias = "Evaluation[StreamedScores, Tally]"
CurveEvaluation: TypeAlias = "Evaluation[RateCurve, Tally]"
SearchEvaluation: TypeAlias = "Evaluation[SearchSet, SearchTally]"
ClassEvaluation: TypeAlias = "Evaluation[Predictions, ClassTally]"

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Generic[TrialsT, TallyT]):
    """The answers for one system: read them by name, as in `evaluation["EER"].value`.

    `intervals` say how sure each of them is, once asked for by `with_intervals`, and `settings` how they were found.

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
        kind: str = self._about.kind
        return kind

    @property
    def measure_set(self) -> MeasureSet:
        """The measures of this kind of trial."""
        return measure_set_of(self.kind)

    @property
    def name(self) -> str:
        """The system's name."""
        name: str = self._about.name
        return name

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

    def __getitem__(self, measure: str | Measure) -> Result:
        if isinstance(measure, str) and measure in self.results:  # most ask by the canonical name
            return self.results[measure]
        asked = self.measure_set.parse(measure)
        name = str(asked)
        if name in self.results:
            return self.results[name]
        if name not in self._further:
            self._further[name] = self._answered(asked)
        return self._further[name]

    def __repr__(self) -> str:
        """The answers in a line, and not the trials: a thousand scores would hide them."""
        of = f" of {self.name}" if self.name else ""
        counts = ", ".join(f"{number:,} {kind}" for kind, number in self.counts.items())
        values = ", ".join(f"{measure} {result.value:.6g}" for measure, result in self.results.items())
        return f"<{type(self).__name__}{of}: {counts}; {values}>"

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
    ) -> Self:
        """The same answers, and how sure each of them is; by subject where it is known whose the trials are.

        Predictions are taken one by one, or `by_group`: all samples of a group together. A value that is only bounded
        has no interval.

        >>> import bertillon as bt
        >>> evaluation = bt.evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.5]), "FNMR@t=0.5").with_intervals()
        >>> interval = evaluation.intervals["FNMR@t=0.5"]
        >>> interval.holds(0.25), interval.naive
        (True, True)
        """
        self._require_trials("there are no intervals")
        settings = Settings(level, resamples, seed, method, by_group)
        intervals = dict(intervals_of(self._resampled, self.measures, self.results, settings))
        for name, ends in self.bounds.items():
            if ends[0] < ends[1]:
                intervals[name] = Interval.undefined(_bounded("reason.within_bounds", ends), level)
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
        whole = {
            "bertillon": __version__,
            "schema": SCHEMA,
            "mode": self.kind,
            "name": self.name,
            "rule": self.rule.value,
            "counts": self.counts,
            "measures": [self._row(name) for name in self.results],
            "signature": plain(record(self.signature)),
        }
        return whole | {"counted": self._counted()} if self._about.form == "streamed" else whole

    def to_json(self) -> str:
        """The same as strict JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: name, value, threshold, errors, trials, reason, and its interval where there is one."""
        import polars as pl

        columns = {"value": pl.Float64, "threshold": pl.Float64, "errors": pl.Int64, "trials": pl.Int64, "reason": str}
        rows = [{"name": name} | record(result) for name, result in self.results.items()]
        frame = pl.DataFrame(rows, schema={"name": str, **columns})
        if not self.intervals:
            return frame
        intervals = [self.intervals[name] for name in self.results]
        return frame.with_columns(
            pl.Series("low", [interval.low for interval in intervals], dtype=pl.Float64),
            pl.Series("high", [interval.high for interval in intervals], dtype=pl.Float64),
            pl.Series("level", [interval.level for interval in intervals], dtype=pl.Float64),
            pl.Series("method", [str(interval.method) for interval in intervals], dtype=pl.String),
        )

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

    def _row(self, name: str) -> dict[str, Any]:
        """A measure as JSON shows it."""
        row = {"name": name, **plain(record(self.results[name]))}
        interval = self.intervals.get(name)
        if interval is None:
            return row
        ends = None if math.isnan(interval.low) else [interval.low, interval.high]
        more: dict[str, Any] = {"interval": ends, "level": interval.level, "method": str(interval.method)}
        more["naive"] = interval.naive
        more |= {"threshold_interval": interval.threshold} if interval.threshold is not None else {}
        more |= {"interval_reason": str(interval.reason)} if interval.reason else {}
        return row | {key: plain(value) for key, value in more.items()}

    def _counted(self) -> dict[str, Any]:
        """How the scores of a stream were counted, and what is known within bounds only."""
        return {
            "how": str(self._about.way),
            "passes": self._about.passes,
            "bounds": {name: plain(list(ends)) for name, ends in self.bounds.items()},
            "sources": [
                {"name": source.name, "mated": source.mated, "nonmated": source.nonmated, "data": source.fingerprint}
                for source in self._about.sources
            ],
        }

    def _interval_settings(self) -> Message:
        if self.settings is None:
            return say("signature.intervals.none")
        asked = asdict(self.settings)
        by_group = asked.pop("by_group")
        said = say("signature.intervals.settings", **asked)
        return say("signature.intervals.by_group", settings=said) if by_group else said


def bands_of(evaluation: AnyEvaluation, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    bands = {curve: evaluation.band(curve, kind=kind) for curve in evaluation.curves if curve != "roc"}
    return ({"roc": bands["det"].complement} if "det" in bands else {}) | bands


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems


def kept_scores(evaluation: ScoreEvaluation, option: str) -> ScoreSet:
    """All scores of an evaluation; where they were counted and not kept, `option` is refused."""
    if evaluation.trials.form != "whole":
        raise not_kept(evaluation.name, option)
    return evaluation.trials


def not_kept(name: object, option: str) -> InputError:
    """Why `option` is refused where scores are counted."""
    return InputError(
        f"{name}: {option} needs every score, and these are counted and not kept; leave it out, or compare fewer "
        "(--sample-nonmated)"
    )


def eer_threshold(evaluation: ScoreEvaluation) -> float:
    """The threshold of the EER, worked out where nobody asked for it."""
    result = evaluation["EER"]
    if result.threshold is None:
        raise InputError(f"{evaluation.name}: the EER has no threshold: {result.reason}; add the missing scores")
    return result.threshold


def plain(value: Any) -> Any:
    """A value, or a dict or list of values, as strict JSON allows it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


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
