"""R5: files of attacks, of detectors, and of both kinds of people with attacks among them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.trials import read_with_attacks


@pytest.fixture
def put(tmp_path: Path):
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def read_sizes(attacks: bt.trials.AttackSet) -> dict[str, int]:
    return {one.name: one.size for one in attacks.species}


@pytest.mark.parametrize("heading", ["species", "PAI species", "pai", "attack_type"])
def test_R5_a_table_with_a_column_of_species(put, heading):
    found = bt.trials.read_attacks(put("a.csv", f"{heading},score\nprint,0.1\nmask,0.7\nprint,\n"))
    assert read_sizes(found) == {"print": 2, "mask": 1}
    assert found.species[0].silent == 1
    assert found.species[0].subject is None
    assert f"column {heading!r} names the species of attacks" in map(str, found.notes)


def test_R5_the_column_of_species_can_be_named(put):
    path = put("a.csv", "score,tool\n0.1,print\n0.2,mask\n")
    assert read_sizes(bt.trials.read_attacks(path, species="tool")) == {"print": 1, "mask": 1}
    with pytest.raises(InputError, match="column 'kind'"):
        bt.trials.read_attacks(path, species="kind")


def test_R5_without_species_each_file_is_one(put):
    first, second = put("print.txt", "0.1\n0.2\n"), put("mask.txt", "0.6\n")
    found = bt.trials.read_attacks(first, second)
    assert read_sizes(found) == {"print": 2, "mask": 1}
    assert any("print.txt has no column of species" in str(note) for note in found.notes)
    with pytest.raises(InputError, match="'print' is given twice"):
        bt.trials.read_attacks(first, first)


def test_R5_subjects_are_taken_along(put):
    found = bt.trials.read_attacks(put("a.csv", "species,subject,score\nmask,s1,0.1\nmask,s2,0.7\n"))
    assert found.species[0].subject.tolist() == ["s1", "s2"]
    assert "column 'subject' names the subject: intervals are by subject" in map(str, found.notes)


def test_R5_a_column_of_distances_is_one(put):
    found = bt.trials.read_attacks(put("a.csv", "species,distance\nmask,0.1\n"))
    assert found.rule is bt.AcceptRule.DISTANCE
    with pytest.raises(InputError, match="expected one rule for all"):
        bt.trials.read_attacks(put("b.csv", "species,distance\nmask,0.1\n"), put("c.csv", "species,score\nprint,0.1\n"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("species,score\nmask,0.1\n,0.2\n", "row 2 names no species of attack"),
        ("species,score\nbona fide,0.1\n", "row 1 names no species of attack"),
        ("species,label\nmask,1\n", "expected a table with a column of scores"),
        ("species,score\nmask,high\n", "'high' is not a number"),
        ("", "empty"),
    ],
)
def test_R5_bad_tables_of_attacks_are_said(put, text, words):
    with pytest.raises(InputError, match=words):
        bt.trials.read_attacks(put("a.csv", text))


def test_R5_no_file_of_attacks():
    with pytest.raises(InputError, match="no file of attacks"):
        bt.trials.read_attacks()


@pytest.mark.parametrize(
    "text",
    [
        "label,species,score\nbonafide,,0.9\nattack,print,0.1\nattack,mask,0.4\nbonafide,,0.8\n",
        "label,species,score\nbonafide,-,0.9\nspoof,print,0.1\nspoof,mask,0.4\nbonafide,-,0.8\n",
        "label,species,score\n1,,0.9\n0,print,0.1\n0,mask,0.4\n1,,0.8\n",
        "species,score\nbona-fide,0.9\nprint,0.1\nmask,0.4\nlive,0.8\n",
    ],
)
def test_R5_a_detector_by_labels_or_by_species(put, text):
    bona_fide, attacks = bt.trials.read_pad(put("pad.csv", text))
    assert bona_fide.scores.tolist() == [0.9, 0.8]
    assert read_sizes(attacks) == {"print": 1, "mask": 1}


def test_R5_a_detector_without_species_has_one(put):
    bona_fide, attacks = bt.trials.read_pad(put("pad.csv", "label,score\nbonafide,0.9\nattack,0.1\nattack,0.4\n"))
    assert (bona_fide.size, read_sizes(attacks)) == (1, {"attack": 2})
    assert any("one species of attack: attack (2)" in str(note) for note in attacks.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("label,species,score\nbonafide,,0.9\nattack,,0.1\n", "row 2 is an attack and names no species"),
        ("label,score\nbonafide,0.9\nbonafide,0.8\n", "no attacks among 2 presentations"),
        ("label,score\nattack,0.9\nattack,0.8\n", "no bona fide presentations among 2"),
        ("score\n0.9\n0.8\n", "nothing says which presentations are attacks"),
    ],
)
def test_R5_bad_detectors_are_said(put, text, words):
    with pytest.raises(InputError, match=words):
        bt.trials.read_pad(put("pad.csv", text))


def test_R5_one_table_of_three_populations(put):
    text = "label,species,score\n1,,0.9\n0,,0.1\n0,mask,0.8\n0,print,0.2\n1,,0.7\n"
    scores, attacks = read_with_attacks(put("all.csv", text))
    assert (scores.mated.tolist(), scores.nonmated.tolist()) == ([0.9, 0.7], [0.1])
    assert read_sizes(attacks) == {"mask": 1, "print": 1}
    with pytest.raises(InputError, match="no row is an attack"):
        read_with_attacks(put("none.csv", "label,score\n1,0.9\n0,0.1\n"))
