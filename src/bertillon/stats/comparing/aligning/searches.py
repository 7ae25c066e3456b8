"""Searches of two systems brought together by who searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.stats.comparing.aligning.aligned import Aligned, name_of
from bertillon.trials.search_set import SearchSet

_COLUMNS = ("enrolled", "mate_score", "n_better", "n_equal", "top_score", "top_other")
_OPTIONAL_COLUMNS = ("probe_subject", "average_precision")


def align_searches(first: SearchSet, second: SearchSet) -> Aligned:
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
    both = _rows(first, mine[order]), _rows(second, theirs[order])
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


def _rows(searches: SearchSet, rows: NDArray[np.intp]) -> SearchSet:
    columns: dict[str, Any] = {name: getattr(searches, name)[rows] for name in _COLUMNS}
    for name in _OPTIONAL_COLUMNS:
        if getattr(searches, name) is not None:
            columns[name] = getattr(searches, name)[rows]
    if searches.others is not None:  # one row a non-enrolled search
        nonenrolled_row = np.cumsum(~searches.enrolled) - 1
        columns["others"] = searches.others[nonenrolled_row[rows[~searches.enrolled[rows]]]]
    return replace(searches, **columns)


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
