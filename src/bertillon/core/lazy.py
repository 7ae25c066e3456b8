"""Packages that take long to load, under their usual names and loaded when they are first used.

Holds `pl`, which is polars, and `h5py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["h5py", "pl"]

if TYPE_CHECKING:
    import h5py
    import polars as pl
else:

    class _LazyPackage:
        """What a package offers, asked of it each time; a reader that needs none of it does not load it."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._name), name)

    h5py, pl = _LazyPackage("h5py"), _LazyPackage("polars")
