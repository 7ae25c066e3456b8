"""`bertillon count`: scores counted once, so that they can be evaluated later, together with others, without them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs, score_options, streams
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.counting.streams.score_counts import ScoreCounts


def count(
    files: Annotated[
        list[Path],
        typer.Argument(help="Scores of ONE system in one or many files (also 'scores/*.parquet'), or counts of it."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the counts go.")],
    distance: score_options.DistanceOption = False,
    similarity: score_options.SimilarityOption = False,
    format: score_options.FormatOption = None,
    column: score_options.ColumnOption = None,
    values: score_options.ValuesOption = None,
    failed: score_options.FailedOption = None,
    trust: score_options.TrustOption = None,
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
    from bertillon.counting.streams.counts_file import write_counts
    from bertillon.measures import parse_all

    asked = list(parse_all(measure or []))
    said = score_options.ScoreOptions.among(locals())
    old, new = streams.counts_and_others(files)
    _require_place(output, new)
    counts = streams.merged(old, new, said, asked) if old else streams.counted(new, said, asked)
    write_counts(replace(counts, name=label or output.name), output)
    outputs.say(*map(str, counts.notes), *(f"warning: {one}" for one in counts.warnings), _summary(counts))
    outputs.say(f"counts written to {output} ({output.stat().st_size:,} bytes)")


def _require_place(output: Path, scores: Sequence[Path]) -> None:
    """Refuse what would be refused after hours of counting, or would put counts in the place of the scores."""
    if not os.path.isdir(output.parent):
        raise InputError(f"{output}: there is no folder {output.parent}; make it first")
    if any(os.path.exists(output) and output.samefile(file) for file in scores if os.path.exists(file)):
        raise InputError(f"{output}: is one of the files of scores; give the counts a name of their own (-o FILE)")


def _summary(counts: ScoreCounts) -> str:
    total, known, sources = counts.total, len(counts.mated.keys) + len(counts.nonmated.keys), len(counts.sources)
    return (
        f"{total.mated:,} mated and {total.nonmated:,} non-mated scores of {sources:,} source{'s' * (sources != 1)}, "
        f"{counts.failures.comparisons:,} failed\n"
        f"{known:,} distinct scores are told apart, {counts.mated.lumps.n + counts.nonmated.lumps.n:,} scores are "
        "counted in bins"
    )
