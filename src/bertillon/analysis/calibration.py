"""Calibrate predictions, and show what it did.

Conventions: a calibrator is fitted on one set and applied to another; judged on the set it was fitted on it looks
better than it is. Platt reads the scores (log-odds where logits were given), isotonic and beta what ranks the samples,
temperature the logits, or the logarithms of the probabilities where none were given. Where no class is the positive one
Platt, isotonic and beta calibrate each class against the rest.

Holds `fit_calibrator`, `calibrated`, `what_is_read`, `calibration_table` and `CalibrationChange`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.calibrators import CALIBRATORS, Calibrator, OneVersusRest
from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.spelling import unknown
from bertillon.measures import classification as _classification
from bertillon.measures.base import Measure, Result
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

FloatArray = NDArray[np.float64]

COMPARED = ("LogLoss", "Brier", "Reliability", "Resolution", "ECE", "ECE[equal-mass]", "MCE")
_SMALLEST = 1e-300  # a probability of 0 has no logarithm


def fit_calibrator(kind: str, predictions: Predictions) -> Calibrator:
    """A calibrator of that kind (platt, isotonic, temperature, beta) fitted on these predictions."""
    if kind not in CALIBRATORS:
        raise InputError(unknown("calibrator", kind, CALIBRATORS))
    inputs = _input(kind, what_is_read(kind, predictions), predictions)
    truth = predictions.truth.astype(np.int64)
    if inputs.ndim == 1:
        truth = (truth == predictions.positive_code).astype(np.int64)
    empty: Calibrator = OneVersusRest(kind) if inputs.ndim == 2 and kind != "temperature" else CALIBRATORS[kind]()
    return empty.fit(inputs, truth, predictions.weights)


def calibrated(predictions: Predictions, calibrator: Calibrator, *, reads: str | None = None) -> Predictions:
    """The same samples with calibrated probabilities; predicted labels follow from these and are dropped.

    `reads` says what the calibrator was fitted to (see `what_is_read`), where that was not data like these.
    """
    several = isinstance(calibrator, OneVersusRest)
    kind = calibrator.kind if isinstance(calibrator, OneVersusRest) else calibrator.name
    inputs = _input(kind, reads or what_is_read(kind, predictions), predictions)
    if kind != "temperature" and several != (inputs.ndim == 2):
        fitted, actual = ("each class", "one positive class") if several else ("one positive class", "several classes")
        raise InputError(f"the calibrator was fitted for {fitted}, and the predictions have {actual}")
    p = calibrator.calibrate(inputs)
    note = say("reading.calibrated", kind=kind)
    return replace(
        predictions, probabilities=p, scores=None, logits=None, predicted=None, notes=(*predictions.notes, note)
    )


def what_is_read(kind: str, predictions: Predictions) -> str:
    """What a calibrator of that kind reads of such predictions: logit, probability or score."""
    if kind == "temperature" or (kind == "platt" and predictions.logits is not None and _one_shape(predictions)):
        return "logit"
    return "score" if predictions.probabilities is None else "probability"


def _one_shape(predictions: Predictions) -> bool:
    """Logits have a column for each class where there is no positive one, and only there."""
    assert predictions.logits is not None
    return (predictions.logits.ndim == 1) == (predictions.positive is not None)


def _input(kind: str, reads: str, predictions: Predictions) -> FloatArray:
    """The numbers that a calibrator of that kind is given."""
    if predictions.positive_scores is None and predictions.probabilities is None:
        raise InputError(f"{kind} needs scores or probabilities, and there are labels only")
    if reads == "logit":
        return _logits(kind, predictions)
    if predictions.probabilities is None and (kind == "beta" or reads == "probability"):
        raise InputError(f"{kind} calibrates probabilities here, and there are scores only; use platt or isotonic")
    if predictions.probabilities is not None and reads == "score":
        raise InputError(f"{kind} was fitted to scores, and these are probabilities; fit it to data like these")
    if predictions.positive is None:
        assert predictions.probabilities is not None
        return predictions.probabilities.astype(np.float64)
    scores = predictions.positive_scores
    assert scores is not None
    return scores.astype(np.float64)


def _logits(kind: str, predictions: Predictions) -> FloatArray:
    if predictions.logits is not None and (kind == "temperature" or _one_shape(predictions)):
        return predictions.logits.astype(np.float64)
    p = predictions.probabilities
    if p is None:
        raise InputError(f"{kind} needs logits or probabilities, and there are scores only; use platt or isotonic")
    if p.ndim == 2 and kind == "temperature":
        return np.log(np.maximum(p.astype(np.float64), _SMALLEST))
    probability = (
        p if predictions.positive is None or p.ndim == 1 else predictions.probability_of(predictions.positive_code)
    )
    wide = probability.astype(np.float64)
    return np.log(np.maximum(wide, _SMALLEST)) - np.log(np.maximum(1.0 - wide, _SMALLEST))


@dataclass(frozen=True, slots=True)
class CalibrationChange:
    """One measure before and after calibration."""

    measure: str
    before: Result
    after: Result


def calibration_table(
    before: Predictions, after: Predictions, *, measures: Iterable[str | Measure] = COMPARED
) -> list[CalibrationChange]:
    """The measures of calibration for the same samples before and after."""
    if before.size != after.size:
        raise InputError(f"{before.size:,} samples before and {after.size:,} after; expected the same ones")
    asked = _classification.CLASSIFICATION.parse_all(measures)
    tallies = [ClassTally(version, whole=True) for version in (before, after)]
    return [CalibrationChange(str(m), *(m.of(tally) for tally in tallies)) for m in asked]
