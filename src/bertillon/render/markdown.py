"""The report as Markdown: what the page says, without what moves.

Conventions: names and sentences are text whatever they hold: signs that Markdown would read are escaped, but no others,
so that the file reads well as it is. Tables are those of GitHub. What explains the page's handle is left out.

Holds `markdown_text`, of a document in words, and `markdown_escaped`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bertillon._version import __version__
from bertillon.core.escaping import visible
from bertillon.core.messages import Catalogue, Text
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.views.document import Block, Card, Cell, Document, Matrix, Paragraphs, Section, Sentence, Table

MOST_LABELS = 30  # of a confusion matrix
_ALWAYS = re.compile(r"[\\`*|~$]")  # never plain
_TAG = re.compile(r"[<&](?=[A-Za-z/!?#])")  # the start of a tag or of an entity
_EDGE = re.compile(r"(?<!\w)_|_(?!\w)")  # inside a word it is a letter
_LINK = re.compile(r"\][(\[:]")
_BRACKET = re.compile(r"[\[\]]")
_START = re.compile(r"^(?=[#>=]|[+-]\s)|^\d+(?=[.)]\s)")  # what would begin a heading, a list or a quotation


def markdown_text(page: Document) -> str:
    """The whole report."""
    catalogue = load_catalogue(page.lang)
    parts = [f"# {markdown_escaped(page.title)}", *(markdown_escaped(sentence.text) for sentence in page.sentences)]
    parts += [_cards(page.cards, catalogue)] if page.cards else []
    parts += [_table(page.headline)] if page.headline else []
    for heading, sentences in (("page.verdict", page.verdicts), ("page.warnings", page.warnings)):
        parts += [f"## {catalogue(heading)}", _list(sentences)] if sentences else []
    parts += [part for section in page.sections for part in _section(section)]
    return "\n\n".join([*parts, f"bertillon {__version__}"]) + "\n"


def markdown_escaped(text: Text) -> str:
    """A text that Markdown shows as it is, on one line.

    >>> tuple(map(markdown_escaped, ("a|b *c* <img>", "dprime[sum] 0 (< 0.5 %), new_2", "[x](y)")))
    ('a\\\\|b \\\\*c\\\\* \\\\<img>', 'dprime[sum] 0 (< 0.5 %), new_2', '\\\\[x\\\\](y)')
    """
    line = visible(" ".join(str(text).split()))
    for pattern in (_ALWAYS, _TAG, _EDGE, *([_BRACKET] if _LINK.search(line) else [])):
        line = pattern.sub(lambda found: "\\" + found[0], line)
    return _START.sub(lambda found: found[0] + "\\", line)


def _section(section: Section) -> list[str]:
    shown = [text for block in section.blocks if (text := _block(block))]
    return [f"## {markdown_escaped(section.title)}", *shown] if shown else []


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Matrix):
        return _matrix(block)
    if isinstance(block, Paragraphs):
        sentences = [sentence for sentence in block.sentences if not sentence.interactive]
        return _list(sentences) if block.listed else "\n\n".join(map(_sentence_text, sentences))
    return ""


def _sentence_text(sentence: Sentence) -> str:
    about = f"**{markdown_escaped(sentence.about)}:** " if sentence.about else ""
    return about + markdown_escaped(sentence.text)


def _list(sentences: Iterable[Sentence]) -> str:
    return "\n".join(f"- {_sentence_text(sentence)}" for sentence in sentences)


def _cards(cards: Sequence[Card], catalogue: Catalogue) -> str:
    rows = [[card.name, card.value.text, card.interval, card.meaning] for card in cards]
    heads = [catalogue("page.measure"), catalogue("page.value"), "", ""]
    return _grid(heads, [[markdown_escaped(cell) for cell in row] for row in rows], [False, True, False, False])


def _table(table: Table) -> str:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    heads, numeric = [column.heading for column in table.columns], [column.numeric for column in table.columns]
    parts = [f"**{markdown_escaped(table.caption)}**", _grid(heads, rows, numeric)]
    return "\n\n".join([*parts, markdown_escaped(table.note)] if table.note else parts)


def _cell(cell: Cell) -> str:
    text = f"**{markdown_escaped(cell.text)}**" if cell.best else markdown_escaped(cell.text)
    return "<br>".join([text, *(markdown_escaped(line) for line in (cell.meaning, *cell.note) if line)])


def _matrix(matrix: Matrix) -> str:
    caption = f"**{markdown_escaped(matrix.caption)}**"
    if len(matrix.labels) > MOST_LABELS:
        return ""
    rows = [
        [markdown_escaped(label), *(cell.text for cell in cells)]
        for label, cells in zip(matrix.labels, matrix.cells, strict=True)
    ]
    return f"{caption}\n\n{_grid([matrix.corner, *matrix.labels], rows, [False, *(True for _ in matrix.labels)])}"


def _grid(heads: Sequence[Text], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    lines = [[markdown_escaped(head) for head in heads], ["---:" if right else "---" for right in numeric], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
