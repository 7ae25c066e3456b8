"""docs/architecture.md follows one evaluation through the files that really run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
WALK = PAGE.split("## One evaluation, file by file\n")[1].split("\n## ")[0]
STEPS, ASIDE = WALK.split("Used on the way")
MOST_FILES = 20  # of one evaluation, in all

WATCH = """
import sys, threading
from pathlib import Path
import bertillon as bt

SOURCE, seen = Path(bt.__file__).parent, {}
scores = bt.simulate("subjects", subjects=20, mated=100, nonmated=500, rng=1).scores


def watch(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)):
        seen[Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix()] = None


bt.evaluate(scores, "EER").with_intervals()  # once before, so that nothing is imported while it is watched
threading.setprofile(watch)
sys.setprofile(watch)
bt.evaluate(scores, "EER").with_intervals()
sys.setprofile(None)
print(*seen, sep="\\n")
"""


def files_in(text: str) -> list[str]:
    return re.findall(r"`src/bertillon/([\w/]+\.py)`", text)


def test_the_walk_names_the_files_that_run():
    ran = subprocess.run(
        [sys.executable, "-c", WATCH],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert ran.returncode == 0, ran.stderr
    seen = ran.stdout.split()
    assert set(files_in(WALK)) == set(seen), "name what runs, and nothing else, in docs/architecture.md"
    assert len(files_in(WALK)) == len(seen) <= MOST_FILES


def test_the_walk_names_functions_that_are_there():
    steps = re.findall(r"^\d+\. `([\w.]+)` in `(src/[\w/]+\.py)`", STEPS, re.MULTILINE)
    assert len(steps) == len(files_in(STEPS))
    for name, path in steps:
        last = name.rpartition(".")[2]
        assert re.search(rf"^\s*(?:def|class) {last}\b", (ROOT / path).read_text(), re.MULTILINE), (name, path)
