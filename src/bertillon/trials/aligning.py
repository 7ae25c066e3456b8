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

Holds `align` and its `Aligned`; `align_scores`, `align_searches` and `align_predictions`, which the `align` of each
kind of trial is; `same_columns`, `refuse_ids`, `name_of` and `listed`, which kinds of trial share.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, joined, say

if TYPE_CHECKING:
    import polars as pl

    from bertillon.trials.predictions import Predictions
    from bertillon.trials.protocol import Trials
    from bertillon.trials.score_set import ScoreSet, TrialIds
    from bertillon.trials.search_set import SearchSet

T = TypeVar("T", bound="Trials")
Rows = NDArray[np.intp]
SAMPLES = ("probe", "reference")
SUBJECTS = ("probe_subject", "reference_subject")
IDS = (*SUBJECTS, *SAMPLES)
ROW = "row"
KINDS = ("mated", "nonmated")
_WORDS = {"mated": "mated", "nonmated": "non-mated"}


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
    _, mine, theirs = np.intersect1d(_search_keys(first), _search_keys(second), assume_unique=True, return_indices=True)
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


def _search_keys(searches: SearchSet) -> NDArray[np.str_]:
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


def align_scores(first: ScoreSet, second: ScoreSet, by: Sequence[str] | None = None) -> Aligned[ScoreSet]:
    """The comparisons both systems have; `by` names the ids that tell them apart, or is ("row",)."""
    keys = _keys(first, second, by)
    if not keys:
        return _row_by_row(first, second, asked=by is not None)
    rows = {kind: _common(first, second, kind, keys) for kind in KINDS}
    if not any(first_rows.size for first_rows, _ in rows.values()):
        raise _nothing_common(first, second, keys)
    only = [
        [getattr(system, kind).size - rows[kind][side].size for kind in KINDS]
        for side, system in enumerate((first, second))
    ]
    if any(map(sum, only)):
        _require_same_classes(first, second, keys)
    notes = [
        say(
            "pairing.comparisons_left_out",
            n=sum(lost),
            system=name_of(system),
            mated=lost[0],
            nonmated=lost[1],
            other=name_of(other),
        )
        for lost, system, other in zip(only, (first, second), (second, first), strict=True)
        if any(lost)
    ]
    joined = _take(first, second, rows)
    return Aligned(*joined, say("pairing.by", ids=listed(keys)), sum(only[0]), sum(only[1]), tuple(notes))


def _keys(first: ScoreSet, second: ScoreSet, by: Sequence[str] | None) -> tuple[str, ...]:
    """The ids that tell comparisons apart; none where rows must do."""
    known = [_known(system) for system in (first, second)]
    if by is not None:
        return _asked(first, second, tuple(by), known)
    both = [name for name in IDS if name in known[0] and name in known[1]]
    if set(SAMPLES) <= set(both) and not _numbered(first) and not _numbered(second):
        return SAMPLES
    if set(SUBJECTS) <= set(both):
        if not set(SAMPLES) <= set(both) or (_each_once(first, SUBJECTS) and _each_once(second, SUBJECTS)):
            return SUBJECTS
        return IDS
    if set(SAMPLES) <= set(both):
        return SAMPLES
    if known[0] or known[1]:
        raise InputError(
            f"{name_of(first)} knows {listed(known[0]) or 'no ids'} and {name_of(second)} "
            f"{listed(known[1]) or 'no ids'}: that does not tell which comparison is which; give both the columns "
            "probe and reference, align them row by row (--paired-by row) if you know that their rows agree, or "
            "compare them as unpaired (--unpaired)"
        )
    return ()


def _asked(first: ScoreSet, second: ScoreSet, by: tuple[str, ...], known: Sequence[Sequence[str]]) -> tuple[str, ...]:
    if by == (ROW,):
        return ()
    strange = [name for name in by if name not in IDS]
    if strange or not by:
        raise InputError(f"paired by {', '.join(by) or 'nothing'}; expected some of {', '.join(IDS)}, or {ROW} alone")
    for system, names in zip((first, second), known, strict=True):
        missing = [name for name in by if name not in names]
        if missing:
            raise InputError(f"{name_of(system)}: has no ids called {missing[0]}; it knows {listed(names) or 'none'}")
    return by


def _known(scores: ScoreSet) -> list[str]:
    """The ids known of all comparisons."""
    held = [ids for ids, part in _parts(scores) if part.size]
    return [name for name in IDS if held and all(ids is not None and getattr(ids, name) is not None for ids in held)]


def _parts(scores: ScoreSet) -> list[tuple[TrialIds | None, NDArray[Any]]]:
    return [(scores.mated_ids, scores.mated), (scores.nonmated_ids, scores.nonmated)]


def _numbered(scores: ScoreSet) -> bool:
    """Samples have no names, only the numbers of their rows."""
    return any(ids is not None and ids.probe is not None and ids.probe.dtype.kind in "iu" for ids, _ in _parts(scores))


def _each_once(scores: ScoreSet, keys: Sequence[str]) -> bool:
    return not any(_frame(ids, keys).is_duplicated().any() for ids, part in _parts(scores) if part.size and ids)


def _frame(ids: TrialIds, keys: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    columns = {name: np.asarray(getattr(ids, name)) for name in keys}
    listed_out = {name: ids.tolist() if ids.dtype == object else ids for name, ids in columns.items()}
    return pl.DataFrame(listed_out).cast(pl.String)


def _common(first: ScoreSet, second: ScoreSet, kind: str, keys: Sequence[str]) -> tuple[Rows, Rows]:
    """The rows of the comparisons of one class that both have."""
    first_ids, second_ids = (getattr(system, f"{kind}_ids") for system in (first, second))
    if first_ids is None or second_ids is None:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    if all(np.array_equal(getattr(first_ids, name), getattr(second_ids, name)) for name in keys):
        everything = np.arange(getattr(first, kind).size)
        return everything, everything
    return _join(first, second, [_frame(ids, keys) for ids in (first_ids, second_ids)])


def _join(first: ScoreSet, second: ScoreSet, frames: Sequence[pl.DataFrame]) -> tuple[Rows, Rows]:
    import polars as pl

    keys = frames[0].columns
    if any(frame.is_duplicated().any() for frame in frames):
        counts = [frame.group_by(keys).len() for frame in frames]
        apart = counts[0].join(counts[1], on=keys, suffix="_other").filter(pl.col("len") != pl.col("len_other"))
        if apart.height:
            row = apart.row(0, named=True)
            raise InputError(
                f"{', '.join(row[key] for key in keys)} occurs {row['len']:,} times in {name_of(first)} and "
                f"{row['len_other']:,} times in {name_of(second)}: {listed(keys)} do not tell comparisons apart; "
                "name ids that do (--paired-by), or leave repeated comparisons out"
            )
        frames = [frame.with_columns(repeat=pl.int_range(pl.len()).over(keys)) for frame in frames]
    joined = frames[0].with_row_index("one").join(frames[1].with_row_index("other"), on=frames[0].columns).sort("one")
    return joined["one"].to_numpy().astype(np.intp), joined["other"].to_numpy().astype(np.intp)


def _take(first: ScoreSet, second: ScoreSet, rows: dict[str, tuple[Rows, Rows]]) -> tuple[ScoreSet, ScoreSet]:
    """Both systems with their common comparisons, under the same ids."""
    ids = {kind: _joint_ids(first, second, kind, *rows[kind]) for kind in KINDS}
    both = [
        replace(
            system,
            mated=system.mated[rows["mated"][side]],
            nonmated=system.nonmated[rows["nonmated"][side]],
            mated_ids=ids["mated"],
            nonmated_ids=ids["nonmated"],
        )
        for side, system in enumerate((first, second))
    ]
    return both[0], both[1]


def _joint_ids(first: ScoreSet, second: ScoreSet, kind: str, first_rows: Rows, second_rows: Rows) -> TrialIds | None:
    """What either system knows of the comparisons, the first being believed."""
    held: list[tuple[TrialIds | None, Rows]] = [
        (getattr(first, f"{kind}_ids"), first_rows),
        (getattr(second, f"{kind}_ids"), second_rows),
    ]
    known = [(ids, rows) for ids, rows in held if ids is not None]
    columns: dict[str, Any] = {}
    for ids, rows in known:
        for column in fields(ids):
            if getattr(ids, column.name) is not None and column.name not in columns:
                columns[column.name] = getattr(ids, column.name)[rows]
    return replace(known[0][0], **columns) if columns else None


def _row_by_row(first: ScoreSet, second: ScoreSet, *, asked: bool) -> Aligned[ScoreSet]:
    for kind in KINDS:
        sizes = [getattr(system, kind).size for system in (first, second)]
        if sizes[0] != sizes[1]:
            raise InputError(
                f"{name_of(first)} has {sizes[0]:,} {_WORDS[kind]} scores and {name_of(second)} {sizes[1]:,}, and "
                f"{'rows' if asked else 'without ids rows'} can only be aligned one by one; give both files the "
                "columns probe and reference, or compare them as unpaired (--unpaired)"
            )
    lost = [system for system in (first, second) if system.failures.comparisons]
    if lost:
        raise InputError(
            f"{name_of(lost[0])}: {lost[0].failures.comparisons:,} comparisons failed, so that its scores no longer "
            "stand in the rows they stood in; give both files the columns probe and reference, or compare them as "
            "unpaired (--unpaired)"
        )
    note = say("pairing.scores_by_row_asked" if asked else "pairing.scores_by_row")
    rows = {kind: (np.arange(getattr(first, kind).size),) * 2 for kind in KINDS}
    return Aligned(*_take(first, second, rows), say("pairing.rows"), notes=(note,))


def _require_same_classes(first: ScoreSet, second: ScoreSet, keys: Sequence[str]) -> None:
    """No comparison is mated in one system and non-mated in the other."""
    for first_kind, second_kind in (KINDS, KINDS[::-1]):
        ids = getattr(first, f"{first_kind}_ids"), getattr(second, f"{second_kind}_ids")
        if ids[0] is None or ids[1] is None:
            continue
        frames = [_frame(part, keys) for part in ids]
        both = frames[0].join(frames[1], on=list(keys), how="semi")
        if both.height:
            raise InputError(
                f"{both.height:,} comparisons are {_WORDS[first_kind]} in {name_of(first)} and {_WORDS[second_kind]} "
                f"in {name_of(second)}; the first is {', '.join(both.row(0))}. Expected the same labels: check the "
                "files, or name the ids that tell comparisons apart (--paired-by)"
            )


def _nothing_common(first: ScoreSet, second: ScoreSet, keys: Sequence[str]) -> InputError:
    seen = [f"{name_of(system)} has {_examples(system, keys)}" for system in (first, second)]
    return InputError(
        f"{name_of(first)} and {name_of(second)} have no comparison in common by {listed(keys)}: {' and '.join(seen)}; "
        "name the ids that agree (--paired-by), or compare them as unpaired (--unpaired)"
    )


def _examples(system: ScoreSet, keys: Sequence[str]) -> str:
    ids = next(ids for ids, part in _parts(system) if part.size and ids is not None)
    frame = _frame(ids[np.arange(min(2, len(getattr(ids, keys[0]))))], keys)
    return " / ".join(", ".join(f"{name} {value}" for name, value in row.items()) for row in frame.rows(named=True))
