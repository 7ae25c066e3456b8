"""Questions about samples and people: errors by discarded quality, who causes them, and errors by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bertillon.analysis.group_rates import GroupRates
    from bertillon.analysis.menagerie import Menagerie
    from bertillon.analysis.on_samples import Discarded
    from bertillon.cli.inputs import Comparisons
    from bertillon.evaluation import ScoreEvaluation
    from bertillon.trials.pair_quality import PairQuality
    from bertillon.views.report_content import ReportContent


def discards(comparisons: Comparisons, evaluations: Sequence[ScoreEvaluation], columns: str | None) -> list[Discarded]:
    """The curves of each system by the qualities named; none where nobody asked."""
    if columns is None:
        return []
    from bertillon.analysis.on_samples import discarded

    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise InputError(f"--discard: {columns!r} has an empty name; expected columns as in quality1,quality2")
    qualities = _qualities(comparisons, evaluations, names)
    return [discarded(evaluation, quality, names) for evaluation, quality in zip(evaluations, qualities, strict=True)]


def _qualities(
    comparisons: Comparisons, evaluations: Sequence[ScoreEvaluation], names: Sequence[str]
) -> list[PairQuality]:
    """Of each system, from its table of scores or from its templates."""
    from bertillon.analysis.on_samples import kept_scores
    from bertillon.core.tables import ComparisonTable
    from bertillon.trials.pair_quality import quality_of_pairs, quality_of_templates

    tables = [table for table in comparisons.tables if isinstance(table, ComparisonTable)]
    if len(tables) + len(comparisons.templates) != len(evaluations):
        raise InputError(
            "--discard needs the qualities beside the scores: a table for each system, with score, label and quality "
            "columns, or templates with metadata; no matrix, no lists, no trials apart"
        )
    made = [kept_scores(evaluation, "--discard") for evaluation in evaluations[len(tables) :]]
    if made and len(names) > 1:
        raise InputError(f"--discard: {len(names)} columns for templates; expected one, the quality of a template")
    return [quality_of_pairs(table, names) for table in tables] + [
        quality_of_templates(scores, templates, names[0])
        for scores, templates in zip(made, comparisons.templates, strict=True)
    ]


def menageries(evaluations: Sequence[ScoreEvaluation]) -> list[Menagerie]:
    """The animals among the people of each system."""
    from bertillon.analysis.on_samples import menagerie_of

    return [menagerie_of(evaluation) for evaluation in evaluations]


def rates_by_group(
    comparisons: Comparisons, evaluations: Sequence[ScoreEvaluation], *, level: float
) -> list[GroupRates]:
    """The rates of the groups of each system; none where nobody asked."""
    from bertillon.analysis.on_samples import group_rates_of

    return [
        group_rates_of(evaluation, groups, level=level)
        for evaluation, groups in zip(evaluations, comparisons.groups, strict=False)
    ]


def tables(content: ReportContent) -> Iterator[RenderableType]:
    """The results about samples and subjects, as far as they were asked for."""
    names = content.vocabulary or Vocabulary.BIOMETRIC
    if content.discards:
        from bertillon.render.discard import discard_text

        for curves in content.discards:
            yield discard_text(curves, vocabulary=names)
    if content.people:
        from bertillon.render.people import people_text

        yield from map(people_text, content.people)
    if content.groups:
        from bertillon.render.groups import groups_text

        for rates in content.groups:
            yield groups_text(rates, vocabulary=names)


def write_csv(content: ReportContent, folder: Path) -> list[Path]:
    """Curves and people, as far as they were asked for."""
    from bertillon.render.exports import write_frames

    systems = []
    for index, evaluation in enumerate(content.verification):
        frames = {"discard": content.discards[index].to_frame()} if content.discards else {}
        frames |= {"people": content.people[index].to_frame()} if content.people else {}
        frames |= {"groups": content.groups[index].to_frame()} if content.groups else {}
        systems.append((evaluation.name, frames))
    return write_frames(systems, folder)


def save_figures(content: ReportContent, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Curves, menageries and groups, as far as they were asked for."""
    if not (content.discards or content.people or content.groups):
        return []
    from bertillon.render.figures.discard_draw import discard_figures
    from bertillon.render.figures.group_rates_draw import group_rate_figures
    from bertillon.render.figures.menagerie_draw import menagerie_figures
    from bertillon.render.figures.save import save_all

    makers = (
        discard_figures([(discard.name, discard.curves) for discard in content.discards]) if content.discards else {}
    )
    makers |= menagerie_figures(list(content.people)) if content.people else {}
    makers |= group_rate_figures(content.groups) if content.groups else {}
    return save_all(makers, folder, formats=formats)
