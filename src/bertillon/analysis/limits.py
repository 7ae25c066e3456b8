"""How much is worked out of many pairs of groups: `LIMITS`, read whenever groups are compared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    known_errors: int = 30  # errors of a pair of groups whose people are known, where not all are
    unsure_share: float = 1.0  # of the variance, by which it may then be off; independence would be off by more
    group_pairs: int = 1000  # of different groups whose rates and intervals are worked out


LIMITS = Limits()
