"""One protocol over many random partitions: each run's answers, and what they say together.

Conventions: runs share people and templates, so their spread shows how much the choice of partition matters; it is no
interval for what would happen with other people. Mean and spread are those of `matching.protocol.repeated`.

Holds `RepeatedEvaluation` and `evaluate_repeated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import record
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.evaluation import Evaluation, SearchEvaluation, evaluate
from bertillon.evaluation.base import SCHEMA, plain
from bertillon.evaluation.templates import search_trials, verification_trials
from bertillon.evaluation.verification import DEFAULT_MEASURES
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.repeated import Repeated, summarise
from bertillon.measures.base import Measure
from bertillon.measures.identification import IDENTIFICATION
from bertillon.measures.registry import VERIFICATION

if TYPE_CHECKING:
    import polars as pl

MODES = ("verification", "identification")


@dataclass(frozen=True, eq=False)
class RepeatedEvaluation:
    """The answers of every run, first run first."""

    runs: tuple[Evaluation | SearchEvaluation, ...]

    @property
    def mode(self) -> str:
        """What was evaluated: verification or identification."""
        return self.runs[0].measure_set.mode

    @property
    def summary(self) -> dict[str, Repeated]:
        """Mean, spread and each run of every measure."""
        return {name: summarise(run.results[name].value for run in self.runs) for name in self.runs[0]}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        measures = [{"name": name} | plain(record(mean)) for name, mean in self.summary.items()]
        return {
            "bertillon": __version__,
            "schema": SCHEMA,
            "mode": self.mode,
            "name": self.runs[0].name,
            "runs": len(self.runs),
            "measures": measures,
            "each": [run.to_dict() for run in self.runs],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a run and measure."""
        import polars as pl

        return pl.concat([run.to_frame().insert_column(0, pl.lit(n).alias("run")) for n, run in enumerate(self.runs)])


def evaluate_repeated(
    plans: Sequence[Comparing],
    measures: Iterable[str | Measure] | None = None,
    *,
    mode: str = MODES[0],
    progress: Progress | None = None,
) -> RepeatedEvaluation:
    """Compare and evaluate as each plan says, the same measures in each."""
    if mode not in MODES:
        raise InputError(f"mode is {mode!r}; expected {' or '.join(MODES)}")
    if not plans:
        raise InputError("no partition to evaluate; expected at least one")
    measure_set = IDENTIFICATION if mode == "identification" else VERIFICATION
    asked = None if measures is None else list(measure_set.parse_all(measures))
    watched = progress or NoProgress()
    return RepeatedEvaluation(tuple(_evaluate(plan, asked, mode, watched) for plan in plans))


def _evaluate(
    plan: Comparing, asked: list[Measure] | None, mode: str, progress: Progress
) -> Evaluation | SearchEvaluation:
    if mode == "identification":
        return evaluate(search_trials(plan, progress=progress), asked)
    return evaluate(verification_trials(plan, asked or DEFAULT_MEASURES, progress=progress), asked)
