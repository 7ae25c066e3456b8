"""Scores and trials in two files: joined by the ids they carry, by line only where there are none."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError

N = 400
RNG = np.random.default_rng(3)
MATED = np.arange(N) % 2 == 0
SCORES = np.round(RNG.normal(np.where(MATED, 2.0, 0.0), 1.0), 6)
IDS = [f"utt{number:04d}" for number in range(N)]
PAIRS = [(f"m{number % 40:02d}", one) for number, one in enumerate(IDS)]
TRUE_EER = bt.evaluate(bt.ScoreSet(SCORES[MATED], SCORES[~MATED]), ["EER"])["EER"].value


def write(path: Path, lines: list[str], header: str | None = None, *, shuffled: bool = False) -> Path:
    body = random.Random(7).sample(lines, len(lines)) if shuffled else lines
    path.write_text("\n".join([*([header] if header else []), *body]) + "\n")
    return path


LAYOUTS = {  # name: header and line of the scores, header and line of the key
    "one id, same name": ("file,score", "{utt},{score}", "file,label", "{utt},{label}"),
    "one id, other name": ("name,score", "{utt},{score}", "file,label", "{utt},{label}"),
    "a pair by roles": (
        "probe,reference,score",
        "{utt},{model},{score}",
        "reference,probe,target",
        "{model},{utt},{label}",
    ),
    "a pair without header": (None, "{model},{utt},{score}", "enroll,test,label", "{model},{utt},{label}"),
    "kaldi": (None, "{model} {utt} {score}", None, "{model} {utt} {word}"),
    "voxceleb": (None, "{score} {model} {utt}", None, "{label} {model} {utt}"),
    "numbered ids": ("trial,score", "{number},{score}", "trial,label", "{number},{label}"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_shuffled_score_file_is_joined_by_its_ids(tmp_path: Path, layout: str) -> None:
    heads = LAYOUTS[layout][::2]
    lines: list[list[str]] = [[], []]
    for number, ((model, utt), score, mated) in enumerate(zip(PAIRS, SCORES, MATED, strict=True)):
        row = {"utt": utt, "model": model, "score": score, "number": number, "label": int(mated)}
        row["word"] = "target" if mated else "nontarget"
        for place, text in enumerate(LAYOUTS[layout][1::2]):
            lines[place].append(text.format(**row))
    key = write(tmp_path / "key.txt", lines[1], heads[1])
    for shuffled in (False, True):
        scores = write(tmp_path / "scores.txt", lines[0], heads[0], shuffled=shuffled)
        found = bt.read_scores(scores, key)
        assert bt.evaluate(found, ["EER"])["EER"].value == TRUE_EER
        assert any("joined with the trials of key.txt by " in str(note) for note in found.notes)


def test_ids_as_numbers_in_one_file_and_text_in_the_other(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["1,0.9", "2,0.1"], "utt,score")
    key = write(tmp_path / "k.csv", ["2,0", "1,1"], "utt,label")
    assert bt.read_scores(scores, key).mated.tolist() == [0.9]


def test_scores_without_a_trial_are_counted_and_named(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["a,0.9", "b,0.1", "c,0.5", "d,0.6"], "utt,score")
    key = write(tmp_path / "k.csv", ["b,0", "a,1"], "utt,label")
    found = bt.read_scores(scores, key)
    assert (found.mated.tolist(), found.nonmated.tolist()) == ([0.9], [0.1])
    assert "2 scores of s.csv belong to no trial and are left out (c, d)" in map(str, found.notes)


def test_trials_without_a_score_stop_the_work_and_are_named(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["a,0.9"], "utt,score")
    key = write(tmp_path / "k.csv", ["b,0", "a,1", "c,0", "d,0", "e,1"], "utt,label")
    with pytest.raises(InputError, match=r"no score for 4 of 5 trials of .*k.csv \(b, c, d and 1 more\); add them"):
        bt.read_scores(scores, key)


def test_pairs_the_other_way_round_are_said(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["a,x,0.9", "b,y,0.1"], "probe,reference,score")
    key = write(tmp_path / "k.csv", ["x,a,1", "y,b,0"], "probe,reference,label")
    with pytest.raises(InputError, match="stand the other way round there: swap the two columns"):
        bt.read_scores(scores, key)


def test_ids_that_have_nothing_in_common_are_refused(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["a,0.9", "b,0.1"], "file,score")
    key = write(tmp_path / "k.csv", ["x,1", "y,0"], "name,label")
    with pytest.raises(
        InputError, match=r"its ids \(file 'a'\) and those of .*k.csv \(name 'x'\) have nothing in common"
    ):
        bt.read_scores(scores, key)


@pytest.mark.parametrize(
    ("scores", "key", "words"),
    [
        (["a,0.9", "a,0.8", "b,0.1"], ["a,1", "b,0"], "1 ids stand several times with different scores"),
        (["a,0.9", "b,0.1"], ["a,1", "a,0", "b,0"], "1 ids stand several times with different labels"),
    ],
)
def test_an_id_that_says_two_things_is_refused(tmp_path: Path, scores: list[str], key: list[str], words: str) -> None:
    files = write(tmp_path / "s.csv", scores, "utt,score"), write(tmp_path / "k.csv", key, "utt,label")
    with pytest.raises(InputError, match=words):
        bt.read_scores(*files)


def test_an_id_that_says_the_same_twice_counts_once(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.csv", ["a,0.9", "a,0.9", "b,0.1"], "utt,score")
    key = write(tmp_path / "k.csv", ["a,1", "b,0", "b,0"], "utt,label")
    found = bt.read_scores(scores, key)
    assert (found.mated.tolist(), found.nonmated.tolist()) == ([0.9], [0.1])
    assert "one trial of k.csv is repeated and counts once" in map(str, found.notes)


def test_scores_without_ids_are_joined_by_line_and_it_is_said(tmp_path: Path) -> None:
    scores = write(tmp_path / "s.txt", ["0.9", "0.1"])
    key = write(tmp_path / "k.csv", ["a,1", "b,0"], "utt,label")
    found = bt.read_scores(scores, key)
    assert found.mated.tolist() == [0.9]
    assert any("line by line: s.txt has no IDs, so its line order is used" in str(one) for one in found.notes)
    longer = write(tmp_path / "l.txt", ["0.9", "0.1", "0.2"])
    with pytest.raises(InputError, match=r"3 scores for 2 trials in .*and no ids to join them by"):
        bt.read_scores(longer, key)


def test_a_list_of_labels_beside_a_list_of_scores_is_no_impostor_list(tmp_path: Path) -> None:
    scores = write(tmp_path / "scores.txt", ["0.9", "0.1", "0.7", "0.3"])
    labels = write(tmp_path / "labels.txt", ["1", "0", "1", "0"])
    for order in ((scores, labels), (labels, scores)):
        found = bt.read_scores(*order)
        assert (found.mated.tolist(), found.nonmated.tolist()) == ([0.9, 0.7], [0.1, 0.3])
        assert any("labels.txt holds only 0 and 1: read as the labels" in str(note) for note in found.notes)
    decisions = write(tmp_path / "decisions.txt", ["0", "0", "1", "0"])
    assert bt.read_scores(labels, decisions).mated.tolist() == [0, 1]  # what was decided, beside the truth
    other = write(tmp_path / "other.txt", ["1", "0", "1", "1"])
    assert bt.read_scores(decisions, other).mated.tolist() == [0, 0, 1, 0]  # decisions in both: two lists


@pytest.mark.parametrize(
    "names", [("impostor.txt", "genuine.txt"), ("sys_imp.txt", "sys_gen.txt"), ("nontarget.txt", "target.txt")]
)
def test_lists_named_the_wrong_way_round_are_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    first, second = (write(tmp_path / name, ["0.5", "0.25"]) for name in names)
    with pytest.raises(InputError, match=r"the genuine \(mated\) scores come first; give them as"):
        bt.read_scores(first, second)
    assert bt.read_scores(second, first).mated.size == 2
