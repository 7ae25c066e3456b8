"""`bertillon reliability`: which answers of a search can be relied on."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli import template_options as given
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.core.tables import ScoreMatrix

KIND = "Reliability"


def reliability(
    file: Annotated[Path, typer.Argument(help="A score matrix (rows = probes) with its owners, or templates.")],
    dev: Annotated[
        Path | None, typer.Option("--dev", help="Another matrix, or templates, to fit phi0 on.", rich_help_panel=KIND)
    ] = None,
    phi: Annotated[
        str, typer.Option("--phi", help="relative-distance or density-ratio.", rich_help_panel=KIND)
    ] = "relative-distance",
    count_first: Annotated[
        bool, typer.Option(help="The first answer is one of its own neighbours.", rich_help_panel=KIND)
    ] = True,
    threshold: Annotated[
        float | None, typer.Option("-t", "--threshold", help="phi0, instead of a fitted one.", rich_help_panel=KIND)
    ] = None,
    perfect: Annotated[float, typer.Option(help="The similarity of a perfect match.", rich_help_panel=KIND)] = 1.0,
    absolute: Annotated[bool, typer.Option("--absolute", help="SRR without a sign.", rich_help_panel=KIND)] = False,
    distance: Annotated[bool, typer.Option("--distance", help="The matrix holds distances.")] = False,
    labels: given.LabelsOption = None,
    kind: given.KindOption = None,
    angle: given.AngleOption = None,
    subject_pattern: given.SubjectPatternOption = None,
    column: given.ColumnOption = None,
    matcher: given.MatcherOption = None,
    matcher_option: given.MatcherOptionsOption = None,
    gallery: given.GalleryOption = None,
    partition: given.PartitionOption = None,
    leave_out: given.LeaveOutOption = None,
    strategy: given.StrategyOption = None,
    per_subject: given.PerSubjectOption = 1,
    seed: given.SeedOption = 0,
    json: outputs.JsonOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="DIR", help="Write each answer as CSV.", rich_help_panel=outputs.PANEL),
    ] = None,
) -> None:
    """Say which answers of a search are reliable: System Response Reliability of each.

    Example: bertillon reliability matrix.csv --dev dev-matrix.csv --phi density-ratio --csv out
    """
    from bertillon.analysis.response_reliability import response_reliability
    from bertillon.render.response_reliability import reliability_json, reliability_text, write_reliability_csv

    if dev is not None and threshold is not None:
        raise InputError("--dev and --threshold both say what phi0 is; give one of them")
    said, rule = given.TemplateOptions.among(locals()), "distance" if distance else None
    judge = partial(
        response_reliability, kind=phi, rule=rule, count_first=count_first, perfect=perfect, absolute=absolute
    )
    if dev is not None:
        threshold = judge(_matrix(dev, said)).threshold
    found = judge(_matrix(file, said), threshold=threshold)
    written = [outputs.write_text(reliability_json(found), json)] if json and json != "-" else []
    written += [f"each answer written to {path}" for path in write_reliability_csv(found, csv)] if csv else []
    if json == "-":
        print(reliability_json(found), end="")
        return
    console = outputs.console()
    console.print(reliability_text(found))
    outputs.show_written(console, written)


def _matrix(path: Path, said: given.TemplateOptions) -> ScoreMatrix:
    """The matrix a file holds or, from templates, makes."""
    from bertillon.cli.inputs import scores_or_templates
    from bertillon.cli.progress import Bar
    from bertillon.core.tables import ComparisonTable, TemplateTable
    from bertillon.trials.matrices import settled
    from bertillon.trials.score_tables import matrix_of

    found = scores_or_templates(path, said)
    if isinstance(found, ComparisonTable):
        raise InputError(f"{path}: holds comparisons; expected a score matrix with owners, or templates")
    if isinstance(found, TemplateTable):
        with Bar() as bar:
            return matrix_of(said.plan(found), bar)
    return settled(found).matrix
