"""Sizes at which the making of trials changes its way of working: `LIMITS`, read whenever trials are made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    search_compiled_from: int = 1 << 26  # scores counted with numpy before loading the compiled loop pays
    search_tile_width: int = 1 << 14  # templates of the gallery in a tile
    fewest_probes: int = 32  # probes in a strip, below which a product of matrices is slow
    together_bytes: int = 1 << 31  # of what all workers count of searches while they verify
    list_members: int = 39  # templates a list of an ivf index needs to be trained


LIMITS = Limits()
