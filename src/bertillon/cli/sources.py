"""Files of scores and of templates as options describe them: how they are read, in parts or whole, and compared."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.cli.declare import given_options
from bertillon.cli.options import JobOptions, MatcherOptions, ProtocolOptions, ReadingOptions, ScoreInput, TemplateInput
from bertillon.cli.outputs import Bar, working
from bertillon.cli.rooms import core, counting, engine, evaluating, formats, matching, measures, trials
from bertillon.core import InputError, say

if TYPE_CHECKING:
    from numpy.random import Generator

    Compared = trials.ScoreSet | counting.CountedScores | trials.ScoreStream | counting.ScoreCounts
else:
    Compared = Any

LARGE = 2 << 30  # bytes; from here on a file is read in parts by default
AT_ONCE = 16  # files of counts
ROLES = frozenset({"template", "subject"})  # of columns that no table of scores has
USUAL_MATCHERS = {"vector": "cosine", "histogram": "bhattacharyya", "bits": "hamming", "series": "dtw"}


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
        known, columns = self.content, self.columns
        return {"format": known.format, "columns": columns, "values": known.label_values, "failed": known.failed}


def require_both_classes(name: str, *, mated: int, nonmated: int, failed: int = 0) -> None:
    """Without one of the classes no question about errors has an answer."""
    for kind, number in (("mated (genuine)", mated), ("non-mated (impostor)", nonmated)):
        if not number:
            problem = f"{name}: no {kind} scores among {mated + nonmated + failed:,} comparisons"
            raise InputError(f"{problem}; both kinds are needed: check the column of labels, or add the missing file")


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
    size = min(LARGE, formats.max_memory())
    if scores.content.mask is not None or not all(_is_large(path, size) for path in paths):
        return None
    try:
        groups = [paths] if _two_lists(paths, scores) else [[path] for path in paths]
        streams = [_stream(group, scores) for group in groups]
    except InputError:
        return None  # templates, or a fault that reading it whole will tell of
    why = say("reading.large", size=formats.format_size(size))
    return [replace(stream, notes=(*stream.notes, why)) for stream in streams]


def _is_large(path: Path, size: int) -> bool:
    """Going by what is in it: a packed file counts as what it unpacks to."""
    return os.path.isfile(path) and (path.stat().st_size > size or formats.unpacks_beyond(path, size))


def _two_lists(paths: Sequence[Path], scores: ScoreSource) -> bool:
    """Are these a genuine and an impostor list?"""
    opened = [formats.open_as(path, formats.Request.of(**scores.how)) for path in paths]
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
        yield from engine.on_threads(counting.read_counts, paths[start : start + AT_ONCE])


def counted(paths: Sequence[Path], scores: ScoreSource, asked: Sequence[measures.Measure]) -> counting.ScoreCounts:
    with Bar() as bar:
        return evaluating.count_scores(_stream(paths, scores), asked, repeats=scores.repeats, progress=bar)


def require_kept(systems: Sequence[Compared], asked: Sequence[str]) -> None:
    """Refuse options for which all scores must be held, where some system is only counted."""
    for system in systems:
        if asked and system.form in ("stream", "counts"):
            raise InputError(f"{system.name}: scores were counted, not kept, and {asked[0]} needs them; leave it out")


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


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """Files of templates, as the options of a command describe them."""

    content: TemplateInput = TemplateInput()
    matcher: MatcherOptions = MatcherOptions()
    protocol: ProtocolOptions = ProtocolOptions()
    reading: ReadingOptions = ReadingOptions()
    seed: int = 0
    job: JobOptions = field(default_factory=JobOptions)
    enrolment: tuple[int, int | None] | None = None  # of transactions: templates enrolled, and attempts

    @property
    def given(self) -> bool:
        """An option was given that only makes sense for templates."""
        matcher = replace(self.matcher, fusion="best", matcher_option=())
        protocol = replace(self.protocol, per_subject=1, sample_nonmated=None)
        return bool(given_options(self.content, matcher, protocol)) or not ROLES.isdisjoint(self.columns)

    @property
    def columns(self) -> dict[str, str]:
        return self.reading.columns or {}

    @property
    def sample(self) -> tuple[int, int] | None:
        """How many non-mated pairs are drawn, and from which seed; None for all of them."""
        return None if self.protocol.sample_nonmated is None else (self.protocol.sample_nonmated, self.seed)

    def require_templates(self, source: object, *, fused: bool = False) -> None:
        """Scores are neither drawn nor made; `fused` where those of a subject may be fused."""
        if self.job.elsewhere:
            flags = "--checkpoint, --engine and --scheduler"
            raise InputError(f"{source}: holds scores; {flags} are for comparing templates: leave them out")
        matcher = replace(self.matcher, fusion="best") if fused else self.matcher
        for flag in given_options(matcher, self.protocol):
            raise InputError(f"{source}: holds scores; {flag} is for comparing templates: leave it out")

    def require_fusion(self) -> None:
        """Single templates that are compared one by one are not fused."""
        if self.matcher.fusion != "best" and not self.matcher.multiple and (self.enrolment or (1,))[0] == 1:
            problem = f"--fusion {self.matcher.fusion} makes one comparison of all templates of a person"
            raise InputError(f"{problem}: add --multiple, or leave it out")

    def read(self, path: Path) -> core.TemplateTable:
        return formats.require_templates(self.read_labelled(path))

    def read_labelled(self, path: Path) -> core.TemplateTable | core.ScoreMatrix:
        """The same, or the scores of a square array with labels."""
        how = {**asdict(self.content), "columns": self.columns}
        probes, gallery = formats.read_labelled(path, **how), self.protocol.gallery
        if isinstance(probes, core.ScoreMatrix) or gallery is None:
            return probes
        return matching.probes_then_gallery(probes, formats.read_templates(gallery, **how | {"labels": None}))

    def plan(self, templates: core.TemplateTable) -> matching.Comparing:
        self.protocol.require_one_way(drawn=False)
        return self._comparing(templates, self._partition(templates))

    def plans(self, templates: core.TemplateTable, runs: int | None) -> list[matching.Comparing]:
        """The same for each of many partitions: those of a file, or as many as there are runs, drawn from one seed."""
        self.protocol.require_one_way(drawn=True)
        if self.protocol.partition is not None:
            partitions = matching.read_partitions(self.protocol.partition, templates)
            if runs not in (None, (n := len(partitions))):
                raise InputError(f"{self.protocol.partition}: {n} partitions and --runs {runs}; leave --runs out")
        else:
            number = 10 if runs is None else runs
            partitions = matching.repeat(lambda rng: self.split(templates, rng), runs=number, seed=self.seed)
        return [self._comparing(templates, partition) for partition in partitions]

    def _comparing(self, templates: core.TemplateTable, partition: matching.Partition | None) -> matching.Comparing:
        enrolled = partition is not None and partition.rows("gallery").size
        several = self.matcher.multiple or (self.enrolment is not None and self.enrolment[0] > 1)
        pairing = (matching.ProbeVersusGallery if enrolled else matching.AllAgainstAll)(multiple=several)
        chosen, fusion = self.named_matcher(templates), self.matcher.fusion
        return matching.Comparing.plan(templates, chosen, pairing, partition=partition, fusion=fusion)

    def named_matcher(self, templates: core.TemplateTable) -> matching.Matcher:
        """The matcher asked for, or the usual one for such templates."""
        name = self.matcher.matcher or USUAL_MATCHERS.get(templates.kind, "minutiae")
        return matching.matcher(name, **dict(map(_option, self.matcher.matcher_option)))

    def _partition(self, templates: core.TemplateTable) -> matching.Partition | None:
        if self.enrolment is not None:
            return self._enrolled_first(templates, *self.enrolment)
        if self.protocol.partition is not None:
            first, *more = matching.read_partitions(self.protocol.partition, templates)
            if more:
                held = f"{self.protocol.partition}: holds {len(more) + 1} partitions"
                raise InputError(f"{held}; expected one; 'bertillon repeat' takes all")
            return first
        if self.protocol.gallery is not None:
            return matching.sides(templates)
        if self.protocol.leave_out is None and self.protocol.strategy is None:
            return None
        return self.split(templates, self.seed)

    def _enrolled_first(self, templates: core.TemplateTable, enrol: int, attempts: int | None) -> matching.Partition:
        """Who is enrolled in transactions: the first templates of each person."""
        stated = [flag for flag in given_options(self.protocol) if flag != "--sample-nonmated"]
        if stated:
            problem = f"--transactions enrols the first templates of each person, and {stated[0]} says who is enrolled"
            raise InputError(f"{problem}; leave it out, or set --enrol-with")
        if attempts is None:
            raise InputError(f"{templates.source}: holds templates; say how many attempts follow, such as --attempts 3")
        return trials.attempts_after_enrolment(templates, enrol=enrol, attempts=attempts)

    def split(self, templates: core.TemplateTable, rng: Generator | int) -> matching.Partition:
        strategy, left, number = self.protocol.strategy, self.protocol.leave_out, self.protocol.per_subject
        how: dict[str, Any] = {"strategy": strategy or "random", "per_subject": number, "leave_out": left or 0.0}
        return matching.split_gallery_probe(templates, rng=rng, **how)


def _option(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise InputError(f"--matcher-option: cannot read {text!r}; expected NAME=VALUE, such as band=0.1")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value
