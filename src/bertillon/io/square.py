"""Square arrays: do they compare templates with themselves, and what does the diagonal say about the direction?

Conventions: an array is symmetric where every pair of mirrored cells agrees within the rounding of float32, NaN stands
opposite NaN, and at least one such pair holds numbers. The diagonal is

    constant   one value in every cell (of those that are not NaN)
    best       the best value of its row and of its column everywhere, largest or smallest
    other      neither

A constant 0 that no other cell falls below suggests a distance, a constant largest value a similarity; a diagonal that
is the best everywhere suggests the direction in which it is. What may be a mark for "not compared" suggests nothing:
a constant infinity, -1 or 999 far from all other cells, or a value that as many other cells have.

With labels beside it, one a row, a square array may hold scores or vectors. It holds scores where its name or that of
its file says so (distances, similarity, scores, matrix) or where it is symmetric, vectors where it is called as those
are (embeddings, features) or is called X or templates and is not symmetric; anything else is for the caller to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, chained, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ScoreMatrix
from bertillon.io.limits import LIMITS

SCORES = "scores"
_DISTANCES = {"distance", "distances", "dist", "dists", "dissimilarity", "dissimilarities", "hamming", "euclidean"}
_SIMILARITIES = {"similarity", "similarities", "sim", "sims", "cosine", "cosines", "correlation", "llr", "llrs"}
_MATRICES = {"score", "scores", "matrix", "scorematrix", "scoremat", "comparisons"}
_VECTORS = {"embedding", "embeddings", "template", "templates", "feature", "features", "vector", "vectors", "x"}
_VECTORS |= {"code", "codes", "iris", "bits", "histogram", "histograms", "descriptors", "ivectors", "xvectors"}
_LOOSE = {"x", "template", "templates"}  # names that a matrix may have too
_ROUNDING = {2: 4e-3}  # of float16, by bytes of a number; all else may have been float32
_OF_FLOAT32 = 64 * float(np.finfo(np.float32).eps)
_SAMPLED = 10_000  # cells that tell how large a usual value is
_FAR = 3  # times the spread of all other cells, or the largest of them


@dataclass(frozen=True, slots=True)
class Square:
    """What a square array looks like. `value` is that of a constant diagonal, `suggests` what the diagonal implies."""

    symmetric: bool
    diagonal: Literal["constant", "best", "other"] = "other"
    value: float | None = None
    suggests: AcceptRule | None = None


def describe_square(scores: NDArray[Any]) -> Square:
    """Symmetry and diagonal of an array of numbers, looked at tile by tile; what is not square is not symmetric.

    >>> describe_square(np.array([[0.0, 3.0], [3.0, 0.0]]))
    Square(symmetric=True, diagonal='constant', value=0.0, suggests=<AcceptRule.DISTANCE: 'distance'>)
    """
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or scores.size == 0:
        return Square(symmetric=False)
    allowed = _OF_FLOAT32 if scores.dtype.kind != "f" else _ROUNDING.get(scores.dtype.itemsize, _OF_FLOAT32)
    usual = _usual(scores)
    return _of_diagonal(scores, _is_symmetric(scores, allowed, usual), allowed, usual)


def _usual(scores: NDArray[Any]) -> float:
    """The size of a usual value: the median of some finite cells, so that a few huge marks change nothing."""
    rows = max(1, -(-len(scores) // int(_SAMPLED**0.5)))
    sample = np.abs(scores[::rows, ::rows].astype(np.float64))
    finite = sample[np.isfinite(sample)]
    return float(np.median(finite)) if finite.size else 0.0


def _spans(length: int) -> Iterator[slice]:
    return (slice(start, min(start + LIMITS.square_tile, length)) for start in range(0, length, LIMITS.square_tile))


def _is_symmetric(scores: NDArray[Any], allowed: float, usual: float) -> bool:
    compared = False
    for number, rows in enumerate(_spans(len(scores))):
        for columns in list(_spans(len(scores)))[number:]:
            upper = scores[rows, columns].astype(np.float64)
            lower = scores[columns, rows].T.astype(np.float64)
            if not _agree(upper, lower, allowed, usual):
                return False
            if not compared:
                numbers = ~np.isnan(upper)
                if rows == columns:
                    np.fill_diagonal(numbers, False)
                compared = bool(numbers.any())
    return compared


def _agree(upper: NDArray[np.float64], lower: NDArray[np.float64], allowed: float, usual: float) -> bool:
    if np.array_equal(upper, lower, equal_nan=True):
        return True
    finite = np.isfinite(upper) & np.isfinite(lower)
    if not np.array_equal(upper[~finite], lower[~finite], equal_nan=True):
        return False
    above, below = upper[finite], lower[finite]
    size = np.maximum(np.maximum(np.abs(above), np.abs(below)), usual)
    return bool((np.abs(above - below) <= allowed * size).all())


def _of_diagonal(scores: NDArray[Any], symmetric: bool, allowed: float, usual: float) -> Square:
    diagonal = np.diagonal(scores).astype(np.float64)
    known = ~np.isnan(diagonal)
    if not known.any():
        return Square(symmetric)
    low, high = _off_diagonal(scores)
    value = float(np.median(diagonal[known]))
    if np.allclose(diagonal[known], value, rtol=allowed, atol=allowed * usual):
        return Square(symmetric, "constant", value, _of_constant(scores, value, low.min(), high.max(), allowed * usual))
    seen = known & (low <= high)  # a row of NaN has no best
    if seen.any() and bool((diagonal >= high)[seen].all()):
        return Square(symmetric, "best", None, AcceptRule.SIMILARITY)
    if seen.any() and bool((diagonal <= low)[seen].all()):
        return Square(symmetric, "best", None, AcceptRule.DISTANCE)
    return Square(symmetric)


def _tiles(scores: NDArray[Any]) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
    """The array in pieces, the diagonal NaN."""
    for rows in _spans(len(scores)):
        for columns in _spans(len(scores)):
            tile = scores[rows, columns].astype(np.float64)
            if rows == columns:
                np.fill_diagonal(tile, np.nan)
            yield rows, columns, tile


def _off_diagonal(scores: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the largest cell beside the diagonal, of each row and its column together; NaN left out."""
    low, high = np.full(len(scores), np.inf), np.full(len(scores), -np.inf)
    for rows, columns, tile in _tiles(scores):
        for axis, along in ((1, rows), (0, columns)):
            low[along] = np.fmin(low[along], np.fmin.reduce(tile, axis=axis))
            high[along] = np.fmax(high[along], np.fmax.reduce(tile, axis=axis))
    return low, high


def _of_constant(scores: NDArray[Any], value: float, least: float, most: float, near: float) -> AcceptRule | None:
    if not np.isfinite(value) or least > most or _count_near(scores, value, near) >= len(scores):
        return None
    if abs(value) <= near and least >= value - near:
        return AcceptRule.DISTANCE
    reach = _FAR * max(most - least, abs(most))
    of_itself = abs(value - 1) <= near or value - most <= reach  # 1 is what a template scores against itself
    return AcceptRule.SIMILARITY if most <= value + near and of_itself else None


def _count_near(scores: NDArray[Any], value: float, near: float) -> int:
    """How many cells beside the diagonal have its value."""
    with np.errstate(invalid="ignore"):
        return sum(int((np.abs(tile - value) <= near).sum()) for _, _, tile in _tiles(scores))


def labelled_square(
    array: NDArray[Any], subject: NDArray[np.str_], source: str, format: str, *, names: Sequence[str], stated: bool
) -> ScoreMatrix | None:
    """The matrix of scores that a square array with one label a row holds; None where it holds templates.

    `names` are those of the array and its file, the nearest first; `stated` says that it holds scores.
    """
    if array.shape != (len(subject), len(subject)) or array.dtype.kind not in "iuf" or len(subject) < 2:
        return None
    name_words = [word for name in names for word in re.split(r"[^a-z]+", name.lower())]
    named = next((word for word in name_words if word in _DISTANCES | _SIMILARITIES | _MATRICES | _VECTORS), "")
    seen = describe_square(array)
    if not stated and not _is_matrix(named, seen, source, len(subject)):
        return None
    scores = array if array.dtype.kind == "f" else array.astype(np.float64)
    note = say("reading.square.stated" if stated else "reading.square.symmetric")
    if not stated and named and named not in _VECTORS:
        note = say("reading.square.named", name=repr(named))
    found = ScoreMatrix(scores, subject, subject, source=source, format=format, notes=(note,))
    return _with_diagonal(found, seen, named)


def _is_matrix(named: str, seen: Square, source: str, n: int) -> bool:
    if named in _VECTORS and not (named in _LOOSE and seen.symmetric):
        return False
    if not named and not seen.symmetric:
        raise InputError(
            f"{source}: an array of {n:,} by {n:,} numbers with {n:,} labels, not symmetric, may hold the scores of "
            f"{n:,} templates against each other or {n:,} vectors of {n:,} numbers; say which with --kind "
            "scores or --kind vector"
        )
    return True


def labelled_sides(matrix: ScoreMatrix, probes: NDArray[np.str_], references: NDArray[np.str_]) -> ScoreMatrix:
    """The matrix with other subjects; where its names are those of templates on both sides, none meets itself."""
    same = np.array_equal(matrix.probe_subject, matrix.reference_subject)
    relabelled = replace(matrix, probe_subject=probes, reference_subject=references)
    relabelled = replace(relabelled, notes=(*matrix.notes, say("reading.subjects_from_labels")))
    return _with_diagonal(relabelled, describe_square(matrix.scores), "") if same else relabelled


def rule_of_diagonal(rule: AcceptRule, value: float | None) -> Message:
    """What the diagonal implies, of one value or of the best of each row."""
    if value is None:
        return say(f"reading.by_best_diagonal.{rule.value}")
    return say(f"reading.by_diagonal.{rule.value}", value=value)


def _with_diagonal(matrix: ScoreMatrix, seen: Square, named: str) -> ScoreMatrix:
    """The diagonal left out where templates meet themselves there, and the direction that name or diagonal imply."""
    n = len(matrix.scores)
    notes = [say("reading.square.templates", n=n)]
    itself = seen.symmetric or seen.diagonal == "constant"
    if itself:
        notes.append(say("reading.square.twice" if seen.symmetric else "reading.square.constant"))
        notes.append(say("reading.square.diagonal"))
    by_name = {"distance": named in _DISTANCES, "similarity": named in _SIMILARITIES}
    stated = next((AcceptRule(name) for name, suggested in by_name.items() if suggested), None)
    rule = stated or (seen.suggests if itself else None)
    if stated is not None:
        other = itself and seen.suggests not in (None, stated)
        doubted = other and seen.suggests is not None
        key = f"reading.by_name_doubted.{stated.value}" if doubted else f"reading.by_name.{stated.value}"
        notes.append(say(key, name=repr(named)))
    elif rule is not None:
        notes.append(rule_of_diagonal(rule, seen.value))
    else:
        notes.append(say("reading.direction_unknown"))
    ignored = np.eye(n, dtype=np.bool_) if itself else matrix.ignored
    return replace(matrix, ignored=ignored, rule=rule, notes=(chained([*matrix.notes, *notes]),))
