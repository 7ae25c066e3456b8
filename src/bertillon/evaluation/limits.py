"""Up to which size scores and counts are kept: `LIMITS`, read whenever something is evaluated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    keys_in_file: int = 1 << 15  # told apart besides the tails, or a hundredth of the scores where that is more
    kept_comparisons: int = 20_000_000  # comparisons; their scores and ids fit in memory


LIMITS = Limits()
