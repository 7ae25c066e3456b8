"""Tables of answers for the terminal, the same in every mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.messages import Message, chained, say, sentences, spoken
from bertillon.evaluation import AnyEvaluation
from bertillon.render.console import Text
from bertillon.views.numbers import errors_text, interval_text, threshold_text, value_text
from bertillon.views.vocabulary import BIOMETRICS, EVERYDAY, MACHINE_LEARNING, NameColumns, name_columns

ABREAST = 3  # measures beside each other in a table with a row for each system
MEASURE, VALUE, THRESHOLD = say("page.measure"), say("page.value"), say("page.threshold")
ERRORS, SYSTEM = say("page.errors"), say("page.system")
PHRASES = "reading."  # the topic of notes that are no sentences
WORDS = (ERRORS, EVERYDAY, MACHINE_LEARNING, BIOMETRICS)  # columns of words stand to the left


def answers_table(
    evaluations: Sequence[AnyEvaluation], names: Sequence[str], *, vocabulary: Vocabulary | None = None
) -> RenderableType:
    """The measures of one system with what stands behind them, or of several side by side; with intervals if known."""
    if len(evaluations) == 1:
        return _one_system(evaluations[0], names, vocabulary)
    return _side_by_side(evaluations, names, vocabulary)


def _one_system(evaluation: AnyEvaluation, names: Sequence[str], vocabulary: Vocabulary | None) -> RenderableType:
    shown = name_columns(names, evaluation.measure_set, vocabulary=vocabulary)
    whole = _answers(evaluation, names, shown)
    if shown.heading != EVERYDAY:
        return Padding(whole, (1, 0, 1, 0))
    return Padding(WideOrNarrow(whole, _answers(evaluation, names, replace(shown, heading=None))), (1, 0, 1, 0))


def _answers(evaluation: AnyEvaluation, names: Sequence[str], shown: NameColumns) -> Table:
    sure = [interval_heading(evaluation)] if evaluation.intervals else []
    table = plain_table(None, MEASURE, VALUE, *sure, THRESHOLD, ERRORS, *([shown.heading] if shown.heading else []))
    for name, first, second in zip(names, shown.first, shown.second, strict=True):
        result = evaluation.results[name]
        value = _value(name, evaluation)
        interval = [_interval(name, evaluation)] if sure else []
        errors = Text(result.reason or errors_text(result))
        more = [Text(second, style="dim")] if shown.heading else []
        threshold = threshold_text(result.threshold, evaluation.rule)
        table.add_row(Text(first), value, *interval, threshold, errors, *more)
    return table


@dataclass(frozen=True, slots=True)
class WideOrNarrow:
    """The first table where the terminal is wide enough for it, else the second, which can do without a column."""

    wide: Table
    narrow: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        needed = Measurement.get(console, options.update(width=10_000), self.wide).maximum
        yield self.wide if needed <= options.max_width else self.narrow


def interval_heading(evaluation: AnyEvaluation) -> Message:
    """What the column of intervals is called."""
    return level_heading(next(iter(evaluation.intervals.values())).level)


def level_heading(level: float) -> Message:
    """What a column of intervals of this level is called."""
    return say("page.interval.column", level=f"{round(level * 100, 6):g}")


def _value(name: str, evaluation: AnyEvaluation) -> str:
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    return value_text(name, result, interval, measure_set=evaluation.measure_set)


def _interval(name: str, evaluation: AnyEvaluation) -> str:
    return interval_text(name, evaluation.intervals[name], measure_set=evaluation.measure_set)


def _side_by_side(
    evaluations: Sequence[AnyEvaluation], names: Sequence[str], vocabulary: Vocabulary | None
) -> RenderableType:
    wide, narrow = (_systems(evaluations, names, vocabulary, between) for between in ("  ", "\n"))
    return Padding(
        WideOrNarrow(wide, WideOrNarrow(narrow, _one_below_the_other(evaluations, names, vocabulary))), (1, 0, 1, 0)
    )


def _one_below_the_other(
    evaluations: Sequence[AnyEvaluation], names: Sequence[str], vocabulary: Vocabulary | None
) -> RenderableType:
    """A row for each system, for those too many to stand side by side; the measures in several tables."""
    shown = name_columns(names, evaluations[0].measure_set, vocabulary=vocabulary)
    tables = []
    for start in range(0, len(names), ABREAST):
        part = slice(start, start + ABREAST)
        table = plain_table(None, SYSTEM, *shown.first[part])
        for evaluation in evaluations:
            table.add_row(Text(evaluation.name), *(_cell(name, evaluation, "\n") for name in names[part]))
        tables.append(table)
    return Group(*tables)


def _systems(
    evaluations: Sequence[AnyEvaluation], names: Sequence[str], vocabulary: Vocabulary | None, between: str
) -> Table:
    shown = name_columns(names, evaluations[0].measure_set, vocabulary=vocabulary)
    also = shown.heading if vocabulary is Vocabulary.BOTH else None  # everyday names would crowd the systems out
    table = plain_table(None, MEASURE, *([also] if also else []), *(evaluation.name for evaluation in evaluations))
    for name, first, second in zip(names, shown.first, shown.second, strict=True):
        more = [Text(second, style="dim")] if also else []
        table.add_row(Text(first), *more, *(_cell(name, evaluation, between) for evaluation in evaluations))
    return table


def _cell(name: str, evaluation: AnyEvaluation, between: str) -> Text:
    """The value and its threshold, and under them the interval."""
    result = evaluation.results[name]
    at = (
        ""
        if result.threshold is None
        else spoken(say("terminal.at", threshold=threshold_text(result.threshold, evaluation.rule)))
    )
    cell = Text(between.join(filter(None, [_value(name, evaluation), at])))
    interval = _interval(name, evaluation) if evaluation.intervals else ""
    return cell.append(f"\n{interval}", style="dim") if interval else cell


def titled(name: Message | str, detail: Message | str) -> Text:
    """The title of a part, and what goes with it in quieter letters."""
    return Text(name, style="bold").append(f"  {spoken(detail)}" if detail else "", style="not bold dim")


def warned(warning: Message | str, about: str = "") -> Message:
    """A warning as a line of the terminal, with the system it is about."""
    return say("terminal.warning", warning=named(warning, about))


def note_lines(notes: Sequence[Message | str]) -> list[Message | str]:
    """What was understood: the phrases one after the other in a line, and the sentences in the next."""
    phrases = [note for note in notes if isinstance(note, str) or note.key.startswith(PHRASES)]
    others = [note for note in notes if not isinstance(note, str) and not note.key.startswith(PHRASES)]
    return [*([chained(phrases)] if phrases else []), *([sentences(*others)] if others else [])]


def named(message: Message | str, about: str = "") -> Message | str:
    """A sentence with the system it is about before it; without one where nobody is named."""
    return say("list.named", name=about, message=message) if about else message


class PlainTextTable(Table):
    """A table that shows what it is given: a person or a group called [bold] is no markup."""

    def add_row(self, *cells: RenderableType | Message | None, **more: Any) -> None:
        super().add_row(*(Text(cell) if isinstance(cell, Message | str) else cell for cell in cells), **more)


def plain_table(title: Message | str | None, first: Message | str, *others: Message | str) -> PlainTextTable:
    """A table without lines: names to the left, numbers to the right. Headings are messages, or names as they are."""
    heading = None if title is None else Text(title, style="bold")
    table = PlainTextTable(title=heading, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(Text(first), no_wrap=True, overflow="fold")
    for name in others:
        is_text = name in WORDS
        table.add_column(Text(name), justify="left" if is_text else "right", no_wrap=not is_text)
    return table
