"""Commands on files as such: `inspect` (how they are read), `convert` (to other formats) and `count` (scores once)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.options import (
    TERMINAL,
    JobOptions,
    OutputOptions,
    ReadingOptions,
    ScoreInput,
    TemplateInput,
    measure_option,
)
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say

if TYPE_CHECKING:
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.trials.inspection import Inspection


def inspect(
    files: Annotated[
        tuple[Path, ...], argument("FILE", "Files of scores, templates or predictions, as for 'bertillon verify'.")
    ],
    scores: Annotated[ScoreInput, without("name")],
    reading: Annotated[ReadingOptions, without("explain")],
    templates: TemplateInput,
    outputs: Annotated[
        OutputOptions, only("json", "lang"), reworded(json="Write it as JSON; - is standard output."), TERMINAL
    ],
) -> None:
    """Show how files would be read: format, columns, labels, direction, subjects, and the command to use.

    Example: bertillon inspect scores.csv
    """
    inspected = inspection(files, reading, scores, templates)
    if outputs.json:
        from bertillon.cli.outputs import show, write_json
        from bertillon.render.strict_json import strict_json

        def json() -> str:
            return strict_json(inspected.to_dict())

        show(outputs.json, json, list, write_json(json, outputs.json))
    else:
        show_inspection(inspected)
    if inspected.problem:
        raise InputError(inspected.problem)


def inspection(
    files: Sequence[Path], reading: ReadingOptions, scores: ScoreInput, templates: TemplateInput
) -> Inspection:
    """How files are read with these options."""
    from bertillon.trials.inspection import inspect as inspect_files

    return inspect_files(
        *files,
        rule=scores.rule,
        format=scores.format,
        columns=reading.columns,
        mask=scores.mask,
        values=scores.label_values,
        failed=scores.failed,
        all_against_all=scores.all_against_all,
        trust=scores.trust,
        labels=templates.labels,
        kind=templates.kind,
        angle=templates.angle,
        subject_pattern=templates.subject_pattern,
    )


def show_inspection(inspected: Inspection, *, beside: bool = False) -> None:
    """Print an inspection; `beside` other output, on the error stream."""
    from bertillon.cli.outputs import console
    from bertillon.render.inspection import print_inspection

    print_inspection(inspected, console(stderr=beside))


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The format that is written."""

    to: str | None = option(
        metavar="NAME", help="Format to write: bob-4, bob-csv, bee, csv, tsv or parquet; by default that of the suffix."
    )


def convert(
    source: Annotated[Path, argument("SOURCE", "File to read.")],
    target: Annotated[Path, argument("TARGET", "File to write; its suffix names the format.", writes=True)],
    options: ConvertOptions,
    scores: Annotated[ScoreInput, only("format", "mask", "values", "failed")],
    reading: ReadingOptions,
    outputs: Annotated[OutputOptions, only("lang"), TERMINAL],  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Convert a file of scores to another format.

    Example: bertillon convert scores.csv scores.parquet
    """
    from bertillon import io as formats
    from bertillon.cli.inputs import ScoreSource
    from bertillon.cli.outputs import print_lines

    table = formats.read(source, **ScoreSource.of(scores, reading).how, mask=scores.mask)
    formats.write(table, target, format=options.to)
    print_lines(*table.notes, say("terminal.written", file=str(target)))


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What is counted, and where the counts go."""

    output: Path = option("-o", "--output", required=True, updates=True, help="File of counts to write.")
    measure: tuple[str, ...] = measure_option("Measure to be exact later, beside the usual ones")


def count(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "Scores of ONE system in one or many files (also 'scores/*.parquet'), or counts of it."),
    ],
    options: CountOptions,
    scores: Annotated[ScoreInput, without("mask", "all_against_all")],
    reading: ReadingOptions,
    job: Annotated[JobOptions, only("allow_repeats")],
    outputs: Annotated[OutputOptions, only("lang"), TERMINAL],  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Count scores in one pass and keep the counts, a small file for 'bertillon verify', alone or with others.

    Example: bertillon count today/*.parquet -o today.counts; bertillon verify archive/*.counts today.counts
    """
    from bertillon.cli.inputs import ScoreSource
    from bertillon.cli.outputs import print_lines, renamed
    from bertillon.cli.streams import counted, counts_and_others, merged
    from bertillon.counting.streams.counts_file import write_counts
    from bertillon.measures import parse_all
    from bertillon.render.tables import warned

    output = options.output
    asked = list(parse_all(options.measure))
    source = ScoreSource.of(scores, reading, job)
    old, new = counts_and_others(files)
    _require_output(output, new)
    counts = merged(old, new, source, asked) if old else counted(new, source, asked)
    [named] = renamed([replace(counts, name=output.name)], scores.name)
    write_counts(named, output)
    print_lines(*counts.notes, *map(warned, counts.warnings), *_summary(counts))
    print_lines(say("terminal.written.counts", file=str(output), size=output.stat().st_size))


def _require_output(output: Path, scores: Sequence[Path]) -> None:
    """Refuse what would be refused after hours of counting, or would overwrite the scores with counts."""
    if not os.path.isdir(output.parent):
        raise InputError(f"{output}: there is no folder {output.parent}; make it first")
    if any(os.path.exists(output) and output.samefile(file) for file in scores if os.path.exists(file)):
        raise InputError(f"{output}: is one of the files of scores; give the counts a name of their own (-o FILE)")


def _summary(counts: ScoreCounts) -> tuple[Message, Message]:
    total, known, failed = counts.total, len(counts.mated.keys) + len(counts.nonmated.keys), counts.failures.comparisons
    return (
        say("terminal.counts", mated=total.mated, nonmated=total.nonmated, n=len(counts.sources), failed=failed),
        say("terminal.counts.distinct", known=known, binned=counts.mated.bins.n + counts.nonmated.bins.n),
    )
