"""`bertillon classify`: the complete report about a classifier, from a file of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, option, reworded, with_default
from bertillon.cli.inputs import with_distinct_names
from bertillon.cli.predictions import DecisionChoice, PredictionSource, Recalibration
from bertillon.cli.progress import working
from bertillon.cli.rooms import analysis, evaluating, measures, render, trials, views
from bertillon.core.errors import InputError


@dataclass(frozen=True, slots=True)
class DecisionOptions:
    """What is done to probabilities, how decisions are made, and what is asked about them."""

    PANEL: ClassVar[str] = "Decisions"
    prior: str | None = option(
        metavar="trained=SHARE,used=SHARE",
        help="Shift probabilities to another share of positives.",
        panel=options.INPUT,
    )
    calibrate: str | None = option(
        metavar="METHOD|FILE",
        help="platt, isotonic, temperature or beta, fitted here; or a file of 'bertillon calibrate fit'.",
        panel=options.INPUT,
    )
    threshold: float | None = option("-t", "--threshold", help="Decide positive from this score on.")
    constraint: str | None = option(
        metavar="CONDITION", help="The best threshold with recall>=0.9, precision>=0.8, fpr<=0.01, ..."
    )
    cost: str | None = option(
        metavar="fn=COST,fp=COST|FILE",
        help="Decide by the costs of errors; FILE is a CSV matrix, true classes by decisions.",
    )
    measure: tuple[str, ...] = options.measure_option("F1, Recall@FPR=0.01, ...; see 'bertillon measures'")


def classify(
    files: Annotated[
        tuple[Path, ...],
        argument(
            "FILE",
            "Predictions with their truth: columns label,score or y_true,p or y_true,y_pred or y_true,p_0,p_1,... in "
            "CSV, Parquet or .npz. Several files are several systems.",
        ),
    ],
    predictions: options.PredictionInput,
    reading: Annotated[options.ReadingOptions, reworded(column=options.PREDICTION_COLUMNS)],
    decisions: DecisionOptions,
    random: options.RandomOptions,
    intervals: options.IntervalOptions,
    outputs: Annotated[options.OutputOptions, with_default(vocabulary="ml")],
) -> None:
    """Evaluate a classifier: confusions, rates, ranking, calibration, costs.

    Example: bertillon classify predictions.csv --constraint "recall>=0.9" --figures out
    """
    shown = outputs.require_usable(intervals)
    names = [str(measure) for measure in measures.measure_set_of("classification").parse_all(decisions.measure)]
    source = PredictionSource.of(predictions, reading)
    recalibration = Recalibration.of(decisions.calibrate, decisions.prior)
    choice = DecisionChoice.of(decisions.threshold, decisions.constraint, decisions.cost)
    costs = choice.costs
    with working("reading"):
        systems = out.renamed(with_distinct_names([source.read(file) for file in files], files), predictions.name)
    with working("evaluating"):
        reports = _reports(systems, names, recalibration, choice)
    evaluations = intervals.add_to([report.evaluation for report in reports], seed=random.seed)
    reports = [replace(report, evaluation=evaluation) for report, evaluation in zip(reports, evaluations, strict=True)]
    content = views.ReportContent(
        classification=evaluations,
        class_reports=reports,
        bands={"classification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        use=None if costs is None else views.DailyUse(cost_accept=costs.fp, cost_reject=costs.fn),
    )
    bands = content.bands_in("classification")
    prices = None if costs is None else {"fn": costs.fn, "fp": costs.fp}
    out.deliver(
        outputs,
        lambda: render.report_json(content),
        lambda: [render.terminal_text(content)],
        csv=lambda folder: render.write_classes_csv(reports, folder, bands=bands),
        figures=lambda folder, formats: render.save_figures(
            evaluations, folder, formats=formats, bands=bands, costs=prices
        ),
        report=lambda: content,
    )


def _reports(
    systems: Sequence[trials.Predictions], names: Sequence[str], recalibration: Recalibration, choice: DecisionChoice
) -> list[views.ClassReport]:
    """The reports about the systems; an error names its system."""
    prepared = []
    for system in systems:
        with _named(system):
            changed = recalibration.apply(system)
            prepared.append((changed, choice.rule_for(changed, complete=not names)))
    sections = _sections(prepared, names, choice.costs)
    reports = []
    for system, (changed, rule) in zip(systems, prepared, strict=True):
        with _named(system):
            table = analysis.calibration_table(system, changed) if recalibration.calibrate else ()
            reports.append(_report(changed, rule, sections, recalibration.used, table, choice.costs))
    return reports


@contextmanager
def _named(system: trials.Predictions) -> Iterator[None]:
    """What is wrong with a system is said with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{system.name}: {str(error).removeprefix(f'{system.name}: ')}") from error


def _sections(
    prepared: Sequence[tuple[trials.Predictions, analysis.DecisionRule | None]],
    names: Sequence[str],
    costs: measures.ErrorCosts | None,
) -> evaluating.Sections:
    """The measures asked for, or those of the complete report; all systems answer all of them."""
    complete = evaluating.joined(
        evaluating.complete_sections(
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
    changed: trials.Predictions,
    rule: analysis.DecisionRule | None,
    sections: evaluating.Sections,
    used: float | None,
    table: Sequence[analysis.CalibrationChange],
    costs: measures.ErrorCosts | None,
) -> views.ClassReport:
    evaluation = analysis.evaluate_decided(changed, [name for names in sections.values() for name in names], rule=rule)
    advised = None if "measures" in sections else views.advice_of(evaluation, rule, costs=costs)
    return views.ClassReport(evaluation, sections, rule, used, table, evaluating.by_group(evaluation), advised)
