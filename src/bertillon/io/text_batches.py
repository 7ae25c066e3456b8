"""Text read a chunk at a time: each chunk of whole lines is read as a small file that begins with the same header.

Conventions: a file is cut after the last line end within every 16 MiB, plain or unpacked from gzip, so memory does not
grow with it. Format, separator and columns are those of its beginning. Lines are numbered as in the file. A field must
not hold a line end.

Holds `text_tables`, `first_chunk`, `is_packed` and `LINES`, the formats that are read this way.
"""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, TypeVar

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.assemble import assemble, kinds_of, note_roles
from bertillon.io.delimited import has_header, label_and_score, layout_of
from bertillon.io.head import Head
from bertillon.io.labels import BatchLabels, LabelError
from bertillon.io.limits import LIMITS
from bertillon.io.names import find_roles
from bertillon.io.registry import Format, Request
from bertillon.io.source import GZIP_MAGIC, Source, check_text, open_source
from bertillon.io.text import faulty_label, parse

LABELLED = ("csv", "tsv", "bob-2")  # whose labels are looked at over all chunks
LINES = (*LABELLED, "bob-4", "bob-5", "bob-csv", "kaldi", "scores", "pyeer")

_DATA = re.compile(rb"^[^\S\n]*[^\s#]", re.MULTILINE)
Item = TypeVar("Item")


def first_chunk(path: Path) -> Source:
    """The beginning of a file, to be recognised."""
    with _opened(path) as file:
        content = next(_chunks(path, file, LIMITS.head_bytes), b"")
    if not content:
        raise InputError(f"{path}: is empty; a file with scores is expected")
    return Source(path, content, in_memory=True)


def text_tables(path: Path, chosen: Format, head: Head, request: Request) -> Iterator[ComparisonTable]:
    """The comparisons of a text file, a chunk at a time; a file with nothing but a header has none."""
    named = chosen.name in ("csv", "tsv", "bob-csv") and has_header(head, list(request.columns.values()))
    labels, header, before = BatchLabels(), b"", 0
    with _opened(path) as file:
        for chunk in _prefetched(_chunks(path, file, LIMITS.chunk_bytes)):
            source, shift = Source(path, header + chunk, in_memory=True), before - bool(header)
            before += chunk.count(b"\n")
            data = _DATA.search(chunk)
            if named and not header and data:
                header = _line_at(chunk, data.end())
                data = _DATA.search(chunk, chunk.find(header) + len(header))
            if data is None:
                continue
            try:
                check_text(source)
                yield _table(source, chosen, head, request, labels)
            except InputError as error:
                raise InputError(_renumbered(str(error), path, shift)) from error


def _table(source: Source, chosen: Format, head: Head, request: Request, labels: BatchLabels) -> ComparisonTable:
    if chosen.name in LABELLED:
        return _labelled(source, head, request, labels)
    assert chosen.reader is not None
    table = chosen.reader(source, head, request)
    assert isinstance(table, ComparisonTable)
    if "attack" in table.frame.columns:
        raise source.error("holds attacks, which are not counted in parts; read it whole (--no-stream)")
    return table


def _labelled(source: Source, head: Head, request: Request, labels: BatchLabels) -> ComparisonTable:
    """Delimited columns, whose labels are understood as those of the whole file would be."""
    columns = {"label": "1", "score": "2"} if request.format == "bob-2" else request.columns
    layout = layout_of(source, head, columns)
    if not layout.header and not columns:
        columns = label_and_score(source, head)
    roles = find_roles(source.name, layout.names, columns)
    kinds = kinds_of(source.name, layout.names, roles, request)
    label = None if request.values else roles.column.get("mated")  # stated values are looked at row by row
    frame = parse(source, head, layout, {name: "other" if name == label else kind for name, kind in kinds.items()})
    if label is not None:
        try:
            frame = frame.with_columns(labels.to_labels(frame[label]))
        except LabelError as problem:
            raise faulty_label(source, layout, kinds, str(problem)) from problem
    notes = [say("reading.in_parts", note=say("reading.format", format=request.format)), *note_roles(roles)]
    return assemble(source.name, frame, roles, request, notes)


def _line_at(content: bytes, offset: int) -> bytes:
    """The line that holds the byte before a place, with a line end."""
    end = content.find(b"\n", offset)
    return content[content.rfind(b"\n", 0, offset) + 1 : len(content) if end < 0 else end] + b"\n"


def _renumbered(message: str, path: Path, before: int) -> str:
    """A message about lines of a chunk, with the numbers they have in the file, so many lines before it."""
    return re.sub(
        rf"^{re.escape(str(path))}:(\d+):",
        lambda match: f"{path}:{int(match[1]) + before}:",
        message,
        flags=re.MULTILINE,
    )


def is_packed(path: Path) -> bool:
    """Is the file gzipped, going by its first bytes? One that cannot be opened raises `InputError`."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == GZIP_MAGIC
    except (OSError, ValueError):
        open_source(path)  # says what is wrong
        raise


def _opened(path: Path) -> BinaryIO:
    """The file, unpacked if it is gzipped."""
    return gzip.open(path) if is_packed(path) else open(path, "rb")  # type: ignore[return-value]


def _chunks(path: Path, file: BinaryIO, size: int) -> Iterator[bytes]:
    """The content in chunks of whole lines, of about so many bytes, without the mark a text may begin with."""
    rest, mark = b"", codecs.BOM_UTF8
    while True:
        try:
            content, mark = file.read(size).removeprefix(mark), b""
        except EOFError as error:
            raise InputError(f"{path}: the gzip file is cut off; copy or download it again") from error
        except (OSError, zlib.error) as error:
            raise InputError(f"{path}: cannot be read to its end ({error}); copy or download it again") from error
        if not content:
            break
        cut = content.rfind(b"\n") + 1
        if not cut and len(rest) > LIMITS.longest_line:
            raise InputError(
                f"{path}: a line is longer than {LIMITS.longest_line:,} bytes; expected one comparison per line"
            )
        if cut:
            yield rest + content[:cut]
        rest = content[cut:] if cut else rest + content
    if rest:
        yield rest


def _prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each made while the one before is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item
