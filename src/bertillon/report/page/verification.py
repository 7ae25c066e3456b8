"""The part of the page on verification: a threshold to move, the measures, and what to expect in use.

Holds `verification_section` and `marked`, the thresholds that have names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from bertillon.analysis.forecast import forecast
from bertillon.evaluation import Evaluation, evaluate
from bertillon.measures import Result
from bertillon.measures.spelling import Spelling
from bertillon.report.findings import Findings, Use
from bertillon.report.page.embedding import points_each, swept
from bertillon.report.page.measures import measures_tables
from bertillon.report.page.model import Block, Cell, Column, Explorer, Mark, Said, Section, Swept, Table, Words
from bertillon.report.page.numbers import Numbers
from bertillon.report.page.words import Wording
from bertillon.rule import AcceptRule

ALWAYS = ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR")  # thresholds a reader can always jump to


def verification_section(findings: Findings, words: Wording) -> Section:
    """Everything about the 1:1 comparisons of one or several systems."""
    evaluations = findings.verification
    each = points_each(len(evaluations))
    systems = tuple(swept(one, marked(one), each) for one in evaluations)
    link = "scores" if findings.same_scores else ""
    blocks: list[Block] = [
        Words((Said(words("explore.verification")),)),
        Explorer("verification", "verification", systems, asdict(findings.use or Use()), link),
        *measures_tables(evaluations, words, list(evaluations[0]), "measures"),
    ]
    if findings.use is not None:
        blocks.append(_expected(systems, findings.use, words))
    return Section("verification", words("section.verification"), tuple(blocks))


def marked(evaluation: Evaluation) -> dict[str, float]:
    """The thresholds of all operating points by a short name, in the user's units."""
    lacking = [name for name in ALWAYS if name not in evaluation.results]
    more: Mapping[str, Result] = evaluate(evaluation.scores, lacking).results if lacking else {}
    results = {name: more[name] if name in more else evaluation.results[name] for name in (*ALWAYS, *evaluation)}
    named = {short_name(name): result.threshold for name, result in results.items()}
    return {name: float(t) for name, t in named.items() if t is not None and not math.isnan(t)}


def short_name(measure: str) -> str:
    """What an operating point is called on a button.

    >>> short_name("FNMR@FMR=0.001"), short_name("minCost(cfa=500,cfr=2,impostor=0.01)"), short_name("EER[hull]")
    ('FMR=0.001', 'minCost', 'EER[hull]')
    """
    spelling = Spelling.read(measure)
    if spelling.at:
        return ",".join(f"{place}={float(target):g}" for place, target in spelling.at.items())
    return spelling.name + (f"[{spelling.variant}]" if spelling.variant else "")


def _expected(systems: Sequence[Swept], use: Use, words: Wording) -> Table:
    """Errors a day at each operating point of each system, failures counted in."""
    numbers = Numbers(words)
    heads = ["system"] * (len(systems) > 1) + ["point", "threshold", "FAR", "FRR", "accepts", "rejects", "cost"]
    columns = tuple(Column(words(f"expected.{head}"), numeric=head not in ("system", "point")) for head in heads)
    caption = words("expected.caption", genuine=numbers.amount(use.genuine), impostor=numbers.amount(use.impostor))
    rows = [_expected_row(one, mark, use, numbers) for one in systems for mark in one.marks]
    return Table("expected", caption, columns, tuple(row[-len(heads) :] for row in rows))


def _expected_row(system: Swept, mark: Mark, use: Use, numbers: Numbers) -> tuple[Cell, ...]:
    t = system.threshold[mark.row]
    far, frr = _system_rates(system, mark.row)
    errors = forecast(far, frr, genuine=use.genuine, impostor=use.impostor)
    cost = use.cost_accept * errors.false_accepts + use.cost_reject * errors.false_rejects
    return (
        Cell(system.name, system.name),
        Cell(mark.name, mark.name),
        Cell(numbers.threshold(t, AcceptRule.of(system.rule)), t),
        *(Cell(numbers.percent(rate), rate) for rate in (far, frr)),
        *(Cell(numbers.amount(amount), amount) for amount in (errors.false_accepts, errors.false_rejects, cost)),
    )


def _system_rates(system: Swept, row: int) -> tuple[float, float]:
    """FAR and FRR: a failed comparison is an attempt that was not accepted."""
    impostors, genuine = system.n_nonmated + system.failed_nonmated, system.n_mated + system.failed_mated
    return system.false_match[row] / impostors, (system.false_nonmatch[row] + system.failed_mated) / genuine
