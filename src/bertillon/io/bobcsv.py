"""CSV of bob: `probe_*` and `bio_ref_*` columns around a `score`.

Conventions: mated where `probe_subject_id` and `bio_ref_subject_id` are equal. The template ids are
`probe_reference_id` and `bio_ref_reference_id` (also `..._template_id` and `..._key`). Sniffing: a header with both
subject columns.

Holds the format `bob-csv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.spelling import listed
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.io.assemble import assemble, kinds_of
from bertillon.io.delimited import layout_of
from bertillon.io.head import Head
from bertillon.io.names import Roles
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import parse

_NAMES = {
    "score": ("score",),
    "probe": ("probe_reference_id", "probe_template_id", "probe_key"),
    "reference": ("bio_ref_reference_id", "bio_ref_template_id", "bio_ref_key"),
    "probe_subject": ("probe_subject_id",),
    "reference_subject": ("bio_ref_subject_id",),
    "attack": ("probe_attack_type", "attack_type"),
}
_NEEDED = ("score", "probe_subject", "reference_subject")


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    layout = layout_of(source, head, {})
    found = {role: _first(names, layout.names) for role, names in _NAMES.items()}
    column = {role: name for role, name in found.items() if name}
    missing = [_NAMES[role][0] for role in _NEEDED if role not in column]
    if missing:
        raise source.error(f"bob-csv needs the columns {listed(missing)}; columns present: {listed(layout.names)}", 1)
    roles = Roles(column)
    frame = parse(source, head, layout, kinds_of(source.name, layout.names, roles, request))
    return assemble(
        source.name,
        frame,
        roles,
        request,
        [say("reading.format_columns", format="bob CSV", columns=("probe_*", "bio_ref_*", "score"))],
    )


def _first(names: Sequence[str], present: Sequence[str]) -> str | None:
    return next((name for name in names if name in present), None)


def fits(head: Head) -> bool:
    names = {name.strip() for name in head.rows[0]} if head.rows else set()
    return {"probe_subject_id", "bio_ref_subject_id"} <= names


def write(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    if isinstance(table, ScoreMatrix):
        raise InputError("bob-csv holds comparisons one a line, not a matrix; use csv or bee")
    missing = [role for role in _NEEDED if role not in table.frame.columns]
    if missing:
        raise InputError(f"bob-csv needs the columns {', '.join(_NEEDED)}; missing: {', '.join(missing)}")
    frame = table.frame
    equal = frame["probe_subject"] == frame["reference_subject"]
    if "mated" in frame.columns and (frame["mated"] != equal).any():
        raise InputError("bob-csv calls equal subjects mated, but the table's mated column says otherwise")
    order = [role for role in ("probe_subject", "probe", "reference_subject", "reference") if role in frame.columns]
    further = [name for name in frame.columns if name not in (*_NAMES, "mated")]
    renamed = {role: _NAMES[role][0] for role in (*order, "score")}
    commented = frame["probe_subject"].str.starts_with("#").any()  # unquoted, such a line would be a comment
    named = frame.select(*order, *further, "score").rename(renamed)
    named.write_csv(file, quote_style="non_numeric" if commented else "necessary")


BOB_CSV = Format("bob-csv", "bob CSV: probe_*, bio_ref_*, score", rank=1, fits=fits, reader=read, writer=write)

register(BOB_CSV)
