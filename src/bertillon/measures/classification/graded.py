"""Rankings of documents that are more or less relevant, by grades instead of yes and no.

Conventions: a grade is 0 or more, 0 being not relevant. The gain of a grade is the grade itself (linear) or 2^grade - 1
(exponential), discounted by log2(place + 1), and divided by that of the best possible list. Documents with equal scores
have no order, so the number is the expected value over all their orders, as for `NDCG@k`. Groups (queries) in which
nothing is relevant are left out of the mean.

Predictions know positives only; with grades, MAP, P@k and AP@k are asked of `relevance >= the lowest grade that
counts`.

Holds `graded_ndcg`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.spelling import unknown
from bertillon.counting.error_counts import FloatArray
from bertillon.counting.id_codes import rows_of_groups
from bertillon.measures.base import Result

GAINS = ("linear", "exponential")


def graded_ndcg(
    relevance: ArrayLike,
    scores: ArrayLike,
    k: int | None = None,
    *,
    groups: ArrayLike | None = None,
    gain: str = GAINS[0],
) -> Result:
    """Normalised discounted cumulative gain of the k highest scores (of all without k), the mean over groups.

    >>> round(graded_ndcg([3, 2, 0, 1], [0.9, 0.7, 0.8, 0.1], 3).value, 3)
    0.84
    """
    grades, ranked = _column(relevance, "relevance"), _column(scores, "scores")
    _check(grades, ranked, k, gain)
    gains = grades if gain == GAINS[0] else np.exp2(grades) - 1.0
    values = [_of_list(gains[rows], ranked[rows], k) for rows in _rows(groups, grades.size)]
    known = [value for value in values if value is not None]
    return Result(float(np.mean(known))) if known else Result.undefined(say("reason.nothing_relevant"))


def _of_list(gains: FloatArray, scores: FloatArray, k: int | None) -> float | None:
    """The gain of one list over that of the best one; None where nothing is relevant."""
    length = gains.size if k is None else min(k, gains.size)
    discount = np.zeros(gains.size)
    discount[:length] = 1.0 / np.log2(np.arange(length) + 2.0)
    best = float(np.sort(gains)[::-1] @ discount)
    if not best:
        return None
    _, tie, size = np.unique(-scores, return_inverse=True, return_counts=True)
    shared = np.add.reduceat(discount, np.cumsum(size) - size) / size  # each of the tied has each of their places
    return float(gains @ shared[tie]) / best


def _rows(groups: ArrayLike | None, size: int) -> list[NDArray[np.intp]]:
    if groups is None:
        return [np.arange(size)]
    array = np.asarray(groups)
    if array.shape != (size,):
        raise InputError(f"groups have shape {array.shape}; expected one a document, {size:,}")
    return rows_of_groups(array)


def _column(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: {error}; expected one number a document") from None
    if array.ndim != 1 or not array.size:
        raise InputError(f"{what} have shape {array.shape}; expected one number a document")
    return array


def _check(grades: FloatArray, scores: FloatArray, k: int | None, gain: str) -> None:
    if grades.size != scores.size:
        raise InputError(f"{scores.size:,} scores for {grades.size:,} grades; expected one each")
    for what, wrong in (("relevance", ~((grades >= 0) & np.isfinite(grades))), ("scores", np.isnan(scores))):
        if wrong.any():
            row = int(np.argmax(wrong))
            value = (grades if what == "relevance" else scores)[row]
            expected = "a finite number, 0 or more" if what == "relevance" else "a number"
            raise InputError(f"{what}: row {row + 1:,} is {value:g}; expected {expected}")
    if k is not None and (k != int(k) or k < 1):
        raise InputError(f"the length of the list is {k:g}; expected a whole number, 1 or more")
    if gain not in GAINS:
        raise InputError(unknown("gain", gain, GAINS))
