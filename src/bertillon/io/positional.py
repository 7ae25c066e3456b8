"""Text whose columns are known by their place: what the formats of bob, Kaldi and VoxCeleb share.

Conventions: any run of blanks or tabs separates, or what cuts every line into as many fields. A format of this kind is
a declaration: the names of its columns and the role each plays.

Holds `Columns`, `read_columns`, `against` (what keeps lines from being such columns), `is_label_words` and `is_ids`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bertillon.core.messages import Message, Text, say
from bertillon.core.tables import ComparisonTable
from bertillon.io.assemble import assemble, kinds_of
from bertillon.io.head import BLANKS, LOOSE, Head, all_numbers, is_id_like, is_number, split_line
from bertillon.io.labels import has_both_labels, is_label_column, meaning
from bertillon.io.names import Roles
from bertillon.io.registry import Request
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_LONGEST_ID_LIKE_LABEL = 3  # letters


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a format in order, and the column of each role; columns without a role are not read."""

    title: Text
    names: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    understood: Message | None = None  # where the names of the columns say nothing

    @property
    def note(self) -> Message:
        return self.understood or say("reading.format_columns", format=self.title, columns=self.names)


def read_columns(source: Source, head: Head, request: Request, columns: Columns) -> ComparisonTable:
    """Read the columns that have a role."""
    roles = Roles(columns.roles)
    layout = Layout(columns.names, _separator(head, len(columns.names)))
    kinds = kinds_of(source.name, columns.names, roles, request)
    kinds = {name: kind for name, kind in kinds.items() if kind != "other"}
    frame = parse(source, head, layout, kinds)
    return assemble(source.name, frame, roles, request, [columns.note])


def _separator(head: Head, width: int) -> str:
    """Blanks where they cut most lines right and what the lines look like does not: ids may hold commas."""
    fitting = sum(len(split_line(line, BLANKS)) == width for line in head.lines)
    return BLANKS if head.width != width and 2 * fitting >= len(head.lines) else head.separator


def is_label_words(column: Sequence[str]) -> bool:
    """Nothing but words that are labels, such as target and nontarget?"""
    return is_label_column(column) and not all_numbers(column)


def is_ids(column: Sequence[str]) -> bool:
    """Could these be ids: no fractions, nothing empty, and no label words? One letter alone, such as t, is an id."""
    label_like = is_label_words(column) and (has_both_labels(column) or min(map(len, column)) > _LONGEST_ID_LIKE_LABEL)
    return is_id_like(column) and not label_like


def against(head: Head, columns: Columns) -> str:
    """What speaks against reading lines as these columns, if it is one column only; empty otherwise."""
    if head.separator not in LOOSE or head.width != len(columns.names):
        return ""
    role_of = {name: role for role, name in columns.roles.items()}
    faults = [
        _fault(number, name, role_of[name], values)
        for number, (name, values) in enumerate(zip(columns.names, head.columns(), strict=True), 1)
        if name in role_of
    ]
    named = [fault for fault in faults if fault]
    return f"{columns.title}, but {named[0]}" if len(named) == 1 else ""


def _fault(number: int, name: str, role: str, values: Sequence[str]) -> str:
    if role == "score":
        other = next((text for text in values if not is_number(text)), None)
        problem = "no number" if other is not None else ""
    elif role == "mated":
        other = next((text for text in values if meaning(text) is None), None)
        problem = "no label" if other is not None else ""
    else:
        other = next((text for text in values if not is_id_like([text])), None if is_ids(values) else values[0])
        problem = "no id" if other is not None else ""
    return f"column {number} ({name}) holds {other!r}, {problem}" if problem else ""
