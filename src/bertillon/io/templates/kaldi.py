"""Archives of Kaldi (.ark) and tables of where each template stands in them (.scp).

Conventions: an archive is a sequence of an id and a vector or a matrix, as text or in binary. A vector is a template of
kind vector, a matrix one of kind series (a row a point) unless every matrix has a single row. Numbers are
little-endian.

    text      id  [ 1.0 2.0 ]            a vector; a matrix begins with a line break after the bracket, a row a line
    binary    id, blank, \\0B, a mark and a blank, then
      FV, DV    byte 4, length (int32), float32 or float64 each
      FM, DM    byte 4, rows (int32), byte 4, columns (int32), float32 or float64 each, row by row
      CM        least value and range (float32), rows and columns (int32), four quantiles a column (uint16), then a byte
                each, column by column, in three straight pieces between the quantiles
      CM2, CM3  least value and range, rows and columns, then uint16 or uint8 each, row by row
    scp       id path:offset             the offset points behind the id; without one the file holds a single template

The subject of an id is said by labels, by a pattern, or by a file `utt2spk` beside the archive. A path that leads out
of the folder is refused, and a command (`... |`) is never run. All templates and the archive that is open share the
memory that `limits` allows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, say
from bertillon.io.convert import as_array
from bertillon.io.limits import MemoryBudget, format_size
from bertillon.io.registry import TemplateFormat, TemplateRequest, register
from bertillon.io.source import Content, Head, Source, check_text, line_of, open_source
from bertillon.io.templates.assemble import Parts
from bertillon.io.templates.owners import in_order, owners_by_name, read_labels

Array = NDArray[Any]

BINARY = b"\x00B"
SPEAKERS = "utt2spk"
_LONGEST = 4096  # bytes of an id
_UNPACKING = 52  # bytes that a number of a compressed matrix takes while it is unpacked
_PARSING = 45  # times its size is what a template of text takes while it is parsed
_NUMBERS: dict[str, np.dtype[Any]] = {"F": np.dtype("<f4"), "D": np.dtype("<f8")}
_MARKS = ("FV", "DV", "FM", "DM", "CM", "CM2", "CM3")
_STARTS = re.compile(rb"[^\s\x00]+ \x00B(?:FV|DV|FM|DM|CM|CM2|CM3) ")
_TEXT = re.compile(r"\s*(\S+)[ \t]+\[([^\[\]]*)\][ \t]*(?:\n|$)")
_ENTRY = re.compile(r"(\S+)\s+(\S.*)")
_LOCATION = re.compile(r"([^:\[\]]+)(?::(\d{1,18}))?(\[.*\])?")


class _Cursor:
    """A place in the bytes of an archive, moved on by what is read; `what` is named where they end too early."""

    def __init__(self, source: Source, room: MemoryBudget, offset: int = 0, what: str = "") -> None:
        self.source, self.content, self.room, self.offset, self.what = source, source.content, room, offset, what

    def _require_left(self, size: int) -> None:
        left = len(self.content) - self.offset
        if size < 0 or size > left:
            raise self._error(f" takes {size:,} bytes at byte {self.offset:,}, and {left:,} are left; is it cut off?")

    def _error(self, problem: str) -> InputError:
        return self.source.error(f"{self.what}{problem}")

    def take(self, size: int) -> bytes:
        self._require_left(size)
        self.offset += size
        return self.content[self.offset - size : self.offset]

    def until_blank(self, longest: int) -> bytes:
        end = self.content.find(b" ", self.offset, self.offset + longest + 1)
        if end < 0:
            problem = f"no blank follows the word at byte {self.offset:,}; an archive of Kaldi has one there"
            raise self.source.error(problem)
        word = self.content[self.offset : end]
        self.offset = end + 1
        return word

    def numbers(self, dtype: np.dtype[Any], count: int) -> Array:
        return np.frombuffer(self.take(count * dtype.itemsize), dtype)

    def length(self) -> int:
        """A length: the byte 4, the size of what follows, and an int32."""
        size = self.take(1)
        if size != b"\x04":
            raise self._error(f": a length at byte {self.offset:,} is marked {size!r}, not b'\\x04'")
        return self._count()

    def _count(self) -> int:
        number = int(self.numbers(np.dtype("<i4"), 1)[0])
        if number < 0:
            raise self._error(f" has a length of {number}; the archive is damaged")
        return number

    def value(self) -> Array:
        if self.take(2) != BINARY:
            raise self._error(f" does not begin with \\0B at byte {self.offset - 2:,}, as binary ones do")
        mark = self.until_blank(4).decode("ascii", "replace")
        if mark not in _MARKS:
            raise self._error(f" is marked {mark!r}; vectors and matrices ({', '.join(_MARKS)}) are read")
        if mark[0] == "C":
            return self._compressed(mark)
        dtype = _NUMBERS[mark[0]]
        if mark[1] == "V":
            return self._kept(dtype, self.length())
        rows, columns = self.length(), self.length()
        return self._kept(dtype, rows * columns).reshape(rows, columns)

    def _kept(self, dtype: np.dtype[Any], count: int) -> Array:
        self._require_left(count * dtype.itemsize)
        self.room.keep(count * dtype.itemsize, self.what)
        return self.numbers(dtype, count)

    def _compressed(self, mark: str) -> Array:
        least, span = (float(number) for number in self.numbers(np.dtype("<f4"), 2))
        rows, columns = self._count(), self._count()
        self._require_left(rows * columns)  # a byte each at least
        self.room.require(_UNPACKING * (rows + 4) * columns, self.what)
        self.room.keep(4 * rows * columns, self.what)
        if mark == "CM":
            quantiles = least + span * self.numbers(np.dtype("<u2"), 4 * columns).reshape(columns, 4, 1) / 65535.0
            packed = self.numbers(np.dtype("u1"), rows * columns).reshape(columns, rows)
            return np.ascontiguousarray(_between(packed.astype(np.float64), quantiles).T, dtype=np.float32)
        dtype: np.dtype[Any] = np.dtype("<u2" if mark == "CM2" else "u1")
        steps = float(np.iinfo(dtype).max)
        values = least + span * self.numbers(dtype, rows * columns).reshape(rows, columns) / steps
        return values.astype(np.float32)


def _between(packed: Array, quantiles: Array) -> Array:
    """Bytes as values: 0 to 64, 64 to 192 and 192 to 255 lie evenly between the quantiles of their column."""
    low, first, third, high = (quantiles[:, column] for column in range(4))
    lower, middle = low + (first - low) * packed / 64.0, first + (third - first) * (packed - 64.0) / 128.0
    upper = third + (high - third) * (packed - 192.0) / 63.0
    return np.where(packed <= 64, lower, np.where(packed <= 192, middle, upper))


def read_ark(source: Source, request: TemplateRequest) -> Parts:
    binary = source.content.find(BINARY, 0, _LONGEST + 3) >= 0
    room = MemoryBudget(source.name)
    entries = list(_binary(source, room) if binary else _text(source, room))
    return _parts(source, [name for name, _ in entries], [value for _, value in entries], room, request)


def _binary(source: Source, room: MemoryBudget) -> Iterator[tuple[str, Array]]:
    cursor = _Cursor(source, room)
    while cursor.offset < len(source.content):
        name = cursor.until_blank(_LONGEST).decode("utf-8", "backslashreplace").strip()
        cursor.what = f"template {name!r}"
        yield name, cursor.value()


def _text(source: Source, room: MemoryBudget) -> Iterator[tuple[str, Array]]:
    room.keep(3 * source.size, f"text of {format_size(source.size)}")
    check_text(source)
    text = source.data().decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    offset, line = 0, 1
    while offset < len(text):
        match = _TEXT.match(text, offset)
        if match is None:
            raise source.error("an id and numbers in brackets, as in 'utt1  [ 0.1 0.2 ]', are expected", line=line)
        yield match.group(1), _numbers(source, room, match.group(1), match.group(2), partial(int, line))
        line += text.count("\n", offset, match.end())
        offset = match.end()


def _numbers(source: Source, room: MemoryBudget, name: str, inside: str, line: Callable[[], int]) -> Array:
    """The numbers in brackets; the number of the line is asked for where they are wrong."""
    room.require(_PARSING * len(inside), f"template {name[:100]!r}")
    rows = [row.split() for row in inside.split("\n") if row.strip()]
    try:
        table = np.array([[float(text) for text in row] for row in rows], dtype=np.float64)
    except ValueError:
        problem = f"template {name!r} holds something else than rows of numbers of one length"
        raise source.error(problem, line=line()) from None
    room.keep(table.nbytes, f"template {name[:100]!r}")
    return table if "\n" in inside.strip(" \t") else table.reshape(-1)


def read_scp(source: Source, request: TemplateRequest) -> Parts:
    check_text(source)
    lines = enumerate(source.data().decode("utf-8-sig").splitlines(), start=1)
    entries = [_entry(source, line.strip(), number) for number, line in lines if line.strip()]
    rows: dict[Path, list[int]] = {}
    for row, (_, path, _) in enumerate(entries):
        rows.setdefault(path, []).append(row)
    room = MemoryBudget(source.name)
    values: dict[int, Array] = {}
    for path, here in rows.items():  # one archive at a time: each may be unpacked in memory
        archive = open_source(path)
        held = archive.size if archive.in_memory else 0
        room.keep(held, f"the unpacked archive {path.name}")
        values |= {row: _at(archive, room, entries[row][0], entries[row][2]) for row in here}
        room.taken -= held
    return _parts(source, [name for name, _, _ in entries], [values[row] for row in range(len(values))], room, request)


def _entry(source: Source, line: str, number: int) -> tuple[str, Path, int]:
    entry = _ENTRY.fullmatch(line)
    if entry is None:
        raise source.error("an id and a location, as in 'utt1 vectors.ark:15', are expected", line=number)
    name, location = entry.groups()
    if location.endswith("|") or location.startswith("|"):
        raise source.error(f"{name!r} is from a command ({location!r}), which is never run; give archives", line=number)
    match = _LOCATION.fullmatch(location)
    if match is None or match.group(3):
        what = "a part of a matrix" if match and match.group(3) else "not a location in an archive"
        raise source.error(f"{location!r} is {what}; a path and an offset (vectors.ark:15) are expected", line=number)
    return name, _inside(source, match.group(1), number), int(match.group(2) or 0)


def _inside(source: Source, path: str, number: int) -> Path:
    """The archive, which must lie in the folder of the table or below it, links followed."""
    folder = _folder(source)
    for candidate in (folder / path, folder / Path(path).name):  # the second: written from another folder
        full = Path(os.path.realpath(candidate))
        if full.is_relative_to(folder) and os.path.isfile(full):
            return full
    raise source.error(
        f"{path!r} is no file in {folder} or below it, and files elsewhere are not opened; put the archive beside the "
        "table",
        line=number,
    )


def _folder(source: Source) -> Path:
    """The folder of a file, links followed."""
    return source.path.absolute().parent.resolve()


def _at(archive: Source, room: MemoryBudget, name: str, offset: int) -> Array:
    content: Content = archive.content
    if content[offset : offset + 2] == BINARY:
        return _Cursor(archive, room, offset, f"template {name!r}").value()
    start = content.find(b"[", offset, offset + _LONGEST)
    end = content.find(b"]", start) if start >= 0 else -1
    if not offset <= start < end or content[offset:start].strip():
        raise archive.error(f"there is no vector or matrix at byte {offset:,}, where {name!r} should be")
    inside = content[start + 1 : end].decode("utf-8", "replace").replace("\r\n", "\n")
    return _numbers(archive, room, name, inside, partial(line_of, content, offset))


def _parts(source: Source, names: list[str], found: list[Array], room: MemoryBudget, request: TemplateRequest) -> Parts:
    if not found:
        raise source.error("holds no templates; at least one is expected")
    kinds = sorted({value.ndim for value in found})
    for name, value in zip(names, found, strict=True):
        if value.size == 0:
            raise source.error(f"template {name!r} is empty (shape {value.shape}); remove it")
    if len(kinds) > 1:
        raise source.error("holds vectors and matrices; templates of one kind are expected: divide it")
    single = kinds == [2] and request.kind != "series" and all(len(value) == 1 for value in found)
    flat = kinds == [1] or single
    ids = as_array(names, source.name)
    parts = Parts(_stacked(source, names, found, room) if flat else [*found], ids, ids)
    parts.square = False
    parts.notes = [say("reading.kaldi_vectors" if kinds == [1] else "reading.kaldi_matrices", n=len(names))]
    parts.notes += [say("reading.single_rows")] if single else []
    _give_owners(source, parts, names, request)
    return parts


def _stacked(source: Source, names: list[str], values: list[Array], room: MemoryBudget) -> Array:
    for name, value in zip(names, values, strict=True):
        if value.size != values[0].size:
            problem = f"template {names[0]!r} has {values[0].size:,} numbers and {name!r} has {value.size:,}"
            raise source.error(f"{problem}; vectors of one length are expected")
    room.require(sum(value.nbytes for value in values), f"an array of {len(values):,} templates")
    return np.stack([value.reshape(-1) for value in values])


def _give_owners(source: Source, parts: Parts, names: list[str], request: TemplateRequest) -> None:
    labels, beside = request.labels, source.path.parent / SPEAKERS
    if labels is None and request.subject is not None:
        owners = owners_by_name(names, names, source.name, request.subject)
        parts.subject = as_array(owners.subject, source.name)
        parts.notes.append(owners.note)
        return
    if labels is None and os.path.isfile(beside):
        if not (real := Path(os.path.realpath(beside))).is_relative_to(_folder(source)):
            found = f"{SPEAKERS} beside it is a link to {real}, out of the folder, and is not followed"
            raise source.error(f"{found}; give it with --labels if it is meant")
        labels = read_labels(beside, {})
        parts.notes.append(say("reading.subjects_beside", file=SPEAKERS))
    if labels is None:
        problem = f"does not state the subject of each template ({names[0]!r}, ...); give --labels {SPEAKERS}"
        raise source.error(f"{problem}, or say where the subject is in the ids with --subject-pattern")
    ordered = in_order(labels, parts.sample, source.name)
    parts.subject, parts.metadata = ordered.subject, dict(ordered.metadata)
    parts.notes += ordered.notes


def fits_ark(head: Head) -> bool:
    if _STARTS.match(head.raw[: _LONGEST + 16]):
        return True
    return bool(head.lines) and re.match(r"\S+[ \t]+\[(\s|$)", head.lines[0]) is not None


def fits_scp(head: Head) -> bool:
    """Every line an id and a place in an archive, or a command, which the reader refuses."""
    return bool(head.lines) and all(map(_is_entry, head.lines))


def _is_entry(line: str) -> bool:
    fields = line.split() if len(line) <= 2 * _LONGEST else []
    if len(fields) < 2 or fields[-1].endswith("|"):
        return len(fields) > 1
    location = fields[1].partition("[")[0] if fields[1].endswith("]") else fields[1]
    path, _, offset = location.rpartition(":")
    path = path if path and offset.isdecimal() else location
    return len(fields) == 2 and path.endswith((".ark", ".ark.gz")) and path not in (".ark", ".ark.gz")


register(
    TemplateFormat("kaldi-ark", "Kaldi archive, text or binary, with utt2spk", 0, fits_ark, read_ark, by_name=True),
    TemplateFormat("kaldi-scp", "Kaldi table of places in archives", 1, fits_scp, read_scp, by_name=True),
)
