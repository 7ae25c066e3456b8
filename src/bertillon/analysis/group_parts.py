"""The comparisons of a group, or of two, in a form that gives their error rate at any threshold, with its interval.

Conventions: mated comparisons belong to one person, non-mated ones to two. Intervals are by subject. Where comparisons
were counted and too few of a pair of groups were kept with their people, they are taken as independent and the interval
says so. Pairs of different groups grow with the square of the groups: of more than `group_pairs` only those with the
highest rates at a threshold are looked at, and how many are left out is told. Up to that many, pairs without
comparisons are there too.

Holds `Groups` and its parts, of kept scores (`parts_of_scores`) and of counted ones (`parts_of_counted`); `LIMITS` says
how much is worked out of many pairs of groups, and is read whenever groups are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, say
from bertillon.counting import CountedScores, codes_of
from bertillon.counting.tiles.groups import CountedGroups, Pair, people_between
from bertillon.matching.groups import PeopleGroups
from bertillon.measures.base import NO_TRIALS, Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import Interval, independent
from bertillon.stats.shared_people import KeptRoster, Roster, rate_by_subject, roster_of
from bertillon.trials.score_set import ScoreSet, TrialIds

Codes = NDArray[Any]
IntArray = NDArray[np.int64]


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    known_errors: int = 30  # errors of a pair of groups whose people are known, where not all are
    unsure_share: float = 1.0  # of the variance, by which it may then be off; independence would be off by more
    group_pairs: int = 1000  # of different groups whose rates and intervals are worked out


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Groups:
    """What is known of some groups: their names, mated comparisons by group, and non-mated ones by pair of groups."""

    names: tuple[str, ...]
    mated: tuple[KeptPart, ...]
    pairs: KeptPairs | CountedPairs
    codes: tuple[Codes, Codes, Codes] | None = None  # of mated comparisons and both sides of the others, where kept

    def across(self, threshold: float) -> tuple[list[Pair], int]:
        """The pairs of different groups that are looked at, and how many with comparisons are left out."""
        n = len(self.names)
        if n * (n - 1) // 2 <= LIMITS.group_pairs:
            return list(combinations(range(n), 2)), 0
        pairs, errors, trials = self.pairs.tallies(threshold)
        different = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
        rate = errors[different] / trials[different]
        worst = different[np.lexsort((-trials[different], -rate))[: LIMITS.group_pairs]]
        return sorted((group, other) for group, other in pairs[worst].tolist()), different.size - worst.size


@dataclass(frozen=True, eq=False)
class KeptPart:
    """Scores of one kind, and whose they are: the one person of each if mated, else the two."""

    scores: NDArray[Any]
    who: tuple[Codes, ...]
    rule: AcceptRule

    @cached_property
    def people(self) -> int:
        """How many people they are of."""
        return int(np.unique(np.concatenate(self.who)).size)

    @cached_property
    def _roster(self) -> Roster:
        return roster_of(*self.who)

    def at(self, threshold: float, level: float) -> Measured:
        """FNMR, or FMR, at a threshold."""
        mated, accepted = len(self.who) == 1, np.asarray(self.rule.accepts(self.scores, threshold))
        wrong = ~accepted if mated else accepted
        result = Result.share(int(np.count_nonzero(wrong)), wrong.size, threshold)
        if not wrong.size:
            return Measured(result, Interval.undefined(NO_TRIALS, level))
        rate = rate_by_subject(self.who[0], wrong) if mated else self._roster.rate(wrong)
        return Measured(result, rate.interval(level))


@dataclass(frozen=True, eq=False)
class CountedPart:
    """Non-mated comparisons of a pair of groups that were counted, and some of their people."""

    groups: CountedGroups
    pair: Pair
    roster: KeptRoster

    @cached_property
    def people(self) -> int:
        """How many people they are of."""
        known = self.roster.people
        return int(np.count_nonzero(known.planned.of_person - known.failed))

    def at(self, threshold: float, level: float) -> Measured:
        """FMR at a threshold."""
        errors, trials = self.groups.false_matches(self.pair, threshold)
        result = Result.share(errors, trials, threshold)
        if not trials:
            return Measured(result, Interval.undefined(NO_TRIALS, level))
        known, of = self.roster.known(threshold, errors)
        rate = self.roster.rate(threshold, errors)
        if known == of or (
            known >= LIMITS.known_errors * self.roster.people.times
            and self.roster.unsure(threshold, rate) <= LIMITS.unsure_share
        ):
            return Measured(result, rate.interval(level))
        why = say("reason.too_few_kept", of=of, known=known)
        return Measured(result, replace(independent(errors, trials, level), reason=why))


class KeptPairs:
    """Kept scores by pair of groups: sorted once, cut out where a pair is looked at."""

    def __init__(self, everybody: KeptPart, code: Codes, groups: int) -> None:
        self._all, self._groups = everybody, groups
        self._order = np.argsort(code, kind="stable")
        self._code, self._start, self._trials = np.unique(code[self._order], return_index=True, return_counts=True)
        self._parts: dict[Pair, KeptPart] = {}

    def part(self, pair: Pair) -> KeptPart:
        """Those of a pair; there may be none."""
        if pair not in self._parts:
            code = pair[0] * self._groups + pair[1]
            index = int(np.searchsorted(self._code, code))
            there = index < self._code.size and self._code[index] == code
            begin = int(self._start[index]) if there else 0
            rows = self._order[begin : begin + (int(self._trials[index]) if there else 0)]
            who = tuple(side[rows] for side in self._all.who)
            self._parts[pair] = KeptPart(self._all.scores[rows], who, self._all.rule)
        return self._parts[pair]

    def tallies(self, threshold: float) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs that have comparisons (two columns), with their errors at a threshold and their comparisons."""
        wrong = np.asarray(self._all.rule.accepts(self._all.scores, threshold))[self._order]
        errors = np.add.reduceat(wrong.astype(np.int64), self._start) if self._start.size else self._start
        return np.stack(np.divmod(self._code, self._groups), axis=1), errors, self._trials


@dataclass(frozen=True, slots=True, eq=False)
class CountedPairs:
    """Counted comparisons by pair of groups."""

    scores: CountedScores
    groups: CountedGroups
    _parts: dict[Pair, CountedPart] = field(default_factory=dict)

    def part(self, pair: Pair) -> CountedPart:
        """Those of a pair; there may be none."""
        if pair not in self._parts:
            assert self.scores.people is not None
            trials = self.groups.false_matches(pair, self.scores.rule.restore(-np.inf))[1]
            people = people_between(self.scores.people, self.groups, pair)
            self._parts[pair] = CountedPart(self.groups, pair, KeptRoster(people, self.scores.rule, trials))
        return self._parts[pair]

    def tallies(self, threshold: float) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs that have comparisons, with their errors at a threshold and their comparisons."""
        counted = [(pair, *self.groups.false_matches(pair, threshold)) for pair in self.groups.cells]
        there = [(*pair, errors, trials) for pair, errors, trials in counted if trials]
        table = np.array(there, dtype=np.int64).reshape(-1, 4)
        return table[:, :2], table[:, 2], table[:, 3]


def parts_of_scores(scores: ScoreSet, groups: PeopleGroups) -> Groups:
    """Kept scores, whose people must all be known."""
    own = _subjects(scores.mated_ids, scores.mated.size, scores.name, "mated")
    others = _subjects(scores.nonmated_ids, scores.nonmated.size, scores.name, "non-mated")
    numbered = codes_of([own[0], *others])
    if numbered is None:
        raise InputError(f"{scores.name}: a subject id is missing, so a group is; expected one for every comparison")
    names, of_person = np.unique(groups.of(numbered.ids), return_inverse=True)
    owner, first, second = numbered.codes
    places = _places(of_person[owner], names.size)
    mated = tuple(KeptPart(scores.mated[rows], (owner[rows],), scores.rule) for rows in places)
    lower, higher = (of(of_person[first], of_person[second]) for of in (np.minimum, np.maximum))
    everybody = KeptPart(scores.nonmated, (first, second), scores.rule)
    codes = of_person[owner], of_person[first], of_person[second]
    kept = KeptPairs(everybody, lower * names.size + higher, names.size)
    return Groups(tuple(names.tolist()), mated, kept, codes)


def parts_of_counted(scores: CountedScores) -> Groups:
    """Comparisons that were counted by groups."""
    groups, people = scores.groups, scores.people
    if groups is None or people is None:
        raise InputError(
            f"{scores.name}: was counted without groups, and the scores were not kept; name the groups when counting "
            "(groups=...)"
        )
    places = _places(groups.of_person[people.mated], len(groups.names))
    mated = tuple(KeptPart(scores.mated[rows], (people.mated[rows],), scores.rule) for rows in places)
    return Groups(groups.names, mated, CountedPairs(scores, groups))


def _places(codes: Codes, n: int) -> list[NDArray[np.int64]]:
    """The rows that hold each of n codes, in ascending order."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n))
    return np.split(order, ends[:-1]) if n else []


def _subjects(ids: TrialIds | None, size: int, name: str, kind: str) -> list[Codes]:
    """The people of either side; of mated comparisons one side is enough."""
    if not size:
        return [np.empty(0, dtype=np.int64)] * 2
    sides = [] if ids is None else [ids.probe_subject, ids.reference_subject]
    known = [np.asarray(side) for side in sides if side is not None]
    if len(known) < (1 if kind == "mated" else 2):
        raise InputError(
            f"{name}: nobody knows who was compared in the {kind} comparisons, so not of which group they are; give "
            "probe_subject and reference_subject with the scores"
        )
    return known
