"""Text whose columns are known by their place: what the formats of bob, Kaldi and VoxCeleb share.

Conventions: any run of blanks or tabs separates, or what cuts every line into as many fields. A format of this kind is
a declaration: the names of its columns and the role each plays.

Holds `Columns` and `read_columns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bertillon.formats.assemble import assemble, kinds_of
from bertillon.formats.head import BLANKS, Head, split_line
from bertillon.formats.names import Roles
from bertillon.formats.registry import Request
from bertillon.formats.source import Source
from bertillon.formats.text import Layout, parse
from bertillon.tables import ComparisonTable


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a format in order, and the column of each role; columns without a role are not read."""

    title: str
    names: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        return f"read as {self.title}: {', '.join(self.names)}"


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
