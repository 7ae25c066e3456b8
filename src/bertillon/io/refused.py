"""Files that are recognised in order to say why they are not read as scores: pickles and counts.

Conventions: both are known by their first bytes. Reading a pickle (protocol 2 to 5) can run any code. What follows the
first bytes of counts is written and read by `counting.streams.counts_file`, for `bertillon verify` and `bertillon
count` alone.

Holds the formats `pickle` and `counts`, which are neither read nor written, `is_pickle` and `is_counts`.
"""

from __future__ import annotations

import os

from bertillon.io.head import Head
from bertillon.io.registry import Format, register
from bertillon.io.source import first_bytes

MAGIC = b"\x89bertillon counts\n"
_PICKLES = tuple(bytes([0x80, protocol]) for protocol in (2, 3, 4, 5))


def is_pickle(head: Head) -> bool:
    return head.raw.startswith(_PICKLES)


def fits_counts(head: Head) -> bool:
    return head.raw.startswith(MAGIC)


def is_counts(path: str | os.PathLike[str]) -> bool:
    """Does a file begin as counts do?"""
    return first_bytes(path, len(MAGIC)) == MAGIC


register(
    Format(
        "pickle",
        "pickled objects, refused",
        rank=0,
        fits=is_pickle,
        refusal="is a pickle, which can run code and is refused; save the scores as CSV, Parquet or .npy",
    ),
    Format(
        "counts",
        "counts of scores (bertillon count)",
        rank=0,
        fits=fits_counts,
        refusal="holds counts of scores, not the scores; bertillon verify and bertillon count read them",
    ),
)
