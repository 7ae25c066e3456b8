"""`bertillon match` and `bertillon split`: scores from templates, and partitions others can repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli import template_options as given
from bertillon.cli.progress import Bar
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

    from bertillon.matching.protocol.partition import Partition

Target = Annotated[Path, typer.Option("-o", "--output", help="File to write.")]


def match(
    file: Annotated[Path, typer.Argument(help="Templates.")],
    output: Target,
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
    multiple: given.MultipleOption = False,
    fusion: given.FusionOption = "best",
    seed: given.SeedOption = 0,
) -> None:
    """Compare templates and write the scores: a table, or a BEE matrix where the target ends in .mtx.

    Example: bertillon match embeddings.npz --matcher cosine -o scores.parquet
    """
    from bertillon import io as formats
    from bertillon.trials.score_tables import matrix_of, table_of

    said = given.TemplateOptions.among(locals())
    said.require_fusion()
    plan = said.plan(said.read(file))
    outputs.say(*map(str, plan.words))
    with Bar() as bar:
        made = matrix_of(plan, bar) if output.suffix == ".mtx" else table_of(plan, bar)
    formats.write(made, output)
    outputs.say(f"written to {output}")


def split(
    file: Annotated[Path, typer.Argument(help="Templates.")],
    output: Target,
    labels: given.LabelsOption = None,
    kind: given.KindOption = None,
    angle: given.AngleOption = None,
    subject_pattern: given.SubjectPatternOption = None,
    column: given.ColumnOption = None,
    train: Annotated[float | None, typer.Option(help="Share for training; the rest is for testing.")] = None,
    by: Annotated[str, typer.Option(help="Split training and testing by subject or by sample.")] = "subject",
    leave_out: given.LeaveOutOption = None,
    strategy: given.StrategyOption = None,
    per_subject: given.PerSubjectOption = 1,
    runs: Annotated[int, typer.Option(help="Partitions to draw.")] = 1,
    seed: given.SeedOption = 0,
) -> None:
    """Divide templates into training and testing, or gallery and probes, and write who is what.

    Example: bertillon split embeddings.npz --leave-out 0.3 --seed 1 -o partition.csv
    """
    from bertillon.matching.protocol.gallery import split_gallery_probe
    from bertillon.matching.protocol.partition_file import write_partitions
    from bertillon.matching.protocol.repeated import repeat
    from bertillon.matching.protocol.split import split_train_test

    if train is not None and (leave_out is not None or strategy is not None):
        raise InputError(
            "--train divides training from testing, --leave-out and --strategy gallery from probes; one each"
        )
    if train is not None and per_subject != 1:
        raise InputError("--per-subject is how many templates a person enrols, and --train enrols nobody; one each")
    if train is None and by != "subject":
        raise InputError(f"--by {by} divides training from testing; add --train, or leave it out")
    templates = given.TemplateOptions.among(locals()).read(file)

    def divide(rng: Generator) -> Partition:
        if train is not None:
            return split_train_test(templates, by=by, train=train, rng=rng)
        return split_gallery_probe(
            templates, strategy=strategy or "random", per_subject=per_subject, leave_out=leave_out or 0.0, rng=rng
        )

    partitions = repeat(divide, runs=runs, seed=seed)
    write_partitions(output, partitions)
    outputs.say(*map(str, partitions[0].words))
    outputs.say(f"{runs} partition{'s' if runs > 1 else ''} written to {output}")
