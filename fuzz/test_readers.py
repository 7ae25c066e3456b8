"""Random bytes and mangled real files for every reader, many of them (BERTILLON_FUZZ_EXAMPLES, 10,000 each).

`make test` runs a fast twin of this, tests/io/test_fuzz.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fuzz_readers import READERS
from fuzz_running import fuzz

EXAMPLES = int(os.environ.get("BERTILLON_FUZZ_EXAMPLES", "10000"))


@pytest.mark.parametrize("name", READERS)
def test_spoiled_files(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    fuzz(READERS[name], tmp_path, examples=EXAMPLES)
    assert capfd.readouterr() == ("", "")
