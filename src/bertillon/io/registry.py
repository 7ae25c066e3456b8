"""The formats by name, of scores and of templates, and from a path to a table and back by them.

Conventions: a format is recognised by content. `fits` looks at the head of a file, if that begins with its `magic` and
has as many `columns` as it must; among the formats that fit, the lowest `rank` wins, and two formats of scores that fit
at the same rank are an ambiguity for the user to settle. Some are recognised in order to say why they are not read.
Ranks:

    0  magic bytes                      3  named columns, or a label and a score without names
    1  a header line of its own         4  columns known by position
    2  a shape of its own               5  nothing known but the score in the last column; templates: any text

The format goes by content, never by the name of the file, unless the caller states it. With `columns` and no format,
text is read as delimited columns, unless its header is that of a format which takes columns. To write, the format goes
by name, or else by the suffix of the path; a further `.gz` compresses. A file is written whole or not at all.
"""

from __future__ import annotations

import gzip
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypedDict, TypeVar, Unpack, cast

import numpy as np

from bertillon.core import ComparisonTable, InputError, Message, ScoreMatrix, joined, say, write_whole
from bertillon.core.arguments import Keywords, require
from bertillon.core.errors import unknown
from bertillon.core.lazy import Registry, pl
from bertillon.io.commas import with_points
from bertillon.io.limits import STREAM_HINT, require_memory
from bertillon.io.source import Head, Source, check_text, is_counted, look, numbers_columns, open_source
from bertillon.io.text import numbered

if TYPE_CHECKING:
    from bertillon.io.templates.assemble import Parts
    from bertillon.io.templates.owners import Labels

Table = ComparisonTable | ScoreMatrix
_SHOWN = 3  # formats that come near
_COMMENT = re.compile(rb"(?:\A\xef\xbb\xbf|^)#", re.MULTILINE)
AnyTable = TypeVar("AnyTable", bound=Table)
_SHAPE = 2  # the last rank of formats with a header or a shape of their own
KNOWN_BY = ("bytes", "header", "shape", "columns_or_label", "order", "numbers")  # a format of each rank


@dataclass(frozen=True, slots=True)
class Request:
    """How a file of scores is to be read: what the caller said beside the path."""

    format: str = ""  # empty: known by its content
    columns: Mapping[str, str] = field(default_factory=dict)
    mask: Path | None = None
    ids: bool = True
    values: Mapping[str, str] = field(default_factory=dict)  # what values of the label column mean; see `labels`
    failed: tuple[float, ...] = ()  # scores that mark a failed comparison
    written: bool = False  # keep labels as they are written too, in a column `written`

    @classmethod
    def of(
        cls,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
        failed: Sequence[float] = (),
        *,
        mask: str | os.PathLike[str] | None = None,
        ids: bool = True,
    ) -> Request:
        """The same from what functions for the user take."""
        for name, given in (("columns", columns), ("values", values)):
            require(given, (Mapping, type(None)), name, f'a dict, such as {name}={{"label": "target"}}')
        for role, column in (columns or {}).items():
            require(column, str, f"columns: {role}", "the name of a column, or its number from 1 as text, '1'")
        stated_mask = None if mask is None else Path(mask)
        return cls(format or "", dict(columns or {}), stated_mask, ids, dict(values or {}), tuple(failed))

    @classmethod
    def stated(cls, how: Fields, *, mask: str | os.PathLike[str] | None = None, ids: bool = True) -> Request:
        """The same from keywords that several of these functions share."""
        return cls.of(how["format"], how["columns"], how["values"], how["failed"], mask=mask, ids=ids)


class Fields(TypedDict, total=False):
    """What may be stated of the fields of any file of scores."""

    format: str | None
    columns: Mapping[str, str] | None
    values: Mapping[str, str] | None
    failed: Sequence[float]


FIELDS = Keywords(Fields, format=None, columns=None, values=None, failed=())


@dataclass(frozen=True, slots=True)
class TemplateRequest:
    """How a file of templates is to be read."""

    labels: Labels | None  # whose each template is, from another file
    columns: Mapping[str, str]  # which array or column plays which part
    kind: str | None
    subject: re.Pattern[str] | None = None  # finds the subject in names, where the format goes by names
    angle: str | None = None  # the unit of minutiae in text
    card: str | None = None  # files are minutiae cards of this size
    time: str | None = None  # the column of times of a series: its name or number, or none


Reader = Callable[[Source, Head, Request], Table]
Writer = Callable[[Table, BinaryIO], None]


@dataclass(frozen=True, slots=True)
class _Recognised:
    """What formats of scores and of templates have in common."""

    name: str
    summary: str
    rank: int
    fits: Callable[[Head], bool] | None  # None where its magic bytes say enough
    refusal: str = field(default="", kw_only=True)  # what to say of a file that is recognised but not read
    magic: tuple[bytes, ...] = field(default=(), kw_only=True)  # it begins with one of these; text may after blanks
    columns: int = field(default=0, kw_only=True)  # some line has so many fields

    def suits(self, head: Head) -> bool:
        """Does the file begin so, has it so many columns, and does it fit?"""
        return head.widest >= self.columns and self._begins(head.raw) and (self.fits is None or self.fits(head))

    def _begins(self, raw: bytes) -> bool:
        start = raw if self.rank == 0 or not self.magic else raw.removeprefix(BOM_UTF8).lstrip()
        return start.startswith(self.magic or b"")


@dataclass(frozen=True, slots=True)
class Format(_Recognised):
    """A file format of scores."""

    reader: Reader | None = None
    writer: Writer | None = None
    suffixes: tuple[str, ...] = ()  # for writing only; reading goes by content
    takes_columns: bool = False
    near: Callable[[Head], str] | None = None  # what speaks against a file that is almost of this format

    @property
    def known_by(self) -> Message:
        """What a file of this format is recognised by."""
        return say(f"inspection.by_{KNOWN_BY[self.rank]}")


@dataclass(frozen=True, slots=True)
class TemplateFormat(_Recognised):
    """A file format of templates."""

    reader: Callable[[Source, TemplateRequest], Parts] | None = None
    by_name: bool = False  # templates may stand under names that say whose they are


FORMATS: Registry[Format] = Registry("format", "bertillon.formats")
TEMPLATE_FORMATS: Registry[TemplateFormat] = Registry("template format", "bertillon.formats")


def register(*formats: Format | TemplateFormat) -> None:
    """Make formats known under their names."""
    for format in formats:
        home = getattr(format.reader or format.fits, "__module__", __name__)
        if isinstance(format, Format):
            FORMATS.add(format.name, format, home)
        else:
            TEMPLATE_FORMATS.add(format.name, format, home)


def not_read(source: Source, format: Format | TemplateFormat) -> InputError:
    """The error for a file of a format that is recognised but not read."""
    return source.error(format.refusal or f"{format.name} ({format.summary}) is not read")


def find(name: str) -> Format:
    """The format of scores of that name, or an error with the nearest spelling."""
    if name in FORMATS:
        return FORMATS[name]
    raise InputError(unknown("format", name, sorted(FORMATS)))


@FIELDS
def read(
    path: str | os.PathLike[str],
    *,
    mask: str | os.PathLike[str] | None = None,
    ids: bool = True,
    written: bool = False,
    **fields: Unpack[Fields],
) -> Table:
    """Read a file of scores, trials or a score matrix; anything wrong with it raises `InputError`.

    `columns` says which column plays which role, by name, or by number (from 1) in a file without a header;
    `mask` is the BEE mask of a BEE matrix; `ids=False` reads only scores and labels, which is faster. `values` says
    what the values of the label column mean, as in `{"target": "mated", "nontarget": "nonmated", "spoof": "attack"}`; a
    score that is one of `failed` (-1, say) is a failed comparison; `written` keeps labels as they are written too, in a
    column of that name.
    """
    return read_as(path, replace(Request.stated(fields, mask=mask, ids=ids), written=written))


def read_as(path: str | os.PathLike[str], request: Request) -> Table:
    stated = find(request.format) if request.format else None
    source = open_source(path)
    try:
        lists = not request.columns and request.format in ("", "scores")
        head = look(source)
        commas: tuple[Message, ...] = ()
        if b"," in head.raw:
            source, head, commas = with_points(source, head, lists=lists)
        chosen = chosen_format(source, head, request, stated)
        table = _read(source, head, replace(request, format=chosen.name), chosen)
        if chosen.rank > 0 and source.content.find(b"#") >= 0:  # an id may begin with the sign of a comment
            count = sum(1 for _ in _COMMENT.finditer(source.content))
            table = replace(table, notes=(*table.notes, say("reading.comments", n=count))) if count else table
        table = replace(table, notes=(*table.notes, *commas)) if commas else table
        return with_failed(table, request.failed)
    except MemoryError as error:
        raise source.error("does not fit into memory; read it in parts, or with ids=False") from error


def chosen_format(source: Source, head: Head, request: Request, stated: Format | None) -> Format:
    if stated and stated.rank > 0:
        require_text(source, head)
    return stated or recognise(source, head, columns=bool(request.columns))


def require_text(source: Source, head: Head) -> None:
    """Every format without magic bytes is UTF-8 text with at least one line of data."""
    require_memory(source.name, source.size, "the file", STREAM_HINT)
    check_text(source)
    if not head.rows:
        raise source.error("holds no data, only comments or blank lines; lines with scores are expected")


def _read(source: Source, head: Head, request: Request, chosen: Format) -> Table:
    if request.columns and not chosen.takes_columns:
        takers = ", ".join(name for name, known in FORMATS.items() if known.takes_columns)
        raise source.error(f"columns can be named for {takers} only, and this is read as {chosen.name}")
    if request.mask is not None and chosen.name != "bee":
        raise source.error(f"a mask goes with a bee matrix only, and this is read as {chosen.name}")
    if chosen.reader is None:
        raise not_read(source, chosen)
    return chosen.reader(source, head, request)


def with_failed(table: AnyTable, failed: Sequence[float]) -> AnyTable:
    """The table, its scores of these values NaN: failed comparisons. Which values those are is said."""
    if not failed or (isinstance(table, ComparisonTable) and "score" not in table.frame.columns):
        return table
    shown = [f"{value:g}" for value in failed]
    notes = (*table.notes, say("reading.failed_values", n=len(shown), values=joined(shown)))
    if isinstance(table, ScoreMatrix):
        scores = np.where(np.isin(table.scores, failed), np.nan, table.scores)
        return replace(table, scores=scores, notes=notes)
    values = table.frame["score"].to_numpy()
    kept = pl.Series("score", np.where(np.isin(values, failed), np.nan, values))
    return replace(table, frame=table.frame.with_columns(kept), notes=notes)


def sniff(path: str | os.PathLike[str]) -> str:
    source = open_source(path)
    source, head, _ = with_points(source, look(source))
    return recognise(source, head).name


def recognise(source: Source, head: Head, *, columns: bool = False) -> Format:
    """The format of a source; with `columns` any text without a header of its own is delimited columns."""
    ranked = sorted(FORMATS.values(), key=lambda format: format.rank)
    binary = [format for format in ranked if format.rank == 0 and _fits(format, head)]
    if binary:
        return binary[0]
    require_text(source, head)
    if columns:
        own = [format for format in ranked if format.rank == 1 and format.takes_columns and _fits(format, head)]
        return own[0] if own else FORMATS["tsv" if head.separator == "\t" else "csv"]
    fitting = [format for format in ranked if _fits(format, head)]
    shaped = any(format.rank <= _SHAPE for format in fitting)
    if numbers_columns(head) and (not shaped or is_counted_table(source, head)):
        raise source.error(_numbered(head), line=1)
    return _best(source, head, fitting)


def is_counted_table(source: Source, head: Head) -> bool:
    """Are rows and columns counted from 0 and not as many: a table that pandas wrote, and no matrix?"""
    if not head.rows or head.rows[0][0].strip() or not numbers_columns(head):
        return False
    if not is_counted([row[0] for row in head.rows[1:]]):
        return False
    lines = len(head.rows) if head.complete else sum(1 for _ in numbered(source.content, header=False))
    return lines != head.width


def _numbered(head: Head) -> str:
    first = ",".join(text.strip() for text in head.rows[0][:10])
    return (
        f"the first line ({first}) looks like numbers of columns, as pandas writes them, or is a line of data. If it "
        "numbers the columns, name them so, e.g. --column label=1 --column score=0 (columns= in Python), or, with "
        "templates, give --labels; if it is data, put a line of names above it, or say which format without names it "
        "is with --format"
    )


def _fits(format: Format, head: Head) -> bool:
    return FORMATS.passes(format.name, partial(format.suits, head))


def _best(source: Source, head: Head, fitting: list[Format]) -> Format:
    if not fitting:
        raise source.error(
            f"matches no known format for certain{_nearest(head)}. Say which columns are which, e.g. --column score=3 "
            "--column label=1 (columns= in Python), or name the format with --format; `bertillon formats` lists them"
        )
    best = [format for format in fitting if format.rank == fitting[0].rank]
    if len(best) > 1:
        names = ", ".join(f"{format.name} ({format.summary})" for format in best)
        raise InputError(f"{source.name}: fits several formats: {names}. Say which with --format")
    return best[0]


def _nearest(head: Head) -> str:
    """The formats that come near, with what speaks against each."""
    reasons = [(format.name, format.near(head)) for format in FORMATS.values() if format.near is not None]
    near = [f"{name} ({reason})" for name, reason in reasons if reason]
    if near:
        return f"; it may be {', or '.join(near[:_SHOWN])}"
    columns = "1 column" if head.width == 1 else f"{head.width} columns"
    return f" ({columns}, first line {head.lines[0][:60]!r})"


def write(table: Table, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a table or matrix; on any failure the path is left as it was and `InputError` raised."""
    target = Path(path)
    chosen = find(format) if format else _by_suffix(target)
    if chosen.writer is None:
        writable = ", ".join(name for name, known in FORMATS.items() if known.writer)
        raise InputError(f"format {chosen.name!r} can be read but not written; written are: {writable}")
    writer = chosen.writer

    def write_content(file: BinaryIO) -> None:
        packed = target.suffix.lower() == ".gz"
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file) as opened:
            writer(table, cast(BinaryIO, opened))

    try:
        write_whole(target, write_content)
    except InputError as error:
        raise error if str(error).startswith(str(target)) else InputError(f"{target}: {error}") from error


def _by_suffix(target: Path) -> Format:
    suffix = next((suffix.lower() for suffix in target.suffixes[::-1] if suffix.lower() != ".gz"), "")
    known = {suffix: format for format in FORMATS.values() if format.writer for suffix in format.suffixes}
    if suffix in known:
        return known[suffix]
    raise InputError(
        f"{target}: the suffix {suffix!r} names no format; use one of {', '.join(known)}, or name the format"
    )
