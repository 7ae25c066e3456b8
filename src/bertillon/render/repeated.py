"""Many runs of one protocol: mean and spread, and each run, on the terminal and as files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.core.escaping import for_spreadsheets
from bertillon.core.files import write_whole
from bertillon.core.messages import Message, say, spoken
from bertillon.evaluation import RepeatedEvaluation
from bertillon.measures.base import Result
from bertillon.render.console import Text
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import MEASURE, plain_table
from bertillon.views.numbers import value_text


def repeated_text(repeated: RepeatedEvaluation, protocol: Sequence[Message | str]) -> Group:
    """What was done, the summary, and each run."""
    parts: list[RenderableType] = [Text("\n".join(map(spoken, protocol)))]
    parts.append(Padding(_summary(repeated), (1, 0, 1, 0)))
    parts.append(Padding(_each(repeated), (0, 0, 1, 0)))
    parts.append(Text(say("terminal.spread"), style="dim"))
    return Group(*parts)


def repeated_json(repeated: RepeatedEvaluation) -> str:
    """The summary and each run as strict JSON."""
    return strict_json(repeated.to_dict())


def write_repeated_csv(repeated: RepeatedEvaluation, path: str | os.PathLike[str]) -> None:
    """One row a run and measure."""
    frame = repeated.to_frame()
    write_whole(path, lambda file: for_spreadsheets(frame).write_csv(file))


def _summary(repeated: RepeatedEvaluation) -> Table:
    table = plain_table(
        say("terminal.runs", n=len(repeated.runs)),
        MEASURE,
        *(say(f"terminal.runs.{name}") for name in ("mean", "sd", "lowest", "highest")),
        "",
    )
    for name, summary in repeated.summary.items():
        numbers = (_number(repeated, name, value) for value in (summary.mean, summary.sd, summary.low, summary.high))
        table.add_row(Text(name), *numbers, Text(summary.reason or "", style="dim"))
    return table


def _each(repeated: RepeatedEvaluation) -> Table:
    """All runs of a measure in one cell, first run first, which wraps however many there are."""
    table = plain_table(say("terminal.runs.each"), MEASURE, say("terminal.runs.values"))
    table.columns[1].no_wrap, table.columns[1].justify = False, "left"
    for name in repeated.summary:
        values = (_number(repeated, name, run.results[name].value) for run in repeated.runs)
        table.add_row(Text(name), Text("   ".join(value.replace(" ", "\u00a0") for value in values)))
    return table


def _number(repeated: RepeatedEvaluation, name: str, value: float) -> str:
    return value_text(name, Result(value), measure_set=repeated.runs[0].measure_set)
