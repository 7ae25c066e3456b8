"""From a path to trials: templates, matrices, candidate lists and tables of scores are told apart by content."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.cli.progress import working
from bertillon.cli.running import Running, parts
from bertillon.cli.score_options import ScoreOptions
from bertillon.cli.streams import streamed
from bertillon.cli.template_options import TemplateOptions
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.core.tables import ComparisonTable, ScoreMatrix, TemplateTable
    from bertillon.counting.streams.score_counts import ScoreCounts
    from bertillon.counting.tiles.counted_scores import CountedScores
    from bertillon.evaluation.indexed import IndexedSearch
    from bertillon.matching.groups import PeopleGroups
    from bertillon.matching.protocol.folds import FoldAccuracy
    from bertillon.measures import Measure
    from bertillon.trials.score_set import ScoreSet
    from bertillon.trials.score_stream import ScoreStream
    from bertillon.trials.search_set import SearchSet

    Compared = ScoreSet | CountedScores | ScoreStream | ScoreCounts

Named = TypeVar("Named", bound=Any)
ANY_TEXT = "csv"  # the format of templates that any text is
TABLES = (".csv", ".tsv", ".txt", ".parquet")  # endings of files of people, there or not


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The systems that files hold, and the tables they were made of, scores or templates, if read whole.

    `groups` are those of each system's people, and none where nobody asked for them.
    """

    systems: list[Compared]
    tables: Sequence[ComparisonTable | ScoreMatrix] = ()
    templates: Sequence[TemplateTable] = ()
    groups: Sequence[PeopleGroups] = ()


def comparisons_of(
    paths: Sequence[Path],
    said: TemplateOptions,
    scores: ScoreOptions,
    measures: Sequence[Measure],
    running: Running | None = None,
    *,
    groups: str | None = None,
    whole: Sequence[str] = (),
) -> Comparisons:
    """The systems whose comparisons the files hold or, from templates, make; their names tell them apart.

    `groups` is a column of the templates' metadata, or a table of people; `whole` are options that need every score.
    """
    from bertillon.core.tables import ScoreMatrix, TemplateTable
    from bertillon.trials.from_tables import systems_from

    if said.given and (scores.format or scores.mask or scores.values or scores.trust):
        raise InputError(
            "--format, --mask, --values and --trust are about files of scores; --labels, --kind, --matcher, --gallery, "
            "--partition, "
            "--leave-out, --strategy and --multiple about templates: leave out those or these"
        )
    if said.given and scores.stream:
        raise InputError("--stream counts scores that are there; templates are compared in tiles anyway: leave it out")
    running = running or Running()
    streams = None if said.given else streamed(paths, scores, measures)
    if streams is not None:
        _require_templates(paths[0], said, running)
        return Comparisons(told_apart(streams, paths))
    with working("reading"):
        found = [_table(path, said, scores) for path in paths]
    tables = [one for one in found if not isinstance(one, TemplateTable)]
    templates = [one for one in found if isinstance(one, TemplateTable)]
    if tables:
        _require_templates(tables[0].source, said, running)
    if templates and not tables and scores.rule:
        raise InputError(
            f"{templates[0].source}: holds templates; --{scores.rule} is for scores, and the matcher says which it "
            "answers with: leave it out"
        )
    if scores.all_against_all is not None and not any(isinstance(one, ScoreMatrix) for one in tables):
        raise InputError(f"{paths[0]}: --all-against-all is about a square matrix, and there is none: leave it out")
    settled: dict[str, Any] = {"all_against_all": scores.all_against_all, "trust": scores.trust}
    read = systems_from(tables, rule=scores.accept_rule, **settled) if tables else []
    known = _groups(groups, [one.name for one in read], templates) if groups else []
    made = [
        _made(one, said, measures, running, part, known[len(read) + place] if known else None, whole)
        for place, (one, part) in enumerate(zip(templates, parts(templates), strict=True))
    ]
    return Comparisons(told_apart([*read, *made], paths), tables, templates, known)


def _groups(said: str, read: Sequence[str], templates: Sequence[TemplateTable]) -> list[PeopleGroups]:
    """The groups of each system: first of those whose scores were read, then of those made from templates."""
    from bertillon.matching.groups import groups_of_templates, read_groups

    if Path(said).suffix.lower() in TABLES or os.path.isfile(said):
        return [read_groups(said)] * (len(read) + len(templates))
    if read:
        raise InputError(
            f"--groups: {said!r} is no table, and scores ({read[0]}) have no metadata; expected a file with columns "
            "subject and group, such as people.csv"
        )
    return [groups_of_templates(one, said) for one in templates]


def told_apart(systems: Sequence[Named], paths: Sequence[Path]) -> list[Named]:
    """The systems under different names: where files in two folders are called alike, their paths."""
    if len({system.name for system in systems}) == len(systems):
        return list(systems)
    names = [str(path) for path in paths]
    if len(names) != len(systems) or len(set(names)) < len(names):
        names = [f"{system.name} ({number})" for number, system in enumerate(systems, 1)]
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def require_both_classes(name: str, *, mated: int, nonmated: int, failed: int = 0) -> None:
    """Without one of the classes no question about errors has an answer."""
    for kind, number in (("mated (genuine)", mated), ("non-mated (impostor)", nonmated)):
        if not number:
            raise InputError(
                f"{name}: no {kind} scores among {mated + nonmated + failed:,} comparisons; both kinds are needed: "
                "check the column of labels, or add the missing file"
            )


def fold_accuracies(found: Comparisons, scores: ScoreOptions) -> list[FoldAccuracy]:
    """Accuracy over the folds of each table, each with the threshold that is best on the others."""
    from bertillon.core.tables import ComparisonTable
    from bertillon.matching.protocol.folds import fold_accuracy

    tables = [table for table in found.tables if isinstance(table, ComparisonTable)]
    if len(tables) < len(found.systems):
        names = ", ".join(system.name for system in found.systems)
        raise InputError(f"{names}: --folds needs tables of comparisons with a column 'fold'; no matrix, no templates")
    return [fold_accuracy(table, rule=scores.accept_rule) for table in tables]


def _table(path: Path, said: TemplateOptions, scores: ScoreOptions) -> ComparisonTable | ScoreMatrix | TemplateTable:
    from bertillon import io as formats
    from bertillon.core.tables import ScoreMatrix
    from bertillon.io.reading import with_failed

    if scores.given and not said.given:
        return formats.read(path, **scores.how, mask=scores.mask)
    found = scores_or_templates(path, said)
    return with_failed(found, scores.failed) if isinstance(found, ScoreMatrix) else found


def _require_templates(source: object, said: TemplateOptions, running: Running) -> None:
    """What is said about templates makes no sense for scores."""
    running.require_templates(source)
    said.require_templates(str(source))


def _made(
    templates: TemplateTable,
    said: TemplateOptions,
    measures: Sequence[Measure],
    running: Running,
    part: str,
    groups: PeopleGroups | None,
    whole: Sequence[str],
) -> Compared:
    from bertillon.analysis.on_samples import not_kept
    from bertillon.evaluation.templates import scores_are_kept, verification_trials

    said.require_fusion()
    plan = said.plan(templates)
    if whole and said.sample is None and not scores_are_kept(plan, in_tiles=running != Running()):
        raise not_kept(templates.source, whole[0])  # before hours of counting
    with running.start(part) as how:
        return verification_trials(plan, measures, groups=groups, sample=said.sample, **how)


def searches_of(
    path: Path,
    said: TemplateOptions,
    scores: ScoreOptions,
    *,
    running: Running | None = None,
    part: str = "",
    mates: Path | None = None,
) -> SearchSet:
    """The searches a file holds or, from templates, makes."""
    from bertillon.core.tables import ScoreMatrix, TemplateTable

    found, running = _table(path, said, scores), running or Running()
    if mates is not None and isinstance(found, (TemplateTable, ScoreMatrix)):
        kind = "a matrix" if isinstance(found, ScoreMatrix) else "templates"
        raise InputError(f"{path}: holds {kind}; --mates is for lists of candidates: leave it out")
    if isinstance(found, TemplateTable):
        from bertillon.evaluation.templates import search_trials

        _require_scores(path, scores)
        with running.start(part) as how:
            return search_trials(said.plan(found), **how)
    running.require_templates(path)
    said.require_templates(path, fused=isinstance(found, ScoreMatrix))
    if isinstance(found, ScoreMatrix):
        return _searches_of_matrix(found, said, scores)
    return _searches_of_table(found, scores, mates)


def _searches_of_matrix(matrix: ScoreMatrix, said: TemplateOptions, scores: ScoreOptions) -> SearchSet:
    from bertillon.trials.matrices import failed_samples, settled
    from bertillon.trials.searches import searches_from_matrix
    from bertillon.trials.wording import example_of

    known = settled(matrix, scores.all_against_all)
    noted = replace(known.matrix, notes=(*known.matrix.notes, *example_of(known.matrix)))
    made = searches_from_matrix(noted, rule=scores.rule, fusion=said.fusion, all_against_all=known.with_itself)
    return replace(made, warnings=(*made.warnings, *failed_samples(matrix)))


def _searches_of_table(table: ComparisonTable, scores: ScoreOptions, mates: Path | None) -> SearchSet:
    from bertillon.trials.search_candidates import read_mates, searches_from_candidates
    from bertillon.trials.search_pairs import is_candidate_list, searches_from_trials

    lists = mates is not None or is_candidate_list(table)
    if scores.all_against_all is not None:
        what = "lists of candidates" if lists else "comparisons"
        raise InputError(f"{table.source}: holds {what}; --all-against-all is for a square matrix: leave it out")
    if not lists:
        return searches_from_trials(table, rule=scores.rule)
    return searches_from_candidates(table, rule=scores.rule, mates=None if mates is None else read_mates(mates))


def _require_scores(path: Path, scores: ScoreOptions) -> None:
    """The matcher says its direction, and templates without a gallery meet all others anyway."""
    given = {f"--{scores.rule}": scores.rule, "--all-against-all": scores.all_against_all}
    for option, said in given.items():
        if said is not None:
            raise InputError(f"{path}: holds templates; {option} is for scores: leave it out")


def indexed_of(
    path: Path,
    said: TemplateOptions,
    kind: str,
    running: Running,
    scores: ScoreOptions,
) -> IndexedSearch:
    """The searches of templates through an approximate index of the gallery."""
    from bertillon.core.tables import TemplateTable
    from bertillon.evaluation.indexed import search_with_index

    found = _table(path, said, scores)
    if not isinstance(found, TemplateTable):
        raise InputError(f"{path}: holds scores; --index is for searching templates: leave it out")
    _require_scores(path, scores)
    if running != Running():
        raise InputError("--index searches here and at once; leave out --checkpoint, --engine and --scheduler")
    with working("searching"):
        return search_with_index(said.plan(found), kind, seed=said.seed)


def scores_or_templates(path: Path, said: TemplateOptions) -> ComparisonTable | ScoreMatrix | TemplateTable:
    """What a file holds: scores where it reads as scores, else templates.

    A text file is taken for templates only where a matcher, labels or the like were named: a table of scores with a
    fault in it must not be mistaken for a table of features.
    """
    from bertillon import io as formats

    if said.given or os.path.isdir(path):
        return said.read_labelled(path)
    try:
        return formats.read(path, columns=said.columns or None)
    except InputError as no_scores:
        from bertillon.io.templates import ONLY_TEMPLATES, sniff_templates

        kind = sniff_templates(path)
        if kind == ANY_TEXT:
            raise
        try:
            return said.read_labelled(path)
        except InputError as no_templates:
            raise no_templates if kind in ONLY_TEMPLATES else no_scores from None
