"""The terminal as tables and sentences reach it, where nothing that comes from data acts on it, and inspections on it.

Conventions: a message is put into words, and a text made visible, when it is made, before its width is measured. The
console makes plain strings visible too, and looks once more at whatever is about to be printed; the styles it adds
itself come after that. Lines are broken between words only: a name or a number that is longer than a line stays whole.
An inspection says what was found in each file, what is odd, and the command that uses this reading.

Holds `Text` with `plain_text`, `wrapped` with `longest_word`, `Lines`, `SafeConsole`, `warned` and `named`; and
`print_inspection`, also as `inspection_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text as PlainText

from bertillon.core import Message, abridged, chained, say, spoken, visible
from bertillon.core.messages import Text as Words

if TYPE_CHECKING:
    from bertillon.trials.inspection import FileReading, Inspection, LabelCount

_LABELS = 12  # values of a label column that are listed
_COLUMNS = 20
WIDTH = 100  # columns, where there is no terminal
_GAP = 3  # letters between the longest heading and what stands behind it
HEADINGS = (
    *("holds", "format", "columns", "further", "labels", "people", "note", "example"),
    *("counts", "direction", "odd", "stops", "use", "or"),
)
_STYLES = {"odd": "yellow", "stops": "red"}


class Text(PlainText):
    """A text of which nothing acts on a terminal."""

    def __init__(self, text: Words = "", *args: Any, **options: Any) -> None:
        super().__init__(plain_text(text), *args, **options)

    def append(self, text: Any, style: Any = None) -> Text:
        super().append(plain_text(text) if isinstance(text, Message | str) else text, style)
        return self


def plain_text(text: Words) -> str:
    """In words and visible; a space that does not break is one like others, so that it can be searched for."""
    return visible(spoken(text)).replace("\u00a0", " ")


_WORD = re.compile(r" +|\n|[\u2e80-\u9fff][\u3001\u3002\uff01-\uff1f]*|[^ \n\u2e80-\u9fff]+")
_HELD = re.compile(r"(?<=\d) (?=%)|(?<=[=<>≤≥]) (?=[\d.])|(?<=\w) (?=[=<>≤≥]=? ?[\d.])")  # blanks within one number


def _words(text: Words) -> list[str]:
    """Words and what separates them; signs of Chinese are words by themselves."""
    return _WORD.findall(_HELD.sub("\u00a0", visible(spoken(text))))


def longest_word(text: Words) -> int:
    """How wide a column must be for no word to be broken."""
    return max(map(cell_len, _words(text)), default=0)


def wrapped(text: Words, room: int, first: str = "", later: str = "") -> list[str]:
    """A text as lines of so many letters, without blanks at their ends; `first` and `later` stand before them.

    >>> wrapped("EER 2.1\u00a0% at threshold 0.503", 14, later="  ")
    ['EER 2.1 % at', '  threshold', '  0.503']
    """
    lines, line, used = [], first, 0
    for word in _words(text):
        full = used and cell_len(line) + cell_len(word.rstrip()) > room
        if word == "\n" or full:
            lines.append(line)
            line, used = later, 0
        if word != "\n" and (used or word.strip(" ")):
            line, used = line + word, used + 1
    return [one.replace("\u00a0", " ").rstrip() for one in (*lines, line)]


@dataclass(frozen=True, slots=True)
class Lines:
    """A text of the terminal, broken to its width; `mark` stands before its first line."""

    text: Words
    style: str = ""
    mark: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        later = " " * len(self.mark)
        yield from (
            Text(line, style=self.style, no_wrap=True, overflow="ignore")
            for line in wrapped(self.text, options.max_width, self.mark, later)
        )


def warned(warning: Words, about: Words = "") -> Message:
    """A warning as a line of the terminal, with the system it is about."""
    return say("terminal.warning", warning=named(warning, about))


def named(text: Words, about: Words) -> Words:
    """A sentence with the system it is about before it; without one where nobody is named."""
    return say("list.named", name=about, message=text) if about else text


class SafeConsole(Console):
    """A console that prints what it is given, and obeys nothing in it."""

    def render_str(self, text: str, **options: Any) -> PlainText:
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


def print_inspection(inspection: Inspection, console: Console) -> None:
    """All of an inspection, a heading in each line. Commands are not broken, so that they can be copied."""
    for file in inspection.files:
        console.print(Text(file.path, style="bold"), soft_wrap=True)
        _print(console, _file(file))
    _print(console, _together(inspection))
    for index, command in enumerate(inspection.commands):
        first = _first("use" if index == 0 else "or")
        console.print(Text(f"{first}{command}", style="bold" if index == 0 else ""), soft_wrap=True)


def inspection_text(inspection: Inspection) -> str:
    """The same as text, for Python."""
    target = StringIO()
    print_inspection(inspection, SafeConsole(file=target, width=WIDTH, color_system=None, highlight=False))
    return target.getvalue().rstrip("\n")


def _print(console: Console, lines: Iterator[tuple[str, Words]]) -> None:
    for heading, text in lines:
        first = _first(heading)
        broken = wrapped(text, console.width - 1, first, " " * cell_len(first))
        console.print(Text("\n".join(broken), style=_STYLES.get(heading, "")), soft_wrap=True)


def _first(heading: str) -> str:
    """A heading as the beginning of a line; all are as wide as the longest."""
    words = {name: spoken(say(f"inspection.heading.{name}")) for name in HEADINGS}
    width = max(map(cell_len, words.values())) + _GAP - 1
    return f"  {words[heading]}{' ' * (width - cell_len(words[heading]))}"


def _file(file: FileReading) -> Iterator[tuple[str, Words]]:
    yield "holds", say("inspection.rows", holds=file.holds, n=file.rows)
    yield "format", say("inspection.format", format=file.format, known_by=file.known_by)
    if file.columns:
        yield (
            "columns",
            chained([say("list.named", name=role, message=repr(name)) for role, name in file.columns.items()]),
        )
    if file.further:
        yield "further", abridged([repr(name) for name in file.further], _COLUMNS)
    if file.labels:
        yield "labels", abridged([_label(label) for label in file.labels], _LABELS)
    yield "people", say("inspection.no_subjects") if file.people is None else say("list.one", value=file.people)
    for note in file.notes:
        listed = isinstance(note, Message) and note.key.startswith("reading.column.")
        if not file.columns or not listed:
            yield "note", note
    for example in file.examples:
        yield "example", example


def _label(label: LabelCount) -> Message:
    meaning = say(f"inspection.is.{label.meaning.replace('-', '')}")
    return say("inspection.label", value=repr(label.value), meaning=meaning, rows=label.rows)


def _together(inspection: Inspection) -> Iterator[tuple[str, Words]]:
    if inspection.counts:
        keys = {name: name.replace("-", "").replace(" ", "_") for name in inspection.counts}
        counts = [say(f"inspection.counts.{keys[name]}", n=number) for name, number in inspection.counts.items()]
        yield "counts", say("list.all", names=tuple(counts))
    if inspection.direction:
        direction = say(f"inspection.direction.{inspection.direction}")
        yield "direction", say("inspection.why", what=direction, why=inspection.direction_why)
    for odd in inspection.odd:
        yield "odd", odd
    if inspection.problem:
        yield "stops", inspection.problem
