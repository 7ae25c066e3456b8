"""Findings as notebooks show them: the answer of their document as a piece of HTML, and its tables as LaTeX.

Conventions: a piece of HTML has no script and no style sheet, so that any notebook shows it; every text is escaped.
What stands under a number stands behind it. A chart is left out: `finding.plot` draws it.

Holds `html_fragment`, `answer_lines` and `latex_tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

from bertillon.core.messages import Text, visible
from bertillon.render.papers import table_latex
from bertillon.views.assembling import document_of
from bertillon.views.document import Block, Card, Cell, Document, Level, Matrix, Paragraphs, Sentence, Table, in_words

MOST_LABELS = 30  # of a confusion matrix
MOST_LINES = 6  # of what a finding says of itself
RIGHT, LEFT = ' style="text-align:right"', ' style="text-align:left"'


def html_fragment(finding: Any) -> str:
    """The answer of a finding, in the language that is spoken."""
    document = in_words(document_of(finding, Level.ANSWER))
    parts = [f"<h4>{_text(document.title)}</h4>"] if document.title else []
    parts += [f"<p>{_text(sentence.text)}</p>" for sentence in document.sentences]
    parts += [_subject(subject.name, subject.facts) for subject in document.subjects]
    parts += [_table(table) for table in _top(document)]
    parts += [_list(document.verdicts), _list(document.warnings)]
    for section in document.sections:
        shown = [text for block in section.blocks if (text := _block(block))]
        parts += [f"<h5>{_text(section.title)}</h5>", *shown] if shown else []
    return '<div class="bertillon">' + "\n".join(part for part in parts if part) + "</div>"


def answer_lines(finding: Any) -> list[str]:
    """The verdicts of a finding, of many the first few; where it has none what its tables are about."""
    document = in_words(document_of(finding, Level.ANSWER))
    said = [str(sentence.text) for sentence in document.verdicts]
    lines = said or [str(table.caption) for table in _tables(document) if table.caption]
    return [*lines[:MOST_LINES], *(["..."] if len(lines) > MOST_LINES else [])]


def latex_tables(finding: Any) -> str:
    """Every table of the answer as LaTeX, one after the other."""
    document = in_words(document_of(finding, Level.ANSWER), "en")
    tables = [*_top(document), *_tables(document)]
    return "\n".join(table_latex(table, str(table.caption) or str(document.title)) for table in tables)


def _tables(document: Document) -> Iterator[Table]:
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                yield block
            elif isinstance(block, Matrix) and len(block.labels) <= MOST_LABELS:
                yield block.table


def _top(document: Document) -> list[Table]:
    """The headline of several systems, or the cards of one as a table."""
    if document.headline is not None:
        return [document.headline.without_empty]
    return [_of_cards(document.cards, document.title)] if document.cards else []


def _of_cards(cards: Sequence[Card], caption: Text) -> Table:
    rows = [(Cell(card.name), card.value, Cell(card.interval), Cell(card.errors)) for card in cards]
    return Table.under(["", "", "", ""], rows, id="cards", caption=caption).without_empty


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Matrix):
        return _table(block.table) if len(block.labels) <= MOST_LABELS else ""
    return _list(block.sentences) if isinstance(block, Paragraphs) else ""


def _table(table: Table) -> str:
    heads = "".join(f"<th{_side(column.numeric)}>{_text(column.heading)}</th>" for column in table.columns)
    head = f"<thead><tr>{heads}</tr></thead>" if any(column.heading for column in table.columns) else ""
    rows = (
        "".join(_cell(cell, column.numeric) for cell, column in zip(row, table.columns, strict=True))
        for row in table.rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cell(cell: Cell, numeric: bool) -> str:
    note = "".join(f" <small>{_text(line)}</small>" for line in cell.note if line)
    return f"<td{_side(numeric)}>{_text(cell.text)}{note}</td>"


def _side(numeric: bool) -> str:
    return RIGHT if numeric else LEFT


def _subject(name: Text, facts: Iterable[Text]) -> str:
    said = "; ".join(_text(fact) for fact in facts)
    return f"<p>{f'<b>{_text(name)}</b>: ' if name else ''}{said}</p>" if said or name else ""


def _list(sentences: Iterable[Sentence]) -> str:
    items = "".join(f"<li>{_about(sentence)}{_text(sentence.text)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _about(sentence: Sentence) -> str:
    return f"{_text(sentence.about)}: " if sentence.about else ""


def _text(text: Text) -> str:
    return escape(visible(" ".join(str(text).split())))
