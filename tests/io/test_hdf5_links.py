"""An HDF5 file cannot have other files read: external links, external storage and virtual datasets are refused."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.io import read, read_templates

MODELS, SEGMENTS = np.array([b"anna", b"bob"]), np.array([b"p", b"q"])
CELLS = np.array([[0.5, 1.0], [2.0, 4.0]])
KEY = np.array([[1, -1], [-1, 1]], dtype=np.int8)


def _external_link(file: h5py.File, name: str, other: Path) -> None:
    file[name] = h5py.ExternalLink(str(other), "/inner")


def _external_storage(file: h5py.File, name: str, other: Path) -> None:
    file.create_dataset(name, (2, 2), dtype="f8", external=[(str(other), 0, 32)])


def _virtual(file: h5py.File, name: str, other: Path) -> None:
    layout = h5py.VirtualLayout((2, 2), dtype="f8")
    layout[:] = h5py.VirtualSource(str(other), "inner", shape=(2, 2))
    file.create_virtual_dataset(name, layout)


DOORS = {"external link": _external_link, "external storage": _external_storage, "virtual dataset": _virtual}


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file that is somebody else's: HDF5, and 32 bytes of it read as four numbers."""
    path = tmp_path / "private.bin"
    with h5py.File(path, "w") as file:
        file["inner"] = CELLS
    return path


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Callable[[h5py.File, str, Path], None]:
    return DOORS[request.param]


@pytest.mark.parametrize("packed", [False, True])
def test_scores_of_another_file_are_not_read(tmp_path, other, door, packed):
    path = tmp_path / "scores.h5"
    with h5py.File(path, "w") as file:
        file["modelset"], file["segset"], file["trial_mask"] = MODELS, SEGMENTS, KEY
        door(file, "scores", other)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(InputError, match=r"'scores'.*private\.bin.*not followed"):
        read(path)


def test_templates_of_another_file_are_not_read(tmp_path, other, door):
    path = tmp_path / "templates.h5"
    with h5py.File(path, "w") as file:
        file["group/subject"] = np.array([b"anna", b"bob"])
        file["group/rest"] = CELLS
        door(file, "group/embeddings", other)
    with pytest.raises(InputError, match=r"'group/embeddings'.*private\.bin.*not followed"):
        read_templates(path)


def test_a_soft_link_cannot_hide_an_external_one(tmp_path, other):
    path = tmp_path / "scores.h5"
    with h5py.File(path, "w") as file:
        file["modelset"], file["segset"], file["trial_mask"] = MODELS, SEGMENTS, KEY
        file["out"] = h5py.ExternalLink(str(other), "/")
        file["scores"] = h5py.SoftLink("/out/inner")
    with pytest.raises(InputError, match=r"'out'.*private\.bin.*not followed"):
        read(path)


def _linked(path: Path, **links: Any) -> Path:
    with h5py.File(path, "w") as file:
        file["inside/cells"] = CELLS
        file["modelset"], file["segset"], file["trial_mask"] = MODELS, SEGMENTS, KEY
        for name, target in links.items():
            file[name] = h5py.SoftLink(target)
    return path


def test_a_soft_link_within_the_file_is_followed(tmp_path):
    table = read(_linked(tmp_path / "x.h5", scores="/inside/cells"))
    assert table.frame["score"].to_list() == CELLS.reshape(-1).tolist()


@pytest.mark.parametrize("target", ["/nowhere", "/scores"], ids=["dangling", "loop"])
def test_a_soft_link_that_leads_nowhere_is_said(tmp_path, target):
    with pytest.raises(InputError, match=rf"'scores' is a link to '{target}', which is not a dataset of the file"):
        read(_linked(tmp_path / "x.h5", scores=target))


def test_a_soft_link_that_leads_nowhere_is_noted_of_templates(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["embeddings"], file["subject"] = CELLS, MODELS
        file["quality"] = h5py.SoftLink("/gone")
    table = read_templates(path)
    assert any("quality -> /gone" in str(note) for note in table.notes)


def test_groups_that_hold_each_other_are_walked_once(tmp_path):
    path = _linked(tmp_path / "x.h5", scores="/inside/cells")
    with h5py.File(path, "a") as file:
        file["inside/again"] = file["/"]
        file["inside/self"] = file["inside"]
    assert read(path).frame.height == 4


def test_the_other_file_is_not_even_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # whoever opens it waits for ever
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["scores"] = h5py.ExternalLink(str(tmp_path / "pipe"), "/")
    reading = [sys.executable, "-c", "import sys; from bertillon.io import read; read(sys.argv[1])", str(path)]
    done = subprocess.run(reading, capture_output=True, text=True, timeout=60)
    assert "'scores' is a link to '/' in the file" in done.stderr
