"""Files of attacks to populations by species.

Conventions: a table of attacks has a column of scores and one of species (`species`, `pai`, `attack_type` ..., or the
one that is named), or labels or real ids that say which rows are attacks (spoof, A07, bob's attack). Without any of
these, each file is a species under its own name. In a table of an attack detector, bona fide presentations are those
whose label (bonafide/attack, live/spoof, 1/0) or whose empty or bona fide species says so. Subjects are taken from a
column `subject`, or from the ids of the probe or the reference. What was understood is said in the notes.

Holds `read_attacks`, `read_pad` (attacks and bona fide presentations of an attack detector) and `read_with_attacks`
(mated and non-mated comparisons with attacks in one table).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, abridged, say
from bertillon.core.tables import ComparisonTable, short_name
from bertillon.io.columns import plain
from bertillon.io.registry import FIELDS, Fields, Request, read_as
from bertillon.trials.attack_set import AttackSet, Presentations
from bertillon.trials.from_tables import systems_from, values_of_row
from bertillon.trials.joining import join, key_and_scores
from bertillon.trials.reading import STREAMING, Streaming
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    import polars as pl

FilePath = str | os.PathLike[str]

SUBJECTS = ("subject", "subjectid", "probesubject", "referencesubject")
_ALL_ONE = "attack"


@FIELDS
def read_attacks(*paths: FilePath, species: str | None = None, **fields: Unpack[Fields]) -> AttackSet:
    """Read attacks from tables with a column of species, or from lists of scores, one a species.

    `values` says what the values of a label column mean and `failed` which scores are failures, as in `read_scores`.
    """
    if not paths:
        raise InputError("no file of attacks was given; expected a table with a column of species, or lists of scores")
    request = _request(fields, species)
    return _joined([_only_attacks(_table(path, request)) for path in paths])


@FIELDS
def read_pad(*paths: FilePath, species: str | None = None, **fields: Unpack[Fields]) -> tuple[Presentations, AttackSet]:
    """Read what an attack detector said: its bona fide presentations, and its attacks by species.

    One table, or scores and the key that says what each presentation was, joined by their ids.
    `values` says what labels mean, as in `{"0": "mated", "1": "attack"}` where 1 marks attacks; bona fide is mated.
    """
    table = _joined_table(paths, _request(fields, species))
    bona_fide = _bona_fide(table)
    if not bona_fide.any() or bona_fide.all():
        kind = "attacks" if bona_fide.all() else "bona fide presentations"
        raise InputError(f"{table.source}: no {kind} among {len(table):,} presentations; both kinds are needed")
    notes = tuple(  # what was understood of labels, said of presentations in place of comparisons
        say("reading.column.bona_fide", name=note.values["name"])
        if isinstance(note, Message) and note.key == "reading.column.mated"
        else note
        for note in table.notes
    )
    if "attack" not in table.frame.columns:
        notes += (say("reading.one_is_bona_fide"),)
    table = replace(table, notes=notes)
    live, attacks = (replace(table, frame=table.frame.filter(chosen)) for chosen in (bona_fide, ~bona_fide))
    return _presentations(live, "bona fide"), _by_species(attacks)


@STREAMING
def read_with_attacks(
    *paths: FilePath, species: str | None = None, **how: Unpack[Streaming]
) -> tuple[ScoreSet, AttackSet]:
    """Read mated and non-mated comparisons and attacks from one table, or from scores and their key.

    Rows that name a species, or whose label says so, are attacks. `trust` is as in `read_scores`.
    """
    table = _joined_table(paths, _request(how, species))
    if "attack" not in table.frame.columns or table.frame["attack"].is_null().all():
        raise InputError(
            f"{table.source}: no row is an attack: none names a species, and no label says so; give the attacks as a "
            "file with --attacks, or say which labels mean them: --values attack=VALUE,..."
        )
    licit = table.frame["attack"].is_null()
    if not licit.any():
        raise InputError(f"{table.source}: every row is an attack; give the scores of those who do not attack too")
    others = replace(table, frame=table.frame.filter(licit).drop("attack"))
    (scores,) = systems_from([others], rule=how["rule"], trust=how["trust"])
    return scores, _by_species(replace(table, frame=table.frame.filter(~licit)))


def _request(how: Fields, species: str | None) -> Request:
    """The column of species is named like any other."""
    request = Request.stated(how)
    return replace(request, columns={**request.columns, "attack": species}) if species else request


def _table(path: FilePath, how: Request) -> ComparisonTable:
    """The presentations of a file, one a row."""
    table = read_as(path, how)
    if not isinstance(table, ComparisonTable) or "score" not in table.frame.columns:
        raise InputError(f"{path}: expected a table with a column of scores, one presentation a row")
    if not table.frame.height:
        raise InputError(f"{path}: no presentations")
    return table


def _joined_table(paths: Sequence[FilePath], how: Request) -> ComparisonTable:
    """The presentations of one file, or of scores and their key."""
    if len(paths) == 1:
        return _table(paths[0], how)
    both = key_and_scores([read_as(path, how) for path in paths])
    if both is None:
        names = ", ".join(short_name(os.fspath(path)) for path in paths) or "none"
        raise InputError(f"expected one table, or scores and the key to them; found {names}")
    return join(*both)


def _only_attacks(table: ComparisonTable) -> AttackSet:
    named = "attack" in table.frame.columns
    if not named and "mated" in table.frame.columns and table.frame["mated"].n_unique() > 1:
        raise InputError(
            f"{table.source}: labels of both kinds and no column of species; expected attacks alone, or --species NAME"
        )
    if named:
        unnamed = table.frame["attack"].fill_null("") == ""
        if unnamed.any():
            row = (unnamed.arg_max() or 0) + 1
            raise InputError(
                f"{table.source}: row {row:,} names no species of attack; fill it in, or leave bona fide rows to "
                "a table of their own"
            )
    return _by_species(table)


def _known(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The first of the wanted columns; case and punctuation do not matter."""
    known = {plain(name): name for name in names}
    return next((known[name] for name in wanted if name in known), None)


def _bona_fide(table: ComparisonTable) -> pl.Series:
    """Which rows are bona fide, by their labels or else by their species."""
    frame = table.frame
    named = (frame["attack"].fill_null("") != "") if "attack" in frame.columns else None
    if "mated" in frame.columns:
        if named is not None:
            _require_agreement(table, frame["mated"], named)
        return frame["mated"]
    if named is None:
        raise InputError(
            f"{table.source}: nothing says which presentations are attacks; expected a column of labels "
            "(bonafide/attack) or one of species: name it with --column label=NAME or --species NAME"
        )
    return ~named


def _require_agreement(table: ComparisonTable, marked: pl.Series, named: pl.Series) -> None:
    """Bona fide rows name no species and attacks do; where it is the other way round, so are the labels."""
    if (marked == named).all():
        raise InputError(
            f"{table.source}: every row that is labelled bona fide (1) names a species of attack and no other does: "
            "the labels mean the contrary; say so, as in --values attack=1,bonafide=0"
        )
    if (marked & named).any():
        row = ((marked & named).arg_max() or 0) + 1
        raise InputError(
            f"{table.source}: row {row:,} is labelled bona fide and names the species "
            f"{table.frame['attack'][row - 1]!r}; correct it, or say what labels mean with --values"
        )
    if (~marked & ~named).any():
        row = ((~marked & ~named).arg_max() or 0) + 1
        raise InputError(f"{table.source}: row {row:,} is an attack and names no species; fill it in")


def _by_species(table: ComparisonTable) -> AttackSet:
    frame, subject = table.frame, _known(table.frame.columns, SUBJECTS)
    if "attack" in frame.columns:
        names = frame["attack"].unique(maintain_order=True)
        parts = {name: replace(table, frame=frame.filter(frame["attack"] == name)) for name in names}
        sizes = [say("reading.species_of_size", name=name, size=len(part)) for name, part in parts.items()]
        note = say("reading.species", n=len(parts), sizes=abridged(sizes, 6))
    else:
        only = _ALL_ONE if "mated" in frame.columns else Path(table.source).stem
        parts = {only: table}
        note = say("reading.one_species", source=short_name(table.source), species=repr(only))
    people = () if subject is None else (say("reading.attack_subjects", name=repr(subject)),)
    example = say("reading.example", what=values_of_row(table, 0))  # its place among attacks alone would mislead
    species = tuple(_presentations(part, name) for name, part in parts.items())
    return AttackSet(species, table.rule, (*table.notes, note, *people, example))


def _presentations(table: ComparisonTable, name: str) -> Presentations:
    subject = _known(table.frame.columns, SUBJECTS)
    people = None if subject is None else table.frame[subject].to_numpy()
    return Presentations(name, table.frame["score"].to_numpy(), people)


def _joined(parts: Sequence[AttackSet]) -> AttackSet:
    rules = {part.rule for part in parts}
    if len(rules) > 1:
        raise InputError("some files of attacks hold distances and some do not; expected one rule for all")
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return AttackSet(tuple(species for part in parts for species in part.species), rules.pop(), notes)
