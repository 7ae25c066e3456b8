"""Tables of answers for the terminal, the same in every mode."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bertillon.evaluation.answers import Answers
from bertillon.measures.registry import VERIFICATION
from bertillon.report.numbers import errors_text, everyday_name, threshold_text, value_text


def answers_table(evaluations: Sequence[Answers], names: Sequence[str]) -> RenderableType:
    """The measures of one system with what stands behind them, or of several side by side."""
    return _one_system(evaluations[0], names) if len(evaluations) == 1 else _side_by_side(evaluations, names)


def _one_system(evaluation: Answers, names: Sequence[str]) -> RenderableType:
    everyday = {name: everyday_name(name) if evaluation.language is VERIFICATION else "" for name in names}
    known = any(everyday.values())
    table = plain_table(None, "measure", "value", "threshold", "errors", *(("everyday name",) if known else ()))
    for name in names:
        result = evaluation.results[name]
        value = value_text(name, result, evaluation.language)
        errors = Text(result.reason or errors_text(result))
        more = [Text(everyday[name], style="dim")] if known else []
        table.add_row(Text(name), value, threshold_text(result.threshold, evaluation.rule), errors, *more)
    return Padding(table, (1, 0, 1, 0))


def _side_by_side(evaluations: Sequence[Answers], names: Sequence[str]) -> RenderableType:
    table = plain_table(None, "measure", *(evaluation.name for evaluation in evaluations))
    for name in names:
        table.add_row(Text(name), *(_cell(name, evaluation) for evaluation in evaluations))
    return Padding(table, (1, 0, 1, 0))


def _cell(name: str, evaluation: Answers) -> str:
    result = evaluation.results[name]
    at = "" if result.threshold is None else f"  at {threshold_text(result.threshold, evaluation.rule)}"
    return value_text(name, result, evaluation.language) + at


def plain_table(title: str | None, first: str, *others: str) -> Table:
    """A table without lines: names to the left, numbers to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True, overflow="fold")
    for name in others:
        words = name in ("errors", "everyday name")
        table.add_column(Text(name), justify="left" if words else "right", no_wrap=not words)
    return table
