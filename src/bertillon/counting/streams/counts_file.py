"""Counts of scores on disk: written whole or not at all, checked when read, never a pickle.

    magic     \\x89bertillon counts\\n
    length    8 bytes, little-endian: of the header
    header    JSON: version, bits of a bin, type of the scores, rule, name, notes and warnings (text, or messages by
              their keys and values), failures, sources (name, numbers of mated, non-mated, failed mated and failed
              non-mated scores, sums of the scrambled keys), moments of each class (number, mean, sum of squares,
              smallest, largest; floats in hexadecimal), and the arrays that follow (name, type, length)
    arrays    one after the other, little-endian; of each class the keys, how often each occurred (left out where each
              did once), and of the bins that are only counted the number, the scores, the smallest and largest key
    checksum  SHA-256 of all that stands before it, 32 bytes

Holds `write_counts`, `read_counts` and `VERSION`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import restored, stored
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import Failures, IntArray
from bertillon.counting.limits import LIMITS
from bertillon.counting.streams.score_counts import CountedClass, ScoreCounts
from bertillon.counting.streams.spans import Bins, KeyCounts
from bertillon.counting.streams.walk import SourceCount
from bertillon.counting.tally import Moments
from bertillon.io.no_scores import MAGIC

VERSION = 1
_CHECKSUM = hashlib.sha256().digest_size
_CLASSES = ("mated", "nonmated")
_TYPES = ("float32", "float64")

Arrays = Mapping[str, NDArray[Any]]


def write_counts(counts: ScoreCounts, path: str | os.PathLike[str]) -> None:
    """Write counts to a file."""
    arrays = {f"{name}.{part}": array for name in _CLASSES for part, array in _arrays(getattr(counts, name)).items()}
    header = json.dumps(_header(counts, arrays), allow_nan=False).encode()

    def fill(file: BinaryIO) -> None:
        checksum = hashlib.sha256()
        for piece in (MAGIC, len(header).to_bytes(8, "little"), header, *map(np.ndarray.tobytes, arrays.values())):
            checksum.update(piece)
            file.write(piece)
        file.write(checksum.digest())

    write_whole(path, fill)


def read_counts(path: str | os.PathLike[str]) -> ScoreCounts:
    """Read counts from a file; one that is damaged, or written by another version, is refused."""
    header, body = _opened(Path(path))
    if header.get("version") != VERSION or header.get("bits") != LIMITS.streams.stream_bin_bits:
        raise InputError(
            f"{path}: counts of version {header.get('version')} with bins of {header.get('bits')} bits; this bertillon "
            f"reads version {VERSION} with {LIMITS.streams.stream_bin_bits} bits: count the scores again"
        )
    try:
        return _counts(header, dict(_unpacked(header["arrays"], body)))
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the counts do not fit together ({error}); count the scores again") from error


def _opened(path: Path) -> tuple[dict[str, Any], memoryview]:
    """The header and the bytes of the arrays, once the checksum was found right."""
    try:
        content = memoryview(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    if bytes(content[: len(MAGIC)]) != MAGIC:
        raise InputError(f"{path}: is not a file of counts; expected one written by bertillon count")
    if hashlib.sha256(content[:-_CHECKSUM]).digest() != content[-_CHECKSUM:]:
        raise InputError(
            f"{path}: the counts are damaged or cut off (the checksum is wrong); copy the file or count again"
        )
    start = len(MAGIC) + 8
    end = start + int.from_bytes(content[len(MAGIC) : start], "little")
    return json.loads(bytes(content[start:end])), content[end:-_CHECKSUM]


def _header(counts: ScoreCounts, arrays: Arrays) -> dict[str, Any]:
    return {
        "version": VERSION,
        "bits": LIMITS.streams.stream_bin_bits,
        "type": counts.dtype.name,
        "rule": counts.rule.value,
        "name": counts.name,
        "notes": stored(counts.notes),
        "warnings": stored(counts.warnings),
        "failures": asdict(counts.failures),
        "sources": [astuple(source) for source in counts.sources],
        "moments": {name: _moments(getattr(counts, name).moments) for name in _CLASSES},
        "arrays": [(name, array.dtype.str, array.size) for name, array in arrays.items()],
    }


def _moments(moments: Moments) -> list[Any]:
    floats = (moments.mean, moments.squares, moments.smallest, moments.largest)
    return [moments.n, *(float(value).hex() for value in floats)]


def _arrays(counted: CountedClass) -> dict[str, NDArray[Any]]:
    keys, bins = counted.keys, counted.bins
    times = keys.times[:0] if (keys.times == 1).all() else keys.times
    every = {"key": keys.key, "times": times, "bin": bins.number, "count": bins.count}
    return {name: _packed(array) for name, array in (every | {"first": bins.first, "last": bins.last}).items()}


def _packed(array: IntArray) -> NDArray[Any]:
    """Whole numbers in 4 bytes each where they fit."""
    small = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
    return array.astype("<i4" if small else "<i8")


def _unpacked(listed: list[list[Any]], body: memoryview) -> Iterator[tuple[str, IntArray]]:
    at = 0
    for name, kind, length in listed:
        if kind not in ("<i4", "<i8"):
            raise ValueError(f"array {name} is of type {kind}")
        array = np.frombuffer(body, dtype=kind, count=length, offset=at)
        at += array.nbytes
        yield name, array.astype(np.int64)
    if at != len(body):
        raise ValueError(f"{len(body) - at} bytes more than the arrays need")


def _counts(header: dict[str, Any], arrays: Mapping[str, IntArray]) -> ScoreCounts:
    if header["type"] not in _TYPES:
        raise ValueError(f"scores of type {header['type']}")
    mated, nonmated = (_class(name, header["moments"][name], arrays) for name in _CLASSES)
    return ScoreCounts(
        mated=mated,
        nonmated=nonmated,
        dtype=np.dtype(header["type"]),
        rule=AcceptRule.of(header["rule"]),
        failures=Failures(**header["failures"]),
        sources=tuple(SourceCount(*source) for source in header["sources"]),
        name=header["name"],
        notes=restored(header["notes"]),
        warnings=restored(header["warnings"]),
    )


def _class(name: str, moments: list[Any], arrays: Mapping[str, IntArray]) -> CountedClass:
    key, times, *bins = (arrays[f"{name}.{part}"] for part in ("key", "times", "bin", "count", "first", "last"))
    keys = KeyCounts(key, times if times.size else np.ones_like(key))
    counted = CountedClass(keys, Bins(*bins), Moments(moments[0], *map(float.fromhex, moments[1:])))
    if int(keys.times.sum()) + counted.bins.n != counted.moments.n:
        raise ValueError(f"the {name} scores are {counted.moments.n}, their keys and bins hold another number")
    return counted
