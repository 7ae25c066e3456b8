"""The scripts for SLURM can be read by the shell and by Python, and name options that there are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
SHELL, WORKERS = DOCS / "slurm_example.sh", DOCS / "slurm_workers.py"
SIZE = "--jobs 16 --cores 32 --processes 4 --memory 64GB"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_the_shell_can_read_it(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    ran = subprocess.run([shell, "-n", str(SHELL)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_python_can_read_it_and_it_says_what_it_takes() -> None:
    ran = subprocess.run([sys.executable, str(WORKERS), "--help"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    command = SHELL.read_text().partition("python slurm_workers.py")[2].partition("&")[0]
    options = re.findall(r" (--[a-z]+)", command)
    assert len(options) == 5
    for option in options:
        assert option in ran.stdout


def test_it_names_options_of_ours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from bertillon.cli import main

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


SBATCH = """#!/bin/sh
# SLURM for one job at a time: a copy of the script is started in this folder, and its number is told
copy=$(mktemp) && cp "$1" "$copy"
sh "$copy" >/dev/null 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill "$@" 2>/dev/null || true
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the example, its workers and some templates, and a stand-in for SLURM that runs jobs here."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in {"sbatch": SBATCH, "scancel": SCANCEL}.items():
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("DASK_JOBQUEUE__SLURM__SCHEDULER_OPTIONS", '{"host": "127.0.0.1", "dashboard_address": ":0"}')
    shutil.copy(WORKERS, tmp_path)
    small = SHELL.read_text().replace(SIZE, "--jobs 1 --cores 2 --processes 1 --memory 2GB")
    assert small != SHELL.read_text()
    (tmp_path / SHELL.name).write_text(small)
    rng = np.random.default_rng(5)
    np.save(tmp_path / "embeddings.npy", rng.normal(size=(40, 8)).astype(np.float32))
    (tmp_path / "owners.csv").write_text("subject\n" + "".join(f"p{number // 4}\n" for number in range(40)))
    return tmp_path


@pytest.mark.slow
def test_the_example_runs_and_answers_as_threads_do(slurm: Path) -> None:
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    job = ["sbatch", SHELL.name]
    assert subprocess.run(job, cwd=slurm, capture_output=True, text=True, check=True).stdout.startswith("Submitted")
    answers = slurm / "answers.json"
    deadline = time.monotonic() + 120
    while not answers.exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    local = ["bertillon", "verify", "embeddings.npy", "--labels", "owners.csv", "--matcher", "cosine", "--json", "-"]
    expected = subprocess.run([*local, "--checkpoint", "own"], cwd=slurm, capture_output=True, text=True, check=True)
    assert json.loads(answers.read_text()) == json.loads(expected.stdout)


def test_the_cluster_asks_for_what_it_was_told() -> None:
    """The fast twin: the script that dask-jobqueue would hand to SLURM."""
    jobqueue = pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    words = {
        "cores": 32,
        "processes": 4,
        "memory": "64GB",
        "walltime": "24:00:00",
        "job_script_prologue": ["export A=1"],
    }
    assert set(re.findall(r"^        ([a-z_]+)=", WORKERS.read_text(), flags=re.MULTILINE)) == set(words)
    script = jobqueue.slurm.SLURMJob("tcp://127.0.0.1:1", name="one", **words).job_script()
    for asked in ("--cpus-per-task=32", "-t 24:00:00", "--nthreads 8", "--nworkers 4", "\nexport A=1\n"):
        assert asked in script
