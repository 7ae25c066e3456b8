"""What is shown of a classifier: decisions, ranking, probabilities, costs, classes, groups, and a threshold to move.

Conventions: the complete report has a table for each section of measures; where measures were named there is one table
of them. What to report for such data stands last.

Holds the view of classification and `class_verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bertillon.advice.verdicts import verdict_of
from bertillon.core.messages import Message, Text, Value, rounded_share, say
from bertillon.counting.curves.error_curve import Band
from bertillon.evaluation import Bands, ClassEvaluation, Evaluation
from bertillon.measures import CLASSIFICATION, Spelling, precision_at
from bertillon.trials.class_tally import cells_at
from bertillon.views.assembling import DailyUse, Part, ReportContent, register_view
from bertillon.views.class_tables import ClassReport, changes_table, class_table, confusion_blocks, groups_table
from bertillon.views.document import (
    Axis,
    Block,
    Chart,
    ExplorerSystem,
    Level,
    Paragraphs,
    Section,
    Sentence,
    Subject,
)
from bertillon.views.explorer import explored, explorer_blocks, points_each, shaded_band, use_on_page
from bertillon.views.figures.chart import Line
from bertillon.views.figures.decisions import choice_of, error_counts, has_probabilities
from bertillon.views.measures import MeasureNames, estimate_cell, measures_tables
from bertillon.views.numbers import UNDEFINED, Unit, shown, threshold_text
from bertillon.views.verification import FEWEST_JUDGED, evaluation_part, names_of, notes_of, shared_measures, spread

ANSWER = (  # of the usual measures
    *("Accuracy", "BalancedAccuracy", "Precision", "Recall", "F1", "F1[macro]", "MCC", "AUC", "AUC[ovr]", "AP"),
    *("Recall@FPR=0.01", "Recall@FPR=0.1", "Top@2", "Top@5", "LogLoss", "ECE"),
)
COSTED = ("Precision", "Recall", "Recall[macro]", "AUC", "AUC[ovr]", "ECE")  # of those, beside costs
SHARES = ("advice.skewed_class", "advice.dummy")  # what is said of accuracy
BINS = 10
BANDED = {"verdict.area": "auc", "verdict.agreement": "kappa"}  # verdicts that call a number good or poor
CLASSES = ("positives", "negatives")
DIAGONAL = (0.0, 1.0)
PARTS_OF_BRIER = "Reliability - Resolution + Uncertainty + Remainder"


def classification(evaluations: Sequence[ClassEvaluation], content: ReportContent) -> Part:
    """Everything about the predictions of one or several classifiers."""
    reports = list(content.class_reports) or [ClassReport(evaluation, {}) for evaluation in evaluations]
    names = MeasureNames.of(CLASSIFICATION, content.vocabulary)
    several = len(reports) > 1
    about = {report: report.evaluation.name if several else "" for report in reports}
    verdicts = [replace(said, about=about[report]) for report in reports for said in _verdicts_shown(report)]
    named = dict.fromkeys(said.text.key for said in verdicts if isinstance(said.text, Message) and not content.brief)
    verdicts += [Sentence(say(f"verdict.bands.{BANDED[key]}")) for key in named if key in BANDED]
    warnings = [said for report in reports for said in _warnings(report, content)]
    summary = say(
        "page.summary.classification.many" if several else "page.summary.classification",
        names=names_of(evaluations),
        samples=spread(evaluations, "samples"),
        classes=evaluations[0].trials.n_classes,
    )
    blocks = ([] if content.brief else _curves(evaluations, content, names)) + _tables(reports, content, names)
    advised = [] if content.short else _advised(reports)
    return replace(
        evaluation_part(evaluations, content),
        sections=(Section("classification", say("page.section.classification"), (*blocks, *advised)),),
        sentences=(Sentence(summary),),
        subjects=tuple(_subject(evaluation) for evaluation in evaluations),
        verdicts=tuple(verdicts),
        warnings=tuple(warnings),
    )


def _warnings(report: ClassReport, content: ReportContent) -> list[Sentence]:
    """What to know before trusting the numbers; in brief not of the accuracy, where costs stand in its place."""
    aside = SHARES if content.short and report.advice is not None and report.sections.get("cost") else ()
    return [
        Sentence(
            text,
            report.evaluation.name,
            level=Level.DETAIL if isinstance(text, Message) and text.key in aside else Level.ANSWER,
        )
        for text in report.warnings
    ]


def _verdicts_shown(report: ClassReport) -> list[Sentence]:
    """The decision and what was asked, then what the numbers are usually called."""
    usual = _bands(report)
    own = [text for text in class_verdicts(report) if text not in usual]
    totals = report.evaluation.tally.class_totals
    judged = usual if totals.size and totals.min() >= FEWEST_JUDGED else []  # so few are never called good or poor
    return [*map(Sentence, (*_decision(report), *own)), *(Sentence(text, level=Level.DETAIL) for text in judged)]


def _decision(report: ClassReport) -> list[Message]:
    """The threshold that costs lead to, and what to expect of it."""
    evaluation, confusion = report.evaluation, report.evaluation.tally.confusion
    cost = next((name for name in evaluation if Spelling.read(name).name == "Cost"), "")
    threshold = evaluation.results[cost].threshold if cost else None
    if threshold is None or confusion is None or not evaluation.trials.is_binary:
        return []
    cells, calibrated = confusion.cells(evaluation.trials.positive_code), evaluation.trials.probabilities is not None
    return [
        say(
            "verdict.decide.classes",
            threshold=threshold_text(threshold),
            how=say("verdict.decide.costs" if calibrated else "verdict.decide.scores"),
            fn=shown(cells.fn[0].item(), Unit.COUNT),
            fp=shown(cells.fp[0].item(), Unit.COUNT),
            samples=evaluation.trials.size,
            cost=estimate_cell(evaluation, cost).shown,
        )
    ]


def _bands(report: ClassReport) -> list[Message]:
    """What areas and agreements are usually called."""
    results, intervals = report.evaluation.results, report.evaluation.intervals
    judged = [name for name in ("AUC", "AUC[ovr]", "Kappa") if name in results and not math.isnan(results[name].value)]
    return [verdict_of(name, results[name].value, intervals.get(name)) for name in judged]


def class_verdicts(report: ClassReport) -> list[Message]:
    """What the numbers mean, in words."""
    sentences = _bands(report)
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
    found = UNDEFINED if math.isnan(precision) else say("number.percent", x=precision)
    return [say("verdict.precision_in_use", share=report.used_at, precision=found)]


def _subject(evaluation: ClassEvaluation) -> Subject:
    predictions = evaluation.trials
    facts = [_counted(evaluation), *([say("terminal.failed", n=predictions.failed)] if predictions.failed else [])]
    notes = list(predictions.notes)
    if predictions.is_binary:
        facts.append(say("terminal.classes.is", label=predictions.positive))
        notes.insert(0, say("terminal.classes.positive", label=predictions.positive))
    return Subject(predictions.name or say("inspection.predictions"), tuple(facts), **notes_of(notes))


def _counted(evaluation: ClassEvaluation) -> Message:
    predictions, totals = evaluation.trials, evaluation.tally.class_totals.tolist()
    size = predictions.size
    if not predictions.is_binary:
        few, many = (shown(number, Unit.COUNT) for number in (min(totals), max(totals)))
        return say("terminal.classes.samples", samples=size, classes=predictions.n_classes, few=few, many=many)
    positives, whole = totals[predictions.positive_code], sum(totals)
    counted: dict[str, Value] = {"samples": size, "positives": shown(positives, Unit.COUNT)}
    counted["share"] = shown(rounded_share(positives / whole, 3), Unit.RATE) if whole else UNDEFINED
    if predictions.weights is None:
        return say("terminal.classes.of_them", **counted)
    return say("terminal.classes.of_weight", weight=shown(whole, Unit.COUNT), **counted)


def _tables(reports: Sequence[ClassReport], content: ReportContent, names: MeasureNames) -> list[Block]:
    """Confusions, the measures by section, and what was asked beside them."""
    several = len(reports) > 1
    blocks: list[Block] = []
    for i, report in enumerate(reports):
        whose = report.evaluation.name if several else ""
        blocks += confusion_blocks(report.evaluation, names, id=f"confusion-{i}", whose=whose, brief=content.brief)
    evaluations = [report.evaluation for report in reports]
    sections = reports[0].sections or {"classes": tuple(shared_measures(evaluations))}
    if content.short and reports[0].advice is not None:  # nobody asked for measures of their own
        sections = {"decisions": _first(sections)}
    for section, measures in sections.items():
        if section == "averages" and content.brief:
            continue  # they stand under the classes
        id, brief = f"measures-{section}", content.brief
        caption, notes = (None, []) if brief and section == "decisions" else _titled(section, evaluations)
        tables = measures_tables(evaluations, measures, measure_names=names, id=id, caption=caption, brief=brief)
        blocks += [replace(table, notes=(*notes, *table.notes)) for table in tables]
    for i, report in enumerate(reports):
        whose = report.evaluation.name if several else ""
        blocks += class_table(report, names, id=f"classes-{i}", whose=whose, brief=content.brief)
        blocks += changes_table(report.changes, id=f"changes-{i}", whose=whose)
        blocks += groups_table(report.groups, names, id=f"groups-{i}", whose=whose, brief=content.brief)
    return blocks


def _first(sections: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The measures of the complete report that are its answer, with all that cost something."""
    every, costs = [name for names in sections.values() for name in names], sections.get("cost", ())
    return tuple(name for name in every if name in (COSTED if costs else ANSWER) or name in costs)


def _titled(section: str, evaluations: Sequence[ClassEvaluation]) -> tuple[Text | None, list[Text]]:
    """The title of a section of measures, and what its numbers are to be held against."""
    if section in ("classes", "measures"):
        return None, []
    two = all(evaluation.trials.is_binary for evaluation in evaluations)
    chance: Text = ""
    if section == "ranking" and two:
        shares = tuple(dict.fromkeys(f"{_prevalence(evaluation):.4g}" for evaluation in evaluations))
        chance = say("terminal.chance.ranking", shares=shares)
    elif section == "ranking":
        chance = say("terminal.chance.classes")
    elif section == "probabilities" and two:
        chance = say("terminal.chance.probabilities", sum=PARTS_OF_BRIER)
    elif section == "cost":
        chance = say("terminal.chance.cost")
    return say(f"terminal.section.{section}"), [chance] if chance else []


def _prevalence(evaluation: ClassEvaluation) -> float:
    totals = evaluation.tally.class_totals
    whole = float(totals.sum())
    return float(totals[evaluation.trials.positive_code]) / whole if whole else math.nan


def _advised(reports: Sequence[ClassReport]) -> list[Block]:
    """Which measures to report, by reason; one piece of advice for systems on data of one kind."""
    advice = reports[0].advice
    if advice is None:
        return []
    reasons = [say("list.named", name=tuple(names), message=reason) for reason, names in advice.by_reason.items()]
    return [Paragraphs.of([say("terminal.advised")]), Paragraphs.of(reasons, listed=True)]


def _curves(evaluations: Sequence[ClassEvaluation], content: ReportContent, names: MeasureNames) -> list[Block]:
    """A threshold to move where samples are ranked, and calibration where there are probabilities."""
    bands = content.bands_in("classification")
    pairs = list(zip(evaluations, bands, strict=True))
    ranked = [(evaluation, known) for evaluation, known in pairs if evaluation.tally.why_not_ranked is None]
    blocks: list[Block] = []
    if ranked:
        explained = say("page.explore.classification", positive=ranked[0][0].trials.positive)
        each, use = points_each(len(ranked)), _use(ranked[0][0], content)
        systems = [_explorer_system(evaluation, known, names, points=each) for evaluation, known in ranked]
        blocks += explorer_blocks(explained, systems, names=names, **use)
    probable = any(has_probabilities(evaluation) for evaluation in evaluations)
    return [*blocks, *([_reliability(evaluations, bands)] if probable else [])]


def _use(evaluation: ClassEvaluation, content: ReportContent) -> dict[str, Any]:
    """As many of both classes as in the data, and what errors cost by the first measure of the least cost."""
    totals, code = evaluation.tally.class_totals.tolist(), evaluation.trials.positive_code
    positives, whole = float(totals[code]), float(sum(totals))
    asked = next((one for one in map(CLASSIFICATION.parse, evaluation) if one.spelling.name == "minCost"), None)
    costs = {} if asked is None else asked.spelling.options
    share = costs.get("prevalence", positives / whole if whole else 0.0)
    mix = (positives, whole - positives) if "prevalence" not in costs else (share * whole, (1.0 - share) * whole)
    use = content.use or DailyUse(cost_accept=costs.get("fp"), cost_reject=costs.get("fn"))
    said: dict[str, Value] = {name: shown(number, Unit.COUNT) for name, number in zip(CLASSES, mix, strict=True)}
    return use_on_page(use, mix, say("page.use.mix", share=shown(share, Unit.RATE), **said))


def _explorer_system(
    evaluation: ClassEvaluation, bands: Mapping[str, Band], names: MeasureNames, *, points: int
) -> ExplorerSystem:
    """The curve of the positive class, exact where its decisions and its measures are."""
    trials, outline = evaluation.tally.trials, evaluation.tally.outline
    results = {"Youden": evaluation["Youden"], **evaluation.results}
    decided = choice_of(evaluation).threshold
    known = {} if decided is None else {decided: f"t={decided:g}"}
    for name, result in results.items():
        if result.threshold is not None and not math.isnan(result.threshold):
            known.setdefault(result.threshold, names.point(name))
    marks = {name: t for t, name in known.items()}
    exact = None
    if not outline.complete:
        cells = {t: cells_at(trials, t) for t in marks.values() if math.isfinite(t)}
        exact = [(t, int(fp), int(fn)) for t, (_, fp, fn, _) in cells.items()]
    system = explored(evaluation, error_counts(outline, trials), trials, marks, points=points, named=exact)
    if trials.weighted:
        system = replace(system, level=None, shared=False)
    shade, precision_shade = (shaded_band(bands.get(name)) for name in ("det", "precision-recall"))
    return replace(system, shade=shade, precision_shade=precision_shade)


def _reliability(evaluations: Sequence[ClassEvaluation], bands: Bands) -> Chart:
    lines = [Line(say("page.reliability.diagonal"), DIAGONAL, DIAGONAL, style=-1)]
    for i, (evaluation, known) in enumerate(zip(evaluations, bands, strict=True)):
        if has_probabilities(evaluation):
            bins = evaluation.tally.reliability(BINS)
            notes = tuple(say("page.reliability.count", n=shown(n, Unit.COUNT)) for n in bins.count.tolist())
            x, y = tuple(bins.mean.tolist()), tuple(bins.observed.tolist())
            shade = shaded_band(known.get("reliability"))
            lines.append(Line(evaluation.name, x, y, i, dots=True, notes=notes, shade=shade))
    return Chart(
        "reliability",
        say("page.reliability.title"),
        say("page.reliability.summary"),
        Axis(say("page.reliability.promised"), 0.0, 1.0),
        Axis(say("page.reliability.observed"), 0.0, 1.0),
        tuple(lines),
    )


register_view(Evaluation, classification, kind="classification")
