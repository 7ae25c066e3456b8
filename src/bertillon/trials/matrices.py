"""What the cells of a score matrix are: comparisons of two sets of samples, or of templates with themselves.

Conventions: symmetry decides. A symmetric matrix has the same templates in rows and columns: its diagonal compares
each with itself and is never a trial; every template plays both parts, as all against all does. Where all subjects of
such a matrix are different only the diagonal would be mated, so it is refused without labels. A matrix that is not
symmetric is probes against references, its diagonal mated where the subjects are equal; a diagonal that is one extreme
value throughout is doubtful there, and the caller must say which it is. Fewer than three templates show no symmetry.

A row or column in which every cell is the same extreme value is pointed out: that is how a failed sample looks.

Holds `settled`, `meets_itself` and `failed_samples`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ScoreMatrix
from bertillon.io.matrices import Square, describe_square, rule_of_diagonal

LEAST = 3  # rows of a matrix whose symmetry is no accident


@dataclass(frozen=True, slots=True)
class Settled:
    """A matrix of which it is known whether it compares templates with themselves."""

    matrix: ScoreMatrix
    with_itself: bool = False


def settled(matrix: ScoreMatrix, all_against_all: bool | None = None) -> Settled:
    """The matrix, its diagonal left out where templates meet themselves; `all_against_all` states whether they do."""
    rows, columns = np.shape(matrix.scores)
    if all_against_all is not False:
        matrix = _with_both_triangles(matrix)
    if all_against_all is None:
        _require_subjects(matrix)
    if all_against_all is not False and matrix.mated is None and meets_itself(matrix):  # settled when it was read
        return Settled(matrix, with_itself=True)
    if all_against_all is False or rows != columns or (all_against_all is None and not _may_be_itself(matrix)):
        if all_against_all:
            raise InputError(f"{matrix.source}: all against all needs a square matrix; found {rows:,} x {columns:,}")
        return Settled(matrix)
    square = describe_square(matrix.scores)
    if all_against_all is None and not square.symmetric:
        _require_plain_diagonal(matrix, square)
        return Settled(matrix)
    _require_labels(matrix)
    return Settled(_without_diagonal(matrix, square), with_itself=True)


def _with_both_triangles(matrix: ScoreMatrix) -> ScoreMatrix:
    """A matrix whose cells on one side of the diagonal are all one value holds each pair once: filled in."""
    scores = np.asarray(matrix.scores)
    rows, columns = scores.shape
    same = np.array_equal(matrix.probe_subject, matrix.reference_subject)
    if rows != columns or rows < LEAST or matrix.mated is not None or not same:
        return matrix
    sides = {"below": np.tril_indices(rows, -1), "above": np.triu_indices(rows, 1)}
    for side, other in (("below", "above"), ("above", "below")):
        empty, full = scores[sides[side]], scores[sides[other]]
        one_value = np.isnan(empty).all() or (empty == empty[0]).all()
        if one_value and np.unique(full[~np.isnan(full)]).size > 1 and empty.size > 2:
            filled = np.array(scores, dtype=np.float64)
            filled[sides[side]] = filled.T[sides[side]]
            note = say(f"reading.triangle.{side}", value=float(empty[0]))
            return replace(matrix, scores=filled, notes=(*matrix.notes, note))
    return matrix


def _require_subjects(matrix: ScoreMatrix) -> None:
    """Names that are all different, and whose equal ones meet at one extreme score, are samples and no subjects."""
    probes, references = matrix.probe_subject, matrix.reference_subject
    if matrix.mated is not None or np.array_equal(np.sort(probes), np.sort(references)):
        return
    if np.unique(probes).size < probes.size or np.unique(references).size < references.size:
        return
    equal = probes[:, None] == references[None, :]
    own, others = matrix.scores[equal], matrix.scores[~equal]
    if own.size < 2 or not others.size or not (own == own[0]).all():
        return
    if not (own[0] > np.fmax.reduce(others) or own[0] < np.fmin.reduce(others)):
        return
    raise InputError(
        f"{matrix.source}: every name stands once on its side, and the {own.size:,} cells of equal names are all "
        f"{own[0]:g}: these are samples that meet themselves, not subjects. Say whose each is with --labels FILE "
        "(columns sample and subject), or --no-all-against-all if they are subjects"
    )


def meets_itself(matrix: ScoreMatrix) -> bool:
    """Does the matrix compare templates with themselves: the same people on both sides, the diagonal alone left out?"""
    if matrix.ignored is None or not np.array_equal(matrix.probe_subject, matrix.reference_subject):
        return False
    return bool(np.diagonal(matrix.ignored).all()) and int(matrix.ignored.sum()) == len(matrix.ignored)


def _may_be_itself(matrix: ScoreMatrix) -> bool:
    """A mask that leaves out the diagonal or calls it non-mated has settled it; different ids are different samples."""
    if len(matrix.scores) < LEAST:
        return False
    if matrix.ignored is not None and bool(np.diagonal(matrix.ignored).all()):
        return False
    if matrix.mated is not None:
        return bool(np.diagonal(matrix.mated).all())
    return bool(np.array_equal(matrix.probe_subject, matrix.reference_subject))


def _require_plain_diagonal(matrix: ScoreMatrix, square: Square) -> None:
    """A diagonal of one extreme value in a matrix that is not symmetric may be either."""
    if square.diagonal != "constant" or square.suggests is None:
        return
    extreme = "smallest" if square.suggests is AcceptRule.DISTANCE else "largest"
    raise InputError(
        f"{matrix.source}: every cell of the diagonal is {square.value:g}, the {extreme} value of the matrix, "
        "which is not symmetric: are these templates against themselves? Say --all-against-all to leave the diagonal "
        "out, or --no-all-against-all to count it as mated"
    )


def _require_labels(matrix: ScoreMatrix) -> None:
    if matrix.mated is not None or np.unique(matrix.probe_subject).size < len(matrix.probe_subject):
        return
    raise InputError(
        f"{matrix.source}: a symmetric matrix of {len(matrix.scores):,} templates against themselves, all of different "
        "subjects: only the diagonal, each template with itself, would be mated. Say whose each row is with --labels "
        "FILE (one subject a row), or say --no-all-against-all if rows and columns are different samples"
    )


def _without_diagonal(matrix: ScoreMatrix, square: Square) -> ScoreMatrix:
    diagonal = np.eye(len(matrix.scores), dtype=np.bool_)
    ignored = diagonal if matrix.ignored is None else matrix.ignored | diagonal
    notes = [say("reading.symmetric_diagonal" if square.symmetric else "reading.diagonal")]
    if matrix.rule is None and square.suggests is not None:
        notes.append(rule_of_diagonal(square.suggests, square.value))
    return replace(matrix, ignored=ignored, rule=matrix.rule or square.suggests, notes=(*matrix.notes, *notes))


def failed_samples(matrix: ScoreMatrix) -> tuple[Message, ...]:
    """A warning for rows and columns that hold one extreme value only."""
    sides = ((1, "row", matrix.probe_subject), (0, "column", matrix.reference_subject))
    lines = (_constant_lines(matrix, axis, side, names) for axis, side, names in sides)
    return tuple(message for message in lines if message)


def _constant_lines(matrix: ScoreMatrix, axis: int, side: str, names: NDArray[Any]) -> Message | None:
    scores = np.asarray(matrix.scores)
    if scores.shape[axis] < LEAST or scores.size == 0 or np.isnan(scores).all():
        return None
    low, high = np.fmin.reduce(scores, axis=axis), np.fmax.reduce(scores, axis=axis)
    extremes = np.fmin.reduce(low), np.fmax.reduce(high)
    lines = np.flatnonzero((low == high) & np.isin(low, extremes))
    if not lines.size or lines.size == low.size or extremes[0] == extremes[1]:
        return None
    value, count = float(low[lines[0]]), lines.size
    return say(
        f"warning.constant.{side}",
        n=count,
        line=int(lines[0]) + 1,
        subject=str(names[lines[0]]),
        more=count - 1,
        value=value,
        cells=scores.shape[axis],
    )
