"""How many people and trials a test needs, before it is made.

Two things can be wanted of an error rate: to show that it is below a target when no error is seen (rule of 3), or to
know it within so many percent (rule of 30: a relative half-width w at a level needs (z / w)^2 errors). Both rules speak
of independent trials. Trials that share people are worth fewer, trials / design effect, so that for comparisons it is
people who are missing, not comparisons:

    by subject   mated comparisons and searches, `samples` of each person: 1 + (samples - 1) rho
    by pair      non-mated comparisons of everyone with everyone, `samples` of each pair: errors that share one person
                 correlate by rho, and each shares one with 2 (people - 2) others where each pair meets once

with rho the correlation of errors at the target rate when a share `correlation` of a score's variance belongs to each
person (see `correlation`).

Conventions: unordered pairs meet once (246 people for 30,000 comparisons), ordered pairs twice, with the parts changed
(174 people). Numbers are rounded up. The level of the rule of 3 is one-sided.

Holds `plan_test` with its `Aim`, `Design`, `Size` and `Plan`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from bertillon.core.errors import InputError
from bertillon.matching.protocol.checks import whole_number
from bertillon.stats.dependence.correlation import MATED, NONMATED, PersonSharing, check_correlation, error_correlation
from bertillon.stats.interval import LEVEL
from bertillon.stats.proportion import normal_quantile, tail_of
from bertillon.stats.rules_of_thumb import check_rate, needed_trials

TRIALS = {
    "FMR": "non-mated comparisons",
    "FNMR": "mated comparisons",
    "FPIR": "searches by people not enrolled",
    "FNIR": "searches by enrolled people",
}
MOST = 10**12  # people; more is a slip of the pen


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be known: a rate, within which share of itself, at which level."""

    name: str
    rate: float
    precision: float = 0.3
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.name not in TRIALS:
            raise InputError(f"rate is {self.name!r}; expected one of {', '.join(TRIALS)}")
        try:
            check_rate(self.rate)
        except InputError as error:
            raise InputError(f"{self.name}: {error}") from None
        if not 0.0 < self.precision < math.inf:
            raise InputError(f"interval is {self.precision!r}; expected a share of the rate above 0, such as 0.3")
        tail_of(self.level)

    @property
    def by_pair(self) -> bool:
        """Does a trial belong to two people?"""
        return self.name == "FMR"

    @property
    def trials_to_bound(self) -> float:
        """Independent trials without an error that show the rate is no larger."""
        return float(needed_trials(self.rate, self.level))

    @property
    def trials_to_measure(self) -> float:
        """Independent trials that know the rate so precisely."""
        quantile = normal_quantile(tail_of(self.level))
        return (quantile / self.precision) ** 2 * (1.0 - self.rate) / self.rate


@dataclass(frozen=True, slots=True)
class Design:
    """How the test is made: trials of each person or pair, and what people have in common with themselves."""

    by_pair: bool
    correlation: float
    samples: int = 1
    ordered: bool = False

    def trials(self, people: int) -> int:
        """All trials of so many people."""
        if not self.by_pair:
            return people * self.samples
        return people * (people - 1) * self.samples // (1 if self.ordered else 2)

    def people_for(self, trials: float) -> int:
        """The fewest people with so many trials."""
        return _fewest(lambda people: self.trials(people) >= trials)

    def sharing(self, people: int) -> PersonSharing:
        """How many of the trials of so many people share one person, or both."""
        trials = self.trials(people)
        if not self.by_pair:
            return PersonSharing(trials, trials * (self.samples - 1))
        meetings = self.samples * (2 if self.ordered else 1)
        return PersonSharing(trials, trials * 2 * (people - 2) * meetings, trials * (meetings - 1))

    def worth(self, people: int, rate: float) -> float:
        """How many independent trials the trials of so many people are worth at this rate."""
        return self.trials(people) / self.sharing(people).design_effect(rate, self.correlation)

    def people_worth(self, trials: float, rate: float) -> int:
        """The fewest people whose trials are worth so many independent ones."""
        return _fewest(lambda people: self.worth(people, rate) >= trials)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a test must be to show one thing under one assumption."""

    shows: str  # "bound" or "precision"
    independent: bool
    people: int
    trials: int
    expected_errors: float  # if the rate is the one aimed at
    worth: float  # in independent trials

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of a test, with what was assumed."""

    aim: Aim
    design: Design
    error_correlation: float  # of two errors that share a person, at the target rate
    sizes: tuple[Size, ...]

    def size(self, shows: str, *, independent: bool = False) -> Size:
        """One of the sizes; by default the one that counts what people have in common."""
        return next(size for size in self.sizes if size.shows == shows and size.independent == independent)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "aim": asdict(self.aim) | {"trials": TRIALS[self.aim.name]},
            "design": asdict(self.design) | {"error_correlation": self.error_correlation},
            "sizes": [size.to_dict() for size in self.sizes],
        }


def plan_test(aim: Aim, *, samples: int = 1, correlation: float | None = None, ordered: bool | None = None) -> Plan:
    """How many people and trials the aim needs, with and without what people have in common with themselves.

    30,000 independent comparisons without an error show FMR < 1e-4 at 95 %; 246 people make as many pairs, but those
    pairs share people:

    >>> plan = plan_test(Aim("FMR", 1e-4))
    >>> plan.size("bound", independent=True).people, plan.size("bound").people
    (246, 337)

    A protection profile that asks for FMR of at most 1e-4 at the upper end of an interval of 80 % asks for less, since
    10 % may lie above that end. It is met by 23,025 independent comparisons without an error:

    >>> from bertillon.stats.proportion import proportion
    >>> [proportion(0, trials, level=0.8).high <= 1e-4 for trials in (23_024, 23_025)]
    [False, True]
    """
    most = 0.5 if aim.by_pair else 1.0
    if correlation is None:
        correlation = NONMATED if aim.by_pair else MATED
    if ordered is not None and not aim.by_pair:
        raise InputError(f"{aim.name}: {TRIALS[aim.name]} are not pairs of people; leave out --ordered and --unordered")
    each = whole_number(samples, "samples", least=1, hint="how many of each person, a whole number of 1 or more")
    design = Design(aim.by_pair, check_correlation(correlation, most=most), each, bool(ordered))
    wanted = (("bound", aim.trials_to_bound), ("precision", aim.trials_to_measure))
    sizes = [_size(aim, design, *want, independent=alone) for want in wanted for alone in (True, False)]
    return Plan(aim, design, error_correlation(aim.rate, design.correlation), tuple(sizes))


def _size(aim: Aim, design: Design, shows: str, needed: float, *, independent: bool) -> Size:
    people = design.people_for(needed) if independent else design.people_worth(needed, aim.rate)
    trials = design.trials(people)
    worth = float(trials) if independent else design.worth(people, aim.rate)
    return Size(shows, independent, people, trials, trials * aim.rate, worth)


def _fewest(enough: Callable[[int], bool]) -> int:
    """The fewest people, two at least, that are enough: doubling, then halving."""
    high = 2
    while not enough(high):
        if high > MOST:
            raise InputError(f"more than {MOST:,} people would be needed; ask for a higher rate or a wider interval")
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
