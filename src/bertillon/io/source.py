"""What a format is given of a file: its bytes, opened once and unpacked if gzipped, and its first lines in fields.

Conventions: gzip is known by its first two bytes, never by the name. A plain file is mapped, not copied, so that a
large table is read from disk only by the reader that wants it. What is unpacked, or comes from a pipe, is held in
memory and may not be larger than `limits` allows.

Of the first lines, which every sniffing rule looks at, comments (`#`) and blank ones are left out. The separator is the
one of tab, semicolon, bar and comma that cuts most lines into the same number of fields; where none does, or tabs are
mixed with blanks, any run of blanks separates.

Holds `Source`, `open_source`, `first_bytes` and `check_text`; `Head`, `look` and `head_of`, and what fields may be:
`is_number`, `is_integer` and the like.
"""

from __future__ import annotations

import codecs
import csv
import difflib
import errno
import gzip
import io
import mmap
import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from bertillon.core.arguments import as_path
from bertillon.core.errors import InputError
from bertillon.engine.workers import is_forked
from bertillon.io.limits import LIMITS, STREAM_HINT, max_memory, too_large_error

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
_CHUNK = 1 << 18
_PIECE = 1 << 20
_DENSEST = 1032  # bytes that one byte of gzip can hold
BLANKS = " "
LOOSE = (BLANKS, "\t")  # what may separate columns known by position
SEPARATORS = ("\t", ";", "|", ",")
MAX_LINES = 1000
FAILED_WORDS = ("", "na", "n/a", "null", "none", "nan", "+nan", "-nan")

Content = bytes | mmap.mmap


@dataclass(frozen=True, slots=True)
class Source:
    """One input file: where it is, what it holds, and whether the content is the file itself or unpacked from it."""

    path: Path
    content: Content
    in_memory: bool  # what reads it must be given the content and not the path (gzip, pipe, a name that is no UTF-8)

    @property
    def name(self) -> str:
        """The path as it is shown; bytes that are no UTF-8 cannot be."""
        return os.fsencode(self.path).decode(errors="replace")

    @property
    def size(self) -> int:
        return len(self.content)

    def head(self, size: int | None = None) -> bytes:
        return self.content[: LIMITS.head_bytes if size is None else size]

    def data(self) -> bytes:
        """The whole content as bytes of our own."""
        return self.content[:]

    def for_polars(self) -> str | bytes:
        """What polars reads fastest: the path of a plain file, else the bytes."""
        return self.data() if self.in_memory else os.path.abspath(self.path)

    def stream(self) -> BinaryIO:
        return io.BytesIO(self.data()) if self.in_memory else open(self.path, "rb")

    def error(self, problem: str, line: int | None = None) -> InputError:
        where = self.name if line is None else f"{self.name}:{line}"
        return InputError(f"{where}: {problem}")


def open_source(path: str | os.PathLike[str]) -> Source:
    """Open a file for reading; whatever is wrong with it becomes an `InputError`."""
    file_path = as_path(path)
    if is_forked():
        raise InputError(
            f"{file_path}: cannot be read in a process made by fork, where the threads that read tables (polars) are "
            "missing and would be waited for; read it before forking, or start processes with spawn or forkserver"
        )
    try:
        return _open(file_path)
    except OSError as error:
        raise InputError(f"{file_path}: {_reason(error, file_path)}") from error
    except ValueError as error:  # a NUL in the name
        if isinstance(error, InputError):
            raise
        raise InputError(f"{str(file_path)!r}: is not a file name ({error})") from error


def _open(path: Path) -> Source:
    with open(path, "rb") as file:
        regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        content: Content = b""
        if not regular:
            content = read_limited(str(path), file, "it gives")
        elif os.fstat(file.fileno()).st_size:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(content) == 0:
            raise InputError(f"{path}: is empty (0 bytes); a file with data is expected")
        if content[:2] != GZIP_MAGIC:
            is_utf8 = not any("\ud800" <= letter <= "\udfff" for letter in str(path.absolute()))  # no surrogates
            return Source(path, content, in_memory=not regular or not is_utf8)
        packed = file if regular else io.BytesIO(content)
        packed.seek(0)
        with gzip_damage(path):
            unpacked = read_limited(str(path), gzip.GzipFile(fileobj=packed), "it unpacks to")  # type: ignore[arg-type]
    if not unpacked:
        raise InputError(f"{path}: is an empty gzip file; a file with data is expected")
    return Source(path, unpacked, in_memory=True)


def read_limited(name: str, file: IO[bytes], what: str, most: int | None = None) -> bytes:
    """All that a file gives, no more than there is room for: what it says of its size may be untrue."""
    most, held = max_memory() if most is None else most, io.BytesIO()
    while piece := file.read(_PIECE):
        if held.tell() + len(piece) > most:
            raise too_large_error(name, f"{what} more than {most:,} bytes", instead=STREAM_HINT)
        held.write(piece)
    return held.getvalue()  # the buffer itself, not a copy


def unpacks_beyond(path: Path, size: int) -> bool:
    """Does a packed file hold more bytes than that? Gzip is unpacked to know; an archive is taken at its word."""
    damages = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError)
    with suppress(*damages), open(path, "rb") as file:
        magic = file.read(4)
        file.seek(0)
        if magic == ZIP_MAGIC:
            with zipfile.ZipFile(file) as archive:
                return sum(member.file_size for member in archive.infolist()) > size
        if magic[:2] == GZIP_MAGIC and os.fstat(file.fileno()).st_size * _DENSEST > size:
            pieces = iter(partial(gzip.GzipFile(fileobj=file).read, _PIECE), b"")
            return any(total > size for total in accumulate(map(len, pieces)))
    return False


def first_bytes(path: str | os.PathLike[str], size: int) -> bytes:
    """How a file begins; nothing of one that is not regular, such as a pipe, or that cannot be read."""
    with suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(size)
    return b""


def open_member(name: str, archive: zipfile.ZipFile, member: str) -> IO[bytes]:
    """A member of a zip archive, for reading a piece at a time; `name` is what errors call the archive.

    zipfile bounds what one call unpacks for deflate alone: a piece of bzip2 or LZMA comes whole, whatever its size.
    """
    about = archive.getinfo(member)
    if about.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}.get(about.compress_type, "a rare method")
        raise InputError(
            f"{name}: {member!r} is compressed with {method}, which is not read: its size cannot be limited while it "
            "unpacks; save it with deflate, the usual compression of zip, or with none"
        )
    return archive.open(about)


@contextmanager
def damage(name: str, what: str, instead: str = "copy or save it again") -> Iterator[None]:
    """Whatever a library raises within says that a file, or this part of it, is damaged."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = str(error).partition("\n")[0][:200]
        raise InputError(f"{name}: {what} is damaged ({reason}); {instead}") from error


@contextmanager
def gzip_damage(path: Path, what: str = "the gzip file is damaged") -> Iterator[None]:
    """What goes wrong while a file is unpacked, in words."""
    try:
        yield
    except EOFError as error:
        raise InputError(f"{path}: the gzip file is cut off; copy or download it again") from error
    except (OSError, zlib.error) as error:
        raise InputError(f"{path}: {what} ({error}); copy or download it again") from error


def _reason(error: OSError, path: Path) -> str:
    if isinstance(error, FileNotFoundError) and path.is_symlink():
        return f"is a link to {os.readlink(path)}, which is not there; give the file itself"
    if isinstance(error, FileNotFoundError):
        return f"no such file{_similar(path)}"
    if isinstance(error, IsADirectoryError):
        return "is a folder; a file is expected"
    if isinstance(error, PermissionError):
        return "may not be read (permission denied); ask its owner or change its mode"
    if error.errno == errno.ELOOP:
        return "is a loop of symbolic links; give the file itself"
    return f"cannot be read ({error.strerror or error})"


def _similar(path: Path) -> str:
    try:
        near = difflib.get_close_matches(path.name, os.listdir(path.parent), n=1)
    except OSError:
        return f"; there is no folder {path.parent} either"
    return f"; did you mean {near[0]}?" if near else ""


PICTURE = re.compile(  # JPEG, PNG, GIF, BMP, TIFF, WebP, PGM and PPM by their first bytes
    rb"\xff\xd8\xff|\x89PNG\r\n|GIF8[79]a|BM.{12}\0\0|II\*\0|MM\0\*|RIFF.{4}WEBP|P[56]\s+(#|\d+\s+\d+\s)", re.DOTALL
)


def check_text(source: Source) -> None:
    """Refuse what is no UTF-8 text, saying what it is instead."""
    head = source.head(4096)
    if PICTURE.match(head):
        raise source.error("is a picture; make templates of photos first: bertillon extract FOLDER -o faces.npz")
    if _looks_utf16(head):
        raise source.error("is UTF-16; save it as UTF-8")
    if marks_in(source.content, [b"\x00"]):
        raise source.error("holds binary data and no known format; text, or one of the formats listed, is expected")
    if _is_ascii(source.content):
        return
    try:
        source.data().decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_of(source.content, error.start)
        problem = f"byte 0x{source.content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise source.error(problem, line) from error


def _looks_utf16(head: bytes) -> bool:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return True
    even, odd = head[0::2], head[1::2]
    lopsided = abs(even.count(0) - odd.count(0))
    return len(head) >= 4 and min(even.count(0), odd.count(0)) == 0 and lopsided > 0.4 * len(even)


def marks_in(content: Content, marks: Iterable[bytes]) -> set[bytes]:
    """Which of these bytes a text holds; all are looked for in one piece of it while that is in the cache."""
    missing = set(marks)
    found: set[bytes] = set()
    for at in range(0, len(content), _CHUNK):
        found |= {mark for mark in missing if content.find(mark, at, at + _CHUNK) >= 0}
        missing -= found
    return found


def _is_ascii(content: Content) -> bool:
    values = np.frombuffer(content, np.uint8)
    return all(int(values[at : at + _CHUNK].max()) < 128 for at in range(0, values.size, _CHUNK))


def line_of(content: Content, offset: int) -> int:
    """The 1-based number of the line that holds the byte at the offset."""
    return content[:offset].count(b"\n") + 1


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file: raw bytes, data lines, their fields, and which of those are numbers."""

    raw: bytes
    lines: tuple[str, ...] = ()
    separator: str = BLANKS
    rows: tuple[tuple[str, ...], ...] = ()
    shapes: tuple[str, ...] = ()  # one letter a field: n for a number, t for text
    complete: bool = True  # are these all lines of the file?
    widest: int = 0  # the most fields of a line

    @property
    def width(self) -> int:
        """The most common number of fields; 0 without lines."""
        return Counter(map(len, self.rows)).most_common(1)[0][0] if self.rows else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The fields of the first line, as a header has them; none without lines."""
        return tuple(name.strip() for name in self.rows[0]) if self.rows else ()

    def columns(self, skip: int = 0) -> list[list[str]]:
        """The fields by column, of the lines that are like most: a faulty line must not hide what the file is."""
        width = self.width
        shapes = Counter(shape for shape in self.shapes[skip:] if len(shape) == width)
        usual, count = shapes.most_common(1)[0] if shapes else ("", 0)
        rows = [row for row in range(skip, len(self.rows)) if len(self.rows[row]) == width]
        if 2 * count >= len(rows):
            rows = [row for row in rows if self.shapes[row] == usual]
        return [list(column) for column in zip(*(self.rows[row] for row in rows), strict=True)]


def look(source: Source) -> Head:
    """The head of a source; binary content has no lines."""
    raw = source.head(_head_size(source))
    if b"\x00" in raw:
        return Head(raw)
    return head_of(raw, complete=source.size <= len(raw))


def _head_size(source: Source) -> int:
    """Enough for some lines of usual length, or for three lines of any length."""
    end = -1
    for _ in range(3):
        end = source.content.find(b"\n", end + 1)
        if end < 0:
            return LIMITS.head_bytes
    return max(LIMITS.head_bytes, end + 1)


def head_of(raw: bytes, *, complete: bool = True) -> Head:
    """The head of some bytes; when they are not the whole file the last line may be cut and is dropped."""
    text = raw.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n", MAX_LINES)
    if len(lines) > MAX_LINES or not complete:
        complete = False
        lines = lines[:-1] if len(lines) > 1 else lines
    kept = tuple(line for line in lines if line.strip() and not line.startswith("#"))
    separator = guess_separator(kept)
    if separator == "\t" and _is_loose(kept):
        separator = BLANKS
    rows = tuple(tuple(split_line(line, separator)) for line in kept)
    shapes = tuple("".join("n" if is_number(text) else "t" for text in row) for row in rows)
    return Head(raw, kept, separator, rows, shapes, complete, max(map(len, rows), default=0))


def guess_separator(lines: Sequence[str]) -> str:
    """The separator that cuts most lines alike; blanks where no other one does for at least half of them."""
    counts = {}
    for separator in SEPARATORS:
        widths = Counter(len(split_line(line, separator)) for line in lines[:200] if separator in line)
        counts[separator] = max(widths.values(), default=0)
    best = max(SEPARATORS, key=lambda separator: counts[separator])
    return best if counts[best] and 2 * counts[best] >= min(len(lines), 200) else BLANKS


def _is_loose(lines: Sequence[str]) -> bool:
    """Are tabs only some of the blanks between fields: fields empty or padded, but as many in each line by blanks?"""
    rows = [split_line(line, "\t") for line in lines]
    clean = len(set(map(len, rows))) == 1 and all(text and text == text.strip() for row in rows for text in row)
    return not clean and len({len(split_line(line, BLANKS)) for line in lines}) == 1


def split_line(line: str, separator: str) -> list[str]:
    """The fields of one line, quotes removed; runs of blanks count as one separator."""
    if separator == BLANKS:
        line = " ".join(line.split())
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator), [""])
    except csv.Error:
        return line.split(separator)


def is_number(text: str) -> bool:
    """Is this a score: a number, an infinity, or a sign of a failed comparison?"""
    text = text.strip()
    return text.lower() in FAILED_WORDS or (_is_float(text) and "_" not in text and text.isascii())


def all_numbers(column: Sequence[str]) -> bool:
    """Every field is a score, and not every one a failed comparison."""
    return all(map(is_number, column)) and any(text.strip().lower() not in FAILED_WORDS for text in column)


def is_integer(text: str) -> bool:
    return text.strip().lstrip("+-").isdecimal()


def is_id_like(column: Sequence[str]) -> bool:
    """Could these be ids: no fractions among them, nothing empty?"""
    return all(text.strip() and (is_integer(text) or not _is_float(text)) for text in column)


def is_counted(names: Sequence[str], start: int = 0) -> bool:
    """Are these 0, 1, 2 and so on?"""
    return [name.strip() for name in names] == [str(number) for number in range(start, start + len(names))]


def numbers_columns(head: Head) -> bool:
    """Does the first line look like 0, 1, 2 ... over the columns, as pandas numbers those without names?

    After an empty first cell it can be nothing else; otherwise some number below must have a fraction.
    """
    if len(head.rows) < 2 or head.width < 2 or len(head.rows[0]) != head.width:
        return False
    corner, *names = head.rows[0]
    if not corner.strip():
        return is_counted(names)
    fraction = any(is_number(text) and not is_id_like([text]) for row in head.rows[1:] for text in row if text.strip())
    return is_counted(head.rows[0]) and fraction


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
