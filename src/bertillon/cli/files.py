"""Commands on files as such: `inspect` (how they are read), `convert` (to other formats) and `count` (scores once)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.rooms import counting, formats, measures, render, trials
from bertillon.cli.sources import ScoreSource, counted, counts_and_others, merged
from bertillon.core import InputError, Message, say


def inspect(
    files: Annotated[
        tuple[Path, ...], argument("FILE", "Files of scores, templates or predictions, as for 'bertillon verify'.")
    ],
    scores: Annotated[options.ScoreInput, without("name")],
    reading: Annotated[options.ReadingOptions, without("explain")],
    templates: options.TemplateInput,
    outputs: Annotated[
        options.OutputOptions,
        only("json", "lang"),
        reworded(json="Write the result as JSON; - is standard output."),
        options.TERMINAL,
    ],
) -> None:
    """Show how files would be read: format, columns, labels, direction, subjects, and the command to use.

    Example: bertillon inspect scores.csv
    """
    inspected = inspection(files, reading, scores, templates)
    if outputs.json:
        out.show_written(out.console(), out.write_json(render.strict_json(inspected.to_dict()), outputs.json))
    else:
        render.print_inspection(inspected, out.console())
    if inspected.problem:
        raise InputError(inspected.problem)


def inspection(
    files: Sequence[Path], reading: options.ReadingOptions, scores: options.ScoreInput, templates: options.TemplateInput
) -> trials.Inspection:
    how = ScoreSource.of(scores, reading).how | {"rule": scores.rule, "mask": scores.mask, "trust": scores.trust}
    return trials.inspect(*files, **how, all_against_all=scores.all_against_all, **asdict(templates))


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """The format that is written."""

    to: str | None = option(
        metavar="NAME", help="Format to write: bob-4, bob-csv, bee, csv, tsv or parquet; by default that of the suffix."
    )


def convert(
    source: Annotated[Path, argument("SOURCE", "File to read.")],
    target: Annotated[Path, argument("TARGET", "File to write; its suffix names the format.", writes=True)],
    wanted: ConvertOptions,
    scores: Annotated[options.ScoreInput, only("format", "mask", "values", "failed")],
    reading: options.ReadingOptions,
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Convert a file of scores to another format.

    Example: bertillon convert scores.csv scores.parquet
    """
    table = formats.read(source, **ScoreSource.of(scores, reading).how, mask=scores.mask)
    formats.write(table, target, format=wanted.to)
    out.print_lines(*table.notes, say("terminal.written", file=str(target)))


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What is counted, and where the counts go."""

    output: Path = option("-o", "--output", required=True, updates=True, help="File of counts to write.")
    measure: tuple[str, ...] = options.measure_option(
        "Measure kept exact in the counts, in addition to the usual ones", "verification"
    )


def count(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "Scores of ONE system in one or many files (also 'scores/*.parquet'), or counts of it."),
    ],
    wanted: CountOptions,
    scores: Annotated[options.ScoreInput, without("mask", "all_against_all")],
    reading: options.ReadingOptions,
    job: Annotated[options.JobOptions, only("allow_repeats")],
    outputs: options.Language,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Count scores in one pass and write the counts, a small file that 'bertillon verify' reads.

    Example: bertillon count today/*.parquet -o today.counts; bertillon verify archive/*.counts today.counts
    """
    output = wanted.output
    asked = list(measures.parse_all(wanted.measure))
    source = ScoreSource.of(scores, reading, job)
    old, new = counts_and_others(files)
    _require_output(output, new)
    counts = merged(old, new, source, asked) if old else counted(new, source, asked)
    [named] = out.renamed([replace(counts, name=output.name)], scores.name)
    counting.write_counts(named, output)
    out.print_lines(*counts.notes, *map(render.warned, counts.warnings), *_summary(counts))
    out.print_lines(say("terminal.written.counts", file=str(output), size=output.stat().st_size))


def _require_output(output: Path, scores: Sequence[Path]) -> None:
    """Refuse what would be refused after hours of counting, or would overwrite the scores with counts."""
    if not os.path.isdir(output.parent):
        raise InputError(f"{output}: there is no folder {output.parent}; make it first")
    if any(os.path.exists(output) and output.samefile(file) for file in scores if os.path.exists(file)):
        raise InputError(f"{output}: is one of the files of scores; give the counts a name of their own (-o FILE)")


def _summary(counts: counting.ScoreCounts) -> tuple[Message, Message]:
    total, known, failed = counts.total, len(counts.mated.keys) + len(counts.nonmated.keys), counts.failures.comparisons
    return (
        say("terminal.counts", mated=total.mated, nonmated=total.nonmated, n=len(counts.sources), failed=failed),
        say("terminal.counts.distinct", known=known, binned=counts.mated.bins.n + counts.nonmated.bins.n),
    )
