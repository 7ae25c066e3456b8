"""Measures as cards and tables, the same in every mode.

Conventions: what a cell shows is in the vocabulary of the page, the value behind it is the canonical name. Under a
table stands what is known within bounds only, because scores were counted and not kept.

Holds `cards`, `headline_table` and `measures_tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.messages import Catalogue, Message, Text
from bertillon.evaluation import AnyEvaluation
from bertillon.measures.registry import VERIFICATION, MeasureSet
from bertillon.measures.spelling import Spelling
from bertillon.stats.interval import Interval
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.model import Card, Cell, Column, Table
from bertillon.views.page.numbers import Numbers
from bertillon.views.vocabulary import EVERYDAY, name_columns

HEADLINES = {
    "verification": ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "AUC"),
    "identification": ("RR", "DIR@FPIR=0.01,k=1", "EERopen", "CMS@5"),
    "classification": ("AUC", "F1", "F1[macro]", "MCC", "BalancedAccuracy", "ECE"),
}
MOST_CARDS = 4


def headlines(evaluation: AnyEvaluation, most: int = MOST_CARDS) -> list[str]:
    """The measures a reader wants first; the first ones asked for where none of the usual is there."""
    usual = [name for name in HEADLINES[evaluation.measure_set.mode] if name in evaluation.results]
    return (usual or list(evaluation))[:most]


def cards(
    evaluation: AnyEvaluation, catalogue: Catalogue, *, vocabulary: Vocabulary | None = None, most: int = MOST_CARDS
) -> list[Card]:
    """The headline numbers of one system."""
    measure_names = MeasureNames.of(evaluation.measure_set, vocabulary)
    return [_card(evaluation, name, catalogue, measure_names) for name in headlines(evaluation, most)]


def _card(evaluation: AnyEvaluation, name: str, catalogue: Catalogue, measure_names: MeasureNames) -> Card:
    """One number, what it means and how sure it is."""
    numbers, result, interval = Numbers(catalogue), evaluation.results[name], evaluation.intervals.get(name)
    ends = numbers.interval(name, interval, evaluation.measure_set)
    sure = (
        catalogue("page.interval", level=f"{interval.level * 100:g}", ends=ends)
        if interval is not None and ends
        else ""
    )
    return Card(
        measure_names.measure(name),
        meaning(name, catalogue, evaluation.measure_set),
        numbers.value(name, result, evaluation.measure_set, interval),
        sure,
        catalogue.text(result.reason or "") or numbers.errors(result),
    )


def meaning(name: str, catalogue: Catalogue, measure_set: MeasureSet = VERIFICATION) -> str:
    """What a measure says, in a few words; nothing for those that have no words in this language.

    Ours have theirs in the catalogue of the page; a measure of another package in its definition.

    >>> from bertillon.core.messages import catalogue
    >>> meaning("FNMR@FMR=0.001", catalogue("en"))
    'genuine users rejected when at most 0.1\\xa0% of impostors are accepted'
    """
    spelling = Spelling.read(name)
    place = next(iter(spelling.at.items()), None)
    key = f"page.measure.{spelling.name}" + (f"@{place[0]}" if place else "")
    if not catalogue.has(key):
        summary = measure_set.definitions[spelling.name].summary if spelling.name in measure_set.definitions else ""
        return catalogue.text(summary) if isinstance(summary, Message) else ""
    target = "" if place is None else place[1]
    return catalogue(key, x=target, percent="" if target == "" else f"{float(target) * 100:g}\u00a0%")


def headline_table(
    evaluations: Sequence[AnyEvaluation], catalogue: Catalogue, *, vocabulary: Vocabulary | None = None
) -> Table:
    """The headline numbers of several systems, a system a row."""
    measure_names = MeasureNames.of(evaluations[0].measure_set, vocabulary)
    names = [
        name for name in headlines(evaluations[0]) if all(name in evaluation.results for evaluation in evaluations)
    ]
    columns = (
        Column(catalogue("page.system"), numeric=False),
        *(Column(measure_names.measure(name)) for name in names),
    )
    rows = [
        (Cell(evaluation.name, evaluation.name), *(_cell(evaluation, name, catalogue) for name in names))
        for evaluation in evaluations
    ]
    return Table("headline", catalogue("page.headline.caption"), columns, tuple(rows))


def measures_tables(
    evaluations: Sequence[AnyEvaluation],
    names: Sequence[str],
    *,
    catalogue: Catalogue,
    measure_names: MeasureNames,
    id: str,
) -> list[Table]:
    """All measures of one system with what stands behind them, or of several side by side."""
    if not names:
        return []
    bounds = _bounds(evaluations, catalogue)
    if len(evaluations) == 1:
        return [
            replace(
                _one_system(evaluations[0], names, catalogue=catalogue, measure_names=measure_names, id=id), note=bounds
            )
        ]
    columns = (
        Column(catalogue("page.measure"), numeric=False),
        *(Column(evaluation.name) for evaluation in evaluations),
    )
    rows = [
        (Cell(measure_names.measure(name), name), *(_cell(evaluation, name, catalogue) for evaluation in evaluations))
        for name in names
    ]
    note = " ".join(filter(None, [catalogue("page.measures.note"), bounds]))
    return [Table(id, catalogue("page.measures.caption"), columns, tuple(rows), note)]


def _one_system(
    evaluation: AnyEvaluation, names: Sequence[str], *, catalogue: Catalogue, measure_names: MeasureNames, id: str
) -> Table:
    """One row a measure; columns in which nothing would stand are left out."""
    level = next((f"{interval.level * 100:g}" for interval in evaluation.intervals.values()), "")
    shown_names = name_columns(names, evaluation.measure_set, vocabulary=measure_names.vocabulary)
    heads = {
        "measure": catalogue("page.measure"),
        "value": catalogue("page.value"),
        "interval": catalogue("page.interval.column", level=level),
        "threshold": catalogue("page.threshold"),
        "errors": catalogue("page.errors"),
        "other": catalogue.text(shown_names.heading) if shown_names.heading else "",
    }
    called = zip(names, shown_names.first, shown_names.second, strict=True)
    cells = [_row(evaluation, name, catalogue, called=(first, second)) for name, first, second in called]
    rows = [dict(zip(heads, row, strict=True)) for row in cells]
    shown = [key for key in heads if any(row[key].text for row in rows)]
    everyday = shown_names.heading == EVERYDAY
    columns = tuple(
        Column(heads[key], numeric=key not in ("measure", "other"), aside=key == "other" and everyday) for key in shown
    )
    return Table(
        id, catalogue("page.measures.caption"), columns, tuple(tuple(row[key] for key in shown) for row in rows)
    )


def _bounds(evaluations: Sequence[AnyEvaluation], catalogue: Catalogue) -> str:
    """What is known within bounds only, system by system."""
    numbers, texts = Numbers(catalogue), []
    for evaluation in evaluations:
        loose = {name: Interval(*ends) for name, ends in evaluation.bounds.items() if ends[0] < ends[1]}
        prefix = f"{evaluation.name}: " if len(evaluations) > 1 else ""
        texts += [
            f"{prefix}{name} {numbers.interval(name, ends, evaluation.measure_set)}" for name, ends in loose.items()
        ]
    return catalogue("page.measures.bounds", bounds=catalogue("list.separator").join(texts)) if texts else ""


def _row(evaluation: AnyEvaluation, name: str, catalogue: Catalogue, *, called: tuple[str, Text]) -> tuple[Cell, ...]:
    numbers, measure_set = Numbers(catalogue), evaluation.measure_set
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    ends = numbers.interval(name, interval, measure_set)
    return (
        Cell(called[0], name, note=meaning(name, catalogue, measure_set)),
        Cell(numbers.value(name, result, measure_set, interval), result.value),
        Cell(ends, interval.low if interval is not None and ends else None),
        Cell(numbers.threshold(result.threshold, evaluation.rule), result.threshold),
        Cell(catalogue.text(result.reason or "") or numbers.errors(result), result.errors),
        Cell(catalogue.text(called[1]), catalogue.text(called[1])),
    )


def _cell(evaluation: AnyEvaluation, name: str, catalogue: Catalogue) -> Cell:
    numbers, result, interval = Numbers(catalogue), evaluation.results[name], evaluation.intervals.get(name)
    at = numbers.threshold(result.threshold, evaluation.rule)
    ends = numbers.interval(name, interval, evaluation.measure_set).replace(" ", "\u00a0")  # one line each
    behind = [ends, f"t\u00a0=\u00a0{at}" if at else ""]
    text = numbers.value(name, result, evaluation.measure_set, interval)
    return Cell(
        text, result.value, note=catalogue.text(result.reason or "") or "\n".join(part for part in behind if part)
    )
