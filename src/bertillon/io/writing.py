"""From a table to a file, whole or not at all.

Conventions: the format goes by name, or else by the suffix of the path; a further `.gz` compresses.

Holds `write`.
"""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.io.registry import FORMATS, Format, Table, Writer, find


def write(table: Table, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a table or matrix; on any failure the path is left as it was and `InputError` raised."""
    target = Path(path)
    chosen = find(format) if format else _by_suffix(target)
    if chosen.writer is None:
        writable = ", ".join(name for name, known in FORMATS.items() if known.writes)
        raise InputError(f"format {chosen.name!r} can be read but not written; written are: {writable}")
    packed = target.suffix.lower() == ".gz"
    try:
        write_whole(target, partial(_write_content, table, writer=chosen.writer, packed=packed))
    except InputError as error:
        raise error if str(error).startswith(str(target)) else InputError(f"{target}: {error}") from error


def _by_suffix(target: Path) -> Format:
    suffixes = [suffix.lower() for suffix in target.suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    for format in FORMATS.values():
        if suffix in format.suffixes and format.writes:
            return format
    known = ", ".join(suffix for format in FORMATS.values() if format.writes for suffix in format.suffixes)
    raise InputError(f"{target}: the suffix {suffix!r} names no format; use one of {known}, or name the format")


def _write_content(table: Table, file: BinaryIO, writer: Writer, *, packed: bool) -> None:
    if not packed:
        writer(table, file)
        return
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as squeezed:
        writer(table, cast(BinaryIO, squeezed))
