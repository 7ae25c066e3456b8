"""What the tests of the formats share: a way to write a small file."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write text or bytes to a file, gzipped on request, and give its path."""

    def write(content: str | bytes, name: str = "scores.txt", *, packed: bool = False) -> Path:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write
