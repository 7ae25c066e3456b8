"""The registry: complete, extensible, and light to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bertillon.io
from bertillon.core import InputError
from bertillon.io import FORMATS, read

READ = (
    "bob-2 bob-4 bob-5 bob-csv pyeer kaldi voxceleb-trials voxceleb-scores scores csv tsv parquet matrix npy npz hdf5 "
    "bee nist-1to1 candidates lfw-pairs bare-matrix asvspoof asvspoof-tsv json "
    "histogram pyeer-histogram mat xlsx livdet"
)


def test_every_format_is_there_and_says_what_it_is():
    assert {name for name, one in FORMATS.items() if one.reader} == set(READ.split())
    assert all(one.name == name and one.summary for name, one in FORMATS.items())
    assert all(one.reader or one.refusal for one in FORMATS.values())


def test_the_exports_are_what_is_promised():
    assert {"FORMATS", "Format", "read", "register", "sniff", "write"} <= set(bertillon.io.__all__)
    assert all(hasattr(bertillon.io, name) for name in bertillon.io.__all__)


def test_an_unknown_format_without_a_near_spelling():
    with pytest.raises(InputError, match=r"format 'zzz' is unknown\. Known are: 'asvspoof', 'asvspoof-tsv'"):
        read("x", format="zzz")


def test_importing_the_formats_loads_no_reader():
    code = "import sys, bertillon.io; print([m for m in ('polars', 'h5py', 'pandas') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
