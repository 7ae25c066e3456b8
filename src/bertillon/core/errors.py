"""What can go wrong, as exceptions a person can act on.

Conventions: a message says where, what was found, what was expected and what to do. The command line turns
`InputError` into exit code 2 and `CheckFailed` into exit code 1; nothing else is raised on purpose.

Holds `BertillonError`, `InputError`, `CheckFailed` and `Fault`, the note of one bad line; for their texts
`shortened`, `unknown` (what a misspelt name may have meant) and `listed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SHOWN_FAULTS = 5


class BertillonError(Exception):
    """Anything bertillon raises on purpose.

    Examples
    --------
    >>> issubclass(InputError, BertillonError)
    True
    """


class InputError(BertillonError, ValueError):
    """The data or the request cannot be used as it stands (exit code 2).

    Examples
    --------
    >>> import bertillon as bt
    >>> try:
    ...     bt.eer("scores.txt", [0.1])
    ... except bt.InputError as error:
    ...     print(str(error)[:46])
    genuine scores are the text 'scores.txt'; expe
    """


class CheckFailed(BertillonError):
    """The work was done and the answer is "no" (exit code 1)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One bad line of a file: where it stands, what was found there, and what is wrong with it."""

    line: int
    text: str
    problem: str


def faults_error(source: str, faults: Sequence[Fault], count: int | None = None) -> InputError:
    """One error for all faulty lines of a file: the first five in full, and how many there are.

    >>> print(faults_error("scores.csv", [Fault(412, "a,n/a", "score 'n/a' is not a number")]))
    scores.csv:412: score 'n/a' is not a number (in 'a,n/a')
    """
    total = len(faults) if count is None else count
    shown = [(fault, shortened(fault.text.rstrip("\r\n"))) for fault in faults[:SHOWN_FAULTS]]
    lines = [f"{source}:{fault.line}: {fault.problem} (in {text!r})" for fault, text in shown]
    if total > len(lines):
        lines.append(f"{source}: {total:,} faulty lines in all; the first {len(lines)} are shown")
    return InputError("\n".join(lines))


def shortened(text: str, limit: int = 60) -> str:
    """A text, its end left out where it is long.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that a name is unknown and which known one is nearest.

    >>> unknown("format", "cvs", ["csv", "npy"])
    "format 'cvs' is unknown; did you mean 'csv'? Known are: 'csv', 'npy'"
    """
    import difflib  # only where something went wrong

    every = list(known)
    near = difflib.get_close_matches(name, every, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{what} {name!r} is unknown{hint} Known are: {listed(every)}"


def listed(names: Iterable[str], limit: int = 40) -> str:
    """Names for a message: quoted, and no more than a person reads."""
    every = [repr(name) for name in names]
    return ", ".join(every[:limit]) + (f" and {len(every) - limit} more" if len(every) > limit else "")
