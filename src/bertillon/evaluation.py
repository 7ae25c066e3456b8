"""Evaluate a score set: the only place that brings counting, curves and measures together.

Conventions: one pass over the data answers all measures asked for. Thresholds in an `Evaluation` are in the user's
units. Every evaluation carries a signature from which it can be repeated.

Holds `evaluate`, `error_curve`, `Evaluation` and `DEFAULT_MEASURES`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bertillon._version import __version__
from bertillon.counts.fingerprint import fingerprint
from bertillon.counts.ranking import wins_from_curve
from bertillon.counts.tally import Need, Tally, count_errors, take_tally
from bertillon.curves.error_curve import ErrorCurve
from bertillon.measures import Measure, Result, parse, parse_all
from bertillon.rule import AcceptRule
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    import polars as pl

DEFAULT_MEASURES = (
    "EER",
    "FNMR@FMR=0.01",
    "FNMR@FMR=0.001",
    "FNMR@FMR=0.0001",
    "ZeroFMR",
    "ZeroFNMR",
    "AUC",
    "dprime",
    "dprime[sum]",
)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The answers for one system: read them by name, as in `evaluation["EER"].value`."""

    scores: ScoreSet
    results: Mapping[str, Result]
    curve: ErrorCurve  # every threshold; where there are more than a million scores, an outline exact at each point

    def __getitem__(self, measure: str | Measure) -> Result:
        name = str(parse(measure))
        if name not in self.results:
            raise KeyError(f"{name} was not evaluated; evaluated were {', '.join(self.results)}")
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def name(self) -> str:
        """The system's name."""
        return self.scores.name

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted."""
        return self.scores.rule

    @property
    def looks_reversed(self) -> bool:
        """Non-mated scores look more alike than mated ones: AUC below one half."""
        wins = wins_from_curve(
            self.curve.counts.false_match, self.curve.counts.false_nonmatch, self.curve.counts.n_mated
        )
        return 2 * wins.won + wins.tied < wins.pairs

    @property
    def counts(self) -> dict[str, int]:
        """How many comparisons of each kind, and how many failed."""
        scores = self.scores
        return {
            "mated": scores.mated.size,
            "nonmated": scores.nonmated.size,
            "failed": scores.failures.comparisons,
        }

    @property
    def signature(self) -> dict[str, Any]:
        """What one needs to know to get the same numbers again."""
        return {
            "version": __version__,
            "rule": f"accept when score {self.rule.sign} threshold",
            "thresholds": "distinct scores and one that rejects all",
            "targets": "at most",
            "eer": "interpolated unless named otherwise",
            "data": fingerprint(self.scores.mated, self.scores.nonmated),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined number is None with its reason, an infinity is "inf"."""
        return {
            "bertillon": __version__,
            "mode": "verification",
            "name": self.name,
            "rule": self.rule.value,
            "counts": self.counts,
            "measures": [
                {"name": name} | {key: _plain(value) for key, value in asdict(result).items()}
                for name, result in self.results.items()
            ],
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """The same as strict JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """One row a measure: name, value, threshold, errors, trials, reason."""
        import polars as pl

        columns = {"value": pl.Float64, "threshold": pl.Float64, "errors": pl.Int64, "trials": pl.Int64, "reason": str}
        rows = [{"name": name} | asdict(result) for name, result in self.results.items()]
        return pl.DataFrame(rows, schema={"name": str, **columns})


def evaluate(scores: ScoreSet, measures: Iterable[str | Measure] = DEFAULT_MEASURES) -> Evaluation:
    """Answer the measures about a score set.

    >>> e = evaluate(ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65]), ["EER", "FNMR@FMR=0.2"])
    >>> e["EER"].value, e["FNMR@FMR=0.2"].threshold
    (0.25, 0.6)
    """
    asked = parse_all([measures] if isinstance(measures, str | Measure) else measures)
    needs: set[Need] = set().union(*(measure.needs for measure in asked))
    tally = take_tally(scores, [measure.seek for measure in asked], needs)
    results = {str(measure): _in_user_units(measure.of(tally), tally) for measure in asked}
    return Evaluation(scores, results, ErrorCurve(tally.outline, scores.rule))


def error_curve(scores: ScoreSet) -> ErrorCurve:
    """The whole exact curve, at every distinct threshold whatever the size."""
    return ErrorCurve(count_errors(scores), scores.rule)


def _in_user_units(result: Result, tally: Tally) -> Result:
    return result if result.threshold is None else replace(result, threshold=tally.rule.restore(result.threshold))


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
