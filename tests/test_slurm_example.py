"""The scripts for SLURM can be read by the shell and by Python, and name options that there are."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
SHELL, WORKERS = DOCS / "slurm_example.sh", DOCS / "slurm_workers.py"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_the_shell_can_read_it(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    ran = subprocess.run([shell, "-n", str(SHELL)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_python_can_read_it_and_it_says_what_it_takes() -> None:
    ran = subprocess.run([sys.executable, str(WORKERS), "--help"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    command = SHELL.read_text().partition("slurm_workers.py")[2].partition("&")[0]
    options = re.findall(r" (--[a-z]+)", command)
    assert len(options) == 5
    for option in options:
        assert option in ran.stdout


def test_it_names_options_of_ours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from bertillon.cli.app import main

    monkeypatch.setattr(sys, "argv", ["bertillon", "verify", "--help"])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        main()
    known = capsys.readouterr().out
    command = SHELL.read_text().partition("bertillon verify")[2]
    options = re.findall(r"(--[a-z-]+)", command)
    assert len(options) >= 5
    for option in options:
        assert option in known, option


def test_the_cluster_takes_these_words() -> None:
    """Where dask-jobqueue is installed it makes the script it would hand to SLURM."""
    jobqueue = pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    text = WORKERS.read_text()
    names = re.findall(r"^        ([a-z_]+)=", text, flags=re.MULTILINE)
    assert {"cores", "processes", "memory", "walltime", "job_script_prologue"} == set(names)
    assert hasattr(jobqueue, "SLURMCluster")
