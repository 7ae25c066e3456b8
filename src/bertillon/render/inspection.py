"""An inspection as text: what was found in each file, what is odd, and the command that uses this reading.

Holds `print_inspection`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.console import Console

from bertillon.core.messages import Message
from bertillon.render.console import Text
from bertillon.trials.inspection import FileReading, Inspection

_LABELS = 12  # values of a label column that are listed
_COLUMNS = 20
_WIDTH = 11  # letters of a heading
_STYLES = {"odd": "yellow", "stops": "red"}


def print_inspection(inspection: Inspection, console: Console) -> None:
    """All of an inspection, a heading in each line. Commands are not broken, so that they can be copied."""
    for file in inspection.files:
        console.print(Text(file.path, style="bold"), soft_wrap=True)
        _print(console, _file(file))
    _print(console, _together(inspection))
    for index, command in enumerate(inspection.commands):
        heading = "use" if index == 0 else "or"
        console.print(Text(f"  {heading:<{_WIDTH}}{command}", style="bold" if index == 0 else ""), soft_wrap=True)


def _print(console: Console, lines: Iterator[tuple[str, str]]) -> None:
    for heading, text in lines:
        first = f"  {heading:<{_WIDTH}}"
        wrapped = textwrap.fill(
            text,
            console.width - 1,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )
        console.print(Text(wrapped, style=_STYLES.get(heading, "")), soft_wrap=True)


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
        if not file.columns or not _is_of_column(note):  # these are listed
            yield "read", str(note).removeprefix("read as ")
    for example in file.examples:
        yield "example", str(example)


def _is_of_column(note: Message | str) -> bool:
    return isinstance(note, Message) and note.key.startswith("reading.column.")


def _labels(file: FileReading) -> Iterator[str]:
    for label in file.labels[:_LABELS]:
        yield f"{label.value!r} is {'an attack' if label.meaning == 'attack' else label.meaning} ({label.rows:,})"
    if len(file.labels) > _LABELS:
        yield f"and {len(file.labels) - _LABELS} more"


def _together(inspection: Inspection) -> Iterator[tuple[str, str]]:
    if inspection.counts:
        yield "counts", ", ".join(f"{number:,} {name}" for name, number in inspection.counts.items())
    if inspection.direction:
        yield "direction", f"{inspection.direction}: {inspection.direction_why}"
    for odd in inspection.odd:
        yield "odd", str(odd)
    if inspection.problem:
        yield "stops", inspection.problem
