"""`bertillon classify`: the complete report about a classifier, from a file of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from bertillon.cli.declare import argument, option, reworded, with_default
from bertillon.cli.options import (
    INPUT,
    PREDICTION_COLUMNS,
    IntervalOptions,
    OutputOptions,
    PredictionInput,
    RandomOptions,
    ReadingOptions,
    measure_option,
)
from bertillon.core.errors import InputError
from bertillon.core.messages import Message

if TYPE_CHECKING:
    from bertillon.analysis.decision_rules import DecisionRule
    from bertillon.cli.predictions import DecisionChoice, Recalibration
    from bertillon.evaluation.classification import Sections
    from bertillon.measures.classification.cost import ErrorCosts
    from bertillon.trials.predictions import Predictions
    from bertillon.views.class_report import ClassReport
    from bertillon.views.report_content import DailyUse, ReportContent


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """What is done to probabilities, how decisions are made, and what is asked about them."""

    PANEL: ClassVar[str] = "Decisions"
    prior: str | None = option(
        metavar="trained=SHARE,used=SHARE", help="Shift probabilities to another share of positives.", panel=INPUT
    )
    calibrate: str | None = option(
        metavar="METHOD|FILE",
        help="platt, isotonic, temperature or beta, fitted here; or a file of 'bertillon calibrate fit'.",
        panel=INPUT,
    )
    threshold: float | None = option("-t", "--threshold", help="Decide positive from this score on.")
    constraint: str | None = option(
        metavar="CONDITION", help="The best threshold with recall>=0.9, precision>=0.8, fpr<=0.01, ..."
    )
    cost: str | None = option(
        metavar="fn=COST,fp=COST|FILE",
        help="Decide by the costs of errors; FILE is a CSV matrix, true classes by decisions.",
    )
    measure: tuple[str, ...] = measure_option("F1, Recall@FPR=0.01, ...; see 'bertillon measures'")


def classify(
    files: Annotated[
        tuple[Path, ...],
        argument(
            "FILE",
            "Predictions with their truth: columns label,score or y_true,p or y_true,y_pred or y_true,p_0,p_1,... in "
            "CSV, Parquet or .npz. Several files are several systems.",
        ),
    ],
    predictions: PredictionInput,
    reading: Annotated[ReadingOptions, reworded(column=PREDICTION_COLUMNS)],
    decisions: DecisionOptions,
    random: RandomOptions,
    intervals: IntervalOptions,
    outputs: Annotated[OutputOptions, with_default(vocabulary="ml")],
) -> None:
    """Evaluate a classifier: confusions, rates, ranking, calibration, costs.

    Example: bertillon classify predictions.csv --constraint "recall>=0.9" --figures out
    """
    from bertillon.cli import outputs as out
    from bertillon.cli.inputs import with_distinct_names
    from bertillon.cli.predictions import DecisionChoice, PredictionSource, Recalibration
    from bertillon.cli.progress import working
    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.render.classes import classes_text
    from bertillon.views.report_content import ReportContent

    outputs.require_report()
    shown = outputs.shows(intervals.bands)
    intervals.require_usable(shown=shown)
    names = [str(measure) for measure in CLASSIFICATION.parse_all(decisions.measure)]
    source = PredictionSource.of(predictions, reading)
    recalibration = Recalibration.of(decisions.calibrate, decisions.prior)
    choice = DecisionChoice.of(decisions.threshold, decisions.constraint, decisions.cost)
    with working("reading"):
        systems = out.renamed(with_distinct_names([source.read(file) for file in files], files), predictions.name)
    with working("evaluating"):
        reports = _reports(systems, names, recalibration, choice)
    evaluations = intervals.add_to([report.evaluation for report in reports], seed=random.seed)
    reports = [replace(report, evaluation=evaluation) for report, evaluation in zip(reports, evaluations, strict=True)]
    content = ReportContent(
        classification=evaluations,
        class_reports=reports,
        bands={"classification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        use=_use(choice.costs),
    )
    written = _write(content, choice.costs, outputs) + out.write_report(content, outputs)
    out.show(outputs.json, lambda: out.json_text(content), lambda: [classes_text(reports, outputs.names)], written)


def _reports(
    systems: Sequence[Predictions], names: Sequence[str], recalibration: Recalibration, choice: DecisionChoice
) -> list[ClassReport]:
    """The reports about the systems; an error names its system."""
    prepared = [_prepared(system, recalibration, choice, complete=not names) for system in systems]
    sections = _sections(prepared, names, choice.costs)
    reports = []
    for system, (changed, rule) in zip(systems, prepared, strict=True):
        try:
            reports.append(
                _report(system, changed, rule, sections=sections, recalibration=recalibration, costs=choice.costs)
            )
        except InputError as error:
            raise InputError(f"{system.name}: {str(error).removeprefix(f'{system.name}: ')}") from error
    return reports


def _prepared(
    system: Predictions, recalibration: Recalibration, choice: DecisionChoice, *, complete: bool
) -> tuple[Predictions, DecisionRule | None]:
    try:
        changed = recalibration.apply(system)
        return changed, choice.rule_for(changed, complete=complete)
    except InputError as error:
        raise InputError(f"{system.name}: {str(error).removeprefix(f'{system.name}: ')}") from error


def _sections(
    prepared: Sequence[tuple[Predictions, DecisionRule | None]], names: Sequence[str], costs: ErrorCosts | None
) -> Sections:
    """The measures asked for, or those of the complete report; all systems answer all of them."""
    from bertillon.evaluation import complete_sections, joined

    complete = joined(
        complete_sections(
            given,
            decided=rule is not None or given.predicted is not None or given.probabilities is not None,
            costs=costs,
        )
        for given, rule in prepared
    )
    if not names:
        return complete
    return {"measures": tuple(names)} | ({"cost": complete["cost"]} if "cost" in complete else {})


def _report(
    system: Predictions,
    changed: Predictions,
    rule: DecisionRule | None,
    *,
    sections: Sections,
    recalibration: Recalibration,
    costs: ErrorCosts | None,
) -> ClassReport:
    from bertillon.analysis.calibration import calibration_table
    from bertillon.analysis.decision_rules import evaluate_decided
    from bertillon.evaluation import by_group
    from bertillon.views.class_report import ClassReport, advice_of

    evaluation = evaluate_decided(changed, [name for names in sections.values() for name in names], rule=rule)
    return ClassReport(
        evaluation,
        sections,
        rule,
        recalibration.used,
        calibration_table(system, changed) if recalibration.calibrate else (),
        by_group(evaluation),
        None if "measures" in sections else advice_of(evaluation, rule, costs=costs),
    )


def _write(content: ReportContent, costs: ErrorCosts | None, outputs: OutputOptions) -> list[Message]:
    """Write what was asked for; a line for each thing written."""
    from bertillon.cli.outputs import json_text, write_answers

    bands = content.bands_in("classification")

    def csv(folder: Path) -> list[Path]:
        from bertillon.render.class_exports import write_classes_csv

        return write_classes_csv(content.class_reports, folder, bands=bands)

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.save import save_figures

        prices = None if costs is None else {"fn": costs.fn, "fp": costs.fp}
        return save_figures(content.classification, folder, formats=formats, bands=bands, costs=prices)

    return write_answers(outputs, json=lambda: json_text(content), csv=csv, figures=figures)


def _use(costs: ErrorCosts | None) -> DailyUse | None:
    """The use as a report shows it: the costs of both errors."""
    from bertillon.views.report_content import DailyUse

    return None if costs is None else DailyUse(cost_accept=costs.fp, cost_reject=costs.fn)
