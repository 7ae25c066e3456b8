"""Minutiae records and cards of ISO/IEC 19794-2:2005.

Conventions: a record begins with `FMR\\0 20\\0`; all numbers are big-endian.

    header, 24 bytes     magic 4, version 4, length of the record 4, device 2, width 2, height 2,
                         resolution across and down 2 + 2 (pixels per centimetre), views 1, reserved 1
    each view, 4 bytes   finger position 1, view number and impression type 1, finger quality 1, minutiae 1
    each minutia, 6      type 2 bits and x 14 bits, reserved 2 bits and y 14 bits, angle 1 (360/256 degrees), quality 1
    end of a view        length of extended data 2, extended data (passed over)

A card has minutiae and nothing else. Normal size, 5 bytes each: type and x, y (hundredths of a millimetre), angle
(360/256 degrees). Compact size, 3 bytes each: x, y (tenths of a millimetre), type 2 bits and angle 6 bits (360/64
degrees). A card does not say which it is.

Positions become pixels at 500 dpi, where they are not already. In the standard y grows downwards and angles
counter-clockwise; here angles grow from the x axis towards the y axis, so they are turned round.

Holds `read_record`, `read_card`, `View` and `MAGIC`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.io.source import Source

MAGIC = b"FMR\x00"
VERSION = b" 20\x00"
HEADER, VIEW, MINUTIA = 24, 4, 6
PIXELS_PER_CM = 500 / 2.54
CARDS = ("normal", "compact")
_MINUTIA = np.dtype([("x", ">u2"), ("y", ">u2"), ("angle", "u1"), ("quality", "u1")])
_NORMAL = np.dtype([("x", ">u2"), ("y", ">u2"), ("angle", "u1")])
_COMPACT = np.dtype([("x", "u1"), ("y", "u1"), ("angle", "u1")])
_POSITION = 0x3FFF


@dataclass(frozen=True, slots=True)
class View:
    """One impression of one finger."""

    minutiae: NDArray[np.float64]
    finger: int
    quality: int


def read_record(source: Source) -> list[View]:
    """The finger views of a record."""
    data = source.data()
    _check_header(source, data)
    scale = _scale(source, _number(data, 18, 2)), _scale(source, _number(data, 20, 2))
    views, offset = [], HEADER
    for number in range(data[22]):
        _require(source, data, offset + VIEW, f"view {number + 1} of {data[22]}")
        finger, _, quality, count = data[offset : offset + VIEW]
        first, end = offset + VIEW, offset + VIEW + count * MINUTIA
        _require(source, data, end + 2, f"{count} minutiae in view {number + 1}")
        minutiae = np.frombuffer(data, _MINUTIA, count, first)
        views.append(View(_points(minutiae, scale, 256), finger, quality))
        offset = end + 2 + _number(data, end, 2)
        _require(source, data, offset, f"the extended data of view {number + 1}")
    if not views:
        raise source.error("is a minutiae record without finger views; at least one is expected")
    return views


def read_card(source: Source, size: str) -> NDArray[np.float64]:
    """The minutiae of a card of normal or compact size."""
    layout = _NORMAL if size == "normal" else _COMPACT
    data = source.data()
    if data.startswith(MAGIC):
        raise source.error("is a minutiae record, not a card; read it without card")
    if len(data) % layout.itemsize:
        raise source.error(
            f"has {len(data)} bytes, which {layout.itemsize} bytes per minutia do not divide; is it cut off, "
            f"or a card of {'compact' if size == 'normal' else 'normal'} size?"
        )
    per_mm = PIXELS_PER_CM / 10 / (100 if size == "normal" else 10)
    minutiae = np.frombuffer(data, layout)
    return _points(minutiae, (per_mm, per_mm), 256 if size == "normal" else 64)


def _check_header(source: Source, data: bytes) -> None:
    if data[:4] != MAGIC:
        raise source.error(f"does not begin as a minutiae record does: expected {MAGIC!r}, found {data[:4]!r}")
    if data[4:8] != VERSION:
        raise source.error(f"is a minutiae record of version {data[4:8]!r}; {VERSION!r} (ISO/IEC 19794-2:2005) is read")
    _require(source, data, HEADER, "the header")
    if _number(data, 8, 2):  # a record of ISO would be longer than 65,535 bytes
        raise source.error(
            "is a record of ANSI INCITS 378, whose header and angles differ; convert it to ISO/IEC 19794-2"
        )
    length = _number(data, 8, 4)
    if length > len(data):
        raise source.error(f"states a record of {length} bytes and has {len(data)}; is it cut off?")


def _require(source: Source, data: bytes, end: int, what: str) -> None:
    if end > len(data):
        raise source.error(f"ends at byte {len(data)}, before the end of {what} (byte {end}); is it cut off?")


def _number(data: bytes, offset: int, size: int) -> int:
    return int.from_bytes(data[offset : offset + size], "big")


def _scale(source: Source, resolution: int) -> float:
    """From pixels of the record to pixels at 500 dpi; a resolution of 197 a centimetre is 500 dpi."""
    if resolution == 0:
        raise source.error("states a resolution of 0 pixels per centimetre; the record is damaged")
    return 1.0 if abs(resolution - PIXELS_PER_CM) < 1 else PIXELS_PER_CM / resolution


def _points(minutiae: NDArray[Any], scale: tuple[float, float], units: int) -> NDArray[np.float64]:
    x, y = (minutiae[name].astype(np.int64) & _POSITION for name in ("x", "y"))
    angle = (-(minutiae["angle"].astype(np.int64) % units) % units) * (2 * np.pi / units)
    return np.column_stack([x * scale[0], y * scale[1], angle]).astype(np.float64)
