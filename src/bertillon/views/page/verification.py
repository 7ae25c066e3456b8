"""The part of the page on verification: a threshold to move, the measures, what to expect in use, fixed thresholds.

Holds `verification_section` and `marked`, the thresholds that have names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

from bertillon.analysis.development import DevelopmentResult
from bertillon.analysis.in_use import attempt_rates, forecast
from bertillon.core.messages import Catalogue
from bertillon.core.rule import AcceptRule
from bertillon.counting.scores import Failures
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures.registry import VERIFICATION
from bertillon.views.page.embedding import explorer_system, interval_fields, points_each, shaded_band
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.measures import measures_tables
from bertillon.views.page.model import (
    Block,
    Cell,
    Column,
    Explorer,
    ExplorerSystem,
    Mark,
    Paragraphs,
    Section,
    Sentence,
    Table,
)
from bertillon.views.page.numbers import Numbers
from bertillon.views.report_content import DailyUse, ReportContent

MEASURE_NAMES = MeasureNames.of(VERIFICATION)
ALWAYS = ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR")  # thresholds a reader can always jump to


def verification_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Everything about the 1:1 comparisons of one or several systems."""
    evaluations, measure_names = content.verification, MeasureNames.of(VERIFICATION, content.vocabulary)
    each = points_each(len(evaluations))
    systems = tuple(
        replace(
            explorer_system(evaluation, marked(evaluation, measure_names), points=each),
            shade=shaded_band(bands.get("det"), catalogue),
            **interval_fields(evaluation),
        )
        for evaluation, bands in zip(evaluations, content.bands_in("verification"), strict=True)
    )
    link = "scores" if content.same_scores else ""
    use = asdict(content.use or DailyUse())
    blocks: list[Block] = [
        Paragraphs((Sentence(catalogue("page.explore.verification")),)),
        Explorer("verification", "verification", systems, use, measure_names.live(catalogue), link),
        *measures_tables(
            evaluations, list(evaluations[0]), catalogue=catalogue, measure_names=measure_names, id="measures"
        ),
    ]
    if content.use is not None:
        blocks.append(_expected(systems, content.use, catalogue, measure_names))
    blocks += [
        _development(judged, catalogue, measure_names, id=f"development-{i}")
        for i, judged in enumerate(content.development)
    ]
    blocks += [Paragraphs(tuple(_folds(content, catalogue)))] if content.folds else []
    return Section("verification", catalogue("page.section.verification"), tuple(blocks))


def marked(evaluation: ScoreEvaluation, measure_names: MeasureNames = MEASURE_NAMES) -> dict[str, float]:
    """The thresholds of all operating points by a short name, in the user's units."""
    named = {measure_names.point(name): evaluation[name].threshold for name in (*ALWAYS, *evaluation)}
    return {name: float(t) for name, t in named.items() if t is not None and not math.isnan(t)}


def _expected(
    systems: Sequence[ExplorerSystem], use: DailyUse, catalogue: Catalogue, measure_names: MeasureNames
) -> Table:
    """Errors a day at each operating point of each system, failures counted in."""
    numbers = Numbers(catalogue)
    heads = ["system"] * (len(systems) > 1) + ["point", "threshold", "FAR", "FRR", "accepts", "rejects", "cost"]
    columns = tuple(
        Column(measure_names.heading(catalogue(f"page.expected.{head}")), numeric=head not in ("system", "point"))
        for head in heads
    )
    caption = catalogue(
        "page.expected.caption", genuine=numbers.amount(use.genuine), impostor=numbers.amount(use.impostor)
    )
    rows = [_expected_row(system, mark, use, numbers) for system in systems for mark in system.marks]
    return Table("expected", caption, columns, tuple(row[-len(heads) :] for row in rows))


def _expected_row(system: ExplorerSystem, mark: Mark, use: DailyUse, numbers: Numbers) -> tuple[Cell, ...]:
    t = system.threshold[mark.row]
    far, frr = attempt_rates(
        system.false_match[mark.row],
        system.false_nonmatch[mark.row],
        counts={"mated": int(system.n_mated), "nonmated": int(system.n_nonmated)},
        failures=Failures(system.failed_mated, system.failed_nonmated),
    )
    errors = forecast(far, frr, genuine=use.genuine, impostor=use.impostor)
    cost = use.cost_accept * errors.false_accepts + use.cost_reject * errors.false_rejects
    return (
        Cell(system.name, system.name),
        Cell(mark.name, mark.name),
        Cell(numbers.threshold(t, AcceptRule.of(system.rule)), t),
        *(Cell(numbers.percent(rate), rate) for rate in (far, frr)),
        *(Cell(numbers.amount(amount), amount) for amount in (errors.false_accepts, errors.false_rejects, cost)),
    )


def _development(judged: DevelopmentResult, catalogue: Catalogue, measure_names: MeasureNames, *, id: str) -> Table:
    """What thresholds fixed on other scores give here, a row a criterion, each rate over its interval."""
    numbers, rates = Numbers(catalogue), ("FMR", "FNMR", "HTER")
    heads = (Column(catalogue("page.expected.point"), numeric=False), Column(catalogue("page.threshold")))
    rows = []
    for point in judged.thresholds:
        measured = (point.evaluation.fmr, point.evaluation.fnmr, point.evaluation.hter)
        cells = (
            Cell(numbers.percent(rate.value), rate.value, note=numbers.interval("EER", rate.interval, VERIFICATION))
            for rate in measured
        )
        at = numbers.threshold(point.threshold, judged.evaluation.rule)
        rows.append(
            (
                Cell(measure_names.measure(point.criterion), point.criterion),
                Cell(at, point.threshold),
                *cells,
            )
        )
    caption = catalogue("page.development.caption", there=judged.development.name, here=judged.evaluation.name)
    return Table(id, caption, (*heads, *(Column(measure_names.heading(rate)) for rate in rates)), tuple(rows))


def _folds(content: ReportContent, catalogue: Catalogue) -> list[Sentence]:
    """Accuracy over folds, a sentence a system."""
    return [
        Sentence(
            catalogue(
                "page.folds",
                name=evaluation.name or catalogue("page.unnamed"),
                n=len(folds.accuracies),
                mean=f"{folds.mean:.4f}",
                error=f"{folds.standard_error:.4f}",
            )
        )
        for evaluation, folds in zip(content.verification, content.folds, strict=True)
    ]
