"""The docstring of each folder is a map of it: every module stands there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

FOLDERS = (
    "counting",
    "counting.classes",
    "counting.streams",
    "counting.tiles",
    "counting.curves",
    "measures",
    "measures.classification",
    "measures.identification",
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_module_stands_in_the_map_of_its_folder(folder):
    package = import_module(f"bertillon.{folder}")
    assert package.__doc__ is not None
    modules = {path.stem for path in Path(str(package.__file__)).parent.glob("*.py")} - {"__init__"}
    assert modules - set(re.findall(r"\w+", package.__doc__)) == set()
