"""Packages that take long to load, under their usual names and loaded when they are first used.

Holds `pl`, which is polars, `h5py`, and `LazyPackage`, by which any other is loaded so.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["LazyPackage", "h5py", "pl"]


class LazyPackage:
    """What a package offers, asked of it each time; a reader that needs none of it does not load it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import h5py
    import polars as pl
else:
    h5py, pl = LazyPackage("h5py"), LazyPackage("polars")
