"""The terminal view of a classifier: what was understood, decisions, ranking, probabilities, costs, and words.

Conventions: the complete report has a table a section, one system with what stands behind its numbers, several side by
side. Where measures were named there is one table of them. Warnings stand last but for what to report.

Holds `classes_text` and `verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.verdicts import auc_verdict, kappa_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.core.messages import Message, say, spoken
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.classification.rates import precision_at
from bertillon.render.class_tables import change_table, class_table, confusion_table, group_table, number
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import answers_table, named, note_lines, titled, warned
from bertillon.views.class_report import ClassReport
from bertillon.views.numbers import UNDEFINED, percent
from bertillon.views.vocabulary import shown_name

PARTS_OF_BRIER = "Reliability - Resolution + Uncertainty + Remainder"


def classes_text(reports: Sequence[ClassReport], vocabulary: Vocabulary = Vocabulary.ML) -> Group:
    """Everything about one or several classifiers, ready to print."""
    parts: list[RenderableType] = [_heading(report.evaluation) for report in reports]
    for name, measures in reports[0].sections.items():
        parts += _section(name, measures, reports, vocabulary)
    if not any(name in reports[0].sections for name in ("decisions", "averages")):
        parts[len(reports) : len(reports)] = _confusions(reports, vocabulary)
    if isinstance(parts[len(reports)], Text):
        parts[len(reports)] = Padding(parts[len(reports)], (1, 0, 0, 0))
    parts += interval_lines([report.evaluation for report in reports])
    parts += [part for report in reports for part in _beside(report, vocabulary, many=len(reports) > 1)]
    parts += [_verdicts_and_warnings(report, many=len(reports) > 1) for report in reports]
    return Group(*parts, *_advised(reports))


def _heading(evaluation: ClassEvaluation) -> Text:
    predictions = evaluation.trials
    lines = Text(predictions.name or say("inspection.predictions"), style="bold")
    understood = [say("terminal.classes.failed", samples=_counted(evaluation), failed=predictions.failed)]
    if predictions.is_binary:
        understood.append(say("terminal.classes.positive", label=predictions.positive))
    for line in understood:
        lines.append(f"\n  {spoken(line)}", style="not bold")
    for note in note_lines(predictions.notes):
        lines.append(f"\n  {spoken(note)}", style="not bold dim")
    return lines


def _counted(evaluation: ClassEvaluation) -> Message:
    predictions, totals = evaluation.trials, evaluation.tally.class_totals.tolist()
    size = predictions.size
    if not predictions.is_binary:
        few, many = number(min(totals)), number(max(totals))
        return say("terminal.classes.samples", samples=size, classes=predictions.n_classes, few=few, many=many)
    positives = totals[predictions.positive_code]
    found = number(positives)
    share = percent(positives / sum(totals)) if sum(totals) else spoken(UNDEFINED)
    if predictions.weights is None:
        return say("terminal.classes.of_them", samples=size, positives=found, share=share)
    weight = number(sum(totals))
    return say("terminal.classes.of_weight", samples=size, weight=weight, positives=found, share=share)


def _section(
    name: str, measures: Sequence[str], reports: Sequence[ClassReport], vocabulary: Vocabulary
) -> list[RenderableType]:
    """The parts of one section, its title first."""
    evaluations = [report.evaluation for report in reports]
    if name == "averages":
        return [
            part
            for evaluation in evaluations
            if evaluation.tally.confusion is not None
            for part in (
                titled(say("terminal.section.averages"), _whose(evaluation, reports)),
                class_table(evaluation, measures, vocabulary=vocabulary),
            )
        ]
    before: list[RenderableType] = []
    if name == "decisions":
        before = _confusions(reports, vocabulary)
    elif name != "measures":
        before = [titled(say(f"terminal.section.{name}"), _chance(name, evaluations))]
    return [*before, _without_empty(answers_table(evaluations, measures, vocabulary=vocabulary))]


def _without_empty(shown: RenderableType) -> RenderableType:
    """A table less the columns that say nothing: an area has no threshold, a probability no errors."""
    if isinstance(shown, Padding) and isinstance(shown.renderable, Table):
        table = shown.renderable
        table.columns = [column for column in table.columns if any(str(cell) for cell in column.cells)]
    return shown


def _confusions(reports: Sequence[ClassReport], vocabulary: Vocabulary) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for report in reports:
        confusion = report.evaluation.tally.confusion
        if confusion is not None:
            whose = _whose(report.evaluation, reports)
            title = titled(say("terminal.section.decisions"), named(confusion.how, whose))
            parts += [Padding(title, (1, 0, 0, 0)), confusion_table(report.evaluation, vocabulary)]
    return parts


def _whose(evaluation: ClassEvaluation, reports: Sequence[ClassReport]) -> str:
    return evaluation.name if len(reports) > 1 else ""


def _chance(name: str, evaluations: Sequence[ClassEvaluation]) -> Message | str:
    """What the numbers of a section are to be held against."""
    two = all(evaluation.trials.is_binary for evaluation in evaluations)
    if name == "ranking" and two:
        shares = tuple(dict.fromkeys(f"{_prevalence(evaluation):.4g}" for evaluation in evaluations))
        return say("terminal.chance.ranking", shares=shares)
    if name == "ranking":
        return say("terminal.chance.classes")
    if name == "probabilities" and two:
        return say("terminal.chance.probabilities", sum=PARTS_OF_BRIER)
    return say("terminal.chance.cost") if name == "cost" else ""


def _prevalence(evaluation: ClassEvaluation) -> float:
    totals = evaluation.tally.class_totals
    whole = float(totals.sum())
    return float(totals[evaluation.trials.positive_code]) / whole if whole else math.nan


def _beside(report: ClassReport, vocabulary: Vocabulary, *, many: bool) -> list[RenderableType]:
    """Groups and calibration, where they were asked for."""
    parts: list[RenderableType] = []
    name = report.evaluation.name if many else ""
    if report.changes:
        parts += [titled(say("page.reliability.title"), name), change_table(report.changes)]
    if report.groups:
        names = [shown_name(measure, vocabulary).replace(" = ", "\n") for measure in report.groups[0]]
        parts += [
            titled(say("terminal.section.groups"), name or say("terminal.classes.same_decisions")),
            group_table(report.groups, names),
        ]
    return parts


def _verdicts_and_warnings(report: ClassReport, *, many: bool) -> Text:
    lines = Text()
    about = report.evaluation.name if many else ""
    for sentence in verdicts(report):
        lines.append(f"{spoken(named(sentence, about))}\n", style="bold")
    for warning in report.warnings:
        lines.append(f"{spoken(warned(warning, about))}\n", style="yellow")
    return lines


def verdicts(report: ClassReport) -> list[Message]:
    """What the numbers mean, in words."""
    results, intervals = report.evaluation.results, report.evaluation.intervals
    defined = {name: result.value for name, result in results.items() if not math.isnan(result.value)}
    areas = [name for name in ("AUC", "AUC[ovr]") if name in defined]
    sentences = [auc_verdict(name, defined[name], intervals.get(name)) for name in areas]
    if "Kappa" in defined:
        sentences.append(kappa_verdict(defined["Kappa"], intervals.get("Kappa")))
    if report.mean_cost is not None and not math.isnan(report.mean_cost):
        sentences.append(say("verdict.mean_cost", cost=report.mean_cost))
    return [*sentences, *_in_use(report)]


def _in_use(report: ClassReport) -> list[Message]:
    """The precision to expect among another share of positives."""
    confusion, predictions = report.evaluation.tally.confusion, report.evaluation.trials
    if report.used_at is None or confusion is None or not predictions.is_binary:
        return []
    cells = confusion.cells(predictions.positive_code)
    tp, fp, fn, tn = (column[0].item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
    if not tp + fn or not fp + tn:
        return []
    precision = precision_at(tp / (tp + fn), fp / (fp + tn), report.used_at)
    shown = say("page.undefined") if math.isnan(precision) else say("number.percent", x=precision)
    return [say("verdict.precision_in_use", share=report.used_at, precision=shown)]


def _advised(reports: Sequence[ClassReport]) -> list[RenderableType]:
    """Which measures to report, by reason; one piece of advice for systems on data of one kind."""
    advice = reports[0].advice
    if advice is None:
        return []
    reasons = (named(reason, ", ".join(names)) for reason, names in advice.by_reason.items())
    lines = Text("\n".join(f"  {spoken(reason)}" for reason in reasons))
    return [Text(say("terminal.advised"), style="bold"), lines]
