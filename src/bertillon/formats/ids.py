"""Numbers as they are meant: ids in arrays as text, and whole numbers that floats cannot tell apart.

Conventions: a number without a fraction is written without one, so that 7.0 (a column of whole numbers that once had a
gap) and 7 are one person. What is missing (NaN, None) is the empty text, which is nobody.

Scores are floats of 64 bits, which tell whole numbers apart up to 2^53. Beyond, different ones may become equal.

Holds `texts`, `require_subjects`, `merged` and `require_apart`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.errors import InputError
from bertillon.formats.source import Source

EXACT = 2**53  # floats tell whole numbers apart up to here


def texts(values: ArrayLike) -> NDArray[np.str_]:
    """Ids as text; whole numbers without a fraction, bytes decoded, the empty text where there is none."""
    array = np.asarray(values).reshape(-1)
    if array.dtype.kind in "SO":
        return np.array([_text(one) for one in array.tolist()], dtype=np.str_)
    if array.dtype.kind != "f":
        return array.astype(np.str_)
    missing = np.isnan(array)
    whole = ~missing & (np.abs(array) < EXACT) & (array == np.round(array))
    written = np.where(whole, np.where(whole, array, 0).astype(np.int64).astype(np.str_), array.astype(np.str_))
    return np.where(missing, "", written)


def _text(one: Any) -> str:
    if one is None or one != one:  # None, NaN
        return ""
    return one.decode("utf-8", "backslashreplace") if isinstance(one, bytes) else str(one)


def require_subjects(source: Source, probes: Sequence[str], references: Sequence[str]) -> None:
    """Every row and every column of a matrix is somebody's: two without a name would be taken for one person."""
    for side, names in (("row", probes), ("column", references)):
        if "" in names:
            raise source.error(
                f"{side} {names.index('') + 1} of the scores has no subject, {names.count('')} in all; expected one "
                "for every row and column; fill it in, or remove a separator too many"
            )


def merged(*columns: NDArray[Any]) -> str:
    """What is lost where whole numbers become floats, in words; nothing where all stay apart.

    >>> merged(np.array([2**53, 2**53 + 1]))[:64]
    '2 different whole numbers from 2^53 on become 1 as 64-bit floats'
    """
    whole = [column.ravel() for column in columns if column.dtype.kind in "iu" and column.dtype.itemsize == 8]
    large = [column[_beyond(column)] for column in whole]
    if not any(column.size for column in large):
        return ""
    distinct = sorted({number for column in large for number in np.unique(column).tolist()})
    floats = {float(number) for number in distinct}
    if len(floats) == len(distinct):
        return ""
    return (
        f"{len(distinct):,} different whole numbers from 2^53 on become {len(floats):,} as 64-bit floats, so that "
        f"scores which differ would be tied (such as {distinct[0]}); subtract a common offset, or divide, before "
        "saving them"
    )


def _beyond(column: NDArray[Any]) -> NDArray[np.bool_]:
    above = column >= EXACT
    return above if column.dtype.kind == "u" else above | (column <= -EXACT)


def require_apart(where: str, *columns: NDArray[Any]) -> None:
    """Refuse whole numbers of which different ones become equal as floats."""
    words = merged(*columns)
    if words:
        raise InputError(f"{where}: {words}")
