"""Two systems over the same trials: which trial of the one is which of the other.

Conventions: comparisons are aligned within their class, mated with mated and non-mated with non-mated, by what both
systems know of them:

    probe and reference           the names of the two samples
    the two subjects              where rows and columns of a matrix have no other name and each couple occurs once
    all four                      where people have several rows, which are told apart by their numbers
    row by row                    where neither system knows any of these and both have as many trials of each class

Trials that only one system has (or in which the other failed) are left out, counted and said. Where ids repeat, the
first of the one goes with the first of the other, provided that both repeat them as often. Afterwards both systems hold
the same trials in the same order, under the same ids. Failures stay with the system that failed. Nothing is aligned by
guess: a trial that is mated in one system and not in the other, or names that do not meet, are errors.

Searches are aligned by the probe's subject, predictions row by row with the same true labels.

Holds `align` and its `Aligned`; `align_searches` and `align_predictions`, which `SearchSet.align` and
`Predictions.align` are (that of comparisons is in `aligning_scores`); `same_columns`, `refuse_ids`, `name_of` and
`listed`, which kinds of trial share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, joined, say

if TYPE_CHECKING:
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.protocol import Trials
    from bertillon.trials.search_set import SearchSet

T = TypeVar("T", bound="Trials")


@dataclass(frozen=True, slots=True, eq=False)
class Aligned(Generic[T]):
    """Two systems over the same trials in the same order."""

    first: T
    second: T
    how: Text  # "" where they were not
    only_first: int = 0  # trials left out because the second system has no score for them
    only_second: int = 0
    notes: tuple[Message, ...] = ()

    @property
    def trials(self) -> int:
        """How many trials both have."""
        return self.first.n_trials


def align(first: T, second: T, *, by: Sequence[str] | None = None) -> Aligned[T]:
    """The trials both systems have; `by` names the ids that tell comparisons apart, or is ("row",).

    >>> import numpy as np
    >>> from bertillon.trials.score_set import ScoreSet, TrialIds
    >>> ids = [TrialIds(probe=np.array(p), reference=np.array(["r"] * len(p))) for p in (["a", "b"], ["b", "c"], ["x"])]
    >>> a = ScoreSet([0.9, 0.8], [0.1], mated_ids=ids[0], nonmated_ids=ids[2], name="A")
    >>> b = ScoreSet([0.7, 0.6], [0.2], mated_ids=ids[1], nonmated_ids=ids[2], name="B")
    >>> both = align(a, b)
    >>> both.first.mated.tolist(), both.second.mated.tolist(), str(both.how), both.only_first
    ([0.8], [0.7], 'by probe and reference', 1)
    """
    if (first.kind, first.form) != (second.kind, second.form) or first.form != "whole":
        refuse_ids(by)
        raise InputError(
            f"{name_of(first)} and {name_of(second)} are not of one kind; expected comparisons, searches or predictions"
        )
    return first.align(second, by)


def refuse_ids(by: Sequence[str] | None) -> None:
    """An error where ids were named by which trials are aligned that have none."""
    if by is not None:
        raise InputError(f"paired by {', '.join(by)}; only comparisons can be aligned by ids of one's choice")


def name_of(system: Trials) -> str:
    """What a system is called in messages."""
    return system.name or "a system"


def listed(names: Sequence[str]) -> Text:
    """Names of ids; "" where there are none.

    >>> str(listed(["probe_subject", "reference"]))
    "probe's subject and reference"
    """
    text: Text = joined([say(f"pairing.id.{name}") for name in names])
    return text


def same_columns(first: object, second: object, names: Iterable[str]) -> bool:
    """Do two sets of trials hold the same under each of these names, NaN being the same as NaN?"""
    return all(_same(getattr(first, name), getattr(second, name)) for name in names)


def _same(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second, equal_nan=np.asarray(first).dtype.kind == "f")


def align_searches(first: SearchSet, second: SearchSet) -> Aligned[SearchSet]:
    """The searches both systems made, in the order of the first.

    Rows go with rows where both have the same people in the same order; otherwise the probe's subject tells searches
    apart, provided that nobody searched twice in the same way.
    """
    notes = _gallery_note(first, second)
    if _same_rows(first, second):
        people = second.probe_subject if first.probe_subject is None else first.probe_subject
        first, second = (replace(searches, probe_subject=people) for searches in (first, second))
        how = say("pairing.rows" if people is None else "pairing.rows_same_people")
        return Aligned(first, second, how, notes=notes)
    _, mine, theirs = np.intersect1d(_keys(first), _keys(second), assume_unique=True, return_indices=True)
    if not mine.size:
        raise InputError(
            f"{name_of(first)} and {name_of(second)} have no search in common: {name_of(first)} has searches of "
            f"{_people(first)}, {name_of(second)} of {_people(second)}; compare them as unpaired (--unpaired)"
        )
    order = np.argsort(mine)
    both = first.select(mine[order]), second.select(theirs[order])
    only = len(first) - mine.size, len(second) - mine.size
    notes += tuple(
        say("pairing.searches_left_out", n=lost, system=name_of(system), rival=name_of(rival))
        for lost, system, rival in zip(only, (first, second), (second, first), strict=True)
        if lost
    )
    return Aligned(*both, say("pairing.by", ids=say("pairing.id.probe_subject")), *only, notes=notes)


def _same_rows(first: SearchSet, second: SearchSet) -> bool:
    if not np.array_equal(first.enrolled, second.enrolled) or first.failed or second.failed:
        return False
    first_people, second_people = first.probe_subject, second.probe_subject
    return first_people is None or second_people is None or np.array_equal(_text(first_people), _text(second_people))


def _keys(searches: SearchSet) -> NDArray[np.str_]:
    """One name a search: its person, and whether that person is enrolled."""
    if searches.probe_subject is None:
        raise InputError(
            f"{name_of(searches)}: who searched is not known, and rows cannot be aligned one by one; give both systems "
            "the same searches in the same order, or compare them as unpaired (--unpaired)"
        )
    keys = np.char.add(np.where(searches.enrolled, "+", "-"), _text(searches.probe_subject))
    if np.unique(keys).size != keys.size:
        raise InputError(
            f"{name_of(searches)}: people search more than once, so that their names do not tell searches apart; give "
            "both systems the same searches in the same order, or compare them as unpaired (--unpaired)"
        )
    return keys


def _gallery_note(first: SearchSet, second: SearchSet) -> tuple[Message, ...]:
    if first.gallery_size == second.gallery_size:
        return ()
    return (
        say(
            "pairing.galleries_differ",
            size=first.gallery_size,
            system=name_of(first),
            other_size=second.gallery_size,
            other=name_of(second),
        ),
    )


def _people(searches: SearchSet, shown: int = 3) -> str:
    assert searches.probe_subject is not None
    return ", ".join(_text(searches.probe_subject)[:shown]) + (", ..." if len(searches) > shown else "")


def _text(ids: NDArray[Any]) -> NDArray[np.str_]:
    return np.asarray(ids).astype(np.str_)


def align_predictions(first: Predictions, second: Predictions) -> Aligned[Predictions]:
    """The samples both classifiers judged; their true labels must agree row by row, and what these weigh."""
    for system in (first, second):
        if system.failed:
            raise InputError(
                f"{name_of(system)}: {system.failed:,} predictions failed, so that rows can no longer be aligned one "
                "by one; leave out these samples in both files"
            )
    if first.size != second.size:
        raise InputError(
            f"{name_of(first)} has {first.size:,} predictions and {name_of(second)} {second.size:,}; expected the same "
            "samples"
        )
    labels = [np.array([str(label) for label in system.classes])[system.truth] for system in (first, second)]
    differing = np.flatnonzero(labels[0] != labels[1])
    if differing.size:
        row = int(differing[0])
        raise InputError(
            f"row {row + 1:,} is {labels[0][row]} in {name_of(first)} and {labels[1][row]} in {name_of(second)}; "
            "expected the same samples in the same order"
        )
    _require_same_question(first, second)
    groups = second.groups if first.groups is None else first.groups
    first, second = (replace(predictions, groups=groups) for predictions in (first, second))
    return Aligned(first, second, say("pairing.rows"), notes=(say("pairing.predictions_by_row"),))


def _require_same_question(first: Predictions, second: Predictions) -> None:
    """The same samples weigh the same in both, and the same class is the positive one."""
    weights = [np.ones(system.size) if system.weights is None else system.weights for system in (first, second)]
    if not np.array_equal(weights[0], weights[1]):
        row = int(np.flatnonzero(weights[0] != weights[1])[0])
        raise InputError(
            f"row {row + 1:,} weighs {weights[0][row]:g} in {name_of(first)} and {weights[1][row]:g} in "
            f"{name_of(second)}; expected the same weights, or none, in both"
        )
    positive = [str(system.positive) for system in (first, second) if system.positive is not None]
    if len(set(positive)) > 1:
        raise InputError(
            f"{positive[0]} is the positive class in {name_of(first)} and {positive[1]} in {name_of(second)}; expected "
            "the same one"
        )
