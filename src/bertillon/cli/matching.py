"""Commands on templates: `match` (their scores), `split` (partitions), `modes` and `repeat` (protocols evaluated)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, without
from bertillon.cli.outputs import Bar
from bertillon.cli.rooms import evaluating, formats, matching, measures, render, trials, views
from bertillon.cli.sources import TemplateSource
from bertillon.core import InputError, Message, say

if TYPE_CHECKING:
    from numpy.random import Generator


def match(
    file: Annotated[Path, argument("FILE", "Templates.")],
    target: options.Target,
    templates: options.TemplateInput,
    reading: options.TemplateReading,
    matcher: options.MatcherOptions,
    protocol: Annotated[options.ProtocolOptions, without("sample_nonmated")],
    random: options.RandomOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Compare templates and write the scores: a table, or a BEE matrix where the file ends in .mtx.

    Example: bertillon match embeddings.npz --matcher cosine -o scores.parquet
    """
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    source.require_fusion()
    plan = source.plan(source.read(file))
    out.print_lines(*plan.words)
    with Bar() as bar:
        scores = trials.matrix_of(plan, bar) if target.output.suffix == ".mtx" else trials.table_of(plan, bar)
    formats.write(scores, target.output)
    out.print_lines(say("terminal.written", file=str(target.output)))


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """How templates are divided."""

    train: float | None = option(metavar="SHARE", help="Share used for training; the rest is for testing.")
    unit: str = option(
        default="subject", metavar="subject|sample", help="Unit that is split into training and testing."
    )
    runs: int = option(default=1, help="Number of partitions to draw.")

    def require_one_way(self, protocol: options.ProtocolOptions) -> None:
        """Training is divided from testing, or the gallery from probes."""
        if self.train is None:
            if self.unit != "subject":
                raise InputError(f"--unit {self.unit} divides training from testing; add --train, or leave it out")
            return
        if protocol.leave_out is not None or protocol.strategy is not None:
            problem = "--train divides training from testing, --leave-out and --strategy gallery from probes"
            raise InputError(f"{problem}; one each")
        if protocol.per_subject != 1:
            raise InputError("--per-subject is how many templates a person enrols, and --train enrols nobody; one each")


def split(
    file: Annotated[Path, argument("FILE", "Templates.")],
    target: options.Target,
    division: SplitOptions,
    templates: options.TemplateInput,
    reading: options.TemplateReading,
    protocol: Annotated[options.ProtocolOptions, only("leave_out", "strategy", "per_subject")],
    random: options.RandomOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Split templates into training and testing, or gallery and probes, and write the partition.

    Example: bertillon split embeddings.npz --leave-out 0.3 --seed 1 -o partition.csv
    """
    division.require_one_way(protocol)
    source = TemplateSource(templates, protocol=protocol, reading=reading)
    table = source.read(file)

    def divide(rng: Generator) -> matching.Partition:
        if division.train is not None:
            return matching.split_train_test(table, by=division.unit, train=division.train, rng=rng)
        return source.split(table, rng)

    partitions = matching.repeat(divide, runs=division.runs, seed=random.seed)
    matching.write_partitions(target.output, partitions)
    out.print_lines(*partitions[0].words)
    out.print_lines(say("terminal.written.partitions", n=division.runs, file=str(target.output)))


def modes(
    file: Annotated[Path, argument("FILE", "Templates with their subjects.")],
    templates: options.TemplateInput,
    reading: options.TemplateReading,
    matcher: options.MatcherOptions,
    protocol: options.ProtocolOptions,
    random: options.RandomOptions,
    job: Annotated[options.JobOptions, only("checkpoint", "engine", "scheduler")],
    intervals: Annotated[options.IntervalOptions, without("bands")],
    outputs: Annotated[options.OutputOptions, without("csv")],
) -> None:
    """Evaluate templates in the three modes: verification, open-set and closed-set identification.

    Example: bertillon modes embeddings.npz
    """
    outputs.require_report()
    gates = outputs.gates("verification", "identification", intervals=intervals.intervals)
    judged = [gate.measure for gate in gates if gate.kind == "verification"]
    asked = list(dict.fromkeys([*measures.parse_all(evaluating.DEFAULT_MEASURES), *judged]))
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    plan = source.plan(source.read(file))
    with job.start() as how:
        compared, found = evaluating.trials_of_both(plan, asked, sample=source.sample, **how)
        verification, searches = evaluating.evaluate(compared, asked), evaluating.evaluate(found)
    with_intervals = partial(intervals.add_to, seed=random.seed)
    [verification], [searches] = with_intervals([verification]), with_intervals([searches])

    def draw(folder: Path, formats: Sequence[str]) -> list[Path]:
        drawn = [render.save_figures([each], folder, formats=formats) for each in (verification, searches)]
        return [path for paths in drawn for path in paths]

    names = outputs.names
    content = views.ReportContent([verification], [searches], vocabulary=names, protocol=plan.words, same_scores=True)
    out.deliver(
        outputs,
        content,
        figures=draw,
        failed=lambda: out.failures(gates, [verification, searches]),
        explain=reading.explain,
        further=("--report out.html", "--figures out", "--all"),
    )


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """What is evaluated, and how often."""

    PANEL: ClassVar[str] = options.QUESTIONS
    mode: str = option(default="identification", metavar="verification|identification", help="Mode to evaluate.")
    runs: int | None = option(help="Number of partitions to draw; 10 by default, or all of --partition.")
    measure: tuple[str, ...] = options.measure_option("RR, EER, ...", "verification", "identification")
    csv: Path | None = option(metavar="FILE", help="Write the results as CSV, one row per run.", panel=options.OUTPUT)


def repeat(
    file: Annotated[Path, argument("FILE", "Templates with their subjects.")],
    questions: RepeatOptions,
    templates: options.TemplateInput,
    reading: options.TemplateReading,
    matcher: options.MatcherOptions,
    protocol: Annotated[options.ProtocolOptions, without("gallery", "sample_nonmated")],
    random: options.RandomOptions,
    outputs: Annotated[options.OutputOptions, only("json", "lang"), options.TERMINAL],
) -> None:
    """Evaluate many random partitions into gallery and probes: mean, spread and each run.

    Example: bertillon repeat embeddings.npz --runs 20 --leave-out 0.3 -m RR -m DIR@FPIR=0.01,k=1
    """
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    if questions.mode == "verification":
        source.require_fusion()
    plans = source.plans(source.read(file), questions.runs)
    with Bar() as bar:
        repeated = evaluating.evaluate_repeated(plans, questions.measure or None, mode=questions.mode, progress=bar)

    def runs() -> list[Message]:
        if questions.csv is None:
            return []
        render.write_frame(repeated.to_frame(), questions.csv)
        return [say("terminal.written.runs", file=str(questions.csv))]

    out.deliver(
        outputs, views.ReportContent(findings=[repeated], protocol=plans[0].words), more=runs, explain=reading.explain
    )
