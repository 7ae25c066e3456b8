"""What a compiled library prints when it gives up on a damaged file, kept from the user's terminal.

Conventions: a panic is printed to the process's error stream before it can be caught. While the library works, that
stream goes to a file of its own; afterwards everything in it but the panics is passed on, so that nothing another
thread says is lost, only late. Several threads may be inside at once.

Holds `suppressed_panics`.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

STDERR = 2
_PANIC = re.compile(rb"\n?thread '[^\n]*panicked at [^\n]*\n.*?(?:^note: [^\n]*\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _CapturedStderr:
    """Where the error stream led to, and the file it leads to for now."""

    before: int
    kept: IO[bytes]

    @classmethod
    def now(cls) -> _CapturedStderr | None:
        """None where the process has no error stream, or there is no place for a file."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        try:
            before = os.dup(STDERR)
        except OSError:
            return None
        try:
            kept = tempfile.TemporaryFile()  # noqa: SIM115 closed by undo
        except OSError:
            os.close(before)
            return None
        os.dup2(kept.fileno(), STDERR)
        return cls(before, kept)

    def undo(self) -> None:
        os.dup2(self.before, STDERR)
        os.close(self.before)
        with self.kept as file:
            file.seek(0)
            rest = _PANIC.sub(b"", file.read())
        if rest:
            os.write(STDERR, rest)


_lock = threading.Lock()
_inside = 0
_diverted: _CapturedStderr | None = None


@contextmanager
def suppressed_panics() -> Iterator[None]:
    """Panics within are not printed."""
    global _inside, _diverted
    with _lock:
        _inside += 1
        if _inside == 1:
            _diverted = _CapturedStderr.now()
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _diverted is not None:
                _diverted.undo()
                _diverted = None
