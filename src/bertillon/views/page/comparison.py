"""The part of the page that sets systems against each other: tested differences, and who is better at which FMR.

Holds `comparison_section`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.advice.paired import comparison_sentences, leading, p_text, verdict_sentences
from bertillon.analysis.leads import ranking_at
from bertillon.core.messages import Catalogue
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.difference import Difference
from bertillon.views.numbers import difference_text
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.model import Block, Cell, Column, Paragraphs, Section, Sentence, Table
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.texts import sentence
from bertillon.views.report_content import ReportContent

FMRS = (0.1, 0.01, 0.001, 0.0001, 0.0)


def comparison_section(content: ReportContent, catalogue: Catalogue) -> Section | None:
    """Tested pairs first, then every pair over all false match rates; None for a single system."""
    blocks: list[Block] = []
    if content.versus:
        verdicts = [sentence(message, catalogue) for versus in content.versus for message in verdict_sentences(versus)]
        blocks += [Paragraphs(tuple(verdicts), listed=True), _tested(content, catalogue)]
    evaluations = content.verification
    if len(evaluations) > 1:
        measure_names = MeasureNames.of(VERIFICATION, content.vocabulary)
        blocks += _over_all_rates(evaluations, catalogue, measure_names, tested=bool(content.versus))
    return Section("comparison", catalogue("page.section.comparison"), tuple(blocks)) if blocks else None


def _over_all_rates(
    evaluations: Sequence[ScoreEvaluation], catalogue: Catalogue, measure_names: MeasureNames, *, tested: bool
) -> list[Block]:
    curves = {evaluation.name: evaluation.tally.curve for evaluation in evaluations}
    ranking = _ranking(evaluations, catalogue, measure_names, tested=tested)
    if len(curves) < len(evaluations):  # systems of one name cannot be told apart in a sentence
        return [ranking]
    some, best_by = leading(evaluations)
    sentences = [sentence(message, catalogue) for message in comparison_sentences(some)]
    if len(some) < len(evaluations):
        measure = measure_names.measure(best_by) if best_by else "-"
        sentences.insert(
            0, Sentence(catalogue("page.comparison.some", n=len(some), all=len(evaluations), measure=measure))
        )
    return [Paragraphs(tuple(sentences), listed=True), ranking]


def _tested(content: ReportContent, catalogue: Catalogue) -> Table:
    """Every measure of every pair: both values, their difference, its interval and its p value."""
    pairs, measure_names = content.versus, MeasureNames.of(content.evaluations[0].measure_set, content.vocabulary)
    heads = ("first", "second", "measure", "first_value", "second_value", "difference", "interval", "p")
    columns = tuple(Column(catalogue(f"page.tested.{head}"), numeric=head not in heads[:3]) for head in heads)
    rows = [
        _tested_row(difference, Numbers(catalogue), measure_names)
        for versus in pairs
        for difference in versus.differences
    ]
    caption = "page.tested.caption" if all(versus.paired for versus in pairs) else "page.tested.unpaired"
    return Table("tested", catalogue(caption), columns, tuple(rows), catalogue("page.tested.note"))


def _tested_row(difference: Difference, numbers: Numbers, measure_names: MeasureNames) -> tuple[Cell, ...]:
    low, high = difference.interval.low, difference.interval.high
    ends = (
        ""
        if math.isnan(low)
        else numbers.catalogue("page.to").join(difference_text(difference, end) for end in (low, high))
    )
    return (
        *(Cell(name, name) for name in (difference.first, difference.second)),
        Cell(measure_names.measure(difference.measure), difference.measure),
        *(
            Cell(_value(difference, value, numbers), value)
            for value in (difference.first_value, difference.second_value)
        ),
        Cell(
            difference_text(difference, difference.difference),
            difference.difference,
            note=numbers.catalogue.text(difference.reason or ""),
        ),
        Cell(ends, None if math.isnan(low) else low),
        Cell("" if math.isnan(difference.p) else p_text(difference.adjusted_p), difference.adjusted_p),
    )


def _value(difference: Difference, value: float, numbers: Numbers) -> str:
    if math.isnan(value):
        return numbers.catalogue("page.undefined")
    return numbers.percent(value) if difference.shown_as == "rate" else f"{value:.4g}"


def _ranking(
    evaluations: Sequence[ScoreEvaluation], catalogue: Catalogue, measure_names: MeasureNames, *, tested: bool
) -> Table:
    """FNMR of every system at a few FMR, the lowest of each marked."""
    numbers = Numbers(catalogue)
    least = max(1.0 / max(evaluation.counts["nonmated"], 1) for evaluation in evaluations)
    shown = [fmr for fmr in FMRS if fmr == 0.0 or fmr >= least]
    rates = [
        [ranking_at({evaluation.name: evaluation.tally.curve}, fmr)[0][1] for fmr in shown]
        for evaluation in evaluations
    ]
    best = [min(column) for column in zip(*rates, strict=True)]
    rows = [
        (
            Cell(evaluation.name, evaluation.name),
            *(Cell(numbers.percent(rate), rate, best=rate == low) for rate, low in zip(row, best, strict=True)),
        )
        for evaluation, row in zip(evaluations, rates, strict=True)
    ]
    heads = [measure_names.measure(f"FNMR@FMR={fmr:g}" if fmr else "ZeroFMR") for fmr in shown]
    columns = (Column(catalogue("page.system"), numeric=False), *(Column(head) for head in heads))
    return Table(
        "ranking",
        catalogue("page.comparison.caption"),
        columns,
        tuple(rows),
        catalogue("page.comparison.note" if tested else "page.comparison.untested"),
    )
