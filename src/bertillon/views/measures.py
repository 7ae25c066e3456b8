"""Measures as cards and tables, the same in every mode.

Conventions: what a cell shows is in the vocabulary of the document, the key behind it is the canonical name. Under a
table stands what is known within bounds only, because scores were counted and not kept. Wherever a measure of an
evaluation is shown it is an `Estimate` with its interval, so that it has the same digits everywhere.

Holds `cards`, `headline_table`, `measures_tables`, `estimate_cell` with `quoted` for sentences, and `interval_column`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import Formatter

from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.messages import Message, Text, Value, catalogue, say
from bertillon.evaluation import AnyEvaluation
from bertillon.measures.base import Spelling
from bertillon.measures.registry import VERIFICATION, MeasureSet
from bertillon.stats.interval import Interval
from bertillon.views.document import Card, Cell, Column, Table
from bertillon.views.numbers import PERCENT, Estimate, Unit, errors_text, shown, threshold_text
from bertillon.views.vocabulary import EVERYDAY, MeasureNames, name_columns

HEADLINES = {
    "verification": ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "AUC"),
    "identification": ("RR", "DIR@FPIR=0.01,k=1", "EERopen", "CMS@5"),
    "classification": ("AUC", "F1", "F1[macro]", "MCC", "BalancedAccuracy", "ECE"),
}
MOST_CARDS = 4
MEASURE, VALUE, THRESHOLD = say("page.measure"), say("page.value"), say("page.threshold")
ERRORS, SYSTEM = say("page.errors"), say("page.system")


def unit_of(name: str, measure_set: MeasureSet) -> Unit:
    """The unit of a measure's values."""
    return Unit(measure_set.unit_of(name))


def interval_column(level: float) -> Message:
    """What a column of intervals of this level is called."""
    return say("page.interval.column", level=f"{round(level * 100, 6):g}")


def estimate_cell(evaluation: AnyEvaluation, name: str) -> Cell:
    """A measure of an evaluation to the digits that its interval supports."""
    estimate = Estimate(evaluation[name], evaluation.intervals.get(name))
    return Cell(estimate, unit_of(name, evaluation.measure_set))


def threshold_cell(threshold: float | None, evaluation: AnyEvaluation) -> Cell:
    """A threshold in the user's units."""
    return Cell(threshold_text(threshold, evaluation.rule), key=threshold)


Digits = Mapping[tuple[float, Unit], str]  # how values of a unit are written


def quoted(text: Text, evaluations: Sequence[AnyEvaluation]) -> Text:
    """A sentence in which the values of evaluations have the digits that they have in tables."""
    digits: dict[tuple[float, Unit], str] = {}
    for evaluation in evaluations:
        for name, result in evaluation.results.items():
            cell = estimate_cell(evaluation, name)
            if result.value and cell.unit is not Unit.COUNT:
                digits[result.value, cell.unit] = cell.text.removesuffix(PERCENT)
    return _quoted(text, digits) if isinstance(text, Message) else text


def _quoted(message: Message, digits: Digits) -> Message:
    template = str(catalogue("en").sentence(message.key))
    rates = {name for _, name, spec, _ in Formatter().parse(template) if (spec or "").startswith("pct")}
    items: list[tuple[str, Value]] = []
    for name, value in message.items:
        unit = Unit.RATE if name in rates else Unit.NUMBER
        written = digits.get((value, unit), value) if isinstance(value, float) else value
        items.append((name, _quoted(value, digits) if isinstance(value, Message) else written))
    return replace(message, items=tuple(items))


def headlines(evaluation: AnyEvaluation) -> list[str]:
    """The measures a reader wants first; the first ones asked for where none of the usual is there."""
    usual = [name for name in HEADLINES.get(evaluation.measure_set.mode, ()) if name in evaluation.results]
    return (usual or list(evaluation))[:MOST_CARDS]


def cards(evaluation: AnyEvaluation, vocabulary: Vocabulary | None = None) -> tuple[Card, ...]:
    """The headline numbers of one system."""
    names = MeasureNames.of(evaluation.measure_set, vocabulary)
    return tuple(_card(evaluation, name, names) for name in headlines(evaluation))


def _card(evaluation: AnyEvaluation, name: str, names: MeasureNames) -> Card:
    """One number, what it means and how sure it is."""
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    ends = shown(interval, unit_of(name, evaluation.measure_set))
    sure = say("page.interval", level=f"{interval.level * 100:g}", ends=ends) if interval is not None and ends else ""
    means = meaning(name, evaluation.measure_set)
    return Card(names.measure(name), means, estimate_cell(evaluation, name), sure, result.reason or errors_text(result))


def meaning(name: str, measure_set: MeasureSet = VERIFICATION) -> Text:
    """What a measure says, in a few words; nothing for those that have no words.

    Ours have theirs in the catalogue of the page; a measure of another package in its definition.

    >>> str(meaning("FNMR@FMR=0.001"))
    'genuine users rejected when at most 0.1\\xa0% of impostors are accepted'
    """
    spelling = Spelling.read(name)
    place = next(iter(spelling.at.items()), None)
    key = f"page.measure.{spelling.name}" + (f"@{place[0]}" if place else "")
    if not catalogue("en").has(key):
        summary = measure_set.definitions[spelling.name].summary if spelling.name in measure_set.definitions else ""
        return summary if isinstance(summary, Message) else ""
    target = "" if place is None else place[1]
    return say(key, x=target, percent="" if target == "" else f"{float(target) * 100:g}\u00a0%")


def headline_table(evaluations: Sequence[AnyEvaluation], vocabulary: Vocabulary | None = None) -> Table:
    """The headline numbers of several systems, a system a row."""
    names = MeasureNames.of(evaluations[0].measure_set, vocabulary)
    shared = [
        name for name in headlines(evaluations[0]) if all(name in evaluation.results for evaluation in evaluations)
    ]
    columns = Column.under([SYSTEM, *(names.measure(name) for name in shared)])
    rows = [(Cell(evaluation.name), *(_stacked(evaluation, name) for name in shared)) for evaluation in evaluations]
    return Table("headline", say("page.headline.caption"), columns, tuple(rows))


def measures_tables(
    evaluations: Sequence[AnyEvaluation],
    names: Sequence[str],
    *,
    measure_names: MeasureNames,
    id: str,
    caption: Text | None = None,
    brief: bool = False,
) -> list[Table]:
    """All measures of one system with what stands behind them, or of several side by side."""
    if not names:
        return []
    bounds, title = _bounds(evaluations), caption or ("" if brief else say("page.measures.caption"))
    if len(evaluations) == 1:
        return [replace(_one_system(evaluations[0], names, measure_names, id), caption=title, notes=tuple(bounds))]
    called = name_columns(names, evaluations[0].measure_set, vocabulary=measure_names.vocabulary)
    other = called.heading if measure_names.vocabulary is Vocabulary.BOTH else None  # everyday names would crowd
    heads: list[Text] = [MEASURE, *([other] if other else []), *(evaluation.name for evaluation in evaluations)]
    rows = []
    for name, first, second in zip(names, called.first, called.second, strict=True):
        more = [Cell(second)] if other else []
        cells = [_stacked(evaluation, name) for evaluation in evaluations]
        rows.append((Cell(first, key=name, meaning=meaning(name, evaluations[0].measure_set)), *more, *cells))
    notes = (*([] if brief else [say("page.measures.note")]), *bounds)
    return [Table(id, title, Column.under(heads, names=2 if other else 1), tuple(rows), notes)]


def _one_system(evaluation: AnyEvaluation, names: Sequence[str], measure_names: MeasureNames, id: str) -> Table:
    """One row a measure; columns in which nothing would stand are left out."""
    level = next((interval.level for interval in evaluation.intervals.values()), 0.0)
    called = name_columns(names, evaluation.measure_set, vocabulary=measure_names.vocabulary)
    columns = (
        Column(MEASURE, numeric=False),
        *(Column(head) for head in (VALUE, interval_column(level), THRESHOLD)),
        Column(ERRORS, numeric=not any(evaluation.results[name].reason for name in names)),
        Column(called.heading or "", numeric=False, aside=called.heading == EVERYDAY),
    )
    named = zip(names, called.first, called.second, strict=True)
    rows = tuple(_row(evaluation, name, called=(first, second)) for name, first, second in named)
    return Table(id, "", columns, rows).without_empty


def _row(evaluation: AnyEvaluation, name: str, *, called: tuple[str, Text]) -> tuple[Cell, ...]:
    result = evaluation.results[name]
    return (
        Cell(called[0], key=name, meaning=meaning(name, evaluation.measure_set)),
        estimate_cell(evaluation, name),
        Cell(evaluation.intervals.get(name), unit_of(name, evaluation.measure_set)),
        threshold_cell(result.threshold, evaluation),
        Cell(result.reason or errors_text(result), key=result.errors),
        Cell(called[1]),
    )


def _bounds(evaluations: Sequence[AnyEvaluation]) -> list[Text]:
    """What is known within bounds only, system by system."""
    found: list[Text] = []
    for evaluation in evaluations:
        loose = {name: Interval(*ends) for name, ends in evaluation.bounds.items() if ends[0] < ends[1]}
        for name, ends in loose.items():
            bound = say("number.of", name=name, value=shown(ends, unit_of(name, evaluation.measure_set)))
            several = len(evaluations) > 1
            found.append(say("list.named", name=evaluation.name, message=bound) if several else bound)
    return [say("page.measures.bounds", bounds=found)] if found else []


def _stacked(evaluation: AnyEvaluation, name: str) -> Cell:
    """A value, and under it its interval and threshold, or why there is none."""
    result, unit = evaluation.results[name], unit_of(name, evaluation.measure_set)
    at = threshold_text(result.threshold, evaluation.rule)
    ends = shown(evaluation.intervals.get(name), unit)
    behind = [ends, say("number.at", threshold=at) if at else ""]
    note = (result.reason,) if result.reason else tuple(part for part in behind if part)
    return replace(estimate_cell(evaluation, name), note=note)
