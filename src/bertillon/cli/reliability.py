"""`bertillon reliability`: which answers of a search can be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

import bertillon as bt
from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.inputs import scores_or_templates
from bertillon.cli.progress import Bar
from bertillon.cli.rooms import core, render, trials
from bertillon.cli.templates import TemplateSource
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say


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
    wanted: ReliabilityOptions,
    scores: Annotated[options.ScoreInput, only("distance")],
    reading: Annotated[
        options.ReadingOptions, reworded(column="Which column is what: subject=name, sample=file; repeatable.")
    ],
    templates: options.TemplateInput,
    matcher: Annotated[options.MatcherOptions, only("matcher", "matcher_option")],
    protocol: Annotated[options.ProtocolOptions, without("sample_nonmated")],
    random: options.RandomOptions,
    outputs: Annotated[
        options.OutputOptions,
        only("json", "csv", "lang"),
        reworded(csv="Write the answers as CSV, one row per answer."),
        options.TERMINAL,
    ],
) -> None:
    """Estimate which answers of a search are reliable: System Response Reliability of each.

    Example: bertillon reliability matrix.csv --dev dev-matrix.csv --phi density-ratio --csv out
    """
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    judge = partial(
        bt.response_reliability,
        kind=wanted.phi,
        rule=scores.rule,
        count_first=wanted.count_first,
        perfect=wanted.perfect,
        absolute=wanted.absolute,
    )
    threshold = wanted.threshold if wanted.dev is None else judge(_matrix(wanted.dev, source)).threshold
    judged = judge(_matrix(file, source), threshold=threshold)

    def answers() -> list[Message]:
        paths = render.write_reliability_csv(judged, outputs.csv) if outputs.csv else []
        return [say("terminal.written.answers", file=str(path)) for path in paths]

    out.deliver(outputs, lambda: render.finding_json(judged), lambda: [render.terminal_text(judged)], more=answers)


def _matrix(path: Path, templates: TemplateSource) -> core.ScoreMatrix:
    """The matrix a file holds or, from templates, makes."""
    table = scores_or_templates(path, templates)
    if isinstance(table, core.ComparisonTable):
        raise InputError(f"{path}: holds comparisons; expected a score matrix with owners, or templates")
    if isinstance(table, core.TemplateTable):
        with Bar() as bar:
            return trials.matrix_of(templates.plan(table), bar)
    return trials.settled(table).matrix
