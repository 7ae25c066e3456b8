"""Measures as cards and tables, the same in every mode.

Holds `card`, `cards`, `headline_table`, `measures_tables` and `interval_of`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.evaluation.answers import Answers
from bertillon.measures.spelling import Spelling
from bertillon.report.page.model import Card, Cell, Column, Table
from bertillon.report.page.numbers import Numbers
from bertillon.report.page.words import Wording
from bertillon.report.vocabulary import name_columns
from bertillon.uncertainty.interval import Interval

HEADLINES = {
    "verification": ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "AUC"),
    "identification": ("RR", "DIR@FPIR=0.01,k=1", "EERopen", "CMS@5"),
    "classification": ("AUC", "F1", "F1[macro]", "MCC", "BalancedAccuracy", "ECE"),
}
MOST_CARDS = 4


def interval_of(evaluation: Answers, name: str) -> Interval | None:
    """How sure a number is, where that is known."""
    return evaluation.intervals.get(name)


def headlines(evaluation: Answers, most: int = MOST_CARDS) -> list[str]:
    """The measures a reader wants first; the first ones asked for where none of the usual is there."""
    usual = [name for name in HEADLINES[evaluation.language.mode] if name in evaluation.results]
    return (usual or list(evaluation))[:most]


def cards(evaluation: Answers, words: Wording, most: int = MOST_CARDS) -> list[Card]:
    """The headline numbers of one system."""
    return [card(evaluation, name, words) for name in headlines(evaluation, most)]


def card(evaluation: Answers, name: str, words: Wording) -> Card:
    """One number, what it means and how sure it is."""
    numbers, result, interval = Numbers(words), evaluation.results[name], interval_of(evaluation, name)
    ends = numbers.interval(name, interval, evaluation.language)
    sure = words("interval", level=f"{interval.level * 100:g}", ends=ends) if interval is not None and ends else ""
    return Card(
        name,
        meaning(name, words),
        numbers.value(name, result, evaluation.language, interval),
        sure,
        words.term(result.reason or "") or numbers.errors(result),
    )


def meaning(name: str, words: Wording) -> str:
    """What a measure says, in a few words; nothing for those that have no words of their own.

    >>> from bertillon.report.page.words import wording
    >>> meaning("FNMR@FMR=0.001", wording("en"))
    'genuine users rejected when at most 0.1\\xa0% of impostors are accepted'
    """
    spelling = Spelling.read(name)
    place = next(iter(spelling.at.items()), None)
    key = f"measure.{spelling.name}" + (f"@{place[0]}" if place else "")
    if not words.has(key):
        return ""
    target = "" if place is None else place[1]
    return words(key, x=target, percent="" if target == "" else f"{float(target) * 100:g}\u00a0%")


def headline_table(evaluations: Sequence[Answers], words: Wording) -> Table:
    """The headline numbers of several systems, a system a row."""
    names = [name for name in headlines(evaluations[0]) if all(name in one.results for one in evaluations)]
    columns = (Column(words("system"), numeric=False), *(Column(name) for name in names))
    rows = [(Cell(one.name, one.name), *(_cell(one, name, words) for name in names)) for one in evaluations]
    return Table("headline", words("headline.caption"), columns, tuple(rows))


def measures_tables(evaluations: Sequence[Answers], words: Wording, names: Sequence[str], id: str) -> list[Table]:
    """All measures of one system with what stands behind them, or of several side by side."""
    if not names:
        return []
    if len(evaluations) == 1:
        return [_one_system(evaluations[0], words, names, id)]
    columns = (Column(words("measure"), numeric=False), *(Column(one.name) for one in evaluations))
    rows = [(Cell(name, name), *(_cell(one, name, words) for one in evaluations)) for name in names]
    return [Table(id, words("measures.caption"), columns, tuple(rows), words("measures.note"))]


def _one_system(evaluation: Answers, words: Wording, names: Sequence[str], id: str) -> Table:
    """One row a measure; columns in which nothing would stand are left out."""
    level = next((f"{one.level * 100:g}" for one in evaluation.intervals.values()), "")
    heads = {
        "measure": words("measure"),
        "value": words("value"),
        "interval": words("interval.column", level=level),
        "threshold": words("threshold"),
        "errors": words("errors"),
        "everyday": words("everyday"),
    }
    everyday = name_columns(names, evaluation.language).second
    cells = [_row(evaluation, name, other, words) for name, other in zip(names, everyday, strict=True)]
    rows = [dict(zip(heads, row, strict=True)) for row in cells]
    shown = [key for key in heads if any(row[key].text for row in rows)]
    columns = tuple(Column(heads[key], numeric=key not in ("measure", "everyday")) for key in shown)
    return Table(id, words("measures.caption"), columns, tuple(tuple(row[key] for key in shown) for row in rows))


def _row(evaluation: Answers, name: str, everyday: str, words: Wording) -> tuple[Cell, ...]:
    numbers, language = Numbers(words), evaluation.language
    result, interval = evaluation.results[name], interval_of(evaluation, name)
    ends = numbers.interval(name, interval, language)
    return (
        Cell(name, name, note=meaning(name, words)),
        Cell(numbers.value(name, result, language, interval), result.value),
        Cell(ends, interval.low if interval is not None and ends else None),
        Cell(numbers.threshold(result.threshold, evaluation.rule), result.threshold),
        Cell(words.term(result.reason or "") or numbers.errors(result), result.errors),
        Cell(everyday, everyday),
    )


def _cell(evaluation: Answers, name: str, words: Wording) -> Cell:
    numbers, result, interval = Numbers(words), evaluation.results[name], interval_of(evaluation, name)
    at = numbers.threshold(result.threshold, evaluation.rule)
    ends = numbers.interval(name, interval, evaluation.language).replace(" ", "\u00a0")  # one line each
    behind = [ends, f"t\u00a0=\u00a0{at}" if at else ""]
    text = numbers.value(name, result, evaluation.language, interval)
    return Cell(text, result.value, note=words.term(result.reason or "") or "\n".join(part for part in behind if part))
