"""From a path to trials: templates, matrices, candidate lists and tables of scores are told apart by content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertillon.cli.progress import working
from bertillon.cli.running import Running, parts
from bertillon.cli.streams import streamed
from bertillon.cli.template_options import TemplateOptions
from bertillon.errors import InputError

if TYPE_CHECKING:
    from bertillon.counts.comparisons import CountedScores
    from bertillon.counts.stream_counts import ScoreCounts
    from bertillon.evaluation.indexed import IndexedSearch
    from bertillon.measures import Measure
    from bertillon.protocol.folds import FoldAccuracy
    from bertillon.tables import ComparisonTable, ScoreMatrix, TemplateTable
    from bertillon.trials.score_set import ScoreSet
    from bertillon.trials.score_stream import ScoreStream
    from bertillon.trials.search_set import SearchSet

    Compared = ScoreSet | CountedScores | ScoreStream | ScoreCounts

MAY_HOLD_TEMPLATES = ("npz", "npy", "hdf5", "parquet")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What was said about files of scores on the command line."""

    rule: str | None = None
    format: str | None = None
    columns: dict[str, str] | None = None
    mask: Path | None = None
    stream: bool | None = False  # read in parts: yes, no, or where files are large
    repeats: bool = False

    @property
    def given(self) -> bool:
        """The files were said to hold scores of some form."""
        return self.format is not None or self.columns is not None or self.mask is not None


def comparisons_of(
    paths: Sequence[Path],
    said: TemplateOptions,
    scores: ScoreOptions,
    measures: Sequence[Measure],
    running: Running | None = None,
) -> list[Compared]:
    """The systems whose comparisons the files hold or, from templates, make."""
    from bertillon import formats
    from bertillon.rule import AcceptRule
    from bertillon.tables import TemplateTable
    from bertillon.trials.from_tables import systems_from

    if said.given and scores.stream:
        raise InputError("--stream counts scores that are there; templates are compared in tiles anyway: leave it out")
    streams = None if said.given else streamed(paths, scores, measures)
    if streams is not None:
        (running or Running()).require_templates(paths[0])
        said.require_templates(str(paths[0]))
        return streams
    with working("reading"):
        found: list[ComparisonTable | ScoreMatrix | TemplateTable] = [
            formats.read(path, format=scores.format, columns=scores.columns, mask=scores.mask)
            if scores.given
            else scores_or_templates(path, said)
            for path in paths
        ]
    tables = [one for one in found if not isinstance(one, TemplateTable)]
    rule = None if scores.rule is None else AcceptRule.of(scores.rule)
    templates, running = [one for one in found if isinstance(one, TemplateTable)], running or Running()
    if tables:
        running.require_templates(tables[0].source)
        said.require_templates(tables[0].source)
    made = [_made(one, said, measures, running, part) for one, part in zip(templates, parts(templates), strict=True)]
    return [*(systems_from(tables, rule=rule) if tables else []), *made]


def fold_accuracies(path: Path, scores: ScoreOptions) -> FoldAccuracy:
    """Accuracy over the folds of a table, each with the threshold that is best on the others."""
    from bertillon import formats
    from bertillon.protocol.folds import fold_accuracy
    from bertillon.rule import AcceptRule
    from bertillon.tables import ComparisonTable

    table = formats.read(path, format=scores.format, columns=scores.columns, mask=scores.mask)
    if not isinstance(table, ComparisonTable):
        raise InputError(f"{path}: a matrix has no folds; --folds needs a table with a column 'fold'")
    return fold_accuracy(table, rule=None if scores.rule is None else AcceptRule.of(scores.rule))


def _made(
    templates: TemplateTable, said: TemplateOptions, measures: Sequence[Measure], running: Running, part: str
) -> Compared:
    from bertillon.evaluation.templates import verification_trials

    with running.start(part) as how:
        return verification_trials(said.plan(templates), measures, sample=said.sample, **how)


def searches_of(
    path: Path,
    said: TemplateOptions,
    *,
    distance: bool,
    all_against_all: bool,
    running: Running | None = None,
    part: str = "",
) -> SearchSet:
    """The searches a file holds or, from templates, makes."""
    from bertillon.tables import ScoreMatrix, TemplateTable
    from bertillon.trials.search_candidates import searches_from_candidates
    from bertillon.trials.searches import searches_from_matrix

    found, running = scores_or_templates(path, said), running or Running()
    if isinstance(found, TemplateTable):
        from bertillon.evaluation.templates import search_trials

        with running.start(part) as how:
            return search_trials(said.plan(found), **how)
    running.require_templates(path)
    rule = "distance" if distance else None
    if isinstance(found, ScoreMatrix):
        return searches_from_matrix(found, rule=rule, fusion=said.fusion, all_against_all=all_against_all)
    return searches_from_candidates(found, rule=rule)


def indexed_of(path: Path, said: TemplateOptions, kind: str, running: Running) -> IndexedSearch:
    """The searches of templates through an approximate index of the gallery."""
    from bertillon.evaluation.indexed import search_with_index
    from bertillon.tables import TemplateTable

    found = scores_or_templates(path, said)
    if not isinstance(found, TemplateTable):
        raise InputError(f"{path}: holds scores; --index is for searching templates: leave it out")
    if running != Running():
        raise InputError("--index searches here and at once; leave out --checkpoint, --engine and --scheduler")
    with working("searching"):
        return search_with_index(said.plan(found), kind, seed=said.seed)


def scores_or_templates(path: Path, said: TemplateOptions) -> ComparisonTable | ScoreMatrix | TemplateTable:
    """What a file holds: scores where it reads as scores, else templates.

    A text file is taken for templates only where a matcher, labels or the like were named: a table of scores with a
    fault in it must not be mistaken for a table of features.
    """
    from bertillon import formats

    if said.given or path.is_dir():
        return said.read(path)
    try:
        return formats.read(path)
    except InputError as no_scores:
        try:
            if formats.sniff(path) not in MAY_HOLD_TEMPLATES:
                raise no_scores
            return said.read(path)
        except InputError:
            raise no_scores from None
