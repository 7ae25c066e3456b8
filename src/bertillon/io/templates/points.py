"""Text files of one template: a series, or minutiae.

Conventions: a series is a column an axis, separated as in CSV, with or without a header; a column of times is no axis.
Minutiae are lines `x y angle [quality]`, or columns called so; the angle grows from the x axis towards the y axis, as
in the .xyt files of NIST. Comment lines (`#`) and blank lines are passed over. Every faulty line is named.

What a text is is plain from its suffix or its header, or where its values can be nothing else: negative positions are
no minutiae; up to 512 distinct whole positions, at least one beyond a byte, with whole degrees that jump from line to
line are no signal. Everything else of three or four columns may be either.

Holds `Points`, `read_points`, `plain_kind`, `minutiae_of`, `series_of`, `time_column`, `may_be_time` and
`like_radians`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import Fault, InputError, faults_error
from bertillon.io.convert import FAILED_WORDS
from bertillon.io.head import Head, is_number, split_line
from bertillon.io.source import Source, check_text

SUFFIXES = (".xyt", ".mnt", ".min")
ANGLES = ("angle", "theta", "direction")
TIMES = frozenset(
    [
        "t",
        "time",
        "times",
        "timestamp",
        "timestamps",
        "ms",
        "us",
        "ns",
        "millis",
        "milliseconds",
        "sec",
        "secs",
        "seconds",
        "elapsed",
        "epoch",
        "datetime",
        "frame",
        "index",
        "idx",
    ]
)
FEWEST = 8  # lines from which the run of a column tells something
_MOST_MINUTIAE = 512
_LARGEST = 1 << 14  # positions have 14 bits in ISO/IEC 19794-2
_JUMPS = 0.12  # of the range of a column: half of the steps of values in random order are above .29


@dataclass(frozen=True, slots=True)
class Points:
    """The numbers of a text, a line a row, with the names over the columns, if any, and a line as an example."""

    table: NDArray[np.float64]
    names: tuple[str, ...] = ()
    line: str = ""


def read_points(source: Source, head: Head) -> Points:
    """All lines as numbers, a header left out; one error for all that are not."""
    if not head.rows:
        return Points(np.empty((0, 3)))
    check_text(source)
    faults: list[Fault] = []
    rows: list[list[float]] = []
    named = not any(is_number(text) for text in head.rows[0])
    lines = _lines(source)[1 if named else 0 :]
    for number, line in lines:
        row = _row(line, head.separator)
        if row is None or len(row) != head.width:
            faults.append(Fault(number, line, f"{head.width} numbers expected, as in most lines"))
        else:
            rows.append(row)
    if faults:
        raise faults_error(source.name, faults)
    names = tuple(name.strip().lower() for name in head.rows[0]) if named else ()
    return Points(np.array(rows, np.float64).reshape(len(rows), head.width), names, lines[0][1] if lines else "")


def _lines(source: Source) -> list[tuple[int, str]]:
    text = source.data().decode("utf-8-sig")
    return [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]


def _row(line: str, separator: str) -> list[float] | None:
    """The numbers of a line, a missing one NaN; None if there is anything else in it."""
    texts = [text.strip() for text in split_line(line, separator)]
    if not all(map(is_number, texts)):
        return None
    return [math.nan if text.lower() in FAILED_WORDS else float(text) for text in texts]


def plain_kind(suffix: str, points: Points) -> str | None:
    """What a text plainly is, minutiae or series; None where it may be either."""
    if suffix in SUFFIXES or _columns(points.names):
        return "minutiae"
    if points.names or points.table.shape[1] not in (3, 4) or not np.isfinite(points.table).all():
        return "series"
    x, y, angle = points.table.T[:3]
    if (np.minimum(x, y) < 0).any() or (np.maximum(x, y) >= _LARGEST).any() or (np.abs(angle) > 360).any():
        return "series"
    return "minutiae" if _only_minutiae(points.table) else None


def _only_minutiae(table: NDArray[np.float64]) -> bool:
    x, y, angle = table.T[:3]
    whole = bool((table == np.floor(table)).all()) and bool((angle >= 0).all())
    quality = table.shape[1] == 3 or bool(((table[:, 3] >= 0) & (table[:, 3] <= 100)).all())
    distinct = len(np.unique(table[:, :2], axis=0)) == len(table)
    enough = FEWEST <= len(table) <= _MOST_MINUTIAE and float(max(x.max(), y.max())) > 255
    return whole and quality and distinct and enough and _jumps(angle) and (_jumps(x) or _jumps(y))


def _jumps(column: NDArray[np.float64]) -> bool:
    """Do values leap from line to line, as those of points do and those of a signal do not?"""
    return float(np.median(np.abs(np.diff(column)))) > _JUMPS * float(np.ptp(column))


def _columns(names: tuple[str, ...]) -> list[int]:
    """Where x, y and the angle stand among the names; nothing where one is missing."""
    angle = next((name for name in ANGLES if name in names), None)
    return [names.index(name) for name in ("x", "y", angle)] if angle and {"x", "y"} <= set(names) else []


def minutiae_of(source: str, points: Points) -> NDArray[np.float64]:
    """Points by x, y and angle, as written."""
    if points.table.shape[1] < 3 or (points.table.shape[1] > 4 and not _columns(points.names)):
        raise InputError(
            f"{source}: has {points.table.shape[1]} numbers per line ({points.line!r}); minutiae are x, y, angle and "
            "perhaps quality"
        )
    return points.table[:, _columns(points.names) or [0, 1, 2]]


def series_of(source: str, points: Points, time: int | None = None) -> NDArray[np.float64]:
    """Points (rows) by axes (columns), the column of times left out."""
    if not len(points.table):
        raise InputError(f"{source}: is a series of length 0; lines of numbers, one per axis, are expected")
    return points.table if time is None else np.delete(points.table, time, axis=1)


def time_column(source: str, points: Points, stated: str | None) -> int | None:
    """The column of times: the one stated by name or number, or the one called so that never decreases."""
    width = points.table.shape[1]
    if stated is not None:
        if stated == "none":
            return None
        if stated.lower() in points.names:
            return points.names.index(stated.lower())
        if stated.isdecimal() and 1 <= int(stated) <= width:
            return int(stated) - 1
        names = ", ".join(points.names) or f"none, numbers 1 to {width}"
        raise InputError(f"{source}: has no column {stated!r} of times; columns present: {names}")
    for column, name in enumerate(points.names):
        name_words = re.split(r"[^a-z]+", name)
        if name_words[0] in TIMES and width > 1 and bool((np.diff(points.table[:, column]) >= 0).all()):
            return column
    return None


def may_be_time(points: Points) -> bool | None:
    """Does the first of several columns without names only ever grow? None where there are too few lines to tell."""
    if points.names or points.table.shape[1] < 2:
        return False
    if len(points.table) < FEWEST:
        return None
    return bool((np.diff(points.table[:, 0]) > 0).all())


def like_radians(minutiae: list[NDArray[Any]]) -> bool:
    """Are there angles with fractions, and none beyond a full turn in radians?"""
    angles = np.concatenate([points[:, 2] for points in minutiae]) if minutiae else np.empty(0)
    return angles.size >= FEWEST and float(np.abs(angles).max()) <= 6.3 and bool((angles != np.floor(angles)).any())
