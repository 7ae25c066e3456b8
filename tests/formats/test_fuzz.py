"""Random bytes and mangled files: a table, a matrix or an `InputError`, and nothing else."""

from __future__ import annotations

import gzip
import io

import h5py
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bertillon.errors import InputError
from bertillon.formats import FORMATS, read, sniff
from bertillon.tables import ComparisonTable, ScoreMatrix

fuzz = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
stated = st.sampled_from([None, *FORMATS])


def binary(write) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def write_hdf5(stream) -> None:
    with h5py.File(stream, "w") as file:
        file["modelset"], file["segset"], file["scores"] = np.array([b"m"]), np.array([b"s", b"t"]), np.ones((1, 2))


VALID = [
    b"1 0.5\n-1 0.25\n",
    b"a a p 0.5\na b q 0.25\n",
    b"m t 0.5 target\nm u 0.25 nontarget\n",
    b"1 id1/a id1/b\n0 id1/a id2/c\n",
    b'"score","label","probe"\n0.5,1,"a, b"\n0.25,0,c\n',
    b"score;probe_subject;reference_subject\n0.5;a;a\n;a;b\n",
    b",ann,bob\nann,1,2\nbob,3,4\n",
    b"2 1\nAnn 1 2\nAnn 1 Bob 2\nBob 1 2\nAnn 2 Bob 3\n",
    b"enrollTempl verifTempl simScore returnCode\na b 0.5 0\nc d -1 3\n",
    b"S2\nt\nq\nMF 1 2 \x78\x56\x34\x12\n" + bytes(8),
    gzip.compress(b"0.5\n0.25\n", mtime=0),
    binary(lambda stream: np.save(stream, np.arange(6.0).reshape(3, 2))),
    binary(lambda stream: np.savez(stream, scores=np.arange(3.0), labels=np.array([0, 1, 1]))),
    binary(lambda stream: np.savez_compressed(stream, genuine=np.arange(3.0), impostor=np.arange(2.0))),
    binary(pl.DataFrame({"score": [0.5, 0.25], "label": [1, 0]}).write_parquet),
    binary(write_hdf5),
]


def must_be_understood_or_refused(path, **options) -> None:
    try:
        table = read(path, **options)
    except InputError:
        return
    assert isinstance(table, ComparisonTable | ScoreMatrix)
    if isinstance(table, ComparisonTable):
        assert {"score", "mated"} & set(table.frame.columns)
        assert len(table) > 0


@fuzz
@given(data=st.binary(max_size=300), format=stated)
def test_random_bytes(tmp_path, data, format):
    path = tmp_path / "x"
    path.write_bytes(data)
    must_be_understood_or_refused(path, format=format)


@fuzz
@given(
    text=st.text(st.sampled_from('01-.,;|\t \n\r"#abe\ufeffé'), max_size=80),
    format=stated,
    ids=st.booleans(),
    columns=st.sampled_from([None, {"score": "1"}, {"score": "2", "label": "1"}, {"distance": "score"}]),
)
def test_random_lines(tmp_path, text, format, ids, columns):
    path = tmp_path / "x"
    path.write_bytes(text.encode())
    must_be_understood_or_refused(path, format=format, ids=ids, columns=columns)


@fuzz
@given(data=st.data(), which=st.sampled_from(VALID), format=st.just(None) | stated)
def test_mangled_files(tmp_path, data, which, format):
    mangled = bytearray(which)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(mangled) - 1, 0)))
        how = data.draw(st.sampled_from(["cut", "flip", "insert", "double"]))
        if how == "cut":
            del mangled[at : at + data.draw(st.integers(1, 20))]
        elif how == "flip" and mangled:
            mangled[at] = data.draw(st.integers(0, 255))
        elif how == "insert":
            mangled[at:at] = data.draw(st.binary(max_size=5))
        else:
            mangled[at:at] = mangled[at : at + 30]
    path = tmp_path / "x"
    path.write_bytes(bytes(mangled))
    must_be_understood_or_refused(path, format=format)


@pytest.mark.parametrize("which", VALID, ids=range(len(VALID)))
def test_the_files_to_mangle_are_valid(tmp_path, which):
    path = tmp_path / "x"
    path.write_bytes(which)
    assert len(read(path).notes) > 0
    assert sniff(path) in FORMATS


@pytest.mark.parametrize("which", VALID, ids=range(len(VALID)))
def test_every_beginning_of_a_file(tmp_path, which):
    path = tmp_path / "x"
    for end in range(0, len(which), max(1, len(which) // 60)):
        path.write_bytes(which[:end])
        must_be_understood_or_refused(path)
