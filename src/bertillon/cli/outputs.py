"""Where answers go: the options every command shares, and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bertillon.advice.vocabulary import Vocabulary as Vocabulary
from bertillon.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from bertillon.analysis.regions import Region
    from bertillon.evaluation.bands import Bands
    from bertillon.evaluation.identification import SearchEvaluation
    from bertillon.report.findings import Findings

PANEL = "Output"


class FigureFormat(StrEnum):
    """How figures are written."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


JsonOption = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="Write the answers as JSON.", rich_help_panel=PANEL)
]
CsvOption = Annotated[
    Path | None, typer.Option("--csv", metavar="DIR", help="Write every curve as CSV.", rich_help_panel=PANEL)
]
FiguresOption = Annotated[
    Path | None, typer.Option("--figures", metavar="DIR", help="Draw the curves.", rich_help_panel=PANEL)
]
FigureFormatOption = Annotated[
    list[FigureFormat] | None,
    typer.Option(
        "--figure-format",
        metavar="png|svg|pdf",
        help="Format of the figures; repeatable, all unless named.",
        rich_help_panel=PANEL,
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a report: .html, .md, .tex, .json or .csv.", rich_help_panel=PANEL
    ),
]
LangOption = Annotated[
    str, typer.Option("--lang", help="Language of the report: en, it, es, zh.", rich_help_panel=PANEL)
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


def formats(chosen: Sequence[FigureFormat] | None, figures: Path | None) -> tuple[str, ...]:
    """The formats asked for, or all; they are of no use without a folder for the figures."""
    if chosen and figures is None:
        raise InputError("--figure-format says how figures are written; say where with --figures DIR")
    return tuple(one.value for one in chosen or FigureFormat)


def write_text(text: str, target: str) -> str:
    """Write JSON to a file; the line that says so."""
    from bertillon.files import write_whole

    content = text.encode()
    write_whole(target, lambda file: file.write(content))
    return f"JSON written to {target}"


def check_report(path: Path | None, lang: str) -> None:
    """Refuse a report that cannot be written before the work begins."""
    if path is not None or lang != "en":
        from bertillon.report.files import check_report as check

        check(path, lang)


def write_report(findings: Findings, path: Path, lang: str) -> str:
    """Write the report; the line that says so."""
    from bertillon.report.files import write_report as write

    return f"report written to {write(findings, path, lang)}"


def write_searches(
    evaluations: Sequence[SearchEvaluation],
    regions: Sequence[Sequence[Region]],
    bands: Bands = (),
    *,
    json: str | None,
    csv: Path | None,
    figures: Path | None,
    formats: Sequence[str],
) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    lines = []
    if json and json != "-":
        lines.append(write_text(searches_json(evaluations, regions), json))
    if csv:
        from bertillon.report.exports import write_search_csv

        lines.append(f"{len(write_search_csv(evaluations, csv, bands=bands))} CSV files written to {csv}")
    if figures:
        from bertillon.report.pictures import draw_searches

        drawn = draw_searches(evaluations, figures, formats, bands=bands)
        lines.append(f"{len(drawn)} figures written to {figures}")
    return lines


def searches_json(evaluations: Sequence[SearchEvaluation], regions: Sequence[Sequence[Region]]) -> str:
    """The answers about searches as JSON."""
    from bertillon.report.exports import search_json_text

    return search_json_text(evaluations, regions)


def show_written(console: Console, lines: Sequence[str]) -> None:
    """Say what was written."""
    for line in lines:
        console.print(line, style="dim", soft_wrap=True, markup=False)
