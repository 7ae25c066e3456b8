r"""Documents for papers and repositories: Markdown, which says what the page says, and tables as LaTeX.

Conventions: both are of a document in words, and leave out what moves. Names and sentences are text whatever they hold:
signs that would be read as more are escaped, but no others, so that the file reads well as it is. Tables of Markdown
are those of GitHub. In LaTeX there is one `table` for each table, with rules of `booktabs` and no other package;
whoever needs fewer takes fewer. What stands under a number (its interval and its threshold) stands under it there, in a
row of its own. Letters beyond Latin ones are left as they are, which takes xelatex or lualatex.

Holds `markdown_text` with `markdown_escaped`, and `latex_text` with `table_latex` and `latex_escaped`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from bertillon._version import __version__
from bertillon.core.messages import Catalogue, Text, visible
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.views.document import (
    Block,
    Card,
    Cell,
    Document,
    Level,
    Matrix,
    Paragraphs,
    Picture,
    Section,
    Sentence,
    Table,
)

MOST_LABELS = 30  # of a confusion matrix
BETWEEN_COLUMNS = 3  # letters
PAPER_SIZES = ((72, ""), (82, r"\small"))  # letters in a row, as far as a page of an article holds them
SMALLEST_SIZE = r"\footnotesize\setlength{\tabcolsep}{3pt}"
_ALWAYS = re.compile(r"[\\`*|~$]")  # never plain
_TAG = re.compile(r"[<&](?=[A-Za-z/!?#])")  # the start of a tag or of an entity
_EDGE = re.compile(r"(?<!\w)_|_(?!\w)")  # inside a word it is a letter
_LINK = re.compile(r"\][(\[:]")
_BRACKET = re.compile(r"[\[\]]")
_START = re.compile(r"^(?=[#>=]|[+-]\s)|^\d+(?=[.)]\s)")  # what would begin a heading, a list or a quotation


def markdown_text(page: Document) -> str:
    """The whole report."""
    catalogue = load_catalogue(page.lang)
    cover = page.cover
    parts = [f"# {markdown_escaped(cover.title or page.title)}"]
    parts += [f"**{markdown_escaped(page.title)}**"] if cover.title else []
    parts += map(markdown_escaped, filter(None, (cover.byline, *cover.notes)))
    parts += [markdown_escaped(sentence.text) for sentence in page.sentences]
    parts += [_cards(page.cards, catalogue)] if page.cards else []
    parts += [_table(page.headline)] if page.headline else []
    for heading, sentences in (("page.verdict", page.verdicts), ("page.warnings", page.warnings)):
        parts += [f"## {catalogue(heading)}", _list(sentences)] if sentences else []
    pictures = [f"![{markdown_escaped(each.caption)}]({each.file})" for each in page.pictures]
    pictures = ["## " + catalogue("page.section.figures"), *pictures] if pictures else []
    for section in page.sections:
        shown = [text for block in section.blocks if (text := _block(block))]
        if section.level is Level.APPENDIX:
            parts += pictures
            pictures = []
        parts += [f"## {markdown_escaped(section.title)}", *shown] if shown else []
    parts += pictures
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


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Matrix):
        return _matrix(block)
    if isinstance(block, Paragraphs):
        sentences = _still(block)
        return _list(sentences) if block.listed else "\n\n".join(map(_sentence_text, sentences))
    return ""


def _sentence_text(sentence: Sentence) -> str:
    about = f"**{markdown_escaped(sentence.about)}:** " if sentence.about else ""
    return about + markdown_escaped(sentence.text)


def _list(sentences: Iterable[Sentence]) -> str:
    return "\n".join(f"- {_sentence_text(sentence)}" for sentence in sentences)


def _cards(cards: Sequence[Card], catalogue: Catalogue) -> str:
    heads = [catalogue("page.measure"), catalogue("page.value"), "", ""]
    rows = [(Cell(card.name), card.value, Cell(card.interval), Cell(card.meaning)) for card in cards]
    table = Table.under(heads, rows, id="cards", caption="", remarks=2)
    return _grid(table, [[markdown_escaped(cell.text) for cell in row] for row in rows])


def _table(table: Table) -> str:
    parts = [
        f"**{markdown_escaped(table.caption)}**",
        _grid(table, [[_cell(cell) for cell in row] for row in table.rows]),
    ]
    return "\n\n".join([*parts, markdown_escaped(table.note)] if table.note else parts)


def _cell(cell: Cell) -> str:
    text = f"**{markdown_escaped(cell.text)}**" if cell.best else markdown_escaped(cell.text)
    return "<br>".join([text, *(markdown_escaped(line) for line in (cell.meaning, *cell.note) if line)])


def _matrix(matrix: Matrix) -> str:
    if len(matrix.labels) > MOST_LABELS:
        return ""
    rows = [[markdown_escaped(cell.text) for cell in row] for row in matrix.table.rows]
    return f"**{markdown_escaped(matrix.caption)}**\n\n{_grid(matrix.table, rows)}"


def _grid(table: Table, rows: Sequence[Sequence[str]]) -> str:
    """Rows under the headings of a table."""
    heads = [markdown_escaped(column.heading) for column in table.columns]
    lines = [heads, ["---:" if column.numeric else "---" for column in table.columns], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


LONGEST = 40  # characters in a column that is not broken into lines
WIDE = r"p{5cm}"
LEFT_OUT = ("signature",)  # sections
METHOD = ("notes", "signature")  # sections of a report that somebody signs
MEASURES = "measures"  # tables whose caption says what was measured on what
LAST_LATIN = 0x24F

_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2212": "$-$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
    "\u00d7": r"$\times$",
    "\u00b1": r"$\pm$",
    "\u2026": r"\dots{}",
    "\u2013": "--",
    "\u2192": r"$\rightarrow$",
    "\u00b7": r"$\cdot$",
}
_MINUS = re.compile(r"(?<![\w)])-(?=\d)")


def latex_text(page: Document) -> str:
    """Every table of a document in words but the signature; captions of measures say how their intervals were found."""
    tables = [
        (block, section.title)
        for section in page.sections
        if section.id not in LEFT_OUT
        for block in section.blocks
        if isinstance(block, Table)
    ]
    about = " ".join(str(sentence.text) for sentence in (*page.sentences, *page.remarks))
    shown = []
    for table, title in tables:
        more = f" {about}" if table.id.startswith(MEASURES) else ""
        shown.append(table_latex(table.narrow, _phrase(title, table.caption, page.lang) + more, lang=page.lang))
    appendix = [section for section in page.sections if section.id in METHOD] if page.cover.given else []
    text = "\n".join(
        [*_heading(page), *shown, *map(_figure, page.pictures), *(part for each in appendix for part in _method(each))]
    )
    words = load_catalogue(page.lang)
    preamble, letters = words("page.latex.preamble"), words("page.latex.letters")
    packages = "booktabs,graphicx" if page.pictures else "booktabs"
    lines = [f"% bertillon {__version__}; {preamble}: \\usepackage{{{packages}}}"]
    lines += [f"% {letters}"] if any(ord(letter) > LAST_LATIN for letter in text) else []
    return "\n".join([*lines, "", text])


def _heading(page: Document) -> list[str]:
    """Title, author, date and notes, where somebody gave any."""
    cover = page.cover
    if not cover.given:
        return [f"% {cover.date}\n"] if cover.date else []
    title, byline = latex_escaped(cover.title or page.title), latex_escaped(cover.byline)
    paragraphs = [latex_escaped(text) for text in (*cover.notes, *(said.text for said in page.sentences))]
    return [f"\\section*{{{title}}}\n\\noindent {byline}\n", *(f"{text}\n" for text in paragraphs)]


def _figure(picture: Picture) -> str:
    """A picture with its caption and label."""
    return (
        "\\begin{figure}[htbp]\n\\centering\n"
        f"\\includegraphics[width=0.8\\linewidth]{{{picture.file}}}\n"
        f"\\caption{{{latex_escaped(picture.caption)}}}\n\\label{{fig:{picture.name}}}\n\\end{{figure}}\n"
    )


def _method(section: Section) -> list[str]:
    """What an appendix says, in words and tables."""
    said = [latex_escaped(_sentence(sentence)) for block in section.blocks for sentence in _still(block)]
    tables = [table_latex(block, str(block.caption)) for block in section.blocks if isinstance(block, Table)]
    return [f"\\section*{{{latex_escaped(section.title)}}}\n", *(f"{text}\n" for text in said), *tables]


def _still(block: Block) -> list[Sentence]:
    """The sentences of a block that do not speak of what moves."""
    sentences = block.sentences if isinstance(block, Paragraphs) else ()
    return [sentence for sentence in sentences if not sentence.interactive]


def _sentence(sentence: Sentence) -> str:
    return f"{sentence.about}: {sentence.text}" if sentence.about else str(sentence.text)


def table_latex(table: Table, caption: str, *, lang: str = "en") -> str:
    """One table with its caption and label; why a number is missing stands under it."""
    kinds = "".join(_kind(table, index) for index in range(len(table.columns)))
    lines = [_line([latex_escaped(column.heading) for column in table.columns])]
    lines += [r"\midrule", *(line for row in table.rows for line in _rows(row))]
    missing = [(row[0].text, cell.note[0]) for row in table.rows for cell in row[1:] if _missing(cell)]
    notes = [table.note, *(_phrase(name, reason, lang) for name, reason in missing)]
    notes_text = "".join(f" {latex_escaped(note)}" for note in dict.fromkeys(notes) if note)
    inside = "\n".join(["\\toprule", *lines, "\\bottomrule"])
    return (
        f"\\begin{{table}}[htbp]\n\\centering{_fitted(table)}\n"
        f"\\caption{{{latex_escaped(caption)}{notes_text}}}\n\\label{{tab:{table.id}}}\n"
        f"\\begin{{tabular}}{{{kinds}}}\n{inside}\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _fitted(table: Table) -> str:
    """What makes a wide table narrower: smaller letters and less room between columns, by the letters of its rows."""
    parts = [[str(column.heading), *(str(row[i].text) for row in table.rows)] for i, column in enumerate(table.columns)]
    letters = sum(max(map(len, texts)) + BETWEEN_COLUMNS for texts in parts)
    fitting = next((size for most, size in PAPER_SIZES if letters <= most), SMALLEST_SIZE)
    return f"\n{fitting}" if fitting else ""


def _phrase(name: Text, phrase: Text, lang: str) -> str:
    """What is said of something, as a sentence."""
    return load_catalogue(lang)("list.sentence", name=name, phrase=phrase)


def latex_escaped(text: Text) -> str:
    r"""A text that LaTeX prints as it is.

    >>> latex_escaped("50 % of A&B_1"), latex_escaped("-0.3 to 0.1")
    ('50\\,\\% of A\\&B\\_1', '$-$0.3 to 0.1')
    """
    line = _MINUS.sub("\u2212", " ".join(part for part in re.split(r"[^\S\u00a0\u202f]+", str(text)) if part))
    printable = (letter if letter.isprintable() or letter in _SIGNS else "\ufffd" for letter in line)
    return "".join(_SIGNS.get(letter, letter) for letter in printable).replace(r" \%", r"\,\%")


def _kind(table: Table, index: int) -> str:
    if any(len(row[index].text) > LONGEST for row in table.rows):
        return WIDE
    return "r" if table.columns[index].numeric else "l"


def _rows(row: Sequence[Cell]) -> list[str]:
    """The row itself, and one for each line that stands under its numbers."""
    under = [cell.note if index and not _missing(cell) else () for index, cell in enumerate(row)]
    texts = [(latex_escaped(cell.text), cell.best) for cell in row]
    lines = [_line([f"\\textbf{{{text}}}" if best and text else text for text, best in texts])]
    for number in range(max(map(len, under))):
        cells = [f"{{\\footnotesize {latex_escaped(notes[number])}}}" if number < len(notes) else "" for notes in under]
        lines.append(_line(cells))
    return lines


def _line(cells: Sequence[str]) -> str:
    """Cells in a row; a bracket or a star at its beginning would belong to the end of the row before."""
    first = f"{{}}{cells[0]}" if cells[0].startswith(("[", "*")) else cells[0]
    return " & ".join([first, *cells[1:]]) + r" \\"


def _missing(cell: Cell) -> bool:
    """Is there no number, and a reason why?"""
    return bool(cell.note) and isinstance(cell.exact, float) and math.isnan(cell.exact)
