"""Attacks: presentations meant to deceive a system, a population of scores beside mated and non-mated ones.

Conventions: attacks come by *species*, the kind of instrument they were made with (a print, a mask, a replayed video,
an injected stream). A species is never pooled with another: a system is as safe as its worst species. NaN is a
presentation to which the system gave no response. `subject` says whom each presentation is of, where that is known, so
that presentations of one person are not taken for independent.

Attacks are tried on something. A whole system accepts or rejects: a presentation without a response was not accepted
and stays among all presentations. An attack detector classifies: a presentation without a response was not classified
and is left out.

Holds `Presentations` (of one species, or bona fide ones), `AttackSet`, the two kinds of trial `SystemAttacks` and
`DetectorAttacks`, both `AttackTrials`, and what is counted of them: `AttackTally`, with a `PopulationTally` for each
population.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import fill
from bertillon.core.errors import InputError, shortened
from bertillon.core.messages import Message, Text, say
from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.core.showing import short_repr
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.counting.keys import fingerprint
from bertillon.counting.tally import Needs, count_errors
from bertillon.trials.aligning import Aligned, name_of, refuse_ids
from bertillon.trials.protocol import row_numbers
from bertillon.trials.score_set import ScoreSet

BONA_FIDE = "bona fide"


@dataclass(frozen=True, slots=True, eq=False)
class Presentations:
    """Scores of presentations of one kind; decisions (True where taken for bona fide) become scores of 1 and 0.

    >>> masks = Presentations("mask", [0.2, float("nan"), 0.7])
    >>> masks.answered.tolist(), masks.silent
    ([0.2, 0.7], 1)
    """

    __repr__ = short_repr

    name: str
    scores: FloatArray
    subject: NDArray[Any] | None = None

    def __init__(self, name: str, scores: ArrayLike, subject: ArrayLike | None = None) -> None:
        values = _numbers(name, scores)
        people = None if subject is None else np.asarray(subject)
        if people is not None and people.shape != values.shape:
            raise InputError(f"{name}: {people.size:,} subjects for {values.size:,} scores; expected one each")
        fill(self, name=name, scores=values, subject=people)

    @classmethod
    def of(cls, name: str, presentations: Presentations | ArrayLike) -> Presentations:
        """The presentations themselves, or those of these scores under a name."""
        return presentations if isinstance(presentations, Presentations) else cls(name, presentations)

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
        return self.select(~np.isnan(self.scores))

    def select(self, rows: NDArray[Any]) -> Presentations:
        """Some of them, by a mask or by row numbers."""
        return Presentations(self.name, self.scores[rows], None if self.subject is None else self.subject[rows])


@dataclass(frozen=True, slots=True, eq=False)
class AttackSet:
    """Attack presentations by species, and what was understood of their source."""

    __repr__ = short_repr

    species: tuple[Presentations, ...]
    rule: AcceptRule | None = None  # what the source itself states
    notes: tuple[Text, ...] = ()

    def __post_init__(self) -> None:
        if not self.species:
            raise InputError("no attacks; expected the scores of one species or more")
        names = [species.name for species in self.species]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError(f"species {twice[0]!r} is given twice; expected each once")
        empty = next((species.name for species in self.species if not species.size), None)
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
        return sum(species.size for species in self.species)

    def select(self, rows: NDArray[np.intp]) -> AttackSet:
        """Some of the presentations, numbered species after species; a species of which none is left is left out."""
        parts, begin = [], 0
        for species in self.species:
            parts.append(species.select(rows[(rows >= begin) & (rows < begin + species.size)] - begin))
            begin += species.size
        return replace(self, species=tuple(part for part in parts if part.size))

    @property
    def fingerprint(self) -> str:
        """A short name for the data: the same in any order of species and of presentations."""
        parts = sorted(f"{one.name} {fingerprint(one.answered, np.zeros(one.silent))}" for one in self.species)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class PopulationTally:
    """How many of one population pass any threshold; scores and thresholds are oriented."""

    name: str
    scores: FloatArray  # of those with a response
    silent: int = 0
    silent_are_trials: bool = True  # not accepted then; else they were not classified

    @cached_property
    def ordered(self) -> FloatArray:
        """The scores, ascending; sorted when somebody asks for many thresholds."""
        return np.sort(self.scores)

    @property
    def trials(self) -> int:
        """What rates are shares of."""
        return int(self.scores.size) + (self.silent if self.silent_are_trials else 0)

    def accepted_at(self, threshold: float) -> int:
        """How many pass one threshold."""
        return int(np.count_nonzero(AcceptRule.SIMILARITY.accepts(self.scores, threshold)))

    def accepted(self, thresholds: FloatArray) -> NDArray[np.int64]:
        """How many pass each of many thresholds."""
        return np.asarray(self.ordered.size - count_rejected(self.ordered, thresholds))


@dataclass(frozen=True, eq=False)
class AttackTally:
    """What any threshold makes of attacks, and of those who do not attack."""

    rule: AcceptRule
    species: tuple[PopulationTally, ...]
    genuine: PopulationTally  # mated comparisons, or bona fide presentations
    licit: ScoreSet | None = None  # mated and non-mated comparisons; None of an attack detector

    @cached_property
    def errors(self) -> BinaryCounts:
        """The errors of a system that nobody attacks, at every threshold."""
        assert self.licit is not None
        return count_errors(self.licit)

    @cached_property
    def thresholds(self) -> FloatArray:
        """Every distinct score of attacks and genuine ones, ascending, and a threshold that rejects all; oriented."""
        every = [population.scores for population in (*self.species, self.genuine)]
        return np.append(np.unique(np.concatenate(every)), np.inf)

    @cached_property
    def worst(self) -> FloatArray:
        """The share of attacks that pass each of the thresholds, of the species of which most do."""
        shares = [species.accepted(self.thresholds) / species.trials for species in self.species if species.trials]
        return np.asarray(np.max(shares, axis=0))

    @cached_property
    def rejected(self) -> FloatArray:
        """The share of genuine ones that do not pass each of the thresholds."""
        return np.asarray((self.genuine.trials - self.genuine.accepted(self.thresholds)) / self.genuine.trials)


@dataclass(frozen=True, slots=True, eq=False)
class AttackTrials(ABC):
    """Attacks, and the system or detector they were tried on.

    Rows are those of who does not attack, then the attacks species by species.
    """

    kind: ClassVar[str]
    form: ClassVar[str] = "whole"
    unit: ClassVar[str] = "subject"
    curves: ClassVar[tuple[str, ...]] = ()
    failed: ClassVar[int] = 0  # who got no response is a trial, and comparisons that failed are counted by measures
    passed: ClassVar[Message]  # what becomes of a presentation whose score passes the threshold
    attacks: AttackSet

    @property
    def name(self) -> str:
        """What was attacked."""
        return ""

    @property
    @abstractmethod
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted, or taken for bona fide."""

    @property
    @abstractmethod
    def others(self) -> Mapping[str, NDArray[Any]]:
        """The scores of those who do not attack, by what they are called; genuine ones first."""

    @property
    def judged(self) -> tuple[Presentations, ...]:
        """The attacks that rates are shares of, by species."""
        return self.attacks.species

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A short name for the data."""

    @abstractmethod
    def count(self, needs: Needs | None = None) -> AttackTally:
        """What measures read, the same for all of them."""

    @property
    @abstractmethod
    def genuine_sizes(self) -> tuple[int, ...]:
        """How many trials each population has that does not attack."""

    @property
    def population_sizes(self) -> tuple[int, ...]:
        """How many trials each population has, in the order of rows."""
        return (*self.genuine_sizes, *(species.size for species in self.attacks.species))

    @property
    def n_trials(self) -> int:
        """All trials, presentations without a response among them."""
        return sum(self.population_sizes)

    @property
    def units(self) -> NDArray[Any] | None:
        """Whom each trial is of; None where that is not known of all of them."""
        return None

    def select(self, rows: ArrayLike) -> Self:
        """Some of the trials, by a mask or by row numbers."""
        chosen, first = row_numbers(rows, self.n_trials), sum(self.genuine_sizes)
        return self._with(chosen[chosen < first], self.attacks.select(chosen[chosen >= first] - first))

    @abstractmethod
    def _with(self, genuine: NDArray[np.intp], attacks: AttackSet) -> Self:
        """The same with some of those who do not attack, and with these attacks."""

    def same_as(self, other: Self) -> bool:
        """Is every score the same?"""
        return self.rule == other.rule and self.fingerprint == other.fingerprint

    def align(self, other: Self, by: Sequence[str] | None = None) -> Aligned[Self]:
        """The trials of both systems, row by row: as many of each population."""
        refuse_ids(by)
        names = [[species.name for species in trials.attacks.species] for trials in (self, other)]
        if names[0] != names[1] or self.population_sizes != other.population_sizes:
            raise InputError(
                f"{name_of(self)} and {name_of(other)} were not attacked alike; expected as many presentations of the "
                "same species"
            )
        return Aligned(self, other, say("pairing.rows"))

    @property
    def counts(self) -> dict[str, int]:
        """How many trials of each kind; attacks and bona fide presentations without a response count too."""
        return {name: int(scores.size) for name, scores in self.others.items()} | {"attacks": len(self.attacks)}

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return {
            "rule": say("signature.rule.passed", passed=self.passed, sign=self.rule.sign),
            "thresholds": say("signature.thresholds.scores"),
            "targets": say("signature.targets.at_most"),
            "species": say("signature.species.worst"),
            "data": self.fingerprint,
        }


@dataclass(frozen=True, slots=True, eq=False)
class SystemAttacks(AttackTrials):
    """A whole system: its mated and non-mated comparisons, and attacks on it.

    >>> SystemAttacks(AttackSet.of({"mask": [0.6, 0.2]}), ScoreSet([0.9], [0.1, 0.3])).counts
    {'mated': 1, 'non-mated': 2, 'attacks': 2}
    """

    __repr__ = short_repr

    kind: ClassVar[str] = "attacks"
    passed: ClassVar[Message] = say("attacks.through.attacks")
    scores: ScoreSet

    def __post_init__(self) -> None:
        if self.attacks.rule not in (None, self.scores.rule):
            raise InputError(
                f"scores are a {self.scores.rule.value} and the attacks are not; expected one rule for both"
            )

    @property
    def name(self) -> str:
        return self.scores.name

    @property
    def rule(self) -> AcceptRule:
        return self.scores.rule

    @property
    def others(self) -> Mapping[str, NDArray[Any]]:
        return {"mated": self.scores.mated, "non-mated": self.scores.nonmated}

    @property
    def fingerprint(self) -> str:
        return f"{fingerprint(self.scores.mated, self.scores.nonmated)}-{self.attacks.fingerprint}"

    @property
    def genuine_sizes(self) -> tuple[int, ...]:
        return self.scores.mated.size, self.scores.nonmated.size

    def _with(self, genuine: NDArray[np.intp], attacks: AttackSet) -> Self:
        return replace(self, scores=self.scores.select(genuine), attacks=attacks)

    def count(self, needs: Needs | None = None) -> AttackTally:
        orient = self.rule.orient
        species = [PopulationTally(one.name, orient(one.answered), one.silent) for one in self.attacks.species]
        genuine = PopulationTally("mated", orient(self.scores.mated), self.scores.failures.mated)
        return AttackTally(self.rule, tuple(species), genuine, self.scores)


@dataclass(frozen=True, slots=True, eq=False)
class DetectorAttacks(AttackTrials):
    """An attack detector by itself: bona fide presentations and attacks that it classified."""

    __repr__ = short_repr

    kind: ClassVar[str] = "attack-detection"
    passed: ClassVar[Message] = say("attacks.bona_fide")
    bona_fide: Presentations
    rule: AcceptRule = AcceptRule.SIMILARITY

    def __post_init__(self) -> None:
        if not self.bona_fide.answered.size or not any(species.answered.size for species in self.attacks.species):
            kind = "bona fide presentation" if not self.bona_fide.answered.size else "attack"
            raise InputError(
                f"no {kind} got a response, so nothing was classified; expected some scores that are not NaN"
            )

    @property
    def others(self) -> Mapping[str, NDArray[Any]]:
        return {BONA_FIDE: self.bona_fide.answered}

    @property
    def judged(self) -> tuple[Presentations, ...]:
        return tuple(species.responses() for species in self.attacks.species)

    @property
    def counts(self) -> dict[str, int]:
        return {BONA_FIDE: self.bona_fide.size, "attacks": len(self.attacks)}

    @property
    def fingerprint(self) -> str:
        return f"{fingerprint(self.bona_fide.answered, np.zeros(self.bona_fide.silent))}-{self.attacks.fingerprint}"

    @property
    def genuine_sizes(self) -> tuple[int, ...]:
        return (self.bona_fide.size,)

    @property
    def units(self) -> NDArray[Any] | None:
        subjects = [presentations.subject for presentations in (self.bona_fide, *self.attacks.species)]
        known = [subject for subject in subjects if subject is not None]
        return np.concatenate(known) if len(known) == len(subjects) else None

    def _with(self, genuine: NDArray[np.intp], attacks: AttackSet) -> Self:
        return replace(self, bona_fide=self.bona_fide.select(genuine), attacks=attacks)

    def count(self, needs: Needs | None = None) -> AttackTally:
        species = tuple(self._classified(one) for one in self.attacks.species)
        return AttackTally(self.rule, species, self._classified(self.bona_fide))

    def _classified(self, presentations: Presentations) -> PopulationTally:
        answered = self.rule.orient(presentations.answered)
        return PopulationTally(presentations.name, answered, presentations.silent, silent_are_trials=False)


def _numbers(name: str, scores: ArrayLike) -> FloatArray:
    try:
        values = np.asarray(scores)
        kind = values.dtype.kind
        numbers = values.astype(np.float64) if kind not in "cmM" else None
    except (TypeError, ValueError):
        numbers = None
    if numbers is None or numbers.ndim != 1:
        raise InputError(f"{name}: expected a list of numbers, or of True and False; found {shortened(repr(scores))}")
    return numbers
