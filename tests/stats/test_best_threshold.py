"""The interval of a threshold that costs least: it holds the threshold that is best in truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bertillon as bt

APART = 3.0  # between both means, in standard deviations


def one(rng: np.random.Generator, people: int, each: int) -> bt.ScoreSet:
    """Scores of people who differ in their mean, or of comparisons that are nobody's."""
    if not people:
        return bt.ScoreSet(rng.normal(APART, 1.0, each), rng.normal(0.0, 1.0, 5 * each))
    who, own = np.repeat(np.arange(people), each), rng.normal(0.0, 0.5, people)
    first = rng.integers(people, size=5 * who.size)
    second = (first + 1 + rng.integers(people - 1, size=first.size)) % people
    mated = APART + own[who] + rng.normal(0.0, math.sqrt(0.75), who.size)
    ids = {"mated_ids": bt.TrialIds(who), "nonmated_ids": bt.TrialIds(first, second)}
    return bt.ScoreSet(mated, rng.normal(0.0, 1.0, first.size), **ids)


def held(people: int, each: int, cost: float, runs: int) -> float:
    """How often the interval holds the threshold at which both densities are as far apart as their costs."""
    best, rng = APART / 2 + math.log(cost) / APART, np.random.default_rng(people + each)
    found = []
    for run in range(runs):
        measure = f"minCost(cfa={cost},cfr=1,impostor=0.5)"
        (interval,) = bt.evaluate(one(rng, people, each), [measure]).with_intervals(seed=run).intervals.values()
        assert interval.threshold is not None
        found.append(interval.threshold[0] <= best <= interval.threshold[1])
    return float(np.mean(found))


@pytest.mark.parametrize(("people", "each", "cost"), [(0, 300, 1.0), (30, 8, 5.0)])
def test_the_interval_holds_the_best_threshold_against_theory(people: int, each: int, cost: float) -> None:
    assert held(people, each, cost, runs=20) >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "each", "cost"), [(0, 300, 1.0), (0, 1000, 20.0), (40, 8, 1.0), (40, 8, 10.0), (15, 10, 1.0)]
)
def test_the_interval_holds_the_best_threshold_as_often_as_it_says_against_theory(people, each, cost) -> None:
    assert held(people, each, cost, runs=300) >= 0.93


def test_distances_have_the_mirrored_interval() -> None:
    scores, measure = one(np.random.default_rng(1), 20, 6), "minCost(cfa=2,cfr=1,impostor=0.5)"
    turned = bt.ScoreSet(
        -scores.mated, -scores.nonmated, rule="distance", mated_ids=scores.mated_ids, nonmated_ids=scores.nonmated_ids
    )
    ends = [next(iter(bt.evaluate(each, [measure]).with_intervals().intervals.values())) for each in (scores, turned)]
    low, high = ends[0].threshold
    assert ends[1].threshold == pytest.approx((-high, -low))
