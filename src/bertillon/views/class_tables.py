"""Tables about classifiers: confusions, classes, groups, and what a calibration changed.

Conventions: rows of a confusion matrix are true classes, columns predicted ones; shares are of the true class. A matrix
that cannot be read gives way to its largest confusions, in the answer a long list of classes to those with the lowest
F1.

Holds `ClassReport`, what was asked and found beside the evaluation of a classifier, with `advice_of`: which measures
suit such data; `confusion_blocks`, `class_table`, `groups_table` and `changes_table`; `Recalibrated` and its view.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bertillon.advice.choosing import Advice, advise
from bertillon.advice.warnings import warnings_of_classes
from bertillon.analysis import AtYouden, ByCostMatrix, CalibrationChange, DecisionRule
from bertillon.core.messages import Message, Text, Value, say
from bertillon.core.showing import Finding
from bertillon.evaluation import ClassEvaluation, per_class
from bertillon.evaluation.classification import AVERAGED, AVERAGES, Sections
from bertillon.measures import CLASSIFICATION, ErrorCosts, Result, Spelling
from bertillon.stats.interval import Interval
from bertillon.trials.predictions import Predictions
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Block, Cell, Matrix, Paragraphs, Section, Sentence, Subject, Table, titled
from bertillon.views.figures.chart import percent_label
from bertillon.views.figures.class_tables import most_confused
from bertillon.views.measures import MEASURE, MeasureNames, estimate_cell, unit_of
from bertillon.views.numbers import Estimate, Unit, shown
from bertillon.views.verification import notes_of

if TYPE_CHECKING:
    from bertillon.counting.classes.confusion import Confusion

MOST_CLASSES = 25  # of a confusion matrix that can be read
WORST, WORST_IN_BRIEF = 25, 10  # confusions listed where there are more
SHOWN_CLASSES = 20  # in the answer
SHOWN_GROUPS = 20
OUTCOMES = (("TP", "FN"), ("FP", "TN"))
ABOUT = ("class", "support", "predicted")
LEFT_OUT = ("Specificity",)  # of the answer


@dataclass(frozen=True, slots=True, eq=False)
class ClassReport:
    """One classifier's evaluation, and what was asked and found beside it."""

    evaluation: ClassEvaluation
    sections: Sections
    rule: DecisionRule | None = None
    used_at: float | None = None  # share of positives where it will be used
    changes: Sequence[CalibrationChange] = ()
    groups: Sequence[ClassEvaluation] = field(default_factory=list)
    advice: Advice | None = None

    @property
    def chosen_here(self) -> bool:
        """The threshold was found by looking at the truth of these very data."""
        return self.rule is not None and self.rule.chosen_here and self.evaluation.tally.confusion is not None

    @property
    def mean_cost(self) -> float | None:
        """What a decision costs by the matrix of costs, where there is one."""
        return self.rule.mean(self.evaluation) if isinstance(self.rule, ByCostMatrix) else None

    @property
    def warnings(self) -> list[Text]:
        """What to know before trusting the numbers."""
        shown = bool(self.evaluation.intervals)
        return warnings_of_classes(self.evaluation, intervals=shown, tuned_here=True if self.chosen_here else None)


def advice_of(evaluation: ClassEvaluation, rule: DecisionRule | None, *, costs: ErrorCosts | None) -> Advice | None:
    """Which measures to report for such data; None where there is but one class, or nothing has weight."""
    given, totals = evaluation.trials, evaluation.tally.class_totals
    if given.n_classes < 2 or not totals.sum():
        return None
    shares = totals / totals.sum()
    share = float(shares[given.positive_code] if given.is_binary else shares.min())
    dearer = "unknown" if costs is None else "equal" if costs.fn == costs.fp else "fn" if costs.fn > costs.fp else "fp"
    silent = given.scores is None and given.probabilities is None  # labels are decisions made elsewhere
    fixed = silent or (rule is not None and not isinstance(rule, AtYouden))
    return advise(
        balance=share,
        costs=dearer,
        threshold_fixed=fixed,
        probabilities_needed=given.probabilities is not None,
        classes=given.n_classes,
    )


def confusion_blocks(
    evaluation: ClassEvaluation, names: MeasureNames, *, id: str, whose: str = "", brief: bool = False
) -> list[Block]:
    """Decisions against the truth; nothing where nothing was decided."""
    confusion = evaluation.tally.confusion
    if confusion is None:
        return []
    costed = any(Spelling.read(name).name == "Cost" for name in evaluation)  # so the answer begins with the threshold
    how = _in_short(confusion.how) if brief and costed else confusion.how
    decided = say("list.named", name=say("terminal.section.decisions"), message=how)
    caption = titled(whose, decided)
    worst = _worst(confusion, id, caption, most=WORST_IN_BRIEF if brief else WORST)
    if len(confusion.classes) > MOST_CLASSES:
        nothing = Paragraphs.of([say("terminal.classes.no_confusions", n=len(confusion.classes))])
        return [worst if worst.rows else nothing]
    binary = evaluation.trials.is_binary
    known = [evaluation.intervals.get(name) for name in ("Recall", "Specificity")]  # of both shares in a row
    matrix = _matrix(confusion, names, known, positive=evaluation.trials.positive_code if binary else None)
    made = Matrix(id, caption, say("page.confusion.corner"), *matrix, worst)
    return [replace(made, instead=None, sums=_sums(made), all=say("page.all")) if binary else made]


def _in_short(how: Text) -> Text:
    """How decisions are made; without the formula where costs led to the threshold."""
    values = how.values if isinstance(how, Message) else {}
    why = values.get("why")
    if isinstance(why, Message) and why.key == "decision.bayes":
        return say("decision.at_probability", positive=values["positive"], threshold=values["threshold"])
    return how


def _sums(matrix: Matrix) -> tuple[tuple[Cell, ...], ...]:
    """How many samples are of each class and are called each class, and how many there are."""
    counts = np.array([[cell.exact for cell in row] for row in matrix.cells])
    called = (*counts.sum(axis=0).tolist(), counts.sum().item())
    return tuple(tuple(Cell(total, Unit.COUNT) for total in totals) for totals in (counts.sum(axis=1).tolist(), called))


def _matrix(
    confusion: Confusion, names: MeasureNames, known: Sequence[Interval | None], *, positive: int | None
) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...], tuple[tuple[float, ...], ...]]:
    """Labels, counts with their shares under them, and the shares; two classes have the positive one first."""
    table = np.asarray(confusion.matrix)
    order = list(range(len(table))) if positive is None else [positive, 1 - positive]
    table = table[np.ix_(order, order)]
    sums = table.sum(axis=1, keepdims=True, dtype=np.float64)
    shares = np.divide(table, sums, out=np.zeros(table.shape), where=sums > 0).tolist()
    cells = []
    for i, (counts, parts) in enumerate(zip(table.tolist(), shares, strict=True)):
        outcomes, interval = (OUTCOMES[i], known[i]) if positive is not None else ([""] * len(counts), None)
        called = [names.measure(outcome) if outcome else "" for outcome in outcomes]
        shares_of_row = (Estimate(Result(part), interval) for part in parts)
        cells.append(tuple(_cell(*found) for found in zip(counts, shares_of_row, called, strict=True)))
    labels = tuple(str(confusion.classes[code]) for code in order)
    return labels, tuple(cells), tuple(map(tuple, shares))


def _cell(count: float, share: Estimate, outcome: str) -> Cell:
    """A count, with what such an outcome is called, and under it its share of the true class."""
    digits = shown(share, Unit.RATE) if outcome else percent_label(share.value)  # of many classes there is less room
    note = (digits,) if share.value else ()
    if not outcome:
        return Cell(count, Unit.COUNT, note=note)
    named = say("number.of", name=outcome, value=shown(count, Unit.COUNT))
    return Cell(named, key=count, note=note)


def _worst(confusion: Confusion, id: str, caption: Text, *, most: int) -> Table:
    """The confusions that happen most, where the whole matrix could not be read."""
    kinds = int(((confusion.row != confusion.column) & (confusion.count > 0)).sum())
    rows = [
        (Cell(pair.true), Cell(pair.predicted), Cell(pair.times, Unit.COUNT), Cell(pair.rate, Unit.RATE))
        for pair in most_confused(confusion, most)
    ]
    heads = [say(f"page.confusion.{head}") for head in ("true", "predicted", "count")]
    note = say("terminal.classes.largest", shown=len(rows), kinds=kinds, classes=len(confusion.classes))
    return Table.under([*heads, say("terminal.classes.share")], rows, [note], id=id, caption=caption, names=2)


def class_table(
    report: ClassReport, names: MeasureNames, *, id: str, whose: str = "", brief: bool = False
) -> list[Block]:
    """One row a class, then the averages over classes; nothing for two of them."""
    evaluation = report.evaluation
    if evaluation.tally.confusion is None or evaluation.trials.n_classes == 2:
        return []
    frame = per_class(evaluation.tally)
    rates = [name for name in frame.columns if name not in ABOUT and not (brief and name in LEFT_OUT)]
    heads: list[Text] = [say("page.class"), say("page.support"), say("page.confusion.predicted")]
    some = brief and frame.height > SHOWN_CLASSES
    kept = frame.sort("F1", nulls_last=True, maintain_order=True).head(SHOWN_CLASSES) if some else frame
    rows = [_class_row(row, rates) for row in kept.iter_rows(named=True)]
    notes: list[Text] = [say("terminal.classes.some", shown=SHOWN_CLASSES, every=frame.height)] if some else []
    averages = [{name: f"{name}[{average}]" for name in AVERAGED} for average in AVERAGES]
    for average, made in zip(AVERAGES, averages, strict=True):
        if all(name in evaluation.results for name in made.values()):
            cells = (estimate_cell(evaluation, made[name]) if name in made else Cell() for name in rates)
            rows.append((Cell(f"[{average}]"), Cell(), Cell(), *cells))
            notes += [reason for name in made.values() if (reason := evaluation.results[name].reason)]
    heads += map(names.heading, rates)
    return [Table.under(heads, rows, dict.fromkeys(notes), id=id, caption=titled(whose, say("page.classes.caption")))]


def _class_row(row: dict[str, float], rates: Sequence[str]) -> tuple[Cell, ...]:
    counted = (Cell(row[name], Unit.COUNT) for name in ABOUT[1:])
    measured = (Cell(math.nan if row[name] is None else row[name], unit_of(name, CLASSIFICATION)) for name in rates)
    return Cell(str(row["class"])), *counted, *measured


def groups_table(
    groups: Sequence[ClassEvaluation], names: MeasureNames, *, id: str, whose: str = "", brief: bool = False
) -> list[Block]:
    """One row a group, in the answer the largest ones where they are many."""
    if not groups:
        return []
    some = brief and len(groups) > SHOWN_GROUPS
    kept = sorted(groups, key=lambda group: -group.trials.size)[:SHOWN_GROUPS] if some else groups
    rows = [
        (Cell(each.name), Cell(each.trials.size, Unit.COUNT), *(estimate_cell(each, name) for name in each))
        for each in kept
    ]
    heads: list[Text] = [say("groups.group"), say("unit.samples"), *(names.measure(name) for name in groups[0])]
    notes = [say("terminal.classes.same_decisions")]
    notes += [say("terminal.classes.some_groups", shown=SHOWN_GROUPS, every=len(groups))] if some else []
    return [Table.under(heads, rows, notes, id=id, caption=titled(whose, say("terminal.section.groups")))]


def changes_table(changes: Sequence[CalibrationChange], *, id: str, whose: str = "") -> list[Block]:
    """Measures before and after calibration."""
    if not changes:
        return []
    heads = (MEASURE, say("terminal.calibration.before"), say("terminal.calibration.after"))
    rows = []
    for change in changes:
        unit = unit_of(change.measure, CLASSIFICATION)
        rows.append((Cell(change.measure), *(Cell(Estimate(each), unit) for each in (change.before, change.after))))
    return [Table.under(heads, rows, id=id, caption=titled(whose, say("page.reliability.title")))]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recalibrated(Finding):
    """What a calibration did to predictions."""

    before: Predictions
    changes: Sequence[CalibrationChange]
    warning: Text = ""


def recalibrated(found: Sequence[Recalibrated], content: ReportContent) -> Part:
    """Samples, measures before and after, and in words whether it helped."""
    del content
    subjects, blocks = [], []
    for place, each in enumerate(found):
        before = each.before
        counts: dict[str, Value] = {"samples": before.size, "classes": before.n_classes, "failed": before.failed}
        facts = (say("terminal.calibration.counts", **counts),)
        subjects.append(Subject(before.name or say("inspection.predictions"), facts, **notes_of(before.notes)))
        blocks += changes_table(each.changes, id=f"changes-{place}")
    return Part(
        sections=(Section("calibration", say("page.reliability.title"), tuple(blocks)),),
        title=say("page.reliability.title"),
        subjects=tuple(subjects),
        verdicts=tuple(Sentence(text) for each in found for text in _helped(each.changes)),
        warnings=tuple(Sentence(each.warning) for each in found if each.warning),
    )


def _helped(changes: Sequence[CalibrationChange]) -> list[Message]:
    """Better or worse, by the two proper losses."""
    sentences = []
    for change in changes:
        if change.measure not in ("LogLoss", "Brier"):
            continue
        before, after = change.before.value, change.after.value
        if after == math.inf:
            sentences.append(say("terminal.calibration.infinite", measure=change.measure))
        elif after == before:
            sentences.append(say("terminal.calibration.same", measure=change.measure))
        elif after < before or after > before:  # neither where one is not defined
            better = "terminal.calibration.better" if after < before else "terminal.calibration.worse"
            sentences.append(say(better, measure=change.measure))
    return sentences


register_view(Recalibrated, recalibrated)
