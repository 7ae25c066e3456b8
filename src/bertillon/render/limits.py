"""How much of a result is written: `LIMITS`, read whenever it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    exported_points: int = 100_000  # of a curve that has one for every sample


LIMITS = Limits()
