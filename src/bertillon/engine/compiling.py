"""Loops compiled by numba, kept on disk where there is a place for them.

Conventions: a compiled loop releases the interpreter lock. numba keeps what it compiled beside the source, or in the
user's cache folder, or where NUMBA_CACHE_DIR says, and gives up where it can write to none of them: in a read-only
installation, in a container without a home. Then loops are compiled anew in every process, which is said once.

Holds `compiled` and `compiled_late`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function when it is first called; `options` are those of numba's `njit`."""
    from numba import njit

    def compile(function: Function) -> Function:
        try:
            made: Function = njit(nogil=True, cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _warn_not_cached()
            made = njit(nogil=True, **options)(function)
        return made

    return compile


@cache
def compiled_late(function: Function) -> Function:
    """The same for a loop that small inputs need not compile: asked for where it is called, made once."""
    return compiled()(function)


@cache  # once
def _warn_not_cached() -> None:
    warnings.warn(
        "no folder for compiled code can be written to, so it is compiled anew in every process, which takes some "
        "seconds; set NUMBA_CACHE_DIR to a folder that can be",
        RuntimeWarning,
        stacklevel=2,
    )
