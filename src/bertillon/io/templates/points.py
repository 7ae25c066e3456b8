"""Files of one template: text with a series or minutiae, minutiae records and cards of ISO/IEC 19794-2:2005.

In text a series is a column an axis, separated as in CSV, with or without a header; a column of times is no axis.
Minutiae are lines `x y angle [quality]`, or columns called so; the angle grows from the x axis towards the y axis, as
in the .xyt files of NIST. What a text is is plain from its suffix or its header, or where its values can be nothing
else: negative positions are no minutiae; up to 512 distinct whole positions, at least one beyond a byte, with whole
degrees that jump from line to line are no signal. Everything else of three or four columns may be either.

A record begins with `FMR\\0 20\\0`; all numbers are big-endian.

    header, 24 bytes     magic 4, version 4, length of the record 4, device 2, width 2, height 2,
                         resolution across and down 2 + 2 (pixels per centimetre), views 1, reserved 1
    each view, 4 bytes   finger position 1, view number and impression type 1, finger quality 1, minutiae 1
    each minutia, 6      type 2 bits and x 14 bits, reserved 2 bits and y 14 bits, angle 1 (360/256 degrees), quality 1
    end of a view        length of extended data 2, extended data (passed over)

A card has minutiae and nothing else. Normal size, 5 bytes each: type and x, y (hundredths of a millimetre), angle
(360/256 degrees). Compact size, 3 bytes each: x, y (tenths of a millimetre), type 2 bits and angle 6 bits (360/64
degrees). Positions become pixels at 500 dpi. In the standard y grows downwards and angles counter-clockwise; here
angles grow from the x axis towards the y axis, so they are turned round.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import Fault, InputError, faults_error
from bertillon.io.source import FAILED_WORDS, Head, Source, check_text, is_number, split_line
from bertillon.io.text import numbered

SUFFIXES = (".xyt", ".mnt", ".min")
ANGLES = ("angle", "theta", "direction")
TIMES = (
    *("t", "time", "times", "timestamp", "timestamps", "ms", "us", "ns", "millis", "milliseconds", "sec", "secs"),
    *("seconds", "elapsed", "epoch", "datetime", "frame", "index", "idx"),
)
FEWEST = 8  # lines from which the run of a column tells something
_MOST_MINUTIAE = 512
_LARGEST = 1 << 14  # positions have 14 bits in ISO/IEC 19794-2
_JUMPS = 0.12  # of the range of a column: half of the steps of values in random order are above .29
RECORD_MAGIC = b"FMR\x00"
VERSION = b" 20\x00"
HEADER, VIEW, MINUTIA = 24, 4, 6
PIXELS_PER_CM = 500 / 2.54
CARDS = ("normal", "compact")
_MINUTIA = np.dtype([("x", ">u2"), ("y", ">u2"), ("angle", "u1"), ("quality", "u1")])
_NORMAL = np.dtype([("x", ">u2"), ("y", ">u2"), ("angle", "u1")])
_COMPACT = np.dtype([("x", "u1"), ("y", "u1"), ("angle", "u1")])
_POSITION = 0x3FFF


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
    named = not any(is_number(text) for text in head.rows[0])
    lines = list(numbered(source.content, header=named))
    rows = [_row(line, head.separator) or [] for _, line in lines]
    wrong = [line for line, row in zip(lines, rows, strict=True) if len(row) != head.width]
    if wrong:
        problem = f"{head.width} numbers expected, as in most lines"
        raise faults_error(source.name, [Fault(number, line, problem) for number, line in wrong])
    names = tuple(name.strip().lower() for name in head.rows[0]) if named else ()
    return Points(np.array(rows, np.float64).reshape(len(rows), head.width), names, lines[0][1] if lines else "")


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
    if points.table.shape[1] < 3 or (points.table.shape[1] > 4 and not _columns(points.names)):
        problem = f"{source}: has {points.table.shape[1]} numbers per line ({points.line!r})"
        raise InputError(f"{problem}; minutiae are x, y, angle and perhaps quality")
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


class View(NamedTuple):
    """One impression of one finger."""

    minutiae: NDArray[np.float64]
    finger: int
    quality: int


def read_record(source: Source) -> list[View]:
    data = source.data()
    _check_header(source, data)
    scale = _scale(source, data[18:20]), _scale(source, data[20:22])
    views, offset = [], HEADER
    for number in range(data[22]):
        _require(source, data, offset + VIEW, f"view {number + 1} of {data[22]}")
        finger, _, quality, count = data[offset : offset + VIEW]
        first, end = offset + VIEW, offset + VIEW + count * MINUTIA
        _require(source, data, end + 2, f"{count} minutiae in view {number + 1}")
        minutiae = np.frombuffer(data, _MINUTIA, count, first)
        views.append(View(_placed(minutiae, scale, 256), finger, quality))
        offset = end + 2 + int.from_bytes(data[end : end + 2], "big")
        _require(source, data, offset, f"the extended data of view {number + 1}")
    if not views:
        raise source.error("is a minutiae record without finger views; at least one is expected")
    return views


def read_card(source: Source, size: str) -> NDArray[np.float64]:
    layout = _NORMAL if size == "normal" else _COMPACT
    data = source.data()
    if data.startswith(RECORD_MAGIC):
        raise source.error("is a minutiae record, not a card; read it without card")
    if len(data) % layout.itemsize:
        problem = f"has {len(data)} bytes, which {layout.itemsize} bytes per minutia do not divide; is it cut off"
        raise source.error(f"{problem}, or a card of {'compact' if size == 'normal' else 'normal'} size?")
    per_mm = PIXELS_PER_CM / 10 / (100 if size == "normal" else 10)
    minutiae = np.frombuffer(data, layout)
    return _placed(minutiae, (per_mm, per_mm), 256 if size == "normal" else 64)


def _check_header(source: Source, data: bytes) -> None:
    if data[:4] != RECORD_MAGIC:
        raise source.error(f"does not begin as a minutiae record does: expected {RECORD_MAGIC!r}, found {data[:4]!r}")
    if data[4:8] != VERSION:
        raise source.error(f"is a minutiae record of version {data[4:8]!r}; {VERSION!r} (ISO/IEC 19794-2:2005) is read")
    _require(source, data, HEADER, "the header")
    if any(data[8:10]):  # a record of ISO would be longer than 65,535 bytes
        raise source.error("is a record of ANSI INCITS 378, whose angles differ; convert it to ISO/IEC 19794-2")
    length = int.from_bytes(data[8:12], "big")
    if length > len(data):
        raise source.error(f"states a record of {length} bytes and has {len(data)}; is it cut off?")


def _require(source: Source, data: bytes, end: int, what: str) -> None:
    if end > len(data):
        raise source.error(f"ends at byte {len(data)}, before the end of {what} (byte {end}); is it cut off?")


def _scale(source: Source, stated: bytes) -> float:
    """From pixels of the record to pixels at 500 dpi; a resolution of 197 a centimetre is 500 dpi."""
    resolution = int.from_bytes(stated, "big")
    if resolution == 0:
        raise source.error("states a resolution of 0 pixels per centimetre; the record is damaged")
    return 1.0 if abs(resolution - PIXELS_PER_CM) < 1 else PIXELS_PER_CM / resolution


def _placed(minutiae: NDArray[Any], scale: tuple[float, float], units: int) -> NDArray[np.float64]:
    x, y = (minutiae[name].astype(np.int64) & _POSITION for name in ("x", "y"))
    angle = (-(minutiae["angle"].astype(np.int64) % units) % units) * (2 * np.pi / units)
    return np.column_stack([x * scale[0], y * scale[1], angle]).astype(np.float64)
