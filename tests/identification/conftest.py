"""Where the real data sets are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


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
