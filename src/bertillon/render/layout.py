"""Tables as lines of a terminal: how wide each column is, and what is done where there is no room.

Conventions: no value and no name is cut or broken, and no line ends in a blank. Of several forms of a table the first
that fits is taken. One that is still too wide is printed in parts, each with the names of the rows; where a name leaves
no room for its numbers they stand under it. Headings and sentences in cells are broken into lines, and a cell or
heading that may run `over` the empty ones to its right does not widen its column.

Holds `FittedTable`, and `one_line` and `stacked` with which a caller makes the forms to choose from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult

from bertillon.render.console import Lines, Text, longest_word, plain_text, wrapped
from bertillon.views import Cell, Table

GAP = 2  # letters between columns
LONGEST_NAME = 30  # letters of a name of several words that is not broken
NARROWEST_NOTE = 24  # letters of a line under a number that is not broken
QUIET, LOUD = "dim", "bold"


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
