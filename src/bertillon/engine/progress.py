"""How far a long job has come; whoever watches decides how to show it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told how much work there is, and each time some of it is done."""

    def begin(self, total: int, what: str) -> None:
        """So many steps are ahead."""

    def resume(self, steps: int) -> None:
        """So many were done before, in an earlier run."""

    def advance(self, steps: int) -> None:
        """So many are done."""


class NoProgress:
    """Nobody watches."""

    def begin(self, total: int, what: str) -> None:
        """Nothing to show."""

    def resume(self, steps: int) -> None:
        """Nothing to show."""

    def advance(self, steps: int) -> None:
        """Nothing to show."""
