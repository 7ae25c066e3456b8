"""Random bytes and mangled files: a checked table of templates or an `InputError`, and nothing else."""

from __future__ import annotations

import io
import struct

import h5py
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bertillon.errors import InputError
from bertillon.formats.templates import read_templates
from bertillon.formats.templates.checks import KINDS, check

fuzz = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
kinds = st.sampled_from([None, *KINDS])


def binary(write) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def write_hdf5(stream) -> None:
    with h5py.File(stream, "w") as file:
        file["embeddings"], file["subject"] = np.ones((2, 3)), np.array([b"a", b"b"])


X = np.arange(6.0).reshape(3, 2)
RECORD = b"FMR\x00 20\x00" + struct.pack(">IHHHHHBB", 42, 0, 300, 400, 197, 197, 1, 0)
RECORD += struct.pack(">BBBB", 1, 0, 80, 2) + 2 * struct.pack(">HHBB", 100, 100, 0, 0) + b"\x00\x00"
VALID = [
    b"subject,sample,a,b\nanna,1,2,3\nbob,2,4,5\n",
    b"x,y\n1,2\n3,4\n",
    b"10 20 90 50\n30 40 180 60\n",
    RECORD,
    binary(lambda stream: np.save(stream, X)),
    binary(lambda stream: np.savez(stream, X=X, y=np.array([1, 1, 2]), quality=np.arange(3.0))),
    binary(
        lambda stream: np.savez(stream, codes=np.ones((3, 2), np.uint8), mask=np.ones((3, 2), np.uint8), y=[1, 1, 2])
    ),
    binary(write_hdf5),
]
PARQUET = binary(pl.DataFrame({"subject": ["a", "b"], "x": [[1.0, 2.0], [3.0, 4.0]]}).write_parquet)


def must_be_understood_or_refused(tmp_path, content: bytes, kind) -> None:
    """As a file of its own, with and without labels, and as a file of a folder."""
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "anna_1.bin").write_bytes(content)
    for path, options in (
        (folder / "anna_1.bin", {}),
        (folder / "anna_1.bin", {"labels": ["a", "b", "c"]}),
        (folder, {}),
        (folder, {"card": "compact"}),
    ):
        try:
            check(read_templates(path, kind=kind, **options))
        except InputError:
            continue


@fuzz
@given(content=st.binary(max_size=200), kind=kinds)
def test_random_bytes(tmp_path, content, kind):
    must_be_understood_or_refused(tmp_path, content, kind)


@fuzz
@given(content=st.text(alphabet='subject,xy 0123456789.-\n\t#"naé', max_size=120), kind=kinds)
def test_random_text(tmp_path, content, kind):
    must_be_understood_or_refused(tmp_path, content.encode(), kind)


@pytest.mark.parametrize("valid", VALID, ids=range(len(VALID)))
@settings(fuzz, max_examples=60)
@given(data=st.data(), kind=kinds)
def test_mangled_files(tmp_path, valid, data, kind):
    place = data.draw(st.integers(0, len(valid) - 1))
    length = data.draw(st.integers(0, min(20, len(valid) - place)))
    mangled = valid[:place] + data.draw(st.binary(max_size=20)) + valid[place + length :]
    must_be_understood_or_refused(tmp_path, mangled, kind)
    must_be_understood_or_refused(tmp_path, valid[:place], kind)


@fuzz
@given(place=st.integers(0, len(PARQUET) - 1), kind=kinds)
def test_parquet_that_is_cut_off(tmp_path, place, kind):
    """Bytes changed in its middle can end the whole process within polars: that is not tried."""
    must_be_understood_or_refused(tmp_path, PARQUET[:place], kind)
