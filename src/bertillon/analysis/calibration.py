"""Calibrate predictions, and show what it did.

Conventions: a calibrator is fitted on one set and applied to another; judged on the set it was fitted on it looks
better than it is. Platt reads the scores (log-odds where logits were given), isotonic and beta what ranks the samples,
temperature the logits, or the logarithms of the probabilities where none were given.

Holds `fit_calibrator`, `calibrated`, `calibration_table` and `CalibrationChange`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.calibrators import CALIBRATORS, Calibrator
from bertillon.counts.class_tally import ClassTally
from bertillon.errors import InputError
from bertillon.formats.spelling import unknown
from bertillon.measures import classification as _classification
from bertillon.measures.base import Measure, Result
from bertillon.trials.predictions import Predictions

FloatArray = NDArray[np.float64]

COMPARED = ("LogLoss", "Brier", "Reliability", "Resolution", "ECE", "ECE[equal-mass]", "MCE")
_SMALLEST = 1e-300  # a probability of 0 has no logarithm


def fit_calibrator(kind: str, predictions: Predictions) -> Calibrator:
    """A calibrator of that kind (platt, isotonic, temperature, beta) fitted on these predictions."""
    if kind not in CALIBRATORS:
        raise InputError(unknown("calibrator", kind, CALIBRATORS))
    truth = predictions.truth.astype(np.int64)
    if kind != "temperature" or _is_column(predictions):
        truth = (truth == predictions.positive_code).astype(np.int64)
    return CALIBRATORS[kind]().fit(_input(kind, predictions), truth, predictions.weights)


def calibrated(predictions: Predictions, calibrator: Calibrator) -> Predictions:
    """The same samples with calibrated probabilities; predicted labels follow from these and are dropped."""
    p = calibrator.calibrate(_input(calibrator.name, predictions))
    note = f"probabilities calibrated by {calibrator.name}"
    return replace(
        predictions, probabilities=p, scores=None, logits=None, predicted=None, notes=(*predictions.notes, note)
    )


def _is_column(predictions: Predictions) -> bool:
    given = predictions.logits if predictions.logits is not None else predictions.probabilities
    return given is None or given.ndim == 1


def _input(kind: str, predictions: Predictions) -> FloatArray:
    """What a calibrator of that kind reads."""
    if kind == "temperature":
        return _logits(predictions)
    if predictions.positive is None:
        raise InputError(f"{kind} calibrates two classes with a positive one; for several classes use temperature")
    scores = predictions.positive_scores
    if kind == "platt" and predictions.logits is not None and predictions.logits.ndim == 1:
        scores = predictions.logits
    if scores is None:
        raise InputError(f"{kind} needs scores or probabilities, and there are labels only")
    if kind == "beta" and predictions.probabilities is None:
        raise InputError("beta calibrates probabilities, and there are scores only; use platt or isotonic")
    return scores.astype(np.float64)


def _logits(predictions: Predictions) -> FloatArray:
    if predictions.logits is not None:
        return predictions.logits.astype(np.float64)
    p = predictions.probabilities
    if p is None:
        raise InputError("temperature needs logits or probabilities")
    wide = np.maximum(p.astype(np.float64), _SMALLEST)
    if p.ndim == 2:
        return np.log(wide)
    return np.log(wide) - np.log(np.maximum(1.0 - p.astype(np.float64), _SMALLEST))


@dataclass(frozen=True, slots=True)
class CalibrationChange:
    """One measure before and after calibration."""

    measure: str
    before: Result
    after: Result


def calibration_table(
    before: Predictions, after: Predictions, measures: Iterable[str | Measure] = COMPARED
) -> list[CalibrationChange]:
    """The measures of calibration for the same samples before and after."""
    if before.size != after.size:
        raise InputError(f"{before.size:,} samples before and {after.size:,} after; expected the same ones")
    asked = _classification.CLASSIFICATION.parse_all(measures)
    tallies = [ClassTally(given, whole=True) for given in (before, after)]
    return [CalibrationChange(str(m), *(m.of(tally) for tally in tallies)) for m in asked]
