"""What was kept comes back to the last bit, or is refused in words."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from engine.cases import Summing, bits_of, plan, small_plan, squares
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.counting import TileJob, count_comparisons
from bertillon.engine import Checkpoint, digest_of, run_job

IDENTITY = {"version": "1.0", "templates": "abc"}
ARRAYS = {"finished": np.array([True, False]), "total": np.array([1 << 62]), "moments": np.array([[0.1, np.nan]])}


def kept(folder: Path) -> Checkpoint:
    checkpoint = Checkpoint(folder, "work", IDENTITY)
    checkpoint.save(ARRAYS)
    return checkpoint


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    assert Checkpoint(tmp_path, "work", IDENTITY).load() is None
    kept(tmp_path)
    again = Checkpoint(tmp_path, "work", IDENTITY).load()
    assert again.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype
    assert Checkpoint(tmp_path, "other", IDENTITY).load() is None


@given(share=st.floats(0, 1, exclude_max=True), flip=st.booleans())
def test_a_damaged_file_is_refused_wherever_it_is_cut_or_changed(tmp_path_factory, share, flip) -> None:
    folder = tmp_path_factory.mktemp("kept")
    path = kept(folder).path
    content = bytearray(path.read_bytes())
    place = int(share * len(content))
    if flip:
        content[place] ^= 0x55
        path.write_bytes(content)
    else:
        path.write_bytes(content[:place])
    if flip and (found := loaded_or_none(folder)) is not None:  # a byte of the container that says nothing
        assert digest_of(found.values()) == digest_of(ARRAYS[name] for name in found)
        return
    with pytest.raises(InputError, match=r"work\.npz: is damaged .*; remove it to start over: delete work\.npz"):
        Checkpoint(folder, "work", IDENTITY).load()


def loaded_or_none(folder: Path):
    with contextlib.suppress(InputError):
        return Checkpoint(folder, "work", IDENTITY).load()
    return None


@pytest.mark.parametrize("content", [b"", b"total\n3\n", b"\x93NUMPY\x01\x00", pickle.dumps({"a": 1}), b"PK\x03\x04"])
def test_files_that_are_no_checkpoint_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "work.npz").write_bytes(content)
    with pytest.raises(InputError, match="is damaged"):
        Checkpoint(tmp_path, "work", IDENTITY).load()


def test_a_plain_array_is_refused(tmp_path: Path) -> None:
    with open(tmp_path / "work.npz", "wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(InputError, match="is damaged"):
        Checkpoint(tmp_path, "work", IDENTITY).load()


@pytest.mark.parametrize(
    ("ours", "words"),
    [
        ({**IDENTITY, "version": "1.1"}, "its version is 1.0, here it is 1.1"),
        ({**IDENTITY, "templates": "abd"}, "its templates is abc, here it is abd"),
        ({**IDENTITY, "tile": "8"}, "its tile is not known, here it is 8"),
        ({"version": "1.0"}, "here it is not known"),
    ],
)
def test_what_belongs_to_another_job_is_refused(ours, words: str, tmp_path: Path) -> None:
    kept(tmp_path)
    with pytest.raises(InputError, match=words):
        Checkpoint(tmp_path, "work", ours).load()


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_costs_the_checkpoint_and_not_the_answer(tmp_path: Path, monkeypatch) -> None:
    """The last whole checkpoint stays, no half of one is left over, and the answer comes with a warning."""
    kept(tmp_path)
    before = (tmp_path / "work.npz").read_bytes()
    monkeypatch.setattr("bertillon.core.files.os.fsync", full_disk)
    checkpoint = Checkpoint(tmp_path, "work", IDENTITY)
    checkpoint.save({"total": np.arange(5)})
    assert "No space left" in checkpoint.problem
    assert (tmp_path / "work.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["work.npz"]
    found = run_job(Summing(20), "adding", checkpoint=Checkpoint(tmp_path / "b", "sums", {}))
    assert found.total == squares(20)
    counted = count_comparisons(small_plan(), tile=8, checkpoint=tmp_path / "c")
    assert any("the last checkpoint was not written" in str(warning) for warning in counted.warnings)
    assert bits_of(counted) == bits_of(count_comparisons(small_plan(), tile=8))


def test_a_disk_that_has_room_again_is_used_again(tmp_path: Path, monkeypatch) -> None:
    checkpoint = Checkpoint(tmp_path, "work", IDENTITY)
    with monkeypatch.context() as patch:
        patch.setattr("bertillon.core.files.os.fsync", full_disk)
        checkpoint.save(ARRAYS)
    assert checkpoint.warnings
    checkpoint.save(ARRAYS)
    assert not checkpoint.warnings
    assert checkpoint.load() is not None


def test_a_folder_that_cannot_be_made_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made a folder"):
        Checkpoint(tmp_path / "file" / "kept", "work", IDENTITY)


OWNERS = [0, 0, 1, 1, 2, 2]
VALUES = np.array([[1, 0], [1, 1], [0, 1], [2, 1], [1, 2], [-1, 1]], dtype=np.float32)
CHANGED = VALUES + np.eye(6, 2, dtype=np.float32)


def test_counts_in_another_layout_are_refused(monkeypatch, tmp_path) -> None:
    identity = TileJob.identity.fget
    monkeypatch.setattr(TileJob, "identity", property(lambda job: {**identity(job), "layout": "1"}))
    count_comparisons(plan(VALUES, OWNERS), checkpoint=tmp_path, tile=2)
    monkeypatch.undo()
    with pytest.raises(InputError, match="belongs to another job: its layout is 1, here it is 2; name another folder"):
        count_comparisons(plan(VALUES, OWNERS), checkpoint=tmp_path, tile=2)


@pytest.mark.parametrize(
    ("other", "options", "word"),
    [
        (plan(CHANGED, OWNERS), {}, "templates"),
        (plan(VALUES, [0, 0, 1, 1, 2, 3]), {}, "templates"),
        (plan(VALUES[:4], OWNERS[:4]), {}, "comparisons"),
        (plan(VALUES, OWNERS, "pearson"), {}, "matcher"),
        (plan(VALUES, OWNERS), {"tile": 4}, "comparisons"),
        (plan(VALUES, OWNERS), {"thresholds": [0.123]}, "mated scores and thresholds"),
    ],
)
def test_comparisons_of_other_templates_or_another_question_are_refused(other, options, word, tmp_path) -> None:
    count_comparisons(plan(VALUES, OWNERS), checkpoint=tmp_path, tile=2)
    with pytest.raises(InputError, match=f"belongs to another job: its {word} is"):
        count_comparisons(other, **{"tile": 2, **options}, checkpoint=tmp_path)


def test_comparisons_of_another_version_are_refused(tmp_path, monkeypatch) -> None:
    count_comparisons(plan(VALUES, OWNERS), checkpoint=tmp_path)
    monkeypatch.setattr("bertillon.counting.tiles.comparisons.__version__", "99.0")
    with pytest.raises(InputError, match=r"its version is .*, here it is 99\.0"):
        count_comparisons(plan(VALUES, OWNERS), checkpoint=tmp_path)


def test_a_digest_knows_type_shape_and_content() -> None:
    array = np.arange(6, dtype=np.float32)
    names = [
        digest_of([one])
        for one in (array, array.astype(np.float64), array.reshape(2, 3), array[::-1], array.reshape(3, 2).T, array[:5])
    ]
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.zeros((2, 2)), np.zeros((1, 2))]
    other = ragged.copy()
    other[1] = np.ones((1, 2))
    names += [digest_of([ragged]), digest_of([other]), digest_of([])]
    assert len(set(names)) == len(names)
    assert digest_of([array]) == digest_of([array.copy()])
