"""Tables of answers for the terminal, the same in every mode."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bertillon.advice.vocabulary import Vocabulary
from bertillon.evaluation.answers import Answers
from bertillon.report.numbers import errors_text, threshold_text, value_text
from bertillon.report.vocabulary import BIOMETRICS, EVERYDAY, MACHINE_LEARNING, name_columns

WORDS = ("errors", EVERYDAY, MACHINE_LEARNING, BIOMETRICS)  # columns of words stand to the left


def answers_table(
    evaluations: Sequence[Answers], names: Sequence[str], vocabulary: Vocabulary | None = None
) -> RenderableType:
    """The measures of one system with what stands behind them, or of several side by side."""
    if len(evaluations) == 1:
        return _one_system(evaluations[0], names, vocabulary)
    return _side_by_side(evaluations, names, vocabulary)


def _one_system(evaluation: Answers, names: Sequence[str], vocabulary: Vocabulary | None) -> RenderableType:
    shown = name_columns(names, evaluation.language, vocabulary)
    table = plain_table(None, "measure", "value", "threshold", "errors", *filter(None, [shown.heading]))
    for name, first, second in zip(names, shown.first, shown.second, strict=True):
        result = evaluation.results[name]
        value = value_text(name, result, evaluation.language)
        errors = Text(result.reason or errors_text(result))
        more = [Text(second, style="dim")] if shown.heading else []
        table.add_row(Text(first), value, threshold_text(result.threshold, evaluation.rule), errors, *more)
    return Padding(table, (1, 0, 1, 0))


def _side_by_side(
    evaluations: Sequence[Answers], names: Sequence[str], vocabulary: Vocabulary | None
) -> RenderableType:
    shown = name_columns(names, evaluations[0].language, vocabulary)
    also = shown.heading if vocabulary is Vocabulary.BOTH else ""  # everyday names would crowd the systems out
    table = plain_table(None, "measure", *filter(None, [also]), *(evaluation.name for evaluation in evaluations))
    for name, first, second in zip(names, shown.first, shown.second, strict=True):
        more = [Text(second, style="dim")] if also else []
        table.add_row(Text(first), *more, *(_cell(name, evaluation) for evaluation in evaluations))
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
        words = name in WORDS
        table.add_column(Text(name), justify="left" if words else "right", no_wrap=not words)
    return table
