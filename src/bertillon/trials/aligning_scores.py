"""Comparisons of two systems brought together by their ids, or row by row (see `aligning`).

Holds `align_scores`, which `ScoreSet.align` is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.trials.aligning import Aligned, listed, name_of

if TYPE_CHECKING:
    import polars as pl

    from bertillon.trials.score_set import ScoreSet, TrialIds

Rows = NDArray[np.intp]

SAMPLES = ("probe", "reference")
SUBJECTS = ("probe_subject", "reference_subject")
IDS = (*SUBJECTS, *SAMPLES)
ROW = "row"
KINDS = ("mated", "nonmated")
_WORDS = {"mated": "mated", "nonmated": "non-mated"}


def align_scores(first: ScoreSet, second: ScoreSet, by: Sequence[str] | None = None) -> Aligned[ScoreSet]:
    """The comparisons both systems have; `by` names the ids that tell them apart, or is ("row",)."""
    keys = _keys(first, second, by)
    if not keys:
        return _row_by_row(first, second, asked=by is not None)
    rows = {kind: _common(first, second, kind, keys) for kind in KINDS}
    if not any(first_rows.size for first_rows, _ in rows.values()):
        raise _nothing_common(first, second, keys)
    only = [_left_out(system, [rows[kind][side].size for kind in KINDS]) for side, system in enumerate((first, second))]
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


def _left_out(system: ScoreSet, kept: Sequence[int]) -> list[int]:
    return [system.mated.size - kept[0], system.nonmated.size - kept[1]]


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


def _examples(system: ScoreSet, keys: Sequence[str], shown: int = 2) -> str:
    ids = next(ids for ids, part in _parts(system) if part.size and ids is not None)
    frame = _frame(ids[np.arange(min(shown, len(getattr(ids, keys[0]))))], keys)
    return " / ".join(", ".join(f"{name} {value}" for name, value in row.items()) for row in frame.rows(named=True))
