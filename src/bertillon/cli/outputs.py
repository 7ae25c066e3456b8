"""Where answers go: the options every command shares, and what they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bertillon.advice.vocabulary import Vocabulary as Vocabulary
from bertillon.cli.progress import working
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from bertillon.render.files import Reported
    from bertillon.views.findings import Findings

PANEL = "Output"
NARROWEST = 80  # columns that every table fits in


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


def console(*, stderr: bool = False) -> Console:
    """Where answers are shown; never so narrow that numbers are cut off: a terminal breaks longer lines by itself."""
    from bertillon.render.console import SafeConsole

    found = SafeConsole(stderr=stderr)
    found.width = max(found.width, NARROWEST)
    return found


def say(*lines: str) -> None:
    """Print lines as they are, with nothing in them that acts on a terminal."""
    from bertillon.core.escaping import visible

    for line in lines:
        print(visible(line))


def named(systems: Sequence[Named], labels: Sequence[str]) -> list[Named]:
    """The systems under the names given on the command line."""
    if labels and len(labels) != len(systems):
        raise InputError(f"--label: {len(labels)} names for {len(systems)} systems; expected one each")
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise InputError(f"--label: {twice[0]!r} is given twice; expected a name of its own for each system")
    return (
        [replace(system, name=label) for system, label in zip(systems, labels, strict=True)]
        if labels
        else list(systems)
    )


@dataclass(frozen=True, slots=True)
class Targets:
    """Where answers were asked to be written."""

    json: str | None = None
    csv: Path | None = None
    figures: Path | None = None
    formats: tuple[str, ...] = ()
    page: bool = False

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> Targets:
        """Those of a command's arguments; formats of figures are of no use without a folder for them."""
        chosen, figures = arguments["figure_format"], arguments["figures"]
        if chosen and figures is None:
            raise InputError("--figure-format says how figures are written; say where with --figures DIR")
        formats = tuple(one.value for one in chosen or FigureFormat)
        report: Path | None = arguments["report"]
        page = report is not None and report.suffix.lower() == ".html"
        return cls(arguments["json"], arguments.get("csv"), figures, formats, page)

    @property
    def curves(self) -> bool:
        """Curves are drawn or written, and their bands with them."""
        return bool(self.csv or self.figures)

    def shows(self, bands: str | None) -> bool:
        """Bands are shown: beside curves, and on a page where they are asked for."""
        return self.curves or bool(bands and self.page)

    def write(
        self,
        *,
        json: Callable[[], str],
        figures: Callable[[Path, Sequence[str]], Sequence[Path]],
        csv: Callable[[Path], Sequence[Path]] | None = None,
    ) -> list[str]:
        """Have what was asked for made and written; a line for each thing written."""
        lines = []
        if self.json and self.json != "-":
            lines.append(write_text(json(), self.json))
        if self.csv and csv:
            lines.append(f"{len(csv(self.csv))} CSV files written to {self.csv}")
        if self.figures:
            with working("drawing"):
                lines.append(f"{len(figures(self.figures, self.formats))} figures written to {self.figures}")
        return lines


def json_text(findings: Findings) -> str:
    """What was found as JSON."""
    from bertillon.render.records import findings_json

    return findings_json(findings)


def write_text(text: str, target: str) -> str:
    """Write JSON to a file; the line that says so."""
    from bertillon.core.files import write_whole

    content = text.encode()
    write_whole(target, lambda file: file.write(content))
    return f"JSON written to {target}"


def check_report(path: Path | None, lang: str) -> None:
    """Refuse a report that cannot be written before the work begins."""
    if path is not None or lang != "en":
        from bertillon.render.files import check_report as check

        check(path, lang)


def write_report(findings: Reported, path: Path, lang: str) -> str:
    """Write the report; the line that says so."""
    from bertillon.render.files import write_report as write

    return f"report written to {write(findings, path, lang=lang)}"


def show_written(console: Console, lines: Sequence[str]) -> None:
    """Say what was written."""
    for line in lines:
        console.print(line, style="dim", soft_wrap=True, markup=False)
