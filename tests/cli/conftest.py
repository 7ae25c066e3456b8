"""Run the command line in this process, as a user would: exit code, output, errors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


@pytest.fixture
def bertillon(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ran]:
    """`bertillon("verify", "a.txt")` in a folder of its own."""
    from bertillon.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["bertillon", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def lists(tmp_path: Path) -> tuple[Path, Path]:
    """STANDARDS' T1 as two plain lists."""
    genuine, impostor = tmp_path / "genuine.txt", tmp_path / "impostor.txt"
    genuine.write_text("0.35\n0.55\n0.60\n0.80\n0.90\n")
    impostor.write_text("0.05\n0.10\n0.15\n0.20\n0.25\n0.30\n0.40\n0.45\n0.50\n0.65\n")
    return genuine, impostor


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The same scores as one table with labels."""
    path = tmp_path / "scores.csv"
    mated, nonmated = [0.35, 0.55, 0.60, 0.80, 0.90], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65]
    rows = [f"1,{s}" for s in mated] + [f"0,{s}" for s in nonmated]
    path.write_text("label,score\n" + "\n".join(rows) + "\n")
    return path
