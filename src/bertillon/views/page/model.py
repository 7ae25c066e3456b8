"""The page as plain data: what it says and shows, before anything is drawn.

Conventions: all texts are ready to be read, in the language of the page, and none is markup. Rates are shares from 0 to
1, thresholds in the user's units. Curves run from the most permissive threshold to the strictest. What the page's
script needs is in `Chart` and `Explorer`; they are embedded as JSON of this VERSION.

Holds `Page`, its `Section`s and the blocks they are made of: `Paragraphs`, `Table`, `Matrix`, `Chart` and `Explorer`
(of `ExplorerSystem`s). `Axis`, `Line` and `ShadedBand` are those of the figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bertillon.views.figures.axis import Axis as Axis
from bertillon.views.figures.chart import Line as Line
from bertillon.views.figures.chart import Numbers
from bertillon.views.figures.chart import ShadedBand as ShadedBand

VERSION = 1


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence; `about` names the system it speaks of, `lang` its language where that is not the page's.

    `interactive` ones explain what moves on the page, and say nothing where nothing moves.
    """

    text: str
    about: str = ""
    lang: str = ""
    interactive: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A headline number: its name, what it means, its value and how sure it is."""

    name: str
    meaning: str
    value: str
    interval: str = ""
    errors: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows, and the exact value behind it, by which it is sorted and copied."""

    text: str
    value: float | str | None = None
    best: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and whether numbers stand under it; `aside` is one that may be left out where there is little room."""

    heading: str
    numeric: bool = True
    aside: bool = False

    @staticmethod
    def under(headings: Iterable[str], *, names: int = 1) -> tuple[Column, ...]:
        """Columns under headings, of which the first hold names and the others numbers."""
        return tuple(Column(heading, numeric=index >= names) for index, heading in enumerate(headings))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings; the first cell of a row is its name."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A square of cells under the same labels both ways: of a confusion matrix the rows are true classes.

    A cell is the darker, the larger its share; `notes` are what stands under each number.
    """

    id: str
    caption: str
    corner: str
    labels: tuple[str, ...]
    counts: tuple[tuple[str, ...], ...]
    shares: tuple[Numbers, ...]
    notes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """Sentences one after the other, as a list or as paragraphs."""

    sentences: tuple[Sentence, ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that stands still; `summary` says what it shows to those who cannot see it."""

    id: str
    title: str
    summary: str
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
    whose thresholds mean the same. `beside` is a chart that stands still among those that move.
    """

    id: str
    mode: str
    systems: tuple[ExplorerSystem, ...]
    use: dict[str, float]
    words: dict[str, str]
    link: str = ""
    beside: Chart | None = None


Block = Paragraphs | Table | Matrix | Chart | Explorer


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the page says, top to bottom."""

    lang: str
    title: str
    sentences: tuple[Sentence, ...]
    cards: tuple[Card, ...]
    headline: Table | None
    verdicts: tuple[Sentence, ...]
    warnings: tuple[Sentence, ...]
    sections: tuple[Section, ...]
    results: tuple[dict[str, Any], ...]  # the evaluations as JSON has them
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
