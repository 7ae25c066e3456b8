"""What true labels, and the numbers beside them, must be, whatever they were given as; labels as small whole numbers.

Conventions: a label is text or a whole number (or True/False); the two are never mixed. Whole numbers stored as floats
(1.0) are whole numbers. Classes are in ascending order unless the caller gives their order. A missing label is an
error: nothing can be said about a prediction whose truth is unknown.

A vector or matrix of float32 or float64 is taken as it is and never copied. What is wrong is said with its row, counted
from 1. Probabilities lie in [0, 1] and add up to 1; nothing is squashed or rescaled.

Holds `label_array`, `classes_of`, `as_classes`, `encode`, `positive_of`, `two_classes`; `numbers`, `column_classes`,
`stated_positive`, `same_length`, `checked_weights`, `checked_groups`, `failed_rows`, `check_probabilities` and
`to_probabilities`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import as_array, as_floats, describe, is_masked, is_missing
from bertillon.core.errors import InputError
from bertillon.core.tables import require_distinct_floats
from bertillon.counting.classes.confusion import Label as Label

Codes = NDArray[np.signedinteger[Any]]
FloatArray = NDArray[np.floating[Any]]
TOLERANCE = 1e-6  # of the sum of a sample's probabilities
FLOAT32_TOLERANCE = 1e-4
LARGEST_LOGIT = 1e300  # beyond it differences overflow; the probabilities are 0 and 1 long before
_ROWS = 1 << 16  # numbers looked at at once, so that they stay in cache
_BLOCK = 1 << 20
_TABLE = 1 << 16  # whole numbers that lie this close together are looked up in a table
_USUAL_POSITIVE = ({0, 1}, {-1, 1})  # True and False are 1 and 0


def label_array(values: Any, what: str) -> NDArray[Any]:
    """Labels as an array of booleans, integers or text; `what` names them in errors."""
    expected = "one label for each sample, such as [1, 0, 1]"
    if is_masked(values) and np.ma.getmaskarray(values).any():
        hidden = np.ma.getmaskarray(values).ravel()
        raise _missing(what, int(np.argmax(hidden)), int(hidden.sum()))
    array = _objects(values) if isinstance(values, list | tuple) else as_array(values, what, expected)
    nested = array.dtype == object and any(isinstance(value, list | tuple | np.ndarray) for value in array.flat)
    if array.ndim != 1 or nested:
        raise InputError(f"{what} are {describe(values)}; expected one dimension, one label a sample")
    kind = array.dtype.kind
    if kind in "biuU":
        return array
    if kind == "f":
        return _whole(array, what)
    if kind in "ST":
        return array.astype(np.str_)
    return _from_objects(array, what)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    """A list as it stands, one object an entry; torch numbers become Python ones."""
    array = np.empty(len(values), dtype=object)
    array[:] = [value.item() if hasattr(value, "detach") else value for value in values]
    return array


def _whole(array: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Floats that are whole numbers, as such."""
    missing = np.isnan(array)
    if missing.any():
        raise _missing(what, int(np.argmax(missing)), int(missing.sum()))
    odd = array != np.floor(array)
    if odd.any() or np.isinf(array).any():
        strange = array[np.argmax(odd | np.isinf(array))]
        raise InputError(f"{what} hold {strange:g}; expected classes: text or whole numbers (were scores passed?)")
    return array.astype(np.int64)


def _from_objects(array: NDArray[Any], what: str) -> NDArray[Any]:
    values = array.tolist()
    missing = [row for row, value in enumerate(values) if is_missing(value)]
    if missing:
        raise _missing(what, missing[0], len(missing))
    kinds = {type(value) for value in values}
    if all(issubclass(kind, str) for kind in kinds):
        return np.array(values, dtype=np.str_)
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return np.array(values, dtype=np.bool_)
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        numbers = np.array(values)
        return numbers if numbers.dtype.kind in "iu" else _whole(numbers.astype(np.float64), what)
    text = next((value for value in values if isinstance(value, str)), None)
    if text is None:
        kind = type(values[0]).__name__
        raise InputError(f"{what} hold {values[0]!r} of type {kind}; expected text or whole numbers")
    other = next(value for value in values if not isinstance(value, str))
    raise InputError(f"{what} mix text ({text!r}) and numbers ({other!r}); make all of them one kind")


def _missing(what: str, row: int, count: int) -> InputError:
    return InputError(f"{what}: row {row + 1:,} has no label ({count:,} in all); fill them in or leave the rows out")


def classes_of(*arrays: NDArray[Any]) -> tuple[Label, ...]:
    """The distinct labels of several arrays, in order.

    >>> classes_of(np.array(["dog", "cat"]), np.array(["owl"]))
    ('cat', 'dog', 'owl')
    """
    text = {array.dtype.kind == "U" for array in arrays if array.size}
    if len(text) > 1:
        examples = [array[0].item() for array in arrays if array.size]
        raise InputError(f"labels mix text and numbers ({', '.join(map(repr, examples))}); make all of them one kind")
    if all(array.dtype.kind == "b" for array in arrays):
        return tuple(sorted(set().union(*(np.unique(array).tolist() for array in arrays))))
    return tuple(sorted(set().union(*(_distinct(array) for array in arrays))))


def _distinct(array: NDArray[Any]) -> set[Any]:
    if not array.size:
        return set()
    if array.dtype.kind == "U":
        return set(np.unique(array).tolist())
    low, high = int(array.min()), int(array.max())
    if high - low >= _TABLE:
        return set(np.unique(array).tolist())
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    for block in _blocks(array):
        seen[block.astype(np.int64) - low] = True
    return {low + int(offset) for offset in np.flatnonzero(seen)}


def as_classes(classes: Any) -> tuple[Label, ...]:
    """The caller's classes in the caller's order; each once."""
    ordered: tuple[Label, ...] = tuple(label_array(classes, "classes").tolist())
    if len(set(ordered)) < len(ordered):
        twice = next(label for label in ordered if ordered.count(label) > 1)
        raise InputError(f"classes name {twice!r} more than once; expected each class once")
    if not ordered:
        raise InputError("classes are empty; expected the labels of the columns, in their order")
    return ordered


def encode(array: NDArray[Any], classes: Sequence[Label], what: str = "true labels") -> Codes:
    """The place of each label among the classes; an unknown label is an error. Without classes there are no labels.

    >>> encode(np.array([5, 7, 5]), [7, 5], "labels").tolist()
    [1, 0, 1]
    """
    if not classes:
        return np.empty(0, dtype=np.int8)
    text = isinstance(classes[0], str)
    if array.size and text != (array.dtype.kind == "U"):
        kinds = ("text", "numbers") if text else ("numbers", "text")
        raise InputError(f"classes are {kinds[0]} ({classes[0]!r}), {what} are {kinds[1]} ({array[0].item()!r})")
    codes = np.empty(array.size, dtype=code_type(len(classes)))
    at = 0
    order = np.argsort(np.array(classes))
    ordered = np.array(classes)[order]
    for block in _blocks(array):
        position = _places(block, ordered)
        unknown = ordered[position] != block
        if unknown.any():
            strange = block[np.argmax(unknown)].item()
            raise InputError(f"{what} hold {strange!r}, which is not among the classes {_listed(classes)}")
        codes[at : at + block.size] = order[position]
        at += block.size
    return codes


def _places(block: NDArray[Any], ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Where each label stands among the ordered classes; anything for a label that is not there."""
    if ordered.dtype.kind == "U" or int(ordered[-1]) - int(ordered[0]) >= _TABLE:
        return np.minimum(np.searchsorted(ordered, block), ordered.size - 1)
    low, high = int(ordered[0]), int(ordered[-1])
    table = np.zeros(high - low + 1, dtype=np.int64)
    table[ordered.astype(np.int64) - low] = np.arange(ordered.size)
    return table[np.clip(block.astype(np.int64), low, high) - low]


def code_type(n_classes: int) -> type[np.signedinteger[Any]]:
    """The smallest whole number that holds the place of any class."""
    return np.int8 if n_classes <= 127 else np.int16 if n_classes <= 32767 else np.int32


def positive_of(classes: Sequence[Label], positive: Label | None) -> Label | None:
    """The positive one of two classes: as stated, or 1 of 0/1 and of -1/1, or True; otherwise not known."""
    if positive is not None:
        if len(classes) != 2:
            raise InputError(f"positive={positive!r} is for two classes, and there are {len(classes)}")
        if positive not in classes:
            raise InputError(f"positive={positive!r} is not among the classes {_listed(classes)}")
        return classes[list(classes).index(positive)]
    if len(classes) == 2 and set(classes) in _USUAL_POSITIVE:
        return max(classes)
    return None


def two_classes(labels: Sequence[Label], positive: Label | None) -> tuple[Label, ...]:
    """The two classes a score tells apart, also where only one of them occurs."""
    if len(labels) > 2:
        raise InputError(
            f"one score a sample is for two classes, and there are {len(labels)} labels ({_listed(labels)}); "
            "give probabilities with a column for each class"
        )
    if len(labels) == 2:
        return tuple(labels)
    values = set(labels)
    if all(isinstance(label, bool) for label in values):
        return (False, True)
    usual = next((pair for pair in _USUAL_POSITIVE if values <= pair), None)
    if usual and positive in (None, *usual):
        return tuple(sorted(usual))
    if positive is None:
        raise InputError(
            f"only the label {labels[0]!r} occurs; say which one is positive, as in positive={labels[0]!r}"
        )
    absent: Label = f"not {positive}" if isinstance(positive, str) else -1 if positive == 0 else 0
    return tuple(sorted({labels[0], absent if positive in values else positive}, key=str))


def _listed(classes: Sequence[Label]) -> str:
    shown = ", ".join(repr(label) for label in classes[:10])
    return shown + (f" and {len(classes) - 10:,} more" if len(classes) > 10 else "")


def _blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The array in parts, so that temporaries stay small."""
    for at in range(0, array.size, _BLOCK):
        yield array[at : at + _BLOCK]


def numbers(values: Any, what: str) -> FloatArray:
    """A vector or matrix of floats; float32 and float64 are taken as they are."""
    expected = "one number for each sample, or a column for each class"
    whole = as_array(values, what, expected)
    require_distinct_floats(what, np.asarray(whole))
    array: FloatArray = as_floats(whole, what, expected)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in ((1,) if what == "scores" else (1, 2)):
        columns = (
            " (probabilities and logits may have a column for each class)" if what == "scores" else " or (n, classes)"
        )
        raise InputError(f"{what} have shape {array.shape}; expected one number a sample{columns}")
    return array


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
    array: NDArray[np.float64] = as_floats(weights, "weights", "one number for each sample").astype(np.float64)
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
    array: NDArray[Any] = as_array(groups, "groups", "one label for each sample")
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
    return np.asarray(softmax(wide, axis=1) if logits.ndim == 2 else expit(wide))
