"""What tests of streams ask, and what they hear on the way."""

from __future__ import annotations

import numpy as np

from bertillon.counting import BinaryCounts


def in_the_middle(outline: BinaryCounts) -> np.ndarray:
    """A question whose answer is the score 16."""
    return np.flatnonzero(outline.threshold == 16.0)


def everywhere(outline: BinaryCounts) -> np.ndarray:
    """A question whose answer may be anywhere."""
    return np.arange(len(outline))


class Heard:
    """What progress was told."""

    def __init__(self) -> None:
        self.begun: list[tuple[int, str]] = []
        self.done = 0

    def begin(self, total: int, what: str) -> None:
        self.begun.append((total, what))

    def resume(self, steps: int) -> None: ...

    def advance(self, steps: int) -> None:
        self.done += steps
