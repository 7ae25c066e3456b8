"""Rooms that load numbers as soon as they are imported, here loaded when a name of theirs is first used.

Holds `formats` (the room `io`), `matching` and `measures`; all other rooms are lazy by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertillon.core.lazy import LazyPackage

__all__ = ["formats", "matching", "measures"]

if TYPE_CHECKING:
    from bertillon import io as formats
    from bertillon import matching, measures
else:
    formats, matching, measures = map(LazyPackage, ("bertillon.io", "bertillon.matching", "bertillon.measures"))
