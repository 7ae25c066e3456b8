"""A hash of scores that does not depend on their order, so that parts of a set can be hashed apart and added.

Holds `fingerprint`; `fingerprint_text`, by which those who added up the parts write it; and `scrambled`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.keys import bits_of, keys_of, lowest
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices


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
