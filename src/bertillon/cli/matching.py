"""Commands on templates: `match` (their scores), `split` (partitions), `modes` and `repeat` (protocols evaluated)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.options import (
    OUTPUT,
    QUESTIONS,
    TERMINAL,
    IntervalOptions,
    JobOptions,
    MatcherOptions,
    OutputOptions,
    ProtocolOptions,
    RandomOptions,
    ReadingOptions,
    TemplateInput,
    measure_option,
)
from bertillon.core.errors import InputError
from bertillon.core.messages import say

if TYPE_CHECKING:
    from numpy.random import Generator

    from bertillon.matching.protocol.partition import Partition

COLUMNS = "Which column is what: subject=name, sample=file; repeatable."


@dataclass(frozen=True, slots=True)
class Target:
    """The file that is written."""

    output: Path = option("-o", "--output", required=True, writes=True, help="File to write.")


def match(
    file: Annotated[Path, argument("FILE", "Templates.")],
    target: Target,
    templates: TemplateInput,
    reading: Annotated[ReadingOptions, reworded(column=COLUMNS)],
    matcher: MatcherOptions,
    protocol: Annotated[ProtocolOptions, without("sample_nonmated")],
    random: RandomOptions,
    outputs: Annotated[OutputOptions, only("lang"), TERMINAL],  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Compare templates and write the scores: a table, or a BEE matrix where the file ends in .mtx.

    Example: bertillon match embeddings.npz --matcher cosine -o scores.parquet
    """
    from bertillon import io as formats
    from bertillon.cli.outputs import print_lines
    from bertillon.cli.progress import Bar
    from bertillon.cli.templates import TemplateSource
    from bertillon.trials.comparing import matrix_of, table_of

    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    source.require_fusion()
    plan = source.plan(source.read(file))
    print_lines(*plan.words)
    with Bar() as bar:
        scores = matrix_of(plan, bar) if target.output.suffix == ".mtx" else table_of(plan, bar)
    formats.write(scores, target.output)
    print_lines(say("terminal.written", file=str(target.output)))


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """How templates are divided."""

    train: float | None = option(metavar="SHARE", help="Share for training; the rest is for testing.")
    by: str = option(default="subject", metavar="subject|sample", help="What training and testing are divided by.")
    runs: int = option(default=1, help="Number of partitions to draw.")

    def require_one_way(self, protocol: ProtocolOptions) -> None:
        """Training is divided from testing, or the gallery from probes."""
        if self.train is None:
            if self.by != "subject":
                raise InputError(f"--by {self.by} divides training from testing; add --train, or leave it out")
            return
        if protocol.leave_out is not None or protocol.strategy is not None:
            raise InputError(
                "--train divides training from testing, --leave-out and --strategy gallery from probes; one each"
            )
        if protocol.per_subject != 1:
            raise InputError("--per-subject is how many templates a person enrols, and --train enrols nobody; one each")


def split(
    file: Annotated[Path, argument("FILE", "Templates.")],
    target: Target,
    division: SplitOptions,
    templates: TemplateInput,
    reading: Annotated[ReadingOptions, reworded(column=COLUMNS)],
    protocol: Annotated[ProtocolOptions, only("leave_out", "strategy", "per_subject")],
    random: RandomOptions,
    outputs: Annotated[OutputOptions, only("lang"), TERMINAL],  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Divide templates into training and testing, or gallery and probes, and write the partition.

    Example: bertillon split embeddings.npz --leave-out 0.3 --seed 1 -o partition.csv
    """
    from bertillon.cli.outputs import print_lines
    from bertillon.cli.templates import TemplateSource
    from bertillon.matching.protocol.partition import write_partitions
    from bertillon.matching.protocol.repeated import repeat
    from bertillon.matching.protocol.splits import split_gallery_probe, split_train_test

    division.require_one_way(protocol)
    table = TemplateSource(templates, reading=reading).read(file)

    def divide(rng: Generator) -> Partition:
        if division.train is not None:
            return split_train_test(table, by=division.by, train=division.train, rng=rng)
        return split_gallery_probe(
            table,
            strategy=protocol.strategy or "random",
            per_subject=protocol.per_subject,
            leave_out=protocol.leave_out or 0.0,
            rng=rng,
        )

    partitions = repeat(divide, runs=division.runs, seed=random.seed)
    write_partitions(target.output, partitions)
    print_lines(*partitions[0].words)
    print_lines(say("terminal.written.partitions", n=division.runs, file=str(target.output)))


def modes(
    file: Annotated[Path, argument("FILE", "Templates with their subjects.")],
    templates: TemplateInput,
    reading: Annotated[ReadingOptions, reworded(column=COLUMNS)],
    matcher: MatcherOptions,
    protocol: ProtocolOptions,
    random: RandomOptions,
    job: Annotated[JobOptions, only("checkpoint", "engine", "scheduler")],
    intervals: Annotated[IntervalOptions, without("bands")],
    outputs: Annotated[OutputOptions, without("csv")],
) -> None:
    """Evaluate templates in the three modes: verification, open-set and closed-set identification.

    Example: bertillon modes embeddings.npz
    """
    from bertillon.cli import outputs as out
    from bertillon.cli.templates import TemplateSource
    from bertillon.evaluation import DEFAULT_MEASURES, evaluate
    from bertillon.evaluation.templates import search_trials, verification_trials
    from bertillon.render.modes import modes_text
    from bertillon.views.report_content import ReportContent

    outputs.require_report()
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    plan = source.plan(source.read(file))
    with job.start() as how:
        trials = verification_trials(plan, DEFAULT_MEASURES, sample=source.sample, **how)
        verification, searches = evaluate(trials, DEFAULT_MEASURES), evaluate(search_trials(plan, **how))
    with_intervals = partial(intervals.add_to, seed=random.seed)
    [verification], [searches] = with_intervals([verification]), with_intervals([searches])

    def draw(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.save import save_figures

        return [
            path
            for evaluation in (verification, searches)
            for path in save_figures([evaluation], folder, formats=formats)
        ]

    names = outputs.names
    content = ReportContent([verification], [searches], vocabulary=names, protocol=plan.words, same_scores=True)
    written = out.write_answers(outputs, json=lambda: out.json_text(content), figures=draw)
    written += out.write_report(content, outputs)
    out.show(
        outputs.json,
        lambda: out.json_text(content),
        lambda: [modes_text(verification, searches, protocol=plan.words, vocabulary=names)],
        written,
    )


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """What is evaluated, and how often."""

    PANEL: ClassVar[str] = QUESTIONS
    mode: str = option(default="identification", metavar="verification|identification", help="Mode to evaluate.")
    runs: int | None = option(help="Number of partitions to draw; 10 by default, or all of --partition.")
    measure: tuple[str, ...] = measure_option("RR, EER, ...; see 'bertillon measures'")
    csv: Path | None = option(metavar="FILE", help="Write the results as CSV, one row per run.", panel=OUTPUT)


def repeat(
    file: Annotated[Path, argument("FILE", "Templates with their subjects.")],
    questions: RepeatOptions,
    templates: TemplateInput,
    reading: Annotated[ReadingOptions, reworded(column=COLUMNS)],
    matcher: MatcherOptions,
    protocol: Annotated[ProtocolOptions, without("gallery", "sample_nonmated")],
    random: RandomOptions,
    outputs: Annotated[OutputOptions, only("json", "lang"), TERMINAL],
) -> None:
    """Evaluate many random divisions into gallery and probes: mean, spread and each run.

    Example: bertillon repeat embeddings.npz --runs 20 --leave-out 0.3 -m RR -m DIR@FPIR=0.01,k=1
    """
    from bertillon.cli import outputs as out
    from bertillon.cli.progress import Bar
    from bertillon.cli.templates import TemplateSource
    from bertillon.evaluation import evaluate_repeated
    from bertillon.render.repeated import repeated_json, repeated_text, write_repeated_csv

    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    if questions.mode == "verification":
        source.require_fusion()
    plans = source.plans(source.read(file), questions.runs)
    with Bar() as bar:
        repeated = evaluate_repeated(plans, questions.measure or None, mode=questions.mode, progress=bar)
    written = out.write_json(lambda: repeated_json(repeated), outputs.json)
    if questions.csv:
        write_repeated_csv(repeated, questions.csv)
        written.append(say("terminal.written.runs", file=str(questions.csv)))
    out.show(
        outputs.json,
        lambda: repeated_json(repeated),
        lambda: [repeated_text(repeated, list(plans[0].words))],
        written,
    )
