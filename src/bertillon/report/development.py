"""Thresholds fixed on development scores and judged on these, as a table and for JSON.

Holds `judge`, which makes a `Judged`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bertillon.analysis.development import FixedThreshold, apply_threshold, expected_performance_curve
from bertillon.errors import InputError
from bertillon.evaluation import Evaluation
from bertillon.measures.operating_point import AtPoint
from bertillon.measures.registry import VERIFICATION
from bertillon.report.numbers import interval_text, percent, threshold_text
from bertillon.report.tables import IfItFits, plain_table
from bertillon.trials.score_set import ScoreSet
from bertillon.uncertainty.at_threshold import Measured


@dataclass(frozen=True, slots=True)
class Judged:
    """Thresholds found on development scores, and what they give on the scores of an evaluation."""

    evaluation: Evaluation
    development: ScoreSet
    thresholds: tuple[FixedThreshold, ...]
    level: float

    def table(self) -> RenderableType:
        """One row a criterion: the threshold found there, and the rates it gives here."""
        there, here = self.development.name or "development scores", self.evaluation.name or "these"
        title = f"thresholds fixed on {there}, judged on {here} ({self.level * 100:g} % intervals)"
        wide, narrow = (self._rates(title, between) for between in ("  ", "\n"))
        return Padding(IfItFits(wide, narrow), (0, 0, 1, 0))

    def _rates(self, title: str, between: str) -> Table:
        """Each rate with its interval beside it, or under it where there is no room."""
        table = plain_table(title, "found there", "threshold", "FMR", "FNMR", "HTER")
        for one in self.thresholds:
            rates = (one.evaluation.fmr, one.evaluation.fnmr, one.evaluation.hter)
            cells = (Text(percent(rate.value)).append(f"{between}{_interval(rate)}", style="dim") for rate in rates)
            table.add_row(Text(one.criterion), threshold_text(one.threshold, self.evaluation.rule), *cells)
        return table

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON, with the expected performance curve."""
        curve = expected_performance_curve(self.development, _scores(self.evaluation), level=self.level)
        return {
            "name": self.development.name,
            "thresholds": [one.to_dict() for one in self.thresholds],
            "expected_performance_curve": curve.to_dict(),
        }


def judge(development: ScoreSet, evaluation: Evaluation, *, level: float) -> Judged:
    """Fix the thresholds of the EER and of every rate asked for on the development scores, and apply them."""
    scores = _scores(evaluation)
    found = (apply_threshold(development, scores, one, level=level) for one in criteria(evaluation))
    return Judged(evaluation, development, tuple(found), level)


def criteria(evaluation: Evaluation) -> list[str]:
    """The measures that pick a threshold by a rate, and the EER before them."""
    asked = VERIFICATION.parse_all(evaluation.results)
    at_rates = [str(one) for one in asked if isinstance(one, AtPoint) and not one.thresholds]
    return list(dict.fromkeys(["EER", *at_rates]))


def _interval(measured: Measured) -> str:
    return interval_text("EER", measured.interval)


def _scores(evaluation: Evaluation) -> ScoreSet:
    if not isinstance(evaluation.scores, ScoreSet):
        raise InputError(f"{evaluation.name}: --dev needs every score, and these were counted and not kept")
    return evaluation.scores
