"""Runs jobs in this process, as a person would from the command line, and takes the numbers they write.

Holds `Ran`, `run` and `snapshot_of`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from net.commands import Job
from net.extracting import numbers_of
from net.snapshots import Stored, stored_form

EXAMPLES = Path(__file__).parents[2] / "examples"


def snapshot_of(job: Job, places: Mapping[str, str], folder: Path) -> Stored:
    """The numbers of all files that the job writes into the folder, and how each of its commands ended."""
    ends, said = {}, []
    with chdir(folder):
        for number, arguments in enumerate(job.arguments(places)):
            code, out = run(arguments)
            ends[f"command {number}"] = str(code)
            said.append(out)
    if any(code not in ("0", "1") for code in ends.values()):
        raise RuntimeError(f"{job.name}: " + "\n".join(said)[-2000:])
    return {"exit": ends} | stored_form(numbers_of(folder, coded=job.coded), near=job.near)


def run(arguments: list[str]) -> tuple[int, str]:
    """The exit code of `bertillon ARGUMENTS`, and what it printed."""
    from bertillon.cli import main

    said = io.StringIO()
    with _called_as(["bertillon", *arguments]), redirect_stdout(said), redirect_stderr(said):
        try:
            main()
        except SystemExit as stopped:
            return int(stopped.code or 0), said.getvalue()
    return 0, said.getvalue()


@contextmanager
def _called_as(command: list[str]) -> Iterator[None]:
    before, sys.argv = sys.argv, command
    try:
        yield
    finally:
        sys.argv = before
