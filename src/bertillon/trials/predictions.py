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
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import Keywords, describe
from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.classes.confusion import code_totals
from bertillon.counting.tally import Need, Needs
from bertillon.trials import prediction_checks as checks
from bertillon.trials.aligning import Aligned, align_predictions, refuse_ids, same_columns
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.prediction_checks import Codes, FloatArray, Label
from bertillon.trials.protocol import row_numbers

_CONTENTS = ("predicted", "scores", "probabilities", "logits")  # what a classifier may have said
_COLUMNS = ("truth", *_CONTENTS, "weights", "groups", "source_row")  # an entry a sample
LISTED_CLASSES = 100  # more classes than this are counted, not listed


class Known(TypedDict, total=False):
    """What may be said beside true labels and predicted ones."""

    positive: Label | None
    weights: ArrayLike | None
    groups: ArrayLike | None
    name: str


class Beside(Known, total=False):
    """What may be said beside true labels and scores or probabilities."""

    y_pred: Any


KNOWN = Keywords(Known, positive=None, weights=None, groups=None, name="")
BESIDE = Keywords(Beside, y_pred=None, **KNOWN.defaults)


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """True labels and what a classifier said; build it with one of the `from_` functions.

    Parameters
    ----------
    truth
        Places of the true labels among the classes.
    classes
        The labels.
    positive
        Which of two is positive.
    predicted, scores, probabilities, logits
        What the classifier said.
    weights, groups
        Of each sample.

    Examples
    --------
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
    source_row: NDArray[np.int64] | None = None  # in the table read, where some of its rows failed
    failed: int = 0
    name: str = ""
    notes: tuple[Text, ...] = ()  # what was understood of the source
    warnings: tuple[Text, ...] = ()

    kind: ClassVar[Literal["classification"]] = "classification"
    form: ClassVar[Literal["whole"]] = "whole"
    rule: ClassVar[AcceptRule] = AcceptRule.SIMILARITY  # a higher score is more like the positive class

    def __post_init__(self) -> None:
        """Whoever wrote `Predictions(y, p)` passed probabilities as classes."""
        labels = isinstance(self.classes, tuple) and not any(isinstance(label, float) for label in self.classes[:1])
        if not labels or not isinstance(self.truth, np.ndarray) or self.truth.dtype.kind != "i":
            raise InputError(
                f"Predictions(...) was given {describe(self.truth)} and {describe(self.classes)}; it is built by "
                "Predictions.from_probabilities(y_true, p), from_scores, from_logits or from_labels(y_true, y_pred)"
            )

    @classmethod
    @KNOWN
    def from_labels(cls, y_true: Any, y_pred: Any, *, classes: Any = None, **beside: Unpack[Known]) -> Predictions:
        """From true and predicted labels."""
        truth, predicted = checks.label_array(y_true, "true labels"), checks.label_array(y_pred, "predicted labels")
        known = checks.as_classes(classes) if classes is not None else checks.classes_of(truth, predicted)
        return cls._made(truth, known, checks.positive_of(known, beside["positive"]), {**beside, "y_pred": predicted})

    @classmethod
    @BESIDE
    def from_scores(cls, y_true: Any, scores: Any, **beside: Unpack[Beside]) -> Predictions:
        """From true labels of two classes and one score a sample, higher meaning more like the positive class."""
        truth, positive = checks.label_array(y_true, "true labels"), beside["positive"]
        known = checks.two_classes(checks.classes_of(truth), positive)
        values, stated = checks.numbers(scores, "scores"), checks.stated_positive(known, positive)
        return cls._made(truth, known, stated, beside, scores=values)

    @classmethod
    @BESIDE
    def from_probabilities(cls, y_true: Any, p: Any, *, classes: Any = None, **beside: Unpack[Beside]) -> Predictions:
        """From true labels and probabilities: one a sample for the positive class, or a column for each class.

        `classes` names the columns in their order; without it they are the labels that occur, in ascending order.
        """
        truth, positive = checks.label_array(y_true, "true labels"), beside["positive"]
        values = checks.numbers(p, "probabilities")
        known = checks.column_classes(truth, values, classes=classes, positive=positive)
        stated = checks.stated_positive(known, positive) if values.ndim == 1 else checks.positive_of(known, positive)
        return cls._made(truth, known, stated, beside, probabilities=values)

    @classmethod
    @BESIDE
    def from_logits(cls, y_true: Any, logits: Any, *, classes: Any = None, **beside: Unpack[Beside]) -> Predictions:
        """From true labels and logits: log-odds of the positive class, or a column for each class (softmax)."""
        values = checks.numbers(logits, "logits")
        said = checks.to_probabilities(values)
        made = cls.from_probabilities(y_true, said, classes=classes, **beside)
        lost = checks.failed_rows(values)
        return replace(made, logits=values if lost is None else values[~lost])

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, positive: Label | None = None, weights: ArrayLike | None = None
    ) -> Predictions:
        """From a fitted estimator with `predict_proba`, `decision_function` or `predict`, in that order."""
        predicted = estimator.predict(X) if hasattr(estimator, "predict") else None
        classes = getattr(estimator, "classes_", None)
        name = type(estimator).__name__
        common: dict[str, Any] = {"positive": positive, "weights": weights, "name": name}
        if hasattr(estimator, "predict_proba"):
            return cls.from_probabilities(y, estimator.predict_proba(X), classes=classes, y_pred=predicted, **common)
        if hasattr(estimator, "decision_function") and np.ndim(scores := estimator.decision_function(X)) == 1:
            low, high = checks.label_array(classes, "classes").tolist()  # the decision grows towards the second class
            turned = -np.asarray(scores) if positive == low else scores
            return cls.from_scores(
                y, turned, y_pred=predicted, **{**common, "positive": low if positive == low else high}
            )
        if predicted is None:
            raise InputError(f"{name} has neither predict_proba nor decision_function nor predict")
        return cls.from_labels(y, predicted, classes=classes, **common)

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

    @classmethod
    def _made(
        cls,
        truth: Any,
        classes: tuple[Label, ...],
        positive: Label | None,
        beside: Beside,
        **said: Any,
    ) -> Predictions:
        """With predicted labels, weights and groups of the samples; checked."""
        whole = cls(checks.encode(truth, classes), classes, positive, name=beside["name"], **said)
        predicted, y_pred, weights, groups = None, beside["y_pred"], beside["weights"], beside["groups"]
        if y_pred is not None:
            labels = checks.label_array(y_pred, "predicted labels")
            checks.same_length(whole.size, labels.size, "predicted labels")
            predicted = checks.encode(labels, classes, "predicted labels")
        whole = replace(
            whole,
            predicted=predicted,
            weights=None if weights is None else checks.checked_weights(weights, whole.size),
            groups=None if groups is None else checks.checked_groups(groups, whole.size),
        )
        return whole._checked()

    def _checked(self) -> Predictions:
        """Lengths and probabilities looked at, failed predictions taken out."""
        values = self.probabilities if self.probabilities is not None else self.scores
        if not self.size:
            raise InputError("there are no predictions; expected at least one true label")
        if values is None:
            return self
        what = "scores" if self.probabilities is None else "probabilities"
        checks.same_length(self.size, values.shape[0], what)
        lost = checks.failed_rows(values)
        if self.probabilities is not None:
            checks.check_probabilities(self.probabilities, lost)
        if lost is None:
            return self
        failed = int(lost.sum())
        note = say("warning.nan_predictions", n=failed)
        kept = replace(self.select(~lost), source_row=np.flatnonzero(~lost))
        return replace(kept, failed=failed, warnings=(*self.warnings, note))

    @property
    def n_trials(self) -> int:
        """How many predictions, failed ones left out."""
        return self.size

    @property
    def counts(self) -> dict[str, int]:
        """How many samples, how many failed, and how many of each class (of many classes: how many classes)."""
        whole = {"samples": self.size, "failed": self.failed}
        if self.n_classes > LISTED_CLASSES:
            return {**whole, "classes": self.n_classes}
        numbers = code_totals(self.truth, self.n_classes)
        return whole | {f"class {label}": int(n) for label, n in zip(self.classes, numbers, strict=True)}

    @property
    def fingerprint(self) -> str:
        """A short name for the data, whatever the order of the samples."""
        return ClassTally(self).fingerprint

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return ClassTally(self).definitions

    @property
    def curves(self) -> tuple[str, ...]:
        """What scores rank, and the reliability diagram of probabilities."""
        return ClassTally(self).curves

    def count(self, needs: Needs) -> ClassTally:
        """What some measures need, each thing counted when first read."""
        return ClassTally(self, needs.seeks, whole=Need.EVERY_THRESHOLD in needs.reads)

    def select(self, rows: ArrayLike) -> Self:
        """Some of the samples, by a mask or by row numbers.

        >>> Predictions.from_labels([1, 0, 1], [1, 1, 0]).select([2, 1]).truth.tolist()
        [1, 0]
        """
        chosen = row_numbers(rows, self.size)
        held = {name: getattr(self, name) for name in _COLUMNS}
        return replace(self, **{name: column[chosen] for name, column in held.items() if column is not None})

    def same_as(self, other: Predictions) -> bool:
        """Is whatever a measure reads the same?"""
        return same_columns(self, other, ("predicted", "scores", "probabilities", "positive", "weights"))

    def align(self, other: Predictions, by: Sequence[str] | None = None) -> Aligned[Predictions]:
        """The samples that both classifiers judged, row by row, so nothing can be named in `by`."""
        refuse_ids(by)
        return align_predictions(self, other)

    def __repr__(self) -> str:
        present = [name for name in _CONTENTS if getattr(self, name) is not None]
        return f"Predictions({self.size:,} samples, {self.n_classes:,} classes, {' and '.join(present)})"
