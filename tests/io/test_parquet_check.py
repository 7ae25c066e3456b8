"""Sound Parquet files pass, whoever wrote them; sizes that cannot be true are refused before they are believed."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bertillon as bt
from bertillon.io import Source, check_sizes, read_frame, read_record

N = 3000
FRAME = pl.DataFrame(
    {
        "score": np.arange(N) / 7,
        "label": np.arange(N) % 2,
        "probe": [f"person {n % 50}" for n in range(N)],
        "gaps": [None if n % 3 else n for n in range(N)],
        "lists": [[1.0] * (n % 4) for n in range(N)],
    }
)


def source(content: bytes) -> Source:
    return Source(Path("x.parquet"), content, in_memory=True)


def by_polars(**options) -> bytes:
    stream = io.BytesIO()
    FRAME.write_parquet(stream, **options)
    return stream.getvalue()


def by_pyarrow(table: pa.Table | None = None, **options) -> bytes:
    stream = io.BytesIO()
    pq.write_table(FRAME.to_arrow() if table is None else table, stream, **options)
    return stream.getvalue()


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "zstd", "gzip", "lz4", "brotli"])
@pytest.mark.parametrize("rows", [None, 700])
def test_files_of_polars_pass(compression, rows):
    content = by_polars(compression=compression, row_group_size=rows)
    assert read_frame(source(content)).equals(FRAME)


@pytest.mark.parametrize(
    "options",
    [
        {"data_page_version": "2.0"},
        {"data_page_version": "2.0", "compression": "none", "use_dictionary": False},
        {"data_page_size": 256, "write_page_index": True},
        {"row_group_size": 100, "write_page_checksum": True},
        {"use_dictionary": ["probe"], "dictionary_pagesize_limit": 64},
        {"use_dictionary": False, "column_encoding": {"probe": "DELTA_BYTE_ARRAY", "label": "DELTA_BINARY_PACKED"}},
        {"version": "1.0", "write_statistics": False},
    ],
)
def test_files_of_pyarrow_pass(options):
    assert read_frame(source(by_pyarrow(**options))).equals(FRAME)


def test_files_without_rows_and_with_long_statistics_pass():
    empty = FRAME.clear()
    stream = io.BytesIO()
    empty.write_parquet(stream)
    for content in (stream.getvalue(), by_pyarrow(empty.to_arrow())):
        assert read_frame(source(content)).equals(empty)
    long = pa.table({"probe": ["x" * 20_000, "y" * 20_000]})  # a page header longer than is read at first
    assert read_frame(source(by_pyarrow(long))).height == 2


@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_page_of_less_than_no_values_is_refused(number):
    """One byte that made the library ask for more memory than there is, and end the process."""
    stream = io.BytesIO()
    pl.DataFrame({"score": [0.5, 0.25], "label": [1, 0]}).write_parquet(stream)
    content = bytearray(stream.getvalue())
    header, _ = read_record(bytes(content), 4)
    assert header[5][1] == 2  # the first page holds two values, and byte 12 says so
    assert content[12] == 4
    content[12] = number
    with pytest.raises(bt.InputError, match="number of values of a page is negative"):
        read_frame(source(bytes(content)))


def test_every_byte_of_a_small_file_may_be_wrong():
    """In a process of its own, since it is what might end."""
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_parquet_check import try_every_byte
print(try_every_byte())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 100
    assert ran.stderr == ""


def try_every_byte() -> int:
    """How many of the files with one byte changed were refused."""
    stream = io.BytesIO()
    pl.DataFrame({"score": [0.5, 0.25], "label": [1, 0]}).write_parquet(stream, compression="uncompressed")
    content, refused = stream.getvalue(), 0
    for place in range(len(content)):
        spoiled = bytearray(content)
        spoiled[place] ^= 0x11
        try:
            read_frame(source(bytes(spoiled)))
        except bt.InputError:
            refused += 1
    return refused


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda content: content[:-1], "does not end with PAR1"),
        (lambda content: b"PAR1", "does not end with PAR1"),
        (lambda content: content[:-8] + b"\xff\xff\xff\x7f" + b"PAR1", "more than the file has"),
        (lambda content: content[:4] + content[2000:], "damaged"),
        (lambda content: content[:-30] + b"\xff" * 22 + content[-8:], "damaged"),
    ],
)
def test_what_is_wrong_is_said(spoil, why):
    with pytest.raises(bt.InputError, match=why) as raised:
        check_sizes(source(spoil(by_polars())))
    assert str(raised.value).startswith("x.parquet: the Parquet file is damaged (")


def test_thrift_by_hand():
    """Field 1 is 3 (zigzag 6), field 3 the text ab, field 20 a list of two whole numbers, then the end."""
    content = bytes([0x15, 6, 0x28, 2]) + b"ab" + bytes([0x09, 40, 0x25, 1, 2, 0])
    assert read_record(content) == ({1: 3, 3: b"ab", 20: [-1, 1]}, len(content))
    for end in range(len(content)):
        with pytest.raises(ValueError, match="cut off"):
            read_record(content[:end])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x1b\x00", "kind 11 is not expected"),
        (b"\x15" + b"\xff" * 11, "a number is too long"),
        (b"\x19\xf5\xff\xff\xff\x7f", "does not fit into it"),
        (b"\x1c" * 100, "too deep"),
    ],
)
def test_malformed_thrift_is_refused(content, why):
    with pytest.raises(ValueError, match=why):
        read_record(content)
