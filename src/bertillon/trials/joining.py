"""Scores of one file and trials of another made one table: by the ids both carry, by line only where there are none.

Conventions: a pair (probe and reference) that both files have is the key; else the columns of ids that both call alike;
else those whose values agree. A trial without a score stops the work and is named, since it is not known whether it
failed or was forgotten; scores without a trial are left out and counted. An id may stand twice only if both lines say
the same. Lines are joined in their order only where the scores have no ids at all and there are as many of both.

Holds `join` and `key_and_scores`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, joined, say
from bertillon.core.tables import ComparisonTable, short_name
from bertillon.io.registry import Table

_PAIR = ("probe", "reference")
_NO_IDS = ("score", "mated", "attack")
_SHOWN = 3
_INDEX = re.compile(r"column \d+|index|row|unnamed: ?\d+|\d*")
_ALIKE = 0.5  # of the ids of one column must stand in the other to be taken for the same ids

Names = tuple[str, ...]


def join(trials: ComparisonTable, scores: ComparisonTable, *, beside: Sequence[str] = ()) -> ComparisonTable:
    """The trials with their scores, and columns `beside` these; what cannot be matched raises `InputError`."""
    scored, listed = short_name(scores.source), short_name(trials.source)
    of_trials, of_scores = _id_columns(trials), _id_columns(scores)
    if not of_trials or not of_scores:
        frame = _line_by_line(trials, scores, beside)
        return _joined(
            frame,
            scores,
            [say("reading.joined_by_line", scores=scored, trials=listed, without=scored if of_trials else listed)],
        )
    keys = _keys(trials, scores, of_trials, of_scores)
    frame, notes = _by_key(trials, scores, *keys, beside)
    return _joined(frame, scores, [say("reading.joined_by", scores=scored, trials=listed, ids=joined(keys[0])), *notes])


def key_and_scores(tables: Sequence[Table]) -> tuple[ComparisonTable, ComparisonTable] | None:
    """A list of trials and the scores that go with it, in either order; None for any other tables."""
    keys = [table for table in tables if isinstance(table, ComparisonTable) and table.is_trial_list]
    scored = [table for table in tables if isinstance(table, ComparisonTable) and not table.is_trial_list]
    return (keys[0], scored[0]) if len(keys) == len(scored) == 1 and len(tables) == 2 else None


def _joined(frame: pl.DataFrame, scores: ComparisonTable, notes: Sequence[Message]) -> ComparisonTable:
    return ComparisonTable(frame, scores.source, scores.format, scores.rule, (*scores.notes, *notes))


def _id_columns(table: ComparisonTable) -> list[str]:
    """Columns that may tell comparisons apart: text and whole numbers, but no mere count of the lines."""
    kinds = table.frame.schema
    ids = [name for name, kind in kinds.items() if kind == pl.String or kind.is_integer()]
    return [name for name in ids if name not in _NO_IDS and not _is_index(table.frame[name])]


def _is_index(column: pl.Series) -> bool:
    """A column without a name, or called index, that counts the lines: what pandas writes beside a table."""
    if not _INDEX.fullmatch(column.name.lower()):
        return False
    numbers = column.cast(pl.Int64, strict=False)
    counted = (pl.int_range(start, start + len(column), eager=True) for start in (0, 1))
    return not numbers.null_count() and any(bool((numbers == count).all()) for count in counted)


def _keys(
    trials: ComparisonTable, scores: ComparisonTable, of_trials: Sequence[str], of_scores: Sequence[str]
) -> tuple[Names, Names]:
    """The columns of trials and of scores that name the same comparisons."""
    shared = [name for name in of_trials if name in of_scores]
    for names in ([name for name in _PAIR if name in shared], shared):
        if names and _identify(scores, names):
            return tuple(names), tuple(names)
    if shared:  # ids that stand twice: the fault is named when joining
        return tuple(shared), tuple(shared)
    keys = _by_value(trials, scores, of_trials, of_scores)
    if keys is None:
        raise InputError(
            f"{scores.source}: its ids ({_ids_shown(scores, of_scores)}) and those of {trials.source} "
            f"({_ids_shown(trials, of_trials)}) have nothing in common, so no score can be given to a trial; give the "
            "files that belong together, or give the columns of ids the same name in both"
        )
    return keys


def _identify(table: ComparisonTable, names: Sequence[str]) -> bool:
    return not bool(table.frame.select(names).is_duplicated().any())


def _by_value(
    trials: ComparisonTable, scores: ComparisonTable, of_trials: Sequence[str], of_scores: Sequence[str]
) -> tuple[Names, Names] | None:
    """Columns of different names whose values agree, as many as find the most trials."""
    alike = [(own, other) for own in of_trials for other in of_scores if _overlap(trials, own, scores, other) >= _ALIKE]
    mine, theirs = (list(dict.fromkeys(names)) for names in (zip(*alike, strict=True) if alike else ((), ())))
    best: tuple[int, tuple[Names, Names]] | None = None
    for size in range(min(len(mine), len(theirs), 2), 0, -1):
        for own in permutations(mine, size):
            for other in permutations(theirs, size):
                if list(own) == sorted(own, key=mine.index) and _identify(scores, other):
                    keys = list(_numbered(own))
                    count = _keyed(trials, own).join(_keyed(scores, other), on=keys, how="semi").height
                    if count and (best is None or count > best[0]):
                        best = count, (own, other)
        if best is not None:
            return best[1]
    return None


def _overlap(trials: ComparisonTable, own: str, scores: ComparisonTable, other: str) -> float:
    values, others = (table.frame[name].cast(pl.String).unique() for table, name in ((trials, own), (scores, other)))
    return int(values.is_in(others.implode()).sum()) / max(len(values), 1)


def _numbered(names: Names) -> Names:
    return tuple(f"key {number}" for number in range(len(names)))


def _keyed(table: ComparisonTable, names: Names) -> pl.DataFrame:
    """The columns of a key as text under names that no file has; ids may be numbers in one file and text in another."""
    return pl.DataFrame(
        [table.frame[name].cast(pl.String).alias(key) for name, key in zip(names, _numbered(names), strict=True)]
    )


def _by_key(
    trials: ComparisonTable, scores: ComparisonTable, own: Names, other: Names, beside: Sequence[str]
) -> tuple[pl.DataFrame, list[Message]]:
    keys = list(_numbered(own))
    wanted, notes = _once(trials, trials.frame.hstack(_keyed(trials, own)), keys, ["mated"])
    scored, _ = _once(
        scores, _keyed(scores, other).with_columns(scores.frame.select("score", *beside)), keys, ["score"]
    )
    missing = wanted.join(scored, on=keys, how="anti", maintain_order="left")
    if missing.height:
        raise _without_score(trials, scores, missing, scored, keys)
    extra = scored.join(wanted, on=keys, how="anti", maintain_order="left")
    if extra.height:
        source = short_name(scores.source)
        notes.append(say("reading.scores_of_no_trial", n=extra.height, source=source, named=_named(extra, keys)))
    return wanted.join(scored, on=keys, how="left", maintain_order="left").drop(keys), notes


def _once(
    table: ComparisonTable, frame: pl.DataFrame, keys: list[str], same: list[str]
) -> tuple[pl.DataFrame, list[Message]]:
    """Each comparison once; where its lines say different things, `InputError`."""
    again = frame.select(keys).is_duplicated()
    if not again.any():
        return frame, []
    agreed = frame.filter(again).unique([*keys, *(name for name in same if name in frame.columns)])
    doubtful = agreed.filter(agreed.select(keys).is_duplicated())
    if doubtful.height:
        what = "scores" if "score" in same else "labels"
        raise InputError(
            f"{table.source}: {doubtful.select(keys).n_unique():,} ids stand several times with different {what} "
            f"({_named(doubtful, keys)}); keep one line of each"
        )
    once = frame.unique(keys, keep="first", maintain_order=True)
    return once, [say("reading.repeated_trials", n=frame.height - once.height, source=short_name(table.source))]


def _without_score(
    trials: ComparisonTable, scores: ComparisonTable, missing: pl.DataFrame, scored: pl.DataFrame, keys: list[str]
) -> InputError:
    hint = "add them, as lines with the score nan where the comparison failed, or take those trials out"
    if len(keys) == 2:
        turned = missing.rename({keys[0]: keys[1], keys[1]: keys[0]})
        if turned.join(scored, on=keys, how="semi").height == missing.height:
            hint = "probe and reference stand the other way round there: swap the two columns in one of the files"
    return InputError(
        f"{scores.source}: no score for {missing.height:,} of {len(trials):,} trials of {trials.source} "
        f"({_named(missing, keys)}); {hint}"
    )


def _named(frame: pl.DataFrame, keys: Sequence[str]) -> str:
    """The first few comparisons of a frame by their ids."""
    rows = frame.select(keys).head(_SHOWN).rows()
    more = f" and {frame.height - _SHOWN:,} more" if frame.height > _SHOWN else ""
    return ", ".join(" with ".join(map(str, row)) for row in rows) + more


def _ids_shown(table: ComparisonTable, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {table.frame[name][0]!r}" for name in names[:_SHOWN])


def _line_by_line(trials: ComparisonTable, scores: ComparisonTable, beside: Sequence[str]) -> pl.DataFrame:
    if len(trials) != len(scores):
        raise InputError(
            f"{scores.source}: {len(scores):,} scores for {len(trials):,} trials in {trials.source}, and no ids to "
            "join them by; expected one score a trial, in the same order, or ids in both files"
        )
    return trials.frame.with_columns(scores.frame.select("score", *beside))
