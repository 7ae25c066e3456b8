"""What is wrong with a text file, line by line: the slow second look after a fast read failed.

Conventions: line numbers are those of the file as an editor shows it, comments and blank lines included. All faulty
lines are counted; the first few are shown.

Holds `lines`, `labels` and `is_ragged`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bertillon.core.errors import SHOWN_FAULTS, Fault, InputError, faults_error
from bertillon.io.convert import CHECKS
from bertillon.io.head import BLANKS, SEPARATORS, split_line
from bertillon.io.labels import meaning
from bertillon.io.source import Content, Source

if TYPE_CHECKING:
    from bertillon.io.text import Layout

_OPEN_QUOTE = re.compile(r'(?:^|[,;|\t ])"(?:[^"]|"")*$')  # a field that begins with a quote and does not end
_SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", BLANKS: "blanks"}


def lines(source: Source, layout: Layout, kinds: Mapping[str, str], problem: Exception) -> InputError:
    """One error for every faulty line; where none can be named, the problem as the fast reader put it."""
    faults, count = [], 0
    for number, line in numbered(source.content, header=layout.header > 0):
        wrong = _wrong(line, layout, kinds)
        if wrong:
            count += 1
            faults += [Fault(number, line, wrong)] if count <= SHOWN_FAULTS else []
    if count:
        return faults_error(source.name, faults, count)
    return source.error(f"cannot be read as {_layout(layout)}: {problem}")


def labels(source: Source, layout: Layout, kinds: Mapping[str, str], problem: str) -> InputError:
    """The error for a label column, with the first line that shows it."""
    columns = [layout.names.index(name) for name, kind in kinds.items() if kind == "label"]
    for number, line in numbered(source.content, header=layout.header > 0):
        fields = split_line(line, layout.separator)
        for column in columns:
            if column < len(fields) and meaning(fields[column]) is None:
                return source.error(f"column {layout.names[column]!r}: {problem}", number)
    return source.error(problem)


def is_ragged(content: Content, layout: Layout) -> bool:
    """Has any line another number of fields than the layout?"""
    rows = (split_line(line, layout.separator) for _, line in numbered(content, header=layout.header > 0))
    return any(len(row) != layout.width for row in rows)


def numbered(content: Content, *, header: bool) -> Iterator[tuple[int, str]]:
    """The data lines with their numbers in the file; a quoted field may hold line breaks."""
    text = content[:].decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    for number, line in _whole(text):
        if not line.strip() or line.startswith("#"):
            continue
        if header:
            header = False
            continue
        yield number, line


def _whole(text: str) -> Iterator[tuple[int, str]]:
    """Lines, put together where a quoted field goes on in the next ones and every quote of the text is closed."""
    rest = enumerate(text.split("\n"), 1)
    closed = text.count('"') % 2 == 0
    for number, line in rest:
        if closed and _OPEN_QUOTE.search(line):
            for _, more in rest:
                line = f"{line}\n{more}"
                if more.count('"') % 2:
                    break
        yield number, line


def _wrong(line: str, layout: Layout, kinds: Mapping[str, str]) -> str | None:
    if line.count('"') % 2:
        return "a quote is opened and not closed"
    fields = split_line(line, layout.separator)
    if len(fields) != layout.width:
        number = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        return f"{number} found, {layout.width} expected ({_layout(layout)}){_other_separator(line, layout)}"
    for name, text in zip(layout.names, fields, strict=True):
        check, problem = CHECKS.get(kinds.get(name, ""), (None, ""))
        if check and not check(text):
            return f"{kinds[name]} {text!r} {problem}{_advice(text, kinds[name])}"
    return None


def _advice(text: str, kind: str) -> str:
    if kind != "score":
        return ""
    if text.count(",") == 1 and text.replace(",", "").lstrip("+-").isdecimal():
        return "; write a decimal point, not a comma"
    return "; write nan for a failed comparison"


def _other_separator(line: str, layout: Layout) -> str:
    for separator in SEPARATORS:
        if separator in line and separator != layout.separator and len(split_line(line, separator)) == layout.width:
            return f"; this line is separated by {_SEPARATOR_NAMES[separator]}: use one separator throughout"
    return ""


def _layout(layout: Layout) -> str:
    names = ", ".join(layout.names[:6]) + (", ..." if layout.width > 6 else "")
    return f"{names}; separated by {_SEPARATOR_NAMES[layout.separator]}"
