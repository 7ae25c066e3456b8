"""What a misspelt name may have meant.

Holds `unknown` and `listed`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is unknown and which known one is nearest.

    >>> unknown("format", "cvs", ["csv", "npy"])
    "format 'cvs' is unknown; did you mean 'csv'? Known are: 'csv', 'npy'"
    """
    every = list(known)
    near = difflib.get_close_matches(name, every, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{what} {name!r} is unknown{hint} Known are: {listed(every)}"


def listed(names: Iterable[str], limit: int = 40) -> str:
    """Names for a message: quoted, and no more than a person reads."""
    every = [repr(name) for name in names]
    return ", ".join(every[:limit]) + (f" and {len(every) - limit} more" if len(every) > limit else "")
