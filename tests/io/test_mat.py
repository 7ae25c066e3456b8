"""MATLAB files of version 5 and 7.3: each layout by hand, numbers against scipy, and what is refused."""

from __future__ import annotations

import io
import zlib
from functools import partial

import h5py
import numpy as np
import pytest
from fuzz_readers import made, mat73
from scipy.io import loadmat, savemat

import bertillon as bt
from bertillon.core import ComparisonTable, InputError, ScoreMatrix
from bertillon.io import limited, mat, read, read_templates, sniff, sniff_templates


def cells(*texts: str) -> np.ndarray:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def as_v5(variables: dict, *, packed: bool = False) -> bytes:
    def plain(value):
        if isinstance(value, dict):
            return {name: plain(one) for name, one in value.items()}
        return cells(*value) if isinstance(value, list) else value

    return made(lambda file: savemat(file, plain(variables), do_compression=packed))


WRITERS = {
    "version 5": as_v5,
    "version 7": partial(as_v5, packed=True),
    "version 7.3": lambda variables: made(partial(mat73, variables)),
}
MODELS, SEGMENTS = ["m1", "m2"], ["s1", "s2", "s3"]
KEY = {
    "modelset": MODELS,
    "segset": SEGMENTS,
    "tar": np.array([[True, False, False], [False, True, False]]),
    "non": np.array([[False, True, True], [True, False, False]]),
}
SCORES = {
    "modelset": MODELS,
    "segset": SEGMENTS,
    "scoremat": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    "scoremask": np.array([[True, True, False], [True, True, True]]),
}


@pytest.fixture(params=WRITERS)
def write(request, put):
    return lambda variables: put(WRITERS[request.param](variables), "x.mat")


def test_two_lists_by_hand(write):
    path = write({"genuine": np.array([0.9, 0.8]), "impostor": np.array([[0.1], [0.2], [0.3]])})
    assert sniff(path) == "mat"
    frame = read(path).frame
    assert frame["score"].to_list() == [0.9, 0.8, 0.1, 0.2, 0.3]
    assert frame["mated"].to_list() == [True, True, False, False, False]


def test_columns_in_a_struct_by_hand(write):
    variables = {"score": np.array([0.5, 0.25]), "label": np.array([True, False]), "probe": ["ann", "böb"]}
    for path in (write(variables), write({"results": variables})):
        table = read(path)
        assert table.frame.to_dict(as_series=False) == {
            "score": [0.5, 0.25],
            "mated": [True, False],
            "probe": ["ann", "böb"],
        }
        assert str(table.notes[0]) == "read as MATLAB columns"
    chosen = read(write({"llr": np.array([0.5]), "y": np.array([1.0])}), columns={"score": "llr", "label": "y"})
    assert chosen.frame.row(0) == (0.5, True)


def test_a_matrix_by_hand(write):
    path = write(
        {"scores": SCORES["scoremat"], "probe_subject": ["a", "b"], "reference_subject": np.array([1.0, 2.0, 3.0])}
    )
    matrix = read(path)
    assert isinstance(matrix, ScoreMatrix)
    assert matrix.scores.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert matrix.probe_subject.tolist() == ["a", "b"]
    assert matrix.reference_subject.tolist() == ["1", "2", "3"]


def test_bosaris_structs_by_hand(write):
    table = read(write({"scr": SCORES, "key": KEY}))
    assert isinstance(table, ComparisonTable)
    assert table.frame.select("score", "mated", "probe", "reference").rows() == [
        (1.0, True, "s1", "m1"),
        (2.0, False, "s2", "m1"),
        (4.0, False, "s1", "m2"),
        (5.0, True, "s2", "m2"),
    ]
    assert "2 models by 3 segments, 4 comparisons" in str(table.notes[0])


def test_bosaris_scores_and_key_in_files_of_their_own(write):
    assert read(write({"key": KEY})).is_trial_list
    assert len(read(write({"key": KEY}))) == 5
    scores = read(write(SCORES))
    assert len(scores) == 5
    assert scores.frame.columns == ["score", "probe", "reference"]


def test_templates_by_hand(write):
    path = write({"data": {"features": np.arange(6.0).reshape(3, 2), "subject": ["a", "a", "b"]}})
    assert sniff_templates(path) == "mat"
    table = read_templates(path)
    assert table.templates.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert table.subject.tolist() == ["a", "a", "b"]


def test_an_array_of_structs_is_read_by_its_fields(put):
    rows = np.array([(0.5, 1.0), (0.25, 0.0)], dtype=[("score", "O"), ("label", "O")])
    frame = read(put(made(lambda file: savemat(file, {"results": rows})))).frame
    assert frame.to_dict(as_series=False) == {"score": [0.5, 0.25], "mated": [True, False]}


@pytest.mark.parametrize("packed", [False, True])
def test_numbers_of_every_type_against_scipy(packed):
    rng = np.random.default_rng(0)
    types = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
    variables = {f"x_{kind}": rng.integers(0, 100, (3, 4, 2)).astype(kind) for kind in types}
    variables |= {"whole": np.arange(5.0), "one": np.array(7.5), "none": np.zeros((0, 3)), "truth": np.array([True])}
    data = as_v5(variables, packed=packed)
    found, expected = mat.mat5_variables(data, "made.mat"), loadmat(io.BytesIO(data))
    assert set(found) == set(variables)
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name])
        assert value.dtype == (np.bool_ if name == "truth" else expected[name].dtype)


def test_text_of_several_rows_against_scipy(put):
    data = as_v5({"score": np.array([1.0, 2.0]), "probe": np.array(["ann", "bobby"])})
    assert loadmat(io.BytesIO(data))["probe"].tolist() == ["ann  ", "bobby"]
    assert read(put(data)).frame["probe"].to_list() == ["ann", "bobby"]


def test_a_file_of_the_other_byte_order(put):
    """One double, 2.5, called score, by hand: flags, dimensions, name and number, each with its tag."""
    words = (6, 8, 6, 0, 5, 8, 1, 1, 1, 5)
    body = b"".join(word.to_bytes(4, "big") for word in words) + b"score\0\0\0"
    body += (9).to_bytes(4, "big") + (8).to_bytes(4, "big") + np.array(2.5, ">f8").tobytes()
    tag = (14).to_bytes(4, "big") + len(body).to_bytes(4, "big")
    path = put(b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI" + tag + body)
    assert read(path).frame["score"].to_list() == [2.5]


def test_verify_reads_it(put):
    scores = bt.read_scores(put(as_v5({"genuine": np.array([3.0, 4.0]), "impostor": np.array([1.0, 2.0])}), "x.mat"))
    assert bt.evaluate(scores, ["EER"])["EER"].value == 0


def linked(kind: str) -> bytes:
    inner = io.BytesIO()
    with h5py.File(inner, "w", userblock_size=512) as file:
        if kind == "external":
            file["score"] = h5py.ExternalLink("other.h5", "/score")
        elif kind == "soft":
            file["score"] = h5py.SoftLink("/nowhere")
        else:
            file.create_dataset("score", (4,), "u1", external=[("other.txt", 0, 4)])
    return b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(384) + inner.getvalue()[512:]


@pytest.mark.parametrize("kind", ["external", "soft", "storage"])
def test_what_leaves_the_file_is_refused(put, kind):
    with pytest.raises(InputError, match=r"link|external storage|damaged"):
        read(put(linked(kind), "x.mat"))


def test_a_bomb_is_refused_before_it_is_unpacked(put):
    packed = zlib.compress(bytes(1 << 24))
    data = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + (15).to_bytes(4, "little")
    with limited("4M"), pytest.raises(InputError, match=r"at most 4\.0 MiB are allowed"):
        read(put(data + len(packed).to_bytes(4, "little") + packed))


def of_hdf5(fill) -> bytes:
    """A file of version 7.3; `fill` is given the file and a function that adds a dataset of a MATLAB class."""
    inner = io.BytesIO()
    with h5py.File(inner, "w", userblock_size=512) as file:

        def add(name, kind="double", **what):
            dataset = file.create_dataset(name, **what)
            dataset.attrs["MATLAB_class"] = np.bytes_(kind)
            return dataset

        add("score", data=np.zeros((1, 20)))
        fill(add)
    return b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(384) + inner.getvalue()[512:]


def refers(add, *targets) -> None:
    add("probe", "cell", data=np.array([[one.ref for one in targets]], dtype=h5py.ref_dtype))


def many(add):
    for number in range(10):
        add(f"a{number}", shape=(1000, 100), dtype="f8")


def many_cells(add):
    refers(add, *[add("#refs#/a", data=np.zeros((1, 1)))] * 50_000)


def one_long_text(add):
    long, short = (add(f"#refs#/{n}", "char", data=np.full((n, 1), 65, "<u2")) for n in (20_000, 1))
    refers(add, long, *[short] * 99)


def rows_of_letters(add):
    add("probe", "char", data=np.full((1, 30_000), 65, "<u2"))


@pytest.mark.parametrize(
    ("fill", "words"),
    [
        (many, r"a5 \[1000, 100\] needs 781.* beside"),
        (many_cells, r"probe, a cell array of 50,000, needs"),
        (one_long_text, "an array of 100 ids, the longest of 20,000 letters"),
        (rows_of_letters, "probe, a matrix of letters, needs"),
    ],
)
def test_the_datasets_of_a_file_share_what_is_allowed(put, fill, words):
    with limited("4M"), pytest.raises(InputError, match=words):
        read(put(of_hdf5(fill), "x.mat"))


def test_a_dataset_that_many_cells_refer_to_is_read_once(put):
    def fill(add):
        refers(add, *[add("#refs#/a", shape=(300, 1000), dtype="f8")] * 1000)
        add("label", data=np.arange(20.0).reshape(1, 20) % 2)

    with limited("4M"):
        assert read(put(of_hdf5(fill), "x.mat")).frame.height == 20


def test_a_hidden_dataset_that_a_cell_refers_to_stays_in_the_file(put, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(np.arange(20.0).tobytes())

    def fill(add):
        add("#refs#/x/y", data=np.zeros((1, 1)))
        place = [(str(secret), 8, 8)]
        refers(add, *[add("#refs#/xQy", shape=(1, 1), dtype="<f8", external=place)] * 20)

    hidden = of_hdf5(fill).replace(b"xQy\0", b"x/y\0")  # a listing finds the other one under this name
    with pytest.raises(InputError, match=r"'probe' keeps its values in the file .*secret"):
        read(put(hidden, "x.mat"))


def test_what_numbers_letters_and_cells_become_is_counted(put):
    for value in (np.ones((1, 1_000_000), np.uint8), cells(*["a"] * 30_000), np.array(["a" * 600_000])):
        with limited("4M"), pytest.raises(InputError, match=r"at most 4\.0 MiB are allowed"):
            read(put(as_v5({"score": value}, packed=True), "x.mat"))


def test_cells_within_cells_end_at_three_levels(put):
    nested = cells("x")
    for _ in range(50):
        outer = np.empty(1, dtype=object)
        outer[0] = nested
        nested = outer
    with pytest.raises(InputError, match=r"holds nothing that is read: deep \(a cell array of more than text"):
        read(put(as_v5({"deep": nested})))


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"x": np.array([1 + 2j])}, r"x \(complex numbers\)"),
        ({"scores": np.ones((2, 2))}, "matrix 'scores' needs the arrays"),
        ({"score": np.ones(3), "label": np.ones(2)}, "arrays of one length above 0"),
        ({"k": KEY | {"tar": np.ones((1, 3))}}, r"'tar' has shape \(1, 3\), but there are 2 models and 3 segments"),
        ({"k": KEY, "s": SCORES | {"segset": ["x", "y", "z"]}}, "differ in modelset or segset"),
        ({"a": SCORES, "b": SCORES}, "several structs hold 'scoremat', 'scoremask'"),
        ({"k": KEY | {"tar": np.ones((2, 3)), "non": np.ones((2, 3))}}, "both target and non-target"),
    ],
)
def test_what_is_not_understood_says_why(put, variables, message):
    with pytest.raises(InputError, match=message):
        read(put(as_v5(variables)))


@pytest.mark.parametrize("end", [128, 131, 140, 200, -1, -9])
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_cut_off(put, end, packed):
    data = as_v5({"score": np.arange(50.0), "label": np.arange(50) % 2}, packed=packed)
    with pytest.raises(InputError, match=r"the MATLAB file is damaged|without variables"):
        read(put(data[:end]))
