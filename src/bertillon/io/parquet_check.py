"""Whether the sizes a Parquet file states can be true, and how much memory its columns take.

The library that reads Parquet believes what the file says of itself, and one wrong bit can make it ask for more memory
than there is, which ends the whole process. So the sizes are compared with each other and with the file beforehand: the
table of contents at its end, and the few bytes at the head of each page. What stands in the pages is left to the
library, whose errors can be caught.

Sizes that are true may still be more than there is memory for: a value that repeats a thousand million times takes a
few bytes of a file. So the values of each column are added up as they will stand in memory.

Conventions: places are in bytes from the start of the file; names of fields stand beside their numbers in the
specification of the format.

Holds `check_sizes` and `Sizes`.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bertillon.io.source import Content, Source
from bertillon.io.thrift import Record, read_record

MAGIC = b"PAR1"
HEADER_BYTES = 1 << 12  # a page header is read from so many; one with long statistics is read again from more
LONGEST_HEADER = 1 << 24
LARGEST = (1 << 31) - 1  # bytes of a page
DATA, DICTIONARY, NEWER = 0, 2, 3  # kinds of page; the newer are of version 2
TEXT, FIXED = 6, 7  # kinds of value: of any length, and all of one that the schema states
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, TEXT: 16}  # bytes of a value in memory; of a text beside its letters
_HEADER_OF = {DATA: 5, DICTIONARY: 7, NEWER: 8}  # the field that says more of it


@dataclass(frozen=True, slots=True)
class Sizes:
    """The bytes that the columns of each row group take in memory."""

    groups: Sequence[Mapping[str, int]]

    def of(self, columns: Sequence[str]) -> int:
        """All row groups of these columns."""
        return sum(group.get(name, 0) for group in self.groups for name in columns)

    def largest(self, columns: Sequence[str]) -> int:
        """The row group of these columns that takes most."""
        return max((sum(group.get(name, 0) for name in columns) for group in self.groups), default=0)


_sound: dict[tuple[str, int, int], Sizes] = {}  # files found sound: a stream reads each of them several times


def check_sizes(source: Source) -> Sizes:
    """Raise an input error where the sizes in a file contradict each other or the file; each file is looked at once."""
    state = None if source.in_memory else _state(source.path)
    if state in _sound:
        return _sound[state]
    with _here_and_there(source.content):
        try:
            sizes = _check(source.content)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            problem = str(error) if type(error) is ValueError else "its table of contents is incomplete"
            raise source.error(f"the Parquet file is damaged ({problem}); copy or write it again") from error
    if state is not None:
        _sound[state] = sizes
    return sizes


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


def _check(content: Content) -> Sizes:
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
    lengths = [element.get(2, 0) for element in table[2] if not element.get(5)]  # type_length of what has no children
    sizes: list[dict[str, int]] = []
    for group in groups:
        sizes.append({})
        _require(len(group[1]) == len(lengths), "a row group has other columns than its schema")
        for chunk, length in zip(group[1], lengths, strict=True):  # columns
            about = chunk[3]  # meta_data
            name = about[3][0].decode(errors="replace")  # path_in_schema
            found = _check_column(content, about, group[3], end)  # num_rows
            sizes[-1][name] = sizes[-1].get(name, 0) + _in_memory(about[1], about[5], length, found)
    return Sizes(sizes)


@dataclass(slots=True)
class _Pages:
    """What the pages of a column add up to."""

    values: int = 0
    unpacked: int = 0  # bytes
    words: int = 0  # of the dictionary
    letters: int = 0  # of all words


def _in_memory(kind: int, values: int, length: int, pages: _Pages) -> int:
    """The bytes of a column in memory, texts from a dictionary as long as the words are on average."""
    if kind == TEXT:
        word = -(-pages.letters // pages.words) if pages.words else 0
        return pages.unpacked + values * (_WIDTHS[TEXT] + word)
    width = length if kind == FIXED else _WIDTHS[kind]
    _require(width >= 0, "a column is said to have values of less than no length")
    return max(pages.unpacked, values * width)


def _check_column(content: Content, about: Record, rows: int, end: int) -> _Pages:
    values, packed, data, dictionary = about[5], about[7], about[9], about.get(11)
    place = dictionary if dictionary else data
    last = place + packed
    _require(0 <= rows <= values, "a column has fewer values than rows")
    _require(4 <= place <= last <= end, "a column lies outside of the file")
    found = _Pages()
    while place < last and found.values < values:
        header, body = _page_header(content, place, last)
        place = body + header[3]  # compressed_page_size
        _require(body <= place <= last, "a page lies outside of its column")
        _require(0 <= header[2] <= LARGEST, "a page is said to have an impossible size")  # uncompressed_page_size
        found.values += _values_in(header)
        found.unpacked += header[2]
        if header[1] == DICTIONARY:
            found.words, found.letters = header[_HEADER_OF[DICTIONARY]][1], header[2]
    _require(found.values == values, "the pages of a column do not add up to its values")
    return found


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
