"""The input of an evaluation of a classifier: true labels, and what the classifier said about each sample.

Conventions: a classifier may have said a label, a score (higher means more like the positive class), a probability for
the positive class, or probabilities for every class. Labels are kept as codes, places among `classes`. A probability
lies in [0, 1] and the probabilities of a sample add up to 1 within 1e-6 (1e-4 for float32); anything else is refused,
never squashed. Logits are logits only when they are given as such. A NaN among scores or probabilities is a failed
prediction: counted in `failed` and left out. A missing label or weight is an error. Weights are 0 or more.

Which of two classes is positive is stated, or 1 of 0/1 and of -1/1, or True; otherwise it is not known, and measures
that need it say so.

Holds `Predictions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.errors import InputError
from bertillon.trials.prediction_labels import (
    Codes,
    Label,
    as_classes,
    classes_of,
    encode,
    label_array,
    positive_of,
    two_classes,
)

FloatArray = NDArray[np.floating[Any]]

TOLERANCE = 1e-6  # of the sum of a sample's probabilities
FLOAT32_TOLERANCE = 1e-4
_ROWS = 1 << 16  # numbers looked at at once, so that they stay in cache


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """True labels and what a classifier said; build it with one of the `from_` functions.

    >>> p = Predictions.from_probabilities([1, 0, 1], [0.9, 0.2, 0.4])
    >>> p.classes, p.positive, p.size
    ((0, 1), 1, 3)
    """

    truth: Codes  # places among the classes
    classes: tuple[Label, ...]
    positive: Label | None = None
    predicted: Codes | None = None
    scores: FloatArray | None = None  # of the positive class
    probabilities: FloatArray | None = None  # (n,) of the positive class, or (n, classes)
    logits: FloatArray | None = None  # what the probabilities were made from
    weights: NDArray[np.float64] | None = None
    groups: NDArray[Any] | None = None
    failed: int = 0
    name: str = ""
    notes: tuple[str, ...] = ()  # what was understood of the source
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        classes: Any = None,
        positive: Label | None = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        name: str = "",
    ) -> Predictions:
        """From true and predicted labels."""
        truth, predicted = label_array(y_true, "true labels"), label_array(y_pred, "predicted labels")
        known = as_classes(classes) if classes is not None else classes_of(truth, predicted)
        whole = cls(_codes(truth, known), known, positive_of(known, positive), name=name)
        return whole.with_labels(y_pred).beside(weights, groups).checked()

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        scores: ArrayLike,
        *,
        positive: Label | None = None,
        y_pred: Any = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        name: str = "",
    ) -> Predictions:
        """From true labels of two classes and one score a sample, higher meaning more like the positive class."""
        truth = label_array(y_true, "true labels")
        known = two_classes(classes_of(truth), positive)
        codes = _codes(truth, known)
        whole = cls(codes, known, _stated(known, positive), scores=_numbers(scores, "scores"), name=name)
        return whole.with_labels(y_pred).beside(weights, groups).checked()

    @classmethod
    def from_probabilities(
        cls,
        y_true: Any,
        p: Any,
        *,
        classes: Any = None,
        positive: Label | None = None,
        y_pred: Any = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        name: str = "",
    ) -> Predictions:
        """From true labels and probabilities: one a sample for the positive class, or a column for each class.

        `classes` names the columns in their order; without it they are the labels that occur, in ascending order.
        """
        truth, values = label_array(y_true, "true labels"), _numbers(p, "probabilities")
        known = _column_classes(truth, values, classes, positive, "probabilities")
        stated = _stated(known, positive) if values.ndim == 1 else positive_of(known, positive)
        whole = cls(_codes(truth, known), known, stated, probabilities=values, name=name)
        return whole.with_labels(y_pred).beside(weights, groups).checked()

    @classmethod
    def from_logits(
        cls,
        y_true: Any,
        logits: Any,
        *,
        classes: Any = None,
        positive: Label | None = None,
        y_pred: Any = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        name: str = "",
    ) -> Predictions:
        """From true labels and logits: log-odds of the positive class, or a column for each class (softmax)."""
        values = _numbers(logits, "logits")
        made = cls.from_probabilities(
            y_true,
            _to_probabilities(values),
            classes=classes,
            positive=positive,
            y_pred=y_pred,
            weights=weights,
            groups=groups,
            name=name,
        )
        kept = ~np.isnan(values) if values.ndim == 1 else ~np.isnan(values).any(axis=1)
        return replace(made, logits=values if kept.all() else values[kept])

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, positive: Label | None = None, weights: ArrayLike | None = None
    ) -> Predictions:
        """From a fitted estimator with `predict_proba`, `decision_function` or `predict`, in that order."""
        said = estimator.predict(X) if hasattr(estimator, "predict") else None
        classes = getattr(estimator, "classes_", None)
        name = type(estimator).__name__
        common: dict[str, Any] = {"positive": positive, "weights": weights, "name": name}
        if hasattr(estimator, "predict_proba"):
            return cls.from_probabilities(y, estimator.predict_proba(X), classes=classes, y_pred=said, **common)
        if hasattr(estimator, "decision_function") and np.ndim(scores := estimator.decision_function(X)) == 1:
            low, high = label_array(classes, "classes").tolist()  # the decision grows towards the second class
            turned = -np.asarray(scores) if positive == low else scores
            return cls.from_scores(y, turned, y_pred=said, **{**common, "positive": low if positive == low else high})
        if said is None:
            raise InputError(f"{name} has neither predict_proba nor decision_function nor predict")
        return cls.from_labels(y, said, classes=classes, **common)

    @property
    def size(self) -> int:
        """How many predictions, failed ones left out."""
        return int(self.truth.size)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def is_binary(self) -> bool:
        """Two classes, and it is known which is positive."""
        return self.positive is not None

    @property
    def positive_code(self) -> int:
        """The place of the positive class among the classes."""
        if self.positive is None:
            raise InputError(f"which of {self.n_classes} classes is positive is not known; say so with positive=")
        return self.classes.index(self.positive)

    @property
    def positive_scores(self) -> FloatArray | None:
        """What ranks the samples: the probability of the positive class, or its score."""
        if self.probabilities is None or self.positive is None:
            return self.scores
        return self.probabilities if self.probabilities.ndim == 1 else self.probabilities[:, self.positive_code]

    def probability_of(self, code: int) -> FloatArray:
        """The probability of one class for every sample."""
        assert self.probabilities is not None
        if self.probabilities.ndim == 2:
            return self.probabilities[:, code]
        return self.probabilities if code == self.positive_code else 1.0 - self.probabilities

    def with_labels(self, y_pred: Any) -> Predictions:
        """The same with predicted labels."""
        if y_pred is None:
            return self
        predicted = label_array(y_pred, "predicted labels")
        _same_length(self.size, predicted.size, "predicted labels")
        return replace(self, predicted=_codes(predicted, self.classes, "predicted labels"))

    def beside(self, weights: ArrayLike | None, groups: ArrayLike | None) -> Predictions:
        """The same with weights and groups of the samples."""
        return replace(
            self,
            weights=None if weights is None else _checked_weights(weights, self.size),
            groups=None if groups is None else _checked_groups(groups, self.size),
        )

    def checked(self) -> Predictions:
        """Lengths and probabilities looked at, failed predictions taken out."""
        values = self.probabilities if self.probabilities is not None else self.scores
        if not self.size:
            raise InputError("there are no predictions; expected at least one true label")
        if values is None:
            return self
        what = "scores" if self.probabilities is None else "probabilities"
        _same_length(self.size, values.shape[0], what)
        lost = _failed_rows(values)
        if self.probabilities is not None:
            _check_probabilities(self.probabilities, lost)
        return self if lost is None else self.rows(~lost, failed=int(lost.sum()))

    def rows(self, chosen: NDArray[Any], *, failed: int | None = None) -> Predictions:
        """Some of the samples, by a mask or by places."""
        columns = ("truth", "predicted", "scores", "probabilities", "logits", "weights", "groups")
        held = {name: getattr(self, name) for name in columns}
        taken = {name: column[chosen] for name, column in held.items() if column is not None}
        lost = self.failed if failed is None else failed
        note = () if failed is None else (f"{failed:,} predictions are NaN: counted as failed and left out",)
        return replace(self, **taken, failed=lost, warnings=(*self.warnings, *note))

    def __repr__(self) -> str:
        said = [f.name for f in fields(self)[3:7] if getattr(self, f.name) is not None]
        return f"Predictions({self.size:,} samples, {self.n_classes:,} classes, {' and '.join(said)})"


def _codes(labels: NDArray[Any], classes: Sequence[Label], what: str = "true labels") -> Codes:
    return encode(labels, classes, what) if classes else np.empty(0, dtype=np.int8)


def _stated(classes: Sequence[Label], positive: Label | None) -> Label:
    found = positive_of(classes, positive)
    if found is None:
        raise InputError(f"say which label is positive, positive={classes[0]!r} or positive={classes[1]!r}")
    return found


def _numbers(values: Any, what: str) -> FloatArray:
    """A vector or matrix of floats; float32 and float64 are taken as they are."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" and array.dtype != object:
        raise InputError(f"{what} are {array.dtype}, not numbers; expected one a sample or a column for each class")
    if array.dtype not in (np.float32, np.float64):
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} are not numbers: {error}") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in ((1,) if what == "scores" else (1, 2)):
        raise InputError(f"{what} have shape {array.shape}; expected one number a sample" + _or_columns(what))
    return array


def _or_columns(what: str) -> str:
    return " (probabilities and logits may have a column for each class)" if what == "scores" else " or (n, classes)"


def _column_classes(
    truth: NDArray[Any], values: FloatArray, classes: Any, positive: Label | None, what: str
) -> tuple[Label, ...]:
    """The classes of the columns, in their order."""
    if classes is None:
        found = classes_of(truth)
        if values.ndim == 1:
            return two_classes(found, positive)
        found = two_classes(found, positive) if values.shape[1] == 2 and len(found) < 2 else found
    else:
        found = as_classes(classes)
    width = 2 if values.ndim == 1 else values.shape[1]
    if len(found) != width:
        said = "labels occur" if classes is None else "classes are named"
        raise InputError(f"{what} have {width} columns and {len(found)} {said}; name the columns with classes=")
    return found


def _same_length(expected: int, found: int, what: str) -> None:
    if found != expected:
        raise InputError(f"{found:,} {what} for {expected:,} true labels; expected one each")


def _checked_weights(weights: ArrayLike, size: int) -> NDArray[np.float64]:
    array = np.asarray(weights, dtype=np.float64)
    _same_length(size, array.size, "weights")
    wrong = ~((array >= 0) & np.isfinite(array))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(f"weights: row {place + 1:,} is {array[place]}; expected finite numbers, 0 or more")
    return array


def _checked_groups(groups: ArrayLike, size: int) -> NDArray[Any]:
    array = np.asarray(groups)
    _same_length(size, array.shape[0] if array.ndim else 0, "groups")
    return array


def _failed_rows(values: FloatArray) -> NDArray[np.bool_] | None:
    """Rows with a NaN, or None without any; one pass in place where there is none."""
    if not np.isnan(np.min(values, initial=np.inf)):
        return None
    missing = np.isnan(values)
    return missing if values.ndim == 1 else np.asarray(missing.any(axis=1))


def _check_probabilities(values: FloatArray, lost: NDArray[np.bool_] | None) -> None:
    if lost is not None and lost.all():
        return  # there is none to look at
    low, high = (values.min(), values.max()) if lost is None else (np.nanmin(values), np.nanmax(values))
    if low < 0.0 or high > 1.0:
        outside = (values < 0.0) | (values > 1.0)
        row = int(np.argmax(outside if values.ndim == 1 else outside.any(axis=1)))
        raise InputError(
            f"probabilities: row {row + 1:,} holds {low if low < 0.0 else high:g}, outside [0, 1]; "
            "give scores with from_scores and logits with from_logits, nothing is squashed"
        )
    if values.ndim == 2:
        _check_sums(values)


def _check_sums(values: FloatArray) -> None:
    tolerance = FLOAT32_TOLERANCE if values.dtype == np.float32 else TOLERANCE
    step = max(1, _ROWS // values.shape[1])
    for at in range(0, values.shape[0], step):
        sums = values[at : at + step].sum(axis=1, dtype=np.float64)
        wrong = np.abs(sums - 1.0) > tolerance  # NaN compares as fine: a failed row is left out later
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"probabilities: row {at + row + 1:,} adds up to {sums[row]:.9g}; expected 1 within {tolerance:g}. "
                "If that is rounding divide each row by its sum; if these are logits use from_logits"
            )


def _to_probabilities(logits: FloatArray) -> FloatArray:
    from scipy.special import expit, softmax

    made: FloatArray = expit(logits) if logits.ndim == 1 else softmax(logits.astype(np.float64, copy=False), axis=1)
    return made
