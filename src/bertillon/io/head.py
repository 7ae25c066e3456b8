"""The first lines of a file, cut into fields: what every sniffing rule looks at.

Conventions: comment lines (`#`) and blank lines are left out. The separator is the one of tab, semicolon, bar and
comma that cuts most lines into the same number of fields; where none does, or tabs are mixed with blanks, any run of
blanks separates.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bertillon.io.limits import LIMITS
from bertillon.io.source import Source

BLANKS = " "
LOOSE = (BLANKS, "\t")  # what may separate columns known by position
SEPARATORS = ("\t", ";", "|", ",")
MAX_LINES = 1000
FAILED_WORDS = ("", "na", "n/a", "null", "none", "nan", "+nan", "-nan")


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
