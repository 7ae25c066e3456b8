"""Tables about a classifier for the terminal: confusions, classes, groups, calibration.

Conventions: rows of a confusion matrix are true classes, columns predicted ones; shares are of the true class. A matrix
that does not fit a terminal gives way to its largest confusions, a long list of classes to those with the lowest F1.

Holds `confusion_table`, `class_table`, `group_table` and `change_table`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.vocabulary import Vocabulary
from bertillon.analysis.calibration import CalibrationChange
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say, spoken
from bertillon.evaluation import ClassEvaluation, per_class
from bertillon.evaluation.classification import AVERAGED, AVERAGES
from bertillon.measures.classification import CLASSIFICATION
from bertillon.render.console import Text
from bertillon.render.tables import MEASURE, plain_table
from bertillon.views.figures.class_tables import most_confused
from bertillon.views.numbers import UNDEFINED, count_text, percent, value_text
from bertillon.views.vocabulary import heading, shown_name

if TYPE_CHECKING:
    from bertillon.counting.classes.confusion import Confusion

TRUE, PREDICTED, ALL = say("terminal.classes.true"), say("terminal.classes.predicted"), say("terminal.classes.all")
WIDTH = 78  # of a matrix that fits a terminal
SHOWN_CONFUSIONS = 10
SHOWN_CLASSES = 20
SHOWN_GROUPS = 20
LONGEST = 24  # letters of a class's name


def confusion_table(evaluation: ClassEvaluation, vocabulary: Vocabulary = Vocabulary.ML) -> RenderableType:
    """Decisions against the truth."""
    confusion = evaluation.tally.confusion
    assert confusion is not None
    if evaluation.trials.is_binary:
        return _indented(_outcomes(confusion, evaluation.trials.positive_code, vocabulary))
    if _matrix_width(confusion) <= WIDTH:
        return _indented(_matrix(confusion, vocabulary))
    return _indented(_largest(confusion))


def _outcomes(confusion: Confusion, positive: int, vocabulary: Vocabulary) -> Table:
    """The four outcomes of two classes, with their names."""
    cells = confusion.cells(positive)
    tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
    yes, no = (_label(confusion.classes[code]) for code in (positive, 1 - positive))
    table = plain_table(
        None, TRUE, say("terminal.classes.called", label=yes), "", say("terminal.classes.called", label=no), "", ALL
    )
    for name, outcomes, (first, second) in ((yes, ("TP", "FN"), (tp, fn)), (no, ("FP", "TN"), (fp, tn))):
        whole = first + second
        shares = (percent(part / whole) if whole else "" for part in (first, second))
        named = (shown_name(outcome, vocabulary) for outcome in outcomes)
        counts = (f"{word} {number(part)}" for word, part in zip(named, (first, second), strict=True))
        cells_of_row = [text for pair in zip(counts, shares, strict=True) for text in pair]
        table.add_row(Text(name), *cells_of_row, number(whole))
    table.add_row(ALL, number(tp + fp), "", number(fn + tn), "", number(confusion.total))
    return table


def _matrix_width(confusion: Confusion) -> int:
    if len(confusion.classes) * 3 > WIDTH:
        return WIDTH + 1
    names = [len(_label(label)) for label in confusion.classes]
    widest = [max((len(number(count)) for count in column), default=1) for column in confusion.matrix.T.tolist()]
    return max(*names, 4) + 2 + sum(max(pair) + 2 for pair in zip(names, widest, strict=True)) + 8


def _matrix(confusion: Confusion, vocabulary: Vocabulary) -> Table:
    table = plain_table(None, TRUE, *(_label(label) for label in confusion.classes), heading("Recall", vocabulary))
    for code, (label, counts) in enumerate(zip(confusion.classes, confusion.matrix.tolist(), strict=True)):
        whole = sum(counts)
        texts = [Text(number(count), style="bold" if index == code else "") for index, count in enumerate(counts)]
        table.add_row(Text(_label(label)), *texts, percent(counts[code] / whole) if whole else "")
    return table


def _largest(confusion: Confusion) -> RenderableType:
    """The largest cells off the diagonal, where the whole is too large to print."""
    kinds = int(((confusion.row != confusion.column) & (confusion.count > 0)).sum())
    if not kinds:
        return Text(say("terminal.classes.no_confusions", n=len(confusion.classes)))
    table = plain_table(None, TRUE, PREDICTED, say("terminal.classes.count"), say("terminal.classes.share"))
    table.columns[1].justify = "left"
    shown = most_confused(confusion, SHOWN_CONFUSIONS)
    for pair in shown:
        true, called = (Text(_label(name)) for name in (pair.true, pair.predicted))
        table.add_row(true, called, number(pair.times), percent(pair.rate))
    caption = say("terminal.classes.largest", shown=len(shown), kinds=kinds, classes=len(confusion.classes))
    return Group(Text(caption, style="dim"), table)


def class_table(
    evaluation: ClassEvaluation, averages: Sequence[str], *, vocabulary: Vocabulary = Vocabulary.ML
) -> RenderableType:
    """One row a class, then the averages over classes."""
    frame = per_class(evaluation.tally)
    area = ("AUC",) if "AUC" in frame.columns else ()
    rates_shown = (heading(name, vocabulary) for name in AVERAGED)
    table = plain_table(None, say("page.class"), say("terminal.classes.support"), PREDICTED, *rates_shown, *area)
    for row in _chosen_classes(frame).iter_rows(named=True):
        rates = [_share(row[name]) for name in AVERAGED]
        areas = ["" if row[name] is None else f"{row[name]:.4f}" for name in area]
        table.add_row(Text(_label(row["class"])), number(row["support"]), number(row["predicted"]), *rates, *areas)
    reasons: dict[Message | str, None] = {}
    for average in AVERAGES if averages else ():
        results = [evaluation.results[f"{name}[{average}]"] for name in AVERAGED]
        table.add_row(Text(f"[{average}]"), "", "", *(_share(result.value) for result in results), style="dim")
        reasons |= {result.reason: None for result in results if result.reason}
    lines = [Text(reason, style="dim") for reason in reasons]
    some = _some("terminal.classes.some", SHOWN_CLASSES, frame.height)
    return Padding(Group(*some, table, *lines), (1, 0, 1, 0))


def _some(key: str, shown: int, every: int) -> list[Text]:
    """A line that says which rows are shown where these are not all."""
    return [Text(say(key, shown=shown, every=every), style="dim")] if every > shown else []


def _chosen_classes(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.height <= SHOWN_CLASSES:
        return frame
    return frame.sort("F1", nulls_last=True, maintain_order=True).head(SHOWN_CLASSES)


def group_table(groups: Sequence[ClassEvaluation], headings: Sequence[str]) -> RenderableType:
    """One row a group, the largest ones where they are many."""
    shown = sorted(groups, key=lambda group: -group.trials.size) if len(groups) > SHOWN_GROUPS else groups
    table = plain_table(None, say("groups.group"), say("unit.samples"), *headings)
    for group in shown[:SHOWN_GROUPS]:
        values = [value_text(name, result, measure_set=CLASSIFICATION) for name, result in group.results.items()]
        table.add_row(Text(_label(group.name)), count_text(group.trials.size), *values)
    return Padding(Group(*_some("terminal.classes.some_groups", SHOWN_GROUPS, len(groups)), table), (1, 0, 1, 0))


def change_table(changes: Sequence[CalibrationChange]) -> RenderableType:
    """Measures before and after calibration."""
    table = plain_table(None, MEASURE, say("terminal.calibration.before"), say("terminal.calibration.after"))
    for change in changes:
        values = (
            value_text(change.measure, result, measure_set=CLASSIFICATION) for result in (change.before, change.after)
        )
        table.add_row(Text(change.measure), *values)
    return Padding(table, (1, 0, 1, 0))


def number(count: Any) -> str:
    """A count, or a sum of weights."""
    return count_text(count) if isinstance(count, int) else spoken(say("number.weight", x=count))


def _share(value: float | None) -> str:
    return spoken(UNDEFINED) if value is None or math.isnan(value) else percent(value)


def _label(label: object) -> str:
    text = str(label)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _indented(table: RenderableType) -> Padding:
    return Padding(table, (1, 0, 0, 2))
