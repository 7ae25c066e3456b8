"""How many people and trials a test needs, before it is made; by formula, and tried on simulated people.

Two things can be wanted of an error rate: to show that it is below a target when no error is seen (rule of 3), or to
know it within so many percent (rule of 30: a relative half-width w at a level needs (z / w)^2 errors). Both rules speak
of independent trials. Trials that share people are worth fewer, trials / design effect, so that for comparisons it is
people who are missing, not comparisons:

    by subject   mated comparisons and searches, `samples` of each person: 1 + (samples - 1) rho
    by pair      non-mated comparisons of everyone with everyone, `samples` of each pair: errors that share one person
                 correlate by rho, and each shares one with 2 (people - 2) others where each pair meets once

with rho the correlation of errors at the target rate when a share `correlation` of a score's variance belongs to each
person (see `dependent_rate`).

Conventions: unordered pairs meet once (246 people for 30,000 comparisons), ordered pairs twice, with the parts changed
(174 people). Numbers are rounded up. The level of the rule of 3 is one-sided.

A planned test is tried on simulated people whose error rate is known. Mated comparisons and searches are scores of
simulated subjects (see `trials.simulate`). Non-mated comparisons are made of everyone with everyone: a score is the sum
of what its two people bring and of what is its own, with the shares of variance correlation, correlation and 1 - 2
correlation; a person brings the same as probe and as reference. The threshold stands where the true rate is the one
aimed at. Run k of a seed is the same however many follow. Widths are half the interval over the true rate.

Holds `plan_test` with its `Aim`, `Design`, `Size` and `Plan`; `try_plan` and its `SimulatedTests`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.matching.protocol.checks import whole_number
from bertillon.stats.dependent_rate import (
    MATED,
    NONMATED,
    DependentRate,
    PersonSharing,
    check_correlation,
    error_correlation,
)
from bertillon.stats.interval import LEVEL, Interval, check_rate, needed_trials, normal_quantile, proportion, tail_of
from bertillon.stats.shared_people import rate_by_subject, roster_of
from bertillon.trials.simulate import simulate

TRIALS = {
    "FMR": "non-mated comparisons",
    "FNMR": "mated comparisons",
    "FPIR": "searches by people not enrolled",
    "FNIR": "searches by enrolled people",
}
MOST = 10**12  # people; more is a slip of the pen
MOST_DRAWN = 4_000_000_000  # scores of all runs together: minutes
MOST_HELD = 20_000_000  # scores of one run: a gigabyte


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be known.

    Parameters
    ----------
    name, rate
        The rate, and what it is expected to be.
    precision
        Half the interval, as a share of the rate.
    level
        Of the interval.
    """

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
            "sizes": [asdict(size) for size in self.sizes],
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

    >>> from bertillon.stats.interval import proportion
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


@dataclass(frozen=True, slots=True)
class SimulatedTests:
    """The intervals that the planned test gave in a simulation.

    Parameters
    ----------
    runs, seed
        How often the test was simulated, and the seed.
    people, trials
        Its size.
    width
        Half the interval as a share of the true rate, the middle one of all runs.
    coverage
        Share of the intervals that held the true rate.
    naive_width, naive_coverage
        The same of intervals that take trials as independent.
    """

    runs: int
    seed: int
    people: int
    trials: int
    width: float
    coverage: float
    naive_width: float
    naive_coverage: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return asdict(self)


def try_plan(plan: Plan, runs: int, *, seed: int = 0, progress: Progress | None = None) -> SimulatedTests:
    """Make the test that is planned for precision so many times, and see what its intervals are."""
    size, bar = plan.size("precision"), progress or NoProgress()
    _check_work(size, whole_number(runs, "number of simulated tests", least=2))
    streams = np.random.SeedSequence(whole_number(seed, "seed", least=0)).spawn(runs)
    make = _pairs(plan, size) if plan.design.by_pair else _subjects(plan, size)
    intervals: list[tuple[Interval, Interval]] = []
    bar.begin(runs, "simulating")
    for stream in streams:
        rate = make(np.random.default_rng(stream))
        naive = proportion(rate.errors, rate.trials, level=plan.aim.level)
        intervals.append((rate.interval(plan.aim.level), naive))
        bar.advance(1)
    ours, naives = zip(*intervals, strict=True)
    return SimulatedTests(
        runs, seed, size.people, size.trials, *_seen(ours, plan.aim.rate), *_seen(naives, plan.aim.rate)
    )


def _subjects(plan: Plan, size: Size) -> Callable[[np.random.Generator], DependentRate]:
    """One test of people who each make the same number of attempts."""
    threshold = -normal_quantile(plan.aim.rate)

    def make(rng: np.random.Generator) -> DependentRate:
        goat = plan.design.correlation
        scores = simulate(
            "subjects", subjects=size.people, mated=size.trials, nonmated=0, dprime=0.0, goat=goat, rng=rng
        ).scores
        ids = scores.mated_ids
        people = None if ids is None else ids.probe_subject
        assert people is not None  # simulated subjects are known
        return rate_by_subject(people, ~scores.rule.accepts(scores.mated, threshold))

    return make


def _pairs(plan: Plan, size: Size) -> Callable[[np.random.Generator], DependentRate]:
    """One test of everyone against everyone."""
    design, threshold = plan.design, normal_quantile(plan.aim.rate)
    first, second = (np.repeat(end, design.samples) for end in np.triu_indices(size.people, 1))
    if design.ordered:
        first, second = np.concatenate([first, second]), np.concatenate([second, first])
    roster = roster_of(first, second)
    brought, own = math.sqrt(design.correlation), math.sqrt(1.0 - 2.0 * design.correlation)

    def make(rng: np.random.Generator) -> DependentRate:
        people = brought * rng.standard_normal(size.people)
        scores = rng.standard_normal(first.size)
        scores *= own
        scores += people[first]
        scores += people[second]
        return roster.rate(AcceptRule.SIMILARITY.accepts(scores, threshold))

    return make


def _seen(intervals: Sequence[Interval], rate: float) -> tuple[float, float]:
    """The middle half-width over the true rate, and how often the rate was held."""
    widths = [(interval.high - interval.low) / 2 / rate for interval in intervals]
    return float(np.median(widths)), sum(interval.holds(rate) for interval in intervals) / len(intervals)


def _check_work(size: Size, runs: int) -> None:
    if size.trials > MOST_HELD or size.trials * runs > MOST_DRAWN:
        raise InputError(
            f"{runs:,} simulated tests of {size.trials:,} trials each are too many; expected at most {MOST_HELD:,} "
            f"trials a test and {MOST_DRAWN:,} in all; simulate fewer, a higher rate or a wider interval"
        )
