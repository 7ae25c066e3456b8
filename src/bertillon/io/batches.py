"""Files of comparisons read a batch at a time, in memory that does not grow with them.

Conventions: a file is recognised and its columns are understood as when it is read whole (see `reading`); only scores
and labels are read unless ids are asked for. A file may have no comparisons at all: it gives no batch.

Holds `open_batches` and `Batched`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.array_batches import ARRAYS, array_tables
from bertillon.io.assemble import assemble, kinds_of, note_roles
from bertillon.io.convert import UnreadableError, converted
from bertillon.io.head import Head, look
from bertillon.io.labels import BatchLabels, LabelError
from bertillon.io.limits import LIMITS, require_memory
from bertillon.io.names import find_roles
from bertillon.io.parquet import input_errors, names_of
from bertillon.io.parquet_check import check_sizes
from bertillon.io.reading import recognise, require_text, with_failed
from bertillon.io.registry import Request, find
from bertillon.io.source import Source, open_source
from bertillon.io.text_batches import LINES, first_chunk, is_packed, text_tables


@dataclass(frozen=True, slots=True)
class Batched:
    """A file, how it is read, and where its batches come from."""

    path: Path
    request: Request
    tables: Callable[[], Iterator[ComparisonTable]]
    rows: int | None = None  # where the file says so, or about so many


def open_batches(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    ids: bool = False,
    values: Mapping[str, str] | None = None,
    failed: Sequence[float] = (),
) -> Batched:
    """Recognise a file that is to be read in batches; anything wrong with it raises `InputError`."""
    batched = _opened(path, format, columns, ids=ids, values=dict(values or {}))
    return replace(batched, tables=lambda: _with_failed(batched.tables(), failed)) if failed else batched


def _with_failed(tables: Iterator[ComparisonTable], failed: Sequence[float]) -> Iterator[ComparisonTable]:
    for table in tables:
        marked = with_failed(table, failed)
        assert isinstance(marked, ComparisonTable)
        yield marked


def _opened(
    path: str | os.PathLike[str],
    format: str | None,
    columns: Mapping[str, str] | None,
    *,
    ids: bool,
    values: Mapping[str, str],
) -> Batched:
    file = Path(path)
    if os.path.isdir(file):
        raise InputError(f"{file}: is a folder; give the files in it, such as '{file}/*.parquet'")
    if os.path.exists(file) and not os.path.isfile(file):
        raise InputError(f"{file}: is not a regular file; what is read in parts may be read more than once")
    stated = find(format) if format else None
    source = _beginning(file)
    head = look(source)
    if stated and stated.rank > 0:
        require_text(source, head)
    chosen = stated or recognise(source, head, columns=bool(columns))
    if columns and not chosen.takes_columns:
        raise source.error(f"columns cannot be named for {chosen.name}")
    request = Request(chosen.name, dict(columns or {}), ids=ids, values=values)
    if chosen.name == "parquet":
        return Batched(file, request, lambda: _parquet_tables(file, request), _parquet_rows(file))
    if chosen.name in ARRAYS:
        return Batched(file, request, lambda: array_tables(file, request))
    if chosen.name in LINES and not (chosen.name == "scores" and len(head.rows) == 1 and head.width > 1):
        return Batched(file, request, lambda: text_tables(file, chosen, head, request), _text_rows(file, head))
    raise InputError(
        f"{file}: {chosen.name} is not read in parts; convert it to Parquet (bertillon convert), or read it whole"
    )


def _beginning(path: Path) -> Source:
    """Enough of a file to recognise it: all of a binary file, mapped, or the first chunk of text."""
    if is_packed(path):
        return first_chunk(path)
    source = open_source(path)
    return source if b"\x00" in source.head(4096) else first_chunk(path)


def _text_rows(path: Path, head: Head) -> int | None:
    """About how many lines a file has, going by the first; what unpacking would give is not known."""
    if is_packed(path):
        return None
    length = sum(map(len, head.lines)) // max(1, len(head.lines)) + 1
    return path.stat().st_size // length


def _parquet_rows(path: Path) -> int:
    with input_errors(open_source(path)):
        return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())


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
        try:
            table = converted(frame, typed)
            columns = [labels.to_labels(column) if column.name == label else column for column in table.get_columns()]
        except (UnreadableError, LabelError) as problem:
            raise source.error(str(problem)) from problem
        yield assemble(source.name, type(frame)(columns), roles, request, notes)


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
