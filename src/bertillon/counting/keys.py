"""Floats as integers of the same order, so that scores can be binned by their bits; and a hash of them.

Conventions: the key of a float is its magnitude bits, negated for a negative float. Keys order as the floats do, the
two zeros share key 0, and the key of -x is minus the key of x, so a distance is oriented by a change of sign.
float32 and float64 have keys of their own; both fit in int64.

Most keys belong to floats next to zero that no score comes near. Folding draws all keys towards zero by a base, so
that those within the base of zero become one; order is kept.

The fingerprint of scores does not depend on their order, so that parts of a set can be hashed apart and added.

Holds `bits_of`, `keys_of`, `floats_of`, `bins_of`, `folded`, `unfolded` and `near_zero`; `fingerprint`, and
`fingerprint_text`, by which those who added up the parts write it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices


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
    if scores.size >= LIMITS.hash_compiled_from:
        from bertillon.counting.kernels import mix_keys

        low = lowest(scores.dtype)
        return sum(int(part) for part in in_slices(lambda bits: mix_keys(bits, low, 1), bits_of(scores)))
    return int(scrambled(keys_of(scores).view(np.uint64)).sum(dtype=np.uint64))


def scrambled(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each word as another that looks like chance, and no two alike (SplitMix64); 0 stays 0."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
