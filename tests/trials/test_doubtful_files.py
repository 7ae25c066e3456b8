"""Files that could be read in a way nobody meant: each is read rightly, pointed out, or refused with a way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError


@pytest.fixture
def put(tmp_path: Path):
    """A file of lines, given on one line with `/` between them."""

    def write(name: str, lines: str) -> Path:
        (tmp_path / name).write_text(lines.replace(" / ", "\n") + "\n")
        return tmp_path / name

    return write


def sizes(found: bt.ScoreSet) -> tuple[int, int]:
    return found.mated.size, found.nonmated.size


def test_comparisons_of_a_sample_with_itself_are_no_trials(put) -> None:
    rows = "probe,reference,score,label / a1,a1,1,1 / a1,a2,.5,1 / a1,b1,.6,0 / b1,b1,1,1"
    found = bt.read_scores(put("s.csv", rows))
    assert sizes(found) == (1, 1)
    assert "2 comparisons of a sample with itself (score 1) are not trials and are left out" in map(str, found.notes)
    numbered = "probe,reference,score,label / 1,1,.7,1 / 2,1,.5,1 / 1,2,.6,0 / 2,2,.9,1"  # numbers of two lists
    assert sizes(bt.read_scores(put("n.csv", numbered))) == (3, 1)


@pytest.mark.parametrize("truth", ["gt", "y_true", "key"])
def test_two_columns_of_labels_that_disagree_stop_the_work(put, truth: str) -> None:
    rows = f"img1,img2,score,match,{truth} / a,b,.9,True,1 / a,c,.45,False,1 / b,d,.6,True,0 / c,d,.1,False,0"
    path = put("s.csv", rows)
    with pytest.raises(InputError, match=rf"in 2 of 4 rows \(the first is row 2\).*--column label={truth}"):
        bt.read_scores(path)
    assert bt.read_scores(path, columns={"label": truth}).mated.tolist() == [0.9, 0.45]
    agreeing = rows.replace(".45,False,1", ".45,True,1").replace(".6,True,0", ".6,False,0")
    assert sizes(bt.read_scores(put("a.csv", agreeing))) == (2, 2)


def test_labels_in_scores_and_key_must_agree(put) -> None:
    scores = put("s.csv", "utt,score,match / a,.9,1 / b,.4,0 / c,.6,1")
    with pytest.raises(InputError, match=r"2 of 3 contradict those of .*key.csv: are they what a system decided"):
        bt.read_scores(scores, put("key.csv", "utt,label / c,0 / b,1 / a,1"))
    assert sizes(bt.read_scores(scores, put("same.csv", "utt,label / c,1 / b,0 / a,1"))) == (2, 1)


def test_the_index_of_a_data_frame_is_no_id(put) -> None:
    scores = put("s.csv", ",enroll,test,score / 0,a,b,.9 / 1,a,c,.8 / 2,b,d,.3 / 3,c,d,.1")
    key = put("k.csv", ",left,right,label / 0,b,d,0 / 1,a,c,1 / 2,a,b,1 / 3,c,d,0")
    found = bt.read_scores(scores, key)
    assert (sorted(found.mated), sorted(found.nonmated)) == ([0.8, 0.9], [0.1, 0.3])


@pytest.mark.parametrize("labels", ["1 / 1 / 0 / 0", "1 / 1 / 0 / 2 / 0", "1 / 1 / -1 / 0 / 0", "1 / 1 / nan / 0 / 0"])
def test_a_list_of_labels_that_does_not_fit_is_no_impostor_list(put, labels: str) -> None:
    scores = put("s.txt", ".9 / .8 / .3 / .1 / .2")
    with pytest.raises(InputError, match="labels, one for each score, or scores of their own"):
        bt.read_scores(scores, put("second.txt", labels))


def test_coarse_impostor_scores_are_scores(put) -> None:
    """Matchers that count minutiae give impostors 0, 1 and 2."""
    found = bt.read_scores(put("g.txt", "41 / 17 / 9"), put("i.txt", "0 / 1 / 0 / 2"))
    assert sizes(found) == (3, 4)
    assert sizes(bt.read_scores(put("genuine.txt", ".9 / .8"), put("impostor.txt", "0 / 1 / 0"))) == (2, 3)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("is_attack", "001"),
        ("spoof", ("false", "false", "true")),
        ("is_bonafide", "110"),
        ("live", ("True", "True", "False")),
        ("presentation", ("bonafide", "bonafide", "attack")),
        ("attack_type", ("NA", "none", "print")),
        ("attack_type", ("licit", "no attack", "print")),
    ],
)
def test_R5_attacks_under_other_names(put, column: str, values) -> None:
    rows = f"img1,img2,score,label,{column} / a,b,.9,1,{values[0]} / a,c,.1,0,{values[1]} / a,x,.95,0,{values[2]}"
    found = bt.read_scores(put("s.csv", rows))
    assert (found.mated.tolist(), found.nonmated.tolist()) == ([0.9], [0.1])
    assert any("one attack" in str(note) for note in found.notes)


@pytest.mark.parametrize("real", ["Attack_1", "ATTACK", "p00/attack", "attack/print/3", "spoof-2"])
def test_R5_real_ids_that_say_attack(put, real: str) -> None:
    found = bt.read_scores(put("s.txt", f"a a p1 .9 / a b p2 .1 / a {real} p3 .8"))
    assert (found.mated.tolist(), found.nonmated.tolist()) == ([0.9], [0.1])


def test_R5_which_digit_is_bona_fide_is_said(put) -> None:
    _, attacks = bt.trials.read_pad(put("pad.csv", "label,score / 1,.9 / 0,.1 / 0,.2"))
    assert any("label 1 (true, positive) is read as bona fide and 0 as attack" in str(note) for note in attacks.notes)


def test_R5_a_list_called_spoof_is_pointed_out(put) -> None:
    found = bt.read_scores(put("bonafide.txt", ".9 / .8"), put("spoof.txt", ".1 / .2"))
    assert "attacks are not impostors" in str(found.warnings[0])


@pytest.mark.parametrize("nobody", ["unknown", "nan", "None", "?", ""])
def test_unknown_subjects_are_not_mated_with_each_other(put, nobody: str) -> None:
    rows = f"subject1,subject2,score / a,a,.9 / a,b,.1 / {nobody},{nobody},.2"
    with pytest.raises(InputError, match="is empty or unknown in 1 of 3 comparisons"):
        bt.read_scores(put("s.csv", rows))


@pytest.mark.parametrize("pair", ["01,1", "P00,p00"])
def test_ids_that_differ_by_zeros_or_case_stop_the_work(put, pair: str) -> None:
    with pytest.raises(InputError, match=r"differ by case or leading zeros only .*one person or two"):
        bt.read_scores(put("s.csv", f"subject1,subject2,score / {pair},.9 / 10,10,.8 / 02,3,.1"))
    apart = "subject1,subject2,score / 10,10,.9 / 01,2,.8 / 1,2,.1"  # never compared with each other
    assert sizes(bt.read_scores(put("a.csv", apart))) == (1, 2)


def test_fingers_that_are_not_used_are_pointed_out(put) -> None:
    rows = "subject1,finger1,subject2,finger2,score / a,1,a,1,.9 / a,1,a,2,.1 / a,1,b,1,.2"
    assert "One mated comparison differs in 'finger1' and 'finger2'" in str(
        bt.read_scores(put("s.csv", rows)).warnings[0]
    )


@pytest.mark.parametrize("value", ["999", "9999", "inf"])
def test_failures_above_all_scores_are_pointed_out(put, value: str) -> None:
    found = bt.read_scores(put("s.csv", f"label,distance / same,.2 / same,{value} / different,.9 / different,.8"))
    assert f"One score is {value}, far from all others" in str(found.warnings[0])


@pytest.mark.parametrize("empty", ["0", "nan", "-1"])
@pytest.mark.parametrize("side", ["below", "above"])
def test_a_triangle_is_filled_from_the_other_by_hand(tmp_path: Path, empty: str, side: str) -> None:
    people = np.array(["a", "a", "b", "b"])
    whole = np.array([[1, 0.8, 0.3, 0.2], [0.8, 1, 0.1, 0.3], [0.3, 0.1, 1, 0.7], [0.2, 0.3, 0.7, 1]])
    part = whole.copy()
    part[np.tril_indices(4, -1) if side == "below" else np.triu_indices(4, 1)] = float(empty)
    for name, scores in (("whole", whole), ("part", part)):
        np.savez(tmp_path / f"{name}.npz", scores=scores, probe_subject=people, reference_subject=people)
    found, expected = (bt.read_scores(tmp_path / f"{name}.npz") for name in ("part", "whole"))
    assert sorted(found.mated) == sorted(expected.mated) == [0.7, 0.7, 0.8, 0.8]
    assert sorted(found.nonmated) == sorted(expected.nonmated)
    assert any(f"the cells {side} the diagonal are all" in str(note) for note in found.notes)


def test_names_of_samples_in_a_rectangular_matrix_are_no_subjects(put) -> None:
    path = put("m.csv", ",a_1,b_1 / a_1,1,.3 / a_2,.8,.2 / b_1,.3,1 / b_2,.1,.7")
    with pytest.raises(InputError, match="these are samples that meet themselves, not subjects"):
        bt.read_scores(path)
