"""A planned test, made many times on simulated people whose error rate is known.

Mated comparisons and searches are scores of simulated subjects (see `trials.simulate`). Non-mated comparisons are made
of everyone with everyone: a score is the sum of what its two people bring and of what is its own, with the shares of
variance correlation, correlation and 1 - 2 correlation; a person brings the same as probe and as reference. The
threshold stands where the true rate is the one aimed at.

Conventions: run k of a seed is the same however many follow. Widths are half the interval over the true rate.

Holds `try_plan` and its `SimulatedTests`.
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
from bertillon.stats.dependence.dependent_rate import DependentRate
from bertillon.stats.dependence.shared_people import rate_by_subject, roster_of
from bertillon.stats.interval import Interval
from bertillon.stats.planning.sizes import Plan, Size
from bertillon.stats.proportion import normal_quantile, proportion
from bertillon.trials.simulate import simulate

MOST_DRAWN = 4_000_000_000  # scores of all runs together: minutes
MOST_HELD = 20_000_000  # scores of one run: a gigabyte


@dataclass(frozen=True, slots=True)
class SimulatedTests:
    """The intervals that the planned test gave, and those of trials taken as independent."""

    runs: int
    seed: int
    people: int
    trials: int
    width: float  # half the interval as a share of the true rate, the middle one of all runs
    coverage: float  # share of the intervals that held the true rate
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
