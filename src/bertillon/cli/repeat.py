"""`bertillon repeat`: one protocol over many random partitions of the templates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli import template_options as given
from bertillon.cli.progress import Bar


def repeat(
    file: Annotated[Path, typer.Argument(help="Templates with their owners.")],
    mode: Annotated[str, typer.Option(help="verification or identification.")] = "identification",
    runs: Annotated[int | None, typer.Option(help="Partitions to draw; 10 unless a file gives them.")] = None,
    measure: Annotated[list[str] | None, typer.Option("-m", "--measure", help="RR, EER, ...; repeatable.")] = None,
    labels: given.LabelsOption = None,
    kind: given.KindOption = None,
    angle: given.AngleOption = None,
    subject_pattern: given.SubjectPatternOption = None,
    column: given.ColumnOption = None,
    matcher: given.MatcherOption = None,
    matcher_option: given.MatcherOptionsOption = None,
    partition: given.PartitionOption = None,
    leave_out: given.LeaveOutOption = None,
    strategy: given.StrategyOption = None,
    per_subject: given.PerSubjectOption = 1,
    multiple: given.MultipleOption = False,
    fusion: given.FusionOption = "best",
    seed: given.SeedOption = 0,
    json: outputs.JsonOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write each run's answers.", rich_help_panel=outputs.PANEL),
    ] = None,
) -> None:
    """Evaluate many random divisions into gallery and probes: mean, spread and each run.

    Example: bertillon repeat embeddings.npz --runs 20 --leave-out 0.3 -m RR -m DIR@FPIR=0.01,k=1
    """
    from bertillon.evaluation.repeated import evaluate_repeated
    from bertillon.render.repeated import repeated_json, repeated_text, write_repeated_csv

    said = given.TemplateOptions.among(locals())
    if mode == "verification":
        said.require_fusion()
    plans = said.plans(said.read(file), runs)
    with Bar() as bar:
        repeated = evaluate_repeated(plans, measure, mode=mode, progress=bar)
    if csv:
        write_repeated_csv(repeated, csv)
    if json == "-":
        print(repeated_json(repeated), end="")
        return
    written = [outputs.write_text(repeated_json(repeated), json)] if json else []
    written += [f"each run's answers written to {csv}"] if csv else []
    console = outputs.console()
    console.print(repeated_text(repeated, [str(line) for line in plans[0].words]))
    outputs.show_written(console, written)
