"""Templates from CSV and Parquet: a column a feature, or one column of lists."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.io import read_templates

KEYSTROKES = (
    "subject,sessionIndex,rep,H.period,DD.period.t,hand\ns002,1,1,0.1491,0.3979,left\ns002,1,2,0.1111,0.3451,left\n"
)


def npy_bytes(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_csv_of_features_by_hand(put):
    found = read_templates(put("subject;sample;b;a\nanna;a1;1.5;2\nbob;b1;-1;1e3\n", "features.csv"))
    assert found.templates.tolist() == [[1.5, 2.0], [-1.0, 1000.0]]
    assert found.subject.tolist() == ["anna", "bob"]
    assert found.sample.tolist() == ["a1", "b1"]
    assert (found.kind, found.format) == ("vector", "csv")
    assert any("2 columns of numbers as features: 'b', 'a'" in str(note) for note in found.notes)


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


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("anna\nanna\nbob\ncarl\n", ["anna", "anna", "bob", "carl"]),
        ("subject\nanna\nanna\nbob\ncarl\n", ["anna", "anna", "bob", "carl"]),
        ("Ann Smith\nAnn Smith\nBob Jones\nCarl van Dyk\n", ["Ann Smith", "Ann Smith", "Bob Jones", "Carl van Dyk"]),
        ("subject\nAnn Smith\nAnn Smith\nBob\nCarl van Dyk\n", ["Ann Smith", "Ann Smith", "Bob", "Carl van Dyk"]),
        ("3\n3\n1\n2\n", ["3", "3", "1", "2"]),
        ("u1 anna\nu2 anna\nu3 bob\nu4 carl\n", ["anna", "anna", "bob", "carl"]),
        ("u1\tAnn Smith\nu2\tAnn Smith\nu3\tBob\nu4\tCarl\n", ["Ann Smith", "Ann Smith", "Bob", "Carl"]),
        ("subject\tage\nAnn Smith\t3\nAnn Smith\t3\nBob\t4\nCarl\t5\n", ["Ann Smith", "Ann Smith", "Bob", "Carl"]),
        ("name;age\nAnn;3\nAnn;3\nBob;4\nCarl;5\n", None),
    ],
)
def test_files_of_labels_by_hand(put, content, expected):
    path, labels = put(npy_bytes(np.eye(4)[:, :3]), "t.npy"), put(content, "labels.txt")
    if expected is None:
        with pytest.raises(InputError, match="--column subject="):
            read_templates(path, labels=labels)
        assert read_templates(path, labels=labels, columns={"subject": "name"}).subject.tolist()[0] == "Ann"
    else:
        assert read_templates(path, labels=labels).subject.tolist() == expected


def test_labels_as_an_array_in_a_file(put):
    path, labels = put(npy_bytes(np.eye(4)[:, :3]), "t.npy"), put(npy_bytes(np.array([7, 7, 8, 9])), "y.npy")
    assert read_templates(path, labels=labels).subject.tolist() == ["7", "7", "8", "9"]
    with pytest.raises(InputError, match=r"shape \(4, 3\); one subject"):
        read_templates(path, labels=path)


def test_labels_and_templates_that_name_samples_are_joined_by_them(put):
    path = put("sample,f1,f2\ns1,1,2\ns2,3,4\ns3,5,6\n", "t.csv")
    labels = put("sample,name,session\ns3,bob,1\ns1,anna,2\ns2,anna,3\n", "labels.csv")
    found = read_templates(path, labels=labels, columns={"subject": "name"})
    assert found.subject.tolist() == ["anna", "anna", "bob"]
    assert found.metadata["session"].to_list() == [2, 3, 1]
    short = put("sample,name\ns3,bob\ns1,anna\nx,anna\n", "labels.csv")
    with pytest.raises(InputError, match=r"no line for 1 of 3 samples .* the first is 's2'"):
        read_templates(path, labels=short, columns={"subject": "name"})


def test_columns_beside_labels_are_those_of_the_labels(put):
    archive = io.BytesIO()
    np.savez(archive, first=np.eye(3)[:, :2], second=np.ones((3, 2)))
    path, labels = put(archive.getvalue(), "t.npz"), put("who,age\nanna,3\nanna,4\nbob,5\n", "labels.csv")
    found = read_templates(path, labels=labels, columns={"subject": "who", "template": "second", "years": "age"})
    assert found.templates.tolist() == np.ones((3, 2)).tolist()
    assert found.metadata["years"].to_list() == [3, 4, 5]


def test_scores_beside_labels_are_no_templates(put):
    path, labels = put("score,label\n0.5,1\n0.4,0\n", "scores.csv"), put("anna\nbob\n", "people.txt")
    with pytest.raises(InputError, match="leave --labels out if these are scores"):
        read_templates(path, labels=labels)
    assert read_templates(path, labels=labels, kind="vector").kind == "vector"


@pytest.mark.parametrize("head", [",0,1", ",f0,f1", "Unnamed: 0,f0,f1"])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("labels", ["a\na\nb\n", ",0\n0,a\n1,a\n2,b\n", ",subject\n0,a\n1,a\n2,b\n"])
def test_an_index_without_a_name_is_no_feature(put, head, start, labels):
    """As pandas writes features and labels with their index."""
    rows = [(0.5, 0.25), (0.75, 1.5), (2.5, 3.5)]
    text = head + "\n" + "".join(f"{place + start},{one},{other}\n" for place, (one, other) in enumerate(rows))
    table = read_templates(put(text, "x.csv"), labels=put(labels, "y.csv"))
    assert np.asarray(table.templates).tolist() == [list(row) for row in rows]
    assert table.subject.tolist() == ["a", "a", "b"]
    assert any("numbers the rows" in str(note) for note in table.notes)


def test_a_first_column_without_a_name_that_does_not_count_is_a_feature(put):
    table = read_templates(put(",subject,f0\n0,a,.5\n1,a,.25\n3,b,.75\n", "x.csv"))
    assert np.asarray(table.templates).tolist() == [[0, 0.5], [1, 0.25], [3, 0.75]]


def test_numbers_of_columns_are_no_template(put):
    table = read_templates(put("0,1\n.5,.25\n.75,.5\n.1,.2\n", "x.csv"), labels=["a", "a", "b"])
    assert np.asarray(table.templates).tolist() == [[0.5, 0.25], [0.75, 0.5], [0.1, 0.2]]


def test_labels_go_by_the_column_that_holds_the_samples_whatever_its_name_by_hand(put):
    templates = put("sample,f0,f1\ns1,.5,1\ns2,.25,2\ns3,.75,3\ns4,.1,4\n", "ts.csv")
    table = read_templates(templates, labels=put("utt,spk\ns1,a\ns3,b\ns2,a\ns4,b\n", "labels.csv"))
    assert table.subject.tolist() == ["a", "a", "b", "b"]
    assert table.sample.tolist() == ["s1", "s2", "s3", "s4"]
    assert any("column 'utt' of the labels holds the samples" in str(note) for note in table.notes)
    by_order = read_templates(templates, labels=put("room,spk\nr1,a\nr3,b\nr2,a\nr4,b\n", "labels.csv"))
    assert by_order.subject.tolist() == ["a", "b", "a", "b"]
    assert any("labels are in the order of the templates" in str(note) for note in by_order.notes)
