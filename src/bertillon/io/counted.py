"""Counts of scores: known in order to say who reads them.

Conventions: known by the first bytes. `counting.streams.counts_file` writes and reads what follows them.

Holds the format `counts`, which holds no comparisons and is read by `bertillon verify` and `bertillon count` alone,
and `is_counts`.
"""

from __future__ import annotations

import os
from pathlib import Path

from bertillon.io.head import Head
from bertillon.io.registry import Format, register

MAGIC = b"\x89bertillon counts\n"


def fits(head: Head) -> bool:
    return head.raw.startswith(MAGIC)


def is_counts(path: str | os.PathLike[str]) -> bool:
    """Does a file begin as counts do? What is no regular file, such as a pipe, is not looked into."""
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False  # whoever reads it will say what is wrong


COUNTS = Format(
    "counts",
    "counts of scores (bertillon count)",
    rank=0,
    fits=fits,
    refusal="holds counts of scores, not the scores; bertillon verify and bertillon count read them",
)

register(COUNTS)
