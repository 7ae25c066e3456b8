"""Photos made of numbers, and models that need no network."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

MODEL = '''
"""A model for tests: the mean colour; dark photos show no face, and some colours go wrong."""

import os

__version__ = "1.2"


def colour(photo):
    red, green, blue = photo.mean(axis=(0, 1))
    print("a line on standard output")
    if red == 66:
        os.abort()
    if red == 77:
        raise ZeroDivisionError("seventy-seven")
    if red == 88:
        return [float("nan"), 0.0, 0.0]
    return None if red + green + blue < 9 else [red, green, blue]


def other(photo):
    return photo.mean(axis=(0, 1))
'''


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a function in a module of its own."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "colours.py").write_text(MODEL)
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    monkeypatch.delitem(sys.modules, "colours", raising=False)
    return "colours:colour"


@pytest.fixture
def paint(tmp_path: Path) -> Callable[..., Path]:
    """`paint("anna/1.png", (10, 20, 30))` writes a photo of one colour into the folder `photos`."""

    def write(name: str, colour: tuple[int, int, int], size: tuple[int, int] = (6, 4), **how: object) -> Path:
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, colour).save(path, **how)
        return path

    return write


@pytest.fixture(scope="session")
def dlib(missing):
    """Skips where the extra is not installed."""
    for name in ("dlib", "face_recognition_models"):
        if importlib.util.find_spec(name) is None:
            missing("face", f"{name} is not installed (the extra face)")


@pytest.fixture(scope="session")
def faces(real_data: Path) -> Path:
    """The folder of 400 photos of faces."""
    folder = real_data / "orl"
    if not folder.is_dir():
        pytest.skip("no photos in the real data")
    return folder


def face(folder: Path, person: int, photo: int) -> np.ndarray:
    """A photo as an array of grey levels."""
    return np.asarray(Image.open(folder / f"s{person:02d}" / f"{photo:02d}.pgm"))
