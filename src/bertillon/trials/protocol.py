"""What a kind of trial is, for everyone who evaluates, compares or shows trials.

Conventions: trials say of themselves what others would have to ask their class for. `kind` names what was tried
("verification", "identification", "classification", "curve", or that of another package); the measures, the figures and
the sections of a report are found by it. `form` says how much of the trials is there: "whole" where each is held.
Comparisons may also be "counted" or "streamed" (counted and not kept), a "stream" (yet to be counted) or "counts" (from
files).

A package adds a kind of its own with such a class, a `MeasureSet` registered under its kind (see
`bertillon.measures.register_kind`), and nothing else: `evaluate` counts the trials once for all measures, and
intervals, bands and comparisons are made of resamples, which take whole `units` where trials have them and rows where
not. `RowTrials` has all of it but `count` for trials in columns; any class with what `Trials` asks for will do. What is
known of a kind besides resampling is registered too (see `bertillon.stats.register_statistics`).

Holds `Evaluable` (what `evaluate` takes), `Countable` (what can be counted for measures), `Trials` (what is held whole,
so that some can be taken and two systems be aligned), `row_numbers` and `RowTrials`.

>>> from dataclasses import dataclass
>>> import numpy as np
>>> import bertillon as bt
>>> from bertillon.measures import Definition, Measure, MeasureSet, Result, Spelling, register_kind
>>> from bertillon.trials import RowTrials
>>> @dataclass(frozen=True, eq=False)
... class Answers(RowTrials):
...     "Questions of a quiz, right or wrong."
...     right: np.ndarray
...     pupil: np.ndarray
...     name: str = ""
...     kind, unit = "quiz", "pupil"
...     def count(self, needs):
...         return self.right
>>> class Score(Measure):
...     "The share of right answers."
...     spelling = Spelling("QuizScore")
...     def of(self, tally):
...         return Result.share(int(tally.sum()), tally.size)
>>> quiz = MeasureSet("quiz")
>>> quiz.register(Definition("QuizScore", lambda spelling: Score(), "Right answers.", "QuizScore", better="higher"))
>>> register_kind(quiz)
>>> answers = Answers([True, False, True, True], ["ann", "ann", "bob", "eve"], name="monday")
>>> evaluation = bt.evaluate(answers, "QuizScore").with_intervals()
>>> evaluation["QuizScore"].value, str(evaluation.intervals["QuizScore"].method)
(0.75, "trials grouped by pupil resampled 1,000 times, Student's t")
>>> bt.evaluate(answers.select(answers.pupil == "ann")), answers.align(answers).trials
(<Evaluation of monday: 2 trials
  QuizScore 0.5>, 4)
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import describe
from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.keys import scrambled
from bertillon.counting.tally import Needs
from bertillon.trials.aligning import Aligned, name_of, same_columns

ROW = ("row",)
NEXT = np.uint64(0x9E3779B97F4A7C15)  # sets one column apart from the next


class Evaluable(Protocol):
    """What `evaluate` takes: trials, or what is left of them, of one system."""

    @property
    def kind(self) -> str:
        """What was tried; measures, figures and sections are found by it."""

    @property
    def form(self) -> str:
        """How much of the trials is there: "whole" where every trial is held."""

    @property
    def name(self) -> str:
        """The system's name; "" where it has none."""


class Countable(Evaluable, Protocol):
    """Trials of which can be counted what measures need."""

    @property
    def rule(self) -> AcceptRule:
        """Which side of a threshold is accepted."""

    @property
    def n_trials(self) -> int:
        """How many trials there are, failed ones left out."""

    @property
    def failed(self) -> int:
        """How many trials failed."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many trials of each kind and how many failed, as an evaluation shows them."""

    @property
    def fingerprint(self) -> str:
        """A short name for the data: the same for the same trials in any order."""

    @property
    def definitions(self) -> Mapping[str, Any]:
        """What the numbers mean, and under "data" the fingerprint: plain values, for the signature of an evaluation."""

    @property
    def curves(self) -> tuple[str, ...]:
        """The curves these trials have, by the names of their figures; () for a kind without curves."""

    def count(self, needs: Needs) -> Any:
        """Count the trials once for some measures.

        Args:
            needs: What the measures need together; `Needs.of(measures)` makes it. A kind of trial with few trials may
                ignore it and count everything.

        Returns:
            The tally that the measures of this kind read: what `Measure.of` is given.
        """


class Trials(Countable, Protocol):
    """Trials that are held whole."""

    def select(self, rows: ArrayLike) -> Self:
        """Some of the trials, for groups and conditions.

        Args:
            rows: Which: a mask with one entry per trial, or row numbers, in their order and as often as they occur
                (see `row_numbers`).

        Returns:
            The same system with these trials. Failures have no row and stay as they are.
        """

    def same_as(self, other: Self) -> bool:
        """Would every measure have the same value?

        Args:
            other: Trials of the same kind and form, aligned with these.
        """

    def align(self, other: Self, by: Sequence[str] | None = None) -> Aligned[Self]:
        """The trials that both systems have, in the same order.

        Args:
            other: Trials of the same kind and form.
            by: Ids that tell trials apart, for kinds that know several; None chooses them, and ("row",) takes rows as
                they stand.

        Returns:
            Both systems with the trials they share, how these were brought together, and what was left out.
        """


def row_numbers(rows: ArrayLike, n: int) -> NDArray[np.intp]:
    """Rows as numbers, from a mask of `n` entries or from row numbers.

    >>> row_numbers([True, False, True], 3).tolist(), row_numbers([2, 0, 0], 3).tolist()
    ([0, 2], [2, 0, 0])
    """
    chosen = np.asarray(rows)
    if chosen.dtype == np.bool_:
        if chosen.shape != (n,):
            raise InputError(f"a mask of shape {chosen.shape} for {n:,} trials; expected one entry per trial")
        return np.flatnonzero(chosen)
    return chosen.astype(np.intp)


class RowTrials(ABC):
    """Trials in columns of equal length: a frozen dataclass whose lists and arrays have one entry per trial.

    What else it holds (a name, an option) belongs to the system. It says `kind`, and counts itself for its measures.

        unit    the column of ids whose trials are resampled together; "" where each trial is one, as if independent
        key     the column of ids that tells trials apart, by which two systems are aligned; "" for row by row
        given   the columns that belong to the trials and not to the system, and so must agree in two systems

    `Answers` in the docstring of this module is one.
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
            raise InputError(f"{name_of(self)}: {column} has repeated values, so it does not identify trials")
        return keys


def require_trials(trials: Any) -> None:
    """Refuse what holds no trials."""
    if not hasattr(trials, "kind") or not hasattr(trials, "rule"):
        expected = "trials, such as a ScoreSet, a SearchSet or Predictions (read_scores(...) reads a ScoreSet)"
        raise InputError(f"the trials are {describe(trials)}; expected {expected}")


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
