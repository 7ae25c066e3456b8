"""Tests speak through what a room offers, so that its files can be rearranged."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import bertillon

SOURCE = Path(bertillon.__file__).parent
TESTS = Path(__file__).parent
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def deep_imports(path: Path) -> list[str]:
    """Public names that a file imports from within a room instead of from the room."""
    deep = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").count(".") > 1
            and node.module.startswith("bertillon.")
        ):
            module = SOURCE.parent.joinpath(*node.module.split("."))
            submodules = {file.stem for file in module.glob("*.py")} if module.is_dir() else set()
            deep += [
                f"{node.module}.{alias.name}"
                for alias in node.names
                if not alias.name.startswith("_") and alias.name not in submodules
            ]
    return deep


def test_tests_import_from_rooms_and_not_from_their_files():
    files = [*TESTS.rglob("*.py"), *(TESTS.parent / "fuzz").glob("*.py")]
    assert {path.name: deep for path in files if (deep := deep_imports(path))} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_what_it_offers(room):
    package = importlib.import_module(f"bertillon.{room}")
    assert package.__all__
    assert [name for name in package.__all__ if not hasattr(package, name)] == []
