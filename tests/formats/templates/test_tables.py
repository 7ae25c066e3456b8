"""Templates from CSV and Parquet: a column a feature, or one column of lists."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bertillon.formats.templates import read_templates

KEYSTROKES = (
    "subject,sessionIndex,rep,H.period,DD.period.t,hand\ns002,1,1,0.1491,0.3979,left\ns002,1,2,0.1111,0.3451,left\n"
)


def test_csv_of_features_by_hand(put):
    found = read_templates(put("subject;sample;b;a\nanna;a1;1.5;2\nbob;b1;-1;1e3\n", "features.csv"))
    assert found.templates.tolist() == [[1.5, 2.0], [-1.0, 1000.0]]
    assert found.subject.tolist() == ["anna", "bob"]
    assert found.sample.tolist() == ["a1", "b1"]
    assert (found.kind, found.format) == ("vector", "csv")
    assert any("2 columns of numbers as features: 'b', 'a'" in note for note in found.notes)


def test_known_metadata_text_and_named_columns_are_no_features_by_hand(put):
    found = read_templates(put(KEYSTROKES, packed=True), columns={"subject": "subject", "repetition": "rep"})
    assert found.templates.tolist() == [[0.1491, 0.3979], [0.1111, 0.3451]]
    assert set(found.metadata.columns) == {"session", "repetition", "hand"}
    assert found.metadata["session"].to_list() == [1, 1]


def test_columns_by_number_without_a_header(put):
    found = read_templates(put("anna,1,2\nbob,3,4\n"), columns={"subject": "1"})
    assert found.templates.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_histograms_when_stated(put):
    found = read_templates(put("subject,a,b\nanna,1,2\n"), kind="histogram")
    assert found.kind == "histogram"


@pytest.mark.parametrize(
    ("dtype", "expected"), [(pl.Float32, np.float32), (pl.Float64, np.float64), (pl.Int8, np.int8)]
)
def test_T3_parquet_with_a_column_of_lists(tmp_path, dtype, expected):
    """SPEC T3: vectors from .parquet."""
    path = tmp_path / "t.parquet"
    lists = pl.Series("embedding", [[1, 2, 3], [4, 5, 6]], dtype=pl.List(dtype))
    pl.DataFrame({"person": ["anna", "bob"], "quality": [0.5, 0.7]}).with_columns(lists).write_parquet(path)
    found = read_templates(path)
    assert found.templates.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert found.templates.dtype == expected
    assert found.metadata.columns == ["quality"]
    pl.DataFrame({"person": ["anna", "bob"]}).with_columns(lists.list.to_array(3)).write_parquet(path)
    assert read_templates(path).templates.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_parquet_with_a_column_a_feature(tmp_path):
    pl.DataFrame({"subject": [1, 2], "f1": [0.5, 1.5], "f2": [2.0, 3.0]}).write_parquet(tmp_path / "t.parquet")
    assert read_templates(tmp_path / "t.parquet").templates.tolist() == [[0.5, 2.0], [1.5, 3.0]]


def test_parquet_lists_of_different_length_and_of_points_are_series(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"subject": ["a", "b"], "signal": [[1.0, 2.0], [3.0]]}).write_parquet(path)
    found = read_templates(path, kind="series")
    assert [one.tolist() for one in found.templates] == [[1.0, 2.0], [3.0]]
    pl.DataFrame({"subject": ["a", "b"], "signal": [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]}).write_parquet(path)
    found = read_templates(path)
    assert found.kind == "series"
    assert [one.tolist() for one in found.templates] == [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]]


def test_columns_choose_among_several_lists(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"subject": ["a"], "left": [[1.0]], "right": [[2.0]]}).write_parquet(path)
    assert read_templates(path, columns={"subject": "subject", "template": "right"}).templates.tolist() == [[2.0]]
