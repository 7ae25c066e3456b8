"""Scores that come in batches and are never held together.

Conventions: a batch is a pair, mated scores and non-mated ones; either may be empty. NaN is a failed comparison:
counted and taken out. What can be walked again (a callable that starts anew, a list of batches) is walked as often as
an exact answer needs; an iterator can be walked once only.

Holds `ScoreStream`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule
from bertillon.trials.score_set import Failures, ScoreSet

if TYPE_CHECKING:
    from bertillon.counting.streams.walk import FirstPass

Batch = tuple[ArrayLike, ArrayLike] | ScoreSet
Batches = Callable[[], Iterable[Batch]] | Iterable[Batch]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreStream:
    """Batches of (mated, non-mated) scores of one system, and their accept rule.

    >>> batches = [([0.9, 0.8], [0.1]), ([], [0.3, float("nan")])]
    >>> stream = ScoreStream(batches)
    >>> [(batch.mated.size, batch.nonmated.size, batch.failures.nonmated) for batch in stream]
    [(2, 1, 0), (0, 1, 1)]
    >>> stream.repeats, ScoreStream(iter(batches)).repeats
    (True, False)
    """

    batches: Batches
    rule: AcceptRule = AcceptRule.SIMILARITY
    name: str = ""
    notes: tuple[Text, ...] = ()
    warnings: tuple[Text, ...] = ()
    failures: Failures = field(default_factory=Failures)  # known from elsewhere, besides the NaN of the batches
    expected: int | None = None  # scores to come, where that is known, for showing progress
    _walked: list[bool] = field(init=False, repr=False)  # not empty once an iterator was begun

    kind: ClassVar[Literal["verification"]] = "verification"
    form: ClassVar[Literal["stream"]] = "stream"

    def __init__(
        self,
        batches: Batches,
        *,
        rule: AcceptRule | str = AcceptRule.SIMILARITY,
        name: str = "",
        notes: Sequence[Text] = (),
        warnings: Sequence[Text] = (),
        failures: Failures | None = None,
        expected: int | None = None,
    ) -> None:
        if not callable(batches) and not isinstance(batches, Iterable):
            raise InputError(
                f"a stream was made from {type(batches).__name__}; expected an iterator of batches (mated, non-mated), "
                "or a function that returns one"
            )
        put = object.__setattr__  # the way a frozen dataclass is filled
        put(self, "batches", batches)
        put(self, "rule", _as_rule(rule))
        put(self, "name", name)
        put(self, "notes", tuple(notes))
        put(self, "warnings", tuple(warnings))
        put(self, "failures", failures or Failures())
        put(self, "expected", expected)
        put(self, "_walked", [])

    @property
    def repeats(self) -> bool:
        """Can it be walked more than once?"""
        return callable(self.batches) or not isinstance(self.batches, Iterator)

    def with_enrolments(self, failed: int, attempted: int) -> ScoreStream:
        """The same scores, and how many people could not be enrolled."""
        return replace(self, failures=replace(self.failures, enrolments=failed, enrolment_attempts=attempted))

    def whole(self, first: FirstPass) -> ScoreSet | None:
        """All its scores as a set in memory, where a first pass found them few enough to be kept."""
        both = first.scores()
        if both is None:
            return None
        scores = ScoreSet(*both, rule=self.rule, failures=first.failures)
        return replace(scores, name=self.name, notes=self.notes, warnings=self.warnings)

    def __iter__(self) -> Iterator[ScoreSet]:
        """The batches, checked, from the beginning."""
        if not self.repeats and self._walked:
            raise InputError(
                f"{self.name or 'the stream'}: is an iterator that was walked before; make a new stream, or give a "
                "function that returns a new iterator each time"
            )
        self._walked.append(True)
        batches = self.batches() if callable(self.batches) else self.batches
        for number, batch in enumerate(batches, 1):
            yield self._checked(batch, number)

    def _checked(self, batch: Any, number: int) -> ScoreSet:
        if isinstance(batch, ScoreSet):
            if batch.rule is not self.rule:
                raise InputError(f"batch {number:,} holds a {batch.rule.value}, the stream a {self.rule.value}")
            return batch
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise InputError(
                f"batch {number:,} is {_described(batch)}; expected a pair: mated scores, non-mated scores"
            )
        mated, nonmated = batch
        if not np.size(mated) or not np.size(nonmated):  # an empty list has no type of its own to impose
            mated, nonmated = _like(mated, nonmated), _like(nonmated, mated)
        try:
            return ScoreSet(mated, nonmated, rule=self.rule)
        except InputError as error:
            raise InputError(f"batch {number:,}: {error}") from error


def _like(scores: ArrayLike, others: ArrayLike) -> ArrayLike:
    return scores if np.size(scores) else np.empty(0, dtype=np.asarray(others).dtype)


def _described(batch: Any) -> str:
    size = f" of {len(batch):,}" if hasattr(batch, "__len__") else ""
    return f"{type(batch).__name__}{size}"


def _as_rule(rule: AcceptRule | str) -> AcceptRule:
    try:
        return AcceptRule.of(rule)
    except ValueError:
        raise InputError(f"rule is {rule!r}; expected 'similarity' or 'distance'") from None
