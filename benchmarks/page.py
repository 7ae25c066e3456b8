"""The cases of the report: how long a page of eleven million scores takes to write, how large it is, and how soon it
answers in a browser (chromium, opened from disk, until the threshold can be moved).
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import bertillon as bt
from benchmarks.data import at_scale
from benchmarks.harness import Case, Measured, Skipped, best_time, require
from bertillon.evaluation import Evaluation
from bertillon.render import write_report
from bertillon.views import ReportContent

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
OPENINGS = 5


def written(scale: float) -> Measured:
    """From an evaluation to a file, in seconds."""
    found = ReportContent([_evaluation(scale)])
    with TemporaryDirectory(prefix="bertillon-") as folder:
        path = Path(folder) / "report.html"
        taken = best_time(lambda: write_report(found, path), 3)
    return Measured(taken, taken)


def size(scale: float) -> Measured:
    """The whole file, in megabytes."""
    with TemporaryDirectory(prefix="bertillon-") as folder:
        path = write_report(ReportContent([_evaluation(scale)]), Path(folder) / "report.html")
        return Measured(path.stat().st_size / 1e6)


def interactive(scale: float) -> Measured:
    """From opening the file until its threshold can be moved, in seconds; the best of several openings."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise Skipped("chromium is not installed")
    with TemporaryDirectory(prefix="bertillon-") as folder, sync_playwright() as driver:
        path = write_report(ReportContent([_evaluation(scale)]), Path(folder) / "report.html")
        browser = driver.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        times = []
        for _ in range(OPENINGS):
            page = browser.new_page()
            start = perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=true]")
            times.append(perf_counter() - start)
            before = page.locator(".threshold").inner_text()
            page.locator(".slider").press("ArrowRight")
            require(page.locator(".threshold").inner_text() != before, "the threshold does not move")
            page.close()
        browser.close()
    return Measured(min(times), min(times))


@lru_cache(maxsize=1)
def _evaluation(scale: float) -> Evaluation:
    scores = at_scale(scale)
    return bt.evaluate(bt.ScoreSet(scores.mated, scores.nonmated, name="simulated"))


CASES: Sequence[Case] = (
    Case("report of 11 million scores, written", 2.0, written, "at most", "s"),
    Case("report of 11 million scores, size", 2.0, size, "at most", "MB"),
    Case("report of 11 million scores, interactive", 1.0, interactive, "at most", "s"),
)
