"""How many scores a measure takes up together, or can be resampled of: `LIMITS`, read whenever it is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    llr_chunk: int = 1 << 20  # scores whose costs are added up together
    bob_scores: int = 1_000_000  # scores; the equal error rate as bob adds it up is not resampled of more


LIMITS = Limits()
