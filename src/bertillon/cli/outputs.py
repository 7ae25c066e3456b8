"""Where answers go: the options every command shares, and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bertillon.advice.vocabulary import Vocabulary as Vocabulary
from bertillon.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from bertillon.analysis.regions import Region
    from bertillon.evaluation.identification import SearchEvaluation

PANEL = "Output"
JsonOption = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="Write the answers as JSON.", rich_help_panel=PANEL)
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", metavar="DIR", help="Write every curve as CSV.", rich_help_panel=PANEL)
]
FiguresOption = Annotated[
    Path | None, typer.Option("--figures", metavar="DIR", help="Draw the curves.", rich_help_panel=PANEL)
]
VocabularyOption = Annotated[
    Vocabulary,
    typer.Option("--vocabulary", help="Names in tables: FMR, FPR, or both side by side.", rich_help_panel=PANEL),
]
Named = TypeVar("Named", bound=Any)


def named(systems: list[Named], labels: Sequence[str]) -> list[Named]:
    """The systems under the names given on the command line."""
    if labels and len(labels) != len(systems):
        raise InputError(f"--label: {len(labels)} names for {len(systems)} systems; expected one each")
    return [replace(system, name=label) for system, label in zip(systems, labels, strict=True)] if labels else systems


def write_text(text: str, target: str) -> str:
    """Write JSON to a file; the line that says so."""
    from bertillon.files import write_whole

    content = text.encode()
    write_whole(target, lambda file: file.write(content))
    return f"JSON written to {target}"


def write_searches(
    evaluations: Sequence[SearchEvaluation],
    regions: Sequence[Sequence[Region]],
    *,
    json: str | None,
    csv: Path | None,
    figures: Path | None,
) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    lines = []
    if json and json != "-":
        lines.append(write_text(searches_json(evaluations, regions), json))
    if csv:
        from bertillon.report.exports import write_search_csv

        lines.append(f"{len(write_search_csv(evaluations, csv))} CSV files written to {csv}")
    if figures:
        from bertillon.report.pictures import draw_searches

        lines.append(f"{len(draw_searches(evaluations, figures))} figures written to {figures}")
    return lines


def searches_json(evaluations: Sequence[SearchEvaluation], regions: Sequence[Sequence[Region]]) -> str:
    """The answers about searches as JSON."""
    from bertillon.report.exports import search_json_text

    return search_json_text(evaluations, regions)


def show_written(console: Console, lines: Sequence[str]) -> None:
    """Say what was written."""
    for line in lines:
        console.print(line, style="dim", soft_wrap=True, markup=False)
