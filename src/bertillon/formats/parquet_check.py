"""Whether the sizes a Parquet file states can be true.

The library that reads Parquet believes what the file says of itself, and one wrong bit can make it ask for more memory
than there is, which ends the whole process. So the sizes are compared with each other and with the file beforehand: the
table of contents at its end, and the few bytes at the head of each page. What stands in the pages is left to the
library, whose errors can be caught.

Conventions: places are in bytes from the start of the file; names of fields stand beside their numbers in the
specification of the format.

Holds `check_sizes`.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bertillon.formats.source import Content, Source
from bertillon.formats.thrift import Record, read_record

MAGIC = b"PAR1"
HEADER_BYTES = 1 << 12  # a page header is read from so many; one with long statistics is read again from more
LONGEST_HEADER = 1 << 24
LARGEST = (1 << 31) - 1  # bytes of a page
DATA, DICTIONARY, NEWER = 0, 2, 3  # kinds of page; the newer are of version 2
_sound: set[tuple[str, int, int]] = set()  # files found sound: a stream reads each of them several times
_HEADER_OF = {DATA: 5, DICTIONARY: 7, NEWER: 8}  # the field that says more of it


def check_sizes(source: Source) -> None:
    """Raise an input error where the sizes in a file contradict each other or the file; each file is looked at once."""
    state = None if source.in_memory else _state(source.path)
    if state in _sound:
        return
    with _here_and_there(source.content):
        try:
            _check(source.content)
        except (ValueError, TypeError, KeyError) as error:
            problem = str(error) if type(error) is ValueError else "its table of contents is incomplete"
            raise source.error(f"the Parquet file is damaged ({problem}); copy or write it again") from error
    if state is not None:
        _sound.add(state)


def _state(path: Path) -> tuple[str, int, int]:
    """What changes when a file does."""
    found = path.stat()
    return str(path), found.st_size, found.st_mtime_ns


@contextmanager
def _here_and_there(content: Content) -> Iterator[None]:
    """Page headers stand far apart: what lies between them is not to be read from disk."""
    advise = getattr(content, "madvise", None)
    if advise is None:
        yield
        return
    with suppress(OSError):
        advise(mmap.MADV_RANDOM)
    try:
        yield
    finally:
        with suppress(OSError):
            advise(mmap.MADV_NORMAL)


def _check(content: Content) -> None:
    size = len(content)
    if size < 12 or content[-4:] != MAGIC:
        raise ValueError("it does not end as Parquet does; is it cut off?")
    footer = int.from_bytes(content[-8:-4], "little")
    end = size - 8 - footer
    if end < 4:
        raise ValueError(f"its table of contents is said to have {footer:,} bytes, more than the file")
    table, _ = read_record(content[end:-8])
    groups = table[4]  # row_groups
    _require(sum(group[3] for group in groups) == table[3], "its row groups do not add up to its rows")
    for group in groups:
        for chunk in group[1]:  # columns
            _check_column(content, chunk[3], group[3], end)  # meta_data, num_rows


def _check_column(content: Content, about: Record, rows: int, end: int) -> None:
    values, packed, data, dictionary = about[5], about[7], about[9], about.get(11)
    place = dictionary if dictionary else data
    last = place + packed
    _require(0 <= rows <= values, "a column has fewer values than rows")
    _require(4 <= place <= last <= end, "a column lies outside of the file")
    found = 0
    while place < last and found < values:
        header, body = _page_header(content, place, last)
        place = body + header[3]  # compressed_page_size
        _require(body <= place <= last, "a page lies outside of its column")
        _require(0 <= header[2] <= LARGEST, "a page is said to have an impossible size")  # uncompressed_page_size
        found += _values_in(header)
    _require(found == values, "the pages of a column do not add up to its values")


def _page_header(content: Content, place: int, last: int) -> tuple[Record, int]:
    """The header of a page, and where the page itself begins."""
    size = HEADER_BYTES
    while True:
        part = content[place : min(place + size, last)]
        try:
            header, length = read_record(part)
            return header, place + length
        except ValueError:
            if len(part) < size or size >= LONGEST_HEADER:
                raise
            size *= 16


def _values_in(header: Record) -> int:
    """How many values of its column a page holds: none if it is a dictionary."""
    kind = header[1]
    if kind not in _HEADER_OF:
        return 0
    about = header[_HEADER_OF[kind]]
    values: int = about[1]
    _require(values >= 0, "a page is said to hold less than no values")
    if kind == DICTIONARY:
        _require(values <= header[2], "a dictionary has more words than bytes")
        return 0
    if kind == NEWER:
        nulls, rows, *levels = (about[field] for field in (2, 3, 5, 6))
        _require(0 <= nulls <= values and 0 <= rows <= values, "a page has more rows or gaps than values")
        _require(min(levels) >= 0 and sum(levels) <= header[3], "the levels of a page lie outside of it")
    return values


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
