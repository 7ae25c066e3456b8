"""Predictions on the command line: how to read them, how to decide, what errors cost.

Conventions: everything that can be wrong with an option is refused before a file is read.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

from bertillon.cli.options import PredictionInput, ReadingOptions, numbers
from bertillon.cli.rooms import analysis, counting, measures, trials
from bertillon.core import InputError, say
from bertillon.core.spelling import unknown

_HINTS = (  # what a message says to a program, and how that is said here
    ("positive=", "--positive LABEL"),
    ("columns=", "--column truth=NAME"),
    ("from_scores", "--column score=NAME, or --column logit=NAME"),
    ("use from_logits", "call the columns logit_LABEL instead of p_LABEL"),
)


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """How files of predictions are to be understood."""

    positive: str | None = None
    columns: dict[str, str] | None = None

    @classmethod
    def of(cls, predictions: PredictionInput, reading: ReadingOptions) -> PredictionSource:
        columns = reading.columns or {}
        for role, name in (("weight", predictions.weights), ("group", predictions.groups)):
            if name is not None and columns.setdefault(role, name) != name:
                raise InputError(f"--column {role}={columns[role]} and --{role}s {name} name two columns; give one")
        return cls(predictions.positive, columns or None)

    def read(self, path: Path) -> trials.Predictions:
        refused: InputError | None = None
        for meaning in _meanings(self.positive):
            try:
                return _required(trials.read_predictions(path, positive=meaning, columns=self.columns))
            except InputError as error:
                refused = refused or error
        hints = (f"\n(on the command line: {here})" for there, here in _HINTS if there in str(refused))
        raise InputError(f"{refused}{''.join(hints)}") from refused


def _required(predictions: trials.Predictions) -> trials.Predictions:
    """Predictions of which something counts."""
    if not predictions.size:
        raise InputError(f"{predictions.name}: all {predictions.failed:,} predictions are NaN: nothing to judge")
    if predictions.weights is not None and not predictions.weights.any():
        raise InputError(f"{predictions.name}: all weights are 0, so nothing counts; expected some above 0")
    return predictions


def _meanings(text: str | None) -> list[counting.Label | None]:
    """What a label written on the command line may be: a number or a truth value, else text."""
    if text is None:
        return [None]
    if re.fullmatch(r"[+-]?\d{1,18}(\.0*)?", text):  # 1.0 in a column of numbers is the class 1
        return [int(text.partition(".")[0]), text]
    return [text.lower() == "true", text] if text.lower() in ("true", "false") else [text]


@dataclass(frozen=True, slots=True)
class Recalibration:
    """What is done to the probabilities before they are judged."""

    calibrate: str | None = None
    trained: float | None = None
    used: float | None = None

    @classmethod
    def of(cls, calibrate: str | None, prior: str | None) -> Recalibration:
        if prior is None:
            return cls(calibrate)
        shares = numbers(prior, "--prior", ["trained", "used"])
        if set(shares) != {"trained", "used"} or not all(0.0 < share < 1.0 for share in shares.values()):
            raise InputError(
                f"--prior: {prior!r} must name the share of positives where the classifier was trained and where it is "
                "used, each between 0 and 1, as in trained=0.5,used=0.01"
            )
        return cls(calibrate, shares["trained"], shares["used"])

    def apply(self, predictions: trials.Predictions) -> trials.Predictions:
        """The predictions as they are to be judged."""
        changed = predictions if self.calibrate is None else self._calibrated(predictions)
        return changed if self.trained is None else self._shifted(changed)

    def _calibrated(self, predictions: trials.Predictions) -> trials.Predictions:
        assert self.calibrate is not None
        if self.calibrate in analysis.CALIBRATORS:
            made = analysis.saved(self.calibrate, predictions, data="").apply(predictions)
            return replace(made, warnings=(*made.warnings, say("warning.fitted_here", kind=self.calibrate)))
        path = Path(self.calibrate)
        if not path.exists():
            raise InputError(f"--calibrate: {unknown('method', self.calibrate, analysis.CALIBRATORS)}; it is no file")
        held = read_calibrator(path)
        made = held.apply(predictions)
        seen = held.data and held.data == predictions.fingerprint
        return replace(made, warnings=(*made.warnings, say("warning.fitted_here", kind=held.kind))) if seen else made

    def _shifted(self, predictions: trials.Predictions) -> trials.Predictions:
        assert self.trained is not None
        assert self.used is not None
        if predictions.probabilities is None or predictions.positive is None:
            what = "no probabilities" if predictions.probabilities is None else "no positive class"
            raise InputError(f"{predictions.name}: --prior shifts the probabilities of two classes; there are {what}")
        p = analysis.shift_prior(predictions.positive_scores, trained=self.trained, used=self.used)  # type: ignore[arg-type]
        note = say("reading.shifted", trained=self.trained, used=self.used)
        changed = {"probabilities": p, "logits": None, "predicted": None}
        return replace(predictions, **changed, notes=(*predictions.notes, note))  # type: ignore[arg-type]


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
        options = {"--threshold": threshold, "--constraint": constraint, "--cost": cost}
        named = [name for name, value in options.items() if value is not None]
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


def decides(predictions: trials.Predictions) -> bool:
    """Do they say a class by themselves, or from how probable each is?"""
    return predictions.predicted is not None or predictions.probabilities is not None


def _costs(text: str) -> measures.ErrorCosts:
    try:
        costs = measures.ErrorCosts(**numbers(text, "--cost", ["fn", "fp"]))
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
