"""Numbers out of the files that commands write: no words, dates, versions or paths.

Conventions: a number is kept as the shortest text that gives the same float again. In JSON `null`, "inf" and "-inf"
are numbers (undefined, infinite), and true and false are 1 and 0. A path is made of keys and places in lists. Of a
table each column is a list; a cell that is empty is "". A column of text is left out, or coded: each value becomes the
place at which it is first seen, which no renaming changes.

Holds `numbers_of`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

Numbers = dict[str, str]
ABOUT = {"version", "schema", "words"}  # of the program and its sentences, not of the data
WORDS_AS_NUMBERS = {"inf": "inf", "-inf": "-inf", "nan": "nan"}
DATA_BLOCK = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.DOTALL)


def numbers_of(folder: Path, *, coded: bool) -> dict[str, Numbers]:
    """File -> path -> number, of every file that holds numbers."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        numbers = _of_file(path, coded=coded)
        if numbers:
            found[path.relative_to(folder).as_posix()] = numbers
    return found


def _of_file(path: Path, *, coded: bool) -> Numbers:
    match path.suffix:
        case ".json":
            return dict(_walked(json.loads(path.read_text()), ""))
        case ".html":
            blocks = [json.loads(block) for block in DATA_BLOCK.findall(path.read_text())]
            return dict(_walked(blocks, ""))
        case ".csv" | ".tsv":
            return _of_table(_rows(path), coded=coded)
        case ".parquet":
            frame = pl.read_parquet(path)
            cells = [["" if cell is None else str(cell) for cell in row] for row in frame.rows()]
            return _of_table([frame.columns, *cells], coded=coded)
    return {}


def _walked(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ABOUT:
                yield from _walked(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _walked(inner, f"{path}[{place}]")
    elif value is None:
        yield path, "null"
    elif isinstance(value, str):
        if value in WORDS_AS_NUMBERS:
            yield path, WORDS_AS_NUMBERS[value]
    else:
        yield path, _text(value)


def _text(number: float) -> str:
    """The shortest text of a float; a whole number beyond 2**53 keeps all of its digits."""
    if isinstance(number, int) and abs(number) > 2**53:
        return str(number)
    return repr(float(number))


def _rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def _of_table(rows: list[list[str]], *, coded: bool) -> Numbers:
    head, *cells = rows
    numbers: Numbers = {"rows": str(len(cells))}
    for place, name in enumerate(head):
        column = _column([row[place] for row in cells], coded=coded)
        numbers.update({f"{name}[{row}]": cell for row, cell in enumerate(column)})
    return numbers


def _column(cells: list[str], *, coded: bool) -> list[str]:
    try:
        return [_text(float(cell)) if cell else "" for cell in cells]
    except ValueError:
        return _codes(cells) if coded else []


def _codes(cells: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    return [str(seen.setdefault(cell, len(seen))) for cell in cells]
