"""Attacks: presentations meant to deceive a system, a population of scores beside mated and non-mated ones.

Conventions: attacks come by *species*, the kind of instrument they were made with (a print, a mask, a replayed video,
an injected stream). A species is never pooled with another: a system is as safe as its worst species. NaN is a
presentation to which the system gave no response. `subject` says whom each presentation is of, where that is known, so
that presentations of one person are not taken for independent.

Holds `Presentations` (of one species, or bona fide ones) and `AttackSet`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.core.rule import AcceptRule

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Presentations:
    """Scores of presentations of one kind; decisions (True where taken for bona fide) become scores of 1 and 0.

    >>> masks = Presentations("mask", [0.2, float("nan"), 0.7])
    >>> masks.answered.tolist(), masks.silent
    ([0.2, 0.7], 1)
    """

    name: str
    scores: FloatArray
    subject: NDArray[Any] | None = None

    def __init__(self, name: str, scores: ArrayLike, subject: ArrayLike | None = None) -> None:
        values = _numbers(name, scores)
        people = None if subject is None else np.asarray(subject)
        if people is not None and people.shape != values.shape:
            raise InputError(f"{name}: {people.size:,} subjects for {values.size:,} scores; expected one each")
        put = object.__setattr__  # the way a frozen dataclass is filled
        put(self, "name", name)
        put(self, "scores", values)
        put(self, "subject", people)

    @property
    def size(self) -> int:
        """All presentations, those without a response too."""
        return int(self.scores.size)

    @property
    def answered(self) -> FloatArray:
        """The scores of those that got a response."""
        return self.scores[~np.isnan(self.scores)]

    @property
    def silent(self) -> int:
        """How many got none."""
        return int(np.count_nonzero(np.isnan(self.scores)))

    def responses(self) -> Presentations:
        """Those that got a response."""
        there = ~np.isnan(self.scores)
        return Presentations(self.name, self.scores[there], None if self.subject is None else self.subject[there])


@dataclass(frozen=True, slots=True, eq=False)
class AttackSet:
    """Attack presentations by species, and what was understood of their source."""

    species: tuple[Presentations, ...]
    rule: AcceptRule | None = None  # what the source itself states
    notes: tuple[Text, ...] = ()

    def __post_init__(self) -> None:
        if not self.species:
            raise InputError("no attacks; expected the scores of one species or more")
        names = [one.name for one in self.species]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError(f"species {twice[0]!r} stands twice; expected each once")
        empty = next((one.name for one in self.species if not one.size), None)
        if empty is not None:
            raise InputError(f"species {empty!r} has no presentations; leave it out")

    @classmethod
    def of(cls, attacks: AttackSet | Mapping[str, ArrayLike]) -> AttackSet:
        """The set itself, or one of scores by the name of the species.

        >>> [one.size for one in AttackSet.of({"print": [0.1, 0.3], "mask": [0.6]}).species]
        [2, 1]
        """
        if isinstance(attacks, AttackSet):
            return attacks
        if not isinstance(attacks, Mapping):
            raise InputError(
                f"attacks are {type(attacks).__name__}; expected scores by species, such as {{'print': [0.1, 0.3]}}"
            )
        return cls(tuple(Presentations(str(name), scores) for name, scores in attacks.items()))

    def __len__(self) -> int:
        return sum(one.size for one in self.species)


def _numbers(name: str, scores: ArrayLike) -> FloatArray:
    try:
        values = np.asarray(scores)
        kind = values.dtype.kind
        numbers = values.astype(np.float64) if kind not in "cmM" else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.ndim != 1:
        raise InputError(f"{name}: expected a list of numbers, or of True and False; found {_shown(scores)}")
    return numbers


def _shown(scores: ArrayLike) -> str:
    text = repr(scores)
    return text if len(text) <= 60 else f"{text[:59]}…"
