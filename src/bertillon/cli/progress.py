"""Signs of life on the terminal: nothing for quick work, a bar with rate, time left and memory for the rest."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from bertillon.cli.rooms import render
from bertillon.core import catalogue, say, spoken, visible

PATIENCE = 2.0  # seconds before anything is shown


class Bar:
    """A progress bar on standard error that appears once work takes more than two seconds, and only on a terminal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._display: Any = None
        self._task: Any = None
        self._total = self._done = self._before = 0  # before: done in an earlier run
        self._what, self._started = "", 0.0

    def begin(self, total: int, what: str) -> None:
        self.close()
        self._total, self._done, self._before, self._what = total, 0, 0, what
        self._started = time.monotonic()

    def resume(self, steps: int) -> None:
        """So many were done before, in an earlier run."""
        self._done = self._before = steps

    def advance(self, steps: int) -> None:
        with self._lock:  # workers on several threads tell of what they have done
            self._done += steps
            if self._display is None and time.monotonic() - self._started > PATIENCE and sys.stderr.isatty():
                self._open()
        if self._display is not None:
            rate = (self._done - self._before) / (time.monotonic() - self._started)
            memory = f"{memory_in_use() / 1e6:,.0f} MB"
            self._display.update(self._task, completed=self._done, rate=f"{_short(rate)}/s", memory=memory)

    def close(self) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if isinstance(error, KeyboardInterrupt) and error.args:
            print(visible(f"stopped: {error}"), file=sys.stderr)  # what is kept of the work

    def _open(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        what, rate = TextColumn("{task.description}"), TextColumn("{task.fields[rate]}")
        columns = (what, BarColumn(), rate, TimeRemainingColumn(), TextColumn("{task.fields[memory]}"))
        self._display = Progress(*columns, console=render.SafeConsole(stderr=True), transient=True)
        total = self._total or None  # a bar that runs to and fro where it is not known
        self._task = self._display.add_task(_doing(self._what), total=total, completed=self._before, rate="", memory="")
        self._display.start()


def memory_in_use() -> int:
    """Bytes this process holds in memory; where only its greatest number so far is known, that."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most


def _doing(what: str) -> str:
    """What is done, in the language of the terminal; what another package does is called as it says."""
    message = say(f"terminal.doing.{what}")
    return spoken(message) if catalogue("en").has(message.key) else what


def _short(number: float) -> str:
    """A number in a few characters: 12.3 M."""
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}"


def working(what: str) -> AbstractContextManager[object]:
    """A word on the terminal while something takes its time, by its id; nothing where nobody watches."""
    if not sys.stderr.isatty():
        return nullcontext()
    return render.SafeConsole(stderr=True).status(_doing(what))
