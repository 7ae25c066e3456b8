"""What the tests of the formats share: real data, and a way to write a small file."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Put = Callable[..., Path]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real data sets."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("BERTILLON_DATA", beside))
    if not folder.is_dir():
        if "data" in os.environ.get("BERTILLON_REQUIRE", ""):
            pytest.fail(f"BERTILLON_REQUIRE asks for the real data, but {folder} is not there")
        pytest.skip(f"no real data: set BERTILLON_DATA (looked at {folder})")
    return folder


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write text or bytes to a file, gzipped on request, and give its path."""

    def write(content: str | bytes, name: str = "scores.txt", *, packed: bool = False) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write
