"""From a path to a table: open, recognise, read.

Conventions: the format goes by content, never by the name of the file, unless the caller states it. With `columns`
and no format, text is read as delimited columns.

Holds `read`, `sniff` and `recognise`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bertillon.errors import InputError
from bertillon.formats.head import Head, look
from bertillon.formats.limits import STREAM, require_room
from bertillon.formats.registry import FORMATS, Format, Request, Table, find
from bertillon.formats.source import Source, check_text, open_source


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    mask: str | os.PathLike[str] | None = None,
    ids: bool = True,
) -> Table:
    """Read a file of scores, trials or a score matrix; anything wrong with it raises `InputError`.

    `columns` says which column plays which role, by name, or by number (from 1) in a file without a header;
    `mask` is the BEE mask of a BEE matrix; `ids=False` reads only scores and labels, which is faster.
    """
    stated = find(format) if format else None
    source = open_source(path)
    try:
        head = look(source)
        if stated and stated.rank > 0:
            require_text(source, head)
        chosen = stated or recognise(source, head, columns=bool(columns))
        request = Request(chosen.name, dict(columns or {}), Path(mask) if mask is not None else None, ids)
        return _read(source, head, request, chosen)
    except MemoryError as error:
        raise source.error("does not fit into memory; read it in parts, or with ids=False") from error


def require_text(source: Source, head: Head) -> None:
    """Every format without magic bytes is UTF-8 text with at least one line of data."""
    require_room(source.name, source.size, "the file", STREAM)
    check_text(source)
    if not head.rows:
        raise source.error("holds no data, only comments or blank lines; lines with scores are expected")


def _read(source: Source, head: Head, request: Request, chosen: Format) -> Table:
    if request.columns and not chosen.takes_columns:
        takers = ", ".join(name for name, one in FORMATS.items() if one.takes_columns)
        raise source.error(f"columns can be named for {takers} only, and this is read as {chosen.name}")
    if request.mask is not None and chosen.name != "bee":
        raise source.error(f"a mask goes with a bee matrix only, and this is read as {chosen.name}")
    if chosen.reader is None:
        raise source.error(chosen.refusal or f"{chosen.name} ({chosen.summary}) is not read")
    return chosen.reader(source, head, request)


def sniff(path: str | os.PathLike[str]) -> str:
    """The name of the format of a file, going by its content."""
    source = open_source(path)
    return recognise(source, look(source)).name


def recognise(source: Source, head: Head, *, columns: bool = False) -> Format:
    """The format of a source; with `columns` any text is delimited columns."""
    ranked = sorted(FORMATS.values(), key=lambda one: one.rank)
    binary = [one for one in ranked if one.rank == 0 and _fits(one, head)]
    if binary:
        return binary[0]
    require_text(source, head)
    if columns:
        return FORMATS["tsv" if head.separator == "\t" else "csv"]
    return _best(source, [one for one in ranked if _fits(one, head)])


def _fits(one: Format, head: Head) -> bool:
    return FORMATS.suits(one.name, lambda: one.fits(head))


def _best(source: Source, fitting: list[Format]) -> Format:
    if not fitting:
        raise source.error(
            "fits no known format; say which columns are which with columns, e.g. score=3 label=1, "
            f"or name the format (--format): {', '.join(name for name, one in FORMATS.items() if one.reads)}"
        )
    best = [one for one in fitting if one.rank == fitting[0].rank]
    if len(best) > 1:
        names = ", ".join(f"{one.name} ({one.summary})" for one in best)
        raise InputError(f"{source.name}: fits several formats: {names}. Say which with --format")
    return best[0]
