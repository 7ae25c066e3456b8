"""The input of a 1:1 evaluation: scores of mated and non-mated comparisons, held together or coming in batches.

Conventions: NaN is a failed comparison: counted and taken out.

A batch of a stream is a pair, mated scores and non-mated ones; either may be empty. What can be walked again (a
callable that starts anew, a list of batches) is walked as often as an exact answer needs; an iterator can be walked
once only.

Holds `ScoreSet`, `TrialIds` and `kept_of`, and `ScoreStream`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import as_array, as_floats, fill, looks_like_labels, require
from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.core.tables import require_distinct_floats
from bertillon.counting.error_counts import Comparisons, Outcomes, definitions_of, outcomes
from bertillon.counting.error_counts import Failures as Failures
from bertillon.counting.keys import fingerprint
from bertillon.counting.limits import LIMITS
from bertillon.counting.slices import in_slices
from bertillon.counting.tally import Needs, Tally, take_tally
from bertillon.trials.aligning import Aligned, align_scores, same_columns
from bertillon.trials.protocol import row_numbers

if TYPE_CHECKING:
    from bertillon.counting.streams.walk import FirstPass
    from bertillon.counting.tally import CountedScores

FloatArray = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class TrialIds:
    """Who and what was compared, in the order of the scores; any column may be unknown.

    Parameters
    ----------
    probe_subject, reference_subject
        The two people of each comparison.
    probe, reference
        The two samples.

    Examples
    --------
    >>> TrialIds(probe_subject=["anna", "bob"])
    <TrialIds: probe_subject 2>
    """

    __repr__ = short_repr

    probe_subject: NDArray[Any] | None = None
    reference_subject: NDArray[Any] | None = None
    probe: NDArray[Any] | None = None
    reference: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        for column in fields(self):
            ids = getattr(self, column.name)
            if ids is not None:  # a list cannot be indexed by rows
                object.__setattr__(self, column.name, as_array(ids, column.name, "one id for each score"))

    def __getitem__(self, chosen: NDArray[Any]) -> TrialIds:
        columns = {f.name: getattr(self, f.name) for f in fields(self)}
        return TrialIds(**{name: None if ids is None else ids[chosen] for name, ids in columns.items()})

    def check_length(self, expected: int, kind: str) -> None:
        """Every id column is as long as the scores."""
        for column in fields(self):
            ids = getattr(self, column.name)
            if ids is not None and len(ids) != expected:
                raise InputError(f"{kind} {column.name}: {len(ids):,} ids for {expected:,} scores; expected one each")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSet(Comparisons):
    """Scores of mated (same person) and non-mated (different people) comparisons, and their accept rule.

    Takes anything numpy can turn into numbers: lists, arrays, polars and pandas columns. NaN is a failed
    comparison: counted in `failures` and left out of the scores.

    Parameters
    ----------
    mated, nonmated
        Scores of comparisons of one person, and of two.
    rule
        "similarity" or "distance".
    failures
        What failed besides the NaN among the scores.
    mated_ids, nonmated_ids
        Who was compared; intervals need it.
    name
        What the system is called.
    notes, warnings
        What is known of the source.

    Examples
    --------
    >>> ScoreSet([0.9, 0.8, float("nan")], [0.1, 0.3]).failures.mated
    1
    """

    __repr__ = short_repr

    mated: FloatArray
    nonmated: FloatArray
    rule: AcceptRule = AcceptRule.SIMILARITY
    failures: Failures = field(default_factory=Failures)
    mated_ids: TrialIds | None = None
    nonmated_ids: TrialIds | None = None
    name: str = ""
    notes: tuple[Text, ...] = ()  # what was understood of the source
    warnings: tuple[Text, ...] = ()  # what its user should know before trusting the numbers

    form: ClassVar[Literal["whole"]] = "whole"

    def __init__(
        self,
        mated: ArrayLike,
        nonmated: ArrayLike,
        *,
        rule: AcceptRule | str = AcceptRule.SIMILARITY,
        failures: Failures | None = None,
        mated_ids: TrialIds | None = None,
        nonmated_ids: TrialIds | None = None,
        name: str = "",
        notes: Sequence[Text] = (),
        warnings: Sequence[Text] = (),
    ) -> None:
        known = failures or Failures()
        require(known, Failures, "failures", "bt.Failures(mated=..., nonmated=...)")
        for ids in (mated_ids, nonmated_ids):
            require(ids, (TrialIds, type(None)), "ids", "bt.TrialIds(probe_subject=..., reference_subject=...)")
        require(name, str, "name", "text, what the system is called")
        both = as_array(mated, "mated scores"), as_array(nonmated, "non-mated scores")
        require_distinct_floats("scores", *both)
        all_mated, all_nonmated = _as_scores(both[0], "mated"), _as_scores(both[1], "non-mated")
        _refuse_labels(*both)
        mated_scores, mated_ids = _without_failed(all_mated, mated_ids, "mated")
        nonmated_scores, nonmated_ids = _without_failed(all_nonmated, nonmated_ids, "non-mated")
        if mated_scores.dtype != nonmated_scores.dtype:  # one kind of float, so that equal scores are equal
            mated_scores, nonmated_scores = mated_scores.astype(np.float64), nonmated_scores.astype(np.float64)
        lost_mated, lost_nonmated = all_mated.size - mated_scores.size, all_nonmated.size - nonmated_scores.size
        failed = replace(known, mated=known.mated + lost_mated, nonmated=known.nonmated + lost_nonmated)
        fill(self, mated=mated_scores, nonmated=nonmated_scores, mated_ids=mated_ids, nonmated_ids=nonmated_ids)
        fill(self, rule=AcceptRule.of(rule), failures=failed)
        fill(self, name=name, notes=tuple(notes), warnings=tuple(warnings))

    @classmethod
    def from_labels(cls, labels: ArrayLike, scores: ArrayLike, *, rule: AcceptRule | str = "similarity") -> ScoreSet:
        """From one label and one score a comparison, in scikit-learn's order of arguments.

        Labels are True/False, 1/0 or 1/-1; true and 1 are mated.

        >>> ScoreSet.from_labels([1, 0, 1], [0.9, 0.2, 0.7]).mated
        array([0.9, 0.7])
        """
        values = _as_scores(scores, "all")
        marks = as_array(labels, "labels", "one label for each score, such as [1, 0, 1]")
        if marks.shape != values.shape:
            raise InputError(f"{marks.size:,} labels for {values.size:,} scores; expected one label a score")
        is_mated = marks == 1
        strange = marks[~(is_mated | (marks == 0) | (marks == -1))]
        if strange.size:
            raise InputError(f"labels hold {strange.tolist()[0]!r}; expected True/False, 1/0 or 1/-1")
        return cls(values[is_mated], values[~is_mated], rule=rule)

    def with_enrolments(self, failed: int, attempted: int) -> ScoreSet:
        """The same scores, and how many people could not be enrolled."""
        return replace(self, failures=replace(self.failures, enrolments=failed, enrolment_attempts=attempted))

    @property
    def size(self) -> int:
        """All scores together."""
        return self.n_trials

    @property
    def sizes(self) -> tuple[int, int]:
        return self.mated.size, self.nonmated.size

    @property
    def fingerprint(self) -> str:
        """A short name for the data: the same for the same scores in any order."""
        return fingerprint(self.mated, self.nonmated)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return definitions_of(self.rule, self.fingerprint)

    def count(self, needs: Needs) -> Tally:
        """Count what some measures need, each thing once."""
        return take_tally(self, needs.seeks, needs.reads)

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at a threshold."""
        return outcomes(self, threshold)

    def select(self, rows: ArrayLike) -> Self:
        """Some of the comparisons, by a mask or by row numbers: the mated ones first, then the others.

        >>> scores = ScoreSet([0.9, 0.8], [0.1, 0.3, 0.2]).select([1, 2, 4])
        >>> scores.mated.tolist(), scores.nonmated.tolist()
        ([0.8], [0.1, 0.2])
        """
        chosen, n = row_numbers(rows, self.size), self.mated.size
        mated, nonmated = chosen[chosen < n], chosen[chosen >= n] - n
        return replace(
            self,
            mated=self.mated[mated],
            nonmated=self.nonmated[nonmated],
            mated_ids=None if self.mated_ids is None else self.mated_ids[mated],
            nonmated_ids=None if self.nonmated_ids is None else self.nonmated_ids[nonmated],
        )

    def same_as(self, other: ScoreSet) -> bool:
        """Is every score the same, and whatever else a measure reads?"""
        return same_columns(self, other, ("mated", "nonmated", "rule", "failures"))

    def align(self, other: ScoreSet, by: Sequence[str] | None = None) -> Aligned[ScoreSet]:
        """The comparisons both systems have; `by` names the ids that tell them apart, or is ("row",)."""
        return align_scores(self, other, by)


def complete_set(
    mated: FloatArray, nonmated: FloatArray, *, mated_ids: TrialIds | None, nonmated_ids: TrialIds | None, **about: Any
) -> ScoreSet:
    """A set of scores of one type among which whoever dealt them out saw no NaN: they are not looked through again."""
    made = ScoreSet(mated[:0], nonmated[:0], **about)
    _refuse_labels(mated, nonmated)
    fill(made, mated=mated, nonmated=nonmated, mated_ids=mated_ids, nonmated_ids=nonmated_ids)
    return made


def kept_of(trials: ScoreSet | CountedScores) -> ScoreSet:
    """The scores, or what was kept of them: the mated ones and a sample of the others."""
    if trials.form == "whole":
        return trials
    return ScoreSet(trials.mated, trials.sample, rule=trials.rule, name=trials.name)


def _as_scores(values: ArrayLike, kind: str) -> FloatArray:
    """A one-dimensional array of floats; float32 and float64 are taken as they are, and what is masked is missing."""
    whole = as_array(values, f"{kind} scores")
    require_distinct_floats(f"{kind} scores", np.asarray(whole))
    array: FloatArray = as_floats(whole, f"{kind} scores")
    if array.ndim != 1:
        raise InputError(f"{kind} scores have shape {array.shape}; expected one dimension (use .ravel() on a matrix)")
    return array


def _refuse_labels(mated: ArrayLike, nonmated: ArrayLike) -> None:
    """Whole numbers 0 and 1 beside fractions are labels, passed as scores."""
    for marks, others, which in ((mated, nonmated, "mated"), (nonmated, mated, "non-mated")):
        if looks_like_labels(marks) and _have_fractions(_as_scores(others, "other")):
            raise InputError(
                f"{which} scores hold nothing but 0 and 1, so they look like labels; pass ScoreSet.from_labels(labels, "
                "scores) or bt.evaluate(y_true=labels, y_score=scores). If they are scores, pass them as floats"
            )


def _have_fractions(values: FloatArray) -> bool:
    known = values[np.isfinite(values)]
    return bool((known % 1.0 != 0.0).any())


def _without_failed(scores: FloatArray, ids: TrialIds | None, kind: str) -> tuple[FloatArray, TrialIds | None]:
    """Scores and ids without the NaN rows; nothing is copied where there are none."""
    if ids is not None:
        ids.check_length(scores.size, kind)
    if scores.size == 0 or not any(map(math.isnan, in_slices(np.min, scores, LIMITS.memory.seeking_slice))):
        return np.ascontiguousarray(scores), ids
    kept = ~np.isnan(scores)
    return scores[kept], None if ids is None else ids[kept]


Batch = tuple[ArrayLike, ArrayLike] | ScoreSet
Batches = Callable[[], Iterable[Batch]] | Iterable[Batch]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreStream:
    """Batches of (mated, non-mated) scores of one system, and their accept rule.

    Parameters
    ----------
    batches
        Pairs of mated and non-mated scores, or a function that returns an iterator of them.
    rule
        "similarity" or "distance".
    name
        What the system is called.
    notes, warnings, failures, expected
        What is known of the source.

    Examples
    --------
    >>> batches = [([0.9, 0.8], [0.1]), ([], [0.3, float("nan")])]
    >>> stream = ScoreStream(batches)
    >>> [(batch.mated.size, batch.nonmated.size, batch.failures.nonmated) for batch in stream]
    [(2, 1, 0), (0, 1, 1)]
    >>> stream.repeats, ScoreStream(iter(batches)).repeats
    (True, False)
    """

    __repr__ = short_repr

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
        fill(self, batches=batches, rule=AcceptRule.of(rule), failures=failures or Failures(), expected=expected)
        fill(self, name=name, notes=tuple(notes), warnings=tuple(warnings), _walked=[])

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
            size = f" of {len(batch):,}" if hasattr(batch, "__len__") else ""
            raise InputError(
                f"batch {number:,} is {type(batch).__name__}{size}; expected a pair: mated scores, non-mated scores"
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
