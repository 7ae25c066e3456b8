"""docs/tutorials/door.md, executed as it stands: each command prints what the page says it does."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "door.md"
STEPS = re.findall(r"```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE.read_text(), re.DOTALL)
PROGRAM = [sys.executable, "-u", "-c", "from bertillon.cli import main; main()"]


def test_the_page_has_its_steps():
    commands = [line.split()[1] for code, _ in STEPS for line in code.splitlines() if line.startswith("bertillon")]
    assert commands == [
        "extract",
        "identify",
        *["gallery", "policy", "gallery", "gallery"],
        "token",
        "token",
        "serve",
        "gallery",
    ]


@pytest.mark.slow
@pytest.mark.realdata
def test_the_page_is_true(real_data, missing, tmp_path):
    for name in ("dlib", "face_recognition_models"):
        if importlib.util.find_spec(name) is None:
            missing("face", f"{name} is not installed (the extra face)")
    (tmp_path / "photos").symlink_to(real_data / "orl")
    paths = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "200"}
    running, port = None, ""
    try:
        for code, expected in STEPS:
            said = ""
            for line in code.splitlines():
                words = shlex.split(
                    line.replace("$TOKEN", environment.get("TOKEN", "")).replace("8750", port or "8750")
                )
                if words[:2] == ["bertillon", "serve"]:
                    command = [*PROGRAM, *words[1:], "--port", "0"]
                    running = subprocess.Popen(
                        command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
                    )
                    said += running.stdout.readline()
                    port = re.search(r":(\d+);", said)[1]
                    continue
                if words[0] == "curl" and shutil.which("curl") is None:
                    said += expected  # there is none to run
                    continue
                command = [*PROGRAM, *words[1:]] if words[0] == "bertillon" else words
                ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
                assert ran.returncode == 0, (line, ran.stderr)
                said += ran.stdout
                if words[:3] == ["bertillon", "token", "make"]:
                    environment["TOKEN"] = ran.stdout.splitlines()[-1]
            for part in expected.splitlines():
                assert re.sub(r"\s+", " ", part).strip() in re.sub(r"\s+", " ", said), (part, said)
    finally:
        if running is not None:
            running.terminate()
            running.wait(timeout=30)
            running.stdout.close()
