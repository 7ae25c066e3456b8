"""How long a person waits for the command, warm."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.data import SEED
from benchmarks.harness import REPEATS, Measured, Skipped, best_time, contest, require

LINES = 10_000
LIBRARIES = "import numpy, polars, scipy.special"


def show_help(scale: float) -> Measured:
    """`bertillon --help`."""
    del scale  # the same at any scale
    return _timed([_command(), "--help"], "verify")


def show_verify_help(scale: float) -> Measured:
    """`bertillon verify --help`, the command with the most options."""
    del scale
    return _timed([_command(), "verify", "--help"], "--resamples")


def help_against_libraries(scale: float) -> Measured:
    """`bertillon --help` against a Python that imports what a reader of scores usually does, and ends."""
    del scale
    return _against_libraries([_command(), "--help"], "verify")


def verify_against_libraries(scale: float) -> Measured:
    """`bertillon verify` of two lists of ten thousand scores, intervals included, against the same."""
    del scale
    rng = np.random.default_rng(SEED)
    with TemporaryDirectory(prefix="bertillon-") as folder:
        paths = [Path(folder) / name for name in ("genuine.txt", "impostor.txt")]
        for path, mean in zip(paths, (3.0, 0.0), strict=True):
            path.write_text("".join(f"{score:.6f}\n" for score in rng.normal(mean, 1.0, LINES)))
        return _against_libraries([_command(), "verify", *map(str, paths)], "EER")


def help_against_numpy(scale: float) -> Measured:
    """`bertillon --help` against a Python that imports numpy and ends: a ratio that holds on slow machines too."""
    ours = show_help(scale).ratio
    command = [sys.executable, "-c", "import numpy"]
    peer = best_time(lambda: subprocess.run(command, capture_output=True, check=True), REPEATS)
    return Measured(ours / peer, ours, peer)


def verify(scale: float) -> Measured:
    """`bertillon verify` on a file of ten thousand lines."""
    del scale
    rng = np.random.default_rng(SEED)
    marks = np.arange(LINES) % 10 == 0
    scores = rng.normal(0.0, 1.0, LINES) + 3.0 * marks
    with TemporaryDirectory(prefix="bertillon-") as folder:
        path = Path(folder) / "scores.csv"
        rows = "".join(f"{int(mark)},{score}\n" for mark, score in zip(marks, scores, strict=True))
        path.write_text("label,score\n" + rows)
        return _timed([_command(), "verify", str(path)], "EER")


def _against_libraries(command: Sequence[str], expected: str) -> Measured:
    """The best times of both, run in turn."""
    _timed(command, expected, repeats=1)
    environment = _as_installed()

    def run(words: Sequence[str]) -> None:
        subprocess.run(words, capture_output=True, check=True, env=environment)

    times = contest(lambda: run(command), lambda: run([sys.executable, "-c", LIBRARIES]), lambda *_: None, repeats=15)
    return Measured(times[0] / times[1], *times)


def _command() -> str:
    path = Path(sys.executable).with_name("bertillon")
    if not path.exists():
        raise Skipped("the command bertillon is not installed beside this Python")
    return str(path)


def _as_installed() -> dict[str, str]:
    """The environment in which modules are kept compiled, as they are where a package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _timed(command: Sequence[str], expected: str, repeats: int = REPEATS) -> Measured:
    compiled = _as_installed()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=compiled)
    require(done.returncode == 0, f"it ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    require(expected in done.stdout, f"{expected!r} is missing from what it printed")
    taken = best_time(lambda: subprocess.run(command, capture_output=True, check=True, env=compiled), repeats)
    return Measured(taken, taken)
