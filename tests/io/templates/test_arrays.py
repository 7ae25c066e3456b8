"""SPEC T3: deep embeddings: vectors from .npy/.npz/.parquet; and HDF5, bits, histograms and series in arrays."""

from __future__ import annotations

import gzip
import io

import h5py
import numpy as np
import polars as pl
import pytest

from bertillon.io import make_templates, read_templates

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
OWNERS = np.array(["anna", "anna", "bob", "carl"])


@pytest.fixture
def npz(tmp_path):
    def write(**arrays):
        path = tmp_path / "templates.npz"
        np.savez(path, **arrays)
        return path

    return write


@pytest.fixture
def npy(tmp_path):
    def write(array, name="templates.npy", packed=False):
        stream = io.BytesIO()
        np.save(stream, array)
        path = tmp_path / name
        path.write_bytes(gzip.compress(stream.getvalue()) if packed else stream.getvalue())
        return path

    return write


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
def test_T3_npy_with_labels_keeps_its_type_by_hand(npy, put, dtype):
    path = npy(VECTORS.astype(dtype))
    labels = put("subject,sample,session\nanna,a1,1\nanna,a2,2\nbob,b1,1\ncarl,c1,1\n", "labels.csv")
    found = read_templates(path, labels=labels)
    assert found.templates.dtype == dtype
    assert found.templates.tolist() == VECTORS.tolist()
    assert found.subject.tolist() == OWNERS.tolist()
    assert found.sample.tolist() == ["a1", "a2", "b1", "c1"]
    assert found.metadata.columns == ["session"]
    assert (found.kind, found.format) == ("vector", "npy")


def test_labels_from_parquet_from_an_array_and_by_another_name(npy, tmp_path):
    path = npy(VECTORS, packed=True)
    pl.DataFrame({"who": OWNERS, "group": ["a", "b", "a", "b"]}).write_parquet(tmp_path / "labels.parquet")
    found = read_templates(path, labels=tmp_path / "labels.parquet", columns={"subject": "who"})
    assert found.subject.tolist() == OWNERS.tolist()
    assert found.metadata["group"].to_list() == ["a", "b", "a", "b"]
    assert found.sample.tolist() == ["0", "1", "2", "3"]
    assert "samples are numbered from 0" in map(str, found.notes)
    assert read_templates(path, labels=[7, 7, 8, 9]).subject.tolist() == ["7", "7", "8", "9"]
    assert read_templates(path, labels=np.array([7.0, 7.0, 8.0, 9.0])).subject.tolist() == ["7", "7", "8", "9"]


def test_labels_of_text_only_have_a_header_too(npy, put):
    labels = put("subject,sample\nanna,x\nanna,y\nbob,x\ncarl,x\n", "labels.csv")
    found = read_templates(npy(VECTORS), labels=labels)
    assert found.sample.tolist() == ["anna/x", "anna/y", "bob/x", "carl/x"]
    assert "sample IDs repeat between people: the subject was put before them" in map(str, found.notes)


@pytest.mark.parametrize("name", ["embeddings", "templates", "features", "vectors", "X", "embedding"])
@pytest.mark.parametrize("owner", ["subject", "subjects", "label", "labels", "y", "id"])
def test_T3_npz_by_the_names_of_its_arrays(npz, name, owner):
    found = read_templates(npz(**{name: VECTORS, owner: np.array([3, 3, 5, 6])}))
    assert found.subject.tolist() == ["3", "3", "5", "6"]
    assert found.templates.dtype == np.float32


def test_npz_metadata_sample_ids_and_what_is_left_out(npz):
    path = npz(X=VECTORS, y=OWNERS, image=["a", "b", "c", "d"], Quality=[1, 2, 3, 4], age=[1.5] * 4, mean=np.zeros(3))
    found = read_templates(path)
    assert found.sample.tolist() == ["a", "b", "c", "d"]
    assert found.metadata["quality"].to_list() == [1, 2, 3, 4]
    assert found.metadata.columns == ["quality", "age"]
    assert any("left out" in str(note) and "'mean'" in str(note) for note in found.notes)
    assert any("kind vector" in str(note) for note in found.notes)


def test_columns_say_which_array_is_which(npz):
    path = npz(first=VECTORS, second=2 * VECTORS, people=OWNERS, where=[1, 2, 3, 4])
    found = read_templates(path, columns={"template": "second", "subject": "people", "condition": "where"})
    assert found.templates.tolist() == (2 * VECTORS).tolist()
    assert found.metadata["condition"].to_list() == [1, 2, 3, 4]


def test_hdf5_as_npz(tmp_path):
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["data/embeddings"] = VECTORS
        file["data/subject"] = ["anna", "anna", "bob", "carl"]
        file["data/quality"] = [1.0, 2.0, 3.0, 4.0]
    found = read_templates(tmp_path / "t.h5")
    assert found.format == "hdf5"
    assert found.subject.tolist() == OWNERS.tolist()
    assert found.metadata["quality"].to_list() == [1.0, 2.0, 3.0, 4.0]
    assert found.templates.dtype == np.float32


def test_bits_by_name_or_when_stated_by_hand(npz, npy):
    codes = np.array([[255, 0], [1, 2]], dtype=np.uint8)
    masks = np.array([[255, 255], [0, 1]], dtype=np.uint8)
    found = read_templates(npz(codes=codes, masks=masks, subject=[1, 2]))
    assert (found.kind, found.templates.tolist()) == ("bits", codes.tolist())
    assert found.masks.tolist() == masks.tolist()
    assert read_templates(npz(iris=codes, subject=[1, 2])).kind == "bits"
    assert read_templates(npy(codes, "iris_codes.npy"), labels=[1, 2]).kind == "bits"
    assert read_templates(npz(X=codes, subject=[1, 2]), kind="bits").kind == "bits"
    plain = read_templates(npz(X=codes, subject=[1, 2]))
    assert (plain.kind, plain.templates.dtype) == ("vector", np.float64)
    assert any("--kind bits if" in str(note) for note in plain.notes)


def test_single_bits_are_packed_by_hand(npz):
    """Ten booleans make two bytes; a mask marks the six that were filled up."""
    found = read_templates(npz(codes=np.ones((2, 10), dtype=bool), subject=[1, 2]))
    assert found.templates.tolist() == [[255, 192], [255, 192]]
    assert found.masks.tolist() == [[255, 192], [255, 192]]
    rows = read_templates(npz(codes=np.ones((2, 3, 8), dtype=bool), subject=[1, 2]))
    assert rows.templates.tolist() == [[255, 255, 255]] * 2
    assert rows.masks is None
    assert any("rows=3" in str(note) for note in rows.notes)
    doubtful = read_templates(npz(codes=np.ones((2, 64), dtype=np.uint8), subject=[1, 2]))
    assert any("give booleans" in str(note) for note in doubtful.notes)


def test_histograms_and_series_are_known(npz):
    assert read_templates(npz(histograms=VECTORS, subject=OWNERS), kind=None).kind == "histogram"
    series = read_templates(npz(X=np.zeros((4, 5, 2)), subject=OWNERS))
    assert (series.kind, len(series.templates), series.templates[0].shape) == ("series", 4, (5, 2))
    each = read_templates(npz(anna_1=np.zeros((5, 2)), van_dyck_2=np.zeros((3, 2))), kind="series")
    assert each.subject.tolist() == ["anna", "van_dyck"]
    assert each.sample.tolist() == ["anna_1", "van_dyck_2"]
    assert [len(one) for one in each.templates] == [5, 3]


def test_tables_are_made_in_memory_too():
    found = make_templates(
        [np.zeros((2, 1)), np.zeros((3, 1))], ["a", "b"], sample=["x", "y"], metadata={"quality": [1, 2]}
    )
    assert found.kind == "series"
    assert found.metadata["quality"].to_list() == [1, 2]
    assert make_templates([[True] * 8], ["a"]).kind == "bits"


@pytest.mark.realdata
def test_T3_real_embeddings_are_read_without_options(real_data):
    found = read_templates(real_data / "lfw_dlib" / "embeddings.npz")
    assert found.templates.shape == (7701, 128)
    assert found.templates.dtype == np.float32
    assert found.metadata.columns == ["quality", "gender"]
