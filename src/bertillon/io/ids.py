"""Ids in arrays as text.

Conventions: a number without a fraction is written without one, so that 7.0 (a column of whole numbers that once had a
gap) and 7 are one person. What is missing (NaN, None) is the empty text, which is nobody.

An array of texts takes the room of its longest for each of them: one that is a million letters long must not be.

Holds `texts`, `as_array` and `require_subjects`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.tables import EXACT
from bertillon.io.limits import require_memory
from bertillon.io.source import Source

USUAL = 1000  # letters of an id


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
    longest = max(map(len, ids), default=0)
    if longest > USUAL:
        require_memory(
            name, 4 * longest * len(ids), f"an array of {len(ids):,} ids, the longest of {longest:,} letters,"
        )
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
