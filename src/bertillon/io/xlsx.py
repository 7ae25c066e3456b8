"""Excel workbooks (.xlsx): one sheet, read as a CSV file of the same cells would be.

A workbook is a zip archive of XML: the names of the sheets, the texts that cells share, and the cells of each sheet.

Conventions: the sheet is the only one that holds anything; of several one must be named (`--column sheet=NAME`). Rows
and columns without any content are left out. A truth value is true or false, #N/A a failed comparison, a formula its
last result. Everything else goes by the rules of text files: header, separator aside, labels, matrices, candidates.
Line numbers in messages are those of the sheet. The XML may declare no entities, and no part may be larger than its
limit, whatever the archive says of its size; nor may the cells be, which can share one long text or stand far apart.
"""

from __future__ import annotations

import csv
import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from xml.parsers import expat

from bertillon.core import InputError, say
from bertillon.core.errors import listed, unknown
from bertillon.io.limits import MemoryBudget, max_memory, too_large_error
from bertillon.io.registry import Format, Request, Table, recognise, register
from bertillon.io.source import ZIP_MAGIC, Head, Source, damage, look, open_member

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TYPES = b"[Content_Types].xml"
_MOST_CELLS = 50_000_000
_MOST_COLUMNS = 16_384  # Excel's own limit
_MOST_ROWS = 1_048_576
_CELL = 150  # bytes that a cell takes beside its text
_LETTER = 6  # bytes that a letter or a separator takes while the text of a sheet is made
_LOCATION = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_FAILED = "#N/A"
SHEET = "sheet"
Rows = dict[int, dict[int, str]]


def read(source: Source, _: Head, request: Request) -> Table:
    columns = {role: name for role, name in request.columns.items() if role != SHEET}
    room = MemoryBudget(source.name)
    with damage(source.name, "the workbook", "save it again"), zipfile.ZipFile(io.BytesIO(source.data())) as archive:
        name, rows = _chosen(source, _Workbook(archive, room), request.columns.get(SHEET))
    text = Source(source.path, _text(rows, room), in_memory=True)
    inner = look(text)
    chosen = recognise(text, inner, columns=bool(columns))
    assert chosen.reader is not None
    if columns and not chosen.takes_columns:
        raise source.error(f"its columns cannot be named, since they are read as {chosen.name}")
    table = chosen.reader(text, inner, replace(request, columns=columns))
    notes = [note for note in table.notes if not getattr(note, "key", "").startswith("reading.separated.")]
    return replace(table, notes=(say("reading.sheet", name=repr(name), n=len(rows)), *notes))


def _chosen(source: Source, workbook: _Workbook, asked: str | None) -> tuple[str, Rows]:
    sheets = workbook.sheets()
    if asked is not None:
        if asked not in sheets:
            raise source.error(unknown("sheet", asked, sheets))
        sheets = {asked: sheets[asked]}
    filled = {name: rows for name, part in sheets.items() if (rows := workbook.cells(part))}
    if not filled:
        raise source.error(f"sheet {listed(sheets)} is empty; a header and rows of scores are expected")
    if len(filled) > 1:
        raise source.error(f"several sheets hold data: {listed(filled)}; say which with --column sheet=NAME")
    return next(iter(filled.items()))


def _text(rows: Rows, room: MemoryBudget) -> bytes:
    """The cells as a text table; row n of the sheet is line n."""
    used = sorted({column for row in rows.values() for column in row})
    room.require(_LETTER * len(rows) * len(used), f"a table of {len(rows):,} rows by {len(used):,} columns")
    quoted = any(text.startswith("#") for row in rows.values() for text in row.values())  # unless they are quoted
    out, sep = io.StringIO(), "\t" if len(used) > 1 else ","
    writer = csv.writer(out, delimiter=sep, lineterminator="\n", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    last = 0
    for number in sorted(rows):
        out.write("\n" * (number - last - 1))
        writer.writerow([" ".join(rows[number].get(column, "").split()) for column in used])
        last = number
    return out.getvalue().encode()


@dataclass(frozen=True, slots=True)
class _Workbook:
    """The parts of an archive."""

    archive: zipfile.ZipFile
    room: MemoryBudget

    def sheets(self) -> dict[str, str]:
        targets: dict[str, str] = {}
        parts: dict[str, str] = {}

        def relation(name: str, attributes: Mapping[str, str]) -> None:
            if name == "Relationship" and attributes.get("TargetMode") != "External":
                targets[attributes.get("Id", "")] = attributes.get("Target", "")

        def sheet(name: str, attributes: Mapping[str, str]) -> None:
            if name == "sheet" and attributes.get("id") in targets:
                target = posixpath.normpath(posixpath.join("/xl", targets[attributes["id"]]))
                parts[attributes.get("name", "")] = target.lstrip("/")

        self._parse("xl/_rels/workbook.xml.rels", relation)
        self._parse("xl/workbook.xml", sheet)
        if not parts:
            raise _bad(self.room, "is a workbook without sheets")
        return {name: part for name, part in parts.items() if "chartsheets" not in part}

    def cells(self, part: str) -> Rows:
        """The cells of a sheet that hold something, by row and column, both from 1."""
        walk = _Cells(shared=self._shared(), room=self.room)
        self._parse(part, walk.start, walk.end, walk.letters)
        return walk.rows

    def _shared(self) -> list[str]:
        if "xl/sharedStrings.xml" not in self.archive.namelist():
            return []
        walk = _Shared()
        self._parse("xl/sharedStrings.xml", walk.start, walk.end, walk.letters)
        return walk.texts

    def _refuse_doctype(self, *_: object) -> None:
        raise _bad(self.room, "declares XML entities, which no workbook does; it is refused")

    def _parse(
        self,
        part: str,
        start: Callable[[str, Mapping[str, str]], None],
        end: Callable[[str], None] | None = None,
        letters: Callable[[str], None] | None = None,
    ) -> None:
        """Walk through the XML of a part; names are told without their namespace."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = lambda name, attributes: start(
            _local(name), {_local(key): value for key, value in attributes.items()}
        )
        parser.EndElementHandler = (lambda name: end(_local(name))) if end else None
        parser.CharacterDataHandler = letters
        parser.buffer_text = True
        with open_member(self.room.name, self.archive, part) as file:
            size, most = 0, max_memory()
            while chunk := file.read(1 << 20):
                size += len(chunk)
                if size > most:
                    problem = f"part {part!r} is larger when unpacked"
                    raise too_large_error(self.room.name, problem, instead="CSV takes less")
                parser.Parse(chunk, False)
            parser.Parse(b"", True)


def _bad(room: MemoryBudget, problem: str) -> InputError:
    return InputError(f"{room.name}: {problem}")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


@dataclass(slots=True)
class _Walk:
    """Letters gathered while within an element that holds some."""

    _parts: list[str] = field(default_factory=list)
    _within: bool = False

    def letters(self, text: str) -> None:
        if self._within:
            self._parts.append(text)


@dataclass(slots=True)
class _Shared(_Walk):
    """The texts that cells share, without their phonetic readings."""

    texts: list[str] = field(default_factory=list)
    _phonetic: bool = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        del attributes
        if name == "si":
            self._parts = []
        self._phonetic = self._phonetic or name == "rPh"
        self._within = name == "t" and not self._phonetic

    def end(self, name: str) -> None:
        self._within = False
        self._phonetic = self._phonetic and name != "rPh"
        if name == "si":
            self.texts.append("".join(self._parts))


@dataclass(slots=True, kw_only=True)
class _Cells(_Walk):
    """The cells of a sheet as they come."""

    shared: Sequence[str]
    room: MemoryBudget
    rows: Rows = field(default_factory=dict)
    _row: int = 0
    _column: int = 0
    _kind: str = "n"
    _count: int = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "row":
            row_text = attributes.get("r", "")
            self._row = int(row_text) if row_text.isdecimal() and len(row_text) < 8 else self._row + 1
            self._column = 0
        elif name == "c":
            self._set_location(attributes.get("r", ""))
            self._kind, self._parts = attributes.get("t", "n"), []
        self._within = name == "v" or (name == "t" and self._kind == "inlineStr")

    def _set_location(self, reference: str) -> None:
        match = _LOCATION.fullmatch(reference)
        letters = [ord(letter) - ord("A") + 1 for letter in match[1]] if match else []  # A is 1, Z 26, AA 27
        self._column = reduce(lambda number, letter: 26 * number + letter, letters, 0) or self._column + 1
        self._row = int(match[2]) if match else self._row
        if not (0 < self._row <= _MOST_ROWS and self._column <= _MOST_COLUMNS):
            raise _bad(self.room, f"a cell at row {self._row:,}, column {self._column:,}, beyond any sheet")

    def end(self, name: str) -> None:
        self._within = False
        value = self._value("".join(self._parts)) if name == "c" else ""
        if value.strip():
            self._count += 1
            if self._count > _MOST_CELLS:
                raise _bad(self.room, f"a sheet of more than {_MOST_CELLS:,} cells; save it as CSV")
            self.room.keep(_CELL + _LETTER * len(value), f"a cell of {len(value):,} letters in row {self._row:,}")
            self.rows.setdefault(self._row, {})[self._column] = value

    def _value(self, text: str) -> str:
        if self._kind == "s":
            if not text.strip().isdecimal() or int(text) >= len(self.shared):
                raise _bad(self.room, f"row {self._row:,} names the shared text {text[:20]!r}, which is not there")
            return self.shared[int(text)]
        if self._kind == "b":
            return "true" if text.strip() == "1" else "false"
        return "NA" if self._kind == "e" and text == _FAILED else text


def fits(head: Head) -> bool:
    """A zip archive that begins with a part of a workbook, and not with an array."""
    first = head.raw[30 : 30 + int.from_bytes(head.raw[26:28], "little")]
    return not first.endswith(b".npy") and (_TYPES in head.raw or first.startswith(b"xl/"))


_OLD = "is an old (.xls) or a password-protected Excel workbook, which is not read; save it as .xlsx or CSV"
register(
    Format("xlsx", "Excel workbook (.xlsx), one sheet", 0, fits, read, takes_columns=True, magic=(ZIP_MAGIC,)),
    Format("xls", "old or encrypted Excel workbook, refused", 0, None, refusal=_OLD, magic=(_OLE,)),
)
