"""`bertillon classify`: the complete report about a classifier, from a file of predictions.

`bertillon calibrate fit` and `apply`: probabilities that can be trusted, learnt on one file and used on others.

Conventions: everything that can be wrong with an option is refused before a file is read.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, with_default, without
from bertillon.cli.inputs import PredictionSource, decides, with_distinct_names
from bertillon.cli.progress import working
from bertillon.cli.rooms import analysis, evaluating, measures, render, trials, views
from bertillon.core import InputError, write_whole
from bertillon.core.errors import unknown
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
    gates = outputs.gates("classification", intervals=intervals.intervals)
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
        content,
        csv=lambda folder: render.write_csv(reports, folder, bands=bands),
        figures=lambda folder, formats: render.save_figures(
            evaluations, folder, formats=formats, bands=bands, costs=prices
        ),
        failed=lambda: out.failures(gates, evaluations),
        explain=reading.explain,
        further=("--report out.html", "--figures out", *([] if decisions.cost else ["--cost fn=20,fp=1"]), "--all"),
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
            asked = [name for part in sections.values() for name in part]
            evaluation = analysis.evaluate_decided(changed, asked, rule=rule)
            advised = None if names else views.advice_of(evaluation, rule, costs=choice.costs)
            groups = evaluating.by_group(evaluation)
            used = recalibration.shares.get("used")
            reports.append(views.ClassReport(evaluation, sections, rule, used, table, groups, advised))
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


@dataclass(frozen=True, slots=True)
class Recalibration:
    """What is done to the probabilities before they are judged."""

    calibrate: str | None = None
    shares: Mapping[str, float] = field(default_factory=dict)  # of positives where it was trained and where it is used

    @classmethod
    def of(cls, calibrate: str | None, prior: str | None) -> Recalibration:
        if prior is None:
            return cls(calibrate)
        shares = options.numbers(prior, "--prior", ["trained", "used"])
        if set(shares) != {"trained", "used"} or not all(0.0 < share < 1.0 for share in shares.values()):
            raise InputError(
                f"--prior: {prior!r} must name the share of positives where the classifier was trained and where it is "
                "used, each between 0 and 1, as in trained=0.5,used=0.01"
            )
        return cls(calibrate, shares)

    def apply(self, predictions: trials.Predictions) -> trials.Predictions:
        """The predictions as they are to be judged."""
        changed = predictions if self.calibrate is None else _calibrated(predictions, self.calibrate)
        return self._shifted(changed) if self.shares else changed

    def _shifted(self, predictions: trials.Predictions) -> trials.Predictions:
        if predictions.probabilities is None or predictions.positive is None:
            what = "no probabilities" if predictions.probabilities is None else "no positive class"
            raise InputError(f"{predictions.name}: --prior shifts the probabilities of two classes; there are {what}")
        p = analysis.shift_prior(predictions.positive_scores, **self.shares)  # type: ignore[arg-type]
        note = say("reading.shifted", trained=self.shares["trained"], used=self.shares["used"])
        changed = {"probabilities": p, "logits": None, "predicted": None}
        return replace(predictions, **changed, notes=(*predictions.notes, note))  # type: ignore[arg-type]


def _calibrated(predictions: trials.Predictions, calibrate: str) -> trials.Predictions:
    """By a method, fitted here, or by a file."""
    if calibrate in analysis.CALIBRATORS:
        calibrator, seen = analysis.saved(calibrate, predictions, data=""), True
    elif Path(calibrate).exists():
        calibrator = read_calibrator(Path(calibrate))
        seen = calibrator.data == predictions.fingerprint
    else:
        raise InputError(f"--calibrate: {unknown('method', calibrate, analysis.CALIBRATORS)}; it is no file")
    made = calibrator.apply(predictions)
    return replace(made, warnings=(*made.warnings, say("warning.fitted_here", kind=calibrator.kind))) if seen else made


def read_calibrator(path: Path) -> analysis.SavedCalibrator:
    try:
        return analysis.SavedCalibrator.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(f"{path}: cannot be read as a calibrator ({reason})") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class DecisionChoice:
    """How decisions are to be made: at a threshold, under a constraint, by costs, or as the predictions say."""

    rule: analysis.DecisionRule | None = None
    costs: measures.ErrorCosts | None = None

    @classmethod
    def of(cls, threshold: float | None, constraint: str | None, cost: str | None) -> DecisionChoice:
        ways = {"--threshold": threshold, "--constraint": constraint, "--cost": cost}
        named = [name for name, value in ways.items() if value is not None]
        if len(named) > 1:
            raise InputError(f"{' and '.join(named)} exclude each other; give one of them")
        if threshold is not None:
            if threshold != threshold:
                raise InputError("--threshold: nan is no threshold; expected a number")
            return cls(analysis.AtThreshold(threshold))
        if constraint is not None:
            return cls(analysis.UnderConstraint(constraint))
        if cost is None:
            return cls()
        return cls(costs=_costs(cost)) if "=" in cost else cls(_cost_matrix(Path(cost)))

    def rule_for(self, predictions: trials.Predictions, *, complete: bool) -> analysis.DecisionRule | None:
        """The rule for one system; the complete report cuts scores that no rule decides where Youden's J is largest."""
        if self.costs is not None:
            return analysis.rule_for_costs(predictions, self.costs)
        if self.rule is not None or not complete or decides(predictions):
            return self.rule
        positive = predictions.truth == predictions.positive_code
        return analysis.AtYouden() if positive.any() and not positive.all() else None


def _costs(text: str) -> measures.ErrorCosts:
    try:
        costs = measures.ErrorCosts(**options.numbers(text, "--cost", ["fn", "fp"]))
    except InputError as error:
        raise InputError(f"--cost: {str(error).removeprefix('--cost: ')}") from error
    if not costs.fn + costs.fp:
        raise InputError("--cost: both costs are 0, so every threshold is as good; expected one above 0")
    return costs


def _cost_matrix(path: Path) -> analysis.ByCostMatrix:
    """Costs from a table: a row for each true class, a column for each decision, both with their names."""
    import numpy as np

    expected = "expected fn=NUMBER,fp=NUMBER, or a CSV file with a row per true class and a column per decision"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"--cost: {path}: cannot be read ({reason}); {expected}") from error
    names = [name.strip() for name in rows[0][1:]] if rows else []
    if not names or [row[0].strip() for row in rows[1:]] != names or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(f"--cost: {path}: is not a square table with equal names in first row and column; {expected}")
    try:
        costs = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    except ValueError as error:
        raise InputError(f"--cost: {path}: {error}; expected a number in every cell") from error
    if not np.isfinite(costs).all() or len(set(names)) < len(names):
        raise InputError(f"--cost: {path}: holds what is not a finite number, or a class twice; {expected}")
    return analysis.ByCostMatrix(tuple(names), costs)


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The calibrator to fit."""

    method: str = option(
        default="platt", metavar="platt|isotonic|temperature|beta", help="How scores become probabilities."
    )


def fit(
    file: Annotated[Path, argument("FILE", "Predictions to learn from; not those the result is judged on.")],
    target: Annotated[options.Target, reworded(output="Calibrator to write, as JSON.")],
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
    written = out.write_text(calibrator.to_json(), str(target.output), calibrator.kind)
    warning = say("warning.judged_here", kind=calibrator.kind)
    _show(before, calibrator.apply(before), [written], warning=warning, figures=outputs.figures)


def apply(
    calibrator: Annotated[Path, argument("CALIBRATOR", "File that 'bertillon calibrate fit' wrote.")],
    file: Annotated[Path, argument("FILE", "Predictions to calibrate, with their truth.")],
    target: Annotated[options.Target, reworded(output="Predictions to write: .csv or .parquet.")],
    predictions: options.PredictionInput,
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("figures", "lang")],
) -> None:
    """Apply a calibrator to other predictions, and show what changed.

    Example: bertillon calibrate apply cal.json eval.csv -o calibrated.csv
    """
    suffix = target.output.suffix.lower()
    if suffix not in FORMATS:
        expected = " or ".join(FORMATS)
        raise InputError(f"--output: {target.output}: predictions are written as {expected}; name such a file")
    saved = read_calibrator(calibrator)
    before = _read_one(file, predictions, reading)
    with _named(file):
        after = saved.apply(before)
    frame = render.predictions_frame(after)
    write_whole(target.output, frame.write_parquet if suffix == ".parquet" else frame.write_csv)
    same_data = bool(saved.data) and saved.data == before.fingerprint
    warning = say("warning.fitted_here", kind=saved.kind) if same_data else ""
    known = say("terminal.calibration.fitted_on", source=saved.fitted_on, n=saved.samples)
    origin = known if saved.fitted_on else say("terminal.calibration.unknown")
    lines = [say("terminal.calibration.by", kind=saved.kind, origin=origin)]
    lines.append(say("terminal.written", file=str(target.output)))
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
