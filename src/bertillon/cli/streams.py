"""Files of scores: how options describe them, which of them are read in parts, and how they are evaluated."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.cli.declare import given_options
from bertillon.cli.options import JobOptions, ReadingOptions, ScoreInput
from bertillon.cli.progress import Bar, working
from bertillon.cli.rooms import counting, evaluating, formats, measures, trials
from bertillon.core.errors import InputError
from bertillon.core.messages import say

if TYPE_CHECKING:
    Compared = trials.ScoreSet | counting.CountedScores | trials.ScoreStream | counting.ScoreCounts
else:
    Compared = Any

LARGE = 2 << 30  # bytes; from here on a file is read in parts by default
AT_ONCE = 16  # files of counts


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """Files of scores, as the options of a command describe them."""

    content: ScoreInput = ScoreInput()
    columns: Mapping[str, str] | None = None
    stream: bool | None = False  # read in parts: yes, no, or where files are large
    repeats: bool = False

    @classmethod
    def of(cls, content: ScoreInput, reading: ReadingOptions, job: JobOptions | None = None) -> ScoreSource:
        """From the options of a command; one without a job reads files whole."""
        if job is None:
            return cls(content, reading.columns)
        return cls(content, reading.columns, job.stream, job.allow_repeats)

    @property
    def given(self) -> bool:
        """An option was given that only makes sense for scores."""
        content = replace(self.content, distance=False, similarity=False, name=(), all_against_all=None)
        return bool(given_options(content)) or self.columns is not None

    @property
    def how(self) -> dict[str, Any]:
        """How files are read, whole or in parts."""
        content = self.content
        return {
            "format": content.format,
            "columns": self.columns,
            "values": content.label_values,
            "failed": content.failed,
        }


def require_both_classes(name: str, *, mated: int, nonmated: int, failed: int = 0) -> None:
    """Without one of the classes no question about errors has an answer."""
    for kind, number in (("mated (genuine)", mated), ("non-mated (impostor)", nonmated)):
        if not number:
            raise InputError(
                f"{name}: no {kind} scores among {mated + nonmated + failed:,} comparisons; both kinds are needed: "
                "check the column of labels, or add the missing file"
            )


def streamed(paths: Sequence[Path], scores: ScoreSource, asked: Sequence[measures.Measure]) -> list[Compared] | None:
    """The systems of files that are read in parts, or None where all are read whole."""
    if not scores.stream and not any(map(formats.is_counts, paths)):
        return None if scores.stream is False else _large(paths, scores)
    if scores.content.mask is not None:
        raise InputError("--mask goes with a BEE matrix, which is not read in parts; leave out --stream")
    counts, others = counts_and_others(paths)
    return [merged(counts, others, scores, asked) if counts else _stream(others, scores)]


def counts_and_others(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files that hold counts, and those that must hold scores; patterns stand for what they match."""
    kinds: dict[bool, list[Path]] = {True: [], False: []}
    for file in trials.expand(paths):
        kinds[formats.is_counts(file)].append(file)
    return kinds[True], kinds[False]


def _large(paths: Sequence[Path], scores: ScoreSource) -> list[Compared] | None:
    """Each file a system, if all are large tables of scores."""
    if scores.content.mask is not None or not all(map(_is_large, paths)):
        return None
    try:
        groups = [paths] if _two_lists(paths, scores) else [[path] for path in paths]
        streams = [_stream(group, scores) for group in groups]
    except InputError:
        return None  # templates, or a fault that reading it whole will tell of
    why = say("reading.large", size=formats.format_size(_large_size()))
    return [replace(stream, notes=(*stream.notes, why)) for stream in streams]


def _large_size() -> int:
    """From how many bytes on a file is read in parts unasked."""
    return min(LARGE, formats.max_memory())


def _is_large(path: Path) -> bool:
    """Going by what is in it: a packed file counts as what it unpacks to."""
    size = _large_size()
    return os.path.isfile(path) and (path.stat().st_size > size or formats.unpacks_beyond(path, size))


def _two_lists(paths: Sequence[Path], scores: ScoreSource) -> bool:
    """Are these a genuine and an impostor list?"""
    opened = [formats.open_batches(path, **scores.how, ids=True) for path in paths]
    return len(opened) == 2 and all(table.is_plain_list for source in opened for table in islice(source.tables(), 1))


def _stream(paths: Sequence[Path], scores: ScoreSource) -> trials.ScoreStream:
    return trials.stream_scores(*paths, rule=scores.content.rule, trust=scores.content.trust, **scores.how)


def merged(
    counts: Sequence[Path], others: Sequence[Path], scores: ScoreSource, asked: Sequence[measures.Measure]
) -> counting.ScoreCounts:
    """Files of counts, and files of scores that are counted first, as one system."""
    if not others and (scores.content.format or scores.columns):
        raise InputError(f"{counts[0]}: holds counts; --format and --column are about files of scores: leave them out")
    fresh = [counted(others, scores, asked)] if others else []
    with working("adding"):
        whole = evaluating.merge_counts(chain(read_all(counts), fresh), asked, repeats=scores.repeats)
    rule = scores.content.rule
    if rule not in (None, whole.rule.value):
        raise InputError(
            f"{counts[0]}: holds counts of a {whole.rule.value}, not of a {rule}; which it is was settled when "
            f"they were counted: leave out --{rule}, or count the scores again"
        )
    files = [*counts, *others]
    return whole if len(files) == 1 else replace(whole, name=f"{files[0].name} ... {files[-1].name}")


def read_all(paths: Sequence[Path]) -> Iterator[counting.ScoreCounts]:
    """Files of counts, some of them read at a time."""
    for start in range(0, len(paths), AT_ONCE):
        yield from counting.on_threads(counting.read_counts, paths[start : start + AT_ONCE])


def counted(paths: Sequence[Path], scores: ScoreSource, asked: Sequence[measures.Measure]) -> counting.ScoreCounts:
    with Bar() as bar:
        return evaluating.count_scores(_stream(paths, scores), asked, repeats=scores.repeats, progress=bar)


def require_kept(systems: Sequence[Compared], asked: Sequence[str]) -> None:
    """Refuse options for which all scores must be held, where some system is only counted."""
    for system in systems:
        if asked and system.form in ("stream", "counts"):
            raise InputError(f"{system.name}: is counted and not held, and {asked[0]} needs every score; leave it out")


def evaluated(systems: Sequence[Compared], asked: Sequence[measures.Measure]) -> list[evaluating.ScoreEvaluation]:
    evaluations = [_evaluated(system, asked) for system in systems]
    for evaluation in evaluations:
        require_both_classes(evaluation.name, **evaluation.counts)
    return evaluations


def _evaluated(system: Compared, asked: Sequence[measures.Measure]) -> evaluating.ScoreEvaluation:
    if system.form == "stream":
        with Bar() as bar:
            return evaluating.evaluate(system, asked, progress=bar)
    with working("evaluating"):
        return evaluating.evaluate(system, asked)
