"""Signs of life on the terminal: nothing for quick work, a bar with rate and time left for the rest."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

PATIENCE = 2.0  # seconds before anything is shown


class Bar:
    """A progress bar on standard error that appears once work takes more than two seconds, and only on a terminal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._display: Any = None
        self._task: Any = None
        self._total = 0
        self._done = 0
        self._what = ""
        self._started = 0.0

    def begin(self, total: int, what: str) -> None:
        """So many steps are ahead."""
        self.close()
        self._total, self._done, self._what, self._started = total, 0, what, time.monotonic()

    def advance(self, steps: int) -> None:
        """So many are done."""
        with self._lock:  # workers on several threads tell of what they have done
            self._done += steps
            if self._display is None and time.monotonic() - self._started > PATIENCE and sys.stderr.isatty():
                self._open()
        if self._display is not None:
            rate = self._done / (time.monotonic() - self._started)
            self._display.update(self._task, completed=self._done, rate=f"{rate:,.0f}/s")

    def close(self) -> None:
        """Take the bar away."""
        if self._display is not None:
            self._display.stop()
            self._display = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        what, rate = TextColumn("{task.description}"), TextColumn("{task.fields[rate]}")
        columns = (what, BarColumn(), rate, TimeRemainingColumn())
        self._display = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._display.add_task(self._what, total=self._total, rate="")
        self._display.start()


def working(message: str) -> AbstractContextManager[object]:
    """A word on the terminal while something takes its time; nothing where nobody watches."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(message)
