"""Histograms of scores, by hand and against PyEER, and which files are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.io import read, sniff

HILL = [0, 1, 3, 6, 12, 19, 31, 40, 44, 51, 49, 52, 45, 38, 33, 21, 24, 11, 8, 4, 3, 1, 0, 1, 0, 0]


def lines(values) -> str:
    return "".join(f"{value}\n" for value in values)


@pytest.mark.parametrize(
    "text",
    [
        "0.25 3\n0.5 0\n0.75 2\n",
        "0.25\t3\n0.5\t0\n0.75\t2\n",
        "0.25,3\n0.75,2\n",
        "score,count\n0.25,3\n0.5,0\n0.75,2\n",
        "Frequency;Score\n3;0.25\n2;0.75\n",
    ],
)
def test_each_score_is_read_as_often_as_it_was_counted_by_hand(put, text):
    table = read(put(text), format=None)
    assert table.format == "histogram"
    assert table.frame["score"].to_list() == [0.25, 0.25, 0.25, 0.75, 0.75]
    assert table.is_plain_list
    assert "5 comparisons" in str(table.notes[0])


@pytest.mark.parametrize(
    "text", ["score,genuine,impostor\n1,0,2\n2,1,1\n", "score,label,count\n2,1,1\n1,0,2\n2,0,1\n1,1,0\n"]
)
def test_counts_of_both_kinds_by_hand(put, text):
    frame = read(put(text)).frame
    assert sorted(zip(frame["score"], frame["mated"], strict=True)) == [(1, False), (1, False), (2, False), (2, True)]


def test_a_line_for_each_whole_score_by_hand(put):
    path = put(lines(HILL))
    assert sniff(path) == "pyeer-histogram"
    assert read(path).frame["score"].to_list() == np.repeat(np.arange(len(HILL)), HILL).tolist()


def test_the_equal_error_rate_against_pyeer():
    pyeer = pytest.importorskip("pyeer")
    from pyeer.eer_info import get_eer_stats

    folder = Path(pyeer.__file__).parent / "example_files" / "hist"
    genuine = [float(line) for line in (folder / "exp1_true.txt").read_text().split()]
    counts = [int(line) for line in (folder / "exp1_false.txt").read_text().split()]
    expected = get_eer_stats(genuine, counts, hformat=True)
    scores = bt.read_scores(folder / "exp1_true.txt", folder / "exp1_false.txt")
    assert (scores.mated.size, scores.nonmated.size) == (2786, 66633)
    found = bt.evaluate(scores, ["EER", "EER[pyeer]", "FNMR[pyeer]@FMR=0.01"])
    assert found["EER[pyeer]"].value == pytest.approx(expected.eer, abs=1e-12)
    assert found["FNMR[pyeer]@FMR=0.01"].value == pytest.approx(expected.fmr100, abs=1e-12)
    assert found["EER"].value == pytest.approx(0.11702, abs=5e-6)


def test_the_list_of_the_same_scores_stays_a_list():
    pyeer = pytest.importorskip("pyeer")
    folder = Path(pyeer.__file__).parent / "example_files"
    for name in ("non_hist/exp3_true.txt", "non_hist/exp3_false.txt", "non_hist/exp2_false.txt"):
        assert sniff(folder / name) == "scores"


def draws(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(50, 15, 400).round().clip(0).astype(int)


LISTS = {
    "drawn": draws(1),
    "sorted": np.sort(draws(2)),
    "falling": np.sort(draws(3))[::-1],
    "sorted by search": np.sort(draws(4).reshape(20, 20), axis=1)[:, ::-1].ravel(),
    "two sorted lists": np.concatenate([np.sort(draws(5)), np.sort(draws(6))]),
    "short": np.arange(10),
    "negative": -draws(7),
    "constant": np.full(50, 3),
}


@pytest.mark.parametrize("name", LISTS)
def test_whole_scores_are_no_histogram(put, name):
    assert sniff(put(lines(LISTS[name]))) == "scores"


def test_what_may_be_a_list_or_a_histogram_is_refused_with_both(put):
    walk = 500 + np.cumsum(np.random.default_rng(0).integers(-5, 6, 200))
    path = put(lines(walk))
    with pytest.raises(InputError, match=r"pyeer-histogram \(if line n.*scores \(if each line is") as caught:
        read(path)
    assert "--format" in str(caught.value)
    assert len(read(path, format="scores")) == 200
    assert len(read(path, format="pyeer-histogram")) == walk.sum()


def test_two_columns_of_whole_numbers_are_refused_with_both_readings(put):
    path = put("10 3\n20 5\n30 2\n")
    with pytest.raises(InputError, match=r"histogram \(if column 1 is a score.*pyeer \(if column 1 is an id"):
        read(path)
    assert read(path, format="histogram").frame["score"].to_list() == [10] * 3 + [20] * 5 + [30] * 2
    assert read(path, format="pyeer").frame["score"].to_list() == [3, 5, 2]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("1 0.5\n2 0.25\n3 0.75\n", "pyeer"),
        ("7 53\n3 12\n5 99\n", "pyeer"),
        ("0.25 1\n0.5 0\n0.75 1\n", "csv"),
        ("a 3\nb 5\n", "pyeer"),
    ],
)
def test_ids_and_labels_beside_scores_are_no_counts(put, text, format):
    assert sniff(put(text)) == format


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("0.25 3\n0.5 -2\n", "histogram", "score 0.5 has the count -2; a count is 0 or more"),
        ("0.25 3\n0.5 x\n", "histogram", ":2: code 'x' is not a whole number"),
        ("0.25 0\n0.5 0\n", "histogram", "has no count above 0"),
        ("nan 3\n0.5 1\n", "histogram", "a score of a histogram is missing"),
        ("0.25 3000000000\n0.5 9000000000\n", "histogram", "a histogram of 12,000,000,000 comparisons needs"),
        ("0.25 9223372036854775807\n0.5 9223372036854775807\n", "histogram", "at most"),
        ("1 2 3\n", "histogram", "has 3 columns; a histogram has a score and a count"),
        ("1\n\n2\n", "pyeer-histogram", ":2: a blank line or a comment"),
        ("1\n2.5\n", "pyeer-histogram", "is not a whole number"),
    ],
)
def test_what_is_no_histogram_says_why(put, text, format, message):
    with pytest.raises(InputError, match=message):
        read(put(text), format=format)
