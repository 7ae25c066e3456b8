"""Parquet with named columns, understood as those of CSV are.

Conventions: polars panics on some damaged files, and prints that to the process's error stream before it can be caught.
While it works, that stream goes to a file of its own; afterwards everything in it but the panics is passed on, so that
nothing another thread says is lost, only late. Several threads may be inside at once.

Holds the format `parquet`, and for other readers `names_of`, `read_frame`, `input_errors` and `suppressed_panics`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, BinaryIO

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io.assemble import assemble, kinds_of, note_roles, stated_frame
from bertillon.io.convert import typed
from bertillon.io.head import Head
from bertillon.io.limits import STREAM_HINT, require_memory
from bertillon.io.names import find_roles
from bertillon.io.parquet_check import check_sizes
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source

MAGIC = b"PAR1"
STDERR = 2
_PANIC = re.compile(rb"\n?thread '[^\n]*panicked at [^\n]*\n.*?(?:^note: [^\n]*\n|\Z)", re.DOTALL | re.MULTILINE)
_lock = threading.Lock()
_inside = 0
_diverted: _CapturedStderr | None = None


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    del head
    names = names_of(source)
    roles = find_roles(source.name, names, request.columns)
    kinds = kinds_of(source.name, names, roles, request)
    frame = read_frame(source, list(kinds))
    if frame.height == 0:
        raise source.error("has no rows; a table with scores is expected")
    frame = typed(source, frame, kinds)
    return assemble(source.name, frame, roles, request, [say("reading.format", format="Parquet"), *note_roles(roles)])


def names_of(source: Source) -> list[str]:
    """The columns of a file, whose sizes are found sound on the way."""
    check_sizes(source)
    with input_errors(source):
        scan = pl.scan_parquet(source.stream() if source.in_memory else source.path, glob=False)
        return list(scan.collect_schema())


def read_frame(source: Source, columns: list[str] | None = None) -> pl.DataFrame:
    """The columns of these names, or all."""
    if columns is None:
        columns = names_of(source)
    what = f"{len(columns):,} columns" if len(columns) > 1 else f"column {', '.join(columns)!r}"
    require_memory(source.name, check_sizes(source).of(columns), what, STREAM_HINT)
    with input_errors(source):
        return pl.read_parquet(source.for_polars(), columns=columns, glob=False)


@contextmanager
def input_errors(source: Source) -> Iterator[None]:
    """Whatever the library makes of a damaged file, an exception or a panic, becomes an input error."""
    try:
        with suppressed_panics():
            yield
    except (Exception, pl.exceptions.PanicException) as error:
        reason = str(error).partition("\n")[0][:200]
        raise source.error(f"the Parquet file is damaged ({reason}); copy or write it again") from error


def fits(head: Head) -> bool:
    return head.raw.startswith(MAGIC)


def write(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    if isinstance(table, ScoreMatrix):
        raise InputError("parquet holds one comparison per row, not a matrix; use csv or bee")
    stated_frame(table).write_parquet(file)


@dataclass(frozen=True, slots=True)
class _CapturedStderr:
    """Where the error stream led to, and the file it leads to for now."""

    before: int
    kept: IO[bytes]

    @classmethod
    def now(cls) -> _CapturedStderr | None:
        """None where the process has no error stream, or there is no place for a file."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        try:
            before = os.dup(STDERR)
        except OSError:
            return None
        try:
            kept = tempfile.TemporaryFile()  # noqa: SIM115 closed by undo
        except OSError:
            os.close(before)
            return None
        os.dup2(kept.fileno(), STDERR)
        return cls(before, kept)

    def undo(self) -> None:
        os.dup2(self.before, STDERR)
        os.close(self.before)
        with self.kept as file:
            file.seek(0)
            rest = _PANIC.sub(b"", file.read())
        if rest:
            os.write(STDERR, rest)


@contextmanager
def suppressed_panics() -> Iterator[None]:
    """Panics within are not printed."""
    global _inside, _diverted
    with _lock:
        _inside += 1
        if _inside == 1:
            _diverted = _CapturedStderr.now()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _diverted is not None:
                _diverted.undo()
                _diverted = None


register(
    Format(
        "parquet",
        "Parquet with named columns",
        rank=0,
        fits=fits,
        reader=read,
        writer=write,
        suffixes=(".parquet", ".pq"),
        takes_columns=True,
    )
)
