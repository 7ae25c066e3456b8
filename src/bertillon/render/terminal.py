"""A document on the terminal: the verdict, what was measured, tables, and what to know of them, one line each.

Conventions: the answer stands first and fills one screen. A caveat has one line, with `!` before it; its reasons, how
intervals were found and how files were read are explained where that is asked for. Charts and what moves are left to
the page.

No value and no name in a table is cut or broken, and no line ends in a blank. Of several forms of a table the first
that fits is taken. One that is still too wide is printed in parts, each with the names of the rows; where a name leaves
no room for its numbers they stand under it. Headings and sentences in cells are broken into lines, and a cell or
heading that may run `over` the empty ones to its right does not widen its column.

Holds `terminal_text` (any finding), `document_text`, and `FittedTable`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult

from bertillon.core.messages import Text as Words
from bertillon.core.messages import chained
from bertillon.render.console import Lines, Text, longest_word, named, plain_text, wrapped
from bertillon.views import (
    Block,
    Cell,
    Document,
    Level,
    Matrix,
    Paragraphs,
    Section,
    Sentence,
    Subject,
    Table,
    in_words,
)
from bertillon.views.assembling import document_of

CAVEAT, ITEM, INDENT = "! ", "- ", "  "
QUIET, LOUD, WARNING = "dim", "bold", "yellow"
GAP = 2  # letters between columns
LONGEST_NAME = 30  # letters of a name of several words that is not broken
NARROWEST_NOTE = 24  # letters of a line under a number that is not broken


def terminal_text(finding: Any, level: Level = Level.ANSWER, **how: Any) -> Group:
    """The answer of a finding, or of a `ReportContent` of several, ready to print in the language that is spoken.

    `how` it is shown is said as for `document_text`.
    """
    return document_text(document_of(finding, level), level, **how)


def document_text(
    document: Document,
    level: Level = Level.ANSWER,
    *,
    explain: bool = False,
    quiet: bool = False,
    further: Words = "",
) -> Group:
    """A document, ready to print: up to a level, with every reason where they are to be explained, or numbers alone.

    A line says what `further` may be typed.
    """
    words = in_words(document)
    least = Level.APPENDIX if explain else level
    titled = len(words.sections) > 1
    shown = _Shown(level, least, quiet)
    numbers = [part for each in words.sections for part in shown.section(each, titled=titled)]
    if quiet:
        return Group(*_begun(numbers))
    parts: list[RenderableType] = [*_sentences(words.verdicts, least, LOUD)]
    parts += [Text()] if parts and words.subjects else []
    for subject in words.subjects:
        parts += _subject(subject, explain=explain)
    parts += numbers
    caveats = [
        Lines(_text_of(caveat, explain=explain), WARNING, CAVEAT)
        for caveat in (*words.warnings, *(remark for remark in words.remarks if remark.level is Level.ANSWER))
        if caveat.level <= least
    ]
    methods = [*_sentences([remark for remark in words.remarks if remark.level > Level.ANSWER], least, QUIET)]
    caveats += [Lines(further, QUIET)] if further else []
    for lines in (methods, caveats):
        parts += [Text(), *lines] if lines else []
    return Group(*_begun(parts))


def _begun(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    """Without empty lines at the beginning."""
    return dropwhile(lambda part: isinstance(part, Text) and not part, parts)


def _text_of(sentence: Sentence, *, explain: bool) -> Any:
    """A sentence with the system it is about, in short unless it is to be explained."""
    return named((not explain and sentence.short) or sentence.text, sentence.about)


def _sentences(sentences: Iterable[Sentence], level: Level, style: str) -> Iterator[Lines]:
    return (Lines(named(sentence.text, sentence.about), style) for sentence in sentences if sentence.level <= level)


def _subject(subject: Subject, *, explain: bool) -> Iterator[RenderableType]:
    """Its name and what is known of it in one line; how it was understood where that is explained."""
    known = chained([fact for fact in subject.facts if fact])
    if known or subject.name:
        yield Lines(named(known, subject.name) if known else subject.name)
    yield from (Lines(note, QUIET, INDENT) for note in (*subject.always, *(subject.notes if explain else ())))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What is shown of sections: tables to a `level`, sentences to one of their own, or none where it is `quiet`."""

    level: Level
    sentences: Level
    quiet: bool

    def section(self, section: Section, *, titled: bool) -> Iterator[RenderableType]:
        title = str(section.title)
        shown = [part for block in section.blocks for part in self.block(block, title)]
        if titled and title and shown:
            yield Text()
            yield Text(title, style=f"{LOUD} underline")
            yield from _begun(shown)
        else:
            yield from shown

    def block(self, block: Block, title: str) -> Iterator[RenderableType]:
        if isinstance(block, Paragraphs) and not self.quiet and block.level <= self.sentences:
            shown = [sentence for sentence in block.sentences if not sentence.interactive]
            if shown and not block.quiet and not block.listed:
                yield Text()
            mark, style = (ITEM if block.listed and len(shown) > 1 else ""), (QUIET if block.quiet else "")
            yield from (Lines(named(sentence.text, sentence.about), style, mark) for sentence in shown)
        if isinstance(block, Table | Matrix):
            yield Text()
            if block.caption and block.caption != title:
                yield Lines(block.caption, LOUD)
            choices = self.forms(block) if isinstance(block, Table) else _matrix(block)
            yield FittedTable((*map(one_line, choices), *choices))

    def forms(self, table: Table) -> tuple[Table, ...]:
        """A table, and less what may be left out where there is little room, unless everything is wanted."""
        if self.level is not Level.ANSWER:
            return (table,)
        shown = table if self.sentences is Level.APPENDIX else table.in_short
        return (shown, shown.narrow)


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
        for place, part in enumerate(_parts(table, room)):
            yield from [Text()] if place else []
            yield from _lines(part, room)
        yield from (Lines(note, QUIET) for note in table.notes if note)


def one_line(table: Table) -> Table:
    """The table with what stands under each value beside it, where it is one thing at most."""
    if any(len(cell.note) > 1 for row in table.rows for cell in row):
        return table
    return replace(table, rows=tuple(tuple(map(_beside, row)) for row in table.rows))


def stacked(table: Table) -> Table:
    """The table with each name on a line of its own, and the numbers of its row under it."""
    rows: list[tuple[Cell, ...]] = []
    nothing = (Cell(),) * (len(table.columns) - 1)
    for name, *cells in table.rows:
        rows += [(replace(name, over=True), *nothing), (Cell(""), *cells)]
    first = replace(table.columns[0], heading="")
    return replace(table, columns=(first, *table.columns[1:]), rows=tuple(rows))


def _beside(cell: Cell) -> Cell:
    """A value and the note under it as one; what is in brackets stands nearer."""
    if not cell.note:
        return cell
    gap = " " if str(cell.note[0]).startswith("(") else "  "
    return replace(cell, value=f"{cell.text}{gap}{cell.note[0]}", note=())


def _parts(table: Table, room: int) -> Iterator[Table]:
    """The table, or its columns in several tables that fit, the names of the rows in each."""
    names = next((place for place, column in enumerate(table.columns) if column.numeric), 1) or 1
    least = _widths(table)
    if names == 1 < len(least) and least[0] + max(least[1:]) > room + GAP:
        table = stacked(table)
        least = _widths(table)
    taken: list[int] = []
    for place in range(names, len(table.columns)):
        if taken and sum(least[:names]) + sum(least[other] for other in (*taken, place)) > room + GAP:
            yield table.with_columns([*range(names), *taken])
            taken = []
        taken.append(place)
    yield table.with_columns([*range(names), *taken])


def _lines(table: Table, room: int) -> Iterator[Text]:
    """Headings, where there are any, and rows."""
    least, natural = _widths(table), _widths(table, natural=True)
    spare = max(0, room + GAP - sum(least))
    widths = []
    for low, high in zip(least, natural, strict=True):
        more = min(spare, high - low)
        spare -= more
        widths.append(low + more - GAP)
    for row in table.rows:
        _widen(widths, row, room)
    heads = [Cell(column.heading, over=column.over) for column in table.columns]
    if any(head.text for head in heads):
        yield from _row(table, heads, widths, room, style=LOUD, low=True)
    for row in table.rows:
        yield from _row(table, row, widths, room)


def _widen(widths: list[int], row: Sequence[Cell], room: int) -> None:
    """Room for what runs over empty cells up to one that is not, where there is any left."""
    for place, cell in enumerate(row):
        after = next((i for i in range(place + 1, len(row)) if row[i].text), None)
        if cell.over and after is not None:
            missing = _length(cell.text) - sum(widths[place:after]) - GAP * (after - place - 1)
            widths[place] += max(0, min(missing, room + GAP - sum(widths) - GAP * len(widths)))


def _row(
    table: Table, row: Sequence[Cell], widths: Sequence[int], room: int, *, style: str = "", low: bool = False
) -> Iterator[Text]:
    """The lines of a row; what is `low` ends on its last line."""
    starts = [sum(widths[:place]) + GAP * place for place in range(len(widths) + 1)]
    blocks = []
    for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
        after = next(
            (start for start, other in zip(starts[place + 1 :], row[place + 1 :], strict=False) if other.text), 0
        )
        blocks.append(_block(cell, ((after - GAP if after else room) - starts[place]) if cell.over else width, style))
    height = max(map(len, blocks), default=0)
    blocks = [[("", "")] * (height - len(block)) + block if low else block for block in blocks]
    for index in range(height):
        line, end = Text(no_wrap=True, overflow="ignore"), 0
        for column, cell, block, width, target in zip(table.columns, row, blocks, widths, starts, strict=False):
            text, look = block[index] if index < len(block) else ("", "")
            if text:
                right = column.numeric and not cell.over
                begin = target + (max(0, width - cell_len(text)) if right else 0)
                line.append(" " * max(begin - end, 1 if end else 0))
                line.append(text, look)
                end = max(begin, end + 1 if end else 0) + cell_len(text)
        yield line


def _block(cell: Cell, width: int, style: str) -> list[tuple[str, str]]:
    """A value and under it what belongs to it, line by line with their styles."""
    style = LOUD if cell.best else style
    lines = [(line, style) for line in wrapped(cell.text, width) if line]
    return lines + [(line, f"not bold {QUIET}") for note in cell.note for line in wrapped(note, width)]


def _widths(table: Table, *, natural: bool = False) -> list[int]:
    """Letters of each column with the gap behind it: at least so many, or as many as it would like to have."""
    return [_width(table, place, natural=natural) + GAP for place in range(len(table.columns))]


def _width(table: Table, place: int, *, natural: bool) -> int:
    column = table.columns[place]
    cells = [row[place] for row in table.rows]
    values = [cell.text for cell in cells if not cell.over]
    notes = [str(line) for cell in cells for line in cell.note]
    heading = "" if column.over else str(column.heading)
    if natural:
        return max(map(_length, [heading, *values, *notes]), default=0)
    words = max(map(longest_word, [heading] if column.numeric else [heading, *values]), default=0)
    whole = max(map(_length, values), default=0) if column.numeric or not place else 0
    kept = whole if column.numeric else min(whole, LONGEST_NAME)
    under = max((min(_length(note), NARROWEST_NOTE) for note in notes), default=0)
    return max(words, kept, under)


def _length(text: str) -> int:
    return max((cell_len(plain_text(line)) for line in text.splitlines()), default=0)
