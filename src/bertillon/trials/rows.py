"""Trials as rows: what a kind of trial of another package is built on.

Conventions: such a kind is a frozen dataclass whose lists and arrays have one entry per trial; what else it holds (a
name, an option) belongs to the system. It says `kind`, and counts itself for its measures.

    unit    the column of ids whose trials are resampled together; "" where each trial is one, as if independent
    key     the column of ids that tells trials apart, by which two systems are aligned; "" for row by row
    given   the columns that belong to the trials and not to the system, and so must agree in two systems

Holds `RowTrials`.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.fingerprint import scrambled
from bertillon.counting.tally import Needs
from bertillon.trials.aligning import Aligned, name_of, same_columns
from bertillon.trials.protocol import row_numbers

ROW = ("row",)
NEXT = np.uint64(0x9E3779B97F4A7C15)  # sets one column apart from the next


class RowTrials(ABC):
    """Trials in columns of equal length.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Answers(RowTrials):
    ...     "Questions of a quiz, right or wrong."
    ...     right: np.ndarray
    ...     pupil: np.ndarray
    ...     name: str = ""
    ...     kind, unit = "quiz of pupils", "pupil"
    ...     def count(self, needs):
    ...         return self.right
    >>> answers = Answers([True, False, True], ["ann", "ann", "bob"])
    >>> answers.select([2, 0]).units.tolist(), answers.counts, answers.align(answers).trials
    (['bob', 'ann'], {'trials': 3, 'failed': 0}, 3)
    """

    kind: ClassVar[str]
    form: ClassVar[str] = "whole"
    rule: ClassVar[AcceptRule] = AcceptRule.SIMILARITY
    curves: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = ""
    key: ClassVar[str] = ""
    given: ClassVar[tuple[str, ...]] = ()
    failed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        for name, values in self._fields.items():
            if isinstance(values, list | tuple | np.ndarray) or hasattr(values, "__array__"):
                object.__setattr__(self, name, np.asarray(values))  # the way a frozen dataclass is filled
        lengths = {name: column.shape[:1] for name, column in self.columns.items()}
        if len(set(lengths.values())) != 1 or () in lengths.values():
            shown = ", ".join(f"{name} {column.shape}" for name, column in self.columns.items()) or "none"
            raise InputError(f"{self.kind}: columns are {shown}; expected the same length of each")

    @abstractmethod
    def count(self, needs: Needs) -> Any:
        """Count the trials once for some measures: what `Measure.of` is given."""

    @property
    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """What has an entry per trial, by name."""
        return {name: values for name, values in self._fields.items() if isinstance(values, np.ndarray)}

    @property
    def n_trials(self) -> int:
        """How many trials there are."""
        return len(next(iter(self.columns.values())))

    @property
    def units(self) -> NDArray[Any] | None:
        """The id of what each trial is resampled with; None where that is not known."""
        ids: NDArray[Any] | None = getattr(self, self.unit) if self.unit else None
        return ids

    @property
    def counts(self) -> Mapping[str, int]:
        """How many trials, and how many failed."""
        return {"trials": self.n_trials, "failed": self.failed}

    @property
    def fingerprint(self) -> str:
        """A short name for the data: the same for the same trials in any order."""
        rows = np.zeros(self.n_trials, dtype=np.uint64)
        for column in self.columns.values():
            rows = _mixed(rows, column)
        whole = f"{list(self.columns)} {rows.size} {rows.sum(dtype=np.uint64)}"
        return hashlib.blake2b(whole.encode(), digest_size=8).hexdigest()

    @property
    def definitions(self) -> Mapping[str, Any]:
        """What the numbers mean: here the data they belong to."""
        return {"data": self.fingerprint}

    def select(self, rows: ArrayLike) -> Self:
        """Some of the trials, by a mask or by row numbers."""
        chosen = row_numbers(rows, self.n_trials)
        taken: Self = replace(self, **{name: column[chosen] for name, column in self.columns.items()})  # type: ignore[type-var]
        return taken

    def same_as(self, other: Self) -> bool:
        """Is everything the same but the name?"""
        return same_columns(self, other, (name for name in self._fields if name != "name"))

    def align(self, other: Self, by: Sequence[str] | None = None) -> Aligned[Self]:
        """The trials that both systems have: by the column of ids, that of `by`, or row by row."""
        key = self.key if by is None else "" if tuple(by) == ROW else " ".join(by)
        if not key:
            return self._agreeing(other, say("pairing.rows"))
        mine, theirs = (system._keys(key) for system in (self, other))
        _, own, others = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
        if not own.size:
            raise InputError(f"{name_of(self)} and {name_of(other)} have no {key} in common")
        order = np.argsort(own)
        both = self.select(own[order])._agreeing(other.select(others[order]), say("pairing.by", ids=key))
        return replace(both, only_first=mine.size - own.size, only_second=theirs.size - own.size)

    def _agreeing(self, other: Self, how: Any) -> Aligned[Self]:
        """Both, where trials are as many and what belongs to them is the same."""
        if self.n_trials != other.n_trials:
            raise InputError(
                f"{name_of(self)} has {self.n_trials:,} trials and {name_of(other)} {other.n_trials:,}; expected the "
                "same trials"
            )
        for name in filter(None, (*self.given, self.unit)):
            if not same_columns(self, other, [name]):
                raise InputError(f"{name} differs between {name_of(self)} and {name_of(other)}; expected the same")
        return Aligned(self, other, how)

    def _keys(self, column: str) -> NDArray[Any]:
        if column not in self.columns:
            raise InputError(
                f"trials cannot be aligned by {column}; expected one of {', '.join((*self.columns, *ROW))}"
            )
        keys = self.columns[column]
        if np.unique(keys).size != keys.size:
            raise InputError(f"{name_of(self)}: {column} repeats, so that it does not tell trials apart")
        return keys


def _mixed(rows: NDArray[np.uint64], column: NDArray[Any]) -> NDArray[np.uint64]:
    """The hash of every row with the entry of one more column.

    Equal numbers of different precision are the same, and so are all NaN; what is neither number nor text is taken as
    Python shows it.
    """
    if column.ndim > 1:
        for part in column.reshape(len(column), -1).T if column.size else ():
            rows = _mixed(rows, part)
        return rows
    if column.dtype.kind not in "biufU":
        column = np.array([repr(value) for value in column.tolist()], dtype=np.str_)
    rows = scrambled(rows + NEXT)
    if column.dtype.kind == "U":
        letters = np.ascontiguousarray(column).astype(column.dtype.newbyteorder("=")).view(np.uint32)
        for letter in letters.reshape(len(column), -1).astype(np.uint64).T if column.size else ():
            rows = np.where(letter, scrambled(rows ^ letter), rows)  # a text is the same in a wider column
        return rows
    if column.dtype.kind == "f":
        column = (np.where(np.isnan(column), np.nan, column).astype(np.float64) + 0.0).view(np.uint64)
    return scrambled(rows ^ column.astype(np.uint64))
