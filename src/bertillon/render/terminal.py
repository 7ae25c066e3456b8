"""A document on the terminal: the verdict, what was measured, tables, and what to know of them, one line each.

Conventions: the answer stands first and fills one screen. A caveat has one line, with `!` before it; its reasons, how
intervals were found and how files were read are explained where that is asked for. Charts and what moves are left to
the page.

Holds `terminal_text` (any finding) and `document_text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from rich.console import Group, RenderableType

from bertillon.core.messages import Text as Words
from bertillon.core.messages import chained
from bertillon.render.console import Lines, Text, named
from bertillon.render.layout import LOUD, QUIET, FittedTable, one_line
from bertillon.views import Block, Document, Level, Matrix, Paragraphs, Section, Sentence, Subject, Table, in_words
from bertillon.views.assembling import document_of

CAVEAT, ITEM, INDENT = "! ", "- ", "  "
WARNING = "yellow"


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
        Lines(_said(caveat, explain=explain), WARNING, CAVEAT)
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


def _said(sentence: Sentence, *, explain: bool) -> Any:
    """A sentence with the system it is about, in short unless it is to be explained."""
    return named((not explain and sentence.short) or sentence.text, sentence.about)


def _sentences(sentences: Iterable[Sentence], level: Level, style: str) -> Iterator[Lines]:
    return (Lines(named(said.text, said.about), style) for said in sentences if said.level <= level)


def _subject(subject: Subject, *, explain: bool) -> Iterator[RenderableType]:
    """Its name and what is known of it in one line; how it was understood where that is explained."""
    known = chained([fact for fact in subject.facts if fact])
    if known or subject.name:
        yield Lines(named(known, subject.name) if known else subject.name)
    yield from (Lines(note, QUIET, INDENT) for note in (*subject.told, *(subject.notes if explain else ())))


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
            yield from (Lines(named(said.text, said.about), style, mark) for said in shown)
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
