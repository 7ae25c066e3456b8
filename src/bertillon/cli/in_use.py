"""Options about rates in use, and what commands do with them: gallery sizes of `bertillon identify`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bertillon.cli.declare import given_options, option
from bertillon.cli.options import IntervalOptions
from bertillon.cli.progress import working
from bertillon.cli.rooms import analysis, core, render
from bertillon.cli.sources import ScoreSource, TemplateSource
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    Table = core.ComparisonTable | core.ScoreMatrix | core.TemplateTable

USUAL_DRAWS, IN_ID_ORDER = 10, "ids"


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """How rates follow the number of people enrolled."""

    PANEL: ClassVar[str] = "Gallery size"
    gallery_size: str | None = option(
        metavar="N,N,...", help="FPIR, FNIR, DIR and thresholds in galleries of N people: 10,100,1000."
    )
    gallery_draws: str | None = option(
        metavar="NUMBER|ids",
        help=f"How many galleries of each size are drawn ({USUAL_DRAWS}), or ids: one, in the order of the ids.",
    )
    at_threshold: tuple[float, ...] = option(
        default=(), metavar="SCORE", help="Threshold to judge at every gallery size; repeatable."
    )
    extrapolate: str | None = option(
        metavar="N,N,...", help="Larger galleries that FPIR is extrapolated to, with a check: 100000."
    )

    def __post_init__(self) -> None:
        if self.gallery_size is None:
            for flag in given_options(self):
                raise InputError(f"{flag} is about gallery sizes; add --gallery-size 10,100,1000, or leave it out")
        for flag, text in (("--gallery-size", self.gallery_size), ("--extrapolate", self.extrapolate)):
            _sizes(flag, text)
        _ = self.how

    @property
    def sizes(self) -> list[int]:
        return _sizes("--gallery-size", self.gallery_size)

    @property
    def how(self) -> dict[str, Any]:
        """How galleries are drawn."""
        text = self.gallery_draws
        if text is None:
            return {"draws": USUAL_DRAWS}
        if text == IN_ID_ORDER:
            return {"order": IN_ID_ORDER}
        if not text.isascii() or not text.isdigit() or not int(text):
            raise InputError(f"--gallery-draws: cannot read {text!r}; expected a number from 1, or {IN_ID_ORDER}")
        return {"draws": int(text)}

    def curves(
        self,
        tables: Sequence[Table],
        templates: TemplateSource,
        scores: ScoreSource,
        intervals: IntervalOptions,
        targets: Sequence[float],
    ) -> list[analysis.GallerySizes]:
        """What was found of each system; the FPIRs asked for are targets, or the usual ones."""
        found = []
        with working("drawing galleries"):
            for table in tables:
                if isinstance(table, core.ComparisonTable):
                    problem = f"{table.source}: holds lists of comparisons or candidates"
                    raise InputError(f"{problem}; --gallery-size needs templates, or a whole matrix of scores")
                of_matrix: dict[str, Any] = {"rule": scores.content.rule, "fusion": templates.matcher.fusion}
                source = templates.plan(table) if isinstance(table, core.TemplateTable) else table
                found.append(
                    analysis.fpir_by_gallery(
                        source,
                        self.sizes,
                        targets=tuple(targets) or analysis.TARGET_FPIRS,
                        thresholds=self.at_threshold,
                        extrapolate=_sizes("--extrapolate", self.extrapolate),
                        seed=templates.seed,
                        level=intervals.level,
                        **self.how,
                        **({} if isinstance(table, core.TemplateTable) else of_matrix),
                    )
                )
        return found


def _sizes(flag: str, text: str | None) -> list[int]:
    """Read `10,100,1000`."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isascii() or not part.isdigit() or not int(part):
            raise InputError(f"{flag}: cannot read {part!r}; expected whole numbers from 1, such as 10,100,1000")
    twice = [part for part in parts if parts.count(part) > 1]
    if twice:
        raise InputError(f"{flag}: {twice[0]} stands twice; expected each size once")
    return [int(part) for part in parts]


def write_curves(found: Sequence[Any], name: str, folder: Path) -> list[Path]:
    """One table per system, called after the finding."""
    return render.write_frames([(each.name, {name: each.to_frame()}) for each in found], folder)
