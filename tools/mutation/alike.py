"""Changes that leave the code what it was, wherever they are made.

A change is known by what stands before and after: replacing one match of the pattern must give just the changed line.
What is alike for a reason of the place alone is listed in `explained.json` instead.

Holds `why_alike`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

ALIKE = (
    ("no type means float64 to numpy, which is the type asked for", r"\.astype\(np\.float64(?=[,)])", ".astype(None"),
    ("no type means float64 to numpy, which is the type asked for", r"\.view\(np\.float64\)", ".view(None)"),
    (
        "no type means float64 to numpy, which is the type asked for",
        r"(np\.(?:zeros|ones|empty)\((?:[^()]|\([^()]*\))*, )dtype=np\.float64\)",
        r"\1)",
    ),
    (
        "no type means float64 to numpy, which is the type asked for",
        r"(np\.(?:zeros|ones|empty)\((?:[^()]|\([^()]*\))*, )dtype=np\.float64\)",
        r"\1dtype=None)",
    ),
    ("numpy reads the name of a sort in capitals too", r'kind="stable"', 'kind="STABLE"'),
    (
        'side="left" is what numpy does unless told otherwise; it is said because ties are decided there',
        r'(np\.searchsorted\((?:[^()]|\([^()]*\))*, )side="left"\)',
        r"\1)",
    ),
    ("numpy takes any negative length for the one it is to find", r"\.reshape\(-1(?=[,)])", ".reshape(-2"),
)


def why_alike(key: str) -> str | None:
    """Why a mutant cannot be told from the code, or None where it may be.

    >>> why_alike("counts.f: x = y.astype(np.float64) -> x = y.astype(None)")
    'no type means float64 to numpy, which is the type asked for'
    >>> why_alike("counts.f: x = y.astype(np.int64) -> x = y.astype(None)") is None
    True
    """
    change = key.partition(": ")[2]
    return next(
        (
            reason
            for reason, pattern, instead in ALIKE
            for before, after in _sides(change)
            for match in re.finditer(pattern, before)
            if before[: match.start()] + match.expand(instead) + before[match.end() :] == after
        ),
        None,
    )


def _sides(change: str) -> Iterator[tuple[str, str]]:
    """What may stand before and after: an arrow can be part of either."""
    for arrow in re.finditer(" -> ", change):
        yield change[: arrow.start()], change[arrow.end() :]
