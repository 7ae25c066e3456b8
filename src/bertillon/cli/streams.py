"""Scores too many to be held: which files are read in parts, and how they are evaluated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from bertillon.cli.inputs import ScoreSource, require_both_classes
from bertillon.cli.progress import Bar, working
from bertillon.core.errors import InputError
from bertillon.core.messages import say

if TYPE_CHECKING:
    from bertillon.cli.inputs import Compared
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.evaluation import ScoreEvaluation
    from bertillon.measures import Measure
    from bertillon.trials.score_stream import ScoreStream

LARGE = 2 << 30  # bytes; from here on a file is read in parts by default
AT_ONCE = 16  # files of counts


def streamed(paths: Sequence[Path], scores: ScoreSource, measures: Sequence[Measure]) -> list[Compared] | None:
    """The systems of files that are read in parts, or None where all are read whole."""
    from bertillon.io.no_scores import is_counts

    if not scores.stream and not any(map(is_counts, paths)):
        return None if scores.stream is False else _large(paths, scores)
    if scores.content.mask is not None:
        raise InputError("--mask goes with a BEE matrix, which is not read in parts; leave out --stream")
    counts, others = counts_and_others(paths)
    return [merged(counts, others, scores, measures) if counts else _stream(others, scores)]


def counts_and_others(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files that hold counts, and those that must hold scores; patterns stand for what they match."""
    from bertillon.io.no_scores import is_counts
    from bertillon.trials.reading import expand

    kinds: dict[bool, list[Path]] = {True: [], False: []}
    for file in expand(paths):
        kinds[is_counts(file)].append(file)
    return kinds[True], kinds[False]


def _large(paths: Sequence[Path], scores: ScoreSource) -> list[Compared] | None:
    """Each file a system, if all are large tables of scores."""
    if scores.content.mask is not None or not all(map(_is_large, paths)):
        return None
    from bertillon.io.limits import format_size

    try:
        groups = [paths] if _two_lists(paths, scores) else [[path] for path in paths]
        streams = [_stream(group, scores) for group in groups]
    except InputError:
        return None  # templates, or a fault that reading it whole will tell of
    why = say("reading.large", size=format_size(_large_size()))
    return [replace(stream, notes=(*stream.notes, why)) for stream in streams]


def _large_size() -> int:
    """From how many bytes on a file is read in parts unasked."""
    from bertillon.io.limits import max_memory

    return min(LARGE, max_memory())


def _is_large(path: Path) -> bool:
    """Going by what is in it: a packed file counts as what it unpacks to."""
    from bertillon.io.source import unpacks_beyond

    size = _large_size()
    return os.path.isfile(path) and (path.stat().st_size > size or unpacks_beyond(path, size))


def _two_lists(paths: Sequence[Path], scores: ScoreSource) -> bool:
    """Are these a genuine and an impostor list?"""
    from bertillon.io.batches import open_batches

    opened = [open_batches(path, **scores.how, ids=True) for path in paths]
    return len(opened) == 2 and all(table.is_plain_list for source in opened for table in islice(source.tables(), 1))


def _stream(paths: Sequence[Path], scores: ScoreSource) -> ScoreStream:
    from bertillon.trials.reading import stream_scores

    return stream_scores(*paths, rule=scores.content.rule, trust=scores.content.trust, **scores.how)


def merged(
    counts: Sequence[Path], others: Sequence[Path], scores: ScoreSource, measures: Sequence[Measure]
) -> ScoreCounts:
    """Files of counts, and files of scores that are counted first, as one system."""
    from bertillon.evaluation.streams import merge_counts

    if not others and (scores.content.format or scores.columns):
        raise InputError(f"{counts[0]}: holds counts; --format and --column are about files of scores: leave them out")
    fresh = [counted(others, scores, measures)] if others else []
    with working("adding"):
        whole = merge_counts(chain(read_all(counts), fresh), measures, repeats=scores.repeats)
    rule = scores.content.rule
    if rule not in (None, whole.rule.value):
        raise InputError(
            f"{counts[0]}: holds counts of a {whole.rule.value}, not of a {rule}; which it is was settled when "
            f"they were counted: leave out --{rule}, or count the scores again"
        )
    files = [*counts, *others]
    return whole if len(files) == 1 else replace(whole, name=f"{files[0].name} ... {files[-1].name}")


def read_all(paths: Sequence[Path]) -> Iterator[ScoreCounts]:
    """Files of counts, some of them read at a time."""
    from bertillon.counting.slices import on_threads
    from bertillon.counting.streams.counts_file import read_counts

    for start in range(0, len(paths), AT_ONCE):
        yield from on_threads(read_counts, paths[start : start + AT_ONCE])


def counted(paths: Sequence[Path], scores: ScoreSource, measures: Sequence[Measure]) -> ScoreCounts:
    """Files of scores counted in one pass."""
    from bertillon.evaluation.streams import count_scores

    with Bar() as bar:
        return count_scores(_stream(paths, scores), measures, repeats=scores.repeats, progress=bar)


def require_kept(systems: Sequence[Compared], asked: Sequence[str]) -> None:
    """Refuse options for which all scores must be held, where some system is only counted."""
    for system in systems:
        if asked and system.form in ("stream", "counts"):
            raise InputError(f"{system.name}: is counted and not held, and {asked[0]} needs every score; leave it out")


def evaluated(systems: Sequence[Compared], measures: Sequence[Measure]) -> list[ScoreEvaluation]:
    """The answers about each system."""
    evaluations = [_evaluated(system, measures) for system in systems]
    for evaluation in evaluations:
        require_both_classes(evaluation.name, **evaluation.counts)
    return evaluations


def _evaluated(system: Compared, measures: Sequence[Measure]) -> ScoreEvaluation:
    from bertillon.evaluation import evaluate

    if system.form == "stream":
        with Bar() as bar:
            return evaluate(system, measures, progress=bar)
    with working("evaluating"):
        return evaluate(system, measures)
