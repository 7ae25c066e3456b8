"""How many scores a measure takes up together: `LIMITS`, read whenever a measure is worked out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    llr_chunk: int = 1 << 20  # scores whose costs are added up together


LIMITS = Limits()
