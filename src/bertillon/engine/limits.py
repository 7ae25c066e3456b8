"""How far a job is cut, and how long a cluster is waited for: `LIMITS`, read whenever a job runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    max_pieces: int = 1 << 15  # tiles of a job; larger jobs have larger tiles
    max_losses: int = 20  # batches that may be lost with their workers before we give up
    connect_timeout: float = 10.0  # seconds until a scheduler must answer
    workers_timeout: float = 60.0  # seconds until workers must be there


LIMITS = Limits()
