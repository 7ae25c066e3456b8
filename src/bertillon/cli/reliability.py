"""`bertillon reliability`: which answers of a search can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.options import (
    TERMINAL,
    MatcherOptions,
    OutputOptions,
    ProtocolOptions,
    RandomOptions,
    ReadingOptions,
    ScoreInput,
    TemplateInput,
)
from bertillon.core.errors import InputError
from bertillon.core.messages import say

if TYPE_CHECKING:
    from bertillon.cli.templates import TemplateSource
    from bertillon.core.tables import ScoreMatrix


@dataclass(frozen=True, slots=True)
class ReliabilityOptions:
    """How the reliability of an answer is measured."""

    PANEL: ClassVar[str] = "Reliability"
    dev: Path | None = option(help="Another matrix, or templates, that phi0 is fitted on.")
    phi: str = option(
        default="relative-distance", metavar="relative-distance|density-ratio", help="Reliability measure of an answer."
    )
    count_first: bool = option(
        "--count-first/--no-count-first", default=True, help="Count the first answer among its own neighbours."
    )
    threshold: float | None = option("-t", "--threshold", help="phi0, instead of a fitted one.")
    perfect: float = option(default=1.0, metavar="SCORE", help="Similarity of a perfect match.")
    absolute: bool = option(default=False, help="SRR without a sign.")

    def __post_init__(self) -> None:
        if self.dev is not None and self.threshold is not None:
            raise InputError("--dev and --threshold both say what phi0 is; give one of them")


def reliability(
    file: Annotated[Path, argument("FILE", "A score matrix (rows = probes) with its subjects, or templates.")],
    options: ReliabilityOptions,
    scores: Annotated[ScoreInput, only("distance")],
    reading: Annotated[ReadingOptions, reworded(column="Which column is what: subject=name, sample=file; repeatable.")],
    templates: TemplateInput,
    matcher: Annotated[MatcherOptions, only("matcher", "matcher_option")],
    protocol: Annotated[ProtocolOptions, without("sample_nonmated")],
    random: RandomOptions,
    outputs: Annotated[
        OutputOptions,
        only("json", "csv", "lang"),
        reworded(csv="Write the answers as CSV, one row per answer."),
        TERMINAL,
    ],
) -> None:
    """Estimate which answers of a search are reliable: System Response Reliability of each.

    Example: bertillon reliability matrix.csv --dev dev-matrix.csv --phi density-ratio --csv out
    """
    from bertillon.analysis.response_reliability import response_reliability
    from bertillon.cli import outputs as out
    from bertillon.cli.templates import TemplateSource
    from bertillon.render.response_reliability import reliability_json, reliability_text, write_reliability_csv

    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    judge = partial(
        response_reliability,
        kind=options.phi,
        rule=scores.rule,
        count_first=options.count_first,
        perfect=options.perfect,
        absolute=options.absolute,
    )
    threshold = options.threshold if options.dev is None else judge(_matrix(options.dev, source)).threshold
    judged = judge(_matrix(file, source), threshold=threshold)
    written = out.write_json(lambda: reliability_json(judged), outputs.json)
    if outputs.csv:
        paths = write_reliability_csv(judged, outputs.csv)
        written += [say("terminal.written.answers", file=str(path)) for path in paths]
    out.show(outputs.json, lambda: reliability_json(judged), lambda: [reliability_text(judged)], written)


def _matrix(path: Path, templates: TemplateSource) -> ScoreMatrix:
    """The matrix a file holds or, from templates, makes."""
    from bertillon.cli.inputs import scores_or_templates
    from bertillon.cli.progress import Bar
    from bertillon.core.tables import ComparisonTable, TemplateTable
    from bertillon.trials.comparing import matrix_of
    from bertillon.trials.matrices import settled

    table = scores_or_templates(path, templates)
    if isinstance(table, ComparisonTable):
        raise InputError(f"{path}: holds comparisons; expected a score matrix with owners, or templates")
    if isinstance(table, TemplateTable):
        with Bar() as bar:
            return matrix_of(templates.plan(table), bar)
    return settled(table).matrix
