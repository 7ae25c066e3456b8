"""An installation that cannot be written to works, without a cache of what was compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bertillon


@pytest.fixture
def sealed(tmp_path: Path) -> dict[str, str]:
    """The environment of a process for which no folder can be written to: files stand where folders would be made."""
    copy = tmp_path / "installed" / "bertillon"
    shutil.copytree(Path(bertillon.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "COLUMNS")}
    nowhere = {"HOME": os.devnull, "XDG_CACHE_HOME": f"{os.devnull}/cache", "PYTHONDONTWRITEBYTECODE": "1"}
    return {**kept, **nowhere, "PYTHONPATH": str(copy.parent)}


def test_a_read_only_installation_compiles_without_a_cache_and_says_so_once(tmp_path, sealed):
    rng = np.random.default_rng(3)
    np.savez(tmp_path / "x.npz", genuine=rng.normal(2.0, 1.0, 100_000), impostor=rng.normal(0.0, 1.0, 2_000_000))
    command = ["-c", "from bertillon.cli.app import main; main()", "verify", "x.npz", "-m", "EER", "--no-intervals"]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=300, env=sealed, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "15.8" in done.stdout or "15.9" in done.stdout
    assert done.stderr.count("compiled anew in every process") == 1
    assert "set NUMBA_CACHE_DIR" in done.stderr
