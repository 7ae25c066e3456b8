"""`bertillon classify`: the complete report about a classifier, from a file of predictions.

Conventions: everything that can be wrong with an option is refused before a file is read.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.calibration import named, read_calibrator
from bertillon.cli.declare import argument, option, with_default
from bertillon.cli.in_use import by_condition, by_option, require_intervals, write_curves
from bertillon.cli.inputs import PredictionSource, decides, with_distinct_names
from bertillon.cli.outputs import working
from bertillon.cli.rooms import analysis, evaluating, measures, render, trials, views
from bertillon.core import InputError
from bertillon.core.errors import unknown
from bertillon.core.messages import say


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
        help="platt, isotonic, temperature or beta, cross-validated here; or a file of 'bertillon calibrate fit'.",
        panel=options.INPUT,
    )
    calibrate_folds: int = option(
        default=5,
        help="Folds of --calibrate METHOD: each is calibrated by the others. By --groups where given, else by sample.",
        panel=options.INPUT,
    )
    threshold: float | None = option("-t", "--threshold", help="Predict positive when the score is at least this.")
    constraint: str | None = option(
        metavar="CONDITION", help="Choose the best threshold that meets recall>=0.9, precision>=0.8, fpr<=0.01, ..."
    )
    cost: str | None = option(
        metavar="fn=COST,fp=COST|FILE",
        help="Decide by the costs of errors; FILE is a CSV matrix, one row per true class.",
    )
    measure: tuple[str, ...] = options.measure_option("F1, Recall@FPR=0.01, ...", "classification")
    by: tuple[str, ...] = by_option()


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
    if decisions.by:
        require_intervals(intervals)
    source = PredictionSource.of(predictions, reading)
    recalibration = Recalibration.of(decisions, seed=random.seed)
    choice = DecisionChoice.of(decisions.threshold, decisions.constraint, decisions.cost)
    decided = choice != DecisionChoice()
    costs = choice.costs
    with working("reading"):
        held = [(str(file), trials.read_columns(file, decisions.by)) for file in files] if decisions.by else []
        systems = out.renamed(with_distinct_names([source.read(file) for file in files], files), predictions.name)
    with working("evaluating"):
        reports = _reports(systems, names, recalibration, choice)
    evaluations = intervals.add_to([report.evaluation for report in reports], seed=random.seed)
    reports = [replace(report, evaluation=evaluation) for report, evaluation in zip(reports, evaluations, strict=True)]
    conditions = _by_condition(evaluations, held, names, decisions.by, intervals, random.seed)
    content = views.ReportContent(
        classification=evaluations,
        class_reports=reports,
        conditions=conditions,
        bands={"classification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        use=None if costs is None else views.DailyUse(cost_accept=costs.fp, cost_reject=costs.fn),
    )
    bands = content.bands_in("classification")
    prices = None if costs is None else {"fn": costs.fn, "fp": costs.fp}
    out.deliver(
        outputs,
        content,
        csv=lambda folder: [
            *render.write_csv(reports, folder, bands=bands),
            *write_curves(conditions, "conditions", folder),
        ],
        figures=lambda folder, formats: [
            *render.save_figures(evaluations, folder, formats=formats, bands=bands, costs=prices),
            *(render.save_all(render.figures_of("conditions", conditions), folder, formats=formats) if held else []),
        ],
        failed=lambda: out.failures(gates, evaluations),
        explain=reading.explain,
        further=("--report out.html", "--figures out", *([] if decided else ["--cost fn=20,fp=1"]), "--all"),
    )


def _by_condition(
    evaluations: Sequence[evaluating.ClassEvaluation],
    held: Sequence[Any],
    names: Sequence[str],
    by: Sequence[str],
    intervals: options.IntervalOptions,
    seed: int,
) -> list[analysis.ConditionResults]:
    """What was decided by condition: the measures asked for, or those that every group of samples is asked."""
    if not held:
        return []
    systems = [evaluation.trials for evaluation in evaluations]
    usual = dict.fromkeys(name for system in systems for name in evaluating.group_measures(system))
    of_samples = trials.conditions_of_samples
    made_under = [partial(of_samples, frame=frame, by=by, source=source) for source, frame in held]
    return by_condition(systems, made_under, list(names or usual), intervals, seed)


def _reports(
    systems: Sequence[trials.Predictions], names: Sequence[str], recalibration: Recalibration, choice: DecisionChoice
) -> list[views.ClassReport]:
    """The reports about the systems; an error names its system."""
    prepared = []
    for system in systems:
        with named(system.name):
            changed = recalibration.apply(system)
            prepared.append((changed, choice.rule_for(changed, complete=not names)))
    sections = _sections(prepared, names, choice.costs)
    reports = []
    for system, (changed, rule) in zip(systems, prepared, strict=True):
        with named(system.name):
            table = analysis.calibration_table(system, changed) if recalibration.calibrate else ()
            asked = [name for part in sections.values() for name in part]
            evaluation = analysis.evaluate_decided(changed, asked, rule=rule)
            advised = None if names else views.advice_of(evaluation, rule, costs=choice.costs)
            groups = evaluating.by_group(evaluation)
            used = recalibration.shares.get("used")
            reports.append(views.ClassReport(evaluation, sections, rule, used, table, groups, advised))
    return reports


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
    folds: int = 5
    seed: int = 0

    @classmethod
    def of(cls, decisions: DecisionOptions, seed: int) -> Recalibration:
        prior = decisions.prior
        if decisions.calibrate_folds < 2:
            few = f"--calibrate-folds {decisions.calibrate_folds}"
            raise InputError(f"{few}: expected 2 or more, so that each fold is calibrated by others")
        if prior is None:
            return cls(decisions.calibrate, folds=decisions.calibrate_folds, seed=seed)
        shares = options.numbers(prior, "--prior", ["trained", "used"])
        if set(shares) != {"trained", "used"} or not all(0.0 < share < 1.0 for share in shares.values()):
            raise InputError(
                f"--prior: {prior!r} must name the share of positives where the classifier was trained and where it is "
                "used, each between 0 and 1, as in trained=0.5,used=0.01"
            )
        return cls(decisions.calibrate, shares, decisions.calibrate_folds, seed)

    def apply(self, predictions: trials.Predictions) -> trials.Predictions:
        """The predictions as they are to be judged."""
        changed = predictions if self.calibrate is None else self._calibrated(predictions, self.calibrate)
        return self._shifted(changed) if self.shares else changed

    def _calibrated(self, predictions: trials.Predictions, calibrate: str) -> trials.Predictions:
        """By a method, each fold by the others, or by a file."""
        if calibrate in analysis.CALIBRATORS:
            return analysis.cross_calibrated(calibrate, predictions, folds=self.folds, seed=self.seed)
        if not Path(calibrate).exists():
            raise InputError(f"--calibrate: {unknown('method', calibrate, analysis.CALIBRATORS)}; it is no file")
        calibrator = read_calibrator(Path(calibrate))
        made = calibrator.apply(predictions)
        if calibrator.data != predictions.fingerprint:
            return made
        return replace(made, warnings=(*made.warnings, say("warning.fitted_here", kind=calibrator.kind)))

    def _shifted(self, predictions: trials.Predictions) -> trials.Predictions:
        if predictions.probabilities is None or predictions.positive is None:
            what = "no probabilities" if predictions.probabilities is None else "no positive class"
            raise InputError(f"{predictions.name}: --prior shifts the probabilities of two classes; there are {what}")
        p = analysis.shift_prior(predictions.positive_scores, **self.shares)  # type: ignore[arg-type]
        note = say("reading.shifted", trained=self.shares["trained"], used=self.shares["used"])
        changed = {"probabilities": p, "logits": None, "predicted": None}
        return replace(predictions, **changed, notes=(*predictions.notes, note))  # type: ignore[arg-type]


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
