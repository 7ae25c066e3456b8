"""Scores alone: plain lists, which do not say who is mated, and histograms, how many comparisons had each score.

    scores            one number a line, or one line of numbers
    pyeer             several columns, the score in the last, as PyEER takes its genuine and impostor files
    histogram         a score and its number of comparisons in each line; with a header also `score,count`,
                      `score,label,count` and `score,genuine,impostor` (two numbers)
    pyeer-histogram   PyEER's format of integer scores: line n, counted from 0, is the number of comparisons of score n

Conventions: one line of numbers is a list if it has more than five of them or none is a whole number; otherwise it
may be one comparison with its ids. Each score of a histogram is read as often as it is counted.

Sniffing of a histogram in two columns without a header: the first grows in even steps and has fractions (without them
it may as well be an id), the second holds counts. In one column: whole numbers of 0 or more whose neighbours are much
alike, going both up and down, and small at the end. A list of scores is in no such order unless it is sorted, and then
it only goes one way. What is somewhat like both is for the user to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import ComparisonTable, say
from bertillon.core.lazy import pl
from bertillon.core.tables import EXACT, ScoreList
from bertillon.io.attacks import marks_bona_fide
from bertillon.io.columns import Roles, assemble, known_role, plain
from bertillon.io.delimited import has_header
from bertillon.io.labels import has_both_labels, is_digit_label, meaning
from bertillon.io.limits import require_memory
from bertillon.io.positional import Columns
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import (
    BLANKS,
    FAILED_WORDS,
    Head,
    Source,
    all_numbers,
    is_id_like,
    is_integer,
    is_number,
    split_line,
)
from bertillon.io.text import Layout, numbered, parse

_SCORES = ("bin", "value", "values", "bins", "bincenter", "bincentre")
_COUNTS = ("count", "counts", "frequency", "frequencies", "freq", "occurrences", "comparisons", "ncomparisons", "n")
_ROOM = 16  # bytes that a comparison takes while scores are repeated
_FEWEST_LINES = 20
_ALIKE, _SOMEWHAT_ALIKE = 0.8, 0.5  # rank correlation of neighbours
_BOTH_WAYS = 0.2  # the least share of steps that go up, and of those that go down
_TAIL, _SMALL = 0.05, 0.05  # the last of the lines, and how large they may be beside the largest
_LONGEST_RECORD = 5
_SHORT = 1 << 20  # bytes; what is longer is read by polars, which takes as long to load as to read some of them
_DIGITS = b"0123456789.+-eE\n"
_KINDS = {"score": "score", "label": "label"}
Part = tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]
_LIST = Columns(say("format.plain_list"), {"score": "score"}, say("reading.plain_list"))


def read_histogram(source: Source, head: Head, request: Request) -> ComparisonTable:
    named = _named(head)
    if named is None and head.width != 2:
        problem = f"has {head.width} columns; a histogram has a score and a count in each line"
        raise source.error(f"{problem}, or a header such as `score,count` or `score,genuine,impostor`")
    layout = Layout.of_header(head) if named else Layout(("score", "count"), head.separator)
    named = named or {"score": "score", "count": "count"}
    kinds = {name: _KINDS.get(role, "code") for role, name in named.items()}
    frame = parse(source, head, layout, kinds).rename({name: role for role, name in named.items()})
    scores = frame["score"].to_numpy()
    if np.isnan(scores).any():
        raise source.error("a score of a histogram is missing; every line needs one")
    if "count" in frame.columns:
        labels = frame["label"].to_numpy() if "label" in frame.columns else None
        return _expanded(source, request, [(scores, frame["count"].to_numpy(), labels)])
    parts = [(scores, frame[role].to_numpy(), np.full(scores.size, role == "mated")) for role in ("mated", "nonmated")]
    return _expanded(source, request, parts)


def read_pyeer(source: Source, head: Head, request: Request) -> ComparisonTable:
    """The count of each whole score, from 0, one a line."""
    for expected, (number, _) in enumerate(numbered(source.content, header=False), 1):
        if number != expected:
            problem = "a blank line or a comment; each line stands for a score, so none may be added"
            raise source.error(problem, expected)
    counts = parse(source, head, Layout(("count",), BLANKS), {"count": "code"})["count"].to_numpy()
    return _expanded(source, request, [(np.arange(counts.size, dtype=np.float64), counts, None)])


def _expanded(source: Source, request: Request, parts: Sequence[Part]) -> ComparisonTable:
    for scores, counts, _ in parts:
        if (counts < 0).any():
            score = scores[int((counts < 0).argmax())]
            raise source.error(f"score {score:g} has the count {counts.min()}; a count is 0 or more")
    total = sum(int(counts.sum(dtype=object)) for _, counts, _ in parts)
    if total == 0:
        raise source.error("has no count above 0")
    require_memory(source.name, _ROOM * total, f"a histogram of {total:,} comparisons", "divide all counts by a number")
    columns = {"score": np.concatenate([np.repeat(scores, counts) for scores, counts, _ in parts])}
    labelled = [np.repeat(labels, counts) for _, counts, labels in parts if labels is not None]
    if labelled:
        columns["mated"] = np.concatenate(labelled)
    lines = sum(counts.size for _, counts, _ in parts)
    note = say("reading.histogram", comparisons=total, scores=lines)
    return ComparisonTable(pl.DataFrame(columns), source.name, request.format, notes=(note,))


def _named(head: Head) -> dict[str, str] | None:
    """The column of each role where a header says that there are counts."""
    first = head.names
    if not 2 <= len(first) <= 3 or any(map(is_number, first)):
        return None
    scores = [name for name in first if known_role(name) == "score" or plain(name) in _SCORES]
    counts = [name for name in first if plain(name) in _COUNTS]
    rest = [name for name in first if name not in (*scores, *counts)]
    if len(scores) != 1:
        return None
    if len(counts) == 1:
        named = {"score": scores[0], "count": counts[0]}
        if not rest:
            return named
        return named | {"label": rest[0]} if len(rest) == 1 and known_role(rest[0]) == "mated" else None
    by_meaning = {meaning(name.lower().removesuffix("s")) or "": name for name in rest}
    body = head.columns(skip=1)
    if len(rest) != 2 or set(by_meaning) != {"mated", "nonmated"} or len(body) != 3:
        return None
    counted = all(_is_count(text) for name in rest for text in body[first.index(name)])
    return {"score": scores[0], **by_meaning} if counted else None


def _is_count(text: str) -> bool:
    return is_integer(text) and not text.strip().startswith("-")


def fits_histogram(head: Head) -> bool:
    return _named(head) is not None or (_is_pair(head) and not doubt_of_pair(head))


def _is_pair(head: Head) -> bool:
    """Two columns without a header, the first growing in even steps, the second counts?"""
    if head.width != 2 or len(head.rows) < 2:
        return False
    scores, counts = head.columns()
    if not all(map(_is_count, counts)) or is_digit_label(counts) or not all(map(is_number, scores)):
        return False
    if any(text.strip().lower() in FAILED_WORDS for text in scores):
        return False
    steps = np.diff(np.array([float(text) for text in scores]))
    if steps.size == 0 or not np.isfinite(steps).all() or not (steps > 0).all():
        return False
    shares = steps / steps.min()
    return bool(np.allclose(shares, np.round(shares), atol=1e-3))


def doubt_of_pair(head: Head) -> bool:
    """Whole numbers in even steps and counts: a histogram, or ids and scores?"""
    return _is_pair(head) and all(is_integer(text) for text in head.columns()[0])


def fits_pyeer(head: Head) -> bool:
    return _likeness(head) == "histogram"


def doubt_of_list(head: Head) -> bool:
    """One column that may be a list of scores or a histogram?"""
    return _likeness(head) == "either"


def _likeness(head: Head) -> str:
    """What a column of whole numbers is like: a histogram, a list, or either."""
    if head.width != 1 or len(head.rows) < _FEWEST_LINES or not all(_is_count(row[0]) for row in head.rows):
        return "list"
    values = np.array([float(row[0]) for row in head.rows])
    values = np.trim_zeros(values, "b")
    if values.size < _FEWEST_LINES:
        return "list"
    steps = np.diff(values)
    moves = steps[steps != 0]
    up = float((moves > 0).mean()) if moves.size else 0.0
    ranks = np.unique(values, return_inverse=True)[1]
    if not _BOTH_WAYS <= up <= 1 - _BOTH_WAYS or ranks.max() == 0:
        return "list"
    alike = float(np.corrcoef(ranks[1:], ranks[:-1])[0, 1])
    tail = values[-max(3, int(_TAIL * values.size)) :]
    if alike >= _ALIKE and tail.mean() <= _SMALL * values.max():
        return "histogram"
    return "either" if alike > max(_SOMEWHAT_ALIKE, 4 / values.size**0.5) else "list"


def read_list(source: Source, head: Head, request: Request) -> ComparisonTable:
    if len(head.rows) == 1 and head.width > 1:
        return _read_one_line(source, head, request)
    few = _few_numbers(source)
    if few is not None:
        return ScoreList(few, source.name, request.format, None, (say("reading.plain_list"),), {"score": "score"})  # type: ignore[arg-type]
    return _LIST.read(source, replace(head, separator=BLANKS), request)


def _few_numbers(source: Source) -> NDArray[np.float64] | None:
    """The numbers of a short file of nothing but numbers as everyone writes them; None of any other."""
    if source.size > _SHORT:
        return None
    text = source.data()
    if text.translate(None, _DIGITS) or text[:1] == b"\n" or b"\n\n" in text:
        return None
    try:
        values = np.array([float(line) for line in text.splitlines()])
    except ValueError:
        return None
    return values if np.abs(values).max(initial=0.0) < EXACT else None


def _read_one_line(source: Source, head: Head, request: Request) -> ComparisonTable:
    lines = [line for _, line in numbered(source.content, header=False)]
    if len(lines) > 1:
        raise source.error(f"has {len(lines):,} lines of several numbers; a list has one number a line, or one line")
    fields = [text.strip() or "nan" for text in split_line(lines[0], head.separator)]
    column = Source(source.path, "\n".join(fields).encode(), in_memory=True)
    return _LIST.read(column, Head(head.raw), request)


def read_last(source: Source, head: Head, request: Request) -> ComparisonTable:
    width = max(head.width, 1)
    names = (*(f"column {number + 1}" for number in range(width - 1)), "score")
    roles = Roles({"score": "score"})
    kinds = dict.fromkeys(names[:-1], "text") if request.ids else {}  # a list of trials may be joined by them
    frame = parse(source, head, Layout(names, head.separator), {**kinds, "score": "score"})
    return assemble(source.name, frame, roles, request, [say("reading.pyeer", column=width)])


def fits_list(head: Head) -> bool:
    if len(head.rows) == 1 and head.width > 1:
        many = head.width > _LONGEST_RECORD or not any(is_integer(text) for text in head.rows[0])
        return all_numbers(head.rows[0]) and many
    return head.width == 1 and all_numbers(head.columns()[0]) and not doubt_of_list(head)


def fits_last(head: Head) -> bool:
    if head.width < 2 or has_header(head):
        return False
    *ids, score = head.columns()
    if is_digit_label(score) and has_both_labels(score):
        return False  # nothing but 1 and 0: labels rather than scores
    return (
        all_numbers(score)
        and all(map(is_id_like, ids))
        and not any(has_both_labels(column) or marks_bona_fide(column) for column in ids)
        and not doubt_of_pair(head)
    )


def near_last(head: Head) -> str:
    if doubt_of_pair(head):
        return "if column 1 is an id and column 2 the score"
    labels = head.width > 1 and not has_header(head) and has_both_labels(head.columns()[-1])
    return f"if column {head.width}, nothing but labels, is the score" if labels else ""


def _where(doubtful: Callable[[Head], bool], what: str) -> Callable[[Head], str]:
    """What is said of a file that may be of a format as well as of another."""
    return lambda head: what if doubtful(head) else ""


_PYEER = "PyEER: how many comparisons had score 0, 1, 2 ..."
_HISTOGRAM = "scores and how many comparisons had each"
_IF_COUNTS = _where(doubt_of_pair, "if column 1 is a score and column 2 how many comparisons had it")
_IF_HISTOGRAM = _where(doubt_of_list, "if line n, from 0, is how many comparisons had score n")
_IF_LIST = _where(doubt_of_list, "if each line is the score of one comparison")
register(
    Format("histogram", _HISTOGRAM, 1, fits_histogram, read_histogram, near=_IF_COUNTS),
    Format("pyeer-histogram", _PYEER, 2, fits_pyeer, read_pyeer, near=_IF_HISTOGRAM),
    Format("scores", "plain list of scores, one a line", 4, fits_list, read_list, near=_IF_LIST),
    Format("pyeer", "PyEER: score in the last of several columns", 5, fits_last, read_last, near=near_last),
)
