"""Ids that are numbers, bytes or missing: who is one person, who are two, and who is nobody."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bertillon.errors import InputError
from bertillon.formats import read
from bertillon.formats.ids import texts
from bertillon.formats.templates import make_templates
from bertillon.trials.searches import searches_from_blocks

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
    with pytest.raises(InputError, match="probe_subject is empty in 1 of 1 comparisons"):
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
