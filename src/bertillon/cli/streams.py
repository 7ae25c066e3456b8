"""Scores too many to be held: which files are read in parts, and how they are evaluated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli.progress import Bar, working
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.cli.inputs import Compared
    from bertillon.cli.score_options import ScoreOptions
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.evaluation import Evaluation
    from bertillon.measures import Measure
    from bertillon.trials.score_stream import ScoreStream

PANEL = "Large inputs"
LARGE = 2 << 30  # bytes; from here on a file is read in parts unasked
AT_ONCE = 16  # files of counts

StreamOption = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Count scores in parts, in little memory: the files (or 'scores/*.parquet') are parts of ONE system. "
        "Unasked for files above 2 GiB (unpacked), each a system.",
        rich_help_panel=PANEL,
    ),
]
RepeatsOption = Annotated[
    bool,
    typer.Option("--allow-repeats", help="Counts may hold the same source twice.", rich_help_panel=PANEL),
]


def streamed(paths: Sequence[Path], scores: ScoreOptions, measures: Sequence[Measure]) -> list[Compared] | None:
    """The systems of files that are read in parts, or None where all are read whole."""
    from bertillon.io.counted import is_counts

    if not scores.stream and not any(map(is_counts, paths)):
        return None if scores.stream is False else _large(paths, scores)
    if scores.mask is not None:
        raise InputError("--mask goes with a BEE matrix, which is not read in parts; leave out --stream")
    counts, others = counts_and_others(paths)
    return [merged(counts, others, scores, measures) if counts else _stream(others, scores)]


def counts_and_others(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files that hold counts, and those that must hold scores; patterns stand for what they match."""
    from bertillon.io.counted import is_counts
    from bertillon.trials.stream_reading import expand

    kinds: dict[bool, list[Path]] = {True: [], False: []}
    for file in expand(paths):
        kinds[is_counts(file)].append(file)
    return kinds[True], kinds[False]


def _large(paths: Sequence[Path], scores: ScoreOptions) -> list[Compared] | None:
    """Each file a system, if all are large tables of scores."""
    if scores.mask is not None or not all(map(_is_large, paths)):
        return None
    from bertillon.io.limits import format_size

    try:
        groups = [paths] if _two_lists(paths, scores) else [[path] for path in paths]
        found = [_stream(group, scores) for group in groups]
    except InputError:
        return None  # templates, or a fault that reading it whole will tell of
    why = f"larger than {format_size(_large_size())}, so read in parts (--no-stream holds it in memory)"
    return [replace(stream, notes=(*stream.notes, why)) for stream in found]


def _large_size() -> int:
    """From how many bytes on a file is read in parts unasked."""
    from bertillon.io.limits import max_memory

    return min(LARGE, max_memory())


def _is_large(path: Path) -> bool:
    """Going by what is in it: a packed file counts as what it unpacks to."""
    from bertillon.io.source import unpacks_beyond

    size = _large_size()
    return os.path.isfile(path) and (path.stat().st_size > size or unpacks_beyond(path, size))


def _two_lists(paths: Sequence[Path], scores: ScoreOptions) -> bool:
    """Are these a genuine and an impostor list?"""
    from bertillon.io.batches import open_batches

    opened = [open_batches(path, **scores.how, ids=True) for path in paths]
    return len(opened) == 2 and all(table.is_plain_list for one in opened for table in islice(one.tables(), 1))


def _stream(paths: Sequence[Path], scores: ScoreOptions) -> ScoreStream:
    from bertillon.trials.stream_reading import stream_scores

    return stream_scores(*paths, rule=scores.rule, trust=scores.trust, **scores.how)


def merged(
    counts: Sequence[Path], others: Sequence[Path], scores: ScoreOptions, measures: Sequence[Measure]
) -> ScoreCounts:
    """Files of counts, and files of scores that are counted first, as one system."""
    from bertillon.evaluation.streams import merge_counts

    if not others and (scores.format or scores.columns):
        raise InputError(f"{counts[0]}: holds counts; --format and --column are about files of scores: leave them out")
    fresh = [counted(others, scores, measures)] if others else []
    with working("adding up counts"):
        whole = merge_counts(chain(read_all(counts), fresh), measures, repeats=scores.repeats)
    if scores.rule not in (None, whole.rule.value):
        raise InputError(
            f"{counts[0]}: holds counts of a {whole.rule.value}, not of a {scores.rule}; which it is was settled when "
            f"they were counted: leave out --{scores.rule}, or count the scores again"
        )
    files = [*counts, *others]
    return whole if len(files) == 1 else replace(whole, name=f"{files[0].name} ... {files[-1].name}")


def read_all(paths: Sequence[Path]) -> Iterator[ScoreCounts]:
    """Files of counts, some of them read at a time."""
    from bertillon.counting.slices import on_threads
    from bertillon.counting.streams.counts_file import read_counts

    for start in range(0, len(paths), AT_ONCE):
        yield from on_threads(read_counts, paths[start : start + AT_ONCE])


def counted(paths: Sequence[Path], scores: ScoreOptions, measures: Sequence[Measure]) -> ScoreCounts:
    """Files of scores counted in one pass."""
    from bertillon.evaluation.streams import count_scores

    with Bar() as bar:
        return count_scores(_stream(paths, scores), measures, repeats=scores.repeats, progress=bar)


def require_kept(systems: Sequence[Compared], asked: Sequence[str]) -> None:
    """Refuse options for which all scores must be held, where some system is only counted."""
    from bertillon.counting.tiles.counted_scores import CountedScores
    from bertillon.trials.score_set import ScoreSet

    for system in systems:
        if asked and not isinstance(system, ScoreSet | CountedScores):
            raise InputError(f"{system.name}: is counted and not held, and {asked[0]} needs every score; leave it out")


def evaluated(systems: Sequence[Compared], measures: Sequence[Measure]) -> list[Evaluation]:
    """The answers about each system."""
    from bertillon.cli.inputs import require_both_classes

    found = [_evaluated(system, measures) for system in systems]
    for one in found:
        require_both_classes(one.name, **one.counts)
    return found


def _evaluated(system: Compared, measures: Sequence[Measure]) -> Evaluation:
    from bertillon.trials.score_stream import ScoreStream

    if isinstance(system, ScoreStream):
        from bertillon.evaluation.streams import evaluate_stream

        with Bar() as bar:
            return evaluate_stream(system, measures, progress=bar)
    from bertillon.evaluation import evaluate

    with working("evaluating"):
        return evaluate(system, measures)
