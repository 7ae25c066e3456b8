"""One reader against many spoiled files.

Conventions: only errors of ours may come out, no warning, and no file may take longer than five seconds; where a
reader does not come back at all the process says where it stands and ends.

Holds `fuzz` and `try_reading`.
"""

from __future__ import annotations

import faulthandler
import warnings
from datetime import timedelta
from pathlib import Path

from fuzz_readers import Reader
from fuzz_strategies import spoiled
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bertillon.core import BertillonError

LONGEST = timedelta(seconds=5)
HUNG = 120.0  # seconds


def fuzz(reader: Reader, folder: Path, *, examples: int, derandomize: bool = False) -> None:
    """Spoil so many files, and read each."""
    try_reading(reader, folder, spoiled(reader.seeds()), examples=examples, derandomize=derandomize)


def try_reading(
    reader: Reader, folder: Path, contents: st.SearchStrategy[bytes], *, examples: int, derandomize: bool = True
) -> int:
    """Read so many files; how many were understood."""
    path, understood = folder / "spoiled", 0

    @settings(
        max_examples=examples,
        deadline=LONGEST,
        derandomize=derandomize,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(content=contents, data=st.data())
    def never_anything_else(content: bytes, data: st.DataObject) -> None:
        nonlocal understood
        path.write_bytes(content)
        faulthandler.dump_traceback_later(HUNG, exit=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                reader.read(path, data.draw)
            understood += 1
        except BertillonError:
            pass
        finally:
            faulthandler.cancel_dump_traceback_later()

    never_anything_else()
    return understood
