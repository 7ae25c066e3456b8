"""docs/architecture.md follows one evaluation, and one report, through the files that really run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()

EVALUATION = """
scores = bt.simulate.scores("subjects", subjects=20, mated=100, nonmated=500, rng=1).scores


def job():
    bt.evaluate(scores, "EER").with_intervals()
"""
REPORT = """
import contextlib, io, os
from bertillon.cli import main

scores = bt.simulate.scores("subjects", subjects=20, mated=100, nonmated=500, rng=1).scores
for name, values in (("genuine.txt", scores.mated), ("impostor.txt", scores.nonmated)):
    Path(name).write_text("\\n".join(map(str, values)) + "\\n")
sys.argv = ["bertillon", "verify", "genuine.txt", "impostor.txt", "--report", "out.html"]


def job():
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main()
    os.remove("out.html")
"""
WALKS = {  # with the most steps, and the most files in all
    "One evaluation, file by file": (EVALUATION, 20, 20),
    "One report, file by file": (REPORT, 36, 63),
}
SETUP = """
import sys, threading
from pathlib import Path
import bertillon as bt

SOURCE, seen = Path(bt.__file__).parent, {}
"""
WATCH = """

def watch(frame, event, _):
    path = frame.f_code.co_filename
    if event == "call" and path.startswith(str(SOURCE)) and path.endswith(".py"):
        seen[Path(path).relative_to(SOURCE).as_posix()] = None


job()  # once before, so that nothing is imported while it is watched
threading.setprofile(watch)
sys.setprofile(watch)
job()
sys.setprofile(None)
print(*seen, sep="\\n")
"""


def steps_and_rest(heading: str) -> tuple[str, str]:
    """The list of steps of a walk, and what is used on the way."""
    steps, rest = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0].split("Used on the way")
    return steps, rest


def files_in(text: str) -> list[str]:
    return re.findall(r"`src/bertillon/([\w/]+\.py)`", text)


@pytest.mark.parametrize("heading", WALKS)
def test_the_walk_names_the_files_that_run(heading: str, tmp_path: Path) -> None:
    job, most_steps, most_files = WALKS[heading]
    ran = subprocess.run(
        [sys.executable, "-c", SETUP + job + WATCH],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert ran.returncode == 0, ran.stderr
    steps, rest = map(files_in, steps_and_rest(heading))
    assert {*steps, *rest} == set(ran.stdout.split()), "name what runs, and nothing else, in docs/architecture.md"
    assert len(steps) == len(set(steps)) <= most_steps
    assert len({*steps, *rest}) <= most_files
    assert set(steps).isdisjoint(rest)


@pytest.mark.parametrize("heading", WALKS)
def test_the_walk_names_functions_that_are_there(heading: str) -> None:
    text, _ = steps_and_rest(heading)
    steps = re.findall(r"^\d+\. `([\w.]+)` in `(src/[\w/]+\.py)`", text, re.MULTILINE)
    assert len(steps) == len(files_in(text))
    assert [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)] == list(range(1, len(steps) + 1))
    for name, path in steps:
        last = name.rpartition(".")[2]
        assert re.search(rf"^\s*(?:def|class) {last}\b", (ROOT / path).read_text(), re.MULTILINE), (name, path)
