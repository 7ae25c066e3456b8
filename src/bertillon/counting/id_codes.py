"""Ids as small integers: who is who, numbered in ascending order of the ids.

Conventions: several columns share one numbering. Whole numbers are ordered as numbers, texts as texts; columns of
different kinds are compared as texts. A column with a missing id cannot be numbered.

Holds `codes_of` and what it gives, `EncodedIds`; and `rows_of_groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import on_threads, slices_of
from bertillon.engine.workers import is_forked

Codes = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedIds:
    """How many ids there are, the ids themselves in ascending order, and the number of each row, column by column."""

    ids: NDArray[Any]
    codes: tuple[Codes, ...]

    @property
    def n(self) -> int:
        return int(self.ids.size)


def codes_of(columns: Sequence[NDArray[Any]]) -> EncodedIds | None:
    """The numbering of several columns, or None where an id is missing.

    >>> found = codes_of([np.array(["b", "a"]), np.array(["c", "b"])])
    >>> found.ids.tolist(), [codes.tolist() for codes in found.codes]
    (['a', 'b', 'c'], [[1, 0], [2, 1]])
    """
    columns = [np.asarray(column) for column in columns]
    if all(column.dtype.kind in "iub" for column in columns):
        return _of_integers(columns)
    few = sum(column.size for column in columns) <= LIMITS.sort_ids_up_to
    if few or all(column.dtype.kind == "f" for column in columns):
        return None if any(_has_gaps(column) for column in columns) else _by_sorting(columns)
    parts = [_of_fixed_texts(column) if column.dtype.kind == "U" else _of_objects(column) for column in columns]
    return _joined([part for part in parts if part is not None]) if None not in parts else None


def rows_of_groups(groups: NDArray[Any]) -> list[NDArray[np.intp]]:
    """The rows of each group, in ascending order of the groups.

    >>> [rows.tolist() for rows in rows_of_groups(np.array(["b", "a", "b"]))]
    [[1], [0, 2]]
    """
    _, group = np.unique(groups.astype(np.str_) if groups.dtype == object else groups, return_inverse=True)
    order = np.argsort(group, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(group[order])) + 1)


def _has_gaps(column: NDArray[Any]) -> bool:
    if column.dtype.kind == "f":
        return bool(np.isnan(column).any())
    return column.dtype.kind == "O" and any(value is None or value != value for value in column)


def _by_sorting(columns: Sequence[NDArray[Any]]) -> EncodedIds:
    if any(column.dtype.kind not in "iubf" for column in columns):
        columns = [column.astype(np.str_) for column in columns]
    ids, codes = np.unique(np.concatenate(columns), return_inverse=True)
    ends = np.cumsum([column.size for column in columns])[:-1]
    return EncodedIds(ids, tuple(np.split(codes.astype(np.int32), ends)))


def _of_integers(columns: Sequence[NDArray[Any]]) -> EncodedIds:
    filled = [column for column in columns if column.size]
    if not filled:
        return EncodedIds(np.empty(0, dtype=np.int64), tuple(np.empty(0, dtype=np.int32) for _ in columns))
    low, high = min(int(column.min()) for column in filled), max(int(column.max()) for column in filled)
    if high - low > max(1 << 16, 4 * sum(column.size for column in filled)):
        return _by_sorting(columns)
    there = np.zeros(high - low + 1, dtype=bool)
    for column in filled:
        there[column.astype(np.int64, copy=False) - low] = True
    number = (np.cumsum(there) - 1).astype(np.int32)
    threads = sum(column.size for column in filled) > LIMITS.sort_ids_up_to
    codes = (on_threads if threads else map)(lambda column: number[column.astype(np.int64, copy=False) - low], columns)
    return EncodedIds(np.flatnonzero(there) + low, tuple(codes))


def _of_fixed_texts(column: NDArray[Any]) -> EncodedIds:
    """Texts of fixed width, found by their characters in a table, each slice by a thread of its own."""
    from bertillon.counting.kernels import number_rows

    code_points = np.ascontiguousarray(column).view(np.uint32).reshape(column.size, column.dtype.itemsize // 4)

    def number(part: slice) -> EncodedIds:
        rows, codes, size = code_points[part], np.empty(part.stop - part.start, dtype=np.int32), 1 << 12
        while True:
            first = np.empty(size // 2, dtype=np.int64)  # the row in which each id was first seen
            n = number_rows(rows, np.full(size, -1, dtype=np.int32), first, codes)
            if n >= 0:
                return EncodedIds(column[part][first[:n]], (codes,))
            size *= 8

    parts = on_threads(number, slices_of(column.size))
    whole = _joined(parts)
    return EncodedIds(whole.ids, (np.concatenate(whole.codes),))


def _of_objects(column: NDArray[Any]) -> EncodedIds | None:
    if is_forked():
        return None if _has_gaps(column) else _by_sorting([np.array(list(map(str, column)), dtype=np.str_)])
    try:
        texts = pl.Series(column, dtype=pl.String)
    except (TypeError, pl.exceptions.ComputeError):  # not all of them are texts
        if _has_gaps(column):
            return None
        texts = pl.Series([str(value) for value in column])
    if texts.null_count():
        return None
    ids = texts.unique().sort()
    return EncodedIds(np.array(ids.to_list(), dtype=np.str_), (texts.cast(pl.Enum(ids)).to_physical().to_numpy(),))


def _joined(parts: Sequence[EncodedIds]) -> EncodedIds:
    """Several numberings as one."""
    ids = np.unique(np.concatenate([part.ids.astype(np.str_) for part in parts]))
    codes: list[Codes] = []
    for part in parts:
        number = np.searchsorted(ids, part.ids.astype(np.str_)).astype(np.int32)
        codes += [number[own] for own in part.codes]
    return EncodedIds(ids, tuple(codes))
