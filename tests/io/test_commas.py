"""Decimal commas are read where they can be nothing else, and said; what is doubtful is never changed."""

from __future__ import annotations

import pytest

import bertillon as bt
from bertillon.core import text_of
from bertillon.io import read, sniff

SAID = "decimal commas are read as decimal points"
READ = {
    "semicolons": ("label;score\n1;0,9\n1;0,85\n0;0,1\n0;-1,2e-1\n", [0.9, 0.85, 0.1, -0.12]),
    "tabs": ("score\tlabel\n0,9\t1\n,5\t0\n", [0.9, 0.5]),
    "bars": ("score|label\n0,9|1\n0,5|0\n", [0.9, 0.5]),
    "blanks": ("0,9 1\n0,5 0\n", [0.9, 0.5]),
    "quotes": ('score,label\n"0,9",1\n"0,5",0\n', [0.9, 0.5]),
    "whole numbers": ("label;score\n1;1\n0;0,5\n", [1.0, 0.5]),
    "windows": ("label;score\r\n1;0,9\r\n0;0,5\r\n", [0.9, 0.5]),
    "thousandths": ("label;score\n1;0,912\n0;1,234\n", [0.912, 1.234]),
    "list": ("0,25\n0,5\n0,75\n", [0.25, 0.5, 0.75]),
    "list of large ones": ("12,5\n3,05\n8,25\n", [12.5, 3.05, 8.25]),
    "list with a whole one": ("0,25\n1\n1,5\n", [0.25, 1.0, 1.5]),
    "list with signs": ("-0,25\n1,5\n0,5\n", [-0.25, 1.5, 0.5]),
    "list after a comment": ("# scores\n0,25\n0,5", [0.25, 0.5]),
}


@pytest.mark.parametrize("case", READ)
@pytest.mark.parametrize("packed", [False, True])
def test_read_and_said(put, case, packed):
    text, scores = READ[case]
    table = read(put(text, packed=packed))
    assert table.scores.tolist() == scores
    assert SAID in [text_of(note) for note in table.notes]


LEFT = {
    "points": "label;score\n1;0.9\n0;0.5\n",
    "points elsewhere": "label;score;age\n1;1.5;33,5\n0;2.5;44,5\n",
    "label and score": "1,25\n0,53\n1,75\n",
    "plain pairs": "label,score\n1,25\n0,53\n",
    "thousands": "label;score\n1;1,234\n0;2,345\n",
    "names": "score;label;probe\n0.5;1;Rossi,Anna\n0.1;0;7,Bob\n",
}


@pytest.mark.parametrize("case", LEFT)
def test_what_is_doubtful_is_not_changed(put, case):
    try:
        notes = [text_of(note) for note in read(put(LEFT[case])).notes]
    except bt.InputError:
        notes = []
    assert SAID not in notes


def test_columns_that_were_named_are_columns(put):
    table = read(put("0,25\n0,53\n0,75\n"), columns={"label": "1", "score": "2"})
    assert table.scores.tolist() == [25.0, 53.0, 75.0]
    assert sniff(put("0,25\n0,53\n0,75\n")) == "scores"


def test_ids_keep_their_commas(put):
    table = read(put("score;label;probe;reference\n0,9;1;a1,2b;x\n0,1;0;c3,4d;y\n"))
    assert table.frame["probe"].to_list() == ["a1,2b", "c3,4d"]


def test_a_later_line_that_is_no_number_is_named_with_its_line(put):
    with pytest.raises(bt.InputError, match=r":4: score '0,x' is not a number"):
        read(put("label;score\n1;0,9\n0;0,5\n1;0,x\n"))


def test_two_lists_and_predictions(put):
    scores = bt.read_scores(put("0,75\n0,9\n", "g.txt"), put("0,05\n0,3\n", "i.txt"))
    assert (scores.mated.tolist(), scores.nonmated.tolist()) == ([0.75, 0.9], [0.05, 0.3])
    predictions = bt.read_predictions(put("y_true;p\n1;0,75\n0;0,25\n", "p.csv"))
    assert predictions.probabilities.tolist() == [0.75, 0.25]
    assert SAID in [text_of(note) for note in predictions.notes]
