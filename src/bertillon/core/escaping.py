"""Texts that come from data, made harmless for where they are shown.

Ids, labels, names of files and messages about them may hold anything. A terminal obeys control characters: they move
the cursor, change the title, hide or replace what was printed. Marks of writing direction make a text look like
another. A spreadsheet takes a cell that begins with = + - or @ for a formula, and runs it.

Conventions: what cannot be seen is written as in JSON, `\\u001b`, so that JSON on a terminal stays the same document.
Line ends and tabs are kept. A cell of text that a spreadsheet would run gets an apostrophe in front, as OWASP advises;
numbers are no texts and stay as they are.

Holds `visible` and `for_spreadsheets`.
"""

from __future__ import annotations

import re

from bertillon.core.lazy import pl

_CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
_DIRECTIONS = [0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]  # and ends of lines
_HIDDEN = {code: f"\\u{code:04x}" for code in (*_CONTROLS, *_DIRECTIONS) if chr(code) not in "\n\t"}
FORMULA = r"^[=+\-@\t\r]"
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


_HIDDEN_PATTERN = "[" + "".join(f"\\x{{{code:x}}}" for code in _HIDDEN) + "]"


def visible(text: str) -> str:
    r"""The text, with what would act on a terminal written out.

    >>> visible("a\x1b[2Jb"), visible("Zoë\n")
    ('a\\u001b[2Jb', 'Zoë\n')
    """
    return text.translate(_HIDDEN)


def for_spreadsheets(frame: pl.DataFrame) -> pl.DataFrame:
    """The table, whose texts (and headings) no spreadsheet takes for formulas, and that no terminal obeys."""
    frame = frame.rename({name: visible(name) for name in frame.columns if visible(name) != name})
    hidden = [
        column
        for column in frame.get_columns()
        if column.dtype == pl.String and column.str.contains(_HIDDEN_PATTERN).any()
    ]
    frame = frame.with_columns(
        pl.Series(column.name, [None if text is None else visible(text) for text in column.to_list()])
        for column in hidden
    )
    texts = [name for name, kind in frame.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    cells = [pl.col(name).cast(pl.String) for name in texts]
    formula = [cell.str.contains(FORMULA) & ~cell.str.contains(NUMBER) for cell in cells]
    guarded = [
        pl.when(acts).then("'" + cell).otherwise(cell).alias(name)
        for acts, cell, name in zip(formula, cells, texts, strict=True)
    ]
    headings = {name: f"'{name}" for name in frame.columns if re.match(FORMULA, name)}
    return frame.with_columns(guarded).rename(headings)
