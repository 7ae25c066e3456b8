"""What a kind of trial is, for everyone who evaluates, compares or shows trials.

Conventions: trials say of themselves what others would have to ask their class for. `kind` names what was tried
("verification", "identification", "classification", "curve", or that of another package); the measures, the figures and
the sections of a report are found by it. `form` says how much of the trials is there: "whole" where each is held.
Comparisons may also be "counted" or "streamed" (counted and not kept), a "stream" (yet to be counted) or "counts" (from
files).

A package adds a kind of its own with such a class, a `MeasureSet` registered under its kind (see
`bertillon.measures.register_kind`), and nothing else: `evaluate` counts the trials once for all measures, and
intervals, bands and comparisons are made of resamples, which take whole `units` where trials have them and rows where
not. `RowTrials` (see `rows`) has all of it but `count` for trials in columns; any class with what `Trials` asks for
will do. What is known of a kind besides resampling is registered too (see `bertillon.stats.register_statistics`).
docs/extend.md shows a kind from beginning to end.

Holds `Evaluable` (what `evaluate` takes), `Countable` (what can be counted for measures), `Trials` (what is held whole,
so that some can be taken and two systems be aligned), and `row_numbers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule

if TYPE_CHECKING:
    from bertillon.counting.tally import Needs
    from bertillon.trials.aligning import Aligned


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
