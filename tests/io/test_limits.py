"""What a file unpacks to, or says it holds, is compared with the memory allowed before it is taken."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bertillon.core import InputError
from bertillon.io import (
    Request,
    available_memory,
    limited,
    max_memory,
    open_as,
    parse_size,
    read,
    read_templates,
    unpacks_beyond,
)

MB = 1 << 20
LINES = b"1,0.500\n0,0.125\n" * (2 * MB)  # 32 MB of text, 64 kB packed
TEXT = b"label,score\n" + LINES


def refused(path: Path, limit: str = "10M", **options: object) -> str:
    with limited(limit), pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


def assert_says_how(message: str, limit: str = "10.0 MiB") -> None:
    assert f"at most {limit} are allowed (--max-memory)" in message
    assert "allow more with --max-memory SIZE, such as --max-memory 20M" in message
    assert "damaged" not in message


def test_gzip_is_unpacked_as_far_as_allowed(put):
    path = put(TEXT, "x.csv.gz", packed=True)
    message = refused(path)
    assert "it unpacks to more than 10,485,760 bytes" in message
    assert "read in parts with --stream" in message
    assert_says_how(message)
    with limited("100M"):
        assert read(path).frame.height == 4 * MB


def test_gzip_of_many_members_counts_them_all(put):
    one = gzip.compress(b"label,score\n" + LINES[: 4 * MB], mtime=0)
    message = refused(put(one + gzip.compress(LINES[: 4 * MB]) * 5, "x.csv.gz"))
    assert "it unpacks to more than" in message


def test_what_gzip_says_of_its_size_is_not_believed(put, tmp_path):
    packed = bytearray(gzip.compress(TEXT, mtime=0))
    packed[-4:] = (10).to_bytes(4, "little")
    path = put(bytes(packed), "x.csv.gz")
    assert unpacks_beyond(path, 10 * MB)
    assert not unpacks_beyond(put(TEXT[: MB // 2], "y.csv.gz", packed=True), 10 * MB)
    assert not unpacks_beyond(put(TEXT, "z.csv"), 10 * MB)
    assert not unpacks_beyond(tmp_path / "nothing", 1)


def test_a_plain_text_larger_than_allowed_is_refused_too(put):
    assert_says_how(refused(put(TEXT, "x.csv")))


def test_a_pipe_that_never_ends_is_refused():
    if not os.path.exists("/dev/zero"):
        pytest.skip("there is no /dev/zero")
    assert "it gives more than 10,485,760 bytes" in refused(Path("/dev/zero"))


def test_members_of_an_archive_are_unpacked_as_far_as_allowed(tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, genuine=np.zeros(MB), impostor=np.ones(MB))  # 8 MB each
    message = refused(path)
    assert "the arrays of the archive up to 'impostor.npy' unpack to more than" in message
    assert_says_how(message)
    with limited("100M"):
        assert read(path).frame.height == 2 * MB


def test_what_an_archive_says_of_its_sizes_is_not_believed(tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, genuine=np.zeros(4 * MB), impostor=np.ones(4))
    content = path.read_bytes()
    true = (32 * MB + 128).to_bytes(4, "little")
    assert content.count(true) == 2 or true in content
    path.write_bytes(content.replace(true, (1000).to_bytes(4, "little")))
    with limited("10M"), pytest.raises(InputError):
        read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_unpack_without_a_bound_are_refused(tmp_path, method):
    path, array = tmp_path / "x.npz", io.BytesIO()
    np.save(array, np.zeros(2 * MB))
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("score.npy", array.getvalue())
    assert "'score.npy' is compressed with" in refused(path)
    with limited("10M"), pytest.raises(InputError, match="save it with deflate"):
        list(open_as(path, Request(ids=False)).tables())
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("xl/_rels/workbook.xml.rels", "<Relationships/>")
    with pytest.raises(InputError, match=r"workbook\.xml\.rels' is compressed with"):
        read(path, format="xlsx")


def test_a_part_of_an_archive_with_very_long_texts_is_refused(tmp_path):
    path, array = tmp_path / "x.npz", io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "<U100000", "fortran_order": False, "shape": (1 << 30,)})
    scores = io.BytesIO()
    np.lib.format.write_array_header_1_0(scores, {"descr": "<f8", "fortran_order": False, "shape": (1 << 30,)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("label.npy", array.getvalue() + bytes(1000))
        archive.writestr("score.npy", scores.getvalue() + bytes(8 * MB))
    with limited("10M"), pytest.raises(InputError, match="a part of array 'label'"):
        list(open_as(path, Request(ids=False)).tables())


def parquet(path: Path, **options: object) -> Path:
    """Ten million comparisons in a few kilobytes: each column holds one value."""
    rows = 10_000_000
    frame = pa.table(
        {
            "score": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([0.5])),
            "label": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([1])),
            "probe": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array(["a" * 200])),
        }
    )
    pq.write_table(frame, path, store_schema=False, row_group_size=rows, **options)
    return path


def test_rows_of_parquet_that_repeat_are_counted_as_they_stand_in_memory(tmp_path):
    path = parquet(tmp_path / "x.parquet")
    assert path.stat().st_size < MB
    message = refused(path, "200M")  # 80 MB of scores, 80 MB of labels, 2 GB of ids
    assert "3 columns needs 2.2 GiB of memory, and at most 200.0 MiB are allowed" in message
    assert "read in parts with --stream" in message
    with limited("200M"):
        assert read(path, ids=False).frame.height == 10_000_000


def test_a_row_group_of_parquet_larger_than_allowed_is_not_read_in_parts(tmp_path):
    path = parquet(tmp_path / "x.parquet")
    with limited("100M"), pytest.raises(InputError, match=r"its largest row group needs 152\.6 MiB"):
        list(open_as(path, Request(ids=False)).tables())
    with limited("200M"):
        assert sum(table.frame.height for table in open_as(path, Request(ids=False)).tables()) == 10_000_000


def test_sizes_of_fixed_length_values_are_counted(tmp_path):
    path = tmp_path / "x.parquet"
    values = pa.array([b"x" * 1000] * 100_000, pa.binary(1000))
    pq.write_table(pa.table({"score": np.zeros(100_000), "label": np.ones(100_000, int), "photo": values}), path)
    assert path.stat().st_size < MB
    with limited("50M"), pytest.raises(InputError, match="needs 96"):
        read_templates(path)
    with limited("50M"):
        assert read(path, ids=False).frame.height == 100_000


IDS = {"modelset": np.array([b"a", b"b"]), "segset": np.array([b"p", b"q"])}


def test_a_dataset_that_was_never_written_is_not_believed(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file.update(IDS)
        file.create_dataset("scores", (60_000, 60_000), dtype="f8", chunks=(100, 100), compression="gzip")
    assert path.stat().st_size < 100_000
    message = refused(path)
    assert "scores [60000, 60000]" in message
    assert "26.8 GiB" in message or "53.6 GiB" in message
    assert_says_how(message)


def test_templates_that_were_never_written_are_not_believed(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["subject"] = IDS["modelset"]
        file.create_dataset("embeddings", (60_000_000, 60), dtype="f8", chunks=(1000, 60))
    with limited("10M"), pytest.raises(InputError, match=r"embeddings \[60000000, 60\].*26\.8 GiB"):
        read_templates(path)


def test_texts_that_are_one_text_many_times_are_counted(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        ids = file.create_dataset("modelset", (20_000,), dtype=h5py.string_dtype(), chunks=(20_000,), compression=9)
        ids[:1] = ["x" * MB]
        _, packed = ids.id.read_direct_chunk((0,))
        cells = bytearray(zlib.decompress(packed))
        cells = cells[: len(cells) // 20_000] * 20_000  # every cell points to the same text
        ids.id.write_direct_chunk((0,), zlib.compress(bytes(cells)))
        file["segset"], file["scores"] = IDS["segset"], np.zeros((20_000, 2))
    assert path.stat().st_size < 2 * MB
    assert "the texts of 'modelset' take more than 104,857,600 bytes" in refused(path, "100M")


def test_one_long_id_does_not_make_all_long(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["modelset"] = ["x" * 100_000, *map(str, range(20_000))]
        file["segset"], file["scores"] = IDS["segset"], np.zeros((20_001, 2))
    assert "an array of 20,001 ids, the longest of 100,000 letters, needs 7.5 GiB" in refused(path, "100M")


def gzipped(path: Path, filters: list[tuple[int, tuple[int, ...]]], chunk: bytes) -> Path:
    """Scores in one chunk of 32 bytes, which is written as it stands."""
    with h5py.File(path, "w") as file:
        file.update(IDS)
        options = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        options.set_chunk((2, 2))
        for kind, values in filters:
            options.set_filter(kind, 0, values)
        space = h5py.h5s.create_simple((2, 2))
        dataset = h5py.h5d.create(file.id, b"scores", h5py.h5t.IEEE_F64LE, space, options)
        dataset.write_direct_chunk((0, 0), chunk)
    return path


def test_a_chunk_that_unpacks_to_more_than_it_is_said_to_be(tmp_path):
    deflate = (h5py.h5z.FILTER_DEFLATE, (9,))
    good = gzipped(tmp_path / "good.h5", [deflate], zlib.compress(np.arange(4.0).tobytes()))
    assert read(good).frame["score"].to_list() == [0.0, 1.0, 2.0, 3.0]
    bomb = gzipped(tmp_path / "bomb.h5", [deflate], zlib.compress(bytes(50 * MB), 9))
    assert "a chunk of dataset '/scores' unpacks to more than the 32 bytes it states" in refused(bomb)
    twice = gzipped(
        tmp_path / "twice.h5", [deflate, deflate], zlib.compress(zlib.compress(bytes(50 * MB), 9)) + b"x" * 9999
    )
    assert "is packed more than once" in refused(twice, "1M")


def test_sizes_by_hand():
    assert [parse_size(text) for text in ("1", "2k", "500M", "4G", "1.5GiB", " 3 TB ")] == [
        1,
        2048,
        500 << 20,
        4 << 30,
        3 << 29,
        3 << 40,
    ]
    for text in ("", "0", "-1G", "4X", "1e9", "G", "many", "1G1", "9" * 99 + "T"):
        with pytest.raises(InputError, match="expected a number with a unit, such as 500M or 4G"):
            parse_size(text)


def test_the_environment_sets_the_limit_and_the_option_comes_first(put, monkeypatch):
    monkeypatch.setenv("BERTILLON_MAX_MEMORY", "1M")
    path = put(TEXT[: 4 * MB - 4], "x.csv.gz", packed=True)
    with pytest.raises(InputError, match=r"at most 1\.0 MiB are allowed \(BERTILLON_MAX_MEMORY\)"):
        read(path)
    with limited("100M"):
        assert read(path).frame.height > 1000
    monkeypatch.setenv("BERTILLON_MAX_MEMORY", "plenty")
    with pytest.raises(InputError, match="BERTILLON_MAX_MEMORY: 'plenty' is not a size"):
        read(path)


def test_unless_stated_half_of_what_is_available_is_allowed(monkeypatch):
    monkeypatch.delenv("BERTILLON_MAX_MEMORY", raising=False)
    before, limit, after = available_memory(), max_memory(), available_memory()
    assert 0.8 * min(before, after) <= 2 * limit <= 1.25 * max(before, after)


def machine(root: Path, files: dict[str, str]) -> Path:
    """The files in which Linux tells what is available."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMORY = {"proc/meminfo": "MemTotal:  16000000 kB\nMemAvailable:    8000000 kB\n"}
V2 = {
    "proc/self/cgroup": "0::/jobs/7\n",
    "sys/fs/cgroup/jobs/memory.max": "max\n",
    "sys/fs/cgroup/jobs/7/memory.max": "1000000000\n",
    "sys/fs/cgroup/jobs/7/memory.current": "700000000\n",
    "sys/fs/cgroup/jobs/7/memory.stat": "anon 1\ninactive_file 200000000\n",
}
ABOVE = {"sys/fs/cgroup/jobs/memory.max": "900000000\n", "sys/fs/cgroup/jobs/memory.current": "800000000\n"}
V1 = {
    "proc/self/cgroup": "5:cpu:/x\n4:memory,other:/box\n",
    "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "3000000\n",
    "sys/fs/cgroup/memory/box/memory.usage_in_bytes": "1000000\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (MEMORY, 8000000 << 10),
        (MEMORY | V2, 500_000_000),
        (MEMORY | V2 | ABOVE, 100_000_000),
        (MEMORY | V1, 2_000_000),
    ],
    ids=["machine", "version 2", "the group above", "version 1"],
)
def test_what_is_available_is_the_least_that_any_of_them_leaves_by_hand(tmp_path, files, expected):
    assert available_memory(machine(tmp_path, files)) == expected


BOMB = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
sys.argv = ["bertillon", *sys.argv[1:]]
from bertillon.cli.app import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (bytes(6), [], "a line is longer than 16,777,216 bytes"),  # read in parts unasked
        (bytes(6), ["--no-stream"], "more than 314,572,800 bytes, and at most 300.0 MiB are allowed"),
        (b"1,0.5\n", ["--no-stream"], "more than 314,572,800 bytes, and at most 300.0 MiB are allowed"),
    ],
    ids=["zeros", "zeros held", "scores held"],
)
def test_eight_gigabytes_in_some_megabytes_end_in_words_and_little_memory(tmp_path, content, options, expected):
    path = tmp_path / "x.csv.gz"
    member = gzip.compress(content * (4 * MB), 9)  # 25 MB
    path.write_bytes(gzip.compress(b"label,score\n" + b"0,0.25\n" * 10) + member * 330)
    command = [sys.executable, "-c", BOMB, "verify", str(path), "--max-memory", "300M", "--no-intervals", "-m", "EER"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert int(done.stderr.splitlines()[-1]) < 1 << 20  # kB
