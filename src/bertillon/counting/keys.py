"""Scores and ids as integers: floats under keys of the same order, with a hash of them; ids as small numbers.

Conventions: the key of a float is its magnitude bits, negated for a negative float. Keys order as the floats do, the
two zeros share key 0, and the key of -x is minus the key of x, so a distance is oriented by a change of sign.
float32 and float64 have keys of their own; both fit in int64.

Most keys belong to floats next to zero that no score comes near. Folding draws all keys towards zero by a base, so
that those within the base of zero become one; order is kept.

The fingerprint of scores does not depend on their order, so that parts of a set can be hashed apart and added.

Ids, who is who, are numbered in ascending order. Several columns share one numbering. Whole numbers are ordered as
numbers, texts as texts; columns of different kinds are compared as texts. A column with a missing id cannot be
numbered.

Holds `bits_of`, `keys_of`, `floats_of`, `bins_of`, `folded`, `unfolded` and `near_zero`; `fingerprint`, and
`fingerprint_text`, by which those who added up the parts write it; `codes_of` and what it gives, `EncodedIds`; and
`rows_of_groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.core.lazy import pl
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices
from bertillon.engine.workers import is_forked, on_threads, slices_of

Codes = NDArray[Any]


def bits_of(scores: NDArray[Any]) -> NDArray[Any]:
    """The raw bits of float32 or float64 scores as signed integers, without a copy."""
    return scores.view(np.int32 if scores.dtype == np.float32 else np.int64)


def lowest(dtype: DTypeLike) -> int:
    """The bits of a negative zero: what a negative float's bits are measured from."""
    return -(2**31) if dtype == np.float32 else -(2**63)


def keys_of(scores: NDArray[Any]) -> NDArray[np.int64]:
    """The ordered integer key of each score.

    >>> keys_of(np.array([-0.0, 0.0, 5e-324, -5e-324])).tolist()
    [0, 0, 1, -1]
    """
    bits = bits_of(scores).astype(np.int64)
    return np.where(bits >= 0, bits, lowest(scores.dtype) - bits)


def floats_of(keys: NDArray[np.int64], dtype: DTypeLike) -> NDArray[np.float64]:
    """The floats whose keys these are, as float64.

    >>> floats_of(keys_of(np.array([1.5, -2.0], dtype=np.float32)), np.float32).tolist()
    [1.5, -2.0]
    """
    bits = np.where(keys >= 0, keys, lowest(dtype) - keys)
    if np.dtype(dtype) == np.float32:
        return bits.astype(np.int32).view(np.float32).astype(np.float64)
    return bits.view(np.float64)


def bins_of(keys: NDArray[np.int64], first: int, shift: int) -> NDArray[np.int64]:
    """The bin of each key when bins of 2**shift keys start at `first`, which no key may precede."""
    distance = (keys - np.int64(first)).view(np.uint64)  # unsigned: the range may exceed 2**63
    return (distance >> np.uint64(shift)).astype(np.int64)


def folded(keys: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Keys drawn towards zero by the base.

    >>> folded(np.array([-7, -5, -1, 0, 5, 6]), 5).tolist()
    [-2, 0, 0, 0, 0, 1]
    """
    return np.asarray(np.sign(keys) * np.maximum(np.abs(keys) - base, 0))


def unfolded(keys: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """The lowest key that folds to each.

    >>> unfolded(np.array([-2, 0, 1]), 5).tolist()
    [-7, -5, 6]
    """
    return np.where(keys > 0, keys + base, keys - base)


def near_zero(keys: NDArray[np.int64]) -> int:
    """A base to fold by: a thousandth of the keys that are not zero lie within it."""
    sizes = np.sort(np.abs(keys[keys != 0]))
    return int(sizes[sizes.size // 1000]) if sizes.size else 0


def fingerprint(mated: NDArray[Any], nonmated: NDArray[Any]) -> str:
    """A short name for the data: the same for the same scores in any order.

    >>> one, two = np.array([1.0, 2.0]), np.array([0.5])
    >>> fingerprint(one, two) == fingerprint(one[::-1].copy(), two) != fingerprint(two, one)
    True
    """
    return fingerprint_text((_mixed_sums(mated), mated.size), (_mixed_sums(nonmated), nonmated.size))


def fingerprint_text(mated: tuple[int, int], nonmated: tuple[int, int]) -> str:
    """The name, from the sum of the scrambled keys of each class and its number (a zero scrambles to zero)."""
    return "-".join(f"{(mix + number) % 2**64:016x}" for mix, number in (mated, nonmated))


def _mixed_sums(scores: NDArray[Any]) -> int:
    if scores.size >= LIMITS.memory.hash_compiled_from:
        from bertillon.counting.kernels import mix_keys

        low = lowest(scores.dtype)
        return sum(int(part) for part in in_slices(lambda bits: mix_keys(bits, low, 1), bits_of(scores)))
    return int(scrambled(keys_of(scores).view(np.uint64)).sum(dtype=np.uint64))


def scrambled(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each word as another that looks like chance, and no two alike (SplitMix64); 0 stays 0."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


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
    few = sum(column.size for column in columns) <= LIMITS.memory.sort_ids_up_to
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
    threads = sum(column.size for column in filled) > LIMITS.memory.sort_ids_up_to
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
