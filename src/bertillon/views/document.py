"""A report as plain data: what it says and shows, before it has words and before anything is drawn.

Conventions: what is said is a message, or the words of others as they are. A cell holds a value and its unit, never
text. Rates are shares from 0 to 1, thresholds in the user's units; curves run from the most permissive threshold to the
strictest. `in_words` puts all of it into the words of one language, the last step before it is rendered: then every
message is a text and every cell shows one. `Chart` and `Explorer` are embedded as JSON of this VERSION. A section has a
level: the answer is what a terminal shows, then come details, and the appendix says how to repeat the numbers.

Holds `Document` with its `Cover`, `Picture`s and `Section`s with their `Level`; the blocks these are made of:
`Paragraphs` (of `Sentence`s), `Table` (of `Column`s and `Cell`s), `Matrix`, `Chart` and `Explorer` (of
`ExplorerSystem`s); `Subject`, `Card`, `titled` and `in_words`. `Axis`, `Line` and `ShadedBand` are those of figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.core.messages import Message, Text, say, spoken
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.measures import Result
from bertillon.stats.interval import Interval
from bertillon.views.figures.axis import Axis as Axis
from bertillon.views.numbers import Estimate, Unit, Value, errors_text, shown

if TYPE_CHECKING:
    from bertillon.views.figures.chart import Line, Numbers, ShadedBand

VERSION = 1

T = TypeVar("T")


class Level(IntEnum):
    """How soon a reader needs a section."""

    ANSWER = 0
    DETAIL = 1
    APPENDIX = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence; `about` names the system it speaks of, `lang` its language where that is not the document's.

    `interactive` ones explain what moves on the page, and say nothing where nothing moves. `short` says the same in
    one line, for a terminal, which leaves out what is of a higher `level` than is asked for.
    """

    text: Text
    about: Text = ""
    lang: str = ""
    interactive: bool = False
    short: Text = ""
    level: Level = Level.ANSWER


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured: its name, what is known of it, how it was understood, and what was left out or assumed.

    A terminal shows the notes where that is explained, and those of `always` in any case.
    """

    name: Text
    facts: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()
    always: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A value and its unit; `key` is what it is sorted and copied by where that is not the value itself.

    `note` stands under it line by line: an interval, a threshold, a reason. `meaning` explains a name. One that may run
    `over` the empty cells to its right does not widen its column. `short` is what an answer shows in its place.

    >>> Cell(0.0447, Unit.RATE).text, Cell("FNR", key="FNMR").exact
    ('4.47\\xa0%', 'FNMR')
    """

    value: Value = None
    unit: Unit = Unit.TEXT
    key: float | str | None = None
    note: tuple[Text, ...] = ()
    meaning: Text = ""
    best: bool = False
    over: bool = False
    short: Text = ""

    @classmethod
    def estimate(cls, result: Result, interval: Interval | None, unit: Unit = Unit.RATE) -> Cell:
        """A number to the digits that its interval supports."""
        return cls(Estimate(result, interval), unit)

    @classmethod
    def errors(cls, result: Result) -> Cell:
        """The errors behind a rate."""
        return cls(errors_text(result), key=result.errors)

    @classmethod
    def measured(cls, result: Result, interval: Interval | None) -> tuple[Cell, Cell, Cell]:
        """A rate, its interval and the errors behind it."""
        return cls.estimate(result, interval), cls(interval, Unit.RATE), cls.errors(result)

    @property
    def shown(self) -> Text:
        """The value as it is written."""
        return shown(self.value, self.unit)

    @property
    def text(self) -> str:
        """The same in words; in English before the document is put into others."""
        return str(self.shown)

    @property
    def exact(self) -> float | str | None:
        """What it is sorted and copied by; None where there is nothing."""
        if self.key is not None or isinstance(self.value, Message):
            return self.key
        if isinstance(self.value, Interval):
            return None if math.isnan(self.value.low) else self.value.low
        return self.value.value if isinstance(self.value, Estimate) else self.value


@dataclass(frozen=True, slots=True)
class Card:
    """A headline number: its name, what it means, its value and how sure it is."""

    name: Text
    meaning: Text
    value: Cell
    interval: Text = ""
    errors: Text = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and whether numbers stand under it; `aside` is one that may be left out where there is little room.

    One that may run `over` the empty headings to its right does not widen its column.
    """

    heading: Text
    numeric: bool = True
    aside: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; the first cell of a row is its name. Notes are sentences about all of it."""

    id: str
    caption: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Text, ...] = ()

    @classmethod
    def under(
        cls,
        headings: Iterable[Text],
        rows: Iterable[Sequence[Cell]],
        notes: Iterable[Text] = (),
        *,
        id: str,
        caption: Text,
        names: int = 1,
        remarks: int = 0,
    ) -> Table:
        """Rows under headings, of which the first columns hold names and the last remarks; the others hold numbers."""
        heads = list(headings)
        columns = (Column(head, names <= place < len(heads) - remarks) for place, head in enumerate(heads))
        return cls(id, caption, tuple(columns), tuple(map(tuple, rows)), tuple(notes))

    @property
    def note(self) -> str:
        """All notes, one after the other."""
        return " ".join(str(note) for note in self.notes if note)

    @property
    def without_empty(self) -> Table:
        """The table less the columns in which nothing stands."""
        kept = [index for index in range(len(self.columns)) if any(row[index].text for row in self.rows)]
        return self.with_columns(kept)

    @property
    def narrow(self) -> Table:
        """The table less the columns that may be left out."""
        return self.with_columns([index for index, column in enumerate(self.columns) if not column.aside])

    @property
    def in_short(self) -> Table:
        """The table with as many digits as an answer needs."""
        rows = tuple(tuple(replace(cell, value=cell.short or cell.value) for cell in row) for row in self.rows)
        return replace(self, rows=rows)

    def with_columns(self, kept: Iterable[int]) -> Table:
        """The table with some of its columns."""
        places = list(kept)
        rows = tuple(tuple(row[index] for index in places) for row in self.rows)
        return replace(self, columns=tuple(self.columns[index] for index in places), rows=rows)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A square of cells under the same labels both ways: of a confusion matrix the rows are true classes.

    A cell is the darker, the larger its share. `instead` is shown where there is no room for it. `sums` are those of
    the rows, and those of the columns with that of `all`.
    """

    id: str
    caption: Text
    corner: Text
    labels: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    shares: tuple[Numbers, ...]
    instead: Table | None = None
    sums: tuple[tuple[Cell, ...], ...] = ()
    all: Text = ""

    @property
    def table(self) -> Table:
        """The same as rows under headings, with the sums where there are any."""
        heads: list[Text] = [self.corner, *self.labels]
        rows = [(Cell(label), *cells) for label, cells in zip(self.labels, self.cells, strict=True)]
        if self.sums:
            heads.append(self.all)
            rows = [(*row, total) for row, total in zip(rows, self.sums[0], strict=True)]
            rows.append((Cell(self.all), *self.sums[1]))
        return Table.under(heads, rows, id=self.id, caption=self.caption)


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Sentences one after the other, as a list or as paragraphs; `quiet` ones are remarks.

    A terminal leaves out those of a higher `level` than is asked for.
    """

    sentences: tuple[Sentence, ...]
    listed: bool = False
    quiet: bool = False
    level: Level = Level.ANSWER

    @classmethod
    def of(
        cls, texts: Iterable[Text], *, listed: bool = False, quiet: bool = False, level: Level = Level.ANSWER
    ) -> Paragraphs:
        """Paragraphs of messages."""
        return cls(tuple(Sentence(text) for text in texts), listed, quiet, level)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that stands still; `summary` says what it shows to those who cannot see it."""

    id: str
    title: Text
    summary: Text
    x: Axis
    y: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """How many scores of each class lie in each bin, and of how many in all."""

    edges: Numbers
    mated: tuple[int, ...]
    nonmated: tuple[int, ...]
    n_mated: int
    n_nonmated: int
    notes: tuple[str, ...] = ()
    linear: float = 0.0  # as of a bent axis


@dataclass(frozen=True, slots=True)
class Mark:
    """A named place on a curve: the number of its row."""

    name: str
    row: int


@dataclass(frozen=True, slots=True)
class ExplorerSystem:
    """The errors of one system at each threshold that is kept; exact counts at each of them.

    `whole` says that every threshold of the data is there. The last threshold rejects everything. `shade` is the band
    of the false non-matches by false matches, `precision_shade` that of the precision by recall. `level` is that of
    intervals at each threshold, where trials may be taken as independent; `shared` says that they may not.
    """

    name: str
    rule: str
    threshold: Numbers
    false_match: Numbers
    false_nonmatch: Numbers
    n_mated: float
    n_nonmated: float
    failed_mated: int = 0
    failed_nonmated: int = 0
    whole: bool = True
    marks: tuple[Mark, ...] = ()
    distribution: Distribution | None = None
    shade: ShadedBand | None = None
    precision_shade: ShadedBand | None = None
    level: float | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Explorer:
    """The part of the page that moves: systems, and what errors mean in use.

    `words` are what the numbers of the `mode` are called; `use` holds what is typed in. `link` is shared by explorers
    whose thresholds mean the same. `beside` is a chart that stands still among those that move. `assumed` says what of
    the use nobody gave; what follows from it is not for paper.
    """

    id: str
    mode: str
    systems: tuple[ExplorerSystem, ...]
    use: dict[str, float]
    words: Mapping[str, Text]
    link: str = ""
    beside: Chart | None = None
    assumed: tuple[Text, ...] = ()


Block = Paragraphs | Table | Matrix | Chart | Explorer


def titled(name: Text, title: Text) -> Text:
    """A title with the name of its system before it, where one is named."""
    return say("list.named", name=name, message=title) if name else title


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    id: str
    title: Text
    blocks: tuple[Block, ...]
    level: Level = Level.ANSWER


@dataclass(frozen=True, slots=True)
class Cover:
    """What the writer of a report says before it: words of others, which stay as they are."""

    title: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()  # paragraphs
    date: str = ""

    @property
    def given(self) -> bool:
        """Did anybody give more than a date?"""
        return bool(self.title or self.author or self.notes)

    @property
    def byline(self) -> str:
        """Who, and when."""
        return " · ".join(part for part in (self.author, self.date) if part)


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that lies beside the report, by its path from there."""

    name: str
    caption: str
    file: str


@dataclass(frozen=True, slots=True)
class Document:
    """Everything a report says. A page tells it from top to bottom; each kind of output has its own order.

    One system has cards, several have a headline. `remarks` say what the numbers rest on.
    """

    title: Text = ""
    sentences: tuple[Sentence, ...] = ()
    subjects: tuple[Subject, ...] = ()
    cards: tuple[Card, ...] = ()
    headline: Table | None = None
    verdicts: tuple[Sentence, ...] = ()
    warnings: tuple[Sentence, ...] = ()
    sections: tuple[Section, ...] = ()
    remarks: tuple[Sentence, ...] = ()
    results: tuple[dict[str, Any], ...] = ()  # what was found as JSON has it
    cover: Cover = Cover()
    pictures: tuple[Picture, ...] = ()
    lang: str = ""  # once it is in words
    version: int = VERSION

    @property
    def explorers(self) -> list[Explorer]:
        """All that move, in their order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Explorer)]

    @property
    def charts(self) -> list[Chart]:
        """All charts that stand still, in their order."""
        blocks = [block for section in self.sections for block in section.blocks]
        shown = [block.beside if isinstance(block, Explorer) else block for block in blocks]
        return [block for block in shown if isinstance(block, Chart)]


def in_words(document: Document, lang: str | None = None) -> Document:
    """The document in one language, or in the one that is spoken: messages are texts, and so is what cells show."""
    results = document.results  # the same in every language
    speak = spoken if lang is None else load_catalogue(lang).text
    worded = _worded(replace(document, results=()), speak, lang or "en")
    return replace(worded, results=results, lang=lang or "")


def _worded(value: T, speak: Callable[[Text], str], lang: str) -> T:
    made: Any = value
    if isinstance(value, Message):
        made = speak(value)
    elif isinstance(value, Cell):
        note = tuple(speak(line) for line in value.note)
        text = speak(value.shown)
        said = replace(value, note=note, meaning=speak(value.meaning), short=speak(value.short))
        made = replace(said, value=text, unit=Unit.TEXT, key=value.exact)
    elif isinstance(value, Sentence):
        foreign = isinstance(value.text, str) and lang != "en"
        own = "en" if foreign else ""
        made = replace(value, text=speak(value.text), about=speak(value.about), short=speak(value.short), lang=own)
    elif isinstance(value, tuple):
        numeric = not value or isinstance(value[0], float | int)
        made = value if numeric else tuple(_worded(item, speak, lang) for item in value)
    elif isinstance(value, dict):
        made = {key: _worded(item, speak, lang) for key, item in value.items()}
    elif is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _worded(getattr(value, field.name), speak, lang) for field in fields(value)}
        made = replace(value, **changed)
    result: T = made
    return result
