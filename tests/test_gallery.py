"""The gallery is true: each picture of docs/figures.md is what the code above it draws."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from matplotlib.testing.compare import compare_images

import bertillon as bt

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
assert _spec is not None
assert _spec.loader is not None
gallery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gallery)

PICTURES = re.findall(r"\(images/([\w-]+\.png)\)", gallery.PAGE.read_text())


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    assert [path.name for path in gallery.draw_all(folder)] == PICTURES
    return folder


@pytest.mark.parametrize("picture", PICTURES)
def test_pictures_are_what_the_code_draws(drawn: Path, picture: str) -> None:
    different = compare_images(str(ROOT / "docs" / "images" / picture), str(drawn / picture), tol=2)
    assert different is None, "run docs/gallery.py and look at the picture"


def test_every_plotting_function_is_in_the_gallery() -> None:
    text = gallery.PAGE.read_text()
    functions = set(bt.plot.__all__) - {"figure_size", "save_figures"}
    missing = [name for name in sorted(functions) if f"bt.plot.{name}(" not in text]
    assert missing == []
