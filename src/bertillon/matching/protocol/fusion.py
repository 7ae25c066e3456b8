"""Several templates of one person: one score from many.

Conventions: rows are probes, columns gallery templates with their owners. NaN is a cell that does not count (masked,
failed); a person of whom no cell is left has NaN. `best` is the score most alike under the rule: the least distance
or the greatest similarity.

Holds `fuse_by_person`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.matching.protocol.checks import require_one_of

HOW = ("best", "mean", "max", "min")


def fuse_by_person(
    block: ArrayLike, column_subjects: ArrayLike, *, how: str = "best", rule: AcceptRule | str = AcceptRule.SIMILARITY
) -> tuple[NDArray[np.floating[Any]], NDArray[Any]]:
    """Scores of each row with each person, and the people, in ascending order of their ids.

    >>> scores, people = fuse_by_person([[3.0, 1.0, 2.0]], ["bob", "ann", "bob"], rule="distance")
    >>> scores.tolist(), people.tolist()
    ([[1.0, 2.0]], ['ann', 'bob'])
    """
    scores, subjects = _block(block), np.asarray(column_subjects)
    require_one_of(how, HOW, "how")
    if subjects.shape != (scores.shape[1],):
        raise InputError(f"{subjects.size:,} column subjects for {scores.shape[1]:,} columns; expected one for each")
    people, owner = np.unique(subjects, return_inverse=True)
    if not people.size:
        return np.empty((scores.shape[0], 0), dtype=scores.dtype), people
    if (np.diff(owner) < 0).any():
        queue = np.argsort(owner, kind="stable")
        scores, owner = scores[:, queue], owner[queue]
    begins = np.flatnonzero(np.r_[True, np.diff(owner) > 0])
    return _fused(scores, begins, how, AcceptRule.of(rule)), people


def _fused(
    scores: NDArray[np.floating[Any]], begins: NDArray[np.intp], how: str, rule: AcceptRule
) -> NDArray[np.floating[Any]]:
    if how == "mean":
        return _mean(scores, begins)
    if how == "best":
        how = "max" if rule is AcceptRule.SIMILARITY else "min"
    pick = np.fmax if how == "max" else np.fmin  # both pass over NaN
    fused: NDArray[np.floating[Any]] = pick.reduceat(scores, begins, axis=1)
    return fused


def _mean(scores: NDArray[np.floating[Any]], begins: NDArray[np.intp]) -> NDArray[np.floating[Any]]:
    counts = ~np.isnan(scores)
    number = np.add.reduceat(counts, begins, axis=1, dtype=np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):  # nobody left, or infinities of both signs: NaN
        total = np.add.reduceat(np.where(counts, scores, 0), begins, axis=1, dtype=np.float64)
        return (total / number).astype(scores.dtype)


def _block(block: ArrayLike) -> NDArray[np.floating[Any]]:
    scores = np.asarray(block)
    if scores.ndim != 2:
        raise InputError(f"block of scores has shape {scores.shape}; expected two dimensions, probes by templates")
    if scores.dtype in (np.float32, np.float64):
        return scores
    try:
        return scores.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"block of scores holds no numbers ({error}); expected numbers, NaN where none counts"
        ) from None
