"""Columns and arrays as read, turned into the type their kind asks for.

Conventions: the kinds are those of `text`. A failed comparison (nan, NA, empty, null) becomes NaN in a score. Of ids, a
number without a fraction is written without one, so that 7.0 (a column of whole numbers that once had a gap) and 7 are
one person; in an array what is missing (NaN, None) is the empty text, which is nobody. An array of texts takes the room
of its longest for each of them: one that is a million letters long must not be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.lazy import pl
from bertillon.core.tables import EXACT, precision_loss
from bertillon.io.labels import LabelError, to_labels
from bertillon.io.limits import require_memory
from bertillon.io.source import FAILED_WORDS, Source, all_numbers, is_integer, is_number

_TRUTH = {"true", "false"}
USUAL = 1000  # letters of an id


class UnreadableError(Exception):
    """A value or a line does not fit; whoever knows the line says where."""


def guessed_type(kind: str, sample: Sequence[str]) -> pl.DataType:
    """The type to ask polars for, going by the first values."""
    if kind == "score":
        return pl.Float64()
    if kind == "code":
        return pl.Int64()
    if kind == "label" and set(sample) <= {"1", "0", "-1"}:
        return pl.Int8()
    filled = [value for value in sample if value or kind == "label"]
    if kind in ("text", "word") or (not filled and kind != "label"):
        return pl.String()
    if kind == "other" and all(is_integer(value) and str(int(value)) == value for value in filled):
        return pl.Int64()
    if kind == "other" and all_numbers(filled):
        return pl.Float64()
    return pl.Boolean() if {value.lower() for value in filled} <= _TRUTH else pl.String()


def inferred(values: pl.Series) -> pl.Series:
    """A column of text as numbers, if all of it is numbers and none is written like an id (007)."""
    if values.str.contains(r"^[+-]?0\d").any():
        return values
    for kind in (pl.Int64, pl.Float64):
        numbers = values.cast(kind, strict=False)
        if numbers.null_count() == values.null_count() < len(values):
            return numbers
    return values


def converted(frame: pl.DataFrame, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The frame with every column of the type of its kind; raises `UnreadableError` or `LabelError`."""
    converters = [_CONVERTERS.get(kinds[name]) for name in frame.columns]
    columns = zip(converters, frame.get_columns(), strict=True)
    return pl.DataFrame([convert(column) if convert else column for convert, column in columns])


@contextmanager
def unreadable(source: Source) -> Iterator[None]:
    """What does not fit is an error of the file, where its lines cannot be named."""
    try:
        yield
    except (UnreadableError, LabelError) as problem:
        raise source.error(str(problem)) from problem


def to_scores(values: pl.Series) -> pl.Series:
    if values.dtype == pl.Float64:
        return values.fill_null(float("nan")) if values.null_count() else values
    if values.dtype.is_numeric() and not values.dtype.is_decimal():
        if values.dtype in (pl.Int64, pl.UInt64) and (lost := precision_loss(values.drop_nulls().to_numpy())):
            raise UnreadableError(f"column {values.name!r}: {lost}")
        return values.cast(pl.Float64).fill_null(float("nan"))
    if values.dtype == pl.Boolean or values.dtype.is_nested() or values.dtype.is_temporal():
        raise UnreadableError(f"column {values.name!r} holds {values.dtype}, not numbers")
    plain = values.cast(pl.String).str.strip_chars()
    failed = plain.is_null() | plain.str.to_lowercase().is_in(list(FAILED_WORDS))
    numbers = plain.cast(pl.Float64, strict=False)
    if (numbers.is_null() & ~failed).any():
        raise UnreadableError(f"column {values.name!r} holds values that are not numbers")
    return numbers.fill_null(float("nan"))


def to_text(values: pl.Series) -> pl.Series:
    if values.dtype == pl.String:
        return values.str.strip_chars()
    if values.dtype.is_nested() or values.dtype == pl.Binary:
        raise UnreadableError(f"column {values.name!r} holds {values.dtype}, not ids")
    if not values.dtype.is_float():
        return values.cast(pl.String)
    known = values.cast(pl.Float64).fill_nan(None)  # without a fraction where there is none, as in `texts` of arrays
    whole = (known.abs() < EXACT) & (known == known.floor())
    return known.cast(pl.Int64, strict=False).cast(pl.String).zip_with(whole.fill_null(False), known.cast(pl.String))


def to_codes(values: pl.Series) -> pl.Series:
    codes = values.cast(pl.Int64, strict=False)
    if codes.null_count():
        raise UnreadableError(f"column {values.name!r} holds values that are not whole numbers")
    return codes


_CONVERTERS = {"score": to_scores, "label": to_labels, "text": to_text, "code": to_codes}  # others stay as they are
CHECKS = {"score": (is_number, "is not a number"), "code": (is_integer, "is not a whole number")}


def texts(values: ArrayLike) -> NDArray[np.str_]:
    """Ids as text; whole numbers without a fraction, bytes decoded, the empty text where there is none."""
    array = np.asarray(values).reshape(-1)
    if array.dtype.kind in "SO":
        return as_array([_text(value) for value in array.tolist()])
    if array.dtype.kind != "f":
        return array.astype(np.str_)
    missing = np.isnan(array)
    whole = ~missing & (np.abs(array) < EXACT) & (array == np.round(array))
    written = np.where(whole, np.where(whole, array, 0).astype(np.int64).astype(np.str_), array.astype(np.str_))
    return np.where(missing, "", written)


def as_array(ids: Sequence[str], name: str = "ids") -> NDArray[np.str_]:
    """Texts as an array, if there is memory for so many of the longest of them."""
    n, longest = len(ids), max(map(len, ids), default=0)
    if longest > USUAL:
        require_memory(name, 4 * longest * n, f"an array of {n:,} ids, the longest of {longest:,} letters,")
    return np.array(ids, dtype=np.str_)


def _text(value: Any) -> str:
    if value is None or value != value:  # None, NaN
        return ""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def require_subjects(source: Source, probes: Sequence[str], references: Sequence[str]) -> None:
    """Every row and every column of a matrix is somebody's: two without a name would be taken for one person."""
    for side, names in (("row", probes), ("column", references)):
        if "" in names:
            raise source.error(
                f"{side} {names.index('') + 1} of the scores has no subject, {names.count('')} in all; expected one "
                "for every row and column; fill it in, or remove a separator too many"
            )
