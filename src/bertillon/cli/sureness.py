"""How sure the numbers are: the options every evaluating command shares, and what they do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from bertillon.cli.progress import working

if TYPE_CHECKING:
    from bertillon.evaluation.answers import Answers

PANEL = "Intervals"
LevelOption = Annotated[float, typer.Option("--level", help="Confidence of the intervals.", rich_help_panel=PANEL)]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", help="How often people (or trials) are drawn again.", rich_help_panel=PANEL)
]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals/--no-intervals", help="Show how sure the numbers are.", rich_help_panel=PANEL)
]
Evaluated = TypeVar("Evaluated", bound="Answers")


def sure(
    evaluations: Sequence[Evaluated], *, intervals: bool, level: float, resamples: int, seed: int
) -> list[Evaluated]:
    """The evaluations with their intervals, or as they are."""
    from bertillon.uncertainty.settings import Settings

    Settings(level=level, resamples=resamples, seed=seed)  # what cannot be is said whether or not intervals are wanted
    if not intervals:
        return list(evaluations)
    with working("finding intervals"):
        return [one.with_intervals(level=level, resamples=resamples, seed=seed) for one in evaluations]
