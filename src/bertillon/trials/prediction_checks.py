"""What the numbers beside true labels must be, whatever they were given as.

Conventions: a vector or matrix of float32 or float64 is taken as it is and never copied. What is wrong is said with
its row, counted from 1. Probabilities lie in [0, 1] and add up to 1; nothing is squashed or rescaled.

Holds `numbers`, `column_classes`, `codes`, `stated_positive`, `same_length`, `checked_weights`, `checked_groups`,
`failed_rows`, `check_probabilities` and `to_probabilities`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.tables import require_distinct_floats
from bertillon.trials.prediction_labels import Codes, Label, as_classes, classes_of, encode, positive_of, two_classes

FloatArray = NDArray[np.floating[Any]]

TOLERANCE = 1e-6  # of the sum of a sample's probabilities
FLOAT32_TOLERANCE = 1e-4
LARGEST_LOGIT = 1e300  # beyond it differences overflow; the probabilities are 0 and 1 long before
_ROWS = 1 << 16  # numbers looked at at once, so that they stay in cache


def numbers(values: Any, what: str) -> FloatArray:
    """A vector or matrix of floats; float32 and float64 are taken as they are."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{what} are not numbers in rows of one length: {error}") from None
    if array.dtype.kind not in "fiu" and array.dtype != object:
        raise InputError(f"{what} are {array.dtype}, not numbers; expected one a sample or a column for each class")
    if array.dtype not in (np.float32, np.float64):
        require_distinct_floats(what, array)
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


def column_classes(
    truth: NDArray[Any], values: FloatArray, *, classes: Any, positive: Label | None
) -> tuple[Label, ...]:
    """The classes of the columns, in their order."""
    if classes is None:
        known = classes_of(truth)
        if values.ndim == 1:
            return two_classes(known, positive)
        known = two_classes(known, positive) if values.shape[1] == 2 and len(known) < 2 else known
    else:
        known = as_classes(classes)
    width = 2 if values.ndim == 1 else values.shape[1]
    if len(known) != width:
        what = "labels occur" if classes is None else "classes are named"
        raise InputError(f"probabilities have {width} columns and {len(known)} {what}; name the columns with classes=")
    return known


def codes(labels: NDArray[Any], classes: Sequence[Label], what: str = "true labels") -> Codes:
    """The place of each label among the classes; without classes there are no labels either."""
    return encode(labels, classes, what) if classes else np.empty(0, dtype=np.int8)


def stated_positive(classes: Sequence[Label], positive: Label | None) -> Label:
    """The positive one of two classes, which must be known."""
    known = positive_of(classes, positive)
    if known is None:
        raise InputError(f"say which label is positive, positive={classes[0]!r} or positive={classes[1]!r}")
    return known


def same_length(expected: int, number: int, what: str) -> None:
    """As many as there are true labels."""
    if number != expected:
        raise InputError(f"{number:,} {what} for {expected:,} true labels; expected one each")


def checked_weights(weights: ArrayLike, size: int) -> NDArray[np.float64]:
    """Finite numbers of 0 or more, one a sample."""
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"weights are not numbers: {error}") from None
    if array.ndim != 1:
        raise InputError(f"weights have shape {array.shape}; expected one dimension, one weight a sample")
    same_length(size, array.size, "weights")
    wrong = ~((array >= 0) & np.isfinite(array))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"weights: row {row + 1:,} is {array[row]}; expected finite numbers, 0 or more")
    return array


def checked_groups(groups: ArrayLike, size: int) -> NDArray[Any]:
    """Labels of groups, one a sample."""
    array = np.asarray(groups)
    same_length(size, array.shape[0] if array.ndim else 0, "groups")
    return array


def failed_rows(values: FloatArray) -> NDArray[np.bool_] | None:
    """Rows with a NaN, or None without any; one pass in place where there is none."""
    if not np.isnan(np.min(values, initial=np.inf)):
        return None
    missing = np.isnan(values)
    return missing if values.ndim == 1 else np.asarray(missing.any(axis=1))


def check_probabilities(values: FloatArray, lost: NDArray[np.bool_] | None) -> None:
    """Those of rows that are not lost lie in [0, 1] and, with a column for each class, add up to 1."""
    if lost is not None and lost.all():
        return  # there is none to look at
    low, high = (values.min(), values.max()) if lost is None else (np.nanmin(values), np.nanmax(values))
    if low < 0.0 or high > 1.0:
        cell = np.unravel_index(int(np.argmax((values < 0.0) | (values > 1.0))), values.shape)
        raise InputError(
            f"probabilities: row {cell[0] + 1:,} holds {values[cell]:g}, outside [0, 1]; "
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


def to_probabilities(logits: FloatArray) -> FloatArray:
    """Of the positive class (logistic function), or of each class (softmax); infinite logits are certain."""
    from scipy.special import expit, softmax

    wide = np.clip(logits, -LARGEST_LOGIT, LARGEST_LOGIT, dtype=np.float64) if logits.ndim == 2 else logits
    made: FloatArray = softmax(wide, axis=1) if logits.ndim == 2 else expit(wide)
    return made
