"""What all tests share: where helper modules and real data are found, and how far Hypothesis looks.

`--hypothesis-profile=wide` looks further, and elsewhere each time.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["packages"]  # they are tested where they are installed, see test_extend
sys.path.insert(0, str(Path(__file__).parent))  # `import brute_force`, `from measures.table import ...`

_calm = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", max_examples=60, derandomize=True, **_calm)
settings.register_profile("wide", max_examples=2000, **_calm)
settings.load_profile("steady")


ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def missing() -> Callable[[str, str], NoReturn]:
    """`missing("browser", "why")` skips a test, or fails it where BERTILLON_REQUIRE names what is missing."""

    def stop(what: str, why: str) -> NoReturn:
        if what in os.environ.get("BERTILLON_REQUIRE", "").split(","):
            pytest.fail(f"BERTILLON_REQUIRE asks for {what}, but {why}")
        pytest.skip(f"no {what}: {why}")

    return stop


@pytest.fixture(scope="session")
def browser(missing: Callable[[str, str], NoReturn]) -> Iterator[Any]:
    """One browser for all tests of a process."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("browser", "the package playwright is not installed")
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        missing("browser", f"none of {', '.join(NAMES)} is installed")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def real_data(missing: Callable[[str, str], NoReturn]) -> Path:
    """The folder of the real data sets; its absence is a failure where BERTILLON_REQUIRE says so."""
    folder = Path(os.environ.get("BERTILLON_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    if not folder.is_dir():
        missing("data", f"{folder} is not there (BERTILLON_DATA names another place)")
    return folder


@pytest.fixture(autouse=True)
def no_figures_left_open() -> Iterator[None]:
    """Plots draw into the current figure: none is handed from test to test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
