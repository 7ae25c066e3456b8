"""Under which condition each comparison was made: the values of a column, bins of one, or two columns crossed.

    tcond                 a condition for each value of the column
    years:0,2,5,10        bins [0, 2), [2, 5) and [5, 10]: the lower end belongs to a bin, the upper one to the last
    two of these          a condition for each pair of them that occurs

Conventions: every comparison has a condition. A value that is missing, and a number outside all bins, is refused and
not left out: a rate over what is left would not be that of the system. `-inf` and `inf` may end the bins. Values that
are numbers stand in their order, all others in that of their letters. Comparisons that failed have a condition too,
where a table says which.

Holds `TrialConditions`, `conditions_of_pairs` (of a table of comparisons), `conditions_of_values` and
`failed_subjects`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError, unknown
from bertillon.core.showing import short_repr
from bertillon.core.tables import ComparisonTable
from bertillon.trials.score_set import ScoreSet

MOST_CONDITIONS = 100
MOST_CROSSED = 2


@dataclass(frozen=True, slots=True, eq=False)
class TrialConditions:
    """The condition of every comparison, by number: the mated ones first, then the others."""

    __repr__ = short_repr

    by: tuple[str, ...]
    names: tuple[str, ...]
    code: NDArray[np.int64]
    failed: NDArray[np.int64] | None = None  # mated and non-mated ones that failed, a row a condition; None: not known

    def rows(self, condition: int) -> NDArray[np.bool_]:
        """Which comparisons were made under it."""
        return np.asarray(self.code == condition)

    def require_fit(self, scores: ScoreSet) -> None:
        """Every score has a condition."""
        if self.code.size != scores.size:
            held = f"{scores.mated.size:,} mated and {scores.nonmated.size:,} non-mated scores"
            raise InputError(f"{self.code.size:,} conditions for {held}; expected one each, the mated ones first")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column to divide comparisons by, and the bins of its numbers."""

    name: str
    edges: tuple[float, ...] = ()

    @classmethod
    def read(cls, text: str) -> _Column:
        """From `tcond` or `years:0,2,5,10`."""
        name, colon, ends = text.partition(":")
        name = name.strip()
        if not name:
            raise InputError(f"condition {text!r} names no column; expected COLUMN, or COLUMN:0,2,5,10 for bins")
        if not colon:
            return cls(name)
        try:
            edges = tuple(float(end) for end in ends.split(","))
        except ValueError:
            raise InputError(
                f"condition {text!r}: {ends!r} are no numbers; expected bins as in years:0,2,5,10"
            ) from None
        rising = all(low < high for low, high in pairwise(edges))
        if len(edges) < 2 or not rising or any(map(math.isnan, edges)):
            raise InputError(f"condition {text!r}: expected two or more ends of bins that rise, as in years:0,2,5,10")
        return cls(name, edges)

    def codes(self, values: Sequence[Any], source: str) -> tuple[list[str], NDArray[np.int64]]:
        """The conditions in their order, and which each value is of."""
        lacking = sum(_is_missing(value) for value in values)
        if lacking:
            raise InputError(
                f"{source}: {lacking:,} of {len(values):,} comparisons have no {self.name}; expected a value for each: "
                "write 'unknown' to make a condition of those"
            )
        return self._binned(values, source) if self.edges else self._named(values, source)

    def _named(self, values: Sequence[Any], source: str) -> tuple[list[str], NDArray[np.int64]]:
        written = np.array([_written(value) for value in values], dtype=object)
        names, code = np.unique(written.astype(str), return_inverse=True)
        if names.size > MOST_CONDITIONS:
            held = f"{source}: {self.name} has {names.size:,} different values"
            raise InputError(f"{held}; expected at most {MOST_CONDITIONS}: give bins, as in {self.name}:0,2,5,10")
        order = sorted(range(names.size), key=lambda place: _in_order(str(names[place])))
        place_of = np.empty(names.size, dtype=np.int64)
        place_of[order] = np.arange(names.size)
        return [str(names[place]) for place in order], place_of[code]

    def _binned(self, values: Sequence[Any], source: str) -> tuple[list[str], NDArray[np.int64]]:
        numbers = np.array([_number(value, self.name, source) for value in values])
        code = np.searchsorted(self.edges, numbers, side="right") - 1
        code[numbers == self.edges[-1]] = len(self.edges) - 2
        outside = (code < 0) | (code > len(self.edges) - 2)
        if outside.any():
            few = f"{int(np.count_nonzero(outside)):,} of {numbers.size:,} comparisons"
            seen = f"from {numbers.min():g} to {numbers.max():g}"
            wider = ",".join(f"{edge:g}" for edge in (-math.inf, *self.edges, math.inf))
            raise InputError(
                f"{source}: the bins of {self.name} leave out {few}, which lie {seen}; expected bins that hold all, "
                f"such as {self.name}:{wider}"
            )
        last = len(self.edges) - 2
        ends = enumerate(pairwise(self.edges))
        return [f"[{low:g}, {high:g}{']' if place == last else ')'}" for place, (low, high) in ends], code


def conditions_of_pairs(table: ComparisonTable, by: Sequence[str]) -> TrialConditions:
    """The conditions of the comparisons of a table, also of those that failed.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"score": [0.9, 0.4, 0.1], "mated": [False, True, True], "years": [1, 7, 2]})
    >>> found = conditions_of_pairs(ComparisonTable(frame), ["years:0,2,10"])
    >>> found.names, found.code.tolist()
    (('[0, 2)', '[2, 10]'), [1, 1, 0])
    """
    frame = table.frame
    lacking = [name for name in ("score", "mated") if name not in frame.columns]
    if lacking:
        raise InputError(
            f"{table.source}: has no column {lacking[0]!r}; conditions go with a table that holds the score, the label "
            "and the condition of each comparison: put them into one"
        )
    columns = _columns(by)
    for column in columns:
        if column.name not in frame.columns:
            raise InputError(unknown(f"{table.source}: column", column.name, frame.columns))
    names, code = _crossed(columns, [frame[column.name].to_list() for column in columns], table.source)
    mated = frame["mated"].to_numpy().astype(bool)
    scored = ~np.isnan(frame["score"].cast(float).fill_null(math.nan).to_numpy())
    kinds = [np.bincount(code[kind & ~scored], minlength=len(names)) for kind in (mated, ~mated)]
    kept = np.concatenate([code[mated & scored], code[~mated & scored]])
    return TrialConditions(tuple(by), names, kept, np.stack(kinds, axis=1))


def conditions_of_values(columns: Mapping[str, ArrayLike], source: str = "conditions") -> TrialConditions:
    """The same of columns in memory, whose names may hold bins: the mated comparisons first, then the others.

    >>> conditions_of_values({"place": ["in", "out", "in"], "age:0,50,99": [20, 70, 50]}).names
    ('in, [0, 50)', 'in, [50, 99]', 'out, [50, 99]')
    """
    read = _columns(tuple(columns))
    values = [np.asarray(column, dtype=object).tolist() for column in columns.values()]
    if len({len(column) for column in values}) > 1:
        raise InputError(f"{source}: columns of {', '.join(f'{len(c):,}' for c in values)} values; expected as many")
    return TrialConditions(tuple(columns), *_crossed(read, values, source))


def failed_subjects(table: ComparisonTable) -> list[Any] | None:
    """The person of each mated comparison of a table that gave no score; None where that is not known."""
    frame = table.frame
    if not {"score", "mated", "probe_subject"} <= set(frame.columns):
        return None
    scored = ~np.isnan(frame["score"].cast(float).fill_null(math.nan).to_numpy())
    lost = frame["mated"].to_numpy().astype(bool) & ~scored
    return [person for person, failed in zip(frame["probe_subject"].to_list(), lost.tolist(), strict=True) if failed]


def _columns(by: Sequence[str]) -> list[_Column]:
    if not 1 <= len(by) <= MOST_CROSSED:
        raise InputError(f"{len(by)} columns of conditions; expected one, or two that are crossed")
    return [_Column.read(text) for text in by]


def _crossed(
    columns: Sequence[_Column], values: Sequence[Sequence[Any]], source: str
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The conditions that occur, of one column or of each pair of values of two."""
    made = [column.codes(own, source) for column, own in zip(columns, values, strict=True)]
    names, code = made[0]
    if len(made) > 1:
        others, second = made[1]
        names = [f"{first}, {other}" for first in names for other in others]
        code = code * len(others) + second
    there, packed = np.unique(code, return_inverse=True)
    return tuple(names[place] for place in there), packed.astype(np.int64)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _written(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else str(value)


def _in_order(name: str) -> tuple[int, float, str]:
    """Numbers first, in their order."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _number(value: Any, name: str, source: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{source}: {name} is {value!r}, no number; leave out the bins, or correct it") from None
