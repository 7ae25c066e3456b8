"""`bertillon count`: scores counted once, so that they can be evaluated later, together with others, without them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import options, streams
from bertillon.cli.inputs import ScoreOptions

if TYPE_CHECKING:
    from bertillon.counts.stream_counts import ScoreCounts


def count(
    files: Annotated[
        list[Path],
        typer.Argument(help="Scores of ONE system in one or many files (also 'scores/*.parquet'), or counts of it."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the counts go.")],
    distance: Annotated[bool, typer.Option("--distance", help="Scores are distances: accept when score <= t.")] = False,
    similarity: Annotated[
        bool, typer.Option("--similarity", help="Scores are similarities, whatever the file says.")
    ] = False,
    format: Annotated[str | None, typer.Option(help="Format of the files, instead of a look at them.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Which column is what: score=llr, label=target; repeatable.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="What will be asked later, beside the usual, to be exact; repeatable."),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Name of the system.")] = None,
    allow_repeats: streams.RepeatsOption = False,
) -> None:
    """Count scores in one pass and keep the counts: a small file that `bertillon verify` reads, alone or with others.

    Example: bertillon count today/*.parquet -o today.counts; bertillon verify archive/*.counts today.counts
    """
    from bertillon.counts.counts_file import write_counts
    from bertillon.formats.counted import is_counts
    from bertillon.measures import parse_all
    from bertillon.trials.stream_reading import expand

    asked = list(parse_all(measure or []))
    rule = options.rule_of(distance, similarity)
    said = ScoreOptions(rule, format, options.columns(column or []), repeats=allow_repeats)
    paths = expand(files)
    old = [path for path in paths if is_counts(path)]
    new = [path for path in paths if path not in old]
    counts = streams.merged(old, new, said, asked) if old else streams.counted(new, said, asked)
    write_counts(replace(counts, name=label or output.name), output)
    for line in (*counts.notes, *(f"warning: {one}" for one in counts.warnings), _summary(counts)):
        print(line)
    print(f"counts written to {output} ({output.stat().st_size:,} bytes)")


def _summary(counts: ScoreCounts) -> str:
    total, known = counts.total, len(counts.mated.keys) + len(counts.nonmated.keys)
    return (
        f"{total.mated:,} mated and {total.nonmated:,} non-mated scores of {len(counts.sources):,} sources, "
        f"{counts.failures.comparisons:,} failed; {known:,} distinct scores are told apart, "
        f"{counts.mated.lumps.n + counts.nonmated.lumps.n:,} scores are counted in bins"
    )
