"""Text files of one template: a series, or minutiae.

Conventions: a series is a column an axis, separated as in CSV, with or without a header. Minutiae are lines
`x y angle [quality]`; the angle, in degrees unless radians are stated, grows from the x axis towards the y axis, as in
the .xyt files of NIST. Comment lines (`#`) and blank lines are passed over. Every faulty line is named.

Holds `read_series`, `read_minutiae` and `looks_like_minutiae`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bertillon.errors import Fault, faults_error
from bertillon.formats.convert import FAILED_WORDS
from bertillon.formats.head import BLANKS, Head, is_number, split_line
from bertillon.formats.source import Source, check_text

SUFFIXES = (".xyt", ".mnt", ".min")
_HEADERS = ({"x", "y", "angle"}, {"x", "y", "theta"}, {"x", "y", "direction"})


def looks_like_minutiae(suffix: str, head: Head) -> bool:
    """Is this text minutiae: by its suffix, its header, or three or four numbers between blanks a line?"""
    if suffix in SUFFIXES:
        return True
    if not head.rows:
        return False
    names = {name.strip().lower() for name in head.rows[0]}
    if any(known <= names for known in _HEADERS):
        return True
    numbers = all(map(is_number, head.rows[0]))
    return numbers and head.separator == BLANKS and head.width in (3, 4)


def read_series(source: Source, head: Head) -> NDArray[np.float64]:
    """Points (rows) by axes (columns)."""
    if not head.rows:
        raise source.error("is a series of length 0; at least one line of numbers is expected")
    table = _numbers(source, head, (head.width,), "numbers, one an axis")
    if not len(table):
        raise source.error("is a series of length 0: a header and no lines of numbers after it")
    return table


def read_minutiae(source: Source, head: Head, *, degrees: bool = True) -> NDArray[np.float64]:
    """Points by x, y and angle in radians."""
    if not head.rows:
        return np.empty((0, 3))
    table = _numbers(source, head, (3, 4), "x y angle, perhaps quality")[:, :3]
    if degrees:
        table[:, 2] = np.deg2rad(table[:, 2])
    return table


def _numbers(source: Source, head: Head, widths: tuple[int, ...], expected: str) -> NDArray[np.float64]:
    """All lines as numbers, a header left out; one error for all that are not."""
    check_text(source)
    faults: list[Fault] = []
    rows: list[list[float]] = []
    header = not any(is_number(text) for text in head.rows[0])
    for number, line in _lines(source):
        if header:
            header = False
            continue
        row = _row(line, head.separator)
        if row is None or len(row) not in widths:
            faults.append(Fault(number, line, f"{expected} expected"))
        else:
            rows.append(row)
    if faults:
        raise faults_error(source.name, faults)
    if len({len(row) for row in rows}) > 1:
        raise source.error(
            f"some lines have {min(map(len, rows))} numbers and some {max(map(len, rows))}; {expected} expected"
        )
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1 if rows else max(widths))


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
