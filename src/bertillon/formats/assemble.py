"""Columns under the file's names to a `ComparisonTable` under the role names.

Conventions: role columns come first, in the order of `tables.ROLES`; every further column keeps its name. Without a
label column but with both subjects, a comparison is mated when the two are equal.

Holds `kinds_of`, `assemble` and `note_roles`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bertillon.errors import InputError
from bertillon.formats.names import Roles
from bertillon.formats.registry import Request
from bertillon.formats.spelling import listed
from bertillon.tables import ROLES, ComparisonTable

if TYPE_CHECKING:
    import polars as pl

_KINDS = {"score": "score", "mated": "label"}
_SUBJECTS = ("probe_subject", "reference_subject")


def kinds_of(source: str, names: Sequence[str], roles: Roles, request: Request) -> dict[str, str]:
    """Which of the file's columns to read, and as what."""
    require_comparisons(source, names, roles)
    role_of = {column: role for role, column in roles.column.items()}
    kinds = {name: _KINDS.get(role_of[name], "text") if name in role_of else "other" for name in names}
    if request.ids:
        return kinds
    needed = {"score", "mated"} if "mated" in roles.column else {"score", *_SUBJECTS}
    return {name: kind for name, kind in kinds.items() if role_of.get(name) in needed}


def require_comparisons(source: str, names: Sequence[str], roles: Roles) -> None:
    """There must be a score, a label, or both subjects."""
    if "score" in roles.column or "mated" in roles.column or set(_SUBJECTS) <= set(roles.column):
        return
    raise InputError(
        f"{source}: no column is known as a score or a label. Columns present: {listed(names)}. "
        "Say which is which with --column score=NAME --column label=NAME (columns= in Python)"
    )


def assemble(source: str, frame: pl.DataFrame, roles: Roles, request: Request, notes: Sequence[str]) -> ComparisonTable:
    """The table of a frame that has the file's column names."""
    named = _renamed(frame, roles.column)
    said = [*notes, *roles.notes]
    if "mated" not in named.columns and set(_SUBJECTS) <= set(named.columns):
        named = _with_mated(source, named)
        said.append("mated where probe_subject and reference_subject are equal")
    ordered = [role for role in ROLES if role in named.columns]
    ordered += [name for name in named.columns if name not in ordered]
    if not request.ids:
        ordered = [role for role in ("score", "mated") if role in named.columns]
    return ComparisonTable(
        type(frame)([named[name] for name in ordered]), source, request.format, roles.rule, tuple(said)
    )


def _renamed(frame: pl.DataFrame, column: Mapping[str, str]) -> pl.DataFrame:
    role_of = {name: role for role, name in column.items() if name in frame.columns}
    taken = set(role_of.values())
    clashes = {name: f"{name} (in file)" for name in frame.columns if name in taken and name not in role_of}
    new = role_of | clashes
    # column by column: what goes through the threads of polars would wait there for the batch it reads ahead
    return type(frame)([column.alias(new.get(column.name, column.name)) for column in frame.get_columns()])


def _with_mated(source: str, frame: pl.DataFrame) -> pl.DataFrame:
    for role in _SUBJECTS:
        missing = frame[role].null_count() + int((frame[role] == "").sum())
        if missing:
            raise InputError(
                f"{source}: {role} is empty in {missing:,} of {frame.height:,} comparisons, so they are neither mated "
                "nor not; fill it in or add a label column"
            )
    return frame.with_columns(mated=frame[_SUBJECTS[0]] == frame[_SUBJECTS[1]])


def note_roles(roles: Roles) -> list[str]:
    """What was understood of the columns, in words."""
    column, notes = roles.column, []
    if "score" in column:
        word = "distance" if roles.rule else "score"
        notes.append(f"column {column['score']!r} is the {word}")
    if "mated" in column:
        notes.append(f"column {column['mated']!r} says which comparisons are mated")
    return notes
