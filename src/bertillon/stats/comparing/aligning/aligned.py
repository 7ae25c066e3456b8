"""Two systems over the same trials, and how their trials were brought together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bertillon.core.messages import Message, Text, joined, say
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet

Trials = ScoreSet | SearchSet | Predictions


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Two systems over the same trials in the same order."""

    first: Trials
    second: Trials
    how: Text  # "" where they were not
    only_first: int = 0  # trials left out because the second system has no score for them
    only_second: int = 0
    notes: tuple[Message, ...] = ()

    @property
    def trials(self) -> int:
        """How many trials both have."""
        return len(self.first) if isinstance(self.first, SearchSet) else self.first.size


def name_of(system: Trials) -> str:
    """What a system is called in messages."""
    return system.name or "a system"


def listed(names: Sequence[str]) -> Text:
    """Names of ids; "" where there are none.

    >>> str(listed(["probe_subject", "reference"]))
    "probe's subject and reference"
    """
    text: Text = joined([say(f"pairing.id.{name}") for name in names])
    return text
