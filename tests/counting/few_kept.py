"""Limits at which only a part of the comparisons made in tiles is kept."""

from __future__ import annotations

import pytest

from bertillon import counting


def keep_few(patch: pytest.MonkeyPatch, *, kept: int, share: float, tail: int, sampled: int) -> None:
    """Keep everything of up to `kept` comparisons; of more, a share of the highest and so many of the rest."""
    limits = {"kept_comparisons": kept, "tail_share": share, "tail_comparisons": tail, "sampled_comparisons": sampled}
    for name, number in limits.items():
        patch.setattr(counting.LIMITS.tiles, name, number)
