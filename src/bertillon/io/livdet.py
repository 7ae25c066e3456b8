"""Presentations of an attack detector without a header: a label, a score and the species, as LivDet lists them.

    live,93.5,live
    spoof,12.25,gelatine
    spoof,40.0,latex

Conventions: three columns in any order. The label is live, bona fide, real or genuine against spoof, attack or fake, or
1 against 0 or -1. The score is the other column of numbers. The species names what an attack was made of; in bona fide
rows it says so (live, none, -, nothing), or is always the same. `mated` is true for bona fide rows; attacks have their
species in `attack`. Sniffing: exactly one way to understand the columns. Digits say which rows are bona fide only
together with a species that does.

Holds the format `livdet`, and `marks_bona_fide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.delimited import has_header
from bertillon.io.head import Head, all_numbers
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import Layout, parse

_LIVE = ("live", "bonafide", "real", "genuine", "human")
_ATTACK = ("spoof", "attack", "fake", "pa")
_DIGITS = ("1", "0", "-1", "+1")
_NO_SPECIES = ("", "-", "none", "na", "n/a", *_LIVE)
_FEWEST_ALIKE = 3  # bona fide rows whose species, of whatever name, is the same
_OPTIONS = "--column label=1 --column score=2 --column attack=3"


@dataclass(frozen=True, slots=True)
class _Meaning:
    """Which column is what, from 0, and which words of the label are bona fide."""

    label: int
    score: int
    species: int
    live: frozenset[str]


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    meaning = _meaning(head)
    if meaning is None:
        raise source.error(
            f"it is not clear which column is the label, the score and the species; say so with {_OPTIONS}"
        )
    places = {meaning.label: "label", meaning.score: "score", meaning.species: "species"}
    names = [places[column] for column in range(3)]
    layout = Layout(tuple(names), head.separator)
    frame = parse(source, head, layout, {"label": "text", "score": "score", "species": "text"})
    table = _marked(source, frame, meaning)
    attacks = table["attack"].drop_nulls()
    notes = (
        say("reading.presentations", columns=names),
        say(
            "reading.rows_of_presentations",
            bona_fide=table.height - attacks.len(),
            attacks=attacks.len(),
            species=attacks.n_unique(),
        ),
    )
    return ComparisonTable(table, source.name, request.format, notes=notes)


def _marked(source: Source, frame: pl.DataFrame, meaning: _Meaning) -> pl.DataFrame:
    label = pl.Series([_plain(text) for text in frame["label"].fill_null("").to_list()], dtype=pl.String)
    known = set(_DIGITS) if meaning.live <= set(_DIGITS) else {*_LIVE, *_ATTACK}
    if not label.is_in(list(known)).all():
        row = int((~label.is_in(list(known))).arg_max() or 0)
        raise source.error(
            f"row {row + 1:,} has the label {frame['label'][row]!r}; expected {', '.join(sorted(known))}"
        )
    live = label.is_in(list(meaning.live))
    unnamed = frame["species"].fill_null("").str.to_lowercase().is_in(list(_NO_SPECIES)) & ~live
    if unnamed.any():
        row = int(unnamed.arg_max() or 0) + 1
        raise source.error(f"row {row:,} is an attack and names no species; fill it in")
    attack = frame["species"].zip_with(~live, pl.Series([None] * frame.height, dtype=pl.String))
    return pl.DataFrame({"score": frame["score"], "mated": live, "attack": attack})


def _plain(text: str) -> str:
    return "".join(letter for letter in text.strip().lower() if letter not in " -_" or text.strip() == "-1")


def _meaning(head: Head) -> _Meaning | None:
    """The only way to understand three columns, or None."""
    if head.width != 3 or has_header(head):
        return None
    columns = _columns(head)
    readings = [_meant(columns, *order) for order in permutations(range(3))]
    ways = [reading for reading in readings if reading is not None]
    if len(ways) == 2 and ways[0].score == ways[1].score and columns[ways[0].label] == columns[ways[0].species]:
        return ways[0]  # the species only repeats the label
    return ways[0] if len(ways) == 1 else None


def _meant(columns: Sequence[Sequence[str]], label: int, score: int, species: int) -> _Meaning | None:
    labels = [_plain(text) for text in columns[label]]
    if not all_numbers(columns[score]) or all_numbers(columns[species]) or len(set(labels)) < 2:
        return None
    if set(labels) <= {*_LIVE, *_ATTACK}:
        live = frozenset(labels) & frozenset(_LIVE)
    elif set(labels) <= set(_DIGITS):
        live = frozenset(mark for mark in set(labels) if _says_live(columns[species], labels, {mark}))
    else:
        return None
    attacks = frozenset(labels) - live
    digits = set(labels) <= set(_DIGITS)
    if not live or not attacks or (digits and len(live) > 1) or not _is_species(columns[species], labels, live, digits):
        return None
    return _Meaning(label, score, species, live)


def _says_live(species: Sequence[str], labels: Sequence[str], live: set[str]) -> bool:
    return all(
        _plain(word) in _NO_SPECIES or not word.strip()
        for word, label in zip(species, labels, strict=True)
        if label in live
    )


def _is_species(species: Sequence[str], labels: Sequence[str], live: frozenset[str], digits: bool) -> bool:
    """Is this column the same for bona fide rows, and does it name something else for attacks?"""
    own = [word.strip().lower() for word, label in zip(species, labels, strict=True) if label in live]
    others = [word.strip().lower() for word, label in zip(species, labels, strict=True) if label not in live]
    constant = len(set(own)) == 1 and len(own) >= _FEWEST_ALIKE and not digits
    if not _says_live(species, labels, set(live)) and not constant:
        return False
    return set(own).isdisjoint(others) and "" not in others


def _columns(head: Head) -> list[list[str]]:
    """The fields of every line of three, whatever they look like: `none` may be a species or a failed comparison."""
    return [list(column) for column in zip(*(row for row in head.rows if len(row) == 3), strict=True)]


def marks_bona_fide(column: Sequence[str]) -> bool:
    """Nothing but words that say which presentations are bona fide?"""
    values = {_plain(text) for text in column}
    return values <= {*_LIVE, *_ATTACK} and bool(values & set(_LIVE)) and bool(values & set(_ATTACK))


def fits(head: Head) -> bool:
    return _meaning(head) is not None


def near(head: Head) -> str:
    """Three columns with labels and numbers, but no plain species."""
    if head.width != 3 or has_header(head) or fits(head):
        return ""
    columns = _columns(head)
    likely = any(map(marks_bona_fide, columns)) and any(map(all_numbers, columns))
    return f"if one column names the species of attacks: {_OPTIONS}" if likely else ""


register(Format("livdet", "label, score and species of presentations", rank=3, fits=fits, reader=read, near=near))
