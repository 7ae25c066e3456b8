"""What every evaluation has in common: answers read by name, a signature, and the ways out to dict, frame and JSON."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from bertillon._version import __version__
from bertillon.core.messages import Message, record, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.band import Band, Kind
from bertillon.measures.base import Measure, Result
from bertillon.measures.registry import MeasureSet, measure_set_of
from bertillon.stats.bands.along import band_of
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.intervals.of_measures import intervals_of
from bertillon.stats.settings import Settings

if TYPE_CHECKING:
    import polars as pl

SCHEMA = 1  # of the JSON that is written; it is described in docs/schema


class BaseEvaluation(ABC):
    """Results under the canonical names of their measures, for one system in one mode.

    `intervals` say how sure each of them is, once asked for by `with_intervals`, and `settings` how they were found.
    """

    results: Mapping[str, Result]
    intervals: Mapping[str, Interval]
    settings: Settings | None
    bounds: Mapping[str, tuple[float, float]] = MappingProxyType({})  # of values that are known within bounds only

    @property
    @abstractmethod
    def trials(self) -> Any:
        """What was evaluated."""

    @property
    def kind(self) -> str:
        """What was tried: "verification", "identification", "classification", "curve", or a kind of another package."""
        kind: str = self.trials.kind
        return kind

    @property
    def measure_set(self) -> MeasureSet:
        """The measures of this kind of trial."""
        return measure_set_of(self.kind)

    @property
    def name(self) -> str:
        """The system's name."""
        name: str = self.trials.name
        return name

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted."""
        rule: AcceptRule = self.trials.rule
        return rule

    @property
    def counts(self) -> dict[str, int]:
        """How many trials of each kind, and how many failed."""
        return dict(self.trials.counts)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return dict(self.trials.definitions)

    @property
    def curves(self) -> tuple[str, ...]:
        """The curves that these trials have, by the names of their figures."""
        return tuple(self.trials.curves)

    @property
    def resampled_trials(self) -> Any:
        """The trials in the form in which they are resampled for intervals and bands."""
        return self.trials

    def __getitem__(self, measure: str | Measure) -> Result:
        name = str(self.measure_set.parse(measure))
        if name not in self.results:
            raise KeyError(f"{name} was not evaluated; evaluated were {', '.join(self.results)}")
        return self.results[name]

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

        Predictions are taken one by one, or `by_group`: all samples of a group together.

        >>> import bertillon as bt
        >>> evaluation = bt.evaluate(bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.5]), "FNMR@t=0.5").with_intervals()
        >>> interval = evaluation.intervals["FNMR@t=0.5"]
        >>> interval.holds(0.25), interval.naive
        (True, True)
        """
        settings = Settings(level, resamples, seed, method, by_group)
        measures = self.measure_set.parse_all(self.results)
        intervals = intervals_of(self.resampled_trials, measures, self.results, settings)
        return replace(self, intervals=intervals, settings=settings)  # type: ignore[type-var]

    def band(self, curve: str, *, kind: Kind = "pointwise") -> Band:
        """How sure a curve is: roc, det; cmc, watch-list; precision-recall, reliability. With the intervals' settings.

        >>> import bertillon as bt
        >>> evaluation = bt.evaluate(bt.SearchSet.from_ranks([1, 1, 1, 2, 3], gallery_size=10), "RR")
        >>> evaluation.band("cmc").high.tolist()[2:]
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        """
        return band_of(self.resampled_trials, curve, settings=self.settings, kind=kind)

    @property
    def signature(self) -> dict[str, Any]:
        """What one needs to know to get the same numbers again; what is words is a message."""
        return {"version": __version__, **self.definitions, "intervals": self._interval_settings()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined number is None with its reason, an infinity is "inf"."""
        return {
            "bertillon": __version__,
            "schema": SCHEMA,
            "mode": self.kind,
            "name": self.name,
            "rule": self.rule.value,
            "counts": self.counts,
            "measures": [self._row(name) for name in self.results],
            "signature": plain(record(self.signature)),
        }

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

    def _interval_settings(self) -> Message:
        if self.settings is None:
            return say("signature.intervals.none")
        asked = asdict(self.settings)
        by_group = asked.pop("by_group")
        said = say("signature.intervals.settings", **asked)
        return say("signature.intervals.by_group", settings=said) if by_group else said


def plain(value: Any) -> Any:
    """A value, or a dict or list of values, as strict JSON allows it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
