"""Calibrate predictions, and show what it did.

Conventions: a calibrator is fitted on one set and applied to another; judged on the set it was fitted on it looks
better than it is. Platt reads the scores (log-odds where logits were given), isotonic and beta what ranks the samples,
temperature the logits, or the logarithms of the probabilities where none were given. Where no class is the positive one
Platt, isotonic and beta calibrate each class against the rest.

The file of a calibrator is strict JSON: its own numbers to the last digit, the classes it is for, what it reads (score,
probability or logit), and the name and fingerprint of the data. A file that holds a calibrator alone, as its `to_json`
writes it, is read too; nothing can then be checked.

Cross-validated, each sample is calibrated by what was fitted to the other folds; the folds divide groups (people) where
these are known.

Holds `fit_calibrator`, `calibrated`, `cross_calibrated`, `what_is_read`, `calibration_table` and `CalibrationChange`;
`SavedCalibrator` and `saved`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.analysis.calibrators import CALIBRATORS, Calibrator, OneVersusRest, from_json
from bertillon.core import InputError, say
from bertillon.core.arguments import require
from bertillon.core.errors import unknown
from bertillon.counting.classes.confusion import Label
from bertillon.measures import classification as _classification
from bertillon.measures.base import Measure, Result
from bertillon.trials import ClassTally, Predictions

FloatArray = NDArray[np.float64]

COMPARED = ("LogLoss", "Brier", "Reliability", "Resolution", "ECE", "ECE[equal-mass]", "MCE")
_SMALLEST = 1e-300  # a probability of 0 has no logarithm


def fit_calibrator(kind: str, predictions: Predictions) -> Calibrator:
    """A calibrator of that kind (platt, isotonic, temperature, beta) fitted on these predictions."""
    if kind not in CALIBRATORS:
        raise InputError(unknown("calibrator", kind, CALIBRATORS))
    require(predictions, Predictions, "predictions", "Predictions, as bt.Predictions.from_scores makes them")
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


def cross_calibrated(kind: str, predictions: Predictions, *, folds: int = 5, seed: int = 0) -> Predictions:
    """The same samples, those of each fold calibrated by a calibrator of that kind that was fitted to all others.

    Parameters
    ----------
    kind
        platt, isotonic, temperature or beta.
    predictions
        Scores or probabilities with their truth; of people whose samples must not be divided the groups say who it is.
    folds
        How many; no more than there are groups, or samples where there are none.
    seed
        Of the random division.

    Returns
    -------
    Predictions
        With probabilities that no calibrator has seen the truth of.

    Examples
    --------
    >>> p = Predictions.from_scores([0, 1] * 20, [1.0, 3.0, 2.5, 2.0] * 10)
    >>> cross_calibrated("platt", p, folds=4).probabilities.shape
    (40,)
    """
    fold = _folds_of(predictions, folds, seed)
    made: FloatArray | None = None
    for number in range(int(fold.max()) + 1):
        held = fold == number
        try:
            part = calibrated(
                predictions.select(held),
                fit_calibrator(kind, predictions.select(~held)),
                reads=what_is_read(kind, predictions),
            ).probabilities
        except InputError as error:
            raise InputError(f"fold {number + 1} of {int(fold.max()) + 1}: {error}; use fewer folds") from error
        assert part is not None
        made = np.full((predictions.size, *part.shape[1:]), np.nan) if made is None else made
        made[held] = part
    by = "sample" if predictions.groups is None else "group"
    warnings = (*predictions.warnings, say(f"warning.cross_calibrated.{by}", kind=kind, folds=int(fold.max()) + 1))
    return replace(predictions, probabilities=made, scores=None, logits=None, predicted=None, warnings=warnings)


def _folds_of(predictions: Predictions, folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each sample: groups are dealt out whole; samples class by class, so that all folds are alike."""
    require(folds, int, "folds", "a whole number of 2 or more")
    if folds < 2:
        raise InputError(f"folds is {folds}; expected 2 or more")
    rng = np.random.default_rng(seed)
    groups = predictions.groups
    units = np.arange(predictions.size) if groups is None else np.unique(groups, return_inverse=True)[1]
    number = min(folds, int(units.max()) + 1)
    if number < 2:
        raise InputError("cross-validation needs two groups or more; leave the groups out, or fit on other data")
    order = rng.permutation(int(units.max()) + 1)
    if groups is None:
        order = order[np.argsort(predictions.truth[order], kind="stable")]
    dealt = np.empty(order.size, dtype=np.int64)
    dealt[order] = np.arange(order.size) % number
    return dealt[units]


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


READS = ("score", "probability", "logit")


@dataclass(frozen=True, slots=True)
class SavedCalibrator:
    """A fitted calibrator and where it comes from."""

    calibrator: Calibrator
    classes: tuple[Label, ...] = ()
    positive: Label | None = None
    reads: str | None = None
    fitted_on: str = ""
    samples: int = 0
    data: str = ""  # fingerprint of what it was fitted on
    share: float | None = None  # of positives among what it was fitted on, by which probabilities become LLRs

    @property
    def kind(self) -> str:
        """platt, isotonic, temperature or beta."""
        return self.calibrator.kind if isinstance(self.calibrator, OneVersusRest) else self.calibrator.name

    def apply(self, predictions: Predictions) -> Predictions:
        """The predictions with calibrated probabilities."""
        return calibrated(predictions, self._in_order_of(predictions), reads=self.reads)

    def answers(self, predictions: Predictions) -> dict[str, FloatArray]:
        """Calibrated columns by name: of the positive class its probability and its log-likelihood ratio, or of all."""
        calibrated_ones = self.apply(predictions).probabilities
        assert calibrated_ones is not None
        p = calibrated_ones.astype(np.float64)
        if p.ndim == 2:
            return {f"calibrated_{label}": p[:, code] for code, label in enumerate(predictions.classes)}
        if self.share is None:
            return {"calibrated": p}
        with np.errstate(divide="ignore"):
            ratio = np.log(p) - np.log1p(-p) - (math.log(self.share) - math.log1p(-self.share))
        return {"calibrated": p, "llr": ratio}

    def to_json(self) -> str:
        """Strict JSON that `from_json` reads back."""
        about = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "calibrator"}
        whole = json.loads(self.calibrator.to_json()) | {"bertillon": __version__} | about
        return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SavedCalibrator:
        """The calibrator a file describes; anything but what was written raises `InputError`."""
        calibrator = from_json(text)
        content: Mapping[str, Any] = json.loads(text)
        classes, reads = content.get("classes", []), content.get("reads")
        if not isinstance(classes, list) or not all(isinstance(label, str | int) for label in classes):
            raise InputError("the stored classes are no list of text or whole numbers; expected what was written")
        if reads not in (None, *READS):
            raise InputError(f"the stored calibrator reads {reads!r}; expected one of {', '.join(READS)}")
        return cls(
            calibrator,
            tuple(classes),
            content.get("positive"),
            reads,
            str(content.get("fitted_on", "")),
            content["samples"] if isinstance(content.get("samples"), int) else 0,
            str(content.get("data", "")),
            _share(content.get("share")),
        )

    def _in_order_of(self, predictions: Predictions) -> Calibrator:
        """The calibrator with its parts in the order of these classes, which must be its own."""
        if not self.classes:
            return self.calibrator
        if set(self.classes) != set(predictions.classes) or self.positive != predictions.positive:
            raise InputError(
                f"the calibrator was fitted for {_named(self.classes, self.positive)}, and these predictions have "
                f"{_named(predictions.classes, predictions.positive)}; fit it to data like these"
            )
        if not isinstance(self.calibrator, OneVersusRest):
            return self.calibrator
        parts = [self.calibrator.parts[self.classes.index(label)] for label in predictions.classes]
        return OneVersusRest(self.calibrator.kind, parts)


def saved(kind: str, predictions: Predictions, *, data: str) -> SavedCalibrator:
    """A calibrator fitted on predictions, with what a file says of it; `data` is their fingerprint."""
    return SavedCalibrator(
        fit_calibrator(kind, predictions),
        predictions.classes,
        predictions.positive,
        what_is_read(kind, predictions),
        predictions.name,
        predictions.size,
        data,
        _share_of_positives(predictions),
    )


def _share_of_positives(predictions: Predictions) -> float | None:
    """By weight; None where no class is the positive one."""
    if predictions.positive is None:
        return None
    return float(np.average(predictions.truth == predictions.positive_code, weights=predictions.weights))


def _share(stored: Any) -> float | None:
    if stored is None or (isinstance(stored, float) and 0.0 < stored < 1.0):
        return stored
    raise InputError(f"the stored share of positives is {stored!r}; expected a number between 0 and 1")


def _named(classes: tuple[Label, ...], positive: Label | None) -> str:
    shown = ", ".join(repr(label) for label in classes[:5]) + (" ..." if len(classes) > 5 else "")
    return f"the classes {shown}" + (f" with {positive!r} as the positive one" if positive is not None else "")
