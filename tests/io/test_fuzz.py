"""Random bytes and mangled files for every reader: something sound or an error of ours, and nothing else.

`make fuzz` does the same with 10,000 files each.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from fuzz_readers import COVERED, READERS
from fuzz_running import fuzz, try_reading
from hypothesis import strategies as st

import bertillon as bt

SOURCE = Path(bt.__file__).parent


@pytest.mark.parametrize("name", READERS)
def test_spoiled_files(name, tmp_path, capfd):
    fuzz(READERS[name], tmp_path, examples=25, derandomize=True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", READERS)
def test_the_files_to_mangle_are_understood(name, tmp_path):
    """Else their mangled kin would only ever be refused at the door."""
    for seed in READERS[name].seeds():
        assert try_reading(READERS[name], tmp_path, st.just(seed), examples=25), seed


@pytest.mark.parametrize("name", READERS)
def test_beginnings_of_files(name, tmp_path):
    beginnings = [seed[:end] for seed in READERS[name].seeds() for end in range(len(seed))]
    try_reading(READERS[name], tmp_path, st.sampled_from(beginnings), examples=40)


def test_no_reader_is_forgotten():
    """Whatever the package offers that takes a path and reads it is among the readers, under the name said here."""
    names = {*bt.__all__, *dir(bt.trials)} - {"read_with_attacks"}  # what read_attacks and read_pad call
    offered = {name for name in names if name.startswith(("read_", "stream_"))}
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and takes_a_file(node):
                offered.add(node.name)
    assert offered <= set(COVERED), "add the new reader to tests/fuzz_readers.py"
    assert set(COVERED) == offered
    assert all(any(name.startswith(reader) for name in READERS) for reader in COVERED.values())


def takes_a_file(node: ast.FunctionDef) -> bool:
    """Is this a public function that reads from a path?"""
    first = node.args.args[0] if node.args.args else None
    typed = ast.unparse(first.annotation) if first is not None and first.annotation is not None else ""
    reads = node.name.startswith(("read", "open", "stream", "sniff", "load", "is_counts"))
    return reads and ("PathLike" in typed or typed == "Path")
