"""Questions about samples and people: errors by discarded quality, who causes them, and errors by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bertillon import advice, analysis, core, render, trials, views
from bertillon import evaluation as evaluating
from bertillon.cli.inputs import Comparisons
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType


def discards(
    comparisons: Comparisons, evaluations: Sequence[evaluating.Evaluation], columns: str | None
) -> list[analysis.Discarded]:
    """The curves of each system by the qualities named; none where nobody asked."""
    if columns is None:
        return []
    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise InputError(f"--discard: {columns!r} has an empty name; expected columns as in quality1,quality2")
    qualities = _qualities(comparisons, evaluations, names)
    return [
        analysis.discarded(evaluation, quality, names)
        for evaluation, quality in zip(evaluations, qualities, strict=True)
    ]


def _qualities(
    comparisons: Comparisons, evaluations: Sequence[evaluating.Evaluation], names: Sequence[str]
) -> list[trials.PairQuality]:
    """Of each system, from its table of scores or from its templates."""
    tables = [table for table in comparisons.tables if isinstance(table, core.ComparisonTable)]
    if len(tables) + len(comparisons.templates) != len(evaluations):
        raise InputError(
            "--discard needs the qualities beside the scores: a table for each system, with score, label and quality "
            "columns, or templates with metadata; no matrix, no lists, no trials apart"
        )
    made = [analysis.kept_scores(evaluation, "--discard") for evaluation in evaluations[len(tables) :]]
    if made and len(names) > 1:
        raise InputError(f"--discard: {len(names)} columns for templates; expected one, the quality of a template")
    return [trials.quality_of_pairs(table, names) for table in tables] + [
        trials.quality_of_templates(scores, templates, names[0])
        for scores, templates in zip(made, comparisons.templates, strict=True)
    ]


def menageries(evaluations: Sequence[evaluating.Evaluation]) -> list[analysis.Menagerie]:
    """The animals among the people of each system."""
    return [analysis.menagerie_of(evaluation) for evaluation in evaluations]


def rates_by_group(
    comparisons: Comparisons, evaluations: Sequence[evaluating.Evaluation], *, level: float
) -> list[analysis.GroupRates]:
    """The rates of the groups of each system; none where nobody asked."""
    return [
        analysis.group_rates_of(evaluation, groups, level=level)
        for evaluation, groups in zip(evaluations, comparisons.groups, strict=False)
    ]


def tables(content: views.ReportContent) -> Iterator[RenderableType]:
    """The results about samples and subjects, as far as they were asked for."""
    names = content.vocabulary or advice.Vocabulary.BIOMETRIC
    if content.discards:
        for curves in content.discards:
            yield render.discard_text(curves, vocabulary=names)
    if content.people:
        yield from map(render.people_text, content.people)
    if content.groups:
        for rates in content.groups:
            yield render.groups_text(rates, vocabulary=names)


def write_csv(content: views.ReportContent, folder: Path) -> list[Path]:
    """Curves and people, as far as they were asked for."""
    systems = []
    for index, evaluation in enumerate(content.verification):
        frames = {"discard": content.discards[index].to_frame()} if content.discards else {}
        frames |= {"people": content.people[index].to_frame()} if content.people else {}
        frames |= {"groups": content.groups[index].to_frame()} if content.groups else {}
        systems.append((evaluation.name, frames))
    return render.write_frames(systems, folder)


def save_figures(content: views.ReportContent, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Curves, menageries and groups, as far as they were asked for."""
    if not (content.discards or content.people or content.groups):
        return []
    makers = (
        render.discard_figures([(discard.name, discard.curves) for discard in content.discards])
        if content.discards
        else {}
    )
    makers |= render.menagerie_figures(list(content.people)) if content.people else {}
    makers |= render.group_rate_figures(content.groups) if content.groups else {}
    return render.save_all(makers, folder, formats=formats)
