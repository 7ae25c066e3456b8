"""Class labels of any kind as small whole numbers.

Conventions: a label is text or a whole number (or True/False); the two are never mixed. Whole numbers stored as floats
(1.0) are whole numbers. Classes are in ascending order unless the caller gives their order. A missing label is an
error: nothing can be said about a prediction whose truth is unknown.

Holds `label_array`, `classes_of`, `as_classes`, `encode` and `positive_of`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.counting.classes.confusion import Label as Label

Codes = NDArray[np.signedinteger[Any]]

_BLOCK = 1 << 20
_TABLE = 1 << 16  # whole numbers that lie this close together are looked up in a table
_USUAL_POSITIVE = ({0, 1}, {-1, 1})  # True and False are 1 and 0


def label_array(values: Any, what: str) -> NDArray[Any]:
    """Labels as an array of booleans, integers or text; `what` names them in errors."""
    array = np.asarray(list(values), dtype=object) if isinstance(values, list | tuple) else np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{what} have shape {array.shape}; expected one dimension, one label a sample")
    kind = array.dtype.kind
    if kind in "biuU":
        return array
    if kind == "f":
        return _whole(array, what)
    if kind in "ST":
        return array.astype(np.str_)
    return _from_objects(array, what)


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
    missing = [row for row, value in enumerate(values) if _is_missing(value)]
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


def _is_missing(value: object) -> bool:
    """None, NaN, and what pandas writes for them."""
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


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


def encode(array: NDArray[Any], classes: Sequence[Label], what: str) -> Codes:
    """The place of each label among the classes; an unknown label is an error.

    >>> encode(np.array([5, 7, 5]), [7, 5], "labels").tolist()
    [1, 0, 1]
    """
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
            raise InputError(f"positive={positive!r} tells two classes apart, and there are {len(classes)}")
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
            f"one score a sample tells two classes apart, and there are {len(labels)} labels ({_listed(labels)}); "
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
