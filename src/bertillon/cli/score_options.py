"""The options of every command that takes files of scores, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertillon.cli import options
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.core.rule import AcceptRule

PANEL = "Input"
DistanceOption = Annotated[
    bool, typer.Option("--distance", help="Scores are distances: accept when score <= t.", rich_help_panel=PANEL)
]
SimilarityOption = Annotated[
    bool, typer.Option("--similarity", help="Scores are similarities, whatever the file says.", rich_help_panel=PANEL)
]
NamesOption = Annotated[
    list[str] | None, typer.Option("--label", help="Name of a system, in order; repeatable.", rich_help_panel=PANEL)
]
FormatOption = Annotated[
    str | None, typer.Option("--format", help="Format of the files, instead of a look at them.", rich_help_panel=PANEL)
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option("--column", help="Which column is what: score=llr, label=target; repeatable.", rich_help_panel=PANEL),
]
ValuesOption = Annotated[
    str | None,
    typer.Option(
        "--values",
        metavar="MEANING=VALUE,...",
        help="What labels mean: mated=target,nonmated=nontarget,attack=spoof; bonafide is mated.",
        rich_help_panel=PANEL,
    ),
]
FailedOption = Annotated[
    list[float] | None,
    typer.Option(
        "--failed", metavar="SCORE", help="A score that means a failed comparison; repeatable.", rich_help_panel=PANEL
    ),
]
TrustOption = Annotated[
    str | None,
    typer.Option(
        "--trust",
        metavar="labels|subjects",
        help="What to believe where labels contradict the subject ids.",
        rich_help_panel=PANEL,
    ),
]
AllAgainstAllOption = Annotated[
    bool | None,
    typer.Option(
        "--all-against-all/--no-all-against-all",
        help="A square matrix holds templates against themselves, so its diagonal is no comparison; by default its "
        "symmetry tells.",
        rich_help_panel=PANEL,
    ),
]
MaskOption = Annotated[Path | None, typer.Option("--mask", help="Mask of a BEE matrix.", rich_help_panel=PANEL)]


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What was said about files of scores on the command line."""

    rule: str | None = None
    format: str | None = None
    columns: dict[str, str] | None = None
    mask: Path | None = None
    stream: bool | None = False  # read in parts: yes, no, or where files are large
    repeats: bool = False
    values: dict[str, str] | None = None
    failed: tuple[float, ...] = ()
    trust: str | None = None
    all_against_all: bool | None = None

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> ScoreOptions:
        """Those of a command's arguments that are about scores; every such command takes them under these names."""
        return cls(
            _rule(distance=arguments["distance"], similarity=arguments["similarity"]),
            arguments["format"],
            options.columns(arguments["column"] or []),
            arguments.get("mask"),
            arguments.get("stream", False),
            arguments.get("allow_repeats", False),
            options.label_values(arguments.get("values")),
            tuple(arguments.get("failed") or ()),
            arguments.get("trust"),
            arguments.get("all_against_all"),
        )

    @property
    def given(self) -> bool:
        """The files were said to hold scores of some form."""
        said = (self.format, self.columns, self.mask, self.values, self.trust)
        return any(value is not None for value in said) or bool(self.failed)

    @property
    def how(self) -> dict[str, Any]:
        """How files are read, whole or in parts."""
        return {"format": self.format, "columns": self.columns, "values": self.values, "failed": self.failed}

    @property
    def accept_rule(self) -> AcceptRule | None:
        """The rule that was named, or None where the files say it."""
        from bertillon.core.rule import AcceptRule

        return None if self.rule is None else AcceptRule.of(self.rule)


def _rule(*, distance: bool, similarity: bool) -> str | None:
    if distance and similarity:
        raise InputError("--distance and --similarity exclude each other; give one of them")
    return "distance" if distance else "similarity" if similarity else None
