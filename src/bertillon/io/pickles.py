"""Pickle files: known in order to be refused, since reading one can run any code.

Conventions: known by the first two bytes, protocol 2 to 5.

Holds the format `pickle`, which is neither read nor written.
"""

from __future__ import annotations

from bertillon.io.head import Head
from bertillon.io.registry import Format, register

_MAGICS = tuple(bytes([0x80, protocol]) for protocol in (2, 3, 4, 5))


def fits(head: Head) -> bool:
    return head.raw.startswith(_MAGICS)


PICKLE = Format(
    "pickle",
    "pickled objects, refused",
    rank=0,
    fits=fits,
    refusal="is a pickle, which can run code and is refused; save the scores as CSV, Parquet or .npy",
)

register(PICKLE)
