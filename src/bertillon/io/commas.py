"""Decimal commas: numbers as `0,25`, as spreadsheets of many countries write them, read as if they had points.

Conventions: they are read only where they can be nothing else. Between semicolons, tabs, bars or blanks, and in quotes
between commas, a field such as 0,25 is a number if no other has a point, and if 1,234 cannot be a thousand. A file of
such numbers alone is a list of them if it cannot be a label and a score: every first part is 0, or some line says more
than a pair of whole numbers could (-0,25; 0,05; 1). What is doubtful is left as it is and refused later.

Holds `with_points`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bertillon.core.messages import Message, say
from bertillon.io.limits import require_memory
from bertillon.io.source import BLANKS, Head, Source, look, split_line

_COMMA = re.compile(r"^\s*(?P<whole>[+-]?\d*),(?P<part>\d+)(?P<power>[eE][+-]?\d+)?\s*$")
_POINT = re.compile(r"^\s*[+-]?\d*\.\d")
_WHOLE = re.compile(r"^\s*[+-]?\d+\s*$")
_NOTE = say("reading.decimal_commas")


def with_points(source: Source, head: Head, *, lists: bool = True) -> tuple[Source, Head, tuple[Message, ...]]:
    """A text with its decimal commas as points, its head, and what is said of it; any other with commas as it is.

    `lists` where nobody said that what stands before a comma is a column of its own.
    """
    if b"\x00" in head.raw or not head.rows:
        return source, head, ()
    separator = "" if lists and _is_list(head) else _separator(head)
    if separator is None:
        return source, head, ()
    require_memory(source.name, 2 * source.size, "the file with decimal commas", "write decimal points")
    pointed = Source(source.path, _pattern(separator).sub(rb"\1\2.\3", source.data()), in_memory=True)
    return pointed, look(pointed), (_NOTE,)


def _separator(head: Head) -> str | None:
    """What stands between fields with decimal commas; None where no comma is plainly decimal."""
    if _has_commas(head.rows):
        return head.separator
    by_blanks = [split_line(line, BLANKS) for line in head.lines] if head.separator == "," else []
    alike = len(set(map(len, by_blanks))) == 1 and len(by_blanks[0]) > 1
    plain = all(_COMMA.match(field) for row in by_blanks for field in row if "," in field)
    return BLANKS if alike and plain and _has_commas(by_blanks) else None


def _has_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Are there numbers with commas among the fields, and can they be nothing else?"""
    fields = [field for row in rows for field in row if "," in field or "." in field]
    matches = [match for match in map(_COMMA.match, fields) if match]
    return bool(matches) and not any(map(_POINT.match, fields)) and not all(map(_may_be_thousands, matches))


def _is_list(head: Head) -> bool:
    """Is every line a number, and more than a pair of whole numbers could be?"""
    if head.separator != ",":
        return False
    lines = [(_COMMA.match(line), line) for line in head.lines]
    if len(lines) < 2 or not all(match or _WHOLE.match(line) for match, line in lines):
        return False
    matches = [match for match, _ in lines if match]
    if all(map(_may_be_thousands, matches)):
        return False
    return len(matches) < len(lines) or all(m["whole"] == "0" for m in matches) or any(map(_is_no_pair, matches))


def _is_no_pair(match: re.Match[str]) -> bool:
    """Two whole numbers do not look like this."""
    padded = match["part"].startswith("0") and len(match["part"]) > 1
    return padded or bool(match["power"]) or match["whole"] in ("", "-", "-0")


def _may_be_thousands(match: re.Match[str]) -> bool:
    return len(match["part"]) == 3 and match["whole"].lstrip("+-")[:1] not in ("", "0")


def _pattern(separator: str) -> re.Pattern[bytes]:
    """A number with a comma that fills a field, or a line where there is no separator."""
    ends = {"": "", BLANKS: r"[ \t]", "\t": r"\t", ",": ","}.get(separator, re.escape(separator))
    before, after = (rf"(?:^|{ends})", rf"(?=\s*(?:$|\r|{ends}))") if ends else ("^", r"(?=\s*(?:$|\r))")
    quote = '"' if separator == "," else '"?'
    number = rf"(?m)({before}[ \t]*{quote}[ \t]*)([+-]?\d*),(\d+(?:[eE][+-]?\d+)?[ \t]*{quote}){after}"
    return re.compile(number.encode())
