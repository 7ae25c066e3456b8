"""Matrices: text, numpy, BEE; and the arrays of numpy and HDF5 that are lists."""

from __future__ import annotations

import gzip
import io
import pickle

import h5py
import numpy as np
import pytest

from bertillon.core import AcceptRule, ComparisonTable, InputError, ScoreMatrix
from bertillon.io import read, sniff

SCORES = np.array([[0.9, 0.1], [0.2, -1.0], [0.3, 0.7]])
SQUARE = np.array([[0.9, 0.1], [0.2, -1.0]])


@pytest.mark.parametrize(
    "text",
    [
        ",ann,bob\nann,0.9,0.1\nbob,0.2,-1\ncid,0.3,0.7\n",
        "x;ann;bob\nann;0.9;0.1\nbob;0.2;-1\ncid;0.3;0.7",
        "\tann\tbob\nann\t0.9\t0.1\nbob\t0.2\t-1\ncid\t0.3\t0.7\n",
        "ann bob\nann 0.9 0.1\nbob 0.2 -1\ncid 0.3 0.7\n",
        '"","ann","bob"\r\n"ann",0.9,0.1\r\n"bob",0.2,-1\r\n"cid",0.3,0.7\r\n',
    ],
    ids=["empty-corner", "named-corner", "tabs", "no-corner", "quoted"],
)
def test_text_matrix_by_hand(put, text):
    path = put(text)
    assert sniff(path) == "matrix"
    matrix = read(path)
    assert isinstance(matrix, ScoreMatrix)
    assert matrix.scores.tolist() == SCORES.tolist()
    assert matrix.scores.dtype == np.float64
    assert matrix.probe_subject.tolist() == ["ann", "bob", "cid"]
    assert matrix.reference_subject.tolist() == ["ann", "bob"]
    assert tuple(map(str, matrix.notes)) == ("read as a matrix: 3 probes (rows) by 2 references (columns)",)


def test_text_matrix_with_numbered_and_repeated_subjects(put):
    matrix = read(put("id,7,7,8\n7,1,2,\n8,3,4,5\n"))
    assert matrix.reference_subject.tolist() == ["7", "7", "8"]
    assert np.isnan(matrix.scores[0, 2])
    assert matrix.scores[1].tolist() == [3, 4, 5]


def test_text_matrix_faults_have_lines(put):
    with pytest.raises(InputError, match=r":3: score 'x' is not a number"):
        read(put(",ann,bob\nann,0.9,0.1\nbob,0.2,x\n"), format="matrix")
    with pytest.raises(InputError, match=r":3: 2 fields found, 3 expected"):
        read(put(",ann,bob\nann,0.9,0.1\nbob,0.2\ncid,1,2\n"))
    with pytest.raises(InputError, match="is not a matrix"):
        read(put("1\n2\n"), format="matrix")


def npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(**arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize("kind", ["<f8", ">f4", "<i2"])
@pytest.mark.parametrize("packed", [False, True])
def test_npy_list(put, kind, packed):
    table = read(put(npy(np.array([3, 1, 2], dtype=kind)), packed=packed))
    assert table.is_plain_list
    assert table.frame["score"].to_list() == [3, 1, 2]
    assert table.format == "npy"


def test_npy_label_and_score(put):
    for array in ([[1, 0.5], [0, 0.2]], [[0.5, 1], [0.2, -1]]):
        table = read(put(npy(np.array(array))))
        assert table.frame["mated"].to_list() == [True, False]
        assert table.frame["score"].to_list() == [0.5, 0.2]


@pytest.mark.parametrize("array", [SQUARE, np.asfortranarray(SQUARE), np.array([[5, 6], [7, 8]])])
def test_npy_matrix(put, array):
    matrix = read(put(npy(array)))
    assert matrix.scores.tolist() == array.tolist()
    assert matrix.scores.flags.writeable
    assert matrix.probe_subject.tolist() == [str(place) for place in range(len(array))]
    assert matrix.reference_subject.tolist() == ["0", "1"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (npy(np.array([{}, 1], dtype=object)), "pickled objects, which can run code and are refused"),
        (npy(np.arange(100.0))[:-9], r"states an array of shape \(100,\), but only 791 bytes follow"),
        (npy(np.arange(100.0))[:30], "header of the .npy file is damaged"),
        (npy(np.array(["a"])), "not numbers"),
        (npy(np.zeros((2, 2, 2))), "one or two dimensions"),
        (npy(np.zeros(0)), "is empty"),
        (npy(np.arange(3.0)).replace(b"(3,)", b"(3333333333333,)").replace(b" " * 12, b"", 1), "states an array"),
        (npz(x=np.array([{}], dtype=object)), "pickled objects"),
        (npz(scores=np.arange(9.0), labels=np.ones(8)), "one length"),
        (npz(foo=np.arange(9.0)), r"holds no scores.*foo float64\[9\]"),
        (npz(scores=SCORES), "needs the arrays 'probe_subject', 'reference_subject'"),
        (npz(scores=SCORES, probe_subject=["a"], reference_subject=["a", "b"]), "1 probe and 2 reference subjects"),
        (npz(scores=np.ones(2), labels=np.array([3, 4])), "not understood"),
        (npz(genuine=np.array(["a"]), impostor=np.ones(2)), "not numbers"),
        (npz(a=np.ones(2))[:-40], "damaged"),
        (b"PK\x05\x06" + bytes(18), "without numpy arrays"),
        (pickle.dumps([1, 2, 3], protocol=2), "is a pickle, which can run code and is refused"),
        (pickle.dumps([1, 2, 3], protocol=5), "is a pickle"),
    ],
)
def test_bad_arrays(put, data, message):
    with pytest.raises(InputError, match=message):
        read(put(data))


def test_npz_columns(put):
    table = read(put(npz(scores=[0.5, 0.2], labels=[1, 0], probe=["a", "b"], extra=[1, 2, 3])))
    assert table.frame.columns == ["score", "mated", "probe"]
    assert table.frame.row(0) == (0.5, True, "a")
    assert read(put(npz(d=[0.5, 0.2], x=[1, 0])), columns={"distance": "d", "label": "x"}).rule is AcceptRule.DISTANCE


@pytest.mark.parametrize(
    "names", [("genuine", "impostor"), ("mated", "nonmated"), ("genuine_scores", "impostor_scores"), ("tar", "non")]
)
def test_npz_two_lists(put, names):
    table = read(put(npz(**{names[0]: np.array([0.5, 0.9]), names[1]: np.array([0.1])})))
    assert table.frame["score"].to_list() == [0.5, 0.9, 0.1]
    assert table.frame["mated"].to_list() == [True, True, False]


def test_npz_matrix(put):
    masks = {"mated": SCORES > 0.5, "ignored": SCORES < 0}
    matrix = read(put(npz(scores=SCORES, probe_subject=[1, 2, 3], reference_subject=["1", "2"], **masks)))
    assert matrix.probe_subject.tolist() == ["1", "2", "3"]
    assert matrix.mated.tolist() == masks["mated"].tolist()
    assert matrix.ignored.tolist() == masks["ignored"].tolist()


def bee(values, letter="S", order="<", kind="F") -> bytes:
    array = np.asarray(values)
    magic = (0x12345678).to_bytes(4, "little" if order == "<" else "big")
    header = f"{letter}2\ntargets.xml\nqueries.xml\nM{kind} {array.shape[0]} {array.shape[1]} ".encode()
    return header + magic + b"\n" + array.astype(f"{order}f4" if kind == "F" else np.uint8).tobytes()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("letter", "rule"), [("S", AcceptRule.SIMILARITY), ("D", AcceptRule.DISTANCE)])
@pytest.mark.parametrize("packed", [False, True])
def test_bee_by_hand(put, order, letter, rule, packed):
    path = put(bee(SCORES, letter, order), packed=packed)
    assert sniff(path) == "bee"
    matrix = read(path)
    np.testing.assert_array_equal(matrix.scores, SCORES.astype(np.float32))
    assert matrix.scores.dtype == np.float32
    assert matrix.rule is rule
    assert matrix.mated is None
    assert not set(matrix.probe_subject) & set(matrix.reference_subject)


def test_bee_mask(put):
    mask = put(bee([[0xFF, 0x7F], [0x00, 0xFF], [0x7F, 0x7F]], kind="B"), "x.mask")
    assert sniff(mask) == "bee-mask"
    matrix = read(put(bee(SCORES)), mask=mask)
    assert matrix.mated.tolist() == [[True, False], [False, True], [False, False]]
    assert matrix.ignored.tolist() == [[False, False], [True, False], [False, False]]
    with pytest.raises(InputError, match="is a BEE mask, not a matrix of scores"):
        read(mask)
    with pytest.raises(InputError, match="is a BEE mask, not a matrix of scores"):
        read(mask, format="bee")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bee(SCORES).replace(b"\x78\x56\x34\x12", b"\x78\x56\x34\x13"), "magic number is 78563413"),
        (bee(SCORES)[:-1], "states 3 x 2 cells of 4 bytes, but 23 bytes follow"),
        (bee(SCORES) + b"x", "but 25 bytes follow"),
        (bee(SCORES).replace(b"MF 3 2", b"MF 999999999999 999999999999"), "but 24 bytes follow"),
        (bee(SCORES).replace(b"MF 3 2", b"MF 0 0"), "24 bytes follow"),
        (bee(SCORES).replace(b"MF 3 2 ", b"MF 3 x "), "no BEE header"),
        (bee(SCORES)[:20], "."),
    ],
)
def test_bad_bee(put, data, message):
    with pytest.raises(InputError, match=message):
        read(put(data))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (bee([[0xFF, 0x7F]], kind="B"), "the mask is 1 x 2, but the matrix is 3 x 2"),
        (bee(SCORES), "not a mask"),
        (bee([[0xFF, 0x7F], [0x01, 0xFF], [0x7F, 0x7F]], kind="B"), "the mask holds 0x01; expected 0xff"),
        (b"hello", "no BEE header"),
    ],
)
def test_bad_mask(put, mask, message):
    with pytest.raises(InputError, match=message):
        read(put(bee(SCORES)), mask=put(mask, "x.mask"))


def test_a_mask_goes_with_bee_only(put):
    with pytest.raises(InputError, match="a mask goes with a bee matrix only"):
        read(put("0.5\n"), mask=put("x", "m"))


LAYOUTS = {
    "bosaris": ("ID/row_ids", "ID/column_ids", "scores", "score_mask"),
    "sidekit": ("modelset", "segset", "scores", "score_mask"),
    "pybosaris": ("model_names", "test_names", "score_mat", None),
}
MODELS, SEGMENTS = np.array([b"m1", b"m2"]), np.array([b"s1", b"s2", b"s3"])
CELLS = np.array([[0.9, 0.1, 0.2], [0.3, 0.8, 0.4]])
KEY = np.array([[1, -1, 0], [-1, 1, -1]], dtype=np.int8)


def hdf5(path, **datasets):
    with h5py.File(path, "w") as file:
        for name, data in datasets.items():
            file.create_dataset(name.replace("__", "/"), data=data)
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True])
def test_hdf5_scores(put, tmp_path, layout, packed):
    models, segments, scores, scored = (name and name.replace("/", "__") for name in LAYOUTS[layout])
    path = hdf5(tmp_path / "x.h5", **{models: MODELS, segments: SEGMENTS, scores: CELLS})
    if scored:
        hdf5(path, **{models: MODELS, segments: SEGMENTS, scores: CELLS, scored: np.array([[1, 1, 1], [1, 1, 0]])})
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    table = read(path)
    assert isinstance(table, ComparisonTable)
    assert table.format == "hdf5"
    assert len(table) == (5 if scored else 6)
    assert table.frame.row(1) == (0.1, "s2", "m1")
    assert read(path, ids=False).frame.columns == ["score"]


@pytest.mark.parametrize(
    "key",
    [
        {"trial_mask": KEY},
        {"target_mask": KEY > 0, "nontarget_mask": KEY < 0},
        {"tar_mask": KEY > 0, "non_mask": KEY < 0},
    ],
    ids=["trial", "old", "pybosaris"],
)
def test_hdf5_key(tmp_path, key):
    path = hdf5(tmp_path / "x.h5", modelset=MODELS, segset=SEGMENTS, scores=CELLS, **key)
    table = read(path)
    assert table.frame["score"].to_list() == [0.9, 0.1, 0.3, 0.8, 0.4]
    assert table.frame["mated"].to_list() == [True, False, False, True, False]
    alone = read(hdf5(tmp_path / "key.h5", modelset=MODELS, segset=SEGMENTS, **key))
    assert alone.is_trial_list
    assert alone.frame["mated"].to_list() == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ({"foo": CELLS}, "no datasets under known names.*Present: 'foo'"),
        ({}, "Present: 'nothing'"),
        ({"modelset": MODELS, "segset": SEGMENTS, "scores": CELLS.T}, r"shape \(3, 2\), but there are 2 models and 3"),
        ({"modelset": MODELS, "segset": SEGMENTS, "scores": CELLS.astype("S")}, "not numbers"),
        ({"modelset": MODELS, "segset": SEGMENTS, "scores": CELLS, "score_mask": CELLS * 0}, "marks no cell"),
        ({"modelset": MODELS, "segset": SEGMENTS, "trial_mask": np.abs(KEY)}, "without scores and without a key"),
        (
            {"modelset": MODELS, "segset": SEGMENTS, "tar_mask": KEY > 0, "non_mask": KEY != 0},
            "both target and non-target",
        ),
    ],
)
def test_bad_hdf5(tmp_path, datasets, message):
    with pytest.raises(InputError, match=message):
        read(hdf5(tmp_path / "x.h5", **datasets))
    damaged = tmp_path / "cut.h5"
    damaged.write_bytes((tmp_path / "x.h5").read_bytes()[:600])
    with pytest.raises(InputError, match="the HDF5 file is damaged"):
        read(damaged)


def test_text_matrix_with_lines_longer_than_the_head(put):
    subjects = [f"subject-{place:060d}" for place in range(20_000)]
    row = ",".join(["0.5"] * len(subjects))
    matrix = read(put("," + ",".join(subjects) + "\n" + "".join(f"{subjects[place]},{row}\n" for place in range(2))))
    assert matrix.scores.shape == (2, 20_000)


@pytest.mark.parametrize(
    ("text", "name", "scores"),
    [
        ("1 1 101 0.53\n1 2 102 -0.2\n2 2 103 0.7\n", "bob-4", [0.53, -0.2, 0.7]),
        ("1 1 1 0.53\n1 1 2 -0.2\n1 1 3 0.7\n", "bob-4", [0.53, -0.2, 0.7]),
        ("1 1 101 53\n1 2 102 7\n2 2 103 70\n", "bob-4", [53.0, 7.0, 70.0]),
        ("1 1 1 101 0.53\n1 1 2 102 -0.2\n2 2 2 103 0.7\n", "bob-5", [0.53, -0.2, 0.7]),
        ("1 2 0.53 1\n1 3 -0.2 0\n2 3 0.7 1\n", "kaldi", [0.53, -0.2, 0.7]),
        ("1 2 0.53\n1 3 -0.2\n2 3 0.7\n", "kaldi", [0.53, -0.2, 0.7]),
    ],
)
def test_lines_of_numbered_ids_are_no_matrix_by_hand(put, text, name, scores):
    """Their first line is a comparison like the others, not the subjects of columns."""
    path = put(text)
    assert sniff(path) == name
    assert read(path).frame["score"].to_list() == scores


def test_a_numbered_corner_is_told_from_a_line_of_data_by_the_subjects(put):
    matrix = read(put("0,1,2\n1,0.5,0.2\n2,0.1,0.9\n"))
    assert matrix.scores.tolist() == [[0.5, 0.2], [0.1, 0.9]]
    assert matrix.probe_subject.tolist() == ["1", "2"]


def test_a_reference_that_failed_with_everybody_leaves_a_matrix_a_matrix_by_hand(put):
    matrix = read(put(",ann,bob,cid\nann,0.9,nan,0.1\nbob,0.2,nan,0.3\n"))
    assert matrix.reference_subject.tolist() == ["ann", "bob", "cid"]
    assert np.isnan(matrix.scores[:, 1]).all()
    with pytest.raises(InputError, match=r"column 3 of the scores has no subject.*separator too many"):
        read(put(",ann,bob,\nann,0.9,0.1,\nbob,0.2,0.3,\n"))


def test_counted_rows_and_columns_are_a_matrix_only_if_square(put):
    square = ",0,1,2\n0,.9,.1,.2\n1,.1,.8,.3\n2,.2,.3,.7\n"
    assert sniff(put(square)) == "matrix"
    with pytest.raises(InputError, match="numbers of columns"):
        sniff(put(square + "3,.1,.1,.1\n"))
    assert read(put(square + "3,.1,.1,.1\n"), format="matrix").scores.shape == (4, 3)


def test_more_rows_than_the_first_lines_show_are_counted_too(put):
    """The first lines of a wide table are fewer than its columns, as those of a wide square matrix are."""
    width = 1200
    line = ",".join(["0.25"] * width)
    table = "," + ",".join(map(str, range(width))) + "\n" + "".join(f"{row},{line}\n" for row in range(width))
    assert sniff(put(table)) == "matrix"
    with pytest.raises(InputError, match="numbers of columns"):
        sniff(put(table + f"{width},{line}\n"))
