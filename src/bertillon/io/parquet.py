"""Parquet with named columns, understood as those of CSV are; its sizes are checked before polars believes them.

polars panics on some damaged files, and prints that to the process's error stream before it can be caught. While it
works, that stream goes to a file of its own; afterwards everything in it but the panics is passed on, so that nothing
another thread says is lost, only late. Several threads may be inside at once.

One wrong bit in a page header can make polars ask for more memory than there is, which ends the whole process. So the
sizes are compared with each other and with the file beforehand: the footer, and the few bytes at the head of each page,
which takes a millisecond or two. The content of pages is left to polars. Sizes that are true may still be more than
there is memory for, so the values of each column are added up as they will stand in memory. Footer and page headers are
records in the compact protocol of Thrift: a mapping from the numbers of fields, as in the specification of the format,
to whole numbers, texts as bytes, lists, and records. What is malformed raises `ValueError`.
"""

from __future__ import annotations

import mmap
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

from bertillon.core import ComparisonTable, InputError, ScoreMatrix, say
from bertillon.core.lazy import pl
from bertillon.io.columns import assemble, find_roles, kinds_of, note_roles, stated_frame
from bertillon.io.convert import converted, unreadable
from bertillon.io.limits import STREAM_HINT, require_memory
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Content, Head, Source

MAGIC = b"PAR1"
STDERR = 2
_PANIC = re.compile(rb"\n?thread '[^\n]*panicked at [^\n]*\n.*?(?:^note: [^\n]*\n|\Z)", re.DOTALL | re.MULTILINE)
_lock = threading.Lock()
_inside = 0
_diverted: _CapturedStderr | None = None
HEADER_BYTES = 1 << 12  # a page header is read from so many; one with long statistics is read again from more
MAX_HEADER_BYTES = 1 << 24
MAX_PAGE_BYTES = (1 << 31) - 1
DATA, DICTIONARY, DATA_V2 = 0, 2, 3  # kinds of page
TEXT, FIXED = 6, 7  # kinds of value: of any length, and all of one that the schema states
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, TEXT: 16}  # bytes of a value in memory; of a text beside its letters
_HEADER_OF = {DATA: 5, DICTIONARY: 7, DATA_V2: 8}  # the field of a page header for its kind of page
MAX_DEPTH = 32  # records within records
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _RECORD = range(1, 13)
Record = Mapping[int, Any]


def read(source: Source, _: Head, request: Request) -> ComparisonTable:
    names = names_of(source)
    roles = find_roles(source.name, names, request.columns)
    kinds = kinds_of(source.name, names, roles, request)
    frame = read_frame(source, list(kinds))
    if frame.height == 0:
        raise source.error("has no rows; a table with scores is expected")
    with unreadable(source):
        frame = converted(frame, kinds)
    return assemble(source.name, frame, roles, request, [say("reading.format", format="Parquet"), *note_roles(roles)])


def names_of(source: Source) -> list[str]:
    """The columns of a file, whose sizes are found sound on the way."""
    check_sizes(source)
    with input_errors(source):
        scan = pl.scan_parquet(source.stream() if source.in_memory else source.path, glob=False)
        return list(scan.collect_schema())


def read_frame(source: Source, columns: list[str] | None = None) -> pl.DataFrame:
    """The columns of these names, or all."""
    if columns is None:
        columns = names_of(source)
    what = f"{len(columns):,} columns" if len(columns) > 1 else f"column {', '.join(columns)!r}"
    require_memory(source.name, check_sizes(source).of(columns), what, STREAM_HINT)
    with input_errors(source):
        return pl.read_parquet(source.for_polars(), columns=columns, glob=False)


@contextmanager
def input_errors(source: Source) -> Iterator[None]:
    """Whatever the library makes of a damaged file, an exception or a panic, becomes an input error."""
    try:
        with suppressed_panics():
            yield
    except (Exception, pl.exceptions.PanicException) as error:
        reason = str(error).partition("\n")[0][:200]
        raise source.error(f"the Parquet file is damaged ({reason}); copy or write it again") from error


def write(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    if isinstance(table, ScoreMatrix):
        raise InputError("parquet holds one comparison per row, not a matrix; use csv or bee")
    stated_frame(table).write_parquet(file)


@dataclass(frozen=True, slots=True)
class _CapturedStderr:
    """Where the error stream led to, and the file it leads to for now."""

    before: int
    kept: IO[bytes]

    @classmethod
    def now(cls) -> _CapturedStderr | None:
        """None where the process has no error stream, or there is no place for a file."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        try:
            before = os.dup(STDERR)
        except OSError:
            return None
        try:
            kept = tempfile.TemporaryFile()  # noqa: SIM115 closed by undo
        except OSError:
            os.close(before)
            return None
        os.dup2(kept.fileno(), STDERR)
        return cls(before, kept)

    def undo(self) -> None:
        os.dup2(self.before, STDERR)
        os.close(self.before)
        with self.kept as file:
            file.seek(0)
            rest = _PANIC.sub(b"", file.read())
        if rest:
            os.write(STDERR, rest)


@contextmanager
def suppressed_panics() -> Iterator[None]:
    """Panics within are not printed."""
    global _inside, _diverted
    with _lock:
        _inside += 1
        if _inside == 1:
            _diverted = _CapturedStderr.now()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _diverted is not None:
                _diverted.undo()
                _diverted = None


@dataclass(frozen=True, slots=True)
class Sizes:
    """The bytes that the columns of each row group take in memory."""

    groups: Sequence[Mapping[str, int]]

    def of(self, columns: Sequence[str]) -> int:
        return sum(group.get(name, 0) for group in self.groups for name in columns)

    def largest(self, columns: Sequence[str]) -> int:
        """The row group of these columns that takes most."""
        return max((sum(group.get(name, 0) for name in columns) for group in self.groups), default=0)


_checked: dict[tuple[str, int, int], Sizes] = {}  # by state of the file: a stream reads each file several times


def check_sizes(source: Source) -> Sizes:
    """Raise an input error where the sizes in a file contradict each other or the file; each file is looked at once."""
    state = None
    if not source.in_memory:
        status = source.path.stat()
        state = str(source.path), status.st_size, status.st_mtime_ns  # what changes when a file does
    if state in _checked:
        return _checked[state]
    with _random_access(source.content):
        try:
            sizes = _check(source.content)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            problem = str(error) if type(error) is ValueError else "its footer is incomplete"
            raise source.error(f"the Parquet file is damaged ({problem}); copy or write it again") from error
    if state is not None:
        _checked[state] = sizes
    return sizes


@contextmanager
def _random_access(content: Content) -> Iterator[None]:
    """Page headers stand far apart: what lies between them is not to be read from disk."""
    with suppress(OSError, AttributeError):  # bytes take no advice
        content.madvise(mmap.MADV_RANDOM)  # type: ignore[union-attr]
    try:
        yield
    finally:
        with suppress(OSError, AttributeError):
            content.madvise(mmap.MADV_NORMAL)  # type: ignore[union-attr]


def _check(content: Content) -> Sizes:
    size = len(content)
    _require(size >= 12 and content[-4:] == MAGIC, "it does not end with PAR1 as Parquet does; is it cut off?")
    footer_bytes = int.from_bytes(content[-8:-4], "little")
    end = size - 8 - footer_bytes
    _require(end >= 4, f"its footer states {footer_bytes:,} bytes, more than the file has")
    footer, _ = read_record(content[end:-8])
    groups = footer[4]  # row_groups
    _require(sum(group[3] for group in groups) == footer[3], "its row groups do not add up to its rows")
    lengths = [element.get(2, 0) for element in footer[2] if not element.get(5)]  # type_length of what has no children
    sizes: list[dict[str, int]] = []
    for group in groups:
        sizes.append({})
        _require(len(group[1]) == len(lengths), "a row group has other columns than its schema")
        for chunk, length in zip(group[1], lengths, strict=True):  # columns
            about = chunk[3]  # meta_data
            name = about[3][0].decode(errors="replace")  # path_in_schema
            pages = _check_column(content, about, group[3], end)  # num_rows
            sizes[-1][name] = sizes[-1].get(name, 0) + _in_memory(about[1], about[5], length, pages)
    return Sizes(sizes)


@dataclass(slots=True)
class _Pages:
    """What the pages of a column add up to."""

    values: int = 0
    unpacked: int = 0  # bytes
    entries: int = 0  # of the dictionary
    entry_bytes: int = 0  # of all entries


def _in_memory(kind: int, values: int, length: int, pages: _Pages) -> int:
    """The bytes of a column in memory, texts from a dictionary as long as its entries are on average."""
    if kind == TEXT:
        entry = -(-pages.entry_bytes // pages.entries) if pages.entries else 0
        return pages.unpacked + values * (_WIDTHS[TEXT] + entry)
    width = length if kind == FIXED else _WIDTHS[kind]
    _require(width >= 0, "the length of a column's values is negative")
    return max(pages.unpacked, values * width)


def _check_column(content: Content, about: Record, rows: int, end: int) -> _Pages:
    values, packed, data, dictionary = about[5], about[7], about[9], about.get(11)
    offset = dictionary if dictionary else data
    last = offset + packed
    _require(0 <= rows <= values, "a column has fewer values than rows")
    _require(4 <= offset <= last <= end, "a column lies outside of the file")
    pages = _Pages()
    while offset < last and pages.values < values:
        header, body = _page_header(content, offset, last)
        offset = body + header[3]  # compressed_page_size
        _require(body <= offset <= last, "a page lies outside of its column")
        _require(0 <= header[2] <= MAX_PAGE_BYTES, "the size of a page is impossible")  # uncompressed_page_size
        pages.values += _values_in(header)
        pages.unpacked += header[2]
        if header[1] == DICTIONARY:
            pages.entries, pages.entry_bytes = header[_HEADER_OF[DICTIONARY]][1], header[2]
    _require(pages.values == values, "the pages of a column do not add up to its values")
    return pages


def _page_header(content: Content, offset: int, last: int) -> tuple[Record, int]:
    """The header of a page, and where the page itself begins."""
    size = HEADER_BYTES
    while True:
        part = content[offset : min(offset + size, last)]
        try:
            header, length = read_record(part)
            return header, offset + length
        except ValueError:
            if len(part) < size or size >= MAX_HEADER_BYTES:
                raise
            size *= 16


def _values_in(header: Record) -> int:
    """How many values of its column a page holds: none if it is a dictionary."""
    kind = header[1]
    if kind not in _HEADER_OF:
        return 0
    about = header[_HEADER_OF[kind]]
    values: int = about[1]
    _require(values >= 0, "the number of values of a page is negative")
    if kind == DICTIONARY:
        _require(values <= header[2], "a dictionary has more entries than bytes")
        return 0
    if kind == DATA_V2:
        nulls, rows, *levels = (about[field] for field in (2, 3, 5, 6))
        _require(0 <= nulls <= values and 0 <= rows <= values, "a page has more rows or gaps than values")
        _require(min(levels) >= 0 and sum(levels) <= header[3], "the levels of a page lie outside of it")
    return values


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def read_record(content: bytes, start: int = 0) -> tuple[Record, int]:
    """The Thrift record that begins at an offset, and where it ends; maps are refused, floats left as bytes."""
    reader = _ThriftReader(content, start)
    try:
        return reader.record(0), reader.offset
    except IndexError as error:
        raise ValueError("it is cut off") from error


class _ThriftReader:
    def __init__(self, content: bytes, offset: int) -> None:
        self.content, self.offset = content, offset

    def record(self, depth: int) -> Record:
        _require(depth <= MAX_DEPTH, "records stand too deep within each other")
        fields: dict[int, Any] = {}
        number = 0
        while head := self.bytes(1)[0]:
            step, kind = head >> 4, head & 15
            number = number + step if step else self.signed()
            fields[number] = self.value(kind, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind in (_I16, _I32, _I64):  # by far the most
            return self.signed()
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in (_BYTE, _DOUBLE, _BINARY):
            return self.bytes({_BYTE: 1, _DOUBLE: 8}.get(kind) or self.varint())
        if kind in (_LIST, _SET):
            return self.items(depth)
        _require(kind == _RECORD, f"a field of kind {kind} is not expected")
        return self.record(depth + 1)

    def items(self, depth: int) -> list[Any]:
        head = self.bytes(1)[0]
        size, kind = head >> 4, head & 15
        size = self.varint() if size == 15 else size
        _require(size <= len(self.content), f"a list of {size:,} does not fit into it")
        if kind in (_TRUE, _FALSE):
            return list(self.bytes(size))
        return [self.value(kind, depth) for _ in range(size)]

    def bytes(self, size: int) -> bytes:
        part = self.content[self.offset : self.offset + size]
        if len(part) < size:
            raise IndexError
        self.offset += size
        return part

    def varint(self) -> int:
        number = shift = 0
        while True:
            part = self.content[self.offset]
            self.offset += 1
            number |= (part & 127) << shift
            if part < 128:
                return number
            shift += 7
            _require(shift <= 63, "a number is too long")

    def signed(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)


_SUFFIXES = (".parquet", ".pq")
register(
    Format("parquet", "Parquet with named columns", 0, None, read, write, _SUFFIXES, takes_columns=True, magic=(MAGIC,))
)
