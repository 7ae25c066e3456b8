"""Up to which size measures are resampled, and how many resamples at once: `LIMITS`, read whenever it is done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    resamples_together: int = 128  # counted at once, or fewer where there are many units
    cells_together: int = 1 << 20  # weighted counts of scores in cells that are read at once
    resampled_probabilities: int = 200_000  # measures that sort every column of more are not resampled a thousand times
    jackknifed_probabilities: int = 5_000_000  # and of more than these not even with groups of samples left out


LIMITS = Limits()
