"""The terminal view of an identification: what was searched, the answers, the operating regions, words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from bertillon.advice.verdicts import fnir_diagnosis, open_eer_verdict, region_sentence
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import unlike_searches, warnings_of_searches
from bertillon.analysis.in_use import Region
from bertillon.core.messages import Value, say, spoken
from bertillon.evaluation import SearchEvaluation
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import THRESHOLD, answers_table, named, plain_table, warned
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
        parts += [table, Text("\n".join(spoken(region_sentence(region)) for region in areas) + "\n")]
    parts += interval_lines(evaluations)
    texts = [_verdicts_and_warnings(evaluation, many=len(evaluations) > 1) for evaluation in evaluations]
    parts += [text for text in texts if text]
    if different := unlike_searches(evaluations):
        parts.append(Text(warned(different), style="yellow"))
    return Group(*parts)


def regions_table(regions: Sequence[Region], name: str, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> Table:
    """The five operating regions, one a row."""
    rates = [heading(rate, vocabulary) for rate in ("FPIR", "DIR")]
    title = say("terminal.of_system", what=say("terminal.regions"), system=name)
    load_heads = (say("terminal.regions.alarms"), say("terminal.regions.hours"), say("terminal.regions.misses"))
    table = plain_table(title, say("page.regions.region"), THRESHOLD, *rates, *load_heads)
    table.columns[0].no_wrap = False
    for region in regions:
        load = region.load
        cells = [load.false_alarms, load.hours, math.nan if load.misses is None else load.misses]
        table.add_row(
            region.name,
            threshold_text(region.threshold) if math.isfinite(region.threshold) else "",
            *("" if math.isnan(rate) else percent(rate) for rate in (region.fpir, region.dir)),
            *("" if math.isnan(number) else amount(number) for number in cells),
        )
    return table


def _heading(evaluation: SearchEvaluation) -> RenderableType:
    rule, counts = evaluation.rule, dict[str, Value](evaluation.counts)
    lines = Text(evaluation.name or say("planning.trials.FPIR"), style="bold")
    for line in (say("terminal.searches", **counts), say(f"terminal.passes.{rule.value}", sign=rule.sign)):
        lines.append(f"\n  {spoken(line)}", style="not bold")
    for note in evaluation.trials.notes:
        lines.append(f"\n  {spoken(note)}", style="not bold dim")
    return lines


def _verdicts_and_warnings(evaluation: SearchEvaluation, *, many: bool) -> Text:
    lines = Text()
    about = evaluation.name if many else ""
    results = evaluation.results
    if "EERopen" in results:
        verdict = open_eer_verdict(results["EERopen"].value, evaluation.intervals.get("EERopen"))
        lines.append(f"{spoken(named(verdict, about))}\n", style="bold")
    missed = next((r for n, r in results.items() if n.startswith("Missed")), None)
    wrong = next((r for n, r in results.items() if n.startswith("Misidentified")), None)
    if missed and wrong:
        lines.append(f"{spoken(named(fnir_diagnosis(missed.value, wrong.value), about))}\n", style="bold")
    for warning in warnings_of_searches(evaluation):
        lines.append(f"{spoken(warned(warning, about))}\n", style="yellow")
    return lines
