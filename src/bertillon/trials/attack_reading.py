"""Files of attacks to populations by species.

Conventions: a table of attacks has a column of scores and one of species (`species`, `pai`, `attack_type` ..., or the
one that is named). Without one, each file is a species under its own name. A table that holds bona fide presentations
too marks them by its labels (bonafide/attack, bonafide/spoof, 1/0) or by an empty or bona fide species. Subjects are
taken from a column `subject`, or from the ids of the probe or the reference. What was understood is said in the notes.

Holds `read_attacks`, `read_pad` (attacks and bona fide presentations of an attack detector) and `read_with_attacks`
(mated and non-mated comparisons with attacks in one table).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bertillon import formats
from bertillon.errors import InputError
from bertillon.rule import AcceptRule
from bertillon.tables import ComparisonTable, short_name
from bertillon.trials.attack_set import AttackSet, Presentations
from bertillon.trials.from_tables import systems_from
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    import polars as pl

FilePath = str | os.PathLike[str]

SPECIES = ("species", "paispecies", "pais", "pai", "attacktype", "attack", "instrument")
SUBJECTS = ("subject", "subjectid", "probesubject", "referencesubject")
BONA_FIDE = ("", "-", "bonafide", "bona fide", "bona-fide", "bona_fide", "live", "real", "genuine", "none")
_ALL_ONE = "attack"
_AS_COMPARISONS = "which comparisons are mated"


def read_attacks(
    *paths: FilePath, species: str | None = None, format: str | None = None, columns: Mapping[str, str] | None = None
) -> AttackSet:
    """Read attacks from tables with a column of species, or from lists of scores, one a species."""
    if not paths:
        raise InputError("no file of attacks was given; expected a table with a column of species, or lists of scores")
    tables = [_table(path, format=format, columns=columns) for path in paths]
    return _joined([_only_attacks(table, species) for table in tables])


def read_pad(
    path: FilePath, *, species: str | None = None, format: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[Presentations, AttackSet]:
    """Read what an attack detector said: its bona fide presentations, and its attacks by species."""
    table = _table(path, format=format, columns=columns)
    column = _species_column(table, species)
    bona_fide = _bona_fide(table, _unnamed(table, column))
    if not bona_fide.any() or bona_fide.all():
        kind = "attacks" if bona_fide.all() else "bona fide presentations"
        raise InputError(f"{table.source}: no {kind} among {len(table):,} presentations; both kinds are needed")
    notes = tuple(note.replace(_AS_COMPARISONS, "which presentations are bona fide") for note in table.notes)
    table = replace(table, notes=notes)
    live, attacks = (replace(table, frame=table.frame.filter(chosen)) for chosen in (bona_fide, ~bona_fide))
    return _presentations(live, "bona fide"), _by_species(attacks, column)


def read_with_attacks(
    path: FilePath,
    *,
    species: str | None = None,
    rule: AcceptRule | str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[ScoreSet, AttackSet]:
    """Read mated and non-mated comparisons and attacks from one table: rows that name a species are attacks."""
    table = _table(path, format=format, columns=columns)
    column, direction = _species_column(table, species), None if rule is None else AcceptRule.of(rule)
    unnamed = _unnamed(table, column)
    if unnamed is None or unnamed.all():
        raise InputError(f"{table.source}: no row names a species of attack; give the attacks as a file with --attacks")
    (scores,) = systems_from([replace(table, frame=table.frame.filter(unnamed))], rule=direction)
    return scores, _by_species(replace(table, frame=table.frame.filter(~unnamed)), column)


def _table(path: FilePath, *, format: str | None, columns: Mapping[str, str] | None) -> ComparisonTable:
    table = formats.read(path, format=format, columns=columns)
    if not isinstance(table, ComparisonTable) or "score" not in table.frame.columns:
        raise InputError(f"{path}: expected a table with a column of scores, one presentation a row")
    if not table.frame.height:
        raise InputError(f"{path}: no presentations")
    return table


def _only_attacks(table: ComparisonTable, species: str | None) -> AttackSet:
    column = _species_column(table, species)
    unnamed = _unnamed(table, column)
    if column is None and "mated" in table.frame.columns and table.frame["mated"].n_unique() > 1:
        raise InputError(
            f"{table.source}: labels of both kinds and no column of species; expected attacks alone, or --species NAME"
        )
    if unnamed is not None and unnamed.any():
        row = (unnamed.arg_max() or 0) + 1
        raise InputError(
            f"{table.source}: row {row:,} names no species of attack; fill it in, or leave bona fide rows to "
            "a table of their own"
        )
    return _by_species(table, column)


def _species_column(table: ComparisonTable, asked: str | None) -> str | None:
    names = table.frame.columns
    if asked is not None:
        for name in (asked, f"column {asked}"):  # by number where the file has no header
            if name in names:
                return name
        raise InputError(f"{table.source}: no column {asked!r} of species; found {', '.join(map(repr, names))}")
    return _known(names, SPECIES)


def _known(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first of the wanted columns; case and punctuation do not matter."""
    plain = {"".join(letter for letter in name.lower() if letter.isalnum()): name for name in names}
    return next((plain[name] for name in wanted if name in plain), None)


def _unnamed(table: ComparisonTable, column: str | None) -> pl.Series | None:
    """Which rows name no species, or a bona fide one."""
    import polars as pl

    if column is None:
        return None
    words = table.frame[column].cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    return words.is_in(BONA_FIDE)


def _bona_fide(table: ComparisonTable, unnamed: pl.Series | None) -> pl.Series:
    """Which rows are bona fide, by their labels or else by their species."""
    if "mated" in table.frame.columns:
        marked = table.frame["mated"]
        if unnamed is not None and (unnamed & ~marked).any():
            row = ((unnamed & ~marked).arg_max() or 0) + 1
            raise InputError(f"{table.source}: row {row:,} is an attack and names no species; fill it in")
        return marked
    if unnamed is None:
        raise InputError(
            f"{table.source}: nothing says which presentations are attacks; expected a column of labels "
            "(bonafide/attack) or one of species: name it with --column label=NAME or --species NAME"
        )
    return unnamed


def _by_species(table: ComparisonTable, column: str | None) -> AttackSet:
    import polars as pl

    if column is None:
        only = _ALL_ONE if "mated" in table.frame.columns else Path(table.source).stem
        note = f"{short_name(table.source)} has no column of species: all its attacks are taken as one, {only!r}"
        return AttackSet((_presentations(table, only),), table.rule, (*table.notes, note, *_subject_note(table)))
    names = table.frame[column].cast(pl.String).str.strip_chars()
    parts = [
        (name, replace(table, frame=table.frame.filter(names == name))) for name in names.unique(maintain_order=True)
    ]
    notes = (*table.notes, f"column {column!r} is the species of each attack", *_subject_note(table))
    return AttackSet(tuple(_presentations(part, name) for name, part in parts), table.rule, notes)


def _subject_note(table: ComparisonTable) -> tuple[str, ...]:
    subject = _known(table.frame.columns, SUBJECTS)
    return () if subject is None else (f"column {subject!r} says whom each is of: intervals are by subject",)


def _presentations(table: ComparisonTable, name: str) -> Presentations:
    subject = _known(table.frame.columns, SUBJECTS)
    people = None if subject is None else table.frame[subject].to_numpy()
    return Presentations(name, table.frame["score"].to_numpy(), people)


def _joined(parts: Sequence[AttackSet]) -> AttackSet:
    rules = {part.rule for part in parts}
    if len(rules) > 1:
        raise InputError("some files of attacks hold distances and some do not; expected one rule for all")
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return AttackSet(tuple(one for part in parts for one in part.species), rules.pop(), notes)
