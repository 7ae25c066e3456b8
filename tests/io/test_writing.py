"""Writing: round trips, what a format cannot hold, and files written whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bertillon.core import AcceptRule, ComparisonTable, InputError, ScoreMatrix
from bertillon.io import FORMATS, read, write

relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
scores = st.floats(allow_nan=True, allow_infinity=True, width=64)
words = st.text(st.characters(codec="utf-8", categories=["L", "N"], include_characters="-_./"), min_size=1, max_size=6)
words = words.filter(lambda word: word.lower() not in ("na", "n/a", "nan", "null", "none"))  # would be nobody
anything = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)


def tables(ids):
    row = st.tuples(scores, ids, ids, ids, ids)
    return st.lists(row, min_size=1, max_size=8).map(as_table)


def as_table(rows) -> ComparisonTable:
    names = ["score", "probe", "reference", "probe_subject", "reference_subject"]
    schema = {name: pl.Float64 if name == "score" else pl.String for name in names}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    mated = frame["probe_subject"] == frame["reference_subject"]
    return ComparisonTable(frame.insert_column(1, mated.alias("mated")))


def assert_same(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    assert found.equals(expected.select(found.columns), null_equal=True), (found, expected)


@relaxed
@given(table=tables(anything), name=st.sampled_from(["x.csv", "x.tsv", "x.parquet", "x.csv.gz", "x.PQ"]))
def test_tables_come_back(tmp_path, table, name):
    write(table, tmp_path / name)
    back = read(tmp_path / name)
    assert back.frame.columns == table.frame.columns
    assert_same(back.frame, table.frame)


@relaxed
@given(table=tables(words), packed=st.booleans())
def test_bob_files_come_back(tmp_path, table, packed):
    path = tmp_path / ("x.txt.gz" if packed else "x.txt")
    write(table, path, format="bob-4")
    back = read(path, format="bob-4")
    assert_same(back.frame, table.frame)
    write(table, path, format="bob-csv")
    assert_same(read(path).frame, table.frame)


matrices = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        st.lists(st.floats(width=32), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
            lambda cells: np.array(cells, dtype=np.float64).reshape(shape)
        ),
        st.lists(words, min_size=shape[0], max_size=shape[0]).map(np.array),
        st.lists(words, min_size=shape[1], max_size=shape[1]).map(np.array),
    )
)


@relaxed
@given(parts=matrices, suffix=st.sampled_from([".csv", ".tsv", ".csv.gz"]))
def test_text_matrices_come_back(tmp_path, parts, suffix):
    write(ScoreMatrix(*parts), tmp_path / f"x{suffix}")
    back = read(tmp_path / f"x{suffix}", format="matrix")
    np.testing.assert_array_equal(back.scores, parts[0])
    assert back.probe_subject.tolist() == parts[1].tolist()
    assert back.reference_subject.tolist() == parts[2].tolist()


@relaxed
@given(parts=matrices, rule=st.sampled_from(AcceptRule), seed=st.integers(0, 9))
def test_bee_matrices_come_back(tmp_path, parts, rule, seed):
    mated, ignored = np.random.default_rng(seed).random((2, *parts[0].shape)) < 0.4
    matrix = ScoreMatrix(*parts, mated & ~ignored, ignored, rule=rule)
    write(matrix, tmp_path / "x.mtx")
    write(matrix, tmp_path / "x.mask.gz")
    back = read(tmp_path / "x.mtx", mask=tmp_path / "x.mask.gz")
    np.testing.assert_array_equal(back.scores, parts[0].astype(np.float32))
    np.testing.assert_array_equal(back.mated, matrix.mated)
    np.testing.assert_array_equal(back.ignored, ignored)
    assert back.rule is rule


def test_a_subject_that_looks_like_a_comment_comes_back(tmp_path):
    write(ScoreMatrix(np.eye(2), np.array(["#a", "b"]), np.array(["#a", "b"])), tmp_path / "x.csv")
    assert read(tmp_path / "x.csv").probe_subject.tolist() == ["#a", "b"]


TABLE = as_table([(0.5, "p1", "r1", "a", "a"), (0.25, "p2", "r1", "b", "a")])
MATRIX = ScoreMatrix(np.eye(2), np.array(["a", "b"]), np.array(["a", "b"]))


def test_distances_stay_distances(tmp_path):
    table = ComparisonTable(TABLE.frame, rule=AcceptRule.DISTANCE)
    for name in ("x.csv", "x.parquet"):
        write(table, tmp_path / name)
        back = read(tmp_path / name)
        assert back.rule is AcceptRule.DISTANCE
        assert_same(back.frame, table.frame)


def test_gzip_by_suffix(tmp_path):
    write(TABLE, tmp_path / "x.csv.gz")
    assert gzip.decompress((tmp_path / "x.csv.gz").read_bytes()).startswith(b"score,mated,probe")


@pytest.mark.parametrize(
    ("table", "name", "format", "message"),
    [
        (TABLE, "x.txt", None, r"x.txt: the suffix '.txt' names no format; use one of .*\.csv"),
        (TABLE, "x", "bob-5", "'bob-5' can be read but not written; written are: .*bob-4"),
        (TABLE, "x", "cvs", r"format 'cvs' is unknown; did you mean 'csv'\?"),
        (TABLE, "x.mtx", None, "x.mtx: bee holds a matrix"),
        (MATRIX, "x.parquet", None, "not a matrix"),
        (MATRIX, "x", "bob-4", "not a matrix"),
        (MATRIX, "x", "bob-csv", "not a matrix"),
        (
            ComparisonTable(TABLE.frame.select("score")),
            "x",
            "bob-4",
            "missing: reference_subject, probe_subject, probe",
        ),
        (ComparisonTable(TABLE.frame.select("score")), "x", "bob-csv", "missing: probe_subject, reference_subject"),
        (ComparisonTable(TABLE.frame.select("probe")), "x.csv", None, "needs a score or a mated column"),
        (as_table([(0.5, "p 1", "r", "a", "a")]), "x", "bob-4", "probe has ids that are empty or hold blanks"),
        (ComparisonTable(TABLE.frame.with_columns(mated=True)), "x", "bob-4", "mated column says otherwise"),
        (ComparisonTable(TABLE.frame.with_columns(mated=True)), "x", "bob-csv", "mated column says otherwise"),
        (ScoreMatrix(np.eye(2), *[np.array(["a", "b"])] * 2, np.ones((2, 2), bool)), "x.csv", None, "mask of its own"),
        (ScoreMatrix(np.eye(2), *[np.array(["a", "b"])] * 2, rule=AcceptRule.DISTANCE), "x.csv", None, "no direction"),
    ],
)
def test_what_a_format_cannot_hold(tmp_path, table, name, format, message):
    with pytest.raises(InputError, match=message):
        write(table, tmp_path / name, format=format)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_full_disk_leaves_everything_as_it_was(tmp_path, monkeypatch, step):
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "x.csv"
    path.write_text("old")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(InputError, match=r"x.csv: cannot be written \(No space left on device\); nothing was changed"):
        write(TABLE, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(TABLE, tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_no_such_folder_a_folder_and_a_device(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        write(TABLE, tmp_path / "nowhere" / "x.csv")
    with pytest.raises(InputError, match="not a regular file"):
        write(TABLE, tmp_path, format="csv")
    with pytest.raises(InputError, match="not a regular file"):
        write(TABLE, os.devnull, format="csv")


def test_mode_and_link_are_kept(tmp_path):
    target, link = tmp_path / "x.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write(TABLE, link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    write(TABLE, tmp_path / "new.csv")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "new.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_every_written_format_is_tested_here():
    written = {name for name, one in FORMATS.items() if one.writer}
    assert written == {"csv", "tsv", "parquet", "bob-4", "bob-csv", "bee", "bee-mask"}


def test_a_line_that_begins_with_the_sign_of_comments_is_kept_by_bob_csv(tmp_path):
    table = as_table([(0.5, "p1", "r1", "#1", "#1"), (0.25, "p2", "r1", "ann", "#1")])
    write(table, tmp_path / "scores.csv", format="bob-csv")
    assert_same(read(tmp_path / "scores.csv").frame, table.frame)
