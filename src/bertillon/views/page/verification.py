"""The part of the page on verification: a threshold to move, the measures, what to expect in use, fixed thresholds.

Holds `verification_section` and `marked`, the thresholds that have names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from bertillon.analysis.forecast import forecast
from bertillon.analysis.in_use import attempt_rates
from bertillon.analysis.on_development import DevelopmentResult
from bertillon.core.messages import Catalogue
from bertillon.core.rule import AcceptRule
from bertillon.counting.scores import Failures
from bertillon.evaluation import Evaluation, evaluate
from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION
from bertillon.views.findings import Findings, Use
from bertillon.views.page.embedding import points_each, shade_of, sure_enough, swept
from bertillon.views.page.measures import measures_tables
from bertillon.views.page.model import Block, Cell, Column, Explorer, ExplorerSystem, Mark, Said, Section, Table, Words
from bertillon.views.page.naming import Naming
from bertillon.views.page.numbers import Numbers

NAMING = Naming.of(VERIFICATION)
ALWAYS = ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR")  # thresholds a reader can always jump to


def verification_section(findings: Findings, words: Catalogue) -> Section:
    """Everything about the 1:1 comparisons of one or several systems."""
    evaluations, naming = findings.verification, Naming.of(VERIFICATION, findings.vocabulary)
    each = points_each(len(evaluations))
    systems = tuple(
        replace(
            swept(one, marked(one, naming), points=each), shade=shade_of(bands.get("det"), words), **sure_enough(one)
        )
        for one, bands in zip(evaluations, findings.bands_in("verification"), strict=True)
    )
    link = "scores" if findings.same_scores else ""
    use = asdict(findings.use or Use())
    blocks: list[Block] = [
        Words((Said(words("page.explore.verification")),)),
        Explorer("verification", "verification", systems, use, naming.live(words), link),
        *measures_tables(evaluations, list(evaluations[0]), words=words, naming=naming, id="measures"),
    ]
    if findings.use is not None:
        blocks.append(_expected(systems, findings.use, words, naming))
    blocks += [_development(one, words, naming, id=f"development-{i}") for i, one in enumerate(findings.development)]
    blocks += [Words(tuple(_folds(findings, words)))] if findings.folds else []
    return Section("verification", words("page.section.verification"), tuple(blocks))


def marked(evaluation: Evaluation, naming: Naming = NAMING) -> dict[str, float]:
    """The thresholds of all operating points by a short name, in the user's units."""
    lacking = [name for name in ALWAYS if name not in evaluation.results]
    more: Mapping[str, Result] = evaluate(evaluation.scores, lacking).results if lacking else {}
    results = {name: more[name] if name in more else evaluation.results[name] for name in (*ALWAYS, *evaluation)}
    named = {naming.point(name): result.threshold for name, result in results.items()}
    return {name: float(t) for name, t in named.items() if t is not None and not math.isnan(t)}


def _expected(systems: Sequence[ExplorerSystem], use: Use, words: Catalogue, naming: Naming) -> Table:
    """Errors a day at each operating point of each system, failures counted in."""
    numbers = Numbers(words)
    heads = ["system"] * (len(systems) > 1) + ["point", "threshold", "FAR", "FRR", "accepts", "rejects", "cost"]
    columns = tuple(
        Column(naming.heading(words(f"page.expected.{head}")), numeric=head not in ("system", "point"))
        for head in heads
    )
    caption = words("page.expected.caption", genuine=numbers.amount(use.genuine), impostor=numbers.amount(use.impostor))
    rows = [_expected_row(one, mark, use, numbers) for one in systems for mark in one.marks]
    return Table("expected", caption, columns, tuple(row[-len(heads) :] for row in rows))


def _expected_row(system: ExplorerSystem, mark: Mark, use: Use, numbers: Numbers) -> tuple[Cell, ...]:
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


def _development(judged: DevelopmentResult, words: Catalogue, naming: Naming, *, id: str) -> Table:
    """What thresholds fixed on other scores give here, a row a criterion, each rate over its interval."""
    numbers, rates = Numbers(words), ("FMR", "FNMR", "HTER")
    heads = (Column(words("page.expected.point"), numeric=False), Column(words("page.threshold")))
    rows = []
    for one in judged.thresholds:
        measured = (one.evaluation.fmr, one.evaluation.fnmr, one.evaluation.hter)
        cells = (
            Cell(numbers.percent(rate.value), rate.value, note=numbers.interval("EER", rate.interval, VERIFICATION))
            for rate in measured
        )
        at = numbers.threshold(one.threshold, judged.evaluation.rule)
        rows.append((Cell(naming.measure(one.criterion), one.criterion), Cell(at, one.threshold), *cells))
    caption = words("page.development.caption", there=judged.development.name, here=judged.evaluation.name)
    return Table(id, caption, (*heads, *(Column(naming.heading(rate)) for rate in rates)), tuple(rows))


def _folds(findings: Findings, words: Catalogue) -> list[Said]:
    """Accuracy over folds, a sentence a system."""
    return [
        Said(
            words(
                "page.folds",
                name=one.name or words("page.unnamed"),
                n=len(folds.accuracies),
                mean=f"{folds.mean:.4f}",
                error=f"{folds.standard_error:.4f}",
            )
        )
        for one, folds in zip(findings.verification, findings.folds, strict=True)
    ]
