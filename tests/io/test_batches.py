"""Files read in batches: the same comparisons as when they are read whole, the same refusals, right line numbers."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon import io as formats
from bertillon.io import LIMITS, Request, open_as

ROWS = [(1, 0.9), (0, 0.1), (0, float("nan")), (1, float("inf")), (0, -0.0), (1, 0.5), (0, 0.5)]


@pytest.fixture(params=[12, 40, 1 << 24], ids=["tiny", "small", "real"])
def _small(request, monkeypatch):
    """Batches of a few rows."""
    monkeypatch.setattr(LIMITS, "chunk_bytes", request.param)
    monkeypatch.setattr(LIMITS, "batch_rows", max(2, request.param // 10))


def frame(rows=ROWS) -> pl.DataFrame:
    return pl.DataFrame({"label": [r[0] for r in rows], "score": [r[1] for r in rows]})


def read_in_parts(path: Path, **how) -> tuple[list, tuple[str, ...]]:
    tables = list(open_as(path, Request.of(**{"ids": False, **how})).tables())
    rows = [row for table in tables for row in table.frame.select(table.frame.columns).rows()]
    return rows, tables[0].notes if tables else ()


def text(rows, separator=",", header="label,score") -> str:
    lines = [f"{label}{separator}{score}" for label, score in rows]
    return "\n".join([*([header.replace(",", separator)] if header else []), *lines]) + "\n"


WAYS = {
    "parquet": lambda path: frame().write_parquet(path, row_group_size=3),
    "csv": lambda path: path.write_text(text(ROWS)),
    "tsv": lambda path: path.write_text(text(ROWS, "\t")),
    "gzipped": lambda path: path.write_bytes(gzip.compress(text(ROWS).encode())),
    "no header": lambda path: path.write_text(text([(label * 2 - 1, s) for label, s in ROWS], " ", "")),
    "words": lambda path: path.write_text(text([("target" if k else "nontarget", s) for k, s in ROWS], ",")),
    "crlf": lambda path: path.write_bytes(text(ROWS).replace("\n", "\r\n").encode()),
    "byte order mark": lambda path: path.write_bytes(b"\xef\xbb\xbf" + text(ROWS).encode()),
    "byte order mark and comment": lambda path: path.write_bytes(b"\xef\xbb\xbf# by hand\n" + text(ROWS).encode()),
    "comments": lambda path: path.write_text("# made by hand\n\n" + text(ROWS).replace("\n0", "\n# no\n\n0")),
    "no last line end": lambda path: path.write_text(text(ROWS).rstrip("\n")),
    "npz lists": lambda path: np.savez(path, genuine=[0.9, np.inf, 0.5], impostor=[0.1, np.nan, -0.0, 0.5]),
    "npz columns": lambda path: np.savez_compressed(
        path, score=[r[1] for r in ROWS], label=np.array([r[0] for r in ROWS], dtype=np.int8)
    ),
    "npy": lambda path: np.save(path, np.array(ROWS)),
}


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("way", WAYS)
def test_the_comparisons_are_those_of_the_file_read_whole(way, tmp_path):
    path = tmp_path / f"scores.{'npz' if 'npz' in way else 'npy' if way == 'npy' else 'txt'}"
    WAYS[way](path)
    whole = formats.read(path, ids=False)
    rows, notes = read_in_parts(path)
    assert repr(rows) == repr(whole.frame.select("score", "mated").rows())
    assert any("in parts" in str(note) or "bob 2-column" in str(note) for note in notes)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from([0, 1]), st.floats(allow_nan=False)), min_size=2, max_size=12),
    st.integers(1, 60),
    st.booleans(),
)
def test_any_cut_of_a_text_gives_the_same_rows(rows, chunk, packed):
    rows = [(1, 0.5), (0, 0.25), *rows]
    content = text(rows).encode()
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(LIMITS, "chunk_bytes", chunk)
        path = Path(folder) / "a.csv"
        path.write_bytes(gzip.compress(content) if packed else content)
        found, _ = read_in_parts(path)
    assert repr(found) == repr([(score, bool(label)) for label, score in rows])


@pytest.mark.usefixtures("_small")
def test_a_faulty_line_is_named_by_its_number_in_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text([*ROWS * 3, (1, "oops"), *ROWS]))
    with pytest.raises(bt.InputError, match=rf"a.csv:{len(ROWS) * 3 + 2}: score 'oops' is not a number"):
        read_in_parts(path)


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (["0,0.1"] * 3 + ["1,0.5"], ["-1,0.2"] * 3, "labels 0 and -1"),
        (["1,0.1"] * 4, ["2,0.2"], "'2' are not understood"),
    ],
)
def test_labels_are_understood_over_all_batches(tmp_path, monkeypatch, one, two, words):
    """0 in one chunk and -1 in another is as little understood as both in one file."""
    monkeypatch.setattr(LIMITS, "chunk_bytes", 30)
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["label,score", *one * 3, *two * 9]) + "\n")
    with pytest.raises(bt.InputError, match=words):
        read_in_parts(path)
    monkeypatch.setattr(LIMITS, "batch_rows", 2)
    table = [line.split(",") for line in [*one * 3, *two * 9]]
    pl.DataFrame({"label": [int(k) for k, _ in table], "score": [float(s) for _, s in table]}).write_parquet(
        tmp_path / "a.parquet"
    )
    with pytest.raises(bt.InputError, match=words):
        read_in_parts(tmp_path / "a.parquet")


def test_a_gzip_file_cut_off_in_the_middle_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(LIMITS, "chunk_bytes", 1 << 12)
    rng = np.random.default_rng(0)
    packed = gzip.compress(
        text([(int(k), float(s)) for k, s in zip(rng.random(9000) < 0.5, rng.random(9000), strict=True)]).encode()
    )
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(bt.InputError, match="the gzip file is cut off; copy or download it again"):
        read_in_parts(path)
    path.write_bytes(packed[:-2000] + b"\x00" * 2000)
    with pytest.raises(bt.InputError, match=r"cannot be read to its end|cut off"):
        read_in_parts(path)


def test_a_parquet_file_cut_off_or_damaged_in_the_middle_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    rng = np.random.default_rng(0)
    pl.DataFrame({"label": rng.integers(0, 2, 50_000), "score": rng.random(50_000)}).write_parquet(
        path, row_group_size=5000, compression="zstd"
    )
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(bt.InputError, match="the Parquet file is damaged"):
        read_in_parts(path)
    third = len(content) // 3
    path.write_bytes(content[:third] + bytes(third) + content[2 * third :])
    with pytest.raises(bt.InputError, match="the Parquet file is damaged"):
        read_in_parts(path)


def test_a_file_with_a_header_only_gives_no_batch(tmp_path):
    (tmp_path / "a.csv").write_text("label,score\n")
    frame([]).with_columns(pl.col("label").cast(pl.Int8), pl.col("score").cast(pl.Float64)).write_parquet(
        tmp_path / "a.parquet"
    )
    assert read_in_parts(tmp_path / "a.csv") == ([], ())
    assert read_in_parts(tmp_path / "a.parquet") == ([], ())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"x" * 3000, "longer than"),
        (b"hello world\n" * 5, "matches no known format"),
        ("label,score\n1,0,5\n".encode("utf-16"), "UTF-16"),
        (b"label,score\n1,0.5\n0,0.25\n1,\xff\n" * 30, "not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path, monkeypatch, content, words):
    for name in ("chunk_bytes", "head_bytes", "longest_line"):
        monkeypatch.setattr(LIMITS, name, 256)
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(bt.InputError, match=words):
        read_in_parts(path)


@pytest.mark.parametrize("format", ["csv", "kaldi"])
def test_a_byte_that_is_not_utf_8_far_behind_the_beginning_is_named_by_its_line(tmp_path, monkeypatch, format):
    for name in ("chunk_bytes", "head_bytes"):
        monkeypatch.setattr(LIMITS, name, 256)
    header, line = {"csv": (b"name,label,score\n", b"%s,1,0.5\n"), "kaldi": (b"", b"%s t1 0.5\n")}[format]
    path = tmp_path / "a.txt"
    path.write_bytes(header + line % b"ann" * 200 + line % b"J\xfcrgen" + line % b"ann" * 50)
    with pytest.raises(bt.InputError, match=rf"a.txt:{201 + bool(header)}: byte 0xfc is not UTF-8"):
        read_in_parts(path, format=format)


def test_missing_files_folders_and_pipes_are_refused(tmp_path):
    with pytest.raises(bt.InputError, match="no such file"):
        open_as(tmp_path / "a.csv", Request(ids=False))
    with pytest.raises(bt.InputError, match="is a folder; give the files in it"):
        open_as(tmp_path, Request(ids=False))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(bt.InputError, match="is not a regular file; what is read in parts may be read more than once"):
        open_as(tmp_path / "pipe", Request(ids=False))


def test_formats_that_are_not_read_in_parts_say_so(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(" ".join(map(str, np.arange(20) / 7)) + "\n")
    with pytest.raises(bt.InputError, match="scores is not read in parts; convert it to Parquet"):
        open_as(path, Request(ids=False))
    np.save(tmp_path / "m.npy", np.zeros((5, 4)))
    with pytest.raises(bt.InputError, match=r"an array of shape \(5, 4\) is not read in parts"):
        read_in_parts(tmp_path / "m.npy")
    np.savez(tmp_path / "m.npz", features=np.zeros(3))
    with pytest.raises(bt.InputError, match="holds neither genuine and impostor lists nor arrays"):
        read_in_parts(tmp_path / "m.npz")


@pytest.mark.parametrize("cut", [30, 200, 700])
def test_a_damaged_archive_is_refused(tmp_path, cut):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, genuine=np.random.default_rng(0).random(200), impostor=np.arange(9.0))
    content = bytearray(path.read_bytes())
    content[cut : cut + 20] = b"\xaa" * 20
    path.write_bytes(content)
    with pytest.raises(bt.InputError, match="damaged"):
        read_in_parts(path)


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", genuine=np.array([{}], dtype=object), impostor=[1.0])
    with pytest.raises(bt.InputError, match="pickled objects"):
        read_in_parts(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object))
    with pytest.raises(bt.InputError, match="save numbers"):
        read_in_parts(tmp_path / "a.npy")


def test_columns_can_be_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("first,second,third\n1,0.25,0.5\n0,0.75,1.5\n")
    rows, notes = read_in_parts(path, columns={"score": "third", "label": "first"})
    assert rows == [(0.5, True), (1.5, False)]
    assert "column 'third' is the score" in map(str, notes)
    path.write_text("0.5\n0.25\n")
    with pytest.raises(bt.InputError, match="columns cannot be named for scores"):
        read_in_parts(path, format="scores", columns={"score": "1"})


def test_an_archive_of_an_unknown_version_is_refused(tmp_path):
    """The directory of the archive says which version of zip is needed to unpack a member."""
    path = tmp_path / "future.npz"
    np.savez(path, genuine=np.arange(3.0), impostor=np.arange(3.0))
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 64
    path.write_bytes(content)
    with pytest.raises(bt.InputError, match=r"archive is damaged.*version"):
        list(open_as(path, Request(ids=False)).tables())
