"""Delimited text to typed columns: fast and strict with polars, slow only where something is odd.

Conventions: comment lines (`#`), blank lines, CRLF and a byte order mark are allowed everywhere; with blanks as
separator any run of blanks and tabs separates. Every line must have as many fields as the layout has names. The
kinds of column:

    score   float64, where nan, NA and an empty field are a failed comparison (NaN)
    label   boolean: see `labels`
    text    ids, kept as they are written, outer blanks removed (`word`: there are none)
    code    whole numbers
    other   whatever fits: numbers where all look like numbers, else text

First polars reads with the types the head promises. If that fails all is read as text and converted. If that fails
too, the lines are gone through one by one: all faulty ones are counted and the first few shown with their numbers.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.core.errors import SHOWN_FAULTS, Fault, InputError, faults_error
from bertillon.core.lazy import pl
from bertillon.core.tables import EXACT, ends_of, precision_loss
from bertillon.io.convert import CHECKS, UnreadableError, converted, guessed_type, inferred
from bertillon.io.labels import LabelError, meaning
from bertillon.io.source import BLANKS, SEPARATORS, Content, Head, Source, marks_in, split_line

_CHUNK = 1 << 18
_ODD_BLANKS = {b"\t", b"\x0b", b"\x0c"}
_OPEN_QUOTE = re.compile(r'(?:^|[,;|\t ])"(?:[^"]|"")*$')  # a field that begins with a quote and does not end
_SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", BLANKS: "blanks"}


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text file is laid out: the names of all its columns, the separator, and the fields of its header line."""

    names: tuple[str, ...]
    separator: str
    header: int = 0  # 0: there is none

    @classmethod
    def of_header(cls, head: Head) -> Layout:
        return cls(head.names, head.separator, header=len(head.names))

    @property
    def width(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True)
class _Text:
    """The text polars is to read: its bytes, and the shortest way to hand them over."""

    content: Content
    feed: str | bytes
    quoted: bool


def parse(source: Source, head: Head, layout: Layout, kinds: Mapping[str, str]) -> pl.DataFrame:
    """The columns named in `kinds`, typed; any fault in any line raises `InputError`."""
    if layout.separator == BLANKS:  # then there are none around ids, and looking for them takes time
        kinds = {name: "word" if kind == "text" else kind for name, kind in kinds.items()}
    try:
        frame = _parse_as_it_is(source, head, layout, kinds)
        if frame is None:
            frame = _parse(_tidied(source, layout), head, layout, kinds)
    except UnreadableError as problem:
        raise faulty_lines(source, layout, kinds, problem) from problem
    except LabelError as problem:
        raise faulty_label(source, layout, kinds, str(problem)) from problem
    if frame.height == 0:
        raise source.error("holds a header and no data; lines with scores are expected")
    for name in [name for name, kind in kinds.items() if kind == "score" and _is_large(frame[name])]:
        _require_apart(source, layout, name)
    return frame


def _is_large(scores: pl.Series) -> bool:
    """Are there finite scores beyond the whole numbers that floats tell apart?"""
    ends = ends_of(scores)
    if any(end is not None and math.isinf(end) for end in ends):
        ends = ends_of(scores.filter(scores.is_finite()))
    return any(isinstance(end, float) and abs(end) >= EXACT for end in ends)


def _require_apart(source: Source, layout: Layout, name: str) -> None:
    """Refuse whole numbers of which different ones became equal: looked up in the text, where they still differ."""
    written = _read(_tidied(source, layout), layout, {name: pl.String()})[name].str.strip_chars()
    whole = written.filter(written.str.contains(r"^[+-]?\d{16,19}$")).unique().cast(pl.Int64, strict=False).drop_nulls()
    lost = precision_loss(whole.to_numpy())
    if lost:
        raise source.error(f"column {name!r}: {lost}")


def _parse_as_it_is(source: Source, head: Head, layout: Layout, kinds: Mapping[str, str]) -> pl.DataFrame | None:
    """The file itself, if it has no comments, blank lines or doubled blanks; None if it has."""
    content = source.content
    marks = marks_in(content, [b"\r", b"#", b'"', *(_ODD_BLANKS if layout.separator == BLANKS else ())])
    if not _is_tidy(content, layout, marks):
        return None
    try:
        return _parse(_Text(content, source.for_polars(), quoted=b'"' in marks), head, layout, kinds)
    except UnreadableError:
        return None


def _parse(text: _Text, head: Head, layout: Layout, kinds: Mapping[str, str]) -> pl.DataFrame:
    frame = _typed(text, head, layout, kinds)
    return frame if frame is not None else _from_strings(text, layout, kinds)


def _tidied(source: Source, layout: Layout) -> _Text:
    data = source.data().removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = re.sub(rb"(?m)^#.*$", b"", data)
    if layout.separator == BLANKS:
        data = re.sub(rb"[ \t\x0b\x0c]+", b" ", data).replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
    data = re.sub(rb"\n[ \n]*\n", b"\n", data).lstrip(b"\n")
    if not data.strip():
        raise source.error("holds no data, only comments or blank lines; lines with scores are expected")
    return _Text(data, data, quoted=b'"' in data)


def _is_tidy(content: Content, layout: Layout, marks: set[bytes]) -> bool:
    """Nothing to tidy? Blank lines between commas are not looked for: they show as lines with too few fields."""
    if content[:1] in b"#\n\xef " or b"\r" in marks:
        return False
    if layout.separator != BLANKS:
        return b"#" not in marks
    return (
        not marks & _ODD_BLANKS
        and (b"#" not in marks or content.find(b"\n#") < 0)
        and content[-1:] != b" "
        and not _has_runs_of_blanks(content)
    )


def _has_runs_of_blanks(content: Content) -> bool:
    """Do two blanks or line ends stand side by side?"""
    values = np.frombuffer(content, np.uint8)
    for at in range(0, values.size, _CHUNK):
        blank = values[at : at + _CHUNK + 1] <= ord(" ")
        if (blank[1:] & blank[:-1]).any():
            return True
    return False


def _typed(text: _Text, head: Head, layout: Layout, kinds: Mapping[str, str]) -> pl.DataFrame | None:
    """Read with the types the head promises; None where a value breaks the promise."""
    body = dict(zip(layout.names, head.columns(skip=min(layout.header, 1)), strict=False))
    types = {name: guessed_type(kind, body.get(name, [])) for name, kind in kinds.items()}
    try:
        frame = _read(text, layout, types)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return converted(frame.select(list(kinds)), kinds)


def _from_strings(text: _Text, layout: Layout, kinds: Mapping[str, str]) -> pl.DataFrame:
    try:
        frame = _read(text, layout, dict.fromkeys(kinds, pl.String()))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise UnreadableError(str(error).partition("\n")[0]) from error
    columns = [inferred(frame[name]) if kind == "other" else frame[name] for name, kind in kinds.items()]
    return converted(pl.DataFrame(columns), kinds)


def _read(text: _Text, layout: Layout, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Read the columns in `types`, and the last one, by which short lines are noticed."""
    if text.quoted and _count(text.content, '"') % 2:
        raise UnreadableError("a quote is opened and not closed")
    wanted = layout.names if text.quoted else [*types, layout.names[-1]]
    column_of = dict(zip(layout.names, range(layout.width), strict=True))
    columns = sorted({column_of[name] for name in wanted})
    frame = _read_places(text, layout, types, columns)
    if len(columns) < layout.width and frame.to_series(-1).null_count():
        frame = _read_places(text, layout, types, range(layout.width))  # a full read notices lines that are too long
    if _is_ragged(text, layout, frame):
        raise UnreadableError("lines with too few or too many fields")
    return frame


def _read_places(text: _Text, layout: Layout, types: Mapping[str, pl.DataType], columns: Sequence[int]) -> pl.DataFrame:
    numbered = {f"column_{number + 1}": name for number, name in enumerate(layout.names)}
    wanted = [f"column_{number + 1}" for number in columns]
    frame = pl.read_csv(
        text.feed,
        has_header=False,
        skip_rows=min(layout.header, 1),
        separator=layout.separator,
        quote_char='"' if text.quoted else None,
        schema={number: types.get(name, pl.String()) for number, name in numbered.items()},
        columns=wanted if len(wanted) < layout.width else None,
        glob=False,
        raise_if_empty=False,
    )
    return frame.select(wanted).rename({number: numbered[number] for number in wanted})


def _is_ragged(text: _Text, layout: Layout, frame: pl.DataFrame) -> bool:
    """Are there lines of another width? polars refuses those that are too long where it reads every column.

    It fills those that are too short with nulls, and takes a separator at the very end of the file for none.
    """
    if layout.width == 1:
        return not text.quoted and bool(frame.to_series(0).null_count())
    if text.quoted:
        rows = (split_line(line, layout.separator) for _, line in numbered(text.content, header=layout.header > 0))
        return bool(frame.to_series(-1).null_count()) and any(len(row) != layout.width for row in rows)
    every_column = frame.width == layout.width
    if every_column and not frame.to_series(-1).null_count() and text.content[-1:] != layout.separator.encode():
        return False
    separators = _count(text.content, layout.separator)
    return separators != frame.height * (layout.width - 1) + max(layout.header - 1, 0)


def _count(content: Content, letter: str) -> int:
    values, mark = np.frombuffer(content, np.uint8), ord(letter)
    return sum(int(np.count_nonzero(values[at : at + _CHUNK] == mark)) for at in range(0, values.size, _CHUNK))


def faulty_lines(source: Source, layout: Layout, kinds: Mapping[str, str], problem: Exception) -> InputError:
    """One error for every faulty line; where none can be named, the problem as the fast reader put it."""
    faults, count = [], 0
    for number, line in numbered(source.content, header=layout.header > 0):
        wrong = _wrong(line, layout, kinds)
        if wrong:
            count += 1
            faults += [Fault(number, line, wrong)] if count <= SHOWN_FAULTS else []
    if count:
        return faults_error(source.name, faults, count)
    return source.error(f"cannot be read as {_shown_layout(layout)}: {problem}")


def faulty_label(source: Source, layout: Layout, kinds: Mapping[str, str], problem: str) -> InputError:
    """The error for a label column, with the first line that shows it."""
    columns = [layout.names.index(name) for name, kind in kinds.items() if kind == "label"]
    for number, line in numbered(source.content, header=layout.header > 0):
        fields = split_line(line, layout.separator)
        for column in columns:
            if column < len(fields) and meaning(fields[column]) is None:
                return source.error(f"column {layout.names[column]!r}: {problem}", number)
    return source.error(problem)


def numbered(content: Content, *, header: bool) -> Iterator[tuple[int, str]]:
    """The data lines with their numbers in the file; a quoted field may hold line breaks."""
    text = content[:].decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    for number, line in _whole_lines(text):
        if not line.strip() or line.startswith("#"):
            continue
        if header:
            header = False
            continue
        yield number, line


def _whole_lines(text: str) -> Iterator[tuple[int, str]]:
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
        others = [sign for sign in SEPARATORS if sign in line and sign != layout.separator]
        other = next((sign for sign in others if len(split_line(line, sign)) == layout.width), "")
        hint = f"; this line is separated by {_SEPARATOR_NAMES[other]}: use one separator throughout" if other else ""
        if layout.separator == "," and len(fields) > layout.width and re.search(r"\d,\d", line):
            hint = hint or "; write decimals with a point, or separate the columns by semicolons"
        return f"{number} found, {layout.width} expected ({_shown_layout(layout)}){hint}"
    for name, text in zip(layout.names, fields, strict=True):
        check, problem = CHECKS.get(kinds.get(name, ""), (None, ""))
        if check and not check(text):
            comma = text.count(",") == 1 and text.replace(",", "").lstrip("+-").isdecimal()
            advice = "; write a decimal point, not a comma" if comma else "; write nan for a failed comparison"
            return f"{kinds[name]} {text!r} {problem}{advice if kinds[name] == 'score' else ''}"
    return None


def _shown_layout(layout: Layout) -> str:
    names = ", ".join(layout.names[:6]) + (", ..." if layout.width > 6 else "")
    return f"{names}; separated by {_SEPARATOR_NAMES[layout.separator]}"
