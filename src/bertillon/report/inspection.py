"""An inspection as text: what was found in each file, what is odd, and the command that uses this reading.

Holds `print_inspection`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bertillon.trials.inspection import FileReading, Inspection

_LABELS = 12  # values of a label column that are listed
_COLUMNS = 20
_WIDTH = 9  # letters of a heading


def print_inspection(found: Inspection, console: Console) -> None:
    """All of an inspection, a heading in each line. Commands are not broken, so that they can be copied."""
    for file in found.files:
        console.print(Text(file.path, style="bold"), soft_wrap=True)
        console.print(_grid(_file(file)))
    whole = [*_together(found), *(("odd", odd) for odd in found.odd)]
    if found.problem:
        whole.append(("stops", found.problem))
    if whole:
        console.print(_grid(iter(whole)))
    for place, command in enumerate(found.commands):
        heading = "use" if place == 0 else "or"
        console.print(Text(f"  {heading:<{_WIDTH}}  {command}", style="bold" if place == 0 else ""), soft_wrap=True)


def _grid(lines: Iterator[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(width=2)
    table.add_column(width=_WIDTH, no_wrap=True)
    table.add_column(overflow="fold")
    for heading, words in lines:
        style = {"odd": "yellow", "stops": "red"}.get(heading, "")
        table.add_row("", heading, Text(words, style=style))
    return table


def _file(file: FileReading) -> Iterator[tuple[str, str]]:
    yield "holds", f"{file.holds}, {file.rows:,} rows"
    yield "format", f"{file.format}, known by {file.known_by}"
    if file.columns:
        yield "columns", "; ".join(f"{role}: {name!r}" for role, name in file.columns.items())
    if file.further:
        more = f" and {len(file.further) - _COLUMNS} more" if len(file.further) > _COLUMNS else ""
        yield "further", f"{', '.join(map(repr, file.further[:_COLUMNS]))}{more}"
    if file.labels:
        yield "labels", ", ".join(_labels(file))
    yield "people", "no subject ids" if file.people is None else f"{file.people:,}"
    for note in file.notes:
        if not note.startswith("column "):  # these are listed
            yield "read", note.removeprefix("read as ")
    for example in file.examples:
        yield "example", example


def _labels(file: FileReading) -> Iterator[str]:
    for one in file.labels[:_LABELS]:
        yield f"{one.value!r} is {'an attack' if one.meaning == 'attack' else one.meaning} ({one.rows:,})"
    if len(file.labels) > _LABELS:
        yield f"and {len(file.labels) - _LABELS} more"


def _together(found: Inspection) -> Iterator[tuple[str, str]]:
    if found.counts:
        yield "counts", ", ".join(f"{number:,} {name}" for name, number in found.counts.items())
    if found.direction:
        yield "direction", f"{found.direction}: {found.direction_why}"
