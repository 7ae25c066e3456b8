"""`bertillon classify`: the complete report about a classifier, from a file of predictions.

`bertillon calibrate fit` and `apply`: probabilities that can be trusted, learnt on one file and used on others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, with_default, without
from bertillon.cli.inputs import with_distinct_names
from bertillon.cli.predictions import DecisionChoice, PredictionSource, Recalibration, decides, read_calibrator
from bertillon.cli.progress import working
from bertillon.cli.rooms import analysis, evaluating, measures, render, trials, views
from bertillon.core import InputError, write_whole
from bertillon.core.messages import Message, Text, say

FORMATS = (".csv", ".parquet")


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
    reading: options.PredictionReading,
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
        csv=lambda folder: render.write_csv(reports, folder, bands=bands),
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
        with _named(system.name):
            changed = recalibration.apply(system)
            prepared.append((changed, choice.rule_for(changed, complete=not names)))
    sections = _sections(prepared, names, choice.costs)
    reports = []
    for system, (changed, rule) in zip(systems, prepared, strict=True):
        with _named(system.name):
            table = analysis.calibration_table(system, changed) if recalibration.calibrate else ()
            reports.append(_report(changed, rule, sections, recalibration.used, table, choice.costs))
    return reports


@contextmanager
def _named(name: str | Path) -> Iterator[None]:
    """What is wrong with a system is said with its name, or that of its file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix(f'{name}: ')}") from error


def _sections(
    prepared: Sequence[tuple[trials.Predictions, analysis.DecisionRule | None]],
    names: Sequence[str],
    costs: measures.ErrorCosts | None,
) -> evaluating.Sections:
    """The measures asked for, or those of the complete report; all systems answer all of them."""
    complete = evaluating.joined(
        evaluating.complete_sections(given, decided=rule is not None or decides(given), costs=costs)
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


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The calibrator to fit."""

    output: Path = option("-o", "--output", required=True, writes=True, help="Calibrator to write, as JSON.")
    method: str = option(
        default="platt", metavar="platt|isotonic|temperature|beta", help="How scores become probabilities."
    )


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """The predictions to write."""

    output: Path = option("-o", "--output", required=True, writes=True, help="Predictions to write: .csv or .parquet.")


def fit(
    file: Annotated[Path, argument("FILE", "Predictions to learn from; not those the result is judged on.")],
    wanted: FitOptions,
    predictions: Annotated[options.PredictionInput, without("groups")],
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("figures", "lang")],
) -> None:
    """Fit a calibrator on predictions with their truth.

    Example: bertillon calibrate fit dev.csv --method platt -o cal.json
    """
    before = _read_one(file, predictions, reading)
    with working("fitting"), _named(file):
        calibrator = analysis.saved(wanted.method, before, data=before.fingerprint)
    written = out.write_text(calibrator.to_json(), str(wanted.output), calibrator.kind)
    warning = say("warning.judged_here", kind=calibrator.kind)
    _show(before, calibrator.apply(before), [written], warning=warning, figures=outputs.figures)


def apply(
    calibrator: Annotated[Path, argument("CALIBRATOR", "File that 'bertillon calibrate fit' wrote.")],
    file: Annotated[Path, argument("FILE", "Predictions to calibrate, with their truth.")],
    wanted: ApplyOptions,
    predictions: options.PredictionInput,
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("figures", "lang")],
) -> None:
    """Apply a calibrator to other predictions, and show what changed.

    Example: bertillon calibrate apply cal.json eval.csv -o calibrated.csv
    """
    suffix = wanted.output.suffix.lower()
    if suffix not in FORMATS:
        expected = " or ".join(FORMATS)
        raise InputError(f"--output: {wanted.output}: predictions are written as {expected}; name such a file")
    saved = read_calibrator(calibrator)
    before = _read_one(file, predictions, reading)
    with _named(file):
        after = saved.apply(before)
    frame = render.predictions_frame(after)
    write_whole(wanted.output, frame.write_parquet if suffix == ".parquet" else frame.write_csv)
    same_data = bool(saved.data) and saved.data == before.fingerprint
    warning = say("warning.fitted_here", kind=saved.kind) if same_data else ""
    known = say("terminal.calibration.fitted_on", source=saved.fitted_on, n=saved.samples)
    origin = known if saved.fitted_on else say("terminal.calibration.unknown")
    lines = [say("terminal.calibration.by", kind=saved.kind, origin=origin)]
    lines.append(say("terminal.written", file=str(wanted.output)))
    _show(before, after, lines, warning=warning, figures=outputs.figures)


def _read_one(file: Path, predictions: options.PredictionInput, reading: options.ReadingOptions) -> trials.Predictions:
    source = PredictionSource.of(predictions, reading)
    with working("reading"):
        [read] = out.renamed([source.read(file)], predictions.name)
    return read


def _show(
    before: trials.Predictions, after: trials.Predictions, lines: list[Message], *, warning: Text, figures: Path | None
) -> None:
    if figures:
        with working("drawing"):
            reliability = [evaluating.evaluate(predictions, "ECE") for predictions in (before, after)]
            drawn = render.save_calibration_figure(*reliability, folder=figures)
        lines = [*lines, out.figures_written(drawn, figures)]
    terminal = out.console()
    changes = analysis.calibration_table(before, after)
    terminal.print(render.terminal_text(views.Recalibrated(before, changes, warning)))
    out.show_written(terminal, lines)
