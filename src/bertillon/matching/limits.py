"""How many comparisons are made together: `LIMITS`, read whenever templates are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    strip_cells: int = 1 << 22  # comparisons of a strip
    slow_strip_cells: int = 1 << 18  # where each comparison takes its time, so that there are signs of life


LIMITS = Limits()
