"""The options of every command that takes files of scores, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertillon.cli import options
from bertillon.errors import InputError

if TYPE_CHECKING:
    from bertillon.rule import AcceptRule

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
        )

    @property
    def given(self) -> bool:
        """The files were said to hold scores of some form."""
        return self.format is not None or self.columns is not None or self.mask is not None

    @property
    def accept_rule(self) -> AcceptRule | None:
        """The rule that was named, or None where the files say it."""
        from bertillon.rule import AcceptRule

        return None if self.rule is None else AcceptRule.of(self.rule)


def _rule(*, distance: bool, similarity: bool) -> str | None:
    if distance and similarity:
        raise InputError("--distance and --similarity exclude each other; give one of them")
    return "distance" if distance else "similarity" if similarity else None
