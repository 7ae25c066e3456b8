"""Files of comparisons read a batch at a time, in memory that does not grow with them.

Conventions: a file is recognised and its columns are understood as when it is read whole (see `reading`); only scores
and labels are read unless ids are asked for. A file may have no comparisons at all: it gives no batch. Text, plain or
unpacked from gzip, is cut after the last line end within every 16 MiB, and each chunk is read as a small file that
begins with the same header; a field must not hold a line end. Of numpy files .npy is mapped and .npz read member by
member: a plain list of scores, a label and a score per row, two lists, or arrays of scores and labels.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core import ComparisonTable, InputError, chained, say
from bertillon.core.lazy import pl
from bertillon.io import npy
from bertillon.io.columns import assemble, find_roles, kinds_of, note_roles
from bertillon.io.convert import converted, to_text, unreadable
from bertillon.io.delimited import has_header, understood
from bertillon.io.labels import BatchLabels, LabelError, stated_labels
from bertillon.io.limits import LIMITS, require_memory
from bertillon.io.parquet import check_sizes, input_errors, names_of
from bertillon.io.registry import Format, Request, chosen_format, find, with_failed
from bertillon.io.source import (
    GZIP_MAGIC,
    Head,
    Source,
    check_text,
    damage,
    gzip_damage,
    look,
    open_member,
    open_source,
)
from bertillon.io.text import faulty_label, parse

LABELLED = ("csv", "tsv", "bob-2")  # whose labels are looked at over all chunks
LINES = (*LABELLED, "bob-4", "bob-5", "bob-csv", "kaldi", "scores", "pyeer")
ARRAYS = ("npy", "npz")
_DATA = re.compile(rb"^[^\S\n]*[^\s#][^\n]*", re.MULTILINE)  # a line that is no comment
Array = NDArray[Any]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Batched:
    """A file, how it is read, and where its batches come from."""

    path: Path
    request: Request
    read: Callable[[Request], Iterator[ComparisonTable]]
    rows: int | None = None  # where the file says so, or about so many

    def tables(self, *, ids: bool = False) -> Iterator[ComparisonTable]:
        """The comparisons from the beginning, a batch at a time; with `ids` where they were not asked for at first."""
        asked = replace(self.request, ids=ids or self.request.ids)
        return (with_failed(table, asked.failed) for table in self.read(asked))


def open_as(file: Path, request: Request) -> Batched:
    """Recognise a file that is to be read in batches; anything wrong with it raises `InputError`."""
    if os.path.isdir(file):
        raise InputError(f"{file}: is a folder; give the files in it, such as '{file}/*.parquet'")
    if os.path.exists(file) and not os.path.isfile(file):
        raise InputError(f"{file}: is not a regular file; what is read in parts may be read more than once")
    stated = find(request.format) if request.format else None
    with _opened_as_it_is(file) as opened:
        packed = opened.read(2) == GZIP_MAGIC
    whole = None if packed else open_source(file)
    source = whole if whole and b"\x00" in whole.head(4096) else _first_chunk(file)  # all of a binary file, mapped
    head = look(source)
    chosen = chosen_format(source, head, request, stated)
    if request.columns and not chosen.takes_columns:
        raise source.error(f"columns cannot be named for {chosen.name}")
    request = replace(request, format=chosen.name)
    if chosen.name == "parquet":
        with input_errors(source):
            rows = int(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item())
        return Batched(file, request, partial(_parquet_tables, file), rows)
    if chosen.name in ARRAYS:
        return Batched(file, request, partial(_npy if chosen.name == "npy" else _npz, file))
    if chosen.name in LINES and not (chosen.name == "scores" and len(head.rows) == 1 and head.width > 1):
        length = sum(map(len, head.lines)) // max(1, len(head.lines)) + 1  # of a line, going by the first
        about = None if packed else file.stat().st_size // length  # what unpacking would give is not known
        return Batched(file, request, partial(_text_tables, file, chosen, head), about)
    raise InputError(f"{file}: {chosen.name} is not read in parts; convert it to Parquet, or read it whole")


def _parquet_tables(path: Path, request: Request) -> Iterator[ComparisonTable]:
    source = open_source(path)
    if source.in_memory:
        raise source.error("a gzipped Parquet file is not read in parts; unpack it")
    names = names_of(source)
    roles = find_roles(source.name, names, request.columns)
    kinds = kinds_of(source.name, names, roles, request)
    label, labels = None if request.values else roles.column.get("mated"), BatchLabels()
    typed = {name: "other" if name == label else kind for name, kind in kinds.items()}
    notes = [say("reading.in_parts", note=say("reading.format", format="Parquet")), *note_roles(roles)]
    for frame in _parquet_frames(source, list(kinds)):
        with unreadable(source):
            table = converted(frame, typed)
            columns = [labels.to_labels(column) if column.name == label else column for column in table.get_columns()]
        yield assemble(source.name, pl.DataFrame(columns), roles, request, notes)


def _parquet_frames(source: Source, columns: list[str]) -> Iterator[pl.DataFrame]:
    require_memory(source.name, check_sizes(source).largest(columns), "its largest row group")
    with input_errors(source):
        scan = pl.scan_parquet(source.path, glob=False).select(columns)
        frames = scan.collect_batches(chunk_size=LIMITS.batch_rows, maintain_order=True, engine="streaming")
    while True:
        with input_errors(source):
            frame = next(frames, None)
        if frame is None:
            return
        if frame.height:
            yield frame


def _first_chunk(path: Path) -> Source:
    with _opened_text(path) as file:
        content = next(_chunks(path, file, LIMITS.head_bytes), b"")
    if not content:
        raise InputError(f"{path}: is empty; a file with scores is expected")
    return Source(path, content, in_memory=True)


def _text_tables(path: Path, chosen: Format, head: Head, request: Request) -> Iterator[ComparisonTable]:
    """The comparisons of a text file, a chunk at a time; a file with nothing but a header has none."""
    named = chosen.name in ("csv", "tsv", "bob-csv") and has_header(head, list(request.columns.values()))
    labels, header, before = BatchLabels(), b"", 0
    with _opened_text(path) as file:
        for chunk in _prefetched(_chunks(path, file, LIMITS.chunk_bytes)):
            source, shift = Source(path, header + chunk, in_memory=True), before - bool(header)
            before += chunk.count(b"\n")
            data = _DATA.search(chunk)
            if named and not header and data:
                header = data.group() + b"\n"
                data = _DATA.search(chunk, data.end())
            if data is None:
                continue
            try:
                check_text(source)
                yield _chunk_table(source, chosen, head, request, labels)
            except InputError as error:
                raise InputError(_renumbered(str(error), path, shift)) from error


def _chunk_table(source: Source, chosen: Format, head: Head, request: Request, labels: BatchLabels) -> ComparisonTable:
    if chosen.name in LABELLED:
        return _labelled_chunk(source, head, request, labels)
    assert chosen.reader is not None
    table = chosen.reader(source, head, request)
    assert isinstance(table, ComparisonTable)
    if "attack" in table.frame.columns:
        raise source.error("holds attacks, which are not counted in parts; read it whole (--no-stream)")
    return table


def _labelled_chunk(source: Source, head: Head, request: Request, labels: BatchLabels) -> ComparisonTable:
    """Delimited columns, whose labels are understood as those of the whole file would be."""
    columns = {"label": "1", "score": "2"} if request.format == "bob-2" else request.columns
    layout, roles, kinds = understood(source, head, columns, request)
    label = None if request.values else roles.column.get("mated")  # stated values are looked at row by row
    frame = parse(source, head, layout, {name: "other" if name == label else kind for name, kind in kinds.items()})
    if label is not None:
        try:
            frame = frame.with_columns(labels.to_labels(frame[label]))
        except LabelError as problem:
            raise faulty_label(source, layout, kinds, str(problem)) from problem
    notes = [say("reading.in_parts", note=say("reading.format", format=request.format)), *note_roles(roles)]
    return assemble(source.name, frame, roles, request, notes)


def _renumbered(message: str, path: Path, before: int) -> str:
    """A message about lines of a chunk, with the numbers they have in the file, so many lines before it."""
    place = re.compile(rf"^{re.escape(str(path))}:(\d+):", re.MULTILINE)
    return place.sub(lambda match: f"{path}:{int(match[1]) + before}:", message)


def _opened_as_it_is(path: Path) -> BinaryIO:
    """The file; one that cannot be opened raises `InputError`."""
    try:
        return open(path, "rb")
    except (OSError, ValueError):
        open_source(path)  # says what is wrong
        raise


@contextmanager
def _opened_text(path: Path) -> Iterator[BinaryIO]:
    """The file, unpacked if it is gzipped."""
    with _opened_as_it_is(path) as file:
        packed = file.read(2) == GZIP_MAGIC
        file.seek(0)
        yield cast("BinaryIO", gzip.GzipFile(fileobj=file)) if packed else file


def _chunks(path: Path, file: BinaryIO, size: int) -> Iterator[bytes]:
    """The content in chunks of whole lines, of about so many bytes, without the mark a text may begin with."""
    rest, mark = b"", codecs.BOM_UTF8
    while True:
        with gzip_damage(path, "cannot be read to its end"):
            content, mark = file.read(size).removeprefix(mark), b""
        if not content:
            break
        cut = content.rfind(b"\n") + 1
        if not cut and len(rest) > (most := LIMITS.longest_line):
            raise InputError(f"{path}: a line is longer than {most:,} bytes; expected one comparison per line")
        if cut:
            yield rest + content[:cut]
        rest = content[cut:] if cut else rest + content
    if rest:
        yield rest


def tables_of(parts: Sequence[Batched]) -> Iterator[tuple[Batched, Iterator[ComparisonTable]]]:
    """Each file with its batches; the next file is begun while one is read, so that no core waits at its end."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(_begun, parts[0])
        for part, following in zip_longest(parts, parts[1:]):
            tables = coming.result()
            if following is not None:
                coming = pool.submit(_begun, following)
            yield part, tables


def _begun(part: Batched) -> Iterator[ComparisonTable]:
    """Its batches, of which the first is read by now."""
    tables = part.tables()
    return chain([*islice(tables, 1)], tables)


def _prefetched(items: Iterator[Item]) -> Iterator[Item]:
    """The same items, each made while the one before is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _npy(path: Path, request: Request) -> Iterator[ComparisonTable]:
    source = open_source(path)
    array = npy.load_array(source, source.content, mapped=True)
    npy.require_numbers(str(path), array.dtype, "the array")
    label = npy.label_column(array[: LIMITS.batch_rows])  # going by the first rows
    if label is None and array.ndim > 1:
        problem = f"{path}: an array of shape {array.shape} is not read in parts"
        raise InputError(f"{problem}; expected scores in one dimension, or a label and a score a row")
    labels = BatchLabels()
    for start in range(0, len(array), LIMITS.batch_rows):
        rows = np.asarray(array[start : start + LIMITS.batch_rows])
        if label is None:
            yield npy.scored_table(str(path), request, say("reading.in_parts", note=npy.PLAIN_LIST), rows)
        else:
            note = say("reading.in_parts", note=npy.label_note(label))
            marks = _label_columns(path, request, labels, rows[:, label])
            yield npy.scored_table(str(path), request, note, rows[:, 1 - label], marks)


def _npz(path: Path, request: Request) -> Iterator[ComparisonTable]:
    with damage(str(path), npy.ARCHIVE):
        opened = zipfile.ZipFile(path)
    with opened as archive:
        known = {name.removesuffix(".npy"): _Member(path, archive, name) for name in archive.namelist()}
        flat = [name for name, member in known.items() if member.stand_in.ndim == 1]
        lists = None if request.columns else npy.two_lists(flat)
        if lists:
            yield from _lists(path, request, [known[name] for name in lists])
        else:
            yield from _columns(path, request, known, flat)


def _lists(path: Path, request: Request, members: Sequence[_Member]) -> Iterator[ComparisonTable]:
    note = say("reading.in_parts", note=npy.mated_and_nonmated(*(member.name for member in members)))
    for member, mated in zip(members, (True, False), strict=True):
        npy.require_numbers(str(path), member.stand_in.dtype, f"array {member.name!r}")
        for values in member.batches():
            yield npy.scored_table(str(path), request, note, values, {"mated": np.full(values.size, mated)})


def _columns(path: Path, request: Request, known: dict[str, _Member], flat: list[str]) -> Iterator[ComparisonTable]:
    roles = find_roles(str(path), flat, request.columns)
    if not {"score", "mated"} <= set(roles.column):
        raise InputError(
            f"{path}: holds neither genuine and impostor lists nor arrays of scores and labels, which are what is read "
            f"in parts; arrays present: {', '.join(map(repr, known)) or 'none'}"
        )
    score, label = (known[roles.column[role]] for role in ("score", "mated"))
    npy.require_numbers(str(path), score.stand_in.dtype, f"array {score.name!r}")
    scores, marks_given = score.stand_in.size, label.stand_in.size
    if scores != marks_given:
        raise InputError(f"{path}: {scores:,} scores for {marks_given:,} labels; expected one each")
    labels = BatchLabels()
    columns = say("reading.in_parts", note=say("reading.columns_of", kind="numpy"))
    notes = chained([columns, *note_roles(roles), *roles.notes])
    for values, marks in zip(score.batches(), label.batches(), strict=True):
        columns_of_labels = _label_columns(path, request, labels, marks)
        yield npy.scored_table(str(path), request, notes, values, columns_of_labels, roles.rule)


class _Member:
    """One array of an archive: its header, and its values when they are asked for."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, name: str) -> None:
        self._path, self._archive, self._file = path, archive, name
        self.name = name.removesuffix(".npy")
        with self._opened() as (_, dtype, shape):  # of no size, for what looks at arrays
            self.stand_in: Array = np.broadcast_to(np.empty((), dtype=dtype), shape)

    def batches(self) -> Iterator[Array]:
        with self._opened() as (file, dtype, (size, *_)):
            part = min(LIMITS.batch_rows, size) * dtype.itemsize
            require_memory(str(self._path), part, f"a part of array {self.name!r} ({dtype})")
            for start in range(0, size, LIMITS.batch_rows):
                wanted = min(LIMITS.batch_rows, size - start) * dtype.itemsize
                with self._damage():  # a wrong checksum, a broken stream
                    content = file.read(wanted)
                    if len(content) < wanted:
                        raise EOFError("it is cut off")
                yield np.frombuffer(content, dtype=dtype)

    @contextmanager
    def _opened(self) -> Iterator[tuple[IO[bytes], np.dtype[Any], tuple[int, ...]]]:
        """The member behind its header, and what that says: type and shape."""
        with self._damage():
            opened = open_member(str(self._path), self._archive, self._file)
        with opened as file:
            with self._damage():
                shape, _, dtype = npy.array_header(file)
            npy.require_plain(str(self._path), dtype, f"array {self.name!r}")
            yield file, dtype, shape

    def _damage(self) -> AbstractContextManager[None]:
        return damage(str(self._path), f"array {self.name!r}")


def _label_columns(path: Path, request: Request, known: BatchLabels, marks: Array) -> dict[str, Any]:
    """`mated`, and `attack` where some are; `known` is what was understood of the batches before."""
    text = marks.dtype.kind == "U"
    values = pl.Series([str(mark) for mark in marks] if text else marks.astype(marks.dtype.newbyteorder("=")))
    try:
        understood = stated_labels(to_text(values), request.values) if request.values else known.to_labels(values)
    except LabelError as problem:
        raise InputError(f"{path}: {problem}") from problem
    return understood.struct.unnest().to_dict() if understood.dtype == pl.Struct else {"mated": understood}
