"""Every way templates can be wrong: where, what was found, what was expected, what to do."""

from __future__ import annotations

import pickle
import struct

import numpy as np
import polars as pl
import pytest

from bertillon.core import InputError
from bertillon.io import make_templates, read_templates

X = np.arange(6.0).reshape(3, 2)


def refuses(message, *arguments, **options):
    with pytest.raises(InputError, match=message):
        read_templates(*arguments, **options)


@pytest.fixture
def npz(tmp_path):
    def write(**arrays):
        np.savez(tmp_path / "t.npz", **arrays)
        return tmp_path / "t.npz"

    return write


@pytest.fixture
def npy(tmp_path):
    def write(array):
        np.save(tmp_path / "t.npy", array)
        return tmp_path / "t.npy"

    return write


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        (tmp_path / "t").mkdir(exist_ok=True)
        for name, content in files.items():
            path = tmp_path / "t" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "t"

    return write


def test_labels_missing_or_of_another_length(npy, npz, put):
    refuses(r"t.npy: does not state the subject of each template; give labels", npy(X))
    refuses(
        r"there are 2 labels for the 3 templates of .*t.npy; give one label per template", npy(X), labels=["a", "b"]
    )
    labels = put("subject\na\nb\n", "labels.csv")
    refuses(r"labels.csv: there are 2 labels for the 3 templates", npy(X), labels=labels)
    refuses(r"has templates 'X' and no array of their subjects .*Present: X float64\[3, 2\]", npz(X=X))
    refuses(r"'X' holds 3 templates, but 'y' has shape \(2,\)", npz(X=X, y=[1, 2]))
    refuses(
        r"there are 4 labels for the 3 .*'person_name'. is a header, say so: --column subject='person_name'",
        npy(X),
        labels=put("person_name\na\na\nb\n", "labels.csv"),
    )
    refuses(r"no such file", npy(X), labels="nowhere.csv")
    refuses(r"3 of 3 templates have no subject; the first is sample '0'", npy(X), labels=["", "", ""])


def test_values_that_are_not_finite_are_counted_and_the_first_is_named(npz, put):
    bad = X.copy()
    bad[1, 0], bad[2, 1] = np.nan, np.inf
    message = r"2 of 3 templates hold values that are not finite; the first is sample 'b' \(number 2\)"
    refuses(message, npz(X=bad, y=[1, 2, 3], sample=["a", "b", "c"]))
    refuses("1 of 2 templates hold values that are not finite", put("subject,a,b\nanna,1,2\nbob,,3\n", "f.csv"))


def test_histograms_that_are_none(npz):
    message = r"1 of 3 templates have negative bins; the first is sample '1'"
    refuses(message, npz(X=[[1.0, 2.0], [-1.0, 2.0], [0.0, 1.0]], y=[1, 2, 3]), kind="histogram")
    message = r"2 of 3 templates are empty histograms \(sum 0\); the first is sample '0'"
    refuses(message, npz(X=[[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]], y=[1, 2, 3]), kind="histogram")


def test_series_that_are_none(folder, tmp_path):
    refuses(r"anna_1.csv: is empty \(0 bytes\), a series of length 0", folder(**{"anna_1.csv": ""}))
    refuses(r"anna_1.csv: is a series of length 0; lines of numbers", folder(**{"anna_1.csv": "x,y\n"}))
    place = folder(**{"anna_1.csv": "1,2\n3,4\n", "bob_1.csv": "1,2,3\n"})
    refuses(r"series have different axes: sample 'anna_1' has 2 and 'bob_1' has 3", place)
    with pytest.raises(InputError, match="1 of 2 templates are series of length 0; the first is sample '1'"):
        make_templates([np.zeros((2, 1)), np.zeros((0, 1))], ["a", "b"], kind="series")
    refuses(
        r"bob_1.csv:2: 2 numbers expected, as in most lines \(in 'a,b'\)", folder(**{"bob_1.csv": "1,2\na,b\n3,4\n"})
    )


def test_minutiae_with_malformed_lines(folder):
    """Every faulty line of a file is named."""
    place = folder(**{"anna_1.xyt": "1 2 3\n1 2\n# fine\n1 x 3\n1 2 3 4 5\n"})
    with pytest.raises(InputError) as found:
        read_templates(place)
    lines = str(found.value).splitlines()
    assert [line.partition("anna_1.xyt:")[2].partition(":")[0] for line in lines] == ["2", "4", "5"]
    assert all("numbers expected, as in most lines" in line for line in lines)
    refuses("anna_1.xyt:2: 3 numbers expected", folder(**{"anna_1.xyt": "1 2 3\n1 2 3 4\n"}))
    refuses("1 of 1 templates hold values that are not finite", folder(**{"anna_1.xyt": "1 2 nan\n"}))
    with pytest.raises(InputError, match="do not have the three columns x, y and angle"):
        make_templates([np.zeros((4, 2))], ["a"], kind="minutiae")


def test_sample_ids_given_twice(npz, folder):
    message = r"1 sample ids are given to several templates; the first is 'a', 2 times. Give each template an id"
    refuses(message, npz(X=X, y=[1, 1, 2], sample=["a", "a", "b"]))
    refuses(r"the first is 'anna_1', 2 times", folder(**{"anna_1.csv": "1,2\n", "anna_1.txt": "1,2\n"}))


def test_folders_that_cannot_be_read(folder, put):
    refuses(r"is an empty folder; one file per template is expected", folder())
    refuses(r"'first.csv' does not state its subject", folder(**{"first.csv": "1,2\n"}))
    refuses(r"holds files \(first.csv, ...\) and sub-folders \(anna, ...\)", folder(**{"anna/1.csv": "1,2\n"}))


def test_folders_with_other_things_in_them(folder, put):
    place = folder(**{"anna_1.csv": "1,2\n", "bob_1.xyt": "1 2 3\n"})
    refuses(r"anna_1.csv was understood as series and bob_1.xyt as minutiae", place)
    labels = put("file,subject\nanna_1.csv,anna\n", "labels.csv")
    refuses(r"labels.csv: has no line for bob_1.xyt", place, labels=labels)
    refuses(r"labels: has no column that names the files", place, labels=["a", "b"])
    twice = put("file,subject\nanna_1.csv,anna\nanna_1.csv,bob\n", "labels.csv")
    refuses(r"names a file twice", place, labels=twice)


def test_a_folder_in_a_sub_folder(folder):
    place = folder(**{"anna/1.csv": "1,2\n"})
    (place / "anna" / "more").mkdir()
    refuses(r"is a folder within a sub-folder", place)


def test_pickles_are_refused(tmp_path, npz):
    objects = np.empty(2, dtype=object)
    objects[:] = [np.zeros(2), np.zeros(3)]
    np.save(tmp_path / "t.npy", objects, allow_pickle=True)
    refuses("holds pickled objects, which can run code and are refused", tmp_path / "t.npy", labels=["a", "b"])
    refuses("'X.npy' holds pickled objects", npz(X=objects, y=[1, 2]))
    (tmp_path / "t.pkl").write_bytes(pickle.dumps([1, 2]))
    refuses("is a pickle, which can run code and is refused; save the templates", tmp_path / "t.pkl")


def fmr(version=b" 20\x00", length=34, resolution=197, count=1, views=1) -> bytes:
    header = b"FMR\x00" + version + struct.pack(">IHHHHHBB", length, 0, 300, 400, resolution, resolution, views, 0)
    return header + struct.pack(">BBBB", 1, 0, 80, count) + struct.pack(">HHBB", 100, 100, 0, 0) + b"\x00\x00"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (fmr()[:20], r"ends at byte 20, before the end of the header \(byte 24\); is it cut off"),
        (fmr()[:-4], "states a record of 34 bytes and has 32"),  # the promise is checked first
        (fmr(count=9), r"before the end of 9 minutiae in view 1 \(byte 84\)"),
        (fmr(views=2, length=30), r"before the end of view 2 of 2"),
        (fmr()[:-2] + b"\x00\x09", "before the end of the extended data of view 1"),
        (fmr(version=b"030\x00"), r"version b'030\\x00'; b' 20\\x00' \(ISO/IEC 19794-2:2005\) is read"),
        (b"FMC\x00" + fmr()[4:], r"expected b'FMR\\x00', found b'FMC\\x00'"),
        (fmr(length=36 << 16), "is a record of ANSI INCITS 378"),
        (fmr(resolution=0), "a resolution of 0"),
        (fmr(views=0), "without finger views"),
    ],
)
def test_damaged_records(folder, content, message):
    refuses(message, folder(**{"anna_1.fmr": content}))


def test_damaged_cards_and_lone_records(folder, tmp_path):
    refuses(
        "has 34 bytes, which 5 bytes per minutia do not divide", folder(**{"anna_1.bin": b"\x01" * 34}), card="normal"
    )
    refuses("is a minutiae record, not a card", folder(**{"anna_1.bin": fmr()}), card="normal")
    (tmp_path / "one.fmr").write_bytes(fmr())
    refuses("is one minutiae record; give the folder", tmp_path / "one.fmr")
    refuses("holds binary data and no known format", folder(**{"anna_1.bin": b"\x00\x01\x02"}))


def test_arrays_that_are_no_templates(npy, npz, tmp_path):
    refuses(r"the array has shape \(3,\); one template per row is expected", npy(X[:, 0]), labels=["a"] * 3)
    refuses("holds no array of templates", npz(first=X, second=X, y=[1, 2, 3]))
    refuses("column 'third' is unknown", npz(first=X, y=[1, 2, 3]), columns={"template": "third"})
    refuses("not numbers", npz(X=np.array([["a"], ["b"]]), y=[1, 2]))
    refuses("'anna' does not state its subject", npz(anna=X, bob=X), kind="series")
    refuses("packed bits are of type uint8; found float64", npz(X=X, y=[1, 2, 3]), kind="bits")
    refuses("masks must be uint8", npz(codes=np.ones((3, 2), np.uint8), y=[1, 2, 3], mask=np.ones((3, 3), np.uint8)))
    refuses("rows of a matrix; found shape", npz(X=np.zeros((2, 2, 2)), y=[1, 2]), kind="vector")
    (tmp_path / "cut.npz").write_bytes(npz(X=X, y=[1, 2, 3]).read_bytes()[:-30])
    refuses("archive is damaged", tmp_path / "cut.npz")


def test_tables_that_hold_no_templates(put, tmp_path):
    refuses("no column states the subject of each template", put("name,a,b\nanna,1,2\n", "f.csv"))
    refuses("no column holds numbers to be taken as features", put("subject,hand\nanna,left\n", "f.csv"))
    refuses(r"f.csv:3: .*b'? ?is not a number|f.csv:3", put("subject,a,b\nanna,1,2\nbob,x,3\n", "f.csv"))
    path = tmp_path / "t.parquet"
    pl.DataFrame({"subject": ["a", "b"], "x": [[1.0], [1.0, 2.0]]}).write_parquet(path)
    refuses("must be equally long; found 1 to 2 numbers. Say --kind series", path, kind="vector")
    pl.DataFrame({"subject": ["a", "b"], "x": [[1.0], None]}).write_parquet(path)
    refuses("column 'x' is empty in 1 rows", path)
    pl.DataFrame({"subject": ["a", "b"], "x": [[1.0], []]}).write_parquet(path)
    refuses("column 'x' has empty lists, 1 of them", path, kind="series")
    pl.DataFrame({"subject": ["a"], "x": [["u"]]}).write_parquet(path)
    refuses("holds lists of String, not of numbers", path)
    pl.DataFrame({"subject": ["a"], "u": [[1.0]], "v": [[1.0]]}).write_parquet(path)
    refuses("several columns hold lists: 'u', 'v'", path)
    pl.DataFrame({"subject": ["a"], "u": [[[1.0], [1.0, 2.0]]]}).write_parquet(path)
    refuses("different numbers of axes", path)
    path.write_bytes(path.read_bytes()[:40])
    refuses("the Parquet file is damaged", path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "vektor"}, "kind 'vektor' is unknown; did you mean 'vector'"),
        ({"angle": "grad"}, "angle 'grad' is unknown"),
        ({"card": "small"}, "card 'small' is unknown"),
    ],
)
def test_unknown_options(npy, options, message):
    refuses(message, npy(X), labels=["a", "b", "c"], **options)


def test_tables_made_in_memory_are_checked():
    with pytest.raises(InputError, match="3 templates and 2 subjects; expected one subject for each"):
        make_templates(X, ["a", "b"])
    with pytest.raises(InputError, match="there are 3 templates and 1 values of 'quality'"):
        make_templates(X, ["a", "b", "c"], metadata={"quality": [1]})
    with pytest.raises(InputError, match="holds no templates"):
        make_templates(np.empty((0, 3)), [])
    with pytest.raises(InputError, match="did you mean 'histogram'"):
        make_templates(X, ["a", "b", "c"], kind="histograms")
