r"""The tables of the report as LaTeX, ready to be put into a paper.

Conventions: one `table` for each table of the page, with rules of `booktabs` and no other package; whoever needs fewer
takes fewer. Numbers are the page's, to the digits that their intervals support. What stands under a number on the page
(its interval and its threshold) stands under it here, in a row of its own. Names are text whatever they hold. Letters
beyond Latin ones are left as they are, which takes xelatex or lualatex.

Holds `latex_text`, `table_latex` and `latex_escaped`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from bertillon._version import __version__
from bertillon.core.messages import Text, catalogue
from bertillon.views.document import Cell, Document, Table

LONGEST = 40  # characters in a column that is not broken into lines
WIDE = r"p{5cm}"
LEFT_OUT = ("signature",)  # sections
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
        shown.append(table_latex(table.narrow, _sentence(title, table.caption, page.lang) + more, lang=page.lang))
    text = "\n".join(shown)
    words = catalogue(page.lang)
    preamble, letters = words("page.latex.preamble"), words("page.latex.letters")
    lines = [f"% bertillon {__version__}; {preamble}: \\usepackage{{booktabs}}"]
    lines += [f"% {letters}"] if any(_beyond_latin(letter) for letter in text) else []
    return "\n".join([*lines, "", text])


def table_latex(table: Table, caption: str, *, lang: str = "en") -> str:
    """One table with its caption and label; why a number is missing stands under it."""
    kinds = "".join(_kind(table, index) for index in range(len(table.columns)))
    lines = [_row([latex_escaped(column.heading) for column in table.columns])]
    lines += [r"\midrule", *(line for row in table.rows for line in _rows(row))]
    missing = [(row[0].text, cell.note[0]) for row in table.rows for cell in row[1:] if _missing(cell)]
    notes = [table.note, *(_sentence(name, reason, lang) for name, reason in missing)]
    notes_text = "".join(f" {latex_escaped(note)}" for note in dict.fromkeys(notes) if note)
    inside = "\n".join(["\\toprule", *lines, "\\bottomrule"])
    return (
        "\\begin{table}\n\\centering\n"
        f"\\caption{{{latex_escaped(caption)}{notes_text}}}\n\\label{{tab:{table.id}}}\n"
        f"\\begin{{tabular}}{{{kinds}}}\n{inside}\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _sentence(name: Text, phrase: Text, lang: str) -> str:
    """What is said of something, as a sentence."""
    return catalogue(lang)("list.sentence", name=name, phrase=phrase)


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
    lines = [_row([_shown(cell) for cell in row])]
    for number in range(max(map(len, under))):
        cells = [f"{{\\footnotesize {latex_escaped(notes[number])}}}" if number < len(notes) else "" for notes in under]
        lines.append(_row(cells))
    return lines


def _shown(cell: Cell) -> str:
    return f"\\textbf{{{latex_escaped(cell.text)}}}" if cell.best else latex_escaped(cell.text)


def _row(cells: Sequence[str]) -> str:
    """Cells in a row; a bracket or a star at its beginning would belong to the end of the row before."""
    first = f"{{}}{cells[0]}" if cells[0].startswith(("[", "*")) else cells[0]
    return " & ".join([first, *cells[1:]]) + r" \\"


def _missing(cell: Cell) -> bool:
    """Is there no number, and a reason why?"""
    return bool(cell.note) and isinstance(cell.exact, float) and math.isnan(cell.exact)


def _beyond_latin(letter: str) -> bool:
    return ord(letter) > LAST_LATIN
