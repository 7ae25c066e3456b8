"""A document on the terminal: what was understood, tables, what they rest on, verdicts and warnings.

Conventions: no value and no name is cut: a column that explains names is left out where there is no room for it,
headings and words are broken into lines, and a table that is still too wide is printed in several, the names of its
rows in each. Charts and what moves are left to the page.

Holds `terminal_text` (any finding) and `document_text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as Grid

from bertillon.core.messages import spoken
from bertillon.render.console import Text, named, plain_text, warned
from bertillon.views import Block, Cell, Document, Level, Matrix, Paragraphs, Sentence, Subject, Table, in_words
from bertillon.views.assembling import document_of

GAP = 2  # letters between columns
LONGEST_WORD = 40  # letters of a name that is not broken
NARROWEST_NOTE = 24  # letters of a line under a number that is not broken
QUIET, LOUD, WARNING = "dim", "bold", "yellow"


def terminal_text(finding: Any, level: Level = Level.ANSWER) -> Group:
    """The answer of a finding, or of a `ReportContent` of several, ready to print in the language that is spoken."""
    return document_text(document_of(finding, level))


def document_text(document: Document) -> Group:
    """A document, ready to print."""
    words = in_words(document)
    parts: list[RenderableType] = [part for subject in words.subjects for part in _subject(subject)]
    titled = len(words.sections) > 1
    for section in words.sections:
        parts += _section(str(section.title) if titled else "", section.blocks)
    warnings = [Text(warned(warning.text, warning.about), style=WARNING) for warning in words.warnings]
    for lines in ([*_lines(words.remarks, QUIET)], [*_lines(words.verdicts, LOUD), *warnings]):
        parts += [Text(), *lines] if lines else []
    return Group(*dropwhile(lambda part: isinstance(part, Text) and not part, parts))


def _subject(subject: Subject) -> Iterator[RenderableType]:
    indent = 2 if subject.name else 0
    if subject.name:
        yield Text(subject.name, style=LOUD)
    yield from (Padding(Text(fact), (0, 0, 0, indent), expand=False) for fact in subject.facts)
    yield from (Padding(Text(note, style=QUIET), (0, 0, 0, indent), expand=False) for note in subject.notes)


def _section(title: str, blocks: Sequence[Block]) -> Iterator[RenderableType]:
    shown = [part for block in blocks for part in _block(block, title)]
    if title and shown:
        yield Text()
        yield Text(title, style=f"{LOUD} underline")
    yield from shown


def _block(block: Block, title: str) -> Iterator[RenderableType]:
    if isinstance(block, Paragraphs):
        shown = [sentence for sentence in block.sentences if not sentence.interactive]
        if shown and not block.quiet and not block.listed:
            yield Text()
        yield from _lines(shown, QUIET if block.quiet else "", listed=block.listed and len(shown) > 1)
    if isinstance(block, Table | Matrix):
        yield Text()
        if block.caption and block.caption != title:
            yield Text(block.caption, style=LOUD)
        choices = (block, block.narrow) if isinstance(block, Table) else _matrix(block)
        yield FittedTable((*map(_on_one_line, choices), *choices))


def _lines(sentences: Iterable[Sentence], style: str, *, listed: bool = False) -> Iterator[RenderableType]:
    for sentence in sentences:
        text = spoken(named(sentence.text, sentence.about))
        yield Text(f"- {text}" if listed else text, style=style)


def _on_one_line(table: Table) -> Table:
    """The table with what stands under each value beside it, where it is one thing at most."""
    if any(len(cell.note) > 1 for row in table.rows for cell in row):
        return table
    rows = (tuple(_beside(cell) for cell in row) for row in table.rows)
    return replace(table, rows=tuple(rows))


def _beside(cell: Cell) -> Cell:
    return replace(cell, value="  ".join(str(text) for text in (cell.text, *cell.note)), note=()) if cell.note else cell


def _matrix(matrix: Matrix) -> tuple[Table, ...]:
    """A matrix as a table, its labels first in each row: whole, without what stands under its numbers, or others."""
    whole = matrix.table
    bare = tuple(tuple(replace(cell, note=()) for cell in row) for row in whole.rows)
    return (whole, replace(whole, rows=bare), *([matrix.instead] if matrix.instead else []))


@dataclass(frozen=True, slots=True)
class FittedTable:
    """The first of some tables for which there is room; the last is broken into lines and parts where it is wider."""

    choices: tuple[Table, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        fitting = (table for table in self.choices if sum(_widths(table, natural=True)) <= room + GAP)
        table = next(fitting, self.choices[-1])
        yield from (_grid(part, room) for part in _parts(table, room))
        yield from (Text(note, style=QUIET) for note in table.notes if note)


def _parts(table: Table, room: int) -> Iterator[Table]:
    """The table, or its columns in several tables that fit, the names of the rows in each."""
    names = next((place for place, column in enumerate(table.columns) if column.numeric), 1) or 1
    least = _widths(table)
    taken: list[int] = []
    for place in range(names, len(table.columns)):
        if taken and sum(least[:names]) + sum(least[other] for other in (*taken, place)) > room + GAP:
            yield table.with_columns([*range(names), *taken])
            taken = []
        taken.append(place)
    yield table.with_columns([*range(names), *taken])


def _grid(table: Table, room: int) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_edge=False)
    least, natural = _widths(table), _widths(table, natural=True)
    spare = max(0, room + GAP - sum(least))
    for column, low, high in zip(table.columns, least, natural, strict=True):
        more = min(spare, high - low)
        spare -= more
        side: Any = "right" if column.numeric else "left"
        grid.add_column(Text(column.heading), justify=side, width=min(low + more - GAP, room), overflow="fold")
    for row in table.rows:
        grid.add_row(*map(_text, row))
    return grid


def _text(cell: Cell) -> Text:
    """A value, and under it what belongs to it."""
    text = Text(cell.text, style=LOUD if cell.best else "")
    for line in cell.note:
        text.append(f"\n{line}", style=f"not bold {QUIET}")
    return text


def _widths(table: Table, *, natural: bool = False) -> list[int]:
    """Letters of each column with the gap behind it: at least so many, or as many as it would like to have."""
    return [_width(table, place, natural=natural) + GAP for place in range(len(table.columns))]


def _width(table: Table, place: int, *, natural: bool) -> int:
    column, cells = table.columns[place], [row[place] for row in table.rows]
    values, notes = [cell.text for cell in cells], [str(line) for cell in cells for line in cell.note]
    heading = str(column.heading)
    if natural:
        return max(map(_length, [heading, *values, *notes]), default=0)
    words = [heading] if column.numeric else [heading, *values]
    broken = max((min(_length(word), LONGEST_WORD) for text in words for word in text.split()), default=0)
    whole = max(map(_length, values), default=0) if column.numeric else 0
    under = max((min(_length(note), NARROWEST_NOTE) for note in notes), default=0)
    return max(broken, whole, under)


def _length(text: str) -> int:
    return max((cell_len(plain_text(line)) for line in text.splitlines()), default=0)
