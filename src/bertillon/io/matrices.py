"""Score matrices: as text with and without names, in BEE files, and square arrays with a label for each row.

    matrix        reference subjects in the first line, probe subjects in the first column
    bare-matrix   scores alone, as many lines as columns; subjects are numbered from 0, equal numbers are mated
    bee           S2 (similarity) or D2 (distance), the name of the targets and of the queries, each in a line; then
                  `MF rows columns` and the four bytes of 0x12345678, whose order is that of the cells, float32
    bee-mask      the same with MB and uint8: 0xff is a mated cell, 0x7f a non-mated one, 0x00 none at all

Rows are probes, columns references. Every cell is kept as it is. Sniffing of names: all cells below and right of the
names are numbers, no name in the first line is that of a known column, and either some subject stands on both sides, or
the top left cell is empty and the rows are not merely counted. Where columns are counted from 0 and no row number
repeats, both sides must have the same: pandas numbers those of any table. A first line of nothing but numbers may as
well be a line of data: there both sides must have the same subjects, and names have no fraction. Sniffing of a bare
matrix: nothing but numbers, as many lines as columns, at least three, and a fraction in every column or six of them.
BEE files have no ids: without a mask rows and columns get names (`query 1`, `target 1`) that never agree.

Square: an array is symmetric where every pair of mirrored cells agrees within the rounding of float32, NaN stands
opposite NaN, and at least one such pair holds numbers. A constant diagonal of 0 that no other cell falls below suggests
a distance, a constant largest value a similarity; one that is the best of its row and column everywhere suggests the
direction in which it is. What may be a mark for "not compared" suggests nothing: a constant infinity, -1 or 999 far
from all other cells, or a value that as many other cells have. With labels beside it a square array holds scores where
its name or that of its file says so (distances, similarity, scores, matrix) or where it is symmetric, vectors where it
is called as those are (embeddings) or is called X or templates and is not symmetric; else the caller must say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, ComparisonTable, InputError, Message, ScoreMatrix, chained, say
from bertillon.io.columns import known_role
from bertillon.io.convert import as_array, require_subjects
from bertillon.io.limits import LIMITS
from bertillon.io.npy import numbered_matrix
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import (
    Head,
    Source,
    all_numbers,
    is_counted,
    is_id_like,
    is_integer,
    is_number,
    numbers_columns,
    open_source,
)
from bertillon.io.text import Layout, parse

_SUBJECT = "probe subject"
LEAST = 3  # lines of a bare matrix
_MOST_RECORD = 5  # columns of a line of ids and a score
MATCH, NON_MATCH, IGNORE = 0xFF, 0x7F, 0x00
_BEE_MAGIC = (b"S2", b"D2")
_BEE_START = rb"([SD])2\s*\n[^\n]{0,4096}\n[^\n]{0,4096}\nM"
_BEE_HEADER = re.compile(_BEE_START + rb"([FB]) (\d{1,12}) (\d{1,12}) (.{4})\n", re.DOTALL)
_REFUSAL = "is a BEE mask, not a matrix of scores; give it as the mask of one"
_ORDERS = {b"\x78\x56\x34\x12": "<", b"\x12\x34\x56\x78": ">"}
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


def read_named(source: Source, head: Head, request: Request) -> ScoreMatrix:
    if head.width < 2:
        raise source.error("is not a matrix; a line of reference subjects and lines of a probe subject and its scores")
    subjects = _references(head)
    columns = [f"score {number + 1}" for number in range(len(subjects))]
    layout = Layout((_SUBJECT, *columns), head.separator, header=len(head.rows[0]))
    frame = parse(source, head, layout, {_SUBJECT: "text", **dict.fromkeys(columns, "score")})
    probes = frame[_SUBJECT].fill_null("").to_list()
    require_subjects(source, probes, subjects)
    scores = frame.select(columns).to_numpy(order="c")
    notes = (say("reading.matrix", rows=frame.height, columns=len(subjects)),)
    rows, names = as_array(probes, source.name), as_array(subjects, source.name)
    return ScoreMatrix(scores, rows, names, source=source.name, format=request.format, notes=notes)


def _references(head: Head) -> list[str]:
    """The names over the columns; a header one short of the lines has no top left cell."""
    return list(head.names if len(head.names) == head.width - 1 else head.names[1:])


def fits_named(head: Head) -> bool:
    body = head.columns(skip=1)
    if len(head.rows) < 2 or len(body) < 2 or not all(is_number(text) for column in body[1:] for text in column):
        return False
    if not any(map(all_numbers, body[1:])):  # a reference may have failed with everybody, but not all of them
        return False
    references = _references(head)
    if len(references) != len(body) - 1 or any(known_role(name) in ("score", "mated") for name in references):
        return False
    probes = [name.strip() for name in body[0]]
    corner_empty = len(head.rows[0]) == head.width and not head.rows[0][0].strip()
    if len(head.rows[0]) == head.width and not corner_empty and all(map(is_number, head.rows[0])):
        plain = is_id_like(references) and is_id_like(probes) and len(set(references)) == len(references)
        return plain and set(references) == set(probes)
    if is_counted(references) and _is_index(head, probes, references):
        return False
    counted = is_counted(probes) or is_counted(probes, start=1)
    return bool(set(references) & set(probes)) or (corner_empty and not counted)


def _is_index(head: Head, probes: list[str], references: list[str]) -> bool:
    """Over columns that are counted: do the rows have numbers of their own, as pandas gives them in any table?"""
    if len(set(probes)) < len(probes) or not all(map(is_integer, probes)):
        return False
    return not set(probes) <= set(references) or (head.complete and len(head.rows) - 1 != len(references))


def read_bare(source: Source, head: Head, request: Request) -> ScoreMatrix:
    columns = tuple(f"score {number + 1}" for number in range(head.width))
    frame = parse(source, head, Layout(columns, head.separator), dict.fromkeys(columns, "score"))
    if frame.height != len(columns):
        raise source.error(
            f"has {frame.height:,} lines of {len(columns):,} scores and no names; a matrix without names is square, "
            "since row and column of one number are taken for one subject: add a line and a column of subjects"
        )
    note = say("reading.unnamed_matrix", n=frame.height)
    return numbered_matrix(source, request, frame.to_numpy(order="c"), note)


def fits_bare(head: Head) -> bool:
    width = head.width
    if (
        min(width, len(head.rows)) < LEAST
        or any(len(row) != width for row in head.rows)
        or (numbers_columns(head) and not head.rows[0][0].strip())
        or not all(set(shape) == {"n"} for shape in head.shapes)
    ):
        return False
    if len(head.rows) != width if head.complete else len(head.rows) > width:
        return False
    return width > _MOST_RECORD or not any(map(is_id_like, head.columns()))


def read_bee(source: Source, head: Head, request: Request) -> ScoreMatrix:
    rule, values = _cells(source, head.raw)
    if values.dtype == np.uint8:
        raise source.error(_REFUSAL)
    rows, columns = values.shape
    mated, ignored = _mask(request, values.shape) if request.mask else (None, None)
    notes = [say(f"reading.bee.{rule.value}", rows=rows, columns=columns)]
    notes.append(say("reading.mask", mask=str(request.mask)) if request.mask else say("reading.no_mask"))
    names = _names("query", rows), _names("target", columns)
    return ScoreMatrix(values, *names, mated, ignored, source.name, request.format, rule, tuple(notes))


def _names(word: str, count: int) -> NDArray[np.str_]:
    return np.array([f"{word} {number + 1}" for number in range(count)], dtype=np.str_)


def _cells(source: Source, raw: bytes) -> tuple[AcceptRule, NDArray[Any]]:
    header = _BEE_HEADER.match(raw[:16384])
    if header is None:
        raise source.error("has no BEE header: S2 or D2, target, query, then `MF rows columns` and a magic number")
    letter, kind, rows, columns, magic = header.groups()
    if magic not in _ORDERS:
        raise source.error(f"the magic number is {magic.hex()}, not 12345678 or 78563412; is it a BEE matrix?")
    dtype = np.dtype(f"{_ORDERS[magic]}f4") if kind == b"F" else np.dtype(np.uint8)
    shape = (int(rows), int(columns))
    expected = shape[0] * shape[1] * dtype.itemsize
    present = source.size - header.end()
    if expected != present or expected == 0:
        size = f"{shape[0]:,} x {shape[1]:,} cells of {dtype.itemsize} bytes"
        raise source.error(f"the header states {size}, but {present:,} bytes follow it; is it cut off?")
    values = np.frombuffer(source.content, dtype, count=shape[0] * shape[1], offset=header.end()).reshape(shape)
    rule = AcceptRule.DISTANCE if letter == b"D" else AcceptRule.SIMILARITY
    return rule, values.astype(dtype.newbyteorder("="))


def _mask(request: Request, shape: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    source = open_source(str(request.mask))
    _, values = _cells(source, source.head(16384))
    if values.dtype != np.uint8:
        raise source.error("is a BEE matrix of scores (MF), not a mask (MB)")
    if values.shape != shape:
        sizes = [f"{rows:,} x {columns:,}" for rows, columns in (values.shape, shape)]
        raise source.error(f"the mask is {sizes[0]}, but the matrix is {sizes[1]}")
    strange = np.setdiff1d(np.unique(values), [MATCH, NON_MATCH, IGNORE])
    if strange.size:
        shown = ", ".join(f"0x{value:02x}" for value in strange[:5])
        raise source.error(f"the mask holds {shown}; expected 0xff (mated), 0x7f (non-mated) and 0x00 (ignored)")
    return values == MATCH, values == IGNORE


def _begins_bee(kind: bytes) -> Callable[[Head], bool]:
    return lambda head: re.match(_BEE_START + kind, head.raw) is not None


def write_bee(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write the scores as float32, in the byte order of most machines."""
    matrix = _require_matrix(table)
    _write(file, matrix.rule, b"F", matrix.scores.astype("<f4"))


def write_mask(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    """Write which cells are mated, non-mated and ignored."""
    matrix = _require_matrix(table)
    equal = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    values = np.where(matrix.mated if matrix.mated is not None else equal, MATCH, NON_MATCH).astype(np.uint8)
    if matrix.ignored is not None:
        values[matrix.ignored] = IGNORE
    _write(file, matrix.rule, b"B", values)


def _require_matrix(table: ComparisonTable | ScoreMatrix) -> ScoreMatrix:
    if isinstance(table, ScoreMatrix):
        return table
    raise InputError("bee holds a matrix of every probe against every reference, not a list; use csv, parquet or bob-4")


def _write(file: BinaryIO, rule: AcceptRule | None, kind: bytes, values: NDArray[Any]) -> None:
    letter = b"D" if rule is AcceptRule.DISTANCE else b"S"
    rows, columns = values.shape
    file.write(letter + b"2\ntargets\nqueries\nM%s %d %d \x78\x56\x34\x12\n" % (kind, rows, columns))
    file.write(values.tobytes())


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
    for rule, best in ((AcceptRule.SIMILARITY, diagonal >= high), (AcceptRule.DISTANCE, diagonal <= low)):
        if seen.any() and bool(best[seen].all()):
            return Square(symmetric, "best", None, rule)
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
    if not np.isfinite(value) or least > most:
        return None
    with np.errstate(invalid="ignore"):
        alike = sum(int((np.abs(tile - value) <= near).sum()) for _, _, tile in _tiles(scores))
    if alike >= len(scores):  # as many cells beside the diagonal have its value
        return None
    if abs(value) <= near and least >= value - near:
        return AcceptRule.DISTANCE
    reach = _FAR * max(most - least, abs(most))
    of_itself = abs(value - 1) <= near or value - most <= reach  # 1 is what a template scores against itself
    return AcceptRule.SIMILARITY if most <= value + near and of_itself else None


def labelled_square(
    array: NDArray[Any], subject: NDArray[np.str_], source: str, format: str, *, names: Sequence[str], stated: bool
) -> ScoreMatrix | None:
    """The scores that a square array with one label a row holds, by what it and its file are called; or None."""
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
    notes = (*matrix.notes, say("reading.subjects_from_labels"))
    relabelled = replace(matrix, probe_subject=probes, reference_subject=references, notes=notes)
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
    words = {AcceptRule.DISTANCE: _DISTANCES, AcceptRule.SIMILARITY: _SIMILARITIES}
    stated = next((rule for rule, known in words.items() if named in known), None)
    rule = stated or (seen.suggests if itself else None)
    if stated is not None:
        doubted = itself and seen.suggests not in (None, stated)
        key = f"reading.by_name_doubted.{stated.value}" if doubted else f"reading.by_name.{stated.value}"
        notes.append(say(key, name=repr(named)))
    elif rule is not None:
        notes.append(rule_of_diagonal(rule, seen.value))
    else:
        notes.append(say("reading.direction_unknown"))
    ignored = np.eye(n, dtype=np.bool_) if itself else matrix.ignored
    return replace(matrix, ignored=ignored, rule=rule, notes=(chained([*matrix.notes, *notes]),))


register(
    Format("matrix", "text matrix, subjects in first line and column", 2, fits_named, read_named, columns=2),
    Format("bare-matrix", "square text matrix of scores alone", 2, fits_bare, read_bare, columns=LEAST),
    Format("bee", "BEE matrix (.mtx)", 0, _begins_bee(b"F "), read_bee, write_bee, (".mtx",), magic=_BEE_MAGIC),
    Format(
        "bee-mask", "BEE mask", 0, _begins_bee(b"B "), None, write_mask, (".mask",), refusal=_REFUSAL, magic=_BEE_MAGIC
    ),
)
