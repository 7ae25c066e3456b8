"""From a path to trials: templates, matrices, candidate lists and tables of scores are told apart by content.

Predictions are read as such: a command that takes them takes nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.cli.declare import given_options
from bertillon.cli.options import PredictionInput, ReadingOptions, ScoreInput
from bertillon.cli.outputs import working
from bertillon.cli.rooms import core, counting, evaluating, formats, matching, measures, trials
from bertillon.cli.sources import Compared, ScoreSource, TemplateSource, streamed
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    Table = core.ComparisonTable | core.ScoreMatrix | core.TemplateTable

NamedSystem = TypeVar("NamedSystem", bound=Any)
ANY_TEXT = "csv"  # the format of templates that any text is
TABLES = (".csv", ".tsv", ".txt", ".parquet")  # endings of files of people, there or not
_HINTS = (  # what a message says to a program, and how that is said here
    ("positive=", "--positive LABEL"),
    ("columns=", "--column truth=NAME"),
    ("from_scores", "--column score=NAME, or --column logit=NAME"),
    ("use from_logits", "call the columns logit_LABEL instead of p_LABEL"),
)


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The systems that files hold, the tables they were made of, if read whole, and the groups asked for."""

    systems: list[Compared]
    tables: Sequence[core.ComparisonTable | core.ScoreMatrix] = ()
    templates: Sequence[core.TemplateTable] = ()
    groups: Sequence[matching.PeopleGroups] = ()


def comparisons_of(
    paths: Sequence[Path],
    templates: TemplateSource,
    scores: ScoreSource,
    asked: Sequence[measures.Measure],
    *,
    groups: str | None = None,
    whole: Sequence[str] = (),
) -> Comparisons:
    """The systems of which files hold the comparisons or the templates, under different names.

    `groups` is a column of the templates' metadata, or a table of subjects; `whole` are options that need every score.
    """
    _require_one_kind(templates, scores)
    content = scores.content
    streams = None if templates.given else streamed(paths, scores, asked)
    if streams is not None:
        templates.require_templates(paths[0])
        return Comparisons(with_distinct_names(streams, paths))
    with working("reading"):
        contents = [table_of(path, templates, scores) for path in paths]
    score_tables = [table for table in contents if not isinstance(table, core.TemplateTable)]
    template_tables = [table for table in contents if isinstance(table, core.TemplateTable)]
    _require_options_fit(paths[0], contents, content)
    if score_tables:
        templates.require_templates(score_tables[0].source)
    settled: dict[str, Any] = {"all_against_all": content.all_against_all, "trust": content.trust}
    read = trials.systems_from(score_tables, rule=content.accept_rule, **settled) if score_tables else []
    known = groups_of(groups, [system.name for system in read], template_tables) if groups else []
    compared = [
        _compared(table, templates, asked, part, known[len(read) + number] if known else None, whole)
        for number, (table, part) in enumerate(zip(template_tables, parts(template_tables), strict=True))
    ]
    return Comparisons(with_distinct_names([*read, *compared], paths), score_tables, template_tables, known)


def _require_one_kind(templates: TemplateSource, scores: ScoreSource) -> None:
    """Options about templates and about scores exclude each other."""
    content = scores.content
    if templates.given and (content.format or content.mask or content.values or content.trust):
        raise InputError(
            "--format, --mask, --values and --trust are about files of scores; --labels, --kind, --matcher, --gallery, "
            "--partition, --leave-out, --strategy and --multiple about templates: leave out those or these"
        )
    if templates.given and scores.stream:
        raise InputError("--stream counts scores that are there; templates are compared in tiles anyway: leave it out")


def _require_options_fit(path: Path, tables: Sequence[Table], content: ScoreInput) -> None:
    """The direction is that of scores, and a diagonal that of a matrix."""
    if content.rule and all(isinstance(table, core.TemplateTable) for table in tables):
        problem = f"{tables[0].source}: holds templates; --{content.rule} is for scores"
        raise InputError(f"{problem}, and the matcher says which it answers with: leave it out")
    if content.all_against_all is not None and not any(isinstance(table, core.ScoreMatrix) for table in tables):
        raise InputError(f"{path}: --all-against-all is about a square matrix, and there is none: leave it out")


def parts(systems: Sequence[object]) -> list[str]:
    """The folder of each of several systems within that of a checkpoint; a single system needs none of its own."""
    return [str(number) for number in range(1, len(systems) + 1)] if len(systems) > 1 else [""] * len(systems)


def is_table_of_people(groups: str) -> bool:
    """Do groups of people stand in a file of their own? Else they are a column of the templates' metadata."""
    return Path(groups).suffix.lower() in TABLES or os.path.isfile(groups)


def groups_of(groups: str, read: Sequence[str], templates: Sequence[core.TemplateTable]) -> list[matching.PeopleGroups]:
    """The groups of each system: first of those whose scores were read, then of those made from templates."""
    if is_table_of_people(groups):
        return [matching.read_groups(groups)] * (len(read) + len(templates))
    if read:
        problem = f"--groups: {groups!r} is no table, and scores ({read[0]}) have no metadata"
        raise InputError(f"{problem}; expected a file with columns subject and group, such as people.csv")
    return [matching.groups_of_templates(table, groups) for table in templates]


def with_distinct_names(systems: Sequence[NamedSystem], paths: Sequence[Path]) -> list[NamedSystem]:
    """The systems under different names: where files in two folders are called alike, their paths."""
    if len({system.name for system in systems}) == len(systems):
        return list(systems)
    names = [str(path) for path in paths]
    if len(names) != len(systems) or len(set(names)) < len(names):
        names = [f"{system.name} ({number})" for number, system in enumerate(systems, 1)]
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def fold_accuracies(comparisons: Comparisons, scores: ScoreSource) -> list[matching.FoldAccuracy]:
    """Accuracy over the folds of each table, each with the threshold that is best on the others."""
    tables = [table for table in comparisons.tables if isinstance(table, core.ComparisonTable)]
    if len(tables) < len(comparisons.systems):
        names = ", ".join(system.name for system in comparisons.systems)
        raise InputError(f"{names}: --folds needs tables of comparisons with a column 'fold'; no matrix, no templates")
    return [matching.fold_accuracy(table, rule=scores.content.accept_rule) for table in tables]


def table_of(path: Path, templates: TemplateSource, scores: ScoreSource) -> Table:
    if scores.given and not templates.given:
        return formats.read(path, **scores.how, mask=scores.content.mask)
    content = scores_or_templates(path, templates)
    return formats.with_failed(content, scores.content.failed) if isinstance(content, core.ScoreMatrix) else content


def _compared(
    table: core.TemplateTable,
    templates: TemplateSource,
    asked: Sequence[measures.Measure],
    part: str,
    groups: matching.PeopleGroups | None,
    whole: Sequence[str],
) -> Compared:
    """The comparisons of templates, kept or counted."""
    templates.require_fusion()
    plan = templates.plan(table)
    if whole and templates.sample is None and not evaluating.scores_are_kept(plan, in_tiles=templates.job.elsewhere):
        raise evaluating.not_kept(table.source, whole[0])  # before hours of counting
    with templates.job.start(part) as how:
        return evaluating.verification_trials(plan, asked, groups=groups, sample=templates.sample, **how)


def searches_of(
    path: Path,
    templates: TemplateSource,
    scores: ScoreSource,
    *,
    part: str = "",
    mates: Path | None = None,
    table: Table | None = None,
) -> trials.SearchSet:
    """The searches a file holds or, from templates, makes; `table` is what it holds, where it has been read."""
    table = table_of(path, templates, scores) if table is None else table
    if mates is not None and isinstance(table, (core.TemplateTable, core.ScoreMatrix)):
        kind = "a matrix" if isinstance(table, core.ScoreMatrix) else "templates"
        raise InputError(f"{path}: holds {kind}; --mates is for lists of candidates: leave it out")
    if isinstance(table, core.TemplateTable):
        _require_scores(path, scores)
        with templates.job.start(part) as how:
            return evaluating.search_trials(templates.plan(table), **how)
    templates.require_templates(path, fused=isinstance(table, core.ScoreMatrix))
    if isinstance(table, core.ScoreMatrix):
        return _searches_of_matrix(table, templates, scores)
    return _searches_of_table(table, scores, mates)


def _searches_of_matrix(matrix: core.ScoreMatrix, templates: TemplateSource, scores: ScoreSource) -> trials.SearchSet:
    content = scores.content
    known = trials.settled(matrix, content.all_against_all)
    noted = replace(known.matrix, notes=(*known.matrix.notes, *trials.example_of(known.matrix)))
    searches = trials.searches_from_matrix(
        noted, rule=content.rule, fusion=templates.matcher.fusion, all_against_all=known.with_itself
    )
    return replace(searches, warnings=(*searches.warnings, *trials.failed_samples(matrix)))


def _searches_of_table(table: core.ComparisonTable, scores: ScoreSource, mates: Path | None) -> trials.SearchSet:
    lists, content = mates is not None or trials.is_candidate_list(table), scores.content
    if content.all_against_all is not None:
        what = "lists of candidates" if lists else "comparisons"
        raise InputError(f"{table.source}: holds {what}; --all-against-all is for a square matrix: leave it out")
    if not lists:
        return trials.searches_from_trials(table, rule=content.rule)
    known = None if mates is None else trials.read_mates(mates)
    return trials.searches_from_candidates(table, rule=content.rule, mates=known)


def _require_scores(path: Path, scores: ScoreSource) -> None:
    """The matcher says its direction, and templates without a gallery meet all others anyway."""
    for option in ("--distance", "--similarity", "--all-against-all"):
        if option in given_options(scores.content):
            raise InputError(f"{path}: holds templates; {option} is for scores: leave it out")


def indexed_of(path: Path, templates: TemplateSource, scores: ScoreSource) -> evaluating.IndexedSearch:
    """The searches of templates through an approximate index of the gallery."""
    table = table_of(path, templates, scores)
    if not isinstance(table, core.TemplateTable):
        raise InputError(f"{path}: holds scores; --index is for searching templates: leave it out")
    _require_scores(path, scores)
    if templates.job.elsewhere:
        raise InputError("--index searches here and at once; leave out --checkpoint, --engine and --scheduler")
    with working("searching"):
        return evaluating.search_with_index(templates.plan(table), templates.job.index or "", seed=templates.seed)


def scores_or_templates(path: Path, templates: TemplateSource) -> Table:
    """What a file holds: scores where it reads as scores, else templates.

    A text file is taken for templates only where a matcher, labels or the like were named: a table of scores with a
    fault in it must not be mistaken for a table of features.
    """
    if templates.given or os.path.isdir(path):
        return templates.read_labelled(path)
    try:
        return formats.read(path, columns=templates.columns or None)
    except InputError as no_scores:
        kind = formats.sniff_templates(path)
        if kind == ANY_TEXT:
            raise
        try:
            return templates.read_labelled(path)
        except InputError as no_templates:
            raise no_templates if kind in formats.ONLY_TEMPLATES else no_scores from None


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """How files of predictions are to be understood."""

    positive: str | None = None
    columns: dict[str, str] | None = None

    @classmethod
    def of(cls, predictions: PredictionInput, reading: ReadingOptions) -> PredictionSource:
        columns = reading.columns or {}
        for role, name in (("weight", predictions.weights), ("group", predictions.groups)):
            if name is not None and columns.setdefault(role, name) != name:
                raise InputError(f"--column {role}={columns[role]} and --{role}s {name} name two columns; give one")
        return cls(predictions.positive, columns or None)

    def read(self, path: Path) -> trials.Predictions:
        refused: InputError | None = None
        for meaning in _meanings(self.positive):
            try:
                return _required(trials.read_predictions(path, positive=meaning, columns=self.columns))
            except InputError as error:
                refused = refused or error
        hints = (f"\n(on the command line: {here})" for there, here in _HINTS if there in str(refused))
        raise InputError(f"{refused}{''.join(hints)}") from refused


def _required(predictions: trials.Predictions) -> trials.Predictions:
    """Predictions of which something counts."""
    if not predictions.size:
        raise InputError(f"{predictions.name}: all {predictions.failed:,} predictions are NaN: nothing to judge")
    if predictions.weights is not None and not predictions.weights.any():
        raise InputError(f"{predictions.name}: all weights are 0, so nothing counts; expected some above 0")
    return predictions


def _meanings(text: str | None) -> list[counting.Label | None]:
    """What a label written on the command line may be: a number or a truth value, else text."""
    if text is None:
        return [None]
    if re.fullmatch(r"[+-]?\d{1,18}(\.0*)?", text):  # 1.0 in a column of numbers is the class 1
        return [int(text.partition(".")[0]), text]
    return [text.lower() == "true", text] if text.lower() in ("true", "false") else [text]


def decides(predictions: trials.Predictions) -> bool:
    """Do they say a class by themselves, or from how probable each is?"""
    return predictions.predicted is not None or predictions.probabilities is not None


def qualities_of(
    comparisons: Comparisons, evaluations: Sequence[evaluating.ScoreEvaluation], names: Sequence[str]
) -> list[trials.PairQuality]:
    """Of each system, from its table of scores or from its templates."""
    tables = [table for table in comparisons.tables if isinstance(table, core.ComparisonTable)]
    if len(tables) + len(comparisons.templates) != len(evaluations):
        raise InputError(
            "--discard needs the qualities beside the scores: a table for each system, with score, label and quality "
            "columns, or templates with metadata; no matrix, no lists, no trials apart"
        )
    made = [evaluating.kept_scores(evaluation, "--discard") for evaluation in evaluations[len(tables) :]]
    if made and len(names) > 1:
        raise InputError(f"--discard: {len(names)} columns for templates; expected one, the quality of a template")
    of_templates = zip(made, comparisons.templates, strict=True)
    qualities = [trials.quality_of_templates(scores, templates, names[0]) for scores, templates in of_templates]
    return [trials.quality_of_pairs(table, names) for table in tables] + qualities


def failed_subjects(comparisons: Comparisons, systems: Sequence[Any]) -> list[Sequence[Any] | None]:
    """The people of the mated comparisons that failed, of each system; None where no table says whose they were."""
    tables = [table for table in comparisons.tables if isinstance(table, core.ComparisonTable)]
    if len(tables) != len(systems):
        return [None] * len(systems)
    return [trials.failed_subjects(table) for table in tables]
