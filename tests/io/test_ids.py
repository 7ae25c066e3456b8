"""Ids that are numbers, bytes or missing: who is one person, who are two, and who is nobody."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.io import make_templates, read, texts
from bertillon.trials import Predictions, ScoreSet, searches_from_blocks

NAN = float("nan")
SCORES = np.array([[0.9, 0.1], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([1.0, 2.5, NAN], ["1", "2.5", ""]),
        ([1e20, 2e20], ["1e+20", "2e+20"]),
        (np.array([b"ann", b"\xff", b"\xfe"]), ["ann", "\\xff", "\\xfe"]),
        (np.array(["ann", None, NAN, 7], dtype=object), ["ann", "", "", "7"]),
        (np.array([], dtype=float), []),
    ],
)
def test_texts_by_hand(given, expected):
    assert texts(given).tolist() == expected


def test_a_column_of_floats_holds_the_people_of_a_column_of_whole_numbers_by_hand(tmp_path):
    """Whole numbers beside a gap become floats in many a table: 7.0 is 7."""
    path = tmp_path / "scores.parquet"
    frame = {"score": [0.1, 0.2, 0.3], "probe_subject": [7.0, 8.0, 8.5], "reference_subject": [7, 9, 8]}
    pl.DataFrame(frame).write_parquet(path)
    assert read(path).frame["mated"].to_list() == [True, False, False]
    assert read(path).frame["probe_subject"].to_list() == ["7", "8", "8.5"]


def test_two_missing_ids_are_not_one_person(tmp_path, put):
    pl.DataFrame({"score": [0.1], "probe_subject": [NAN], "reference_subject": [NAN]}).write_parquet(tmp_path / "s")
    with pytest.raises(InputError, match="probe_subject is empty or unknown in 1 of 1 comparisons"):
        read(tmp_path / "s")
    with pytest.raises(InputError, match="2 of 3 templates have no subject"):
        make_templates(np.ones((3, 2)), [1.0, NAN, NAN])
    np.savez(tmp_path / "m.npz", scores=SCORES, probe_subject=[1.0, NAN], reference_subject=[1.0, NAN])
    with pytest.raises(InputError, match="row 2 of the scores has no subject"):
        read(tmp_path / "m.npz")
    with pytest.raises(InputError, match="column 2 of the scores has no subject"):
        read(put(",ann,\nann,0.9,0.1\nbob,0.2,0.8\n"))


def test_numbers_of_either_type_are_the_same_people_in_searches_by_hand():
    found = searches_from_blocks([([0, 1], [0, 1], SCORES)], np.array([1, 2]), np.array([1.0, 2.0]))
    assert found.ranks().tolist() == [1.0, 1.0]


BIG = 2**53
CLOSE = [BIG, BIG + 1, BIG + 2, BIG + 3]  # as floats: 2^53, 2^53, 2^53 + 2, 2^53 + 4


def saved(tmp_path: Path, kind: str, values: list[int]) -> Path:
    path = tmp_path / f"scores.{kind}"
    labels = [1, 0] * (len(values) // 2)
    if kind == "npy":
        np.save(path, np.array(values))
    elif kind == "npz":
        np.savez(path, genuine=np.array(values[::2]), impostor=np.array(values[1::2]))
    elif kind == "parquet":
        pl.DataFrame({"score": values, "label": labels}).write_parquet(path)
    else:
        rows = "".join(f"{score},{label}\n" for score, label in zip(values, labels, strict=True))
        path.write_text("score,label\n" + rows)
    return path


@pytest.mark.parametrize("kind", ["npy", "npz", "parquet", "csv"])
def test_whole_numbers_that_would_be_tied_as_floats_are_refused(tmp_path: Path, kind: str) -> None:
    with pytest.raises(InputError, match=r"4 different whole numbers from 2\^53 on become 3"):
        read(saved(tmp_path, kind, CLOSE))
    assert read(saved(tmp_path, kind, [BIG, BIG + 2, BIG + 4, BIG + 6])).notes


def test_scores_in_memory_that_would_be_tied_are_refused() -> None:
    for mated, others in ((CLOSE, [1, 2]), (np.array([BIG]), np.array([BIG - 1, BIG + 1]))):
        with pytest.raises(InputError, match="subtract a common offset"):
            ScoreSet(mated, others)
    assert ScoreSet([BIG, BIG + 2], [BIG - 1, 3]).size == 4
    with pytest.raises(InputError, match="subtract a common offset"):
        Predictions.from_scores([0, 1, 0, 1], CLOSE)


def test_large_floats_are_no_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("score,label\n1e300,1\n9007199254740993.5,0\n12,1\n")
    assert read(path).frame["score"].to_list() == [1e300, 9007199254740994.0, 12.0]
