"""Commands that pages only name are run by a shell, as a reader would, from the files that `demo --examples` writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = ("first-minutes.md", "automation.md")
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


@pytest.fixture
def shell(tmp_path: Path):
    """Lines run by bash, which stops at the first that fails, with `bertillon` on its path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, line in (("bertillon", '-c "from bertillon.cli import main; main()"'), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {line} "$@"\n')
        (programs / name).chmod(0o755)
    summary = tmp_path / "summary"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": str(summary), "COLUMNS": "100"}

    def run(text: str, folder: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = ["bash", "-eo", "pipefail", "-c", text]
        return subprocess.run(command, cwd=folder, env=env, text=True, capture_output=True)

    run("bertillon demo --examples .")
    return run


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_run_in_order(shell, page: str) -> None:
    """The blocks of a page are one session."""
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert blocks
    ran = shell("".join(blocks))
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "Traceback" not in ran.stderr


def test_every_one_has_commands_or_python() -> None:
    sections = (DOCS / "first-minutes.md").read_text().split("\n## ")[1:]
    assert len(sections) == 6
    for section in sections:
        assert BLOCK.search(section) or PYTHON.search(section), section.partition("\n")[0]


def test_exit_codes_and_streams_are_as_the_page_says(shell, tmp_path: Path) -> None:
    block = BLOCK.findall((DOCS / "automation.md").read_text())[0]
    ran = shell(block)
    assert "exit code 1" in ran.stdout
    assert 0.0 < float(ran.stdout.splitlines()[-1]) < 1.0
    assert (tmp_path / "summary.md").read_text().startswith("#")


def test_the_steps_of_the_workflow_run_and_fill_the_summary(shell, tmp_path: Path) -> None:
    """Of the file for GitHub Actions: its steps that measure, as the runner runs them."""
    yaml = pytest.importorskip("yaml")
    [text] = re.findall(r"^```yaml\n(.*?)^```", (DOCS / "automation.md").read_text(), re.DOTALL | re.MULTILINE)
    [job] = yaml.safe_load(text)["jobs"].values()
    steps = [step["run"] for step in job["steps"] if step.get("run", "").startswith("bertillon ")]
    assert len(steps) == 2
    for step in steps:
        ran = shell(step)
        assert ran.returncode == 0, ran.stderr
        assert "FNMR@FMR=0.01" in (tmp_path / "summary").read_text()
        (tmp_path / "summary").unlink()
    assert (tmp_path / "report.html").stat().st_size > 10_000
    worse = shell(steps[1].replace("old.csv new.csv", "new.csv old.csv"))
    assert worse.returncode == 1
    assert shell(steps[0].replace("0.05", "0.001")).returncode == 1
