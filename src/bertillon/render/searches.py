"""The terminal view of an identification: what was searched, the answers, the operating regions, words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from bertillon.advice.identification import fnir_diagnosis, region_sentence, warnings_of_searches
from bertillon.advice.mistakes import unlike_searches
from bertillon.advice.verdicts import open_eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.analysis.regions import Region
from bertillon.evaluation.identification import SearchEvaluation
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import answers_table, plain_table
from bertillon.views.numbers import amount, percent, threshold_text
from bertillon.views.vocabulary import heading


def identification_text(
    evaluations: Sequence[SearchEvaluation],
    regions: Sequence[Sequence[Region]] = (),
    *,
    vocabulary: Vocabulary = Vocabulary.BIOMETRIC,
) -> Group:
    """Everything about the searches of one or several systems, ready to print."""
    parts: list[RenderableType] = [_heading(evaluation) for evaluation in evaluations]
    parts.append(answers_table(evaluations, list(evaluations[0]), vocabulary=vocabulary))
    for evaluation, areas in zip(evaluations, regions, strict=False):
        table = regions_table(areas, evaluation.name, vocabulary=vocabulary)
        parts += [table, Text("\n".join(str(region_sentence(region)) for region in areas) + "\n")]
    parts += interval_lines(evaluations)
    texts = [_verdicts_and_warnings(evaluation, many=len(evaluations) > 1) for evaluation in evaluations]
    parts += [text for text in texts if text]
    if different := unlike_searches(evaluations):
        parts.append(Text(f"warning: {different}", style="yellow"))
    return Group(*parts)


def regions_table(regions: Sequence[Region], name: str, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> Table:
    """The five operating regions, one a row."""
    rates = [heading(rate, vocabulary) for rate in ("FPIR", "DIR")]
    table = plain_table(f"operating regions, {name}", "region", "threshold", *rates, "alarms", "hours", "misses")
    table.columns[0].no_wrap = False
    for region in regions:
        load = region.load
        cells = [load.false_alarms, load.hours, math.nan if load.misses is None else load.misses]
        table.add_row(
            Text(str(region.name)),
            threshold_text(region.threshold) if math.isfinite(region.threshold) else "",
            *("" if math.isnan(rate) else percent(rate) for rate in (region.fpir, region.dir)),
            *("" if math.isnan(number) else amount(number) for number in cells),
        )
    return table


def _heading(evaluation: SearchEvaluation) -> RenderableType:
    counts, rule = evaluation.counts, evaluation.rule
    lines = Text()
    lines.append(evaluation.name or "searches", style="bold")
    lines.append(
        f"\n  {counts['enrolled']:,} searches by enrolled people, {counts['nonenrolled']:,} by others, "
        f"{counts['failed']:,} failed; {counts['gallery']:,} people in the gallery"
        f"\n  {rule.value}: a candidate passes when score {rule.sign} threshold"
    )
    for note in evaluation.searches.notes:
        lines.append(f"\n  {note}", style="dim")
    return lines


def _verdicts_and_warnings(evaluation: SearchEvaluation, *, many: bool) -> Text:
    lines = Text()
    prefix = f"{evaluation.name}: " if many else ""
    results = evaluation.results
    if "EERopen" in results:
        lines.append(f"{prefix}{open_eer_verdict(results['EERopen'].value)}\n", style="bold")
    missed = next((r for n, r in results.items() if n.startswith("Missed")), None)
    wrong = next((r for n, r in results.items() if n.startswith("Misidentified")), None)
    if missed and wrong:
        lines.append(f"{prefix}{fnir_diagnosis(missed.value, wrong.value)}\n", style="bold")
    for warning in warnings_of_searches(evaluation):
        lines.append(f"warning: {prefix}{warning}\n", style="yellow")
    return lines
