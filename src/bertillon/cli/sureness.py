"""How sure the numbers are: the options every evaluating command shares, and what they do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from bertillon.cli.progress import working
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.evaluation.answers import Answers
    from bertillon.evaluation.bands import Bands

PANEL = "Intervals"
MOST_BANDED = 3  # systems on the same axes; the bands of more hide each other


class BandKind(StrEnum):
    """What holds with the stated confidence: each point of a curve, or the whole curve."""

    NONE = "none"
    POINTWISE = "pointwise"
    SIMULTANEOUS = "simultaneous"


LevelOption = Annotated[float, typer.Option("--level", help="Confidence of the intervals.", rich_help_panel=PANEL)]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", help="How often people (or trials) are drawn again.", rich_help_panel=PANEL)
]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals/--no-intervals", help="Show how sure the numbers are.", rich_help_panel=PANEL)
]
BandsOption = Annotated[
    BandKind | None,
    typer.Option(
        "--bands",
        help=f"Bands of curves; unasked pointwise in figures and CSV of up to {MOST_BANDED} systems, not in a page.",
        rich_help_panel=PANEL,
    ),
]
Evaluated = TypeVar("Evaluated", bound="Answers")


def sure(
    evaluations: Sequence[Evaluated], *, intervals: bool, level: float, resamples: int, seed: int
) -> list[Evaluated]:
    """The evaluations with their intervals, or as they are."""
    from bertillon.stats.settings import Settings

    Settings(level=level, resamples=resamples, seed=seed)  # what cannot be is said whether or not intervals are wanted
    if not intervals:
        return list(evaluations)
    with working("finding intervals"):
        return [one.with_intervals(level=level, resamples=resamples, seed=seed) for one in evaluations]


def check_bands(asked: BandKind | None, *, intervals: bool, shown: bool) -> None:
    """Refuse bands that nothing would show, or that intervals were forbidden for, before the work begins."""
    if asked in (None, BandKind.NONE):
        return
    if not shown:
        raise InputError(
            f"--bands {asked}: bands are drawn and written; say where with --figures DIR, --csv DIR or "
            "--report FILE.html"
        )
    if not intervals:
        raise InputError(f"--bands {asked} and --no-intervals exclude each other; give one of them")


def bands(evaluations: Sequence[Answers], asked: BandKind | None, *, shown: bool) -> Bands:
    """The bands of all curves, where something shows them; unasked, none where they would hide each other."""
    usual = BandKind.POINTWISE if len(evaluations) <= MOST_BANDED else BandKind.NONE
    kind = asked or usual
    if kind is BandKind.NONE or not shown or not all(one.settings for one in evaluations):
        return []
    from bertillon.evaluation.bands import bands_of

    with working("finding bands"):
        if kind is BandKind.SIMULTANEOUS:
            return [bands_of(one, kind="simultaneous") for one in evaluations]
        return [bands_of(one) for one in evaluations]
